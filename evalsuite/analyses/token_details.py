"""Scores against tokens, with all ways of asking in one sheet: for each task and set, and for the mean over tasks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import mean

from evalsuite.analyses.tokens import lost_flags
from evalsuite.analyses.tokens import notes as notes_on_counts
from evalsuite.benchmarks.registry import TASKS, benchmark_of, metric_named, set_order, task_order
from evalsuite.common.grouping import by_key
from evalsuite.common.sheet import CellValue, Chart, Column, Row, Sheet, Text, Value
from evalsuite.results.analysis import Analysis, Results
from evalsuite.results.schema.cell import CellResult
from evalsuite.results.words import estimate_flags, set_title, with_distinct_titles
from evalsuite.types import Coordinates

MEAN = "mean"  # the name that stands for the task in the `about` of a sheet of means over tasks
_WAY = ("model", "variant", "shots", "scoring")  # the parts of a place whose combinations are the points
_WRITES_NOTHING = ("labels", "texts")  # scorings that compare likelihoods of options
_NO_INTERVAL = Text(
    "平均为各任务成绩的算术平均，仅在各任务均有成绩时给出，不给区间；各任务的随机水平不同",
    "means are over tasks, where every task has a figure; they have no interval, and chance differs between tasks",
)
_NO_SCALE = Text(
    "平均值混合了尺度不同的指标（{zh}），只供粗看；比较模型请选单项任务",
    "the mean is over metrics that share no scale ({en}), a rough guide: to compare models, pick a task",
)
_AT_THE_EDGE = Text(
    "左缘的 0：按概率作答，不生成文字", "0 at the left edge: answers by likelihood, where nothing is written"
)


@dataclass(frozen=True)
class _Point:
    """A way of asking a model, over one task or several."""

    cells: tuple[CellResult, ...]

    @property
    def is_counted(self) -> bool:
        return all(cell.headline.value is not None and (cell.tokens or self.writes_nothing) for cell in self.cells)

    @property
    def writes_nothing(self) -> bool:
        return self.cells[0].scoring in _WRITES_NOTHING


def sheets(results: Results) -> Iterator[Sheet]:
    """A sheet for each task and set with two or more points whose tokens were counted; before these, sheets of the means over
    tasks."""
    yield from with_distinct_titles(_sheets(results))


def _sheets(results: Results) -> Iterator[Sheet]:
    tables = by_key((cell.without(*_WAY), cell) for cell in results.cells)
    tables = {shared: cells for shared, cells in tables.items() if sum(cell.tokens is not None for cell in cells) > 1}
    for (_, shared), tasks in _over_tasks(tables).items():
        if len(tasks) > 1:
            yield from _sheet([cell for cells in tasks for cell in cells], {**dict(shared), "task": MEAN}, len(tasks))
    for cells in sorted(tables.values(), key=lambda cells: (task_order(cells[0].task), set_order(cells[0].set))):
        yield from _sheet(cells, dict(cells[0].without(*_WAY)), 1)


def _over_tasks(tables: dict[Coordinates, list[CellResult]]) -> dict[tuple[str, Coordinates], list[list[CellResult]]]:
    """(benchmark, shared place without the task) -> the tables to be averaged.

    These are the tables of tasks with a headline in percent. If some of the tasks were asked in several ways, the others are left
    out.
    """
    groups: dict[tuple[str, Coordinates], list[list[CellResult]]] = {}
    for cells in tables.values():
        task = TASKS[cells[0].task]
        metric = metric_named(task.metrics[0])
        if metric.percent and not metric.lower_is_better:
            groups.setdefault((task.benchmark, cells[0].without(*_WAY, "task")), []).append(cells)
    several = {key: [cells for cells in tasks if len({c.way for c in cells}) > 1] for key, tasks in groups.items()}
    return {key: several[key] or tasks for key, tasks in groups.items()}


def _sheet(cells: Sequence[CellResult], about: dict[str, str], tasks: int) -> Iterator[Sheet]:
    ways = by_key((tuple(getattr(cell, name) for name in _WAY), cell) for cell in cells)
    counted = [point for cells_of_way in ways.values() if (point := _Point(tuple(cells_of_way))).is_counted]
    points = [point for point in counted if len(point.cells) == tasks]
    if len(points) < 2:
        return
    costs = any(cell.tokens and cell.tokens.cost is not None for point in points for cell in point.cells)
    metrics = {TASKS[cell.task].metrics[0] for cell in cells}
    metric = metric_named(metrics.pop()) if len(metrics) == 1 else None
    unit = "%" if not metric or metric.percent else metric.unit
    score = Text(metric.zh, metric.en or metric.zh) if metric else Text("得分", "score")
    columns = (
        Column(Text("模型", "model")),
        Column(Text("提示词", "prompt"), key=True),
        Column(Text("示例数", "shots"), kind="count", key=True),
        Column(Text("作答方式", "scoring"), key=True),
        Column(score, unit, "percent" if unit == "%" else "number"),
        Column(Text("每条回复的词元", "tokens of a reply"), kind="number", digits=1),
        *(
            (Column(Text("中位数", "median"), kind="number", digits=0), Column("p90", kind="number", digits=0))
            if tasks == 1
            else ()
        ),
        Column(Text("思考", "thinking"), "%", "percent", digits=0),
        Column(Text("提示词元", "prompt tokens"), kind="number", digits=0),
        Column(Text("生成合计", "generated"), kind="count"),
        *((Column(Text("费用", "cost"), kind="number", digits=4),) if costs else ()),
    )
    words = Text(f"{tasks} 项任务的平均", f"mean of {tasks} tasks")
    task = words if tasks > 1 else Text(TASKS[about["task"]].zh, TASKS[about["task"]].en)
    of_set = set_title(benchmark_of(cells[0].task), about["set"])
    title = Text(f"准确率与所用词元 · {task.zh} · {of_set.zh}", f"Scores against tokens · {task.en} · {of_set.en}")
    chart = Chart("scatter", across=5, up=(4,), pick=("task", "set"), title=task)
    rows = tuple(_row(point, tasks, costs) for point in points)
    notes = tuple(_notes(points, len(ways) - len(counted), len(counted) - len(points), tasks))
    yield Sheet("tokens_by_way", title, columns, rows, notes, about, chart, _WAY[1:])


def _notes(points: Sequence[_Point], uncounted: int, partial: int, tasks: int) -> Iterator[Text]:
    if any(point.writes_nothing for point in points):
        yield _AT_THE_EDGE
    if tasks > 1:
        yield _NO_INTERVAL
        metrics = [metric_named(name) for name in dict.fromkeys(TASKS[c.task].metrics[0] for c in points[0].cells)]
        if len(metrics) > 1:
            zh, en = "、".join(m.zh for m in metrics), ", ".join(m.en or m.zh for m in metrics)
            yield Text(_NO_SCALE.zh.format(zh=zh), _NO_SCALE.en.format(en=en))
    if uncounted:
        yield Text(
            f"未显示 {uncounted} 种未统计词元的问法（如基线）",
            f"ways left out whose tokens nobody counted, such as baselines: {uncounted}",
        )
    if partial:
        yield Text(
            f"未显示 {partial} 种只问了部分任务的问法",
            f"ways left out that were asked some of the tasks only: {partial}",
        )
    yield from notes_on_counts([cell.tokens for point in points for cell in point.cells if cell.tokens])


def _row(point: _Point, tasks: int, costs: bool) -> Row:
    first = point.cells[0]
    scores = [cell.headline.value or 0.0 for cell in point.cells]
    estimates = dict.fromkeys(flag for cell in point.cells for flag in estimate_flags(cell))
    flags = (*lost_flags(*point.cells), *estimates)
    interval = (first.headline.low, first.headline.high) if tasks == 1 else (None, None)
    cells: list[CellValue] = [first.model, first.variant, first.shots, _SCORINGS.get(first.scoring, first.scoring)]
    cells += [Value(mean(scores), *interval, flags=flags), *_spent(point, tasks)]
    if costs:
        known = [cell.tokens.cost for cell in point.cells if cell.tokens and cell.tokens.cost is not None]
        cells.append(Value(sum(known), asides=_plus(point)) if len(known) == tasks else Value(None))
    about = {name: getattr(first, name) for name in _WAY}
    return Row(tuple(cells), about=about)


def _spent(point: _Point, tasks: int) -> list[Value]:
    """The tokens of a reply (mean; of one task also median and 90th percentile), the share of thinking, the mean tokens of a
    prompt, and all generated tokens."""
    counts = [cell.tokens for cell in point.cells if cell.tokens]
    if not counts:
        return [Value(None)] * (6 if tasks == 1 else 4)
    total = sum(c.total for c in counts)
    quantiles = [Value(counts[0].median), Value(counts[0].p90)] if tasks == 1 else []
    star = (" *",) if any(c.by_characters for c in counts) else ()
    thinking = Value(sum(c.thinking * c.total for c in counts) / total if total else 0.0, asides=star)
    return [
        Value(mean(c.mean for c in counts)),
        *quantiles,
        thinking,
        Value(mean(c.prompt for c in counts)),
        Value(total, asides=_plus(point)),
    ]


def _plus(point: _Point) -> tuple[str, ...]:
    """The mark behind a total that leaves some replies out."""
    return (" +",) if any(cell.tokens and cell.tokens.uncounted for cell in point.cells) else ()


_SCORINGS = {
    "generate": Text("生成", "generated"),
    "constrained": Text("约束解码", "constrained"),
    "labels": Text("选项标号概率", "labels"),
    "texts": Text("选项文本概率", "texts"),
}

DETAILS: Analysis[None] = Analysis(
    "token_details", sheets, only_named=Text("各种问法并列", "each way of asking beside the others")
)
