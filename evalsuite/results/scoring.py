"""Replies -> answers -> the numbers of a cell: per item for records and live display, per cell with intervals.

Choices: accuracy, as our parser reads replies and, beside it, as the paper's listed forms do; where the task asks for it,
macro F1 and its like. Several choices: exact match of the set, and F1 of single answers. Spans and texts: F1 and exact
match (on characters; on words, SQuAD's, in English), and every text metric under two profiles, ours and `paper` (names
with "paper." before them). Probes: accuracy and ΔNLL. Every number carries a 95 % interval from resampled dialogues and a signature.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Any

from evalsuite.benchmarks.cedar.corruptions import CORRUPTIONS, corruption_of
from evalsuite.benchmarks.registry import TASKS, benchmark_of
from evalsuite.common.dialogue import sources
from evalsuite.metrics import squad
from evalsuite.metrics.exact import char_f1, exact_match
from evalsuite.parse import (
    PARSER_VERSION,
    Choices,
    parse_option,
    parse_options,
    parse_sentence,
    parse_span,
    parse_verbatim,
)
from evalsuite.types import Answer, Item, Response, Score, Status

if TYPE_CHECKING:
    from evalsuite.metrics.statistics import Additive

PARSERS = ("full", "strict", "paper")
RESAMPLES = 1000
# Metrics that are shares of right items, for which Wilson's interval stands beside the bootstrap's.
_SHARES = ("accuracy", "set_accuracy", "accuracy_sum", "accuracy_token", "accuracy_char", "accuracy_prior")

# What a cell states of the two profiles; TextScores knows more. F1 on characters and EM are the same in both.
_DEFAULT = ("f1_token", "bleu1", "bleu2", "bleu3", "bleu4", "rouge1", "rouge2", "rouge_l", "meteor", "cider", "chrf")
_PAPER = ("bleu1", "bleu2", "rouge_l", "meteor15", "meteor", "cider")
# A benchmark's language -> the profiles of its texts: ours, and the paper's.
_PROFILES = {"zh": ("default", "paper"), "en": ("english", "cicero")}


@dataclass(frozen=True, slots=True)
class Reading:
    """How replies are read: part of every signature."""

    parser: str = "full"  # for choices: full, strict, or paper (only the forms its section 5 lists)
    extract: bool = True  # for spans and texts: cut lead-ins, quotes and reasons off

    def __str__(self) -> str:
        return f"{self.parser}-{PARSER_VERSION}{'' if self.extract else '-whole'}"


FULL = Reading()


def read_answer(item: Item, response: Response, reading: Reading = FULL) -> Answer:
    """What the reply says, by the item's kind of task."""
    if response.error is not None:
        return Answer(Status.FAILED, rule="no reply")
    if response.finish == "content_filter":
        return Answer(Status.FILTERED, rule="content filter")
    if response.likelihoods:
        choice = most_likely(item, response, HEADLINE[response.finish])
        return Answer(Status.PARSED, choice, item.options[choice], f"{response.finish}: most likely")
    text, finish, kind = response.text, response.finish, TASKS[item.task].kind
    options = dict(zip(item.labels, item.options, strict=True))
    if kind == "choice":
        return parse_option(text, options, finish=finish, mode=reading.parser, dialogue=item.dialogue)
    if kind == "choices":
        return _answer(item, parse_options(text, options, finish=finish))
    if benchmark_of(item.task).language == "zh" or not reading.extract:
        return parse_span(text, dialogue=item.dialogue, question=item.question, finish=finish, extract=reading.extract)
    if kind == "span":
        return parse_verbatim(
            text, dialogue=item.dialogue, question=item.question, finish=finish, extract=reading.extract
        )
    return parse_sentence(text, finish=finish)


def _answer(item: Item, read: Choices) -> Answer:
    text = "；".join(item.options[n] for n in read.choices) if read.choices else None
    return Answer(read.status, None, text, read.rule, read.start, read.end, read.choices)


# Scoring -> by what its options are compared first. Of a probe: the mean over its target's tokens, as of texts.
HEADLINE = {"labels": "sum", "texts": "token", "nll": "token"}


