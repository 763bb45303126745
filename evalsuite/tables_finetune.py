"""The learning curves that `evalsuite finetune` shows, in 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import mean
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from evalsuite.perturb import PERTURBATIONS
from evalsuite.results import Results
from evalsuite.tasks import TASKS


def curves(done: Results) -> Iterator[Table]:
    """A table for each base model and task: a line a size, a column a perturbation; the base model in the first line."""
    trained = [c for c in done.cells if c["facts"].get("trained")]
    for base, task in dict.fromkeys((c["facts"]["trained"]["base"], c["task"]) for c in trained):
        cells = [c for c in trained if c["facts"]["trained"]["base"] == base and c["task"] == task]
        before = [c for c in done.cells if c["model"] == base and c["task"] == task]
        metric = TASKS[task].metrics[0]
        kinds = [name for name in PERTURBATIONS if any(c["perturb"] == name for c in cells)]
        seeds = len({c["facts"]["trained"]["seed"] for c in cells})
        title = f"{base} on {task}: {metric} %" + (f", mean of {seeds} seeds (lowest … highest)" if seeds > 1 else "")
        table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
        table.add_column("training items", justify="right")
        for kind in kinds:
            table.add_column(kind, justify="right")
        table.add_row("0 (base)", *(_over_seeds([c for c in before if c["perturb"] == k], metric) for k in kinds))
        for size in sorted({c["facts"]["trained"]["size"] for c in cells}):
            mine = [c for c in cells if c["facts"]["trained"]["size"] == size]
            table.add_row(str(size), *(_over_seeds([c for c in mine if c["perturb"] == k], metric) for k in kinds))
        chances = [c for c in cells if "chance" in c]
        if chances:
            chance = sum(c["chance"] * c["items"] for c in chances) / sum(c["items"] for c in chances)
            table.add_section()
            table.add_row(Text("chance", style="dim"), *(Text(f"{100 * chance:.1f}", style="dim") for _ in kinds))
        yield table


def _over_seeds(cells: Sequence[dict[str, Any]], metric: str) -> Text:
    """The mean over models (one a seed) of the mean over their items, sets pooled."""
    by_model: dict[str, list[dict[str, Any]]] = {}
    for cell in cells:
        if cell["metrics"][metric]["value"] is not None:
            by_model.setdefault(cell["model"], []).append(cell)
    values = [
        100 * sum(c["metrics"][metric]["value"] * c["items"] for c in of) / sum(c["items"] for c in of)
        for of in by_model.values()
    ]
    if not values:
        return Text("–", style="dim")
    text = Text(f"{mean(values):.1f}")
    if len(values) > 1:
        text.append(f" ({min(values):.1f} … {max(values):.1f})", style="dim")
    return text
