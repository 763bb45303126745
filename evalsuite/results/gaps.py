"""The gap between a benchmark's levels, EASY and HARD (the paper's Appendix F): the key "gaps" of results.json.

The sets hold different items, so the test is unpaired: dialogues are permuted between the sets (`unpaired_test`). The interval
combines those of the two cells, squared and added (Newcombe 1998; Zou & Donner 2008), and is extended, or cut, at 0 where it
would contradict the test.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

from evalsuite.benchmarks.registry import TASKS, benchmark_of
from evalsuite.results.outcomes import CellOutcomes, ScoredRun
from evalsuite.types import PLACE, Place


def section(run: ScoredRun) -> dict[str, Any]:
    """The key "gaps" of results.json."""
    return {"gaps": gaps(run.outcomes, run.entries)}


def gaps(cells: Sequence[CellOutcomes], entries: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row for each model, task and way of asking with both levels, unperturbed; Holm's correction is over the tasks of a
    model asked in one way, a family. `entries` are the cells of results.json."""
    from evalsuite.metrics.statistics import within_families

    entry_at = {Place.of(entry): entry for entry in entries}
    groups: dict[tuple[tuple[str, Any], ...], dict[str, CellOutcomes]] = {}
    for cell in cells:
        place = cell.cell.place
        if place.perturb == "none" and place.set in benchmark_of(place.task).levels and cell.outcomes:
            groups.setdefault(place.but("set"), {})[place.set] = cell
    pairs = []
    for key, by_set in groups.items():
        levels = benchmark_of(dict(key)["task"]).levels
        if all(level in by_set for level in levels):
            pairs.append((dict(key), [by_set[level] for level in levels]))
    families = [tuple(place[name] for name in PLACE if name not in ("task", "set")) for place, _ in pairs]
    sizes = Counter(families)
    rows = [_row(place, both, entry_at, sizes[of]) for (place, both), of in zip(pairs, families, strict=True)]
    tests = [(of, row["p"], row["least_p"]) for of, row in zip(families, rows, strict=True)]
    for row, found in zip(rows, within_families(tests), strict=True):
        row |= {"p_holm": found.p, "least_p_holm": found.least, "family": found.family}
    return rows


def _items(cell: CellOutcomes) -> tuple[list[float], list[int]]:
    """The value of each item, the mean of its samples, and the number of its dialogue."""
    found: dict[str, tuple[int, list[float]]] = {}
    for outcome in cell.outcomes:
        found.setdefault(outcome.item, (outcome.source, []))[1].append(outcome.value)
    return [math.fsum(v) / len(v) for _, v in found.values()], [source for source, _ in found.values()]


def _row(
    place: dict[str, Any], both: Sequence[CellOutcomes], entry_at: dict[Place, dict[str, Any]], family: int
) -> dict[str, Any]:
    from evalsuite.metrics.statistics import unpaired_test

    metric = TASKS[place["task"]].item_metrics[0]
    easy, hard = (entry_at[cell.cell.place]["metrics"][metric] for cell in both)
    values, dialogues = zip(*map(_items, both), strict=True)
    # The seed names no model: two models with the same replies get the same p.
    rng = Random(f"gaps:{place['task']}:{place['split']}")
    test = unpaired_test(values[0], values[1], dialogues[0], dialogues[1], rng, family)
    low = high = None
    if None not in (easy["low"], hard["low"]):
        low = test.value - math.hypot(easy["value"] - easy["low"], hard["high"] - hard["value"])
        high = test.value + math.hypot(easy["high"] - easy["value"], hard["value"] - hard["low"])
        low, high = test.agreeing(low, high)
    return {
        **place,
        "metric": metric,
        "sets": [cell.cell.place.set for cell in both],
        "values": [easy["value"], hard["value"]],
        "items": [len(side) for side in values],
        "dialogues": list(test.clusters),
        "gap": test.value,
        "low": low,
        "high": high,
        "p": test.p,
        "least_p": test.least,
    }