def most_likely(item: Item, response: Response, by: str) -> int:
    """The most likely option: by its log-probability as it is (sum), per token or per character, or less its prior
    (how likely the text is without the question: Holtzman et al. 2021, PMI)."""
    values = {
        "sum": [x.logprob for x in response.likelihoods],
        "token": [x.logprob / x.tokens for x in response.likelihoods],
        "char": [x.logprob / max(1, len(o)) for x, o in zip(response.likelihoods, item.options, strict=True)],
        "prior": [x.logprob - (x.prior or 0.0) for x in response.likelihoods],
    }[by]
    best = max(range(len(values)), key=values.__getitem__)
    # A probe's valid explanation stands first, and a tie is not telling them apart.
    return 1 if response.finish == "nll" and values[0] == values[1] else best


def delta_nll(response: Response) -> float:
    """Of a probe: nats a token by which the target is less likely with the corrupted explanation."""
    valid, corrupted = (x.logprob / x.tokens for x in response.likelihoods)
    return valid - corrupted


def score_answer(item: Item, answer: Answer, response: Response | None = None) -> Score:
    """The item's own metrics. A reply without an answer is not right (0); a request that failed has no score at all.

    Of a probe the response is needed, too.
    """
    if answer.status is Status.FAILED:
        return Score()
    kind = TASKS[item.task].kind
    if kind == "choice":
        return Score({"accuracy": float(answer.choice is not None and answer.choice == item.gold)})
    if kind == "probe":
        if response is None or not response.likelihoods:
            return Score()
        return Score({"accuracy": float(answer.choice == item.gold), "delta_nll": delta_nll(response)})
    if kind == "choices":
        from evalsuite.metrics.sets import counts  # with numpy, which is not to be loaded with the package

        said, right = _texts_chosen(item, answer), item.references
        hit, named, asked = counts(said, right)
        return Score({"set_accuracy": float({*said} == {*right}), "answer_f1": 2 * hit / (named + asked)})
    text = answer.text or ""
    if benchmark_of(item.task).language == "zh":
        return Score({"f1": char_f1(text, item.references), "em": exact_match(text, item.references)})
    return Score({"f1": squad.f1(text, item.references), "em": squad.exact_match(text, item.references)})


def _texts_chosen(item: Item, answer: Answer) -> list[str]:
    return [item.options[n] for n in answer.choices]


def score_reply(item: Item, response: Response, reading: Reading = FULL) -> tuple[Answer, Score]:
    answer = read_answer(item, response, reading)
    return answer, score_answer(item, answer, response)


@dataclass(frozen=True, slots=True)
class Scored:
    """The items of a cell that were answered, in order, and their metrics as sums over items (for resampling)."""

    items: tuple[Item, ...]
    clusters: tuple[int, ...]  # the dialogue that each comes from
    metrics: dict[str, Additive]  # group -> metrics; groups share columns, names are unique over all
    names: dict[str, tuple[str, str]]  # name in results.json -> (group, name there)
    signatures: dict[str, str]  # of the metric itself, without what the cell adds


def score_cell(
    items: Sequence[Item],
    responses: Sequence[Response],
    reading: Reading,
    answers: Sequence[Answer] | None = None,
    rotations: bool = False,
    escaped: int | None = None,
) -> Scored:
    """Score what was answered; failed requests are to be left out before. `answers` as read by `reading`, if they were.

    `rotations`: choice items stand here once a rotation of their options. `escaped`: of GLUCOSE, how many rows the file
    has beside these items, if they are all that it asks.
    """
    if answers is None:
        answers = [read_answer(i, r, reading) for i, r in zip(items, responses, strict=True)]
    clusters = tuple(sources([item.dialogue for item in items]))
    task = TASKS[items[0].task]
    if task.kind == "choice":
        found = _choices(items, responses, answers, reading, clusters, rotations)
        return found if "macro_f1" not in task.metrics or rotations else _with_classes(found, answers)
    if task.kind == "choices":
        return _sets(items, answers, reading, clusters)
    if task.kind == "probe":
        return _probes(items, responses, answers, clusters)
    if benchmark_of(task.name).language == "en":
        found = _english(items, answers, reading, clusters)
        return found if "sacrebleu" not in task.metrics else _with_glucose(found, answers, escaped)
    return _texts(items, answers, reading, clusters)


