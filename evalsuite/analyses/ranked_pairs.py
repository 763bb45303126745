"""Pairs of models on the same items, asked until their difference is clear (`--until-ranked`).

All models are asked the items in one order (estimates.py), so that the difference of two models on the items that both were
asked is a mean like the score of one model. It gets a confidence sequence (metrics/sequences.py), whose level is corrected over
the pairs of the column (Bonferroni). Two models are alike once the interval is within the margin on both sides of 0, and told
apart once 0 is outside. Baselines are asked in full and take no part.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Any, Literal

from pydantic import Field

from evalsuite.analyses.value_columns import Columns, table
from evalsuite.benchmarks.registry import TASKS, benchmark_of, metric_named
from evalsuite.common.sheet import Column, Sheet, Text, Value
from evalsuite.results.analysis import Analysis, Results, ScoredRun
from evalsuite.results.estimates import LEVEL, Asking, asking_of, estimated_metric, item_ranges
from evalsuite.results.schema.base import Count, Rows, Share, SharedPlaceFields, Strict
from evalsuite.results.words import metric_heading, place_words, with_notes
from evalsuite.types import Cell, Coordinates, Response, Score, Trial


class RankedPair(Strict):
    """Two models on the items that both were asked."""

    a: str
    b: str
    asked: Annotated[int, Field(ge=1)] = Field(description="Items that both were asked, in their random order.")
    of: Count
    difference: float = Field(description="a less b on these items.")
    low: float = Field(description="Lower end of the difference over all items, from the confidence sequence.")
    high: float
    verdict: Literal["a", "b", "alike", "open"] = Field(
        description="The better model; alike: surely within the margin."
    )


class Ranked(SharedPlaceFields):
    """Models that were asked until the difference of each two was clear."""

    metric: str
    margin: Annotated[float, Field(gt=0, lt=0.5)]
    level: Share = Field(description="Confidence level of each interval: 95 % over all pairs, by Bonferroni.")
    pairs: Annotated[Rows[RankedPair], Field(min_length=1)]

    @property
    def open(self) -> Iterator[str]:
        """A line for each pair that is still to be asked about."""
        place = self.coordinates()
        name = f"/{place['set']}/{place['split']}/{place['task']}/{self.way.replace(' ', '/')}"
        for pair in self.pairs:
            if pair.verdict == "open":
                yield (
                    f"{pair.a} and {pair.b}, {name}: neither told apart nor within ±{100 * self.margin:g} "
                    f"after {pair.asked} of {pair.of} items: the same run goes on"
                )


@dataclass(frozen=True, slots=True)
class RankedCell:
    """A cell with its items in the order of asking, and the values of those that were asked."""

    cell: Cell
    asking: Asking
    items: tuple[str, ...]  # all ids, in the order in which they are asked
    ranges: Any  # (n, 2): the lowest and the highest possible value of each of the first n items

    @property
    def margin(self) -> float:
        return float(self.cell.facts["until"]["margin"])


def compute(run: ScoredRun) -> list[Ranked] | None:
    """A row for each place at which two or more models were asked until ranked; None if there is none."""
    cells = [
        asked_items(cell.outcomes.cell, run.replies.planned(cell.outcomes.cell))
        for cell in run.cells
        if takes_part(cell.outcomes.cell)
    ]
    rows = []
    for place, column in columns(cells).items():
        if compared := pairs(column):
            rows.append(
                Ranked(
                    **dict(place),
                    metric=estimated_metric(TASKS[column[0].cell.place.task]),
                    margin=column[0].margin,
                    level=level(column),
                    pairs=compared,
                )
            )
    return rows or None


def takes_part(cell: Cell) -> bool:
    """Whether a cell is asked until its model is told apart from others (`--until-ranked`). Baselines are not."""
    return bool(cell.facts.get("until", {}).get("ranked")) and not cell.is_baseline


# A request, its reply and its score; None: not asked, or failed.
ScoredRequest = tuple[Trial, Response | None, Score | None]


def asked_items(cell: Cell, planned: Iterable[ScoredRequest], most: int | None = None) -> RankedCell:
    """A cell with the values of its asked items, or of the first `most` of these. `planned`: all its requests, in order."""
    import numpy as np

    metric = estimated_metric(TASKS[cell.place.task])
    trials = []
    values: dict[int, float | None] = {}
    for n, (trial, response, score) in enumerate(planned):
        trials.append(trial)
        if response is not None:
            values[n] = None if score is None or response.error is not None else score.values.get(metric, 0.0)
    asking = asking_of(cell, trials)
    ranges = np.array(item_ranges(cell, asking, trials, values)[:most], dtype=float).reshape(-1, 2)
    return RankedCell(cell, asking, tuple(trials[numbers[0]].item.id for numbers in asking.trials), ranges)


def columns(cells: Iterable[RankedCell]) -> dict[Coordinates, list[RankedCell]]:
    """Place without the model -> the largest group of its cells with the same items in the same order."""
    by_place: dict[Coordinates, dict[tuple[str, ...], list[RankedCell]]] = {}
    for cell in cells:
        by_place.setdefault(cell.cell.place.without("model"), {}).setdefault(cell.items, []).append(cell)
    return {place: max(groups.values(), key=len) for place, groups in by_place.items()}


def pairs(column: Sequence[RankedCell]) -> list[RankedPair]:
    """The pairs of a column's models, without those that were not both asked a whole block of items."""
    import numpy as np

    from evalsuite.metrics.sequences import difference

    rows = []
    for first, second in combinations(column, 2):
        order = first.asking.order
        margin = first.margin
        low, high = difference(first.ranges, second.ranges, order, margin, level(column))
        if len(low):
            count = int(order.ends[len(low) - 1])
            value = float(np.mean(first.ranges[:count] - second.ranges[:count]))
            lowest, highest = float(low[-1]), float(high[-1])
            rows.append(
                RankedPair(
                    a=first.cell.place.model,
                    b=second.cell.place.model,
                    asked=count,
                    of=len(first.items),
                    difference=value,
                    low=lowest,
                    high=highest,
                    verdict=verdict(lowest, highest, margin),
                )
            )
    return rows


