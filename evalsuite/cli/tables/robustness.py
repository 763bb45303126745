"""What a run's end shows of its perturbations, in 80 columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from evalsuite.benchmarks.registry import TASKS, set_order, task_order

WIDTH, NAMES = 80, 19  # of the terminal; what a line needs before the first perturbation


def robustness_tables(found: dict[str, Any]) -> Iterator[Table | Text]:
    """A table a model: tasks by perturbations, each with its value, drop and flip rate. Nothing without perturbations."""
    drops = found.get("drops", [])
    models: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in drops:
        way = (row["variant"], f"{row['shots']}-shot", row["scoring"], row["split"])
        models.setdefault((row["model"], *way), []).append(row)
    plain = len({place[1:] for place in models}) == 1
    for place, rows in models.items():
        label = place[0] if plain else " ".join(place)
        every = tuple(dict.fromkeys(row["perturb"] for row in rows))
        widest = max(10, *(len(_cell(row, False)) for row in rows))  # 10: "reindicate"
        columns = (WIDTH - NAMES) // (widest + 2)
        for start in range(0, len(every), columns):
            names = every[start : start + columns]
            yield _table(label, [row for row in rows if row["perturb"] in names], names)
    if drops:
        yield Text("base: not perturbed; then %, change in points (* p < 0.05, Holm), f: % of items that flipped")


def _table(label: str, rows: list[dict[str, Any]], names: tuple[str, ...]) -> Table:
    table = Table(
        title=Text(f"{label}: under perturbation"), title_justify="left", box=SIMPLE_HEAD, collapse_padding=True
    )
    table.add_column("", overflow="fold")
    for name in ("base", *(name.replace("_", "\n_") for name in names)):
        table.add_column(name, justify="right", overflow="fold")
    places: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    for row in rows:
        places.setdefault((row["set"], row["task"]), {})[row["perturb"]] = row
    for (item_set, task), by_name in sorted(places.items(), key=lambda x: (set_order(x[0][0]), task_order(x[0][1]))):
        bases = [f"{100 * row['base']:.1f}" for row in by_name.values()]
        # Where other items were answered under each, the base differs: then each stands by its own.
        base = bases[0] if len(set(bases)) == 1 else "≠"
        cells = (_cell(by_name.get(name), base == "≠") for name in names)
        table.add_row(f"{item_set} {TASKS[task].short}", base, *cells)
    return table


def _cell(row: dict[str, Any] | None, own_base: bool) -> Text:
    if row is None:
        return Text("–", style="dim")
    mark = "*" if row["p_holm"] < 0.05 else " "
    text = Text(f"{100 * row['base']:.1f}→" if own_base else "")
    text.append(f"{100 * row['value']:.1f} {100 * row['drop']:+.1f}{mark}", style="bold" if mark == "*" else "")
    return text.append(f"f{100 * row['flip_rate']:.0f}", style="dim")
