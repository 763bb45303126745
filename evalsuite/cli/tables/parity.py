"""What `evalsuite parity` shows, in 80 columns."""

from __future__ import annotations

from collections.abc import Iterator

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from evalsuite.benchmarks.registry import TASKS
from evalsuite.exchange.parity import Parity, Row

SHOWN = 3  # differences of each kind that are printed; --out has them all


def parity_tables(found: Parity) -> Iterator[Table | Text]:
    """A line a cell, then some of the differences."""
    table = Table(title=f"{found.model}: {found.b} beside {found.a}", title_justify="left", box=SIMPLE_HEAD)
    table.add_column("cell", overflow="fold")
    for name in ("n", "same\nids", "same\nreplies", "same\nchoice", "|Δ log p|\nmax", "mean"):
        table.add_column(name, justify="right")
    plain = len({(r.variant, r.shots) for r in found.rows}) == 1
    for row in found.rows:
        written = row.scoring == "generate"
        place = f"{row.set} {TASKS[row.task].short}" + ("" if plain else f" {row.variant} {row.shots}-shot")
        table.add_row(
            Text(place + ("" if written else " labels")),
            str(row.items),
            _count(row.same_ids, row),
            _count(row.same, row) if written else "",
            "" if written else _count(row.same, row),
            _number(row.largest),
            _number(row.mean),
        )
    yield table
    yield Text("|Δ log p|: per token of the gold answer; with labels: per option label (natural logarithms)")
    for kind in ("ids", "error", "reply", "choice"):
        mine = [d for row in found.rows for d in row.differences if d.what == kind]
        if mine:
            yield Text(f"\n{kind}: {len(mine)} differ")
        for d in mine[:SHOWN]:
            where = [f"{name} {at}" for name, at in (("character", d.character), ("token", d.token)) if at is not None]
            yield Text(f"  {d.item}" + (f", from {', '.join(where)}" if where else ""))
            for name, said in ((found.a, d.a), (found.b, d.b)):
                start = max(0, (d.character or 0) - 20)
                yield Text(f"    {name:5} {said[start : start + 60]!r}")


def _count(same: int, row: Row) -> Text:
    return Text(str(same), style="" if same == row.items else "red")


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.1e}"
