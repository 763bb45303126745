"""The outcomes of a cell's answered requests, from which analyses compute, and the value of an item."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evalsuite.benchmarks.registry import TASKS, metric_named
from evalsuite.common.dialogue import sources
from evalsuite.common.grouping import by_key
from evalsuite.perturb import PERTURBATIONS
from evalsuite.types import Answer, Cell, Item, Place, Response, Score, Status, Trial

FLIP = 0.5  # the least change of an item's value that counts as a flip; between right and wrong it is 1
ScoredReply = tuple[Trial, Response, Answer, Score]  # the trial without its prompt


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one answered request. All outcomes of a run are in memory; models share the items."""

    item: Item  # the item in the form that was asked
    rotation: int
    sample: int
    cluster: int  # number of its dialogue within the cell: the unit of intervals and tests
    value: float  # the task's first metric of items
    answer: Answer
    score: Score

    @property
    def chosen(self) -> tuple[int, ...]:
        """Indices of the chosen options."""
        return self.answer.chosen


@dataclass(frozen=True, slots=True)
class CellOutcomes:
    """The outcomes of a cell."""

    cell: Cell
    labels: tuple[str, ...]  # the labels of the item with most options
    outcomes: tuple[Outcome, ...]

    @property
    def place(self) -> Place:
        return self.cell.place

    @property
    def headline(self) -> str:
        """The task's first metric."""
        return TASKS[self.place.task].metrics[0]

    @property
    def metric(self) -> str:
        """The metric whose values the outcomes have."""
        return TASKS[self.place.task].item_metrics[0]

    @property
    def is_share(self) -> bool:
        """Whether the metric's values are in [0, 1]."""
        return metric_named(self.metric).maximum == 1


def outcomes_of(cell: Cell, replies: Sequence[ScoredReply]) -> CellOutcomes:
    """The outcomes of a cell's answered requests."""
    metric = TASKS[cell.place.task].item_metrics[0]
    dialogues = sources([trial.item.context for trial, *_ in replies])
    outcomes = tuple(
        Outcome(trial.item, trial.rotation, trial.request.sample, cluster, score.values[metric], answer, score)
        for (trial, _, answer, score), cluster in zip(replies, dialogues, strict=True)
    )
    return CellOutcomes(cell, max((trial.item.labels for trial, *_ in replies), key=len, default=()), outcomes)


def outcome_of(status: str, scores: Mapping[str, float]) -> str:
    """ "right", "partial" or "wrong" by the item's scores if an answer was read, else the answer's status."""
    if status != Status.PARSED:
        return status
    if any(scores.get(name) == 1 for name in ("accuracy", "set_accuracy", "em", "contains")):
        return "right"
    return "partial" if max(scores.get("f1", 0), scores.get("answer_f1", 0)) > 0 else "wrong"


class ItemValue(NamedTuple):
    """An item's value in a cell, with its first outcome."""

    value: float
    first: Outcome


def item_values(cell: CellOutcomes) -> dict[str, ItemValue]:
    """Item's id -> its value, in order: the mean of its samples, each of which counts as its lowest rotation.

    A sample is left out if one of its rotations failed, an item if it has no whole sample.
    """
    change = PERTURBATIONS[cell.place.perturb]
    items: dict[str, dict[int, list[Outcome]]] = {}
    for outcome in cell.outcomes:
        items.setdefault(outcome.item.id, {}).setdefault(outcome.sample, []).append(outcome)
    values = {}
    for name, samples in items.items():
        first = next(iter(samples.values()))[0]
        rotations = change.count(first.item)
        lowest = [min(o.value for o in each) for each in samples.values() if len(each) == rotations]
        if lowest:
            values[name] = ItemValue(math.fsum(lowest) / len(lowest), first)
    return values


def differing_in(part: str, cells: Iterable[CellOutcomes]) -> list[list[CellOutcomes]]:
    """Groups of cells on the same items whose places differ in one part alone.

    Ids name the same item within one data file only. Wordings are grouped across files, since one in another language has a file
    of its own.
    """
    groups = by_key(
        ((cell.place.without(part), "" if part == "variant" else cell.cell.facts["data"]), cell) for cell in cells
    )
    return [*groups.values()]


def first_samples(outcomes: Iterable[Outcome]) -> Mapping[str, Outcome]:
    """Item's id -> the outcome of its first answered sample."""
    return {outcome.item.id: outcome for outcome in reversed([*outcomes])}
