"""Two models on the same items, asked until they are told apart (`--until-ranked`): the key "ranked" of results.json.

All models are asked the items in one order (estimates.py), so the difference of two on the items that both were asked is a mean like
the score of one: it gets a confidence sequence (metrics/sequences.py), whose level is corrected over the pairs of the column (Bonferroni).
Two models are alike once the interval is within the margin, whatever their order, and told apart once 0 is outside. Baselines are asked in full and
take no part.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from evalsuite.benchmarks.registry import TASKS
from evalsuite.results.estimates import LEVEL, Asking, asking_of, estimated_metric, item_ranges
from evalsuite.results.outcomes import ScoredRun, is_baseline
from evalsuite.results.scoring import score_reply
from evalsuite.results.store import Source
from evalsuite.types import Cell, Place, Reading


@dataclass(frozen=True, slots=True)
class Asked:
    """A cell's items that were asked, in their order."""

    cell: Cell
    asking: Asking
    items: tuple[str, ...]  # all, in their order
    ranges: Any  # (n, 2) the lowest and highest value of the first n


@dataclass(frozen=True, slots=True)
class Pair:
    """Model `a` less model `b`."""

    a: str
    b: str
    asked: int
    of: int
    value: float
    low: float
    high: float
    margin: float

    @property
    def verdict(self) -> str:
        if max(self.high, -self.low) <= self.margin:
            return "alike"
        if self.low > 0 or self.high < 0:
            return "a" if self.low > 0 else "b"
        return "open"


def section(run: ScoredRun) -> dict[str, Any]:
    """The key "ranked" of results.json, if there is anything to say."""
    cells = [asked(run.source, cell.outcomes.cell, run.reading) for cell in run.cells if takes_part(cell.outcomes.cell)]
    rows = []
    for place, column in columns(cells).items():
        found = pairs(column)
        if found:
            rows.append(
                {
                    **dict(place),
                    "metric": estimated_metric(TASKS[column[0].cell.place.task]),
                    "margin": found[0].margin,
                    "level": level(len(found)),
                    "pairs": [
                        {
                            "a": pair.a, "b": pair.b, "asked": pair.asked, "of": pair.of, "difference": pair.value,
                            "low": pair.low, "high": pair.high, "verdict": pair.verdict,
                        }
                        for pair in found
                    ],
                }
            )  # fmt: skip
    return {"ranked": rows} if rows else {}


def takes_part(cell: Cell) -> bool:
    return bool(cell.facts.get("until", {}).get("ranked")) and not is_baseline(cell.facts)


def asked(source: Source, cell: Cell, reading: Reading, most: int | None = None) -> Asked:
    """What of a cell was asked; of the first `most` items."""
    import numpy as np

    metric = estimated_metric(TASKS[cell.place.task])
    trials = []
    values: dict[int, float | None] = {}
    for n, (_, trial, response) in enumerate(source.read(cell)):
        trials.append(trial)
        if response is not None and response.error is not None:
            values[n] = None
        elif response is not None:
            score = score_reply(trial.item, response, reading, trial.request.answer_after)[1]
            values[n] = score.values.get(metric, 0.0)
    asking = asking_of(cell, trials)
    ranges = np.array(item_ranges(cell, asking, trials, values)[:most], dtype=float).reshape(-1, 2)
    return Asked(cell, asking, tuple(trials[own[0]].item.id for own in asking.trials), ranges)


def columns(cells: Iterable[Asked]) -> dict[tuple[tuple[str, Any], ...], list[Asked]]:
    """Cells by their place without the model, those of the same items in the same order: the largest such group of each."""
    found: dict[tuple[tuple[str, Any], ...], dict[tuple[str, ...], list[Asked]]] = {}
    for one in cells:
        found.setdefault(one.cell.place.but("model"), {}).setdefault(one.items, []).append(one)
    return {place: max(groups.values(), key=len) for place, groups in found.items()}


def pairs(column: Sequence[Asked]) -> list[Pair]:
    """Each two models of a column, those that share a whole block."""
    import numpy as np

    from evalsuite.metrics.sequences import difference

    made = []
    both = list(combinations(column, 2))
    for one, two in both:
        order = one.asking.order
        margin = float(one.cell.facts["until"]["margin"])
        low, high = difference(one.ranges, two.ranges, order, margin, level(len(both)))
        if len(low):
            count = int(order.ends[len(low) - 1])
            value = float(np.mean(one.ranges[:count] - two.ranges[:count]))
            names = one.cell.place.model, two.cell.place.model
            made.append(Pair(*names, count, len(one.items), value, float(low[-1]), float(high[-1]), margin))
    return made


def level(count: int) -> float:
    return 1 - (1 - LEVEL) / max(1, count)


def ranked_problems(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """A line for each pair that is still to be asked about."""
    return [
        f"{pair['a']} and {pair['b']}, {Place.of(row, model='').name}: neither told apart nor within ±{100 * row['margin']:g} "
        f"after {pair['asked']} of {pair['of']} items: the same run goes on"
        for row in rows
        for pair in row["pairs"]
        if pair["verdict"] == "open"
    ]
