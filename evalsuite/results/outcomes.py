"""What is kept of a run once its replies are read and scored: all that the sections of results.json are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.dialogue import sources
from evalsuite.results.store import Keep, Source
from evalsuite.types import Answer, Cell, Item, Place, Reading, Score, Trial

Rows = Sequence[tuple[Trial, Answer, Score]]  # the answered trials of a cell, without their prompts


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one answered request. Light: those of a whole run are held at a time."""

    item: str
    rotation: int
    source: int  # the dialogue it comes from; counts within a cell
    value: float  # of the task's first metric
    golds: tuple[int, ...]
    chosen: tuple[int, ...]  # () for choices: no option was chosen
    original: Item | None  # the item without its texts, where it is not perturbed


@dataclass(frozen=True, slots=True)
class CellOutcomes:
    """The outcomes of a cell; `labels` are those of the item that has most."""

    cell: Cell
    labels: tuple[str, ...]
    outcomes: tuple[Outcome, ...]


def outcomes_of(cell: Cell, rows: Rows) -> CellOutcomes:
    """Outcomes of the rows. Failed requests have no score and are no rows."""
    metric = TASKS[cell.place.task].item_metrics[0]
    found = sources([trial.item.dialogue for trial, _, _ in rows])
    outcomes = tuple(
        Outcome(
            trial.item.id,
            trial.rotation,
            source,
            score.values[metric],
            trial.item.golds,
            answer.choices or (() if answer.choice is None else (answer.choice,)),
            replace(trial.item, dialogue=(), question="", references=()) if cell.place.perturb == "none" else None,
        )
        for (trial, answer, score), source in zip(rows, found, strict=True)
    )
    return CellOutcomes(cell, max((t.item.labels for t, _, _ in rows), key=len, default=()), outcomes)


@dataclass(frozen=True, slots=True)
class Points:
    """Every metric of every answered item of one cell."""

    place: Place
    names: tuple[str, ...]
    values: Any  # (metrics, items), float32


@dataclass(frozen=True, slots=True)
class ScoredCell:
    """What is kept of a cell: its entry in results.json, and what the sections need of its items."""

    entry: dict[str, Any]
    outcomes: CellOutcomes
    breakdown: dict[str, Any] | None
    confusion: dict[str, Any] | None
    points: Points | None


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """What a section of results.json is made of; records of its own go to `keep`."""

    source: Source
    reading: Reading
    keep: Keep
    cells: tuple[ScoredCell, ...]

    @property
    def entries(self) -> list[dict[str, Any]]:
        return [cell.entry for cell in self.cells]

    @property
    def outcomes(self) -> list[CellOutcomes]:
        return [cell.outcomes for cell in self.cells]
