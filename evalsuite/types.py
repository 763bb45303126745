"""The values that pass between the stages of an evaluation.

    official data -> Item -> Trial (an Item and a Request) -> Response -> Answer -> Score

All are frozen. `dataclasses.replace` makes a changed copy with the same id. This module imports no other of evalsuite.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol


class Status(StrEnum):
    """The outcome of a request. Only a `PARSED` reply can be right; every other outcome is counted separately."""

    PARSED = "parsed"
    UNPARSED = "unparsed"  # the reply says something, but chooses nothing
    REFUSED = "refused"  # the model declined to answer
    TRUNCATED = "truncated"  # the token limit came before the answer
    SEVERAL = "several"  # more than one option chosen where one is asked for
    CONFLICT = "conflict"  # label and text of different options, as in "(e)后续事件" where 后续事件 is (f)
    EMPTY = "empty"  # nothing but blanks and special tokens
    FILTERED = "filtered"  # the endpoint's content filter withheld the reply
    FAILED = "failed"  # no reply at all: the engine or the endpoint gave an error


def context_of(dialogue: Sequence[str], question: str, options: Sequence[str]) -> tuple[str, ...]:
    """The context of an item: its dialogue, or its question and options where there is none. Items of one context are not
    independent."""
    return tuple(dialogue) or (question, *sorted(options))


@dataclass(frozen=True, slots=True)
class Item:
    """One question of a benchmark. `gold` is an index; `labels` are presentation and may be perturbed.

    >>> Item("corecode/easy/test/knowledge_filling/0", "knowledge_filling", "easy", "test", ("A: 你好。",),
    ...      "请…", ("科幻片", "恐怖片"), ("(a)", "(b)"), 0, ("科幻片",)).labels[0]
    '(a)'
    """

    id: str  # benchmark/set/split/task/number in its file: official numbers restart in every file
    task: str
    set: str  # "easy" | "hard"; in other benchmarks a fold, a dimension, a version or a source
    split: str  # "train" | "dev" | "test"
    dialogue: tuple[str, ...]  # turns, each with its speaker mark: "A: 你好。"
    question: str  # the official text, byte for byte
    options: tuple[str, ...] = ()  # empty for spans and generation
    labels: tuple[str, ...] = ()  # labels printed before the options: "(a)"
    gold: int | None = None  # index into options
    references: tuple[str, ...] = ()  # right answers as text; for choices the gold option's text
    group: str = ""  # the category in breakdowns of results, such as a relation; several are joined by |
    # The official text before each label, between it and its option, and after the last option: 2n + 1 pieces for n
    # options. () if the official text of the question does not list them.
    layout: tuple[str, ...] = ()
    rests_on: tuple[str, ...] = ()  # ids of the items that ask for the facts behind this item's answer
    votes: tuple[int, ...] = ()  # number of people who gave each of the references; () if the data have no votes

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Item:
        """Build an item from a JSON object, whose lists become tuples. Keys that are no fields are ignored."""
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in row.items()
            if name in cls.__slots__
        }
        return cls(**values)

    @property
    def golds(self) -> tuple[int, ...]:
        """Indices of the right options: `gold`, or, if several may be right, those whose text is a reference."""
        if self.gold is not None or not self.options:
            return () if self.gold is None else (self.gold,)
        return tuple(sorted(self.options.index(text) for text in {*self.references}))

    @property
    def target(self) -> str:
        """A right reply, for shots and finetuning: of choices the bare indicators, as in the paper's Figure 4 ("Label: c"), else
        the first reference."""
        return ", ".join(self.indicators[gold] for gold in self.golds) or self.references[0]

    @property
    def context(self) -> tuple[str, ...]:
        """The dialogue, or without one the question and options. Items with equal contexts are not independent."""
        return context_of(self.dialogue, self.question, self.options)

    @property
    def listed(self) -> str:
        """The question and its options, byte for byte as the data file prints them; the question alone if `layout` is empty."""
        if not self.layout:
            return self.question
        parts = zip(self.layout[::2], self.labels, self.layout[1::2], self.options, strict=False)
        return "".join((self.question, *(text for part in parts for text in part), self.layout[-1]))

    @property
    def indicators(self) -> tuple[str, ...]:
        """The labels without their brackets: "a" of "(a)"."""
        return tuple(_indicator(label) for label in self.labels)


def label_forms(labels: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """The forms in which a model may write each label: bare, after a space, with its brackets.

    >>> label_forms(["(a)", "(b)"])
    (('a', ' a', '(a)'), ('b', ' b', '(b)'))
    """
    return tuple(tuple(dict.fromkeys((name := _indicator(label), f" {name}", label))) for label in labels)


def label_begins(labels: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """`label_forms` without closing brackets: the shortest prefixes that identify the label.

    >>> label_begins(["(a)", "(b)"])
    (('a', ' a', '(a'), ('b', ' b', '(b'))
    """
    return tuple(
        tuple(dict.fromkeys((name := _indicator(label), f" {name}", label[: label.index(name) + len(name)])))
        for label in labels
    )


def _indicator(label: str) -> str:
    return label.strip("()（）")


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat."""

    role: str  # "user" | "assistant" | "system"
    content: str


