"""Accuracy by group of items over all tasks of a benchmark: CHARM's aspects of Chinese culture. The key "aspects" of results.json.

A group may be a single task's (sport is all of public figures), so that only the tasks together show it. Every item weighs the
same. Intervals are those of breakdowns: Wilson's at the effective number of items, dialogues as clusters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from evalsuite.benchmarks.registry import TASKS, benchmark_of
from evalsuite.common.dialogue import sources
from evalsuite.results.breakdown import figures
from evalsuite.results.outcomes import CellOutcomes, ScoredRun, item_values
from evalsuite.types import Item


def section(run: ScoredRun) -> dict[str, Any]:
    """The key "aspects": a row for each model, set and way in which at least two tasks of a benchmark have groups."""
    pooled: dict[tuple[str, tuple[tuple[str, Any], ...]], list[CellOutcomes]] = {}
    for outcomes in run.outcomes:
        place = outcomes.cell.place
        grouped = any(row.original and row.original.group for row in outcomes.outcomes)
        kind = TASKS[place.task].kind
        if grouped and place.perturb == "none" and kind.single and kind.written:
            pooled.setdefault((benchmark_of(place.task).name, place.but("task")), []).append(outcomes)
    several = {key: cells for key, cells in pooled.items() if len(cells) > 1}
    contexts = _contexts(run, several.values())
    return {"aspects": [_row(name, place, cells, contexts) for (name, place), cells in several.items()]}


def _contexts(run: ScoredRun, pools: Iterable[Sequence[CellOutcomes]]) -> dict[str, tuple[str, ...]]:
    """Item -> what it is about, which outcomes do not hold. Cells with the same items are read once."""
    found: dict[str, tuple[str, ...]] = {}
    for cell in (cell for cells in pools for cell in cells):
        if any(row.item not in found for row in cell.outcomes):
            found |= {trial.item.id: trial.item.context for _, trial, _ in run.source.read(cell.cell)}
    return found


def _row(
    benchmark: str,
    place: Sequence[tuple[str, Any]],
    cells: Sequence[CellOutcomes],
    contexts: Mapping[str, Sequence[str]],
) -> dict[str, Any]:
    items = [found for cell in cells for found in _items(cell)]
    clusters = sources([contexts[item.id] for item, _ in items])  # over all tasks: they may ask about one dialogue
    groups: dict[str, list[tuple[float, int]]] = {}
    chances: dict[str, list[float]] = {}
    for (item, value), cluster in zip(items, clusters, strict=True):
        for name in item.group.split("|"):
            groups.setdefault(name, []).append((value, cluster))
            chances.setdefault(name, []).append(1 / len(item.options))
    known = benchmark_of(cells[0].cell.place.task).groups
    order = sorted(groups, key=lambda name: (known.index(name) if name in known else len(known), name))
    return {
        **dict(place),
        "benchmark": benchmark,
        "tasks": [cell.cell.place.task for cell in cells],
        "groups": [{"name": name, **figures(groups[name]), "chance": round(fmean(chances[name]), 6)} for name in order],
    }


def _items(cell: CellOutcomes) -> list[tuple[Item, float]]:
    """(item, its value) of each item that has a group."""
    originals = {row.item: row.original for row in cell.outcomes if row.original and row.original.group}
    return [(originals[name], value) for name, value in item_values(cell).items() if name in originals]
