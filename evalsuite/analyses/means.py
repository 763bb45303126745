"""Macro-averages over a benchmark's sets, where its paper reports them: CIDER's five folds, GLUCOSE's ten dimensions.

Every set has the same weight. Sets are taken as independent: half widths h of the intervals of k sets give the mean's half width
sqrt(sum of h²) / k. Folds share no dialogue. GLUCOSE's dimensions share stories, and two have 4 and 9 items: simulated on its
stories, the interval of mean BLEU holds in 87 to 91 % of samples, mainly because of these two, and that of mean F1, whose sets
have `few_dialogues`, in nearly all. `sd` is the sample standard deviation between the sets.
Where a set was stopped early, the mean has no interval: this sum does not hold for confidence sequences.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import stdev
from typing import Annotated

from pydantic import Field

from evalsuite.benchmarks.registry import benchmark_of, set_order
from evalsuite.common.grouping import by_key
from evalsuite.results.analysis import Analysis, ScoredRun
from evalsuite.results.schema.base import Count, IntervalFields, Number, Rows, Set, TaskFields
from evalsuite.results.schema.cell import CellResult, MetricValue


class Average(IntervalFields):
    """A metric's mean over sets; `sd` is the deviation between the sets. Its interval is made of the sets' own intervals, taken
    as independent: with sets of few items (docs/glucose.md) that of BLEU is too narrow, that of F1 too wide."""

    sd: Number = Field(description="Sample standard deviation.")


class Mean(TaskFields):
    """A task's mean over the sets of a benchmark that is averaged: folds, dimensions. Every set weighs the same."""

    sets: Annotated[Rows[Set], Field(min_length=2)]
    items: Count = Field(description="Number of items in all sets that the headline is computed from.")
    estimates: Annotated[int, Field(ge=1)] | None = Field(
        default=None,
        description="Sets whose asking stopped early: then the mean has no interval. Absent if there are none.",
    )
    metrics: dict[str, Average] = Field(description="Metrics that every set has.")


def compute(run: ScoredRun) -> list[Mean]:
    return means(run.results)


def means(cells: Iterable[CellResult]) -> list[Mean]:
    """A mean for each group of cells that differ only in their set, in benchmarks whose paper averages over sets."""
    groups = by_key(
        (cell.without("set"), cell) for cell in cells if benchmark_of(cell.task).averaged and not cell.is_subset
    )
    rows = []
    for about, group in groups.items():
        group.sort(key=lambda cell: set_order(cell.set))
        if len(group) > 1:
            names = [n for n in group[0].metrics if all(_covers_all(cell, n) for cell in group)]
            estimates = sum(cell.is_estimate for cell in group)
            rows.append(
                Mean(
                    **dict(about),
                    sets=[cell.set for cell in group],
                    items=sum(cell.headline.n for cell in group),
                    estimates=estimates or None,
                    metrics={name: _mean([cell.metrics[name] for cell in group], estimates) for name in names},
                )
            )
    return rows


def _covers_all(cell: CellResult, metric: str) -> bool:
    """Whether a cell's figure holds for all its items. Of a cell with anchor items, only that of the estimated metric does; the
    others are of the anchor items alone."""
    anchors = cell.estimate if cell.estimate and cell.estimate.method == "anchors" else None
    return metric in cell.metrics and (anchors is None or anchors.metric == metric)


def _mean(parts: Sequence[MetricValue], estimates: int) -> Average:
    values = [part.value for part in parts if part.value is not None]
    if len(values) < len(parts):
        return Average(value=None, low=None, high=None, sd=None)
    count, value = len(values), math.fsum(values) / len(values)
    lows, highs = [x.low for x in parts if x.low is not None], [x.high for x in parts if x.high is not None]
    if estimates or len(lows) < count or len(highs) < count:  # sets that were stopped early, or of one dialogue
        return Average(value=value, low=None, high=None, sd=stdev(values))
    low, high = (
        math.sqrt(math.fsum((end - x) ** 2 for end, x in zip(ends, values, strict=True))) / count
        for ends in (lows, highs)
    )
    return Average(value=value, low=value - low, high=value + high, sd=stdev(values))


ANALYSIS = Analysis("means", None, list[Mean], compute, help="Means over the sets of a benchmark.", estimates=True)
