"""Models above chance.

A row for each cell of a model's unperturbed choices with one right option: its accuracy, what a uniform guess and the
best constant answer would get, what its own choices would get in a random order, and the test whether it is more often
right than that (`better_than_shuffled`). Page, terminal and exports read these rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Annotated

from pydantic import Field

from evalsuite.benchmarks.registry import TASKS
from evalsuite.results.analysis import Analysis, ScoredRun
from evalsuite.results.outcomes import CellOutcomes
from evalsuite.results.schema.base import CellFields, Share


class Chance(CellFields):
    """Whether a model's choices are more often right than its own choices in a random order (docs/numbers.md, Chance)."""

    items: Annotated[int, Field(ge=1)]
    dialogues: Annotated[int, Field(ge=1)]
    accuracy: Share
    chance: Share = Field(description="Expected accuracy of uniform guesses.")
    constant: Share = Field(
        description="Accuracy of the best answer that is the same for all items; of probes, which have no order, `chance`."
    )
    label: str = Field(description="The answer that is best for all items; empty for probes.")
    shuffled: Share = Field(
        description="Expected accuracy of the model's own choices in a random order, among items with equally many options."
    )
    p: Share = Field(description="One-sided p of the choices among shuffled ones; not corrected.")

    @property
    def constant_beats_guesses(self) -> bool:
        """Whether the best constant answer is right more often than uniform guesses."""
        return self.constant > self.chance + 1e-9


@dataclass(frozen=True, slots=True)
class _Items:
    """The items that a cell answered. Cells with the same items share the shuffles of their tests."""

    ids: tuple[str, ...]
    golds: tuple[tuple[int, ...], ...]  # indices of the right options
    options: tuple[int, ...]  # number of options
    dialogues: tuple[int, ...]


def compute(run: ScoredRun) -> list[Chance]:
    """A row per cell of a model that can be tested, in the order of the cells."""
    from evalsuite.metrics.chance import better_than_shuffled

    tested = [cell for cell in run.outcomes if _guessable(cell)]
    groups: dict[tuple[str, str, str, _Items], list[tuple[int, list[list[int | None]]]]] = {}
    for n, cell in enumerate(tested):
        items, chosen = _choices(cell)
        groups.setdefault((cell.place.task, cell.place.set, cell.place.split, items), []).append((n, chosen))
    rows: dict[int, Chance] = {}
    for (task, item_set, split, items), group in groups.items():
        # The seed names no model: two models with the same choices get the same p.
        rng = Random(f"chance:{task}:{item_set}:{split}")
        models = [chosen for _, chosen in group]
        tests = better_than_shuffled(models, items.golds, items.options, items.dialogues, rng, len(tested))
        for (n, _), test in zip(group, tests, strict=True):
            guessed = math.fsum(1 / count for count in items.options) / len(items.options)
            # A probe's options have no order that a model could see, so there is no constant answer.
            written = TASKS[task].kind.written
            constant, label = _constant(items, tested[n].labels) if written else (guessed, "")
            rows[n] = Chance(
                **tested[n].place.as_dict(),
                items=len(items.ids),
                dialogues=len({*items.dialogues}),
                accuracy=test.right,
                chance=guessed,
                constant=constant,
                label=label,
                shuffled=test.shuffled,
                p=test.p,
            )
    return [rows[n] for n in range(len(tested))]


def _guessable(cell: CellOutcomes) -> bool:
    kind = TASKS[cell.place.task].kind
    plain = cell.place.perturb == "none" and bool(cell.outcomes) and not cell.cell.is_baseline
    return plain and kind.single and kind.item_metrics[0] == "accuracy"


def _choices(cell: CellOutcomes) -> tuple[_Items, list[list[int | None]]]:
    """The items of a cell, and for each the choices of its samples.

    A probe lists its right option first, in an order that no model sees: its options are shuffled here.
    """
    written = TASKS[cell.place.task].kind.written
    items: dict[str, tuple[tuple[int, ...], int, int, list[int | None]]] = {}
    for outcome in cell.outcomes:
        count = len(outcome.item.options)
        order = [*range(count)]
        if not written:
            Random(f"chance:{outcome.item.id}").shuffle(order)
        choice = order[outcome.chosen[0]] if len(outcome.chosen) == 1 else None
        golds = tuple(order[gold] for gold in outcome.item.golds)
        items.setdefault(outcome.item.id, (golds, count, outcome.cluster, []))[3].append(choice)
    golds, options, dialogues, chosen = zip(*items.values(), strict=True)
    return _Items(tuple(items), golds, options, dialogues), [*chosen]


def _constant(items: _Items, labels: Sequence[str]) -> tuple[float, str]:
    """(the accuracy of the best constant answer, its label)."""
    times = [sum(n in golds for golds in items.golds) for n in range(max(items.options))]
    most = max(range(len(times)), key=times.__getitem__)
    return times[most] / len(items.golds), labels[most]


ANALYSIS = Analysis("chance", None, list[Chance], compute, help="Who is above chance.")
