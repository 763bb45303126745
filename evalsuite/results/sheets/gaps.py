"""The sheets of the gap between two sets (EASY and HARD), with the paper's averages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evalsuite.benchmarks.published import published_figures
from evalsuite.benchmarks.registry import TASKS, benchmark_of, metric_named, task_order
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value
from evalsuite.results.sheets.words import family_size, titled, too_few, way, with_notes

_PAPER = Text(
    "论文：附录 F 各模型 F1 的平均，按整段回复。", " paper: mean F1 of Appendix F's models, of whole replies."
)


def gap_sheets(rows: Sequence[Mapping[str, Any]]) -> Iterator[Sheet]:
    """A sheet for each split, way of asking and pair of sets: a row a model and task with both values, their gap and its test.

    `rows` are "gaps" of results.json; no sheets without them.
    """
    ways: dict[tuple[str, str, tuple[str, ...]], list[Mapping[str, Any]]] = {}
    for row in rows:
        ways.setdefault((row["split"], way(row), tuple(row["sets"])), []).append(row)
    several = len({place[:2] for place in ways}) > 1
    sheets = [_sheet(split, asked, mine, several) for (split, asked, _), mine in ways.items()]
    legend = _legend(rows)
    published = any(row.kind == "apart" for sheet in sheets for row in sheet.rows)
    yield from with_notes(sheets, Text(legend.zh + _PAPER.zh, legend.en + _PAPER.en) if published else legend)


def _legend(rows: Sequence[Mapping[str, Any]]) -> Text:
    size = family_size(rows)
    zh, en = (f" {size} 项任务", f"{size} tasks") if size else ("任务", "tasks")
    return Text(
        "差：前一题集减后一题集，百分点，单独一行的 95% 置信区间；p 由两题集间的对话置换检验得出（题目不同，不配对），"
        f"p′ 按模型同一问法的全部{zh}作 Holm 校正，* p′ < 0.05，?：对话太少，p′ 不可能低于 0.05，无法判断。",
        "gap: the first set less the second, in points, with its 95 % interval, of the row alone; p: dialogues permuted between the "
        f"sets (the items differ, so no pairs); p': Holm over a model's {en} asked in one way, * p' < 0.05, ?: too few dialogues to "
        "tell, p' cannot be below 0.05.",
    )


def _sheet(split: str, asked: str, rows: Sequence[Mapping[str, Any]], several: bool) -> Sheet:
    easy, hard = rows[0]["sets"]
    order = sorted(rows, key=lambda r: task_order(r["task"]))
    lines = [_row(row) for model in dict.fromkeys(r["model"] for r in rows) for row in order if row["model"] == model]
    figures = published_figures(benchmark_of(rows[0]["task"])) if rows[0]["shots"] == 0 else []
    lines += [
        made for task in dict.fromkeys(r["task"] for r in order) if (made := _published(figures, task, easy, hard))
    ]
    columns = (
        Column(""),
        Column(easy.upper(), kind="percent"),
        Column(hard.upper(), kind="percent"),
        Column(Text("差", "gap"), kind="percent", signed=True),
        Column("p", kind="number", digits=3),
        Column("p'", kind="number", digits=3),
    )
    rest = f", {split} {asked}" if several else f", {split}"
    title = titled(f"{easy.upper()} / {hard.upper()}", f"：两个题集之差{rest}", f": the gap{rest}")
    about = {k: rows[0][k] for k in ("split", "variant", "shots", "scoring")}
    return Sheet("gaps", title, columns, tuple(lines), about=about)


def _row(row: Mapping[str, Any]) -> Row:
    task, metric = TASKS[row["task"]], metric_named(row["metric"])
    sure, few = row["p_holm"] < 0.05, too_few(row)
    gap = Value(row["gap"], row["low"], row["high"], tone="strong" if sure else "")
    corrected = Value(row["p_holm"], asides=("?" if few else "*" if sure else "",))
    name = Text(f"{row['model']} {task.zh} {metric.zh}", f"{row['model']} {task.short} {metric.heading}")
    about = {"model": row["model"], "task": task.name}
    return Row((name, *row["values"], gap, row["p"], corrected), about=about)


def _published(rows: Sequence[Mapping[str, Any]], task: str, easy: str, hard: str) -> Row | None:
    """The paper's own averages over models, where it prints them for both sets."""
    mine = [row for row in rows if (row["task"], row["model"], row["metric"]) == (task, "Average", "f1")]
    figures = {row["set"]: row["value"] for row in mine}
    if not {easy, hard} <= figures.keys():
        return None
    name = Text(f"论文平均 {TASKS[task].zh} F1", f"paper's average {TASKS[task].short} F1")
    gap = figures[easy] - figures[hard]
    return Row((name, figures[easy], figures[hard], gap, None, None), "apart", about={"task": task})
