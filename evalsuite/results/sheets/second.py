"""Sheets of a second reader: where it and the parser part, and what each score would be by it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evalsuite.benchmarks.registry import TASKS, metric_named, set_order, task_order
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value
from evalsuite.results.records import entry_name
from evalsuite.results.sheets.words import estimate_marks, way
from evalsuite.types import Place

Entry = Mapping[str, Any]
_RELATIONS = {
    "same": Text("答案相同", "same"), "other": Text("答案不同", "other"), "first_only": Text("仅解析器", "parser only"),
    "second_only": Text("仅第二读者", "reader only"), "neither": Text("都无", "neither"),
}  # fmt: skip
_VERDICTS = ("answer", "none", "refused", "several", "unreadable", "failed", "missing")
_ZH = {
    "answer": "答案", "none": "无答案", "refused": "拒答", "several": "选了多项", "unreadable": "不合格式", "failed": "请求失败", "missing": "尚未提问",
    "parsed": "已解析", "unparsed": "未能解析", "truncated": "截断", "conflict": "矛盾", "empty": "空", "filtered": "被过滤",
}  # fmt: skip
_WHY = {"unread": Text("无答案", "no answer"), "long": Text("长", "long"), "sample": Text("抽样", "sample")}
_LEGEND = Text(
    "一致：答案相同，或都未找到答案。κ：选项任务的 Cohen’s kappa，“无答案”算一类；F1：片段与短文本两个答案之间的平均重合，代替 κ。均附按对话的 "
    "95% 置信区间。缺：没有判断的回复（不合格式、请求失败或尚未询问）。所问的回复不是随机的（见上），故一致率不是整个运行的一致率。",
    "agree: the same answer, or none by either. κ: Cohen's kappa of choices, “no answer” being one; F1: mean overlap of the two "
    "answers to spans and texts, in place of κ; both with the 95 % interval over dialogues. lost: replies without a verdict "
    "(not in the form, failed, or not asked yet). The replies asked are no random ones, so this is not the agreement on the run.",
)
_SCORES = Text(
    "“第二读者”：它有判断的回复按它的读法计分，其余仍按解析器的读法。成绩、记录与排行榜一律按解析器。",
    "second reader: the score with its reading of the replies that it gave a verdict on, and the parser's reading of all others. "
    "Every score elsewhere, the records and the leaderboard are the parser's alone.",
)


def second_sheets(second: Entry, asked: Sequence[Entry] = ()) -> Iterator[Sheet]:
    """For each second reader: agreement by task, statuses of both readers, and the headline scores by both.

    `second` is that key of results.json, `asked` its cells; no sheets if it is empty.
    """
    for reader in dict.fromkeys(row["reader"] for row in second.get("tasks", ())):
        tasks = [row for row in second["tasks"] if row["reader"] == reader]
        yield _tasks(reader, sorted(tasks, key=lambda row: task_order(row["task"])))
        yield _statuses(tasks)
        yield _scores([row for row in second["cells"] if row["reader"] == reader], estimate_marks(asked))


def _tasks(reader: str, tasks: Sequence[Entry]) -> Sheet:
    columns = (
        Column(""),
        Column(Text("所问", "asked"), kind="count"),
        Column(Text("缺", "lost"), kind="count"),
        Column(Text("一致", "agree"), "%", "percent"),
        Column("κ, F1", kind="number"),
        *(Column(name, kind="count") for name in _RELATIONS.values()),
    )
    rows = tuple(
        Row(
            (
                Text(TASKS[row["task"]].zh, TASKS[row["task"]].short),
                row["asked"],
                row["asked"] - row["n"],
                Value(row["agreement"]),
                Value(row["value"], row["low"], row["high"], asides=(" F1",) if row["measure"] == "f1" else ()),
                *(row["relations"][name] for name in _RELATIONS),
            ),
            about={"task": row["task"]},
        )
        for row in tasks
    )
    asked = {why: [row["reasons"][why] for row in tasks if why in row["reasons"]] for why in _WHY}
    sums = {why: (sum(r["agree"] for r in found), sum(r["n"] for r in found)) for why, found in asked.items() if found}
    why = Text(
        "一致的条数，按所问缘由：" + "；".join(f"{_WHY[k].zh} {a}/{n}" for k, (a, n) in sums.items()),
        "agree, by why they were asked: " + "; ".join(f"{_WHY[k].en} {a} of {n}" for k, (a, n) in sums.items()),
    )
    title = Text(f"第二读者 {reader} 与解析器", f"Second reader {reader} beside the parser")
    return Sheet("second", title, columns, rows, (why, _LEGEND) if sums else (_LEGEND,))


def _statuses(tasks: Sequence[Entry]) -> Sheet:
    """The parser's status against the second reader's verdict, over all tasks."""
    found: dict[str, Counter[str]] = {}
    for row in tasks:
        for status, verdicts in row["statuses"].items():
            found.setdefault(status, Counter()).update(verdicts)
    names = [name for name in _VERDICTS if any(counter[name] for counter in found.values())]
    rows = tuple(Row((_word(status), *(counter[name] for name in names))) for status, counter in sorted(found.items()))
    title = Text("解析器的状态（行）与第二读者的判断（列）", "The parser's status, by the second reader's verdict")
    return Sheet("second-statuses", title, (Column(""), *(Column(_word(name), kind="count") for name in names)), rows)


def _word(name: str) -> Text:
    return Text(_ZH.get(name, name), name)


def _scores(cells: Sequence[Entry], marks: Mapping[Place, list[str]]) -> Sheet:
    order = sorted(cells, key=lambda c: (c["model"], set_order(c["set"]), task_order(c["task"]), way(c)))
    several = len({(way(cell), cell["split"]) for cell in cells}) > 1
    columns = (
        Column(""),
        Column(Text("有判断", "verdicts"), kind="count"),
        Column(Text("回复", "replies"), kind="count"),
        Column(Text("解析器", "parser"), kind="percent"),
        Column(Text("第二读者", "second reader"), kind="percent"),
        Column(Text("差", "change"), kind="percent", signed=True),
    )
    rows = []
    for cell in order:
        task, metric, first, second = TASKS[cell["task"]], metric_named(cell["metric"]), cell["first"], cell["second"]
        rest = f" {cell['split']} {way(cell)}" if several else ""
        names = (f"{cell['model']} {cell['set']} {name}{rest} {metric.heading}" for name in (task.zh, task.short))
        change = None if first is None or second["value"] is None else second["value"] - first
        values = (
            Value(first, flags=tuple(marks.get(Place.of(cell), ()))),
            Value(second["value"], second["low"], second["high"]),
            Value(change),
        )
        rows.append(Row((Text(*names), cell["n"], cell["replies"], *values), about=Place.of(cell).as_dict()))
    title = Text("按两位读者的成绩", "Headline scores by both readers")
    return Sheet("second-scores", title, columns, tuple(rows), (_SCORES,))


_WORDS = 30  # characters shown of an answer; its record has it whole


def parted_sheets(second: Entry) -> Iterator[Sheet]:
    """For each second reader the replies that it and the parser read differently, one a row."""
    names = (("条目", "item"), ("模型", "model"), ("", ""), ("解析器", "parser"), ("第二读者", "second reader"))
    for reader in dict.fromkeys(row["reader"] for row in second.get("cells", ())):
        rows = [
            Row(
                (
                    entry_name(x),
                    f"{c['model']} {way(c)}",
                    _RELATIONS[x["relation"]],
                    x["first"][:_WORDS],
                    x["second"][:_WORDS],
                ),
                about=Place.of(c).as_dict() | {"item": entry_name(x)},
            )
            for c in second["cells"]
            for x in c["parted"]
            if c["reader"] == reader
        ]
        if rows:
            title = Text(f"解析器与 {reader} 读法不同的回复", f"Replies that the parser and {reader} read differently")
            yield Sheet("parted", title, tuple(Column(Text(*both)) for both in names), tuple(rows))
