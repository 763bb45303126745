"""Score by length, distance and options, and what is taken for what, as tables that fit a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from evalsuite.benchmarks.registry import TASKS
from evalsuite.types import Place

_BY = {"turns": "by turns of the dialogue", "distance": "by turns to the answer", "options": "by number of options",
       "groups": "by group"}  # fmt: skip
_UNKNOWN = (None, None)

Bin = str | tuple[int | None, int | None]  # the name of a group, or its lowest and highest


def breakdown_tables(entries: Sequence[dict[str, Any]]) -> Iterator[Table | Text]:
    """A table a set, way of asking and property: bins across, a block a task, a row a model.

    `entries` are results.json's "breakdowns", or those of them that are to be seen.
    """
    groups: dict[Place, list[dict[str, Any]]] = {}
    for entry in entries:
        groups.setdefault(Place.of(entry, model="", task=""), []).append(entry)
    for place, mine in groups.items():
        for by, words in _BY.items():
            if bins := _bins(mine, by):
                yield _breakdown(f"{_title(place)}: {words}", mine, by, bins)
    if groups:
        yield Text(
            "metric in %, ± half of its 95 % interval (Wilson, dialogues as units); n: items; ?: could not be told"
        )


def _title(place: Place) -> str:
    return f"{place.set.upper()}, {place.split} {place.way}"


def _bin(found: dict[str, Any]) -> Bin:
    return found["name"] if "name" in found else (found["low"], found["high"])


def _bins(entries: Sequence[dict[str, Any]], by: str) -> list[Bin]:
    """Groups as the entries have them, other bins from the lowest; unknown last, and nothing but unknown is no table."""
    found = list(dict.fromkeys(_bin(b) for entry in entries for b in entry.get(by, ())))
    found.sort(key=lambda b: (b == _UNKNOWN, 0 if isinstance(b, str) else b[0] or 0))
    return [] if found == [_UNKNOWN] else found


def bin_name(low: int | None, high: int | None) -> str:
    """
    >>> bin_name(1, 5), bin_name(3, 3), bin_name(26, None), bin_name(None, None)
    ('1-5', '3', '26+', '?')
    """
    if low is None:
        return "?"
    return f"{low}+" if high is None else f"{low}" if low == high else f"{low}-{high}"


def _breakdown(title: str, entries: Sequence[dict[str, Any]], by: str, bins: Sequence[Bin]) -> Table:
    table = _table(title, "", *(b if isinstance(b, str) else bin_name(*b) for b in bins), fold=by == "groups")
    tasks: dict[str, list[dict[str, Any]]] = {}
    for entry in entries:
        tasks.setdefault(entry["task"], []).append(entry)
    for task in (t for t in TASKS if any(_bin(b) != _UNKNOWN for e in tasks.get(t, ()) for b in e.get(by, ()))):
        found = [{_bin(b): b for b in entry.get(by, ())} for entry in tasks[task]]
        # Models may have been asked other items, or lost some: then the block's n is the largest.
        counts = [max((f[b]["n"] for f in found if b in f), default=0) for b in bins]
        table.add_section()
        name = Text(f"{TASKS[task].short} {tasks[task][0]['metric'][:3]}, n", style="dim")
        table.add_row(name, *(Text(str(n) if n else "", style="dim") for n in counts))
        for entry, by_bin in zip(tasks[task], found, strict=True):
            table.add_row(Text(f"  {entry['model']}"), *(_value(by_bin.get(b)) for b in bins))
    return table


def _value(found: dict[str, Any] | None) -> Text:
    if found is None:
        return Text("")
    low, high = found["interval"]
    return Text(f"{100 * found['value']:.0f}").append(f"±{50 * (high - low):.0f}", style="dim")


def confusion_tables(entries: Sequence[dict[str, Any]], most: int = 5) -> Iterator[Table | Text]:
    """A table a task, set and way: the commonest confusions of each model. `entries` are results.json's "confusions"."""
    groups: dict[Place, list[dict[str, Any]]] = {}
    for entry in entries:
        groups.setdefault(Place.of(entry, model=""), []).append(entry)
    for place, mine in groups.items():
        table = _table(
            f"{TASKS[place.task].short} {_title(place)}: taken for another",
            "model, right",
            "taken for",
            "times",
            "of",
            "%",
        )
        for entry in mine:
            table.add_section()
            table.add_row(Text(entry["model"], style="bold"))
            for gold, name, count, offered in confusions(entry)[:most]:
                share = f"{100 * count / offered:.0f}"
                table.add_row(
                    Text(f"  {entry['names'][gold][0]}"), Text(entry["names"][name][0]), str(count), str(offered), share
                )
            if silent := sum(count for _, count in entry["silent"]):
                table.add_row(Text("  chose nothing", style="dim"), "", str(silent), str(_items(entry)))
        yield table
    if groups:
        yield Text("of: items with that right answer which offered the other name; taken for it in % of them")


def confusions(entry: dict[str, Any]) -> list[tuple[int, int, int, int]]:
    """(gold, chosen, times, how often offered) of what was taken for another, the commonest first."""
    found = [
        (gold, name, count, sum(n for offer in entry["offers"] if name in offer["options"] for g, n in offer["gold"] if g == gold))
        for gold, name, count in entry["pairs"]
        if gold != name
    ]  # fmt: skip
    return sorted(found, key=lambda row: (-row[2], row[0], row[1]))


def _items(entry: dict[str, Any]) -> int:
    return sum(n for offer in entry["offers"] for _, n in offer["gold"])


def _table(title: str, *columns: str, fold: bool = False) -> Table:
    """`fold`: heads may break anywhere, to make room."""
    width = min(80, cell_len(title))  # or rich would fold the title to what the columns take
    table = Table(title=Text(title), title_justify="left", box=SIMPLE_HEAD, collapse_padding=True, min_width=width)
    for n, column in enumerate(columns):
        words = n == 0 or column == "taken for"
        table.add_column(
            column, justify="left" if words else "right", overflow="fold", no_wrap=not words if not fold else n == 0
        )
    return table
