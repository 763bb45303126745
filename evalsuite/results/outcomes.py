"""A scored run in memory: what the sections of results.json are computed from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.dialogue import sources
from evalsuite.results.store import RecordWriter, Source
from evalsuite.types import Answer, Cell, Item, Place, Reading, Score, Trial

Rows = Sequence[tuple[Trial, Answer, Score]]  # the answered trials of a cell, without their prompts


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one answered request. It is small, since those of a whole run are held in memory."""

    item: str
    rotation: int
    sample: int
    source: int  # number of its dialogue within the cell
    value: float  # the task's first metric
    golds: tuple[int, ...]  # indices of right options
    chosen: tuple[int, ...]  # indices of chosen options
    original: Item | None  # the item without its texts; None if it is perturbed


@dataclass(frozen=True, slots=True)
class CellOutcomes:
    """The outcomes of a cell; `labels` are those of the item with most options."""

    cell: Cell
    labels: tuple[str, ...]
    outcomes: tuple[Outcome, ...]


def outcomes_of(cell: Cell, rows: Rows) -> CellOutcomes:
    """The outcomes of a cell's answered trials."""
    metric = TASKS[cell.place.task].item_metrics[0]
    dialogues = sources([trial.item.context for trial, _, _ in rows])
    outcomes = tuple(
        Outcome(
            trial.item.id,
            trial.rotation,
            trial.request.sample,
            source,
            score.values[metric],
            trial.item.golds,
            answer.choices or (() if answer.choice is None else (answer.choice,)),
            replace(trial.item, dialogue=(), question="", references=(), layout=())
            if cell.place.perturb == "none"
            else None,
        )
        for (trial, answer, score), source in zip(rows, dialogues, strict=True)
    )
    return CellOutcomes(cell, max((t.item.labels for t, _, _ in rows), key=len, default=()), outcomes)


def item_values(cell: CellOutcomes) -> dict[str, float]:
    """Item -> its value, the mean of its samples."""
    found: dict[str, list[float]] = {}
    for outcome in cell.outcomes:
        found.setdefault(outcome.item, []).append(outcome.value)
    return {item: math.fsum(values) / len(values) for item, values in found.items()}


def is_baseline(facts: Mapping[str, Any]) -> bool:
    """Whether a cell with these facts is a baseline's: no model wrote its replies, or its models.yaml says so."""
    return facts.get("backend") == "baseline" or "baseline" in facts.get("tags", ())


def is_subset(entry: Mapping[str, Any]) -> bool:
    """Whether only the items of a list were asked (`--items`), which say nothing of the others."""
    return bool(entry.get("estimate", {}).get("method") == "subset")


@dataclass(frozen=True, slots=True)
class Points:
    """Every metric of every answered item of one cell, for correlations between metrics."""

    place: Place
    names: tuple[str, ...]
    values: Any  # (metrics, items), float32


@dataclass(frozen=True, slots=True)
class ScoredCell:
    """A scored cell: its entry in results.json, and what the sections need of its items."""

    entry: dict[str, Any]
    outcomes: CellOutcomes
    breakdown: dict[str, Any] | None
    confusion: dict[str, Any] | None
    points: Points | None
    extraction: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """All scored cells of a run. A section that writes records of its own does so by `write_records`."""

    source: Source
    reading: Reading
    write_records: RecordWriter
    cells: tuple[ScoredCell, ...]

    @property
    def entries(self) -> list[dict[str, Any]]:
        return [cell.entry for cell in self.cells]

    @property
    def outcomes(self) -> list[CellOutcomes]:
        return [cell.outcomes for cell in self.cells]
