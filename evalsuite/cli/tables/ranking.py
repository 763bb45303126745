"""Significance groups, average ranks and metric correlations of one run, as tables that fit a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from evalsuite.benchmarks.registry import TASKS
from evalsuite.results.ranking import Ranks
from evalsuite.types import Place


def groups(found: Sequence[Mapping[str, Any]]) -> Iterator[Table]:
    """A table a set, wording and metric kind: models by tasks, the letters of `ranking.groups` in the cells.

    With adapters of sweeps, of entries for the same column the one that has them.
    """
    tables: dict[Place, dict[str, Mapping[str, Any]]] = {}
    for entry in found:
        first = entry["metric"] == TASKS[entry["task"]].item_metrics[0]
        if first:
            tables.setdefault(Place.of(entry, model="", task=""), {})[entry["task"]] = entry
    for place, columns in tables.items():
        names = [t for t in TASKS.values() if t.name in columns]
        title = f"{_title(place)}: models that share a letter do not differ (Holm, 0.05)"
        table = _grid(title, "model", *(f"{t.short}\n{t.item_metrics[0][:3]}" for t in names))
        for model in sorted({m for e in columns.values() for m in (*e["letters"], *e["left_out"])}):
            letters = (columns[t.name]["letters"].get(model) for t in names)
            outs = (columns[t.name]["left_out"].get(model, "–") for t in names)
            table.add_row(Text(model), *(Text(x or out) for x, out in zip(letters, outs, strict=True)))
        yield table


def ranks(found: Iterable[tuple[dict[str, Any], Ranks, list[str]]]) -> Iterator[Table | Text]:
    """A table a set and wording; `found` as `ranking.ranks_of` gives them."""
    for place, ranked, left_out in found:
        table = _grid(
            f"{_title(Place.of(place, model='', task=''))}: mean rank over {ranked.columns} tasks",
            "model",
            "mean",
            "range",
        )
        for model in sorted(ranked.mean, key=lambda m: ranked.mean[m]):
            low, high = ranked.range[model]
            table.add_row(Text(model), f"{ranked.mean[model]:.2f}", f"{low:g}–{high:g}")
        notes = []
        if ranked.p is not None and ranked.critical_difference is not None:
            shown = f"p = {ranked.p:.3f}" if ranked.p >= 0.001 else "p < 0.001"
            notes.append(
                f"Friedman χ² = {ranked.statistic:.2f}, {shown}; Nemenyi's CD {ranked.critical_difference:.2f}"
            )
        if left_out:
            notes.append(f"not every column complete: {', '.join(left_out)}")
        notes.append("ranks hide distances, and tasks share their dialogues: see the columns first")
        yield table
        yield Text("; ".join(notes))


def correlations(found: Sequence[Mapping[str, Any]]) -> Iterator[Table]:
    """A table a basis and wording: Spearman's ρ of each task's headline metric with every other of the default profile."""
    tables: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for entry in found:
        tables.setdefault(tuple(entry[k] for k in ("basis", "split", "variant", "shots")), []).append(entry)
    for (basis, split, variant, shots), mine in sorted(tables.items(), key=lambda table: table[0][0] != "items"):
        points = {"items": "per item", "models": "over models"}[basis]
        title = f"Spearman's ρ with F1, {points}: {split}, {variant} {shots}-shot"
        table = _grid(title, "metric", *(f"{e['set']}\n{TASKS[e['task']].short}" for e in mine))
        values = [
            {frozenset(p): v for p, v in zip(combinations(e["metrics"], 2), e["spearman"], strict=True)} for e in mine
        ]
        for name in dict.fromkeys(name for e in mine for name in e["metrics"]):
            if name != "f1" and not name.startswith("paper."):
                shown = (of.get(frozenset(("f1", name))) for of in values)
                table.add_row(Text(name), *("–" if v is None else f"{v:.2f}" for v in shown))
        table.add_section()
        table.add_row(Text("n", style="dim"), *(Text(str(e["n"]), style="dim") for e in mine))
        yield table


def _title(place: Place) -> str:
    rest = [x for x, usual in ((place.scoring, "generate"), (place.perturb, "none")) if x != usual]
    return ", ".join([place.set.upper(), place.split, f"{place.variant} {place.shots}-shot", *rest])


def _grid(title: str, *heads: str) -> Table:
    width = min(80, cell_len(title))  # or rich would fold the title to what the columns take
    table = Table(title=Text(title), title_justify="left", box=SIMPLE_HEAD, collapse_padding=True, min_width=width)
    for n, head in enumerate(heads):
        table.add_column(head, overflow="fold", justify="right" if n else "left")
    return table
