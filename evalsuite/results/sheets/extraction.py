"""The sheet of what extraction adds to the scores of spans and texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evalsuite.benchmarks.registry import TASKS, set_order, task_order
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value
from evalsuite.results.sheets.words import way
from evalsuite.types import Place

_LEGEND = Text(
    "答案：从回复中抽取，引导语、引号与理由已去掉，本工具的指标（f1、bleu1 …）据此计算。整段回复：只去掉特殊词元与思考，"
    "论文口径（paper.f1、paper.bleu1 …）据此计算，与论文公布的数字对照。增加：前者减后者，同一定义的 F1，按对话重抽样的 95% 置信区间。"
    "截取：答案不是整段回复的回复所占的比例。",
    "answer: extracted from the reply, without lead-ins, quotes and reasons; our own metrics (f1, bleu1 …) are of it. reply: whole, "
    "less special tokens and thinking; the paper's profile (paper.f1, paper.bleu1 …) is of it, and compares with published figures. "
    "gain: the first less the second, F1 by the same definition, with its 95 % interval over dialogues. cut: replies of which the "
    "answer is only a part.",
)


def extraction_sheets(rows: Sequence[Mapping[str, Any]]) -> Iterator[Sheet]:
    """A row for each cell of spans or texts: F1 and EM of the answers, of the whole replies, and the gain in F1.

    `rows` are "extraction" of results.json; no sheet without them.
    """
    if not rows:
        return
    several = len({(way(row), row["split"]) for row in rows}) > 1
    order = sorted(rows, key=lambda r: (set_order(r["set"]), task_order(r["task"])))
    models = dict.fromkeys(row["model"] for row in rows)
    lines = [_row(row, several) for model in models for row in order if row["model"] == model]
    answer, reply = Text("答案", "answer"), Text("整段回复", "reply")
    columns = (
        Column(""),
        Column(Text("截取", "cut"), "%", "percent"),
        Column(answer, "F1", "percent"),
        Column(reply, "F1", "percent"),
        Column(Text("增加", "gain"), "F1", "percent", signed=True),
        Column(answer, "EM", "percent"),
        Column(reply, "EM", "percent"),
    )
    title = Text("答案抽取使得分提高多少", "What extraction adds to the scores")
    yield Sheet("extraction", title, columns, tuple(lines), (_LEGEND,))


def _row(row: Mapping[str, Any], several: bool) -> Row:
    task, rest = TASKS[row["task"]], f" {row['split']} {way(row)}" if several else ""
    before = f"{row['model']} {row['set']} "
    sure = row["low"] is not None and (row["low"] > 0 or row["high"] < 0)
    gain = Value(row["gain"], row["low"], row["high"], tone="strong" if sure else "")
    cells = (row["cut"], row["f1"], row["f1_reply"], gain, row["em"], row["em_reply"])
    name = Text(f"{before}{task.zh}{rest}", f"{before}{task.short}{rest}")
    return Row((name, *cells), about=Place.of(row).as_dict())
