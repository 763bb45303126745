"""Replies -> answers -> the numbers of a cell: per item for records and live display, per cell with intervals.

Choices: accuracy, as our parser reads replies and, beside it, as the paper's listed forms do. Spans and texts: character
F1 and exact match, and every text metric under two profiles, `default` and `paper` (names with "paper." before them).
Every number carries a 95 % interval from resampled dialogues and a signature.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

from evalsuite.dialogue import sources
from evalsuite.metrics.exact import char_f1, exact_match
from evalsuite.parse import PARSER_VERSION, parse_option, parse_span
from evalsuite.tasks import TASKS
from evalsuite.types import Answer, Item, Response, Score, Status

if TYPE_CHECKING:
    from evalsuite.stats import Additive

PARSERS = ("full", "strict", "paper")
RESAMPLES = 1000

# What a cell states of the two profiles; TextScores knows more. F1 on characters and EM are the same in both.
_DEFAULT = ("f1_token", "bleu1", "bleu2", "bleu3", "bleu4", "rouge1", "rouge2", "rouge_l", "meteor", "cider", "chrf")
_PAPER = ("bleu1", "bleu2", "rouge_l", "meteor15", "meteor", "cider")


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
    if TASKS[item.task].kind == "choice":
        options = dict(zip(item.labels, item.options, strict=True))
        return parse_option(response.text, options, finish=response.finish, mode=reading.parser, dialogue=item.dialogue)
    return parse_span(
        response.text, dialogue=item.dialogue, question=item.question, finish=response.finish, extract=reading.extract
    )


# Scoring -> by what its options are compared first.
HEADLINE = {"labels": "sum", "texts": "token"}


def most_likely(item: Item, response: Response, by: str) -> int:
    """The most likely option: by its log-probability as it is (sum), per token or per character, or less its prior
    (how likely the text is without the question: Holtzman et al. 2021, PMI)."""
    values = {
        "sum": [x.logprob for x in response.likelihoods],
        "token": [x.logprob / x.tokens for x in response.likelihoods],
        "char": [x.logprob / max(1, len(o)) for x, o in zip(response.likelihoods, item.options, strict=True)],
        "prior": [x.logprob - (x.prior or 0.0) for x in response.likelihoods],
    }[by]
    return max(range(len(values)), key=values.__getitem__)


def score_answer(item: Item, answer: Answer) -> Score:
    """The item's own metrics. A reply without an answer is not right (0); a request that failed has no score at all."""
    if answer.status is Status.FAILED:
        return Score()
    if TASKS[item.task].kind == "choice":
        return Score({"accuracy": float(answer.choice is not None and answer.choice == item.gold)})
    said = answer.text or ""
    return Score({"f1": char_f1(said, item.references), "em": exact_match(said, item.references)})


def score_reply(item: Item, response: Response, reading: Reading = FULL) -> tuple[Answer, Score]:
    answer = read_answer(item, response, reading)
    return answer, score_answer(item, answer)


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
) -> Scored:
    """Score what was answered; failed requests are to be left out before. `answers` as read by `reading`, if they were.

    `rotations`: choice items stand here once a rotation of their options.
    """
    if answers is None:
        answers = [read_answer(i, r, reading) for i, r in zip(items, responses, strict=True)]
    clusters = tuple(sources([item.dialogue for item in items]))
    if TASKS[items[0].task].kind == "choice":
        return _choices(items, responses, answers, reading, clusters, rotations)
    return _texts(items, answers, reading, clusters)


def _choices(
    items: Sequence[Item],
    responses: Sequence[Response],
    answers: Sequence[Answer],
    reading: Reading,
    clusters: tuple[int, ...],
    rotations: bool,
) -> Scored:
    from evalsuite.stats import Means

    columns = {"accuracy": [score_answer(i, a).values["accuracy"] for i, a in zip(items, answers, strict=True)]}
    way = responses[0].finish
    if way in HEADLINE:
        signatures = {"accuracy": f"accuracy|by:{HEADLINE[way]}"}
        for by in ("sum", "token", "char", "prior") if way == "texts" else ():
            name = f"accuracy_{by}"
            columns[name] = [float(most_likely(i, r, by) == i.gold) for i, r in zip(items, responses, strict=True)]
            signatures[name] = f"accuracy|by:{by}"
    else:
        papers = [read_answer(i, r, Reading("paper")) for i, r in zip(items, responses, strict=True)]
        columns["paper.accuracy"] = [score_answer(i, a).values["accuracy"] for i, a in zip(items, papers, strict=True)]
        signatures = {"accuracy": f"accuracy|parser:{reading}", "paper.accuracy": f"accuracy|parser:{Reading('paper')}"}
    if rotations:
        return _rotations(items, columns, signatures)
    names = {name: ("choices", name) for name in columns}
    return Scored(tuple(items), clusters, {"choices": Means.of(columns)}, names, signatures)


def _rotations(items: Sequence[Item], columns: dict[str, list[float]], signatures: dict[str, str]) -> Scored:
    """Items that stand here once a rotation of their options: right only if all of them are. `rotation.…`: their mean.

    An item some rotation of which failed is left out.
    """
    from evalsuite.stats import Means

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


def _texts(items: Sequence[Item], answers: Sequence[Answer], reading: Reading, clusters: tuple[int, ...]) -> Scored:
    from evalsuite.metrics.texts import Corpus

    corpus = Corpus([answer.text or "" for answer in answers], [item.references for item in items])
    default, paper = corpus.score("default"), corpus.score("paper")
    names = {"f1": ("default", "f1_char"), "em": ("default", "em")}
    names |= {name: ("default", name) for name in _DEFAULT} | {f"paper.{name}": ("paper", name) for name in _PAPER}
    told = {"default": default, "paper": paper}
    # The cell's signature ends with our version for all metrics.
    own_part = {name: told[group].signatures[own].rpartition("|version:")[0] for name, (group, own) in names.items()}
    signatures = {name: f"{part}|parser:{reading}" for name, part in own_part.items()}
    return Scored(tuple(items), clusters, dict(told), names, signatures)


def intervals(scored: Scored, purpose: str) -> dict[str, dict[str, Any]]:
    """Every metric with value, n, and the 95 % interval over resampled dialogues; Wilson's beside it for accuracy."""
    from evalsuite.stats import bootstrap, wilson

    drawn = {
        group: bootstrap(m, scored.clusters, Random(f"{purpose}:{group}"), RESAMPLES)
        for group, m in scored.metrics.items()
    }
    count = len(scored.items)
    found: dict[str, dict[str, Any]] = {}
    for name, (group, own) in scored.names.items():
        interval = drawn[group][own]
        found[name] = {"value": interval.value, "low": interval.low, "high": interval.high, "n": count}
        if "accuracy" in name and not name.startswith("rotation."):
            binomial = wilson(round(interval.value * count), count)
            found[name]["wilson"] = [binomial.low, binomial.high]
    return found