@dataclass(frozen=True, slots=True)
class Request:
    """The input of an engine: `prompt` for a base model, `messages` for a chat model. It knows of no benchmark.

    >>> Request("1", "你好", (Message("user", "你好"),), 8).scoring
    'generate'
    """

    id: str  # names the request in messages and scripts; in a trial it is the item's id
    prompt: str  # the whole text with its shots, for a base model
    messages: tuple[Message, ...]  # the same as chat turns
    max_new_tokens: int
    scoring: str = "generate"  # one of SCORINGS
    labels: tuple[str, ...] = ()  # scoring labels compares their likelihoods; scoring constrained allows no other reply
    options: tuple[str, ...] = ()  # texts of the options, whose likelihoods scoring texts compares
    pairs: tuple[tuple[str, str], ...] = ()  # with scoring nll: (context, target), plain text
    pattern: str = ""  # with scoring constrained: a regular expression that the whole reply must match
    answer_after: str = ""  # if the reply reasons first: the words before its answer, such as "答案："
    sample: int = 0  # index of the reply among those sampled for the same prompt; it seeds the reply
    batch: tuple[str | int, ...] = ()  # engines never batch requests whose keys differ: padding may change a reply


@dataclass(frozen=True, slots=True)
class Trial:
    """An item with the request that asks it in one way. The constructor sets `request.batch` from the trial's cell and sample."""

    item: Item
    request: Request
    variant: str  # the prompt template's name: "paper", "plain"
    shots: tuple[str, ...] = ()  # ids of the examples shown
    asked_shots: int = 0  # the number requested; more than len(shots) if some did not fit into the context
    perturb: str = "none"  # the item's perturbation; a name in perturb.PERTURBATIONS
    rotation: int = 0  # index among the items that the perturbation made of one

    def __post_init__(self) -> None:
        item, request = self.item, self.request
        way = (self.variant, self.asked_shots, request.scoring, self.perturb, request.sample)
        object.__setattr__(self, "request", replace(request, batch=(item.task, item.set, item.split, *way)))

    def without_prompt(self) -> Trial:
        """The trial without its prompt. Scoring needs no prompts, and those of a whole cell would take much memory."""
        return replace(self, request=replace(self.request, prompt="", messages=()))


SCORINGS = (
    "generate",  # the model writes a reply, which a parser reads
    "labels",  # log-probabilities of the option labels as the next word of the prompt; no generation
    "texts",  # log-probabilities of the option texts after the prompt; no generation
    "constrained",  # generation restricted to option labels, or to the request's pattern
    "nll",  # negative log-likelihood of each pair's target, for probes; no generation
)


WRITTEN = ("generate", "constrained")  # the SCORINGS that generate a reply, so that sampling and beams apply
# The settings by which tokens of a reply are chosen, in the order of signatures: fields of `Generation` (backends/model.py).
SAMPLING = ("temperature", "top_p", "top_k", "repetition_penalty", "beams", "samples", "seed")


@dataclass(frozen=True, slots=True)
class Likelihood:
    """The log-probability that a model gives to one option, or to the target of one pair. Natural logarithms."""

    logprob: float  # sum over the tokens; of a label: the log of the total probability of its forms ("a", " a")
    tokens: int
    # The log-probability of the same text after the prompt's last line alone ("答："); with scoring texts only.
    prior: float | None = None