def _choices(
    items: Sequence[Item],
    responses: Sequence[Response],
    answers: Sequence[Answer],
    reading: Reading,
    clusters: tuple[int, ...],
    rotations: bool,
) -> Scored:
    from evalsuite.metrics.statistics import Means

    columns = {"accuracy": [score_answer(i, a).values["accuracy"] for i, a in zip(items, answers, strict=True)]}
    way = responses[0].finish
    if way in HEADLINE:
        signatures = {"accuracy": f"accuracy|by:{HEADLINE[way]}"}
        for by in ("sum", "token", "char", "prior") if way == "texts" else ():
            name = f"accuracy_{by}"
            columns[name] = [float(most_likely(i, r, by) == i.gold) for i, r in zip(items, responses, strict=True)]
            signatures[name] = f"accuracy|by:{by}"
    elif benchmark_of(items[0].task).language == "en":
        signatures = {"accuracy": f"accuracy|parser:{reading}"}
    else:
        papers = [read_answer(i, r, Reading("paper")) for i, r in zip(items, responses, strict=True)]
        columns["paper.accuracy"] = [score_answer(i, a).values["accuracy"] for i, a in zip(items, papers, strict=True)]
        signatures = {"accuracy": f"accuracy|parser:{reading}", "paper.accuracy": f"accuracy|parser:{Reading('paper')}"}
    if rotations:
        return _rotations(items, columns, signatures)
    names = {name: ("choices", name) for name in columns}
    return Scored(tuple(items), clusters, {"choices": Means.of(columns)}, names, signatures)


def _with_classes(found: Scored, answers: Sequence[Answer]) -> Scored:
    """Precision, recall and F1 of the options' texts as classes; of two classes, those of the first by themselves."""
    from evalsuite.metrics.classes import Classes

    said = [None if a.choice is None else i.options[a.choice] for i, a in zip(found.items, answers, strict=True)]
    metrics = TASKS[found.items[0].task].metrics
    positive = found.items[0].options[0] if "precision" in metrics else None
    classes = Classes.of_texts(said, [item.references[0] for item in found.items], positive)
    return _more(found, "classes", classes, [m for m in metrics if m != "accuracy"], "sklearn")


def _more(found: Scored, group: str, metrics: Additive, names: Sequence[str], definition: str) -> Scored:
    """The same with further metrics, read as its first one is."""
    reading = next(iter(found.signatures.values())).rpartition("|parser:")[2]
    return replace(
        found,
        metrics={**found.metrics, group: metrics},
        names={**{name: (group, name) for name in names}, **found.names},
        signatures={**found.signatures, **{name: f"{name}|def:{definition}|parser:{reading}" for name in names}},
    )


def _sets(items: Sequence[Item], answers: Sequence[Answer], reading: Reading, clusters: tuple[int, ...]) -> Scored:
    from evalsuite.metrics.sets import SetScores

    said = [_texts_chosen(item, answer) for item, answer in zip(items, answers, strict=True)]
    sets = SetScores.of(said, [item.references for item in items])
    names = list(sets.corpus)
    signatures = {name: f"{name}|def:cicero-v2|parser:{reading}" for name in names}
    return Scored(tuple(items), clusters, {"sets": sets}, {name: ("sets", name) for name in names}, signatures)


def _probes(
    items: Sequence[Item], responses: Sequence[Response], answers: Sequence[Answer], clusters: tuple[int, ...]
) -> Scored:
    from evalsuite.benchmarks.cedar.metric import Probes
    from evalsuite.metrics.statistics import Means

    deltas = [delta_nll(response) for response in responses]
    probes = Probes.of([corruption_of(i) for i in items], {c.name: c.group for c in CORRUPTIONS.values()}, deltas)
    rows = [score_answer(i, a, r).values for i, a, r in zip(items, answers, responses, strict=True)]
    means = Means.of({name: [row[name] for row in rows] for name in ("accuracy", "delta_nll")})
    names = {name: ("probes", name) for name in probes.finish(probes.statistics.sum(axis=0))}
    names |= {name: ("means", name) for name in means.names}
    signatures = {name: f"{name}|by:token" for name in names}
    return Scored(tuple(items), clusters, {"probes": probes, "means": means}, names, signatures)


