"""Who is above chance: the key "chance" of results.json.

A row a cell of choices with one right option, as they are (unperturbed), of a model: its accuracy, what a uniform guess and the
best constant answer would get, what its own choices would get in a random order, and the test whether it is more right than
these (`better_than_shuffled`). Page, terminal and exports read these rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from evalsuite.benchmarks.registry import TASKS
from evalsuite.results.outcomes import CellOutcomes, ScoredRun, is_baseline


def section(run: ScoredRun) -> dict[str, Any]:
    """The key "chance" of results.json."""
    return {"chance": chance(run.outcomes)}


@dataclass(frozen=True, slots=True)
class _Items:
    """The items that a cell answered: cells with equal ones share the shuffles of their tests."""

    names: tuple[str, ...]
    golds: tuple[tuple[int, ...], ...]
    options: tuple[int, ...]
    dialogues: tuple[int, ...]


def chance(cells: Sequence[CellOutcomes]) -> list[dict[str, Any]]:
    """The content of "chance", in the order of the cells."""
    from evalsuite.metrics.chance import better_than_shuffled

    tested = [cell for cell in cells if _guessable(cell)]
    groups: dict[tuple[str, str, str, _Items], list[tuple[int, list[list[int | None]]]]] = {}
    for n, cell in enumerate(tested):
        items, chosen = _choices(cell)
        place = cell.cell.place
        groups.setdefault((place.task, place.set, place.split, items), []).append((n, chosen))
    rows: dict[int, dict[str, Any]] = {}
    for (task, item_set, split, items), group in groups.items():
        # The seed names no model: two models with the same choices get the same p.
        rng = Random(f"chance:{task}:{item_set}:{split}")
        models = [chosen for _, chosen in group]
        tests = better_than_shuffled(models, items.golds, items.options, items.dialogues, rng, len(tested))
        for (n, _), test in zip(group, tests, strict=True):
            rows[n] = {
                **tested[n].cell.place.as_dict(),
                "items": len(items.names),
                "dialogues": len({*items.dialogues}),
                "accuracy": test.right,
                "chance": math.fsum(1 / count for count in items.options) / len(items.options),
                **_constant(items, tested[n].labels),
                "shuffled": test.shuffled,
                "p": test.p,
            }
    return [rows[n] for n in range(len(tested))]


def _guessable(cell: CellOutcomes) -> bool:
    place, kind = cell.cell.place, TASKS[cell.cell.place.task].kind
    plain = place.perturb == "none" and bool(cell.outcomes) and not is_baseline(cell.cell.facts)
    return plain and kind.single and kind.item_metrics[0] == "accuracy"


def _choices(cell: CellOutcomes) -> tuple[_Items, list[list[int | None]]]:
    """The items of a cell, and the choices of each, one a sample.

    The options of a probe are in no order that the model sees, the right one first: they are put into a random one.
    """
    written = TASKS[cell.cell.place.task].kind.written
    found: dict[str, tuple[tuple[int, ...], int, int, list[int | None]]] = {}
    for outcome in cell.outcomes:
        assert outcome.original is not None  # unperturbed
        count = len(outcome.original.options)
        order = [*range(count)]
        if not written:
            Random(f"chance:{outcome.item}").shuffle(order)
        choice = order[outcome.chosen[0]] if len(outcome.chosen) == 1 else None
        golds = tuple(order[gold] for gold in outcome.golds)
        found.setdefault(outcome.item, (golds, count, outcome.source, []))[3].append(choice)
    golds, options, dialogues, chosen = zip(*found.values(), strict=True)
    return _Items(tuple(found), golds, options, dialogues), [*chosen]


def _constant(items: _Items, labels: Sequence[str]) -> dict[str, Any]:
    """The share of items of which the option of one label is right, and the label: the highest."""
    times = [sum(n in golds for golds in items.golds) for n in range(max(items.options))]
    most = max(range(len(times)), key=times.__getitem__)
    return {"constant": times[most] / len(items.golds), "label": labels[most]}
