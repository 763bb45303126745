"""What `evalsuite build stats` shows, in 80 columns."""

from __future__ import annotations

from collections.abc import Iterator

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from evalsuite.authoring.stats import Stats
from evalsuite.authoring.stats_page import grouped, summary, table1_rows
from evalsuite.benchmarks.registry import TASKS

_BAR = 24  # characters of the longest bar


def stats_tables(found: Stats) -> Iterator[Table | Text]:
    """Table 1, bars of domains and slots, the checks of each task and set, and a line of what they come to."""
    if found.table1:
        table = _table("As in the paper's Table 1", "")
        for t in found.table1:
            table.add_column(t.set.upper(), justify="right")
        for name, values in table1_rows(found):
            table.add_row(name, *values)
        yield table
        yield Text(f"over the dialogues shown whole; knowledge counted in {found.source or '–'}\n")
    for item_set in dict.fromkeys(s.set for s in found.spread):
        domains = [(zh, en, n) for (zh, en), n in found.domains(item_set).items()]
        yield _bars(f"{item_set.upper()}: annotations by domain", domains)
        mine = [(s.slot_zh, s.slot, s.count) for s in found.spread if s.set == item_set]
        yield _bars(f"{item_set.upper()}: annotations by slot", mine)
    for (task, item_set), rows in grouped(found):
        table = _table(f"{item_set.upper()}: {TASKS[task].en}, {found.split}, {rows[0].items} items", "check")
        for name in ("%", "interval", "chance"):
            table.add_column(name, justify="right", no_wrap=True)
        table.add_column("verdict")
        for f in rows:
            numbers = (f"{100 * f.value:.1f}", f"{100 * f.low:.1f}–{100 * f.high:.1f}", f"{100 * f.chance:.1f}")
            table.add_row(Text(f.check), *numbers, Text(f.verdict, style="bold" if f.above else "dim"))
        yield table
    if found.findings:
        yield Text("What can be had without reading the dialogue", style="bold")
        for above, line in summary(found):
            yield Text(("! " if above else "  ") + line)


def _table(title: str, first: str) -> Table:
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    table.add_column(first, overflow="fold")
    return table


def _bars(title: str, rows: list[tuple[str, str, int]]) -> Table:
    table = _table(title, "中文")
    table.add_column("English", overflow="fold")
    table.add_column("n", justify="right")
    table.add_column("")
    most = max(n for *_, n in rows)
    for zh, en, n in rows:
        table.add_row(Text(zh), Text(en), f"{n:,}", "█" * max(1, round(_BAR * n / most)))
    return table
