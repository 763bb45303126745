"""Accuracy by group of items over all tasks of a benchmark: CHARM's aspects of Chinese culture.

Some groups have items in one task only, as public figures have in the task on sport: only all tasks together show every group.
Every item weighs the same. Intervals are those of breakdowns: Wilson's at the effective number of items, dialogues as clusters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean
from typing import Literal

from pydantic import Field

from evalsuite.analyses.breakdown import GroupMean, papers_order
from evalsuite.analyses.item_mean import item_mean
from evalsuite.benchmarks.registry import BENCHMARKS, TASKS, benchmark_of, task_order
from evalsuite.common.dialogue import sources
from evalsuite.common.grouping import by_key
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value
from evalsuite.results.analysis import Analysis, Results, ScoredRun
from evalsuite.results.outcomes import CellOutcomes, item_values
from evalsuite.results.schema.base import Located, ModelName, Rows, Set, Share, ShotCount, Split, TaskName, Variant
from evalsuite.results.words import titled, with_distinct_titles, with_notes
from evalsuite.types import Coordinates


class Aspect(GroupMean):
    """A group over several tasks."""

    chance: Share = Field(description="Mean of 1 / number of options.")


class Aspects(Located):
    """Accuracy by group of items over several tasks of a benchmark."""

    model: ModelName
    set: Set
    split: Split
    variant: Variant
    shots: ShotCount
    scoring: str
    perturb: Literal["none"]
    benchmark: str
    tasks: Rows[TaskName]
    groups: Rows[Aspect]


def compute(run: ScoredRun) -> list[Aspects]:
    """A row for each model, set and way in which at least two tasks of a benchmark have groups."""
    pooled: dict[tuple[str, Coordinates], list[CellOutcomes]] = {}
    for cell in run.outcomes:
        place, kind = cell.place, TASKS[cell.place.task].kind
        grouped = any(outcome.item.group for outcome in cell.outcomes)
        if grouped and place.perturb == "none" and kind.single and kind.written:
            pooled.setdefault((benchmark_of(place.task).name, place.without("task")), []).append(cell)
    return [_pooled(name, place, cells) for (name, place), cells in pooled.items() if len(cells) > 1]


def _pooled(benchmark: str, place: Coordinates, cells: Sequence[CellOutcomes]) -> Aspects:
    items = [item for cell in cells for item in item_values(cell).values() if item.first.item.group]
    # Dialogues are numbered over all tasks, which may ask about the same one.
    clusters = sources([item.first.item.context for item in items])
    groups: dict[str, list[tuple[float, int]]] = {}
    chances: dict[str, list[float]] = {}
    for item, cluster in zip(items, clusters, strict=True):
        for name in item.first.item.group.split("|"):
            groups.setdefault(name, []).append((item.value, cluster))
            chances.setdefault(name, []).append(1 / len(item.first.item.options))
    return Aspects(
        **dict(place),
        benchmark=benchmark,
        tasks=[cell.place.task for cell in cells],
        groups=[
            Aspect(name=name, chance=round(fmean(chances[name]), 6), **dict(item_mean(groups[name])))
            for name in papers_order(groups, BENCHMARKS[benchmark])
        ],
    )


# --- tables

_LEGEND = Text(
    "各方面跨任务合计，每题权重相同；95% 置信区间按上下文聚类（Wilson，有效题数）。随机水平：各题选项数倒数的平均。",
    "Pooled over tasks, every item with the same weight; 95 % intervals by contexts (Wilson's, effective number of items). "
    "chance: mean of 1 / number of options.",
)


def sheets(results: Results) -> Iterator[Sheet]:
    """A sheet for each benchmark, set, split and choice of tasks: a row per model and way, a column per group."""
    places = by_key(
        ((row.benchmark, row.set, row.split, frozenset(row.tasks)), row) for row in results.of(ANALYSIS) or ()
    )
    yield from with_notes(with_distinct_titles(_sheet(*place, rows) for place, rows in places.items()), _LEGEND)


def _sheet(benchmark: str, item_set: str, split: str, tasks: Iterable[str], rows: Sequence[Aspects]) -> Sheet:
    suite = BENCHMARKS[benchmark]
    # Models may have different numbers of answered items: n and chance are those of the model with most.
    groups_of_rows = sorted((group for row in rows for group in row.groups), key=lambda group: group.n)
    largest = {group.name: group for group in groups_of_rows}
    names = papers_order(largest, suite)
    columns = (
        Column(Text("模型", "model")),
        Column(Text("问法", "asked"), key=True),
        *(Column(_name(benchmark, name), kind="percent", better="more") for name in names),
    )
    lines = []
    for row in rows:
        groups = {group.name: group for group in row.groups}
        values = (groups[name].as_value if name in groups else Value(None) for name in names)
        lines.append(Row((row.model, row.way, *values), about={"model": row.model}))
    lines.append(Row((Text("随机水平", "chance"), "", *(Value(largest[name].chance) for name in names)), "apart"))
    pooled = [TASKS[name] for name in sorted(tasks, key=task_order)]
    sizes = [(_name(benchmark, name), largest[name].n) for name in names]
    note = Text(
        f"任务：{'、'.join(task.zh for task in pooled)}；题数：{'、'.join(f'{name.zh} {n}' for name, n in sizes)}",
        f"{', '.join(task.short for task in pooled)}; n: {', '.join(f'{name.en} {n}' for name, n in sizes)}",
    )
    title = titled(f"{suite.title} {item_set}", "：按方面", ": by aspect")
    return Sheet("aspects", title, columns, tuple(lines), (note,), about={"set": item_set, "split": split})


def _name(benchmark: str, group: str) -> Text:
    return Text(*BENCHMARKS[benchmark].group_names.get(group, (group, group)))


ANALYSIS = Analysis(
    "aspects", sheets, list[Aspects], compute, help="Accuracy by group of items over the tasks of a benchmark."
)
