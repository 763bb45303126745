"""Accuracy by group of items over all tasks of a benchmark: CHARM's aspects of Chinese culture. The key "aspects" of results.json.

A group may be a single task's (sport is all of public figures), so that only the tasks together show it. Every item weighs the
same. Intervals are those of breakdowns: Wilson's at the effective number of items, dialogues as clusters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean
from typing import Any

from evalsuite.benchmarks.registry import TASKS, benchmark_of
from evalsuite.results.breakdown import figures
from evalsuite.results.outcomes import CellOutcomes, ScoredRun


def section(run: ScoredRun) -> dict[str, Any]:
    """The key "aspects": a row for each model, set and way in which at least two tasks of a benchmark have groups."""
    pooled: dict[tuple[str, tuple[tuple[str, Any], ...]], list[CellOutcomes]] = {}
    for outcomes in run.outcomes:
        place = outcomes.cell.place
        grouped = any(row.original and row.original.group for row in outcomes.outcomes)
        kind = TASKS[place.task].kind
        if grouped and place.perturb == "none" and kind.single and kind.written:
            pooled.setdefault((benchmark_of(place.task).name, place.but("task")), []).append(outcomes)
    return {"aspects": [_row(name, place, cells) for (name, place), cells in pooled.items() if len(cells) > 1]}


def _row(benchmark: str, place: Sequence[tuple[str, Any]], cells: Sequence[CellOutcomes]) -> dict[str, Any]:
    groups: dict[str, list[tuple[float, int]]] = {}
    chances: dict[str, list[float]] = {}
    sources: dict[tuple[str, int], int] = {}
    for cell in cells:
        task = cell.cell.place.task
        for values, source, names, chance in _items(cell):
            number = sources.setdefault((task, source), len(sources))
            for name in names:
                groups.setdefault(name, []).append((math.fsum(values) / len(values), number))
                chances.setdefault(name, []).append(chance)
    known = benchmark_of(cells[0].cell.place.task).groups
    order = sorted(groups, key=lambda name: (known.index(name) if name in known else len(known), name))
    return {
        **dict(place),
        "benchmark": benchmark,
        "tasks": [cell.cell.place.task for cell in cells],
        "groups": [{"name": name, **figures(groups[name]), "chance": round(fmean(chances[name]), 6)} for name in order],
    }


def _items(cell: CellOutcomes) -> list[tuple[list[float], int, list[str], float]]:
    """(values of its samples, number of its dialogue, groups, chance) of each item that has a group."""
    found: dict[str, tuple[list[float], int, list[str], float]] = {}
    for row in cell.outcomes:
        if row.original and row.original.group:
            new: tuple[list[float], int, list[str], float] = (
                [],
                row.source,
                row.original.group.split("|"),
                1 / len(row.original.options),
            )
            found.setdefault(row.item, new)[0].append(row.value)
    return list(found.values())
