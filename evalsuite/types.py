"""The values that flow through the suite: each stage takes some of them and returns new ones.

    official data -> Item -> Trial (an Item and a Request) -> Response -> Answer -> Score

All are frozen; change one with `dataclasses.replace`, its id stays. This module imports nothing of ours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol


class Status(StrEnum):
    """What became of a request. Only `PARSED` can be right or wrong; the rest are kept apart, all the way to the page."""

    PARSED = "parsed"
    UNPARSED = "unparsed"  # the model said something, but chose nothing
    REFUSED = "refused"  # the model declined to answer
    TRUNCATED = "truncated"  # the token limit came before the answer
    SEVERAL = "several"  # more than one option chosen where one is asked for
    CONFLICT = "conflict"  # label and text of different options, as in "(e)后续事件" where 后续事件 is (f)
    EMPTY = "empty"  # nothing but blanks and special tokens
    FILTERED = "filtered"  # the endpoint's content filter withheld the reply
    FAILED = "failed"  # no reply at all: the engine or the endpoint gave an error


@dataclass(frozen=True, slots=True)
class Item:
    """One question of a benchmark. `gold` is an index; `labels` are presentation and may be perturbed.

    >>> Item("corecode/easy/test/knowledge_filling/0", "knowledge_filling", "easy", "test", ("A: 你好。",),
    ...      "请…", ("科幻片", "恐怖片"), ("(a)", "(b)"), 0, ("科幻片",)).labels[0]
    '(a)'
    """

    id: str  # benchmark/set/split/task/number in its file: official numbers restart in every file
    task: str
    set: str  # "easy" | "hard"; of other benchmarks a fold, a dimension, a version or a source
    split: str  # "train" | "dev" | "test"
    dialogue: tuple[str, ...]  # turns, each with its speaker mark: "A: 你好。"
    question: str  # the official text, byte for byte
    options: tuple[str, ...] = ()  # empty for spans and generation
    labels: tuple[str, ...] = ()  # as printed before the options: "(a)"
    gold: int | None = None  # index into options
    references: tuple[str, ...] = ()  # right answers as text; for choices the gold option's text
    group: str = ""  # what the paper cuts its results by: relation category, inference type, dimension; "" for none

    @property
    def golds(self) -> tuple[int, ...]:
        """The right options: `gold`, or, where all right ones are asked for, those that say what a reference says."""
        if self.gold is not None or not self.options:
            return () if self.gold is None else (self.gold,)
        return tuple(sorted(self.options.index(text) for text in {*self.references}))

    @property
    def target(self) -> str:
        """What a right reply is, and what shots show and training teaches: for choices the bare indicators, as the
        paper's Figure 4 has it ("Label: c"), else the answer's text."""
        return ", ".join(self.indicators[gold] for gold in self.golds) or self.references[0]

    @property
    def indicators(self) -> tuple[str, ...]:
        """The labels without their brackets: "a" of "(a)"."""
        return tuple(_indicator(label) for label in self.labels)


def label_forms(labels: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """What a model may write for each label, as its tokenizer and training have it.

    >>> label_forms(["(a)", "(b)"])
    (('a', ' a', '(a)'), ('b', ' b', '(b)'))
    """
    named = [(_indicator(label), label) for label in labels]
    return tuple(tuple(dict.fromkeys((name, f" {name}", label))) for name, label in named)


def label_begins(labels: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """`label_forms`, each without what closes a bracket: as much as tells the labels apart.

    >>> label_begins(["(a)", "(b)"])
    (('a', ' a', '(a'), ('b', ' b', '(b'))
    """
    named = [(_indicator(label), label) for label in labels]
    return tuple(
        tuple(dict.fromkeys((name, f" {name}", label[: label.index(name) + len(name)]))) for name, label in named
    )


def _indicator(label: str) -> str:
    return label.strip("()（）")


@dataclass(frozen=True, slots=True)
class Message:
    """A chat turn."""

    role: str  # "user" | "assistant" | "system"
    content: str


@dataclass(frozen=True, slots=True)
class Request:
    """What an engine is asked: `prompt` for a base model or `messages` for a chat model. It knows of no benchmark.

    >>> Request("1", "你好", (Message("user", "你好"),), 8).scoring
    'generate'
    """

    id: str  # its name in messages and scripts; of a trial the item's id
    prompt: str  # the whole text, shots included, as a base model gets it
    messages: tuple[Message, ...]  # the same as chat turns
    max_new_tokens: int
    scoring: str = "generate"  # how the model is asked; one of SCORINGS
    labels: tuple[str, ...] = ()  # of the options, if there are any: compared by `labels`, written under `constrained`
    options: tuple[str, ...] = ()  # their texts: compared by `texts`
    pairs: tuple[tuple[str, str], ...] = ()  # with scoring nll: (context, target), plain text
    pattern: str = ""  # with scoring constrained: a regular expression that the whole reply must match
    batch: tuple[str | int, ...] = ()  # requests of another `batch` must not affect the reply: engines keep them apart


@dataclass(frozen=True, slots=True)
class Trial:
    """An item asked in one way. Make one with `Trial.of`."""

    item: Item
    request: Request
    variant: str  # the prompt template's name: "paper", "plain"
    shots: tuple[str, ...] = ()  # ids of the examples shown
    asked_shots: int = 0  # how many were asked for; more than len(shots) if some had to be dropped for space
    perturb: str = "none"  # what the item went through; a name in perturb.PERTURBATIONS
    rotation: int = 0  # which of the items that the perturbation made of one

    @classmethod
    def of(
        cls, item: Item, request: Request, variant: str, shots: tuple[str, ...] = (), asked_shots: int = 0,
        perturb: str = "none", rotation: int = 0,
    ) -> Trial:  # fmt: skip
        """The trial, its request batched with those of its cell."""
        batch = (item.task, item.set, item.split, variant, asked_shots, request.scoring, perturb)
        return cls(item, replace(request, batch=batch), variant, shots, asked_shots, perturb, rotation)


SCORINGS = (
    "generate",  # the model writes, a parser reads
    "labels",  # the probabilities of the option labels as the next word of the prompt; nothing is written
    "texts",  # the probabilities of the options' texts after the prompt; nothing is written
    "constrained",  # the model writes, but can write an option label only, or what the request's pattern matches
    "nll",  # the negative log-likelihood of each pair's target, for probes; nothing is written
)


@dataclass(frozen=True, slots=True)
class Likelihood:
    """How likely a model finds one option as the answer, or the target of one pair. Natural logarithms."""

    logprob: float  # of all its tokens; for a label: of its surface forms ("a", " a") together
    tokens: int
    prior: float | None = None  # of the same text after nothing but the prompt's last line ("答："); texts only


@dataclass(frozen=True, slots=True)
class Response:
    """What came back. `error` set means that there was no reply: never an empty answer, never a score."""

    text: str
    finish: str  # "stop" | "length" | "content_filter" | "error"; "labels" | "texts" | "nll" where nothing was written
    prompt_tokens: int = 0
    new_tokens: int = 0
    error: str | None = None
    reasoning: str | None = None  # what a reasoning model thought before it answered, where its endpoint tells apart
    cost: float = 0.0  # what it cost (or may have cost, if it failed), in the unit of the model's prices
    likelihoods: tuple[Likelihood, ...] = ()  # one an option, with scoring labels and texts; one a pair, with nll


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reply says. `start:end` is where in the raw reply the answer stands, for a page to highlight."""

    status: Status
    choice: int | None = None  # index into the item's options
    text: str | None = None  # the span or short answer; for choices the words that were read
    rule: str = ""  # the rule that fired
    start: int | None = None
    end: int | None = None
    choices: tuple[int, ...] = ()  # of the tasks that want all right options: those that were chosen


