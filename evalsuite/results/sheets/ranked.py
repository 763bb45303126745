"""Sheets of models that were asked until they are told apart: `--until-ranked`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evalsuite.benchmarks.registry import TASKS, metric_named
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value
from evalsuite.results.sheets.words import place_words, with_notes

_VERDICTS = {
    "a": Text("前者更好", "the first is better"),
    "b": Text("后者更好", "the second is better"),
    "open": Text("尚未分出", "open"),
}
_LEGEND = Text(
    "差：前者减后者，只计两者都问过的题；区间针对全部题目的差，无论何时停止都成立；同一张表中所有模型对的区间同时成立的把握为 95%",
    "difference: first less second, on the items that both were asked; its interval is of the difference over all items, valid whenever "
    "one stops, 95 % over all pairs of a table",
)


def ranked_sheets(rows: Sequence[Mapping[str, Any]]) -> Iterator[Sheet]:
    """A sheet a place: a row for each two models. `rows` are "ranked" of results.json."""
    yield from with_notes(map(_sheet, rows), _LEGEND)


def _sheet(row: Mapping[str, Any]) -> Sheet:
    task, points = TASKS[row["task"]], f"±{100 * row['margin']:g}"
    verdicts = {**_VERDICTS, "alike": Text(f"相差在 {points} 以内", f"within {points}")}
    lines = tuple(
        Row(
            (
                pair["a"],
                pair["b"],
                Value(pair["difference"], pair["low"], pair["high"]),
                f"{pair['asked']}/{pair['of']}",
                verdicts[pair["verdict"]],
            )
        )
        for pair in row["pairs"]
    )
    columns = (
        Column(Text("前者", "first")),
        Column(Text("后者", "second")),
        Column(Text("差", "difference"), metric_named(row["metric"]).heading, "percent", digits=2, signed=True),
        Column(Text("题数", "items"), align="right"),
        Column(Text("结论", "verdict")),
    )
    place = place_words(row)
    title = Text(
        f"{task.zh}，{place}：分出高下，或相差在 {points} 以内", f"{task.en}, {place}: told apart, or within {points}"
    )
    about = {name: row[name] for name in ("task", "set", "split", "variant", "shots", "scoring", "perturb")}
    return Sheet("ranked", title, columns, lines, about=about)