def verdict(low: float, high: float, margin: float) -> Literal["a", "b", "alike", "open"]:
    """The verdict by the interval of a - b: the better model, "alike" if the whole interval is within the margin, or "open"."""
    if max(high, -low) <= margin:
        return "alike"
    if low > 0 or high < 0:
        return "a" if low > 0 else "b"
    return "open"


def level(column: Sequence[RankedCell]) -> float:
    """The confidence level of the interval of each two models of a column, so that all pairs hold at LEVEL (Bonferroni)."""
    return 1 - (1 - LEVEL) / max(1, math.comb(len(column), 2))


# --- tables

_VERDICTS = {
    "a": Text("前者更好", "the first is better"),
    "b": Text("后者更好", "the second is better"),
    "open": Text("尚未分出", "open"),
}
_LEGEND = Text(
    "差：前者减后者，只计两者都问过的题；区间针对全部题目的差，无论何时停止都成立；同一张表中所有模型对的区间同时成立的把握为 95%",
    "difference: first less second, on the items that both were asked; its interval is of the difference over all "
    "items, valid whenever one stops, 95 % over all pairs of a table",
)


def sheets(results: Results) -> Iterator[Sheet]:
    """A sheet per place: a row for each two models."""
    yield from with_notes(map(_sheet, results.of(ANALYSIS) or ()), _LEGEND)


def _sheet(row: Ranked) -> Sheet:
    task, points = TASKS[row.task], f"±{100 * row.margin:g}"
    verdicts = {**_VERDICTS, "alike": Text(f"相差在 {points} 以内", f"within {points}")}
    metric = metric_heading(metric_named(row.metric))
    columns: Columns[RankedPair] = (
        (Column(Text("前者", "first")), lambda pair: pair.a),
        (Column(Text("后者", "second")), lambda pair: pair.b),
        (
            Column(Text("差", "difference"), metric, "percent", digits=2, signed=True),
            lambda pair: Value(pair.difference, pair.low, pair.high),
        ),
        (Column(Text("题数", "items"), align="right"), lambda pair: f"{pair.asked}/{pair.of}"),
        (Column(Text("结论", "verdict")), lambda pair: verdicts[pair.verdict]),
    )
    place = place_words(row.coordinates(), benchmark_of(row.task))
    title = Text(
        f"{task.zh}，{place.zh}：分出高下，或相差在 {points} 以内",
        f"{task.en}, {place.en}: told apart, or within {points}",
    )
    return Sheet("ranked", title, *table(columns, row.pairs, lambda _: {}), about=row.coordinates())


ANALYSIS = Analysis(
    "ranked",
    sheets,
    list[Ranked],
    compute,
    help="Models that were asked until they are told apart (--until-ranked).",
    estimates=True,
    at_end=True,
    problems=lambda rows: (line for row in rows for line in row.open),
)