@dataclass(frozen=True, slots=True)
class Response:
    """A backend's result for a request. If `error` is set, there was no reply: the request counts as failed and is not scored."""

    text: str
    finish: str  # "stop" | "length" | "content_filter" | "error"; "labels" | "texts" | "nll" without generation
    prompt_tokens: int = 0
    new_tokens: int = 0  # generated, thinking included; 0: not counted
    error: str | None = None
    reasoning: str | None = None  # a reasoning model's thinking, if its endpoint returns it separately
    cost: float = 0.0  # in the unit of the model's prices
    likelihoods: tuple[Likelihood, ...] = ()  # one for each option (labels, texts) or pair (nll)
    thinking_tokens: int | None = None  # the thinking among new_tokens, if the endpoint counts it
    bound: float = 0.0  # the part of `cost` that is only an upper bound, for attempts without token counts


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer read from a reply. `start:end` is its span in the raw reply; the page highlights it."""

    status: Status
    choice: int | None = None  # index into the item's options
    text: str | None = None  # the span or short text; for choices the words that state the choice
    rule: str = ""  # the parser's rule that matched
    start: int | None = None
    end: int | None = None
    choices: tuple[int, ...] = ()  # the chosen options, in tasks with several right ones
    reasoned: int = 0  # number of characters of reasoning before the parsed part, if the prompt asked to reason first
    confidence: float | None = None  # the probability of being right that the reply states (parse/confidence.py)

    @property
    def chosen(self) -> tuple[int, ...]:
        """Indices of the chosen options; () for no choice."""
        return self.choices or (() if self.choice is None else (self.choice,))


@dataclass(frozen=True, slots=True)
class Score:
    """The values of one item: metric name -> value (in [0, 1], except ΔNLL). Empty if the request failed."""

    values: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reading:
    """The settings of parsing. Part of every signature."""

    parser: str = "full"  # for choices; one of PARSERS
    extract: bool = True  # remove lead-ins, quotes and reasons from spans and texts


PARSERS = ("full", "strict", "paper")  # paper: only the forms that the paper's section 5 lists


class Additive(Protocol):
    """Metrics that are functions of sums over items, so that the bootstrap resamples rows of numbers, not texts."""

    @property
    def statistics(self) -> Any:
        """(N, K) sufficient statistics, a row for each item."""

    def finish(self, sums: Any) -> dict[str, Any]:
        """(..., K) sums of rows -> metric name -> (...) values."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric's names and how its values are shown. Shared rows are in metrics/rows.py, a benchmark's own in
    `Task.own_metrics`."""

    # Its name in results.json. A row also describes the variant that the papers compute, "paper.<name>"; a row whose name
    # begins with "paper." describes only that.
    name: str
    zh: str
    en: str = ""  # "": the same as `zh`
    short: str = ""  # for narrow columns
    maximum: float | None = 1.0  # the highest possible value; None: unbounded
    percent: bool = True  # shown times 100
    unit: str = ""  # such as "nats"; the page then shows signs and the unit
    lower_is_better: bool = False
    is_share: bool = False  # a share of right items: gets Wilson's interval beside the bootstrap's
    # Whether a cell's value is the mean of its items' values: that of F1 is; BLEU pools counts, macro F1 averages classes.
    is_mean: bool = True
    published: float = 1.0  # divisor that brings published figures to our scale

    @property
    def heading(self) -> str:
        """The heading of a narrow column: "acc %"."""
        return self.short or (self.en or self.zh) + (" %" if self.percent else "")


@dataclass(frozen=True, slots=True)
class Part:
    """Metrics of a cell that are computed from the same sums over items."""

    name: str  # part of the seed of the bootstrap's resamples
    sums: Additive
    names: Mapping[str, str]  # name in results.json -> name in `sums`
    signatures: Mapping[str, str]  # by name in results.json; the cell appends its own fields
    # (N,) values of the metrics that single items have, by name in results.json; None: `sums.finish` of each row.
    of_items: Mapping[str, Any] | None = None
    over_rotations: bool = False  # an item's value is a mean over its rotations, so sums of values are no counts
    # Metrics that are means over items in this part, although in other parts metrics of these names are not (`Metric.is_mean`).
    means: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Answered:
    """The answered requests of a cell, in order. `facts` are the cell's facts."""

    task: Task
    language: Language
    items: tuple[Item, ...]
    responses: tuple[Response, ...]
    answers: tuple[Answer, ...]
    reading: Reading
    facts: Mapping[str, Any]
    variant: str = ""  # the prompt template's name

    @property
    def pairs(self) -> list[tuple[Item, Answer]]:
        """The items, each with the answer to it."""
        return list(zip(self.items, self.answers, strict=True))


