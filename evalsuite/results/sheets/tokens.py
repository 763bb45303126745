"""The sheet of generated tokens beside the headline metric, and the column of them in the main results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evalsuite.benchmarks.registry import TASKS, metric_named, set_order, task_order
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value
from evalsuite.results.sheets.words import estimate_flags, way
from evalsuite.types import Place

Entry = Mapping[str, Any]  # a cell of results.json

_LEGEND = Text(
    "均值、中位数、p90（第 90 百分位）：每条回复生成的词元，含思考。思考：其中推理模型自身思考所占的比例。提示：提示词的平均词元。合计：全部回复生成的词元。",
    "mean, median, p90 (90th percentile): generated tokens of a reply, thinking included. thinking: the share of them that is a "
    "reasoning model's own. prompt: mean tokens of a prompt. total: tokens generated in all replies.",
)
_BY_CHARACTERS = Text(
    "*：接口未统计思考的词元，按思考与答案的字符数划分。",
    "*: nobody counted the tokens of thinking: they are split by the characters of thought and answer.",
)
_FACTOR, _MORE = 2, 20  # the main results have the column if a row's mean is so many times another's, and so many more


def token_sheets(cells: Sequence[Entry]) -> Iterator[Sheet]:
    """A row for each cell whose tokens were counted; no sheet without one."""
    counted = [cell for cell in cells if cell.get("tokens")]
    if not counted:
        return
    several = len({(way(cell), cell["split"]) for cell in counted}) > 1
    models = dict.fromkeys(cell["model"] for cell in counted)
    order = sorted(counted, key=lambda c: (set_order(c["set"]), task_order(c["task"])))
    lines = [_row(cell, several) for model in models for cell in order if cell["model"] == model]
    costs = any(cell["tokens"].get("cost") is not None for cell in counted)
    columns = (
        Column(""),
        Column(Text("得分", "score"), "%", "percent"),
        Column(Text("均值", "mean"), kind="number", digits=0),
        Column(Text("中位数", "median"), kind="number", digits=0),
        Column("p90", kind="number", digits=0),
        Column(Text("思考", "thinking"), "%", "percent", digits=0),
        Column(Text("提示", "prompt"), kind="number", digits=0),
        Column(Text("合计", "total"), kind="count"),
        *((Column(Text("费用", "cost"), kind="number", digits=4),) if costs else ()),
    )
    split = any(cell["tokens"]["by_characters"] for cell in counted)
    title = Text("得分与所用词元", "Scores and tokens")
    rows = [line if costs else Row(line.cells[:-1], about=line.about) for line in lines]
    yield Sheet("tokens", title, columns, tuple(rows), (_LEGEND, *((_BY_CHARACTERS,) if split else ())))


def _row(cell: Entry, several: bool) -> Row:
    task, spent, rest = TASKS[cell["task"]], cell["tokens"], f" {cell['split']} {way(cell)}" if several else ""
    before = f"{cell['model']} {cell['set']} "
    name = Text(f"{before}{task.zh}{rest}", f"{before}{task.short}{rest}")
    metric = task.metrics[0]
    score = cell["metrics"].get(metric, {}).get("value") if metric_named(metric).percent else None
    thinking = Value(spent["thinking"], asides=("*",) if spent["by_characters"] else ())
    cells = (spent["mean"], spent["median"], spent["p90"], thinking, spent["prompt"], spent["total"])
    return Row(
        (name, Value(score, flags=tuple(estimate_flags(cell))), *cells, Value(spent.get("cost"))),
        about=Place.of(cell).as_dict(),
    )


def tokens_column(rows: Sequence[Sequence[Entry]]) -> tuple[list[Column], list[list[Value]]]:
    """A column of mean tokens and its value for each of `rows`, which are given by their cells; no column where it says little:
    where no reply was thought over, and replies are all about as long, or short."""
    means = [mean_tokens(cells) for cells in rows]
    known = [mean for mean in means if mean]
    thought = any(cell["tokens"]["thinking"] for cells in rows for cell in cells if cell.get("tokens"))
    if not known or not (thought or max(known) >= max(_FACTOR * min(known), min(known) + _MORE)):
        return [], [[] for _ in rows]
    column = Column(Text("词元", "tokens"), Text("每回复", "a reply"), "number", digits=0)
    return [column], [[Value(mean)] for mean in means]


def mean_tokens(cells: Sequence[Entry]) -> float | None:
    """Generated tokens of a reply, over all replies of some cells; None where they were not counted."""
    spent = [tokens for cell in cells if (tokens := cell.get("tokens"))]
    return sum(t["total"] for t in spent) / sum(t["replies"] for t in spent) if spent else None
