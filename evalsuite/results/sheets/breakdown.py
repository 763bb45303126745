"""Sheets of scores by length, distance, number of options or of right answers, and group, and of confusions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value
from evalsuite.results.sheets.words import place_words, titled, with_notes
from evalsuite.types import Place

_BY = {
    "turns": Text("按对话轮数", "by turns of the dialogue"),
    "distance": Text("按到答案的轮数", "by turns to the answer"),
    "options": Text("按选项数", "by number of options"),
    "answers": Text("按正确答案数", "by number of right answers"),
    "groups": Text("按类别", "by group"),
}
_UNKNOWN = (None, None)
MOST = 5  # confusions of a model that are shown

Entry = Mapping[str, Any]
Bin = str | tuple[int | None, int | None]  # the name of a group, or its lowest and highest


def breakdown_sheets(entries: Sequence[Entry]) -> Iterator[Sheet]:
    """A sheet for each set, way of asking and property: a column a bin, a block of rows a task, a row a model.

    `entries` are "breakdowns" of results.json.
    """
    legend = Text(
        "指标为 %，其后为 95% 置信区间（Wilson，以对话为单位）；n：题数；?：无法判断",
        "metric in % and its 95 % interval (Wilson, dialogues as units); n: items; ?: could not be told",
    )
    yield from with_notes(_breakdowns(entries), legend)


def _breakdowns(entries: Sequence[Entry]) -> Iterator[Sheet]:
    for place, group in _grouped(entries, "model", "task").items():
        for by, words in _BY.items():
            if bins := _bins(group, by):
                about = dict(place)
                title = place_words(about)
                yield _breakdown(Text(f"{title}：{words.zh}", f"{title}: {words.en}"), group, by, bins, about)


def _grouped(entries: Sequence[Entry], *names: str) -> dict[tuple[tuple[str, Any], ...], list[Entry]]:
    """The entries by their place without the parts `names`."""
    groups: dict[tuple[tuple[str, Any], ...], list[Entry]] = {}
    for entry in entries:
        groups.setdefault(Place.of(entry).but(*names), []).append(entry)
    return groups


def _bin(found: Entry) -> Bin:
    return str(found["name"]) if "name" in found else (found["low"], found["high"])


def _bins(entries: Sequence[Entry], by: str) -> list[Bin]:
    """The columns: groups in the entries' order, other bins ascending, the unknown one last. Empty if all are unknown."""
    bins = list(dict.fromkeys(_bin(b) for entry in entries for b in entry.get(by, ())))
    bins.sort(key=lambda b: (b == _UNKNOWN, 0 if isinstance(b, str) else b[0] or 0))
    return [] if bins == [_UNKNOWN] else bins


def bin_name(low: int | None, high: int | None) -> str:
    """The heading of a bin.

    >>> bin_name(1, 5), bin_name(3, 3), bin_name(26, None), bin_name(None, None)
    ('1-5', '3', '26+', '?')
    """
    if low is None:
        return "?"
    return f"{low}+" if high is None else f"{low}" if low == high else f"{low}-{high}"


def _breakdown(title: Text, entries: Sequence[Entry], by: str, bins: Sequence[Bin], about: Entry) -> Sheet:
    rows = []
    for task in TASKS.values():
        models = [entry for entry in entries if entry["task"] == task.name]
        figures = [{_bin(b): b for b in entry.get(by, ())} for entry in models]
        if not any(b != _UNKNOWN for f in figures for b in f):
            continue
        # Models may have different numbers of answered items: the block's n is the largest.
        counts = (max((f[b]["n"] for f in figures if b in f), default=0) for b in bins)
        end = f" {models[0]['metric'][:3]}, n"
        rows.append(Row((Text(task.zh + end, task.short + end), *(str(n) if n else None for n in counts)), "group"))
        for entry, by_bin in zip(models, figures, strict=True):
            place = {"model": entry["model"], "task": task.name}
            rows.append(Row((entry["model"], *(_value(by_bin.get(b)) for b in bins)), about=place))
    shown = {b["name"]: Text(b["zh"], b["en"]) for e in entries for b in e.get(by, ()) if b.get("zh")}
    names = (shown.get(b, b) if isinstance(b, str) else bin_name(*b) for b in bins)
    columns = (Column(name, kind="percent", digits=0) for name in names)
    return Sheet("breakdowns", title, (Column(""), *columns), tuple(rows), about=about)


def _value(found: Entry | None) -> Value | None:
    return None if found is None else Value(found["value"], *found["interval"])


def confusion_sheets(entries: Sequence[Entry], most: int = MOST) -> Iterator[Sheet]:
    """A sheet for each task, set and way of asking: the `most` frequent confusions of each model.

    `entries` are "confusions" of results.json.
    """
    note = Text(
        "共：正确答案为该名称、且选项中有另一名称的题；其中 % 误选为另一名称",
        "of: items with that right answer which offered the other name; taken for it in % of them",
    )
    yield from with_notes(_confusions(entries, most), note)


def _confusions(entries: Sequence[Entry], most: int) -> Iterator[Sheet]:
    for place, group in _grouped(entries, "model").items():
        about = dict(place)
        rows = []
        for entry in group:
            who = {"model": entry["model"]}
            rows.append(Row((entry["model"], None, None, None, None), "group", who))
            names = [Text(n[0], n[0]) for n in entry["names"]]  # the ontology's Chinese names, in the terminal too
            for gold, other, count, offered in confusions(entry)[:most]:
                rows.append(Row((names[gold], names[other], count, offered, count / offered), about=who))
            if silent := sum(count for _, count in entry["silent"]):
                asked = sum(n for offer in entry["offers"] for _, n in offer["gold"])
                rows.append(Row((Text("没有选择", "chose nothing"), None, silent, asked, None), about=who))
        columns = (
            Column(Text("模型，正确答案", "model, right")),
            Column(Text("误选为", "taken for")),
            Column(Text("次数", "times"), kind="count"),
            Column(Text("共", "of"), kind="count"),
            Column("%", kind="percent", digits=0),
        )
        task, where = TASKS[about["task"]], place_words(about)
        title = titled("", f"{task.zh} {where}：常见混淆", f"{task.short} {where}: taken for another")
        yield Sheet("confusions", title, columns, tuple(rows), about=about)


def confusions(entry: Entry) -> list[tuple[int, int, int, int]]:
    """(gold, chosen, times, times offered) of every wrong choice, the most frequent first; names by index."""
    rows = [
        (gold, name, count, sum(n for offer in entry["offers"] if name in offer["options"] for g, n in offer["gold"] if g == gold))
        for gold, name, count in entry["pairs"]
        if gold != name
    ]  # fmt: skip
    return sorted(rows, key=lambda row: (-row[2], row[0], row[1]))
