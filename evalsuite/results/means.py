"""Means over a benchmark's sets, where its paper reports them: CIDER's five folds, GLUCOSE's ten dimensions.

Every set weighs the same, as in the papers' tables. Sets share no dialogue (folds) or none of the answers (dimensions), so
the interval of the mean is that of independent values: half widths h of k sets give sqrt(sum of h²) / k. `sd` is the sample
standard deviation between the sets, as papers put behind ±.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import stdev
from typing import Any

from evalsuite.benchmarks.registry import benchmark_of, set_order
from evalsuite.results.outcomes import ScoredRun
from evalsuite.types import Place


def section(run: ScoredRun) -> dict[str, Any]:
    return {"means": means(run.entries)}


def means(cells: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Entries of results.json's cells -> one for each that differ in their set alone, of benchmarks that are averaged."""
    groups: dict[tuple[tuple[str, Any], ...], list[dict[str, Any]]] = {}
    for cell in cells:
        if benchmark_of(cell["task"]).averaged:
            groups.setdefault(Place.of(cell).but("set"), []).append(cell)
    found = []
    for place, mine in groups.items():
        mine.sort(key=lambda cell: set_order(cell["set"]))
        if len(mine) > 1:
            names = [n for n in mine[0]["metrics"] if all(n in cell["metrics"] for cell in mine)]
            found.append(
                {
                    **dict(place),
                    "sets": [cell["set"] for cell in mine],
                    "items": sum(cell["items"] for cell in mine),
                    "metrics": {name: _mean([cell["metrics"][name] for cell in mine]) for name in names},
                }
            )
    return found


def _mean(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    values = [part["value"] for part in parts]
    if any(value is None for value in values):
        return {"value": None, "low": None, "high": None, "sd": None}
    count, value = len(values), math.fsum(values) / len(values)
    if any(part["low"] is None for part in parts):  # a set of one dialogue
        return {"value": value, "low": None, "high": None, "sd": stdev(values)}
    half = [[part[end] - part["value"] for part in parts] for end in ("low", "high")]
    low, high = (math.sqrt(math.fsum(x * x for x in side)) / count for side in half)
    return {"value": value, "low": value - low, "high": value + high, "sd": stdev(values)}
