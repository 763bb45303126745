"""Replies -> answers -> the numbers of a cell: per item for records and live display, per cell with intervals.

How a reply is read and what it scores is its task's kind's (benchmarks/kinds.py). Every number of a cell carries a 95 %
interval from resampled dialogues and a signature.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from evalsuite.benchmarks.registry import TASKS, benchmark_of, metric_named
from evalsuite.common.dialogue import sources
from evalsuite.types import Answer, Answered, Item, Part, Reading, Response, Score, Status

RESAMPLES = 1000

FULL = Reading()


def read_answer(item: Item, response: Response, reading: Reading = FULL) -> Answer:
    """What the reply says."""
    return TASKS[item.task].kind.answer(item, response, reading, benchmark_of(item.task).language)


def score_answer(item: Item, answer: Answer, response: Response | None = None) -> Score:
    """The item's own metrics. A reply without an answer is not right (0); a request that failed has no score at all.

    Of a probe the response is needed, too.
    """
    if answer.status is Status.FAILED:
        return Score()
    return TASKS[item.task].kind.score(item, answer, response, benchmark_of(item.task).language)


def score_reply(item: Item, response: Response, reading: Reading = FULL) -> tuple[Answer, Score]:
    answer = read_answer(item, response, reading)
    return answer, score_answer(item, answer, response)


@dataclass(frozen=True, slots=True)
class Scored:
    """The items of a cell that were answered, in order, and their metrics as sums over items (for resampling)."""

    items: tuple[Item, ...]
    clusters: tuple[int, ...]  # the dialogue that each comes from
    parts: tuple[Part, ...]  # names are unique over all

    def part(self, name: str) -> Part:
        """The part that has the metric of this name in results.json."""
        return next(part for part in self.parts if name in part.names)

    def value(self, name: str) -> float:
        """The metric over all items."""
        part = self.part(name)
        return float(part.sums.finish(part.sums.statistics.sum(axis=0))[part.names[name]])


def score_cell(
    items: Sequence[Item],
    responses: Sequence[Response],
    reading: Reading,
    answers: Sequence[Answer] | None = None,
    rotations: bool = False,
    facts: Mapping[str, Any] | None = None,
) -> Scored:
    """Score what was answered; failed requests are to be left out before. `answers` as read by `reading`, if they were.

    `rotations`: items stand here once a rotation of their options. `facts`: the cell's, which a benchmark's own metrics may
    need.
    """
    if answers is None:
        answers = [read_answer(i, r, reading) for i, r in zip(items, responses, strict=True)]
    task = TASKS[items[0].task]
    language = benchmark_of(task.name).language
    answered = Answered(task, language, tuple(items), tuple(responses), tuple(answers), reading, facts or {})
    parts = task.kind.parts(answered)
    if rotations:
        return _rotations(items, parts)
    if task.own_part is not None:
        parts = (task.own_part(answered), *parts)
    return Scored(tuple(items), tuple(sources([item.dialogue for item in items])), parts)


def _rotations(items: Sequence[Item], parts: Sequence[Part]) -> Scored:
    """Items that stand here once a rotation of their options: right only if all of them are. `rotation.…`: their mean.

    An item some rotation of which failed is left out.
    """
    from evalsuite.metrics.statistics import Means

    groups: dict[str, list[int]] = {}
    for n, item in enumerate(items):
        groups.setdefault(item.id, []).append(n)
    whole = [rows for rows in groups.values() if len(rows) == len(items[rows[0]].options)]
    kept = tuple(items[rows[0]] for rows in whole)
    folded = []
    for part in parts:
        columns = {name: values.tolist() for name, values in _of_items(part).items()}
        found = {name: [min(values[n] for n in rows) for rows in whole] for name, values in columns.items()}
        signatures = {name: f"{part.signatures[name]}|all-rotations" for name in columns}
        for name, values in columns.items():
            found[f"rotation.{name}"] = [sum(values[n] for n in rows) / len(rows) for rows in whole]
            signatures[f"rotation.{name}"] = f"{part.signatures[name]}|mean-of-rotations"
        folded.append(Part(part.name, Means.of(found), {name: name for name in found}, signatures))
    return Scored(kept, tuple(sources([item.dialogue for item in kept])), tuple(folded))


def per_item(scored: Scored) -> dict[str, list[float]]:
    """Every metric of the cell for each of its items; of those that pool counts, what an item has of them (sentence
    BLEU for BLEU)."""
    found: dict[str, list[float]] = {}
    for part in scored.parts:
        found |= {name: [float(v) for v in values] for name, values in _of_items(part).items()}
    return found


def _of_items(part: Part) -> dict[str, Any]:
    """(N,) values of each metric."""
    if part.of_items is not None:
        return {name: part.of_items[name] for name in part.names if name in part.of_items}
    rows = part.sums.finish(part.sums.statistics)
    return {name: rows[own] for name, own in part.names.items()}


def intervals(scored: Scored, purpose: str) -> dict[str, dict[str, Any]]:
    """Every metric with value, n, and the 95 % interval over resampled dialogues (None for one dialogue); Wilson's beside
    it for accuracy."""
    from evalsuite.metrics.statistics import bootstrap, wilson

    count = len(scored.items)
    found: dict[str, dict[str, Any]] = {}
    for part in scored.parts:
        drawn = bootstrap(part.sums, scored.clusters, Random(f"{purpose}:{part.name}"), RESAMPLES)
        for name, own in part.names.items():
            interval = drawn[own]
            # With one dialogue every resample is identical, so there is no interval to report.
            low, high = (interval.low, interval.high) if len(set(scored.clusters)) > 1 else (None, None)
            found[name] = {"value": interval.value, "low": low, "high": high, "n": count}
            if metric_named(name).share and not name.startswith("rotation."):  # whose values are means
                binomial = wilson(round(interval.value * count), count)
                found[name]["wilson"] = [binomial.low, binomial.high]
    return found
