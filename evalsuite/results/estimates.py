"""Cells whose asking stops early (`--until`): the order of their items, and estimates of the whole list from the replies so far.

The facts of such a cell hold "until". Its items are asked in a fixed random order, of choices stratified by the right answer
(metrics/sequences.py). Only replies to whole blocks from the beginning of that order count: others, of an earlier
`--limit` or of a round that was cut off, are no random draw; they stay in the store. A cell all of whose items are asked is a
whole one, and no estimate.

The estimate is of the task's headline metric if that is a mean over items, else of its first metric that is one. An item's value
takes all its requests, rotations and samples. If one of them failed, the value is a range, and the interval covers it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.grouping import by_key
from evalsuite.results.schema.cell import Estimate
from evalsuite.types import Cell, Task, Trial

if TYPE_CHECKING:
    from evalsuite.metrics.sequences import Order
    from evalsuite.results.store import Source

LEVEL = 0.95
_USUAL_MARGIN = 0.03  # the half width for which bounds are optimised if no half width ends the asking


@dataclass(frozen=True, slots=True)
class Asking:
    """The items of a cell in their order of asking."""

    order: Order
    trials: tuple[tuple[int, ...], ...]  # for each item, in this order, the indices of its trials in the cell


def may_stop(cell: Cell) -> bool:
    """Whether the asking of a cell may stop before all its items are asked."""
    return "until" in cell.facts


def margin_of(cell: Cell) -> float | None:
    """The half width at which the asking of a cell stops; None if something else stops it."""
    until = cell.facts.get("until", {"ranked": True})
    return None if until.get("ranked") else float(until["margin"])


def estimated_metric(task: Task) -> str:
    """The headline metric if it is a mean over items, else the first metric that is one."""
    return task.metrics[0] if task.metrics[0] in task.item_metrics else task.item_metrics[0]


def asking_of(cell: Cell, trials: Sequence[Trial]) -> Asking:
    """The order in which a cell's items are asked: the same for all models, since it depends on the run's seed, on task, set and
    split, and on the items alone."""
    from evalsuite.metrics.sequences import order_of

    indices = [tuple(of_item) for of_item in by_key((trial.item.id, n) for n, trial in enumerate(trials)).values()]
    items = [trials[of_item[0]].item for of_item in indices]
    place = cell.place
    seed = f"until:{cell.facts.get('seed', 0)}:{place.task}:{place.set}:{place.split}"
    # Spans and texts, which have no options, are one stratum: strata by length of answer or dialogue cost more than they gain.
    order = order_of([item.id for item in items], [item.golds for item in items], seed)
    return Asking(order, tuple(indices[n] for n in order.items))


def counted(cell: Cell, trials: Sequence[Trial], answered: Sequence[bool]) -> set[int] | None:
    """The indices of the trials whose replies count for an estimate; None: all do. `answered`: whether each trial has a reply or
    failed."""
    if not may_stop(cell) or all(answered):
        return None
    asking = asking_of(cell, trials)
    whole = next(
        (n for n, of_item in enumerate(asking.trials) if not all(answered[i] for i in of_item)), len(asking.trials)
    )
    ends = asking.order.ends
    count = int(ends[ends <= whole].max(initial=0))
    return {i for of_item in asking.trials[:count] for i in of_item}


def counted_indices(source: Source, cell: Cell) -> set[int] | None:
    """The indices of a cell's replies that count, where the asking stops early; None: all count."""
    if not may_stop(cell):
        return None
    trials, answered = [], []
    for _, trial, response in source.read(cell):
        trials.append(trial.without_prompt())
        answered.append(response is not None)
    return counted(cell, trials, answered)


def estimate_of(
    cell: Cell, asking: Asking, trials: Sequence[Trial], values: Mapping[int, float | None]
) -> Estimate | None:
    """The estimate of a cell from its first items; None if no whole block was asked.

    values: index of a trial -> its value; None for a failed request.
    """
    import numpy as np

    from evalsuite.metrics.sequences import bounds

    margin = margin_of(cell)
    ranges = item_ranges(cell, asking, trials, values)
    if not ranges:
        return None
    low, high = np.array(ranges).T
    lower, upper = bounds(low, high, asking.order, margin or _USUAL_MARGIN, LEVEL)
    if not len(lower):
        return None
    ends = asking.order.ends
    asked = int(ends[len(lower) - 1])
    lowest, highest = float(lower[-1]), float(upper[-1])
    return Estimate(
        method="confidence sequence",
        metric=estimated_metric(TASKS[cell.place.task]),
        asked=asked,
        of=len(asking.trials),
        low=lowest,
        high=highest,
        level=LEVEL,
        margin=margin,
        reached=None if margin is None else highest - lowest <= 2 * margin + 1e-12,
    )


def item_ranges(
    cell: Cell, asking: Asking, trials: Sequence[Trial], values: Mapping[int, float | None]
) -> list[tuple[float, float]]:
    """The lowest and highest value of each item from the beginning of the order, up to the first that was not wholly asked."""
    ranges = []
    for of_item in asking.trials:
        if any(n not in values for n in of_item):
            break
        ranges.append(item_range((trials[n].request.sample, values[n]) for n in of_item))
    return ranges


def item_range(values: Iterable[tuple[int, float | None]]) -> tuple[float, float]:
    """The lowest and highest value that an item may have: the mean of its samples, each of which counts as its lowest rotation.

    values: (sample, value) of each of its requests; the value is None if the request failed.

    >>> item_range([(0, 1.0), (1, None)])
    (0.5, 1.0)
    """
    samples = by_key(values).values()

    def mean(unknown: float) -> float:
        return math.fsum(min(unknown if v is None else v for v in rotations) for rotations in samples) / len(samples)

    return mean(0.0), mean(1.0)
