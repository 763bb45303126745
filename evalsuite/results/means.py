"""Macro-averages over a benchmark's sets, where its paper reports them: CIDER's five folds, GLUCOSE's ten dimensions.

Every set has the same weight. Sets are taken as independent: half widths h of the intervals of k sets give the mean's half width
sqrt(sum of h²) / k. Folds share no dialogue. GLUCOSE's dimensions share stories, and two have 4 and 9 items: simulated on its
stories, the interval of mean BLEU holds in 87 to 91 % of samples, mainly because of these two, and that of mean F1, whose sets have
`few_dialogues`, in nearly all. `sd` is the sample standard deviation between the sets. Where a set was stopped early, the mean has no interval: confidence sequences do not add up so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import stdev
from typing import Any

from evalsuite.benchmarks.registry import benchmark_of, set_order
from evalsuite.results.outcomes import ScoredRun, is_subset
from evalsuite.types import Place


def section(run: ScoredRun) -> dict[str, Any]:
    """The key "means" of results.json."""
    return {"means": means(run.entries)}


def means(cells: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """A mean for each group of cells that differ only in their set, in benchmarks whose paper averages over sets.

    `cells` are those of results.json.
    """
    groups: dict[tuple[tuple[str, Any], ...], list[dict[str, Any]]] = {}
    for cell in cells:
        if benchmark_of(cell["task"]).averaged and not is_subset(cell):
            groups.setdefault(Place.of(cell).but("set"), []).append(cell)
    rows = []
    for place, group in groups.items():
        group.sort(key=lambda cell: set_order(cell["set"]))
        if len(group) > 1:
            names = [n for n in group[0]["metrics"] if all(_tells(cell, n) for cell in group)]
            rows.append(
                {
                    **dict(place),
                    "sets": [cell["set"] for cell in group],
                    "items": sum(cell["items"] for cell in group),
                    **({"estimates": estimates} if (estimates := sum("estimate" in cell for cell in group)) else {}),
                    "metrics": {name: _mean([cell["metrics"][name] for cell in group], estimates) for name in names},
                }
            )
    return rows


def _tells(cell: dict[str, Any], metric: str) -> bool:
    """Whether a cell has a figure of all its items: of anchor items, the metrics that are not estimated are of these items alone."""
    estimate = cell.get("estimate", {})
    return metric in cell["metrics"] and (estimate.get("method") != "anchors" or estimate["metric"] == metric)


def _mean(parts: Sequence[dict[str, Any]], estimates: int) -> dict[str, Any]:
    values = [part["value"] for part in parts]
    if any(value is None for value in values):
        return {"value": None, "low": None, "high": None, "sd": None}
    count, value = len(values), math.fsum(values) / len(values)
    if estimates or any(part["low"] is None for part in parts):  # sets that were stopped early, or of one dialogue
        return {"value": value, "low": None, "high": None, "sd": stdev(values)}
    half = [[part[end] - part["value"] for part in parts] for end in ("low", "high")]
    low, high = (math.sqrt(math.fsum(x * x for x in side)) / count for side in half)
    return {"value": value, "low": value - low, "high": value + high, "sd": stdev(values)}
