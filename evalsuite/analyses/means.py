"""Macro-averages over a benchmark's sets, where its paper reports them: CIDER's five folds, GLUCOSE's ten dimensions.

Every set has the same weight. A dialogue that several sets ask about counts once (`weighted_sum`): folds share none, and half
widths h of k sets give the mean's half width sqrt(sum of h²) / k; GLUCOSE's dimensions share stories. `sd` is the sample
standard deviation between the sets. A mean over estimated sets has no interval: intervals of estimates do not add up so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import stdev
from typing import Annotated

from pydantic import Field

from evalsuite.benchmarks.registry import benchmark_of, set_order
from evalsuite.common.grouping import by_key
from evalsuite.results.analysis import Analysis, ScoredRun
from evalsuite.results.influences import DialogueNumbers, Influences, by_dialogue, numbered
from evalsuite.results.schema.base import Count, IntervalFields, Number, Rows, Set, TaskFields
from evalsuite.results.schema.cell import CellResult
from evalsuite.types import Place


class Average(IntervalFields):
    """A metric's mean over sets, with an interval made of the sets' intervals, in which a dialogue that several sets ask about
    counts once. The interval is null where a set has none."""

    sd: Number = Field(description="Sample standard deviation between the sets.")


class Mean(TaskFields):
    """A task's mean over the sets of a benchmark that is averaged: folds, dimensions. Every set weighs the same."""

    sets: Annotated[Rows[Set], Field(min_length=2)]
    items: Count = Field(description="Number of items in all sets that the headline is computed from.")
    estimates: Annotated[int, Field(ge=1)] | None = Field(
        default=None,
        description="Sets of which only a part of the items was asked: then the mean has no interval. Absent if there are none.",
    )
    metrics: dict[str, Average] = Field(description="Metrics that every set has.")


def compute(run: ScoredRun) -> list[Mean]:
    return means(run.results, {cell.place: cell.influences for cell in run.cells if cell.influences})


def means(cells: Iterable[CellResult], influences: Mapping[Place, Influences] | None = None) -> list[Mean]:
    """A mean for each group of cells that differ only in their set, in benchmarks whose paper averages over sets. Cells without
    `influences` are taken as independent of all others."""
    groups = by_key(
        (cell.without("set"), cell) for cell in cells if benchmark_of(cell.task).averaged and not cell.is_subset
    )
    rows = []
    for about, group in groups.items():
        group.sort(key=lambda cell: set_order(cell.set))
        if len(group) > 1:
            names = [n for n in group[0].metrics if all(_covers_all(cell, n) for cell in group)]
            estimates = sum(cell.is_estimate for cell in group)
            of_dialogues = [(influences or {}).get(cell.place) for cell in group]
            numbers = numbered(filter(None, of_dialogues))
            rows.append(
                Mean(
                    **dict(about),
                    sets=[cell.set for cell in group],
                    items=sum(cell.headline.n for cell in group),
                    estimates=estimates or None,
                    metrics={name: _mean(group, of_dialogues, numbers, name, estimates) for name in names},
                )
            )
    return rows


def _covers_all(cell: CellResult, metric: str) -> bool:
    """Whether a cell has a figure for all its items. A cell with anchor items has one for the estimated metric alone; its other
    figures are of the anchor items."""
    anchors = cell.estimate if cell.estimate and cell.estimate.method == "anchors" else None
    return metric in cell.metrics and (anchors is None or anchors.metric == metric)


def _mean(
    cells: Sequence[CellResult],
    influences: Sequence[Influences | None],
    numbers: DialogueNumbers,
    metric: str,
    estimates: int,
) -> Average:
    from evalsuite.metrics.statistics import Summand, weighted_sum

    parts = [cell.metrics[metric] for cell in cells]
    values = [part.value for part in parts if part.value is not None]
    if len(values) < len(parts):
        return Average(value=None, low=None, high=None, sd=None)
    bounds = [part.bounds for part in parts if part.bounds]
    if estimates or len(bounds) < len(parts):  # sets that are estimated, or of too few dialogues
        return Average(value=math.fsum(values) / len(values), low=None, high=None, sd=stdev(values))
    mean = weighted_sum(
        [
            Summand(1 / len(parts), *ends, by_dialogue(of_set, metric, numbers))
            for ends, of_set in zip(bounds, influences, strict=True)
        ]
    )
    return Average(value=mean.value, low=mean.low, high=mean.high, sd=stdev(values))


ANALYSIS = Analysis("means", None, list[Mean], compute, help="Means over the sets of a benchmark.", estimates=True)
