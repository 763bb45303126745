"""The differences between models that a set can show: the smallest true one that `compare` would find (docs/reliability.md).

A row for each task, set and way that two or more models answered, without baselines: the median and the largest detectable
difference over all pairs of models, on the items that all of them answered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from statistics import median

from pydantic import Field

from evalsuite.analyses.value_columns import Columns, table, ways
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.grouping import by_key
from evalsuite.common.numbers import fixed
from evalsuite.common.sheet import Column, Sheet, Text
from evalsuite.results.analysis import Analysis, Results, ScoredRun
from evalsuite.results.outcomes import CellOutcomes, item_values
from evalsuite.results.schema.base import Count, Number, SharedPlaceFields
from evalsuite.results.words import WAY, task_and_set


class Detectable(SharedPlaceFields):
    """The differences that one task and set can show, asked in one way."""

    metric: str
    models: Count
    items: Count = Field(description="Items that all models answered.")
    dialogues: Count
    median: Number = Field(
        description="Smallest detectable difference: median over all pairs of models; null for fewer than 6 dialogues."
    )
    largest: Number = Field(description="Smallest detectable difference of the pair whose differences vary most.")


def compute(run: ScoredRun) -> list[Detectable] | None:
    """A row for each task, set and way of two or more models; None without any."""
    groups = by_key(
        ((cell.place.without("model"), cell.cell.facts["data"]), cell)
        for cell in run.outcomes
        if not cell.cell.is_baseline
    )
    return [row for group in groups.values() if len(group) > 1 and (row := detectable_between(group))] or None


def detectable_between(cells: Sequence[CellOutcomes]) -> Detectable | None:
    """The row of several models' cells on the same items; None if no item was answered by all."""
    import numpy as np

    from evalsuite.metrics.power import detectable

    values = [item_values(cell) for cell in cells]
    shared = [name for name in values[0] if all(name in by_item for by_item in values[1:])]
    if not shared:
        return None
    dialogues = [values[0][name].first.cluster for name in shared]
    rows = np.array([[by_item[name].value for name in shared] for by_item in values])
    differences = [x for a, b in combinations(rows, 2) if (x := detectable(a - b, dialogues)) is not None]
    return Detectable(
        **dict(cells[0].place.without("model")),
        metric=cells[0].metric,
        models=len(cells),
        items=len(shared),
        dialogues=len({*dialogues}),
        median=median(differences) if differences else None,
        largest=max(differences) if differences else None,
    )


# --- tables

_LEGEND = Text(
    "两个模型的真实差异达到这么多百分点时，用全部共同题目比较（compare）有 80% 的机会得到 p < 0.05（未校正，配对，以对话为单位）；更小的差异多半检不出。"
    "中位：各对模型的中位数；最大：差异起伏最大的一对。对话不足 6 段时检不出任何差异（–）。",
    "A true difference of so many points between two models has an 80 % chance of p < 0.05 in `compare` on all "
    "shared items (not corrected, paired, by dialogues); smaller ones are likely missed. median: of all pairs of "
    "models; largest: the pair whose differences vary most. –: fewer than 6 dialogues, which can show none.",
)


def sheets(results: Results) -> Iterator[Sheet]:
    """A sheet with a row per task, set and way."""
    rows = results.of(ANALYSIS)
    if not rows:
        return
    columns: Columns[Detectable] = (
        (Column(Text("任务", "task")), lambda row: task_and_set(TASKS[row.task], row.set)),
        (Column(Text("问法", "asked"), key=True), ways(rows)),
        (Column(Text("模型数", "models"), kind="count"), lambda row: row.models),
        (Column("n", kind="count"), lambda row: row.items),
        (Column(Text("对话", "dialogues"), kind="count"), lambda row: row.dialogues),
        (Column(Text("中位", "median"), "%", "percent"), lambda row: row.median),
        (Column(Text("最大", "largest"), "%", "percent"), lambda row: row.largest),
    )
    title = Text("题量够吗？能检出的差异", "Is the set large enough? Differences that can be found")
    yield Sheet("detectable", title, *table(columns, rows), (_LEGEND,), finding=_finding(rows), compares=WAY)


def _finding(rows: Sequence[Detectable]) -> Text:
    """A sentence on the smallest and the largest of the detectable differences, of unperturbed items if some were asked."""
    plain = [row for row in rows if row.perturb == "none"] or rows
    known = sorted((row for row in plain if row.median is not None), key=lambda row: row.median or 0.0)
    if not known:
        return Text("对话不足 6 段，检不出任何差异。", "Fewer than 6 dialogues: no difference can be found.")
    zh, en = [], []
    for row in known[:1] + known[1:][-1:]:
        points, task = fixed(100 * (row.median or 0.0), 1), task_and_set(TASKS[row.task], row.set)
        zh.append(f"{points}（{task.zh}，{row.items} 题、{row.dialogues} 段对话）")
        en.append(f"{points} ({task.en}: {row.items} items of {row.dialogues} dialogues)")
    return Text(
        f"两个模型相差不到这么多百分点时，多半检不出：{'到 '.join(zh)}。",
        f"Differences below so many points are likely missed: {' to '.join(en)}.",
    )


ANALYSIS = Analysis(
    "detectable",
    sheets,
    list[Detectable],
    compute,
    help="The smallest difference between two models that a set can show.",
)
