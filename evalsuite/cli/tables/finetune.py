"""The learning curves that `evalsuite finetune` shows, and its label-shortcut check, in 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from evalsuite.benchmarks.registry import TASKS
from evalsuite.results.journey import Results

COLUMNS = 4  # perturbations side by side: a value with its range takes up to 14 characters


def curves(done: Results) -> Iterator[Table | Text]:
    """A table for each base model, task and set: a line a size, a column a perturbation; the base in the first line."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    names = [n for n in ("trained_on", "allow_leak", "split", "variant", "shots", "scoring") if _differ(done, n)]
    for row in done.learning:
        place = (row["base"], row["task"], row["set"], *(f"{n} {row[n]}" for n in names))
        groups.setdefault(place, []).append(row)
    for (base, *way), rows in groups.items():
        for start in range(0, len(rows), COLUMNS):
            yield _table(f"{base} on {' '.join(way)}: {rows[0]['metric']} %", rows[start : start + COLUMNS])
    if groups:
        intervals = {p["interval"] for row in done.learning for p in row["points"]}
        several = "mean and range over seeds" if "seeds" in intervals else ""
        alone = "95 % interval over dialogues" if "items" in intervals else ""
        yield Text("Beside each figure: " + "; with one seed ".join(filter(None, (several, alone))), style="dim")
    yield from _labels(done.learning)


def _differ(done: Results, name: str) -> bool:
    return len({row[name] for row in done.learning}) > 1


def _table(title: str, rows: Sequence[dict[str, Any]]) -> Table:
    table = Table(title=Text(title), title_justify="left", box=SIMPLE_HEAD, collapse_padding=True)
    table.add_column("training\nitems", justify="right", no_wrap=True)
    for row in rows:
        table.add_column(row["perturb"].replace("_", "\n_"), justify="right", no_wrap=True)
    table.add_row("0 (base)", *(_figure(row["before"]) for row in rows))
    for size in sorted({p["size"] for row in rows for p in row["points"]}):
        table.add_row(str(size), *(_figure(next((p for p in r["points"] if p["size"] == size), None)) for r in rows))
    if any(row["chance"] is not None for row in rows):
        table.add_section()
        table.add_row(Text("chance", style="dim"), *(_figure({"value": row["chance"]}) for row in rows))
    return table


def _figure(found: dict[str, Any] | None) -> Text:
    if found is None or found["value"] is None:
        return Text("–", style="dim")
    text = Text(f"{100 * found['value']:.1f}")
    if found.get("low") is not None:
        text.append(f" {100 * found['low']:.0f}–{100 * found['high']:.0f}", style="dim")
    return text


def _labels(rows: Sequence[dict[str, Any]]) -> Iterator[Table | Text]:
    """Each curve's largest size: how often the label most frequent in training is said, and how often it is right."""
    kinds = {row["perturb"] for row in rows}
    kind = next((name for name in ("shuffle", "both", "none") if name in kinds), None)
    table = Table(
        title=f"Label shortcut: % of answers, {'as they are' if kind == 'none' else kind}", title_justify="left",
        box=SIMPLE_HEAD, collapse_padding=True,
    )  # fmt: skip
    table.add_column("", overflow="fold")
    for name in ("items", "label", "in\ntraining", "said", "gold", "distance to\ntraining", "distance to\ngold"):
        table.add_column(name, justify="right", overflow="fold")
    for row in rows:
        last = row["points"][-1]
        check = last["labels"]
        if row["perturb"] != kind or not check:
            continue
        most = check["most"]
        shares = (check["trained"][most] / sum(check["trained"]), check["share"], check["gold_share"])
        figures = (*shares, check["distance"], check["bias"])
        label = Text(check["labels"][most])
        numbers = ("–" if x is None else f"{100 * x:.1f}" for x in figures)
        table.add_row(Text(f"{row['set']} {TASKS[row['task']].short}"), str(last["size"]), label, *numbers)
    if table.row_count:
        yield table