@dataclass(frozen=True, slots=True)
class Score:
    """Metric name -> value in [0, 1] for one item. Empty if the request failed: there is nothing to score."""

    values: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reading:
    """How replies are read: part of every signature."""

    parser: str = "full"  # for choices; one of PARSERS
    extract: bool = True  # for spans and texts: cut lead-ins, quotes and reasons off


PARSERS = ("full", "strict", "paper")  # paper: only the forms that the paper's section 5 lists


class Additive(Protocol):
    """Metrics that are functions of sums over items, so that a resample of the items needs no text any more."""

    @property
    def statistics(self) -> Any:
        """(N, K) rows of the items."""

    def finish(self, sums: Any) -> dict[str, Any]:
        """(..., K) sums of rows -> each metric, (...)."""


@dataclass(frozen=True, slots=True)
class Metric:
    """What a number is called and how it is shown. The rows are in metrics/rows.py; those of one
    benchmark alone are its tasks' (`Task.own_metrics`)."""

    name: str  # in results.json, where "paper." may stand before it
    zh: str
    en: str = ""  # as `zh` if not given
    short: str = ""  # for narrow columns
    top: float | None = 1.0  # the highest value there is; None: no bound
    percent: bool = True  # shown times 100
    lower: bool = False  # less of it is better
    share: bool = False  # of right items: Wilson's interval stands beside the bootstrap's
    published: float = 1.0  # what the papers' figures are to be divided by

    @property
    def heading(self) -> str:
        """For narrow columns: "acc %"."""
        return self.short or self.name[:3] + (" %" if self.percent else "")