def _english(items: Sequence[Item], answers: Sequence[Answer], reading: Reading, clusters: tuple[int, ...]) -> Scored:
    """Spans and texts in English: SQuAD's metrics, and for texts all others."""
    from evalsuite.metrics.statistics import Means

    rows = [squad.span_values(a.text or "", i.references) for i, a in zip(items, answers, strict=True)]
    kept = rows[0] if TASKS[items[0].task].kind == "span" else ("f1", "em")
    means = Means.of({name: [row[name] for row in rows] for name in kept})
    signatures = {name: f"{name}|norm:{squad.NORMALISATION}|parser:{reading}" for name in kept}
    found = Scored(tuple(items), clusters, {"squad": means}, {name: ("squad", name) for name in kept}, signatures)
    if len(kept) > 2:
        return found
    texts = _texts(items, answers, reading, clusters, "en")
    rest = {name: place for name, place in texts.names.items() if name not in kept}
    return replace(
        found,
        metrics={**found.metrics, **texts.metrics},
        names={**found.names, **rest},
        signatures={**{name: texts.signatures[name] for name in rest}, **signatures},
    )


def _with_glucose(found: Scored, answers: Sequence[Answer], escaped: int | None) -> Scored:
    from evalsuite.benchmarks.glucose.bleu import CellBleu

    bleu = CellBleu.of([a.text or "" for a in answers], [item.references for item in found.items], escaped)
    names = list(bleu.finish(bleu.statistics.sum(axis=0)))
    return _more(found, "glucose", bleu, names, "13a.exp.best-ref")


def _rotations(items: Sequence[Item], columns: dict[str, list[float]], signatures: dict[str, str]) -> Scored:
    """Items that stand here once a rotation of their options: right only if all of them are. `rotation.…`: their mean.

    An item some rotation of which failed is left out.
    """
    from evalsuite.metrics.statistics import Means

    groups: dict[str, list[int]] = {}
    for n, item in enumerate(items):
        groups.setdefault(item.id, []).append(n)
    whole = [rows for rows in groups.values() if len(rows) == len(items[rows[0]].options)]
    kept = tuple(items[rows[0]] for rows in whole)
    found = {name: [min(values[n] for n in rows) for rows in whole] for name, values in columns.items()}
    for name, values in columns.items():
        found[f"rotation.{name}"] = [sum(values[n] for n in rows) / len(rows) for rows in whole]
        signatures = {**signatures, f"rotation.{name}": f"{signatures[name]}|mean-of-rotations"}
        signatures[name] += "|all-rotations"
    clusters = tuple(sources([item.dialogue for item in kept]))
    return Scored(kept, clusters, {"choices": Means.of(found)}, {name: ("choices", name) for name in found}, signatures)


def _texts(
    items: Sequence[Item], answers: Sequence[Answer], reading: Reading, clusters: tuple[int, ...], language: str = "zh"
) -> Scored:
    from evalsuite.metrics.texts import Corpus

    corpus = Corpus([answer.text or "" for answer in answers], [item.references for item in items])
    default, paper = (corpus.score(profile) for profile in _PROFILES[language])
    names = {"f1": ("default", "f1_char"), "em": ("default", "em")}
    names |= {name: ("default", name) for name in _DEFAULT} | {f"paper.{name}": ("paper", name) for name in _PAPER}
    told = {"default": default, "paper": paper}
    # The cell's signature ends with our version for all metrics.
    own_part = {name: told[group].signatures[own].rpartition("|version:")[0] for name, (group, own) in names.items()}
    signatures = {name: f"{part}|parser:{reading}" for name, part in own_part.items()}
    return Scored(tuple(items), clusters, dict(told), names, signatures)


def intervals(scored: Scored, purpose: str) -> dict[str, dict[str, Any]]:
    """Every metric with value, n, and the 95 % interval over resampled dialogues (None for one dialogue); Wilson's beside
    it for accuracy."""
    from evalsuite.metrics.statistics import bootstrap, wilson

    drawn = {
        group: bootstrap(m, scored.clusters, Random(f"{purpose}:{group}"), RESAMPLES)
        for group, m in scored.metrics.items()
    }
    count = len(scored.items)
    found: dict[str, dict[str, Any]] = {}
    for name, (group, own) in scored.names.items():
        interval = drawn[group][own]
        # One dialogue drawn again and again is itself: that is no certainty, but nothing to tell one from.
        low, high = (interval.low, interval.high) if len(set(scored.clusters)) > 1 else (None, None)
        found[name] = {"value": interval.value, "low": low, "high": high, "n": count}
        if name.removeprefix("paper.") in _SHARES:
            binomial = wilson(round(interval.value * count), count)
            found[name]["wilson"] = [binomial.low, binomial.high]
    return found
