"""What `evalsuite parity` shows, as a sheet and lines of text."""

from __future__ import annotations

from collections.abc import Iterator

from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.sheet import Column, Row, Sheet, Value
from evalsuite.exchange import parity

SHOWN = 3  # differences of each kind that are printed; --out has them all


def parity_sheets(found: parity.Parity) -> Iterator[Sheet | str]:
    """A line a cell, then some of the differences."""
    plain = len({(r.variant, r.shots) for r in found.rows}) == 1
    rows = []
    for row in found.rows:
        written = row.scoring == "generate"
        end = ("" if plain else f" {row.variant} {row.shots}-shot") + ("" if written else " labels")
        task = TASKS[row.task]
        name = f"{row.set} {task.short}{end}"
        same = _count(row.same, row)
        kinds = (same if written else None, None if written else same)
        rows.append(Row((name, row.items, _count(row.same_ids, row), *kinds, _small(row.largest), _small(row.mean))))
    replies, choice = "replies", "choice"
    columns = (
        Column("cell"),
        Column("n", kind="count"),
        *(Column("same", below, "count") for below in ("ids", replies, choice)),
        Column("|Δ log p|", "max", "number"),
        Column("mean", kind="number"),
    )
    note = "|Δ log p|: per token of the gold answer; with labels: per option label (natural logarithms)"
    title = f"{found.model}: {found.b} beside {found.a}"
    yield Sheet("parity", title, columns, tuple(rows), (note,))
    for kind in ("ids", "error", "reply", "choice"):
        mine = [d for row in found.rows for d in row.differences if d.what == kind]
        if mine:
            yield f"\n{kind}: {len(mine)} differ"
        for d in mine[:SHOWN]:
            where = [f"{name} {at}" for name, at in (("character", d.character), ("token", d.token)) if at is not None]
            yield f"  {d.item}" + (f", from {', '.join(where)}" if where else "")
            for backend, said in ((found.a, d.a), (found.b, d.b)):
                start = max(0, (d.character or 0) - 20)
                yield f"    {backend:5} {said[start : start + 60]!r}"


def _count(same: int, row: parity.Row) -> Value:
    """In bold where not all are the same."""
    return Value(same, tone="" if same == row.items else "strong")


def _small(value: float | None) -> str | None:
    return None if value is None else f"{value:.1e}"