@dataclass(frozen=True, slots=True)
class Part:
    """Metrics of a cell that share their sums over items."""

    name: str  # of the part: it seeds its resamples
    sums: Additive
    names: Mapping[str, str]  # name in results.json -> name in `sums`
    signatures: Mapping[str, str]  # by name in results.json; without what the cell adds
    # (N,) by name in results.json, of the metrics that single items have; None: what `sums.finish` makes of each row.
    of_items: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """The requests of a cell that were answered, in order; `facts` are the cell's."""

    task: Task
    language: Language
    items: tuple[Item, ...]
    responses: tuple[Response, ...]
    answers: tuple[Answer, ...]
    reading: Reading
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Language:
    """How free replies in a language are read and scored. The rows are in benchmarks/languages.py."""

    name: str  # "zh" | "en"
    read_span: Callable[[Item, Response, Reading], Answer]
    read_text: Callable[[Item, Response, Reading], Answer]
    score: Callable[[str, Sequence[str]], dict[str, float]]  # an answer and its references -> f1 and em
    span_parts: Callable[[Answered], tuple[Part, ...]]
    text_parts: Callable[[Answered], tuple[Part, ...]]
    gap: str  # what stands between two words
    paper_forms: bool = False  # the paper's forms of an answer are in it: choices are read by them, too
    altered: bool = False  # the perturbations of dialogues (speakers, turns, script) are made for it


@dataclass(frozen=True, slots=True)
class Kind:
    """One sort of task: how its replies are asked for, read and scored. The rows are in benchmarks/kinds.py."""

    name: str
    zh: str  # what its replies are, for tables: 片段
    en: str  # "spans"
    read: Callable[[Item, Response, Reading, Language], Answer]
    score: Callable[[Item, Answer, Response | None, Language], Score]
    parts: Callable[[Answered], tuple[Part, ...]]
    item_metrics: tuple[str, ...]  # those that every single item has; items are paired by the first
    scorings: tuple[str, ...] = (
        "generate",
    )  # those of SCORINGS that fit; a task with a pattern can be constrained, too
    options: bool = False  # its items list options
    several: bool = False  # all right options are asked for, not one
    written: bool = True  # the model writes a reply; else it gives likelihoods, and there are no shots
    quoted: bool = False  # the answer is a piece of the dialogue
    rated: bool = False  # a free text, which people and judges score on the scales of a rubric
    unjudged: str = ""  # why no judge is asked about its replies; empty if one may be

    def answer(self, item: Item, response: Response, reading: Reading, language: Language) -> Answer:
        """What the reply says, if there is one."""
        if response.error is not None:
            return Answer(Status.FAILED, rule="no reply")
        if response.finish == "content_filter":
            return Answer(Status.FILTERED, rule="content filter")
        return self.read(item, response, reading, language)

    @property
    def single(self) -> bool:
        """One of the listed options is right."""
        return self.options and not self.several


@dataclass(frozen=True, slots=True)
class Task:
    """What a benchmark asks about its items."""

    name: str  # over all benchmarks
    short: str  # for narrow columns
    zh: str
    en: str
    kind: Kind
    file: str  # in the official layout, as the benchmark's module understands it
    folder: str
    metrics: tuple[str, ...]  # the first is the headline
    max_new_tokens: int
    benchmark: str = "corecode"
    # (item, template) -> the regular expression that constrained decoding holds a free text to
    pattern: Callable[[Item, str], str] | None = None
    whole: bool = False  # whether its items show dialogues whole, none masked, altered or clipped
    subset: str = "all"  # what published figures call the part of the items that the task asks about
    templates: Path | None = None  # the folder of <task>/<variant>.j2; None: prompts/<benchmark>/
    own_part: Callable[[Answered], Part] | None = None  # metrics beside those of its kind
    own_metrics: tuple[Metric, ...] = ()  # the rows of those that no other benchmark has

    @property
    def local(self) -> str:
        """The name within its benchmark: the folder of its templates (prompts/<benchmark>/<local>/) and part of its
        items' ids. Two benchmarks may ask for a subsequent event."""
        return self.name.removeprefix(f"{self.benchmark}_")

    @property
    def item_metrics(self) -> tuple[str, ...]:
        """The metrics that every single item has; items are paired by the first of them."""
        return self.kind.item_metrics


@dataclass(frozen=True, slots=True)
class Scale:
    """One of a rubric's scales for people: whole numbers from `low` to `high`."""

    name: str  # also the field and the column of a mark
    zh: str
    en: str
    low: int
    high: int
    criteria: tuple[tuple[str, str], ...]  # (Chinese, English): one for each number, or one that holds for all


@dataclass(frozen=True, slots=True)
class Rubric:
    """How people score a short text. (What a judge reads is a template: prompts/judge/<name>.j2.)"""

    name: str
    zh: str  # where it is from
    en: str
    scales: tuple[Scale, ...]