@dataclass(frozen=True, slots=True)
class Language:
    """The parsers and metrics of a language's spans and texts. The rows are in benchmarks/languages.py."""

    name: str  # "zh" | "en"
    read_span: Callable[[Item, Response, Reading], Answer]
    read_text: Callable[[Item, Response, Reading], Answer]
    score: Callable[[str, Sequence[str]], dict[str, float]]  # (answer, references) -> f1 and em
    span_parts: Callable[[Answered], tuple[Part, ...]]
    text_parts: Callable[[Answered], tuple[Part, ...]]
    gap: str  # the separator of words
    altered: bool = False  # the perturbations of dialogues (speakers, turns, script) apply to it


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of task: how its replies are requested, parsed and scored. The rows are in benchmarks/kinds.py."""

    name: str
    zh: str  # name of the kind's replies, for tables: 片段
    en: str  # "spans"
    read: Callable[[Item, Response, Reading, Language], Answer]
    score: Callable[[Item, Answer, Response | None, Language], Score]
    parts: Callable[[Answered], tuple[Part, ...]]
    # Metrics of every item; paired comparisons use the first. A probe that was answered by choosing has the first only.
    item_metrics: tuple[str, ...]
    scorings: tuple[str, ...] = ("generate",)  # the SCORINGS that apply; tasks with a pattern add "constrained"
    options: bool = False  # whether its items list options
    several: bool = False  # asks for all right options, not for one
    written: bool = True  # the model writes a reply; else it gives likelihoods, without shots
    quoted: bool = False  # the answer is a span of the dialogue
    rated: bool = False  # a free text, which people and judges rate on the scales of a rubric
    unjudged: str = ""  # the reason why judges do not rate its replies; empty if they do

    def answer(self, item: Item, response: Response, reading: Reading, language: Language) -> Answer:
        """The answer that the reply states; failed and filtered requests are not parsed."""
        if response.error is not None:
            return Answer(Status.FAILED, rule="no reply")
        if response.finish == "content_filter":
            return Answer(Status.FILTERED, rule="content filter")
        return self.read(item, response, reading, language)

    @property
    def single(self) -> bool:
        """Whether exactly one of the listed options is right."""
        return self.options and not self.several


@dataclass(frozen=True, slots=True)
class Form:
    """The form of the replies to a template that asks for a part of a reference, or for other words than the references'."""

    shown: Callable[[Item], str]  # the right reply, for shots and training
    whole: Callable[[Item, str], str]  # (item, reply) -> the text to compare with the references


@dataclass(frozen=True, slots=True)
class OptionNames:
    """The closed list of names that a task's options come from, such as an ontology's: confusions are counted by name."""

    of: Callable[[tuple[str, ...]], tuple[str, ...]]  # options -> the Chinese name of each; an option without one stays
    english: Callable[[], Mapping[str, str]]  # Chinese name -> English name, in the list's order


