"""Significance groups, average ranks and metric correlations of one run, as tables that fit a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from evalsuite.ranking import Ranks
from evalsuite.tasks import TASKS

_WAY = ("split", "variant", "shots", "scoring", "perturb")


def groups(found: Sequence[Mapping[str, Any]]) -> Iterator[Table]:
    """A table a set, wording and metric kind: models by tasks, the letters of `ranking.groups` in the cells.

    With adapters of sweeps, of entries for the same column the one that has them.
    """
    tables: dict[tuple[Any, ...], dict[str, Mapping[str, Any]]] = {}
    for entry in found:
        first = entry["metric"] == TASKS[entry["task"]].metrics[0]
        if first:
            tables.setdefault((entry["set"], *(entry[k] for k in _WAY)), {})[entry["task"]] = entry
    for place, columns in tables.items():
        names = [t for t in TASKS.values() if t.name in columns]
        title = f"{_title(place)}: models that share a letter do not differ (Holm, 0.05)"
        table = _grid(title, "model", *(f"{t.short}\n{t.metrics[0][:3]}" for t in names))
        for model in sorted({m for e in columns.values() for m in (*e["letters"], *e["left_out"])}):
            letters = (columns[t.name]["letters"].get(model) for t in names)
            outs = (columns[t.name]["left_out"].get(model, "–") for t in names)
            table.add_row(Text(model), *(Text(x or out) for x, out in zip(letters, outs, strict=True)))
        yield table


def ranks(found: Iterator[tuple[dict[str, Any], Ranks, list[str]]]) -> Iterator[Table]:
    """A table a set and wording; `found` as `ranking.ranks_of` gives them."""
    for place, ranked, left_out in found:
        table = _grid(
            f"{_title(tuple(place.values()))}: mean rank over {ranked.columns} tasks", "model", "mean", "range"
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
        table.caption, table.caption_justify = Text("; ".join(notes)), "left"
        yield table


def correlations(found: Sequence[Mapping[str, Any]]) -> Iterator[Table]:
    """A table a basis: Spearman's ρ of each task's headline metric with every other of the default profile."""
    for basis, points in (("items", "per item"), ("models", "over models")):
        mine = [e for e in found if e["basis"] == basis]
        if not mine:
            continue
        names = [m for m in mine[0]["metrics"] if not m.startswith("paper.") and m != "f1"]
        several = len({(e["variant"], e["shots"]) for e in mine}) > 1
        table = _grid(f"Spearman's ρ with F1, {points}", "task", "n", *names)
        for e in mine:
            pairs = {frozenset(p): v for p, v in zip(combinations(e["metrics"], 2), e["spearman"], strict=True)}
            way = f" {e['variant']} {e['shots']}-shot" if several else ""
            values = (pairs.get(frozenset(("f1", m))) for m in names)
            label = f"{e['set']} {TASKS[e['task']].short}{way}"
            table.add_row(Text(label), str(e["n"]), *("–" if v is None else f"{v:.2f}" for v in values))
        yield table


def _title(place: Sequence[Any]) -> str:
    item_set, split, variant, shots, scoring, perturb = place
    rest = [x for x, usual in ((scoring, "generate"), (perturb, "none")) if x != usual]
    return ", ".join([item_set.upper(), split, f"{variant} {shots}-shot", *rest])


def _grid(title: str, *heads: str) -> Table:
    table = Table(title=Text(title), title_justify="left", box=SIMPLE_HEAD, collapse_padding=True)
    for n, head in enumerate(heads):
        table.add_column(head, overflow="fold", justify="right" if n else "left")
    return table