@dataclass(frozen=True, slots=True)
class Archives:
    """Zip archives that hold a benchmark: each is unpacked as <its name>/data/."""

    addresses: Mapping[str, str]  # name -> address
    files: tuple[str, ...]  # the names of the files to take out, wherever they lie in the archive


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A data set: what it is called, its tasks, and where its data, templates and published figures are.

    Constructing it writes `name` and `templates` into its tasks.
    """

    name: str  # also the folder of its templates, and the beginning of its items' ids
    title: str
    language: Language
    sets: tuple[str, ...]  # in the paper's order; files may hold others (the sources of CEDAR)
    splits: tuple[str, ...]
    sets_zh: str  # what one of its sets is called: 折
    sets_en: str  # "fold"
    tasks: tuple[Task, ...]  # in the paper's order
    # (benchmark, folder, skip_bad=) -> its corpus.Corpus. Raises DataError if the folder holds none of its data.
    loader: Callable[..., Any]
    address: str | Archives = ""  # what `data pull` fetches: a git repository, or archives; "": nothing
    no_address: str = ""  # why there is nothing to fetch
    averaged: bool = False  # whether the paper gives the mean over the sets, as over folds
    groups: tuple[str, ...] = ()  # values of its items' `group`, in the paper's order; files may hold others
    rubric: str = ""  # the rubric by which judges score its short texts unless one is named; prompts/judge/<name>.j2
    audit: Rubric | None = None  # the rubric by which people score its short texts unless one is named
    published: Path | None = None  # a CSV file of published figures (docs/own_benchmark.md has its columns)
    # Our metric -> the published one of the same definition; None: the names are the same. Others are not compared.
    published_as: Mapping[str, str] | None = None
    published_zh: str = ""  # a note for readers who compare with the published figures
    published_en: str = ""
    templates: Path | None = None  # the folder of <task>/<variant>.j2; None: prompts/<name>/
    sample: Path | None = None  # data of its own that stand in for the bundled sample's
    files: str = "{task.benchmark}/{set}/{split}/{task.local}"  # what manifest.json calls the items of a place

    def __post_init__(self) -> None:
        own = (replace(t, benchmark=self.name, templates=self.templates) for t in self.tasks)
        object.__setattr__(self, "tasks", tuple(own))

    def task(self, local: str) -> Task:
        """The task of that name within the benchmark. Raises KeyError."""
        return {t.local: t for t in self.tasks}[local]

    def data_name(self, task: Task, set: str, split: str) -> str:
        """What manifest.json calls the items of a task, set and split."""
        return self.files.format(task=task, set=set, split=split)


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where a figure stands: one model on one task, set and split, asked in one way.

    >>> place = Place("tiny-zh", "event_cause", "easy", "test", "paper", 0)
    >>> place.way, dict(place.but("model", "task", "variant", "shots"))["set"]
    ('paper 0-shot', 'easy')
    """

    model: str
    task: str
    set: str
    split: str
    variant: str  # the prompt template's name
    shots: int
    scoring: str = "generate"  # one of SCORINGS
    perturb: str = "none"  # a name in perturb.PERTURBATIONS

    @classmethod
    def of(cls, row: Mapping[str, Any], **instead: Any) -> Place:
        """From a row of results.json; `instead` are values that the row has not. Rows of older versions name neither
        scoring nor perturbation. Raises TypeError if another key is missing."""
        return cls(**{name: row[name] for name in PLACE if name in row and name not in instead}, **instead)

    def as_dict(self) -> dict[str, Any]:
        """Name -> value, as rows of results.json begin."""
        return {name: getattr(self, name) for name in PLACE}

    def but(self, *names: str) -> tuple[tuple[str, Any], ...]:
        """(name, value) of all others: a key for what differs in `names` alone, and `dict` makes a row of it."""
        return tuple((name, value) for name, value in self.as_dict().items() if name not in names)

    @property
    def way(self) -> str:
        """How its items are asked: "paper 0-shot", "plain 5-shot labels shuffle"."""
        rest = (self.scoring if self.scoring != "generate" else "", self.perturb if self.perturb != "none" else "")
        return " ".join([self.variant, f"{self.shots}-shot", *filter(None, rest)])

    @property
    def name(self) -> str:
        return f"{self.model}/{self.set}/{self.split}/{self.task}/{self.way.replace(' ', '/')}"


PLACE = tuple(part.name for part in fields(Place))  # the names of its parts, in order


@dataclass(frozen=True, slots=True)
class Cell:
    """A place of a run. `facts` are the hashes and settings that its numbers depend on."""

    place: Place
    facts: dict[str, Any]
