"""The output of `evalsuite parity`: a sheet, and lines of text for some of the differences."""

from __future__ import annotations

from collections.abc import Iterator

from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.sheet import Column, Row, Sheet, Value
from evalsuite.exchange import parity

SHOWN = 3  # the most differences of each kind that are printed; --out writes them all


def parity_sheets(compared: parity.Parity) -> Iterator[Sheet | str]:
    """A sheet with a row per cell, then a few differences of each kind, as lines of text."""
    one_prompt = len({(r.variant, r.shots) for r in compared.rows}) == 1
    rows = []
    for row in compared.rows:
        written = row.scoring == "generate"
        suffix = ("" if one_prompt else f" {row.variant} {row.shots}-shot") + ("" if written else " labels")
        suffix += "" if row.perturb == "none" else f" {row.perturb}"
        task = TASKS[row.task]
        name = f"{row.set} {task.short}{suffix}"
        same = _count(row.same, row)
        kinds = (same if written else None, None if written else same)
        rows.append(Row((name, row.items, _count(row.same_ids, row), *kinds, _small(row.largest), _small(row.mean))))
    columns = (
        Column("cell"),
        Column("n", kind="count"),
        *(Column("same", below, "count") for below in ("ids", "replies", "choice")),
        Column("|Δ log p|", "max", "number"),
        Column("mean", kind="number"),
    )
    note = "|Δ log p|: per token of the gold answer; with labels: per option label (natural logarithms)"
    title = f"{compared.model}: {compared.b} compared with {compared.a}"
    yield Sheet("parity", title, columns, tuple(rows), (note,))
    for kind in ("ids", "error", "reply", "choice"):
        differences = [d for row in compared.rows for d in row.differences if d.what == kind]
        if differences:
            yield ""
            yield f"{kind}: {len(differences)} differ"
        for d in differences[:SHOWN]:
            where = [f"{name} {at}" for name, at in (("character", d.character), ("token", d.token)) if at is not None]
            yield f"  {d.item}" + (f", from {', '.join(where)}" if where else "")
            for backend, text in ((compared.a, d.a), (compared.b, d.b)):
                yield f"    {backend:5} {_excerpt(text, d)!r}"


def _excerpt(text: str, difference: parity.ReplyDifference) -> str:
    """The 60 characters of a reply, an error or a list of token ids from shortly before the difference."""
    if difference.what == "ids":
        ids = text.strip("[]").split(", ")
        return ", ".join(ids[max(0, (difference.token or 0) - 2) :])[:60]
    start = max(0, (difference.character or 0) - 20)
    return text[start : start + 60]


def _count(same: int, row: parity.CellParity) -> Value:
    """A count, in bold if not all requests are equal."""
    return Value(same, tone="" if same == row.items else "strong")


def _small(value: float | None) -> str | None:
    return None if value is None else f"{value:.1e}"