@dataclass(frozen=True, slots=True)
class Task:
    """A task of a benchmark: the question it asks about its items, and the metrics of the replies."""

    name: str  # unique over all benchmarks
    short: str  # for narrow columns
    zh: str
    en: str
    kind: Kind
    file: str  # the file of its items in the official layout, in the form that the benchmark's loader takes
    folder: str  # the folder of `file` in the official layout
    metrics: tuple[str, ...]  # the first is the headline
    max_new_tokens: int
    benchmark: str = ""  # the name of its Benchmark, whose constructor sets it
    # (item, template) -> the regular expression that a reply matches under constrained decoding
    pattern: Callable[[Item, str], str] | None = None
    # template -> the form of its replies, if not the references'
    forms: Mapping[str, Form] = field(default_factory=dict)
    whole: bool = False  # whether its items show complete dialogues: not masked, altered or clipped
    subset: str = "all"  # the name that published figures give to the task's part of the items
    templates: Path | None = None  # the folder of <task>/<variant>.j2; None: prompts/<benchmark>/
    prompts: str = ""  # the folder of its templates in `templates`, if tasks share one; "": its local name
    built_in: str = ""  # the language of the built-in wordings that it also has (prompts/any/<language>/); "": none
    # The paper's own program that reads a choice out of a reply, beside our parser: the metric paper.accuracy.
    official: Callable[[Item, Response], Answer] | None = None
    marking: tuple[str, str] | None = None  # (Chinese, English): the instruction for people who mark its replies
    own_part: Callable[[Answered], Part] | None = None  # metrics in addition to those of its kind
    own_metrics: tuple[Metric, ...] = ()  # the rows of metrics that only this benchmark has
    option_names: OptionNames | None = None  # the closed list of names that all its options come from, if there is one
    # The rubric of the judge that decides what is right in the official scoring; "": the first metric does.
    judged_by: str = ""

    @property
    def local(self) -> str:
        """The name without its benchmark's: that of its template folder (prompts/<benchmark>/<local>/), and a part of item ids.
        Tasks of two benchmarks may share it."""
        return self.name.removeprefix(f"{self.benchmark}_")

    @property
    def item_metrics(self) -> tuple[str, ...]:
        """Metrics that every item has; paired comparisons use the first."""
        return self.kind.item_metrics

    @property
    def scorings(self) -> tuple[str, ...]:
        """The SCORINGS that apply: those of its kind, and with a pattern "constrained"."""
        return (*self.kind.scorings, *(("constrained",) if self.pattern else ()))

    def answer(self, item: Item, response: Response, reading: Reading, language: Language) -> Answer:
        """The answer that `Kind.answer` reads, or, with the parser "paper", the official program if the task has one."""
        read = response.error is None and response.finish != "content_filter" and not response.likelihoods
        if reading.parser == "paper" and self.official and read:
            return self.official(item, response)
        return self.kind.answer(item, response, reading, language)


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale of a rubric for human annotators: whole numbers from `low` to `high`."""

    name: str  # name of the scale, and of the field and column of an annotator's mark
    zh: str
    en: str
    low: int
    high: int
    criteria: tuple[tuple[str, str], ...]  # (Chinese, English): one for each number, or one for the whole scale


@dataclass(frozen=True, slots=True)
class Rubric:
    """The scales on which human annotators score a short text. (Judges get a template instead: prompts/judge/<name>.j2.)"""

    name: str
    zh: str  # title in Chinese
    en: str
    scales: tuple[Scale, ...]
    unanimous: bool = False  # scales are 0 or 1, and 1 counts only if all annotators give it; else the median counts

    @property
    def reported(self) -> tuple[Scale, ...]:
        """The scales of the report: those that annotators mark, and of a unanimous rubric also `valid`, 1 if all marks are 1."""
        return (*self.scales, Scale("valid", "有效", "Valid", 0, 1, ())) if self.unanimous else self.scales


@dataclass(frozen=True, slots=True)
class Archives:
    """Zip archives of a benchmark's data; each is unpacked into <its name>/data/."""

    addresses: Mapping[str, str]  # name -> address
    files: tuple[str, ...]  # base names of the files to extract from any folder of the archive
    # name -> hash of the archive; archives that are not listed are not checked
    sha256: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A data set: its names, its tasks, and where its data, templates and published figures are.

    The constructor writes `name` and `templates` into the tasks.
    """

    name: str  # also the folder of its templates and the prefix of its item ids
    title: str
    language: Language
    sets: tuple[str, ...]  # in the paper's order; files may hold more (CEDAR's sources)
    splits: tuple[str, ...]
    sets_zh: str  # the word for one of its sets: 折
    sets_en: str  # "fold"
    tasks: tuple[Task, ...]  # in the paper's order
    # (benchmark, folder, skip_bad=) -> its corpus.Corpus. Raises DataError if the folder holds none of its data.
    loader: Callable[..., Any]
    address: str | Archives = ""  # the source for `data pull`: a git repository or archives; "": none
    commit: str = ""  # a commit of the repository at `address`; "": the newest
    no_address: str = ""  # the reason why there is nothing to fetch
    averaged: bool = False  # the paper reports the mean over the sets (cross-validation folds)
    training: str = "train"  # the split that shots are drawn from and leakage is counted against; "": it has none
    levels: tuple[str, ...] = ()  # two sets whose gap is tested, the one that should be easier first
    set_names: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # set -> its Chinese and English name
    groups: tuple[str, ...] = ()  # values of `Item.group`, in the paper's order; files may hold more
    group_names: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # group -> its Chinese and English name
    rubric: str = ""  # the judges' default rubric for its short texts; prompts/judge/<name>.j2
    audit: Rubric | None = None  # the human annotators' default rubric for its short texts
    published: Path | None = None  # a CSV file of published figures (docs/own_benchmark.md has its columns)
    # Our metric -> the published metric of the same definition; None: the names are equal. Metrics not listed are not
    # compared with published figures.
    published_as: Mapping[str, str] | None = None
    references: Callable[[], Sequence[Any]] | None = None  # sheets of the paper's other figures, for the page
    # Rows of the paper's own audit: model, and of 100 replies raw_correct, filtered_correct and correct.
    audited: Callable[[], Sequence[Mapping[str, Any]]] | None = None
    published_zh: str = ""  # a note for readers who compare with the published figures
    published_en: str = ""
    templates: Path | None = None  # the folder of <task>/<variant>.j2; None: prompts/<name>/
    sample: Path | None = None  # sample data that an installed package brings, used in place of the bundled sample
    files: str = "{task.benchmark}/{set}/{split}/{task.local}"  # the format of `data_name`
    licence: str = ""  # the licence of the official files, as their source states it; "": it states none
    citation: str = ""  # BibTeX of its paper, where leaderboard/citations.bib lacks it
    file: Path | None = None  # the benchmark file that it was read from; its data may lie beside it, too

    def __post_init__(self) -> None:
        tasks = (replace(t, benchmark=self.name, templates=self.templates) for t in self.tasks)
        object.__setattr__(self, "tasks", tuple(tasks))

    def task(self, local: str) -> Task:
        """The task of that name within the benchmark. Raises KeyError."""
        return {t.local: t for t in self.tasks}[local]

    def data_name(self, task: Task, set: str, split: str) -> str:
        """The key in manifest.json of the items of a task, set and split."""
        return self.files.format(task=task, set=set, split=split)


Coordinates = tuple[tuple[str, Any], ...]  # (name, value) of some parts of a place, in the order of PLACE


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """The coordinates of a figure: one model on one task, set and split, asked in one way.

    >>> place = Place("tiny-zh", "event_cause", "easy", "test", "paper", 0)
    >>> place.way, dict(place.without("model", "task", "variant", "shots"))["set"]
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
        """Build a place from a row of results.json, with `instead` in place of the row's values. Rows of older versions lack
        `scoring` and `perturb`, which get their defaults. Raises TypeError if another value is missing."""
        return cls(**{name: row[name] for name in PLACE if name in row and name not in instead}, **instead)

    def as_dict(self) -> dict[str, Any]:
        """Name -> value: the first keys of a row of results.json."""
        return {name: getattr(self, name) for name in PLACE}

    def without(self, *names: str) -> Coordinates:
        """(name, value) pairs without `names`: a hashable key for rows that differ in `names` only. `dict` makes it a row."""
        return tuple((name, value) for name, value in self.as_dict().items() if name not in names)

    @property
    def way(self) -> str:
        """The setting in which items are asked: "paper 0-shot", "plain 5-shot labels shuffle"."""
        unusual = (self.scoring if self.scoring != "generate" else "", self.perturb if self.perturb != "none" else "")
        return " ".join([self.variant, f"{self.shots}-shot", *filter(None, unusual)])

    @property
    def name(self) -> str:
        return f"{self.model}/{self.set}/{self.split}/{self.task}/{self.way.replace(' ', '/')}"


PLACE = tuple(part.name for part in fields(Place))  # the field names, in order


@dataclass(frozen=True, slots=True)
class Cell:
    """A place that a run evaluates. `facts` are the hashes and settings on which its numbers depend.

    `CellResult` (results/schema/cell.py) has its figures, `CellOutcomes` (results/outcomes.py) the outcomes of its requests, and
    `ScoredCell` (results/analysis.py) both.
    """

    place: Place
    facts: dict[str, Any]

    @property
    def is_baseline(self) -> bool:
        """Whether its model is a baseline (the function `is_baseline`)."""
        return is_baseline(self.facts.get("backend", ""), self.facts.get("tags", ()))


def is_baseline(backend: str, tags: Sequence[str]) -> bool:
    """Whether a model is a baseline: no model writes its replies, or its models.yaml says so.

    >>> is_baseline("openai", ["baseline"])
    True
    """
    return backend == "baseline" or "baseline" in tags
