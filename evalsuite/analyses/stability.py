"""Right under all: items right under every perturbation, every wording and all rotations (docs/reliability.md).

A row for each group of cells that differ in their wording or perturbation alone, and for each cell asked in all
rotations. Items that every asking answered count. An item's value under an asking is that of `item_values`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from statistics import fmean
from typing import Literal, NamedTuple

from pydantic import Field

from evalsuite.analyses.askings import Askings, askings_across, askings_within
from evalsuite.analyses.item_mean import MeanInterval, mean_interval
from evalsuite.analyses.value_columns import MODEL, TASK, Columns, table, ways
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.grouping import by_key
from evalsuite.common.numbers import fixed
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value
from evalsuite.metrics.votes import disagreement
from evalsuite.perturb import PERTURBATIONS
from evalsuite.results.analysis import Analysis, Results, ScoredRun
from evalsuite.results.outcomes import CellOutcomes, Outcome, item_values
from evalsuite.results.schema.base import AskingsFields, Count, Rows, Strict
from evalsuite.results.words import WAY, task_and_set, with_notes

Varied = Literal["wordings", "perturbations", "rotations"]
QUANTILES = (0.05, 0.5, 0.95)
NAMES = {
    "wordings": Text("各种措辞", "every wording"),
    "perturbations": Text("各种扰动", "every perturbation"),
    "rotations": Text("各种轮换", "all rotations"),
}


class AskingMean(Strict):
    """The mean of one asking."""

    name: str = Field(description="The wording, the perturbation, or the number of the rotation.")
    value: float


class Stability(AskingsFields):
    """One model's items under several askings."""

    over: Varied = Field(description="What differs between the askings.")
    metric: str
    items: Count = Field(description="Items answered in every asking.")
    left_out: Count = Field(description="Items answered in some askings only.")
    dialogues: Count
    askings: Rows[AskingMean] = Field(
        description="The mean of each asking; of a rotation over the items with so many options."
    )
    worst: str = Field(description="The asking with the lowest mean; of rotations, among those of every item.")
    mean: MeanInterval = Field(description="Mean over items and askings.")
    all: MeanInterval = Field(description="Mean of each item's lowest value: the share right under all.")
    any: MeanInterval = Field(description="Mean of each item's highest value: the share right under any.")
    sensitivity: MeanInterval = Field(description="Mean absolute difference between two askings of an item.")
    quantiles: Rows[float] = Field(
        description="5, 50 and 95 % quantiles of the askings' means (PromptEval); of rotations, those of every item."
    )


def compute(run: ScoredRun) -> list[Stability] | None:
    """A row for each group of two or more askings; None without any."""
    cells = [cell for cell in run.outcomes if cell.is_share]
    # The values of a cell of rotations are the lowest of several askings, and no asking's own.
    single = [cell for cell in cells if not PERTURBATIONS[cell.place.perturb].several]
    same = [cell for cell in single if PERTURBATIONS[cell.place.perturb].same]
    rotated = [askings_within(cell) for cell in cells if PERTURBATIONS[cell.place.perturb].several]
    groups: dict[Varied, Iterable[Askings]] = {
        "wordings": askings_across("variant", cells, _item_outcomes),
        "perturbations": askings_across("perturb", same, _item_outcomes),
        "rotations": rotated,
    }
    rows = [row for over, askings in groups.items() for group in askings if (row := _stability(over, group))]
    return rows or None


def _item_outcomes(cell: CellOutcomes) -> dict[str, Outcome]:
    """Item's id -> its first outcome in a cell, with the item's value there."""
    return {name: replace(item.first, value=item.value) for name, item in item_values(cell).items()}


def _stability(over: Varied, askings: Askings) -> Stability | None:
    """The row of a group of askings; None if no item was asked more than once and answered every time."""
    import numpy as np

    outcomes = askings.whole
    if not outcomes:
        return None
    means = {
        name: fmean(values)
        for name, items in askings.outcomes.items()
        if (values := [outcome.value for item, outcome in items.items() if item in outcomes])
    }
    # A later rotation is asked of items with many options only, which may be harder: its mean does not compare with the others.
    alike = {name: mean for name, mean in means.items() if all(item in askings.outcomes[name] for item in outcomes)}
    values_of_items = [[outcome.value for outcome in each] for each in outcomes.values()]
    dialogues = [each[0].cluster for each in outcomes.values()]

    def mean_of(value_of: Callable[[Sequence[float]], float]) -> MeanInterval:
        return mean_interval([value_of(values) for values in values_of_items], dialogues)

    return Stability(
        **askings.shared_place,
        over=over,
        metric=askings.metric,
        items=len(outcomes),
        left_out=len(askings.by_item) - len(outcomes),
        dialogues=len({*dialogues}),
        askings=[AskingMean(name=name, value=value) for name, value in means.items()],
        worst=min(alike, key=alike.__getitem__),
        mean=mean_of(fmean),
        all=mean_of(min),
        any=mean_of(max),
        sensitivity=mean_of(disagreement),
        quantiles=np.quantile([*alike.values()], QUANTILES).tolist(),
    )


# --- tables

_LEGEND = Text(
    "只计每种问法都有答案的题。平均：各问法得分的平均；最低问法：平均分最低的一种；全对：每种问法都答对的题所占 %（取每题各问法的最低分），任一：至少"
    "一种问法答对。敏感度：同一题随机取两种问法，得分之差的绝对值的平均；得分为 0 或 1 时即对错不一的概率，0 为完全不受影响。分位数：各问法平均分的 5%、50%、95% 分位。"
    "区间 95%，以对话为单位。",
    "Of items that every asking answered. mean: over the askings; worst: the asking with the lowest mean; all: % "
    "of items right under every asking (the mean of each item's lowest value); any: under at least one. "
    "sensitivity: mean absolute difference between two askings of an item; of right and wrong, the chance that "
    "two drawn at random are not equally right; 0 is unmoved. quantiles: 5, 50 and 95 % of the askings' means. 95 "
    "% intervals by dialogues.",
)


def sheets(results: Results) -> Iterator[Sheet]:
    """A sheet of the best model under each wording; then a sheet for each kind of variation (wordings, perturbations, rotations)
    with a row for each model and task."""
    rows = sorted(results.of(ANALYSIS) or (), key=lambda row: [*NAMES].index(row.over))
    if winners := _winners(results, rows):
        yield winners
    yield from with_notes((_sheet(over, [*group]) for over, group in groupby(rows, key=lambda row: row.over)), _LEGEND)


class _Contest(NamedTuple):
    """The models of one task, set and way that answered the most items, without baselines; and the best of them under each
    wording in which all were asked."""

    rows: Sequence[Stability]
    best: Mapping[str, tuple[list[str], float]]  # wording -> (models with the highest mean, the mean)

    @property
    def changes(self) -> bool:
        """Whether the best model changes: none is best under every wording."""
        return not set.intersection(*(set(names) for names, _ in self.best.values()))


def _contests(results: Results, rows: Sequence[Stability]) -> list[_Contest]:
    baselines = {cell.model for cell in results.cells if cell.is_baseline}
    groups = by_key(
        (row.without("model"), row) for row in rows if row.over == "wordings" and row.model not in baselines
    )
    contests = []
    for rows_of_models in groups.values():
        # Means of a model that left items out are not comparable with those of others.
        most = max(row.items for row in rows_of_models)
        group = [row for row in rows_of_models if row.items == most and not row.left_out]
        if len(group) < 2:
            continue
        means = {row.model: {asking.name: asking.value for asking in row.askings} for row in group}
        wordings = [name for name in means[group[0].model] if all(name in by_wording for by_wording in means.values())]
        best = {}
        for wording in wordings:
            highest = max(by_wording[wording] for by_wording in means.values())
            best[wording] = ([model for model, by_wording in means.items() if by_wording[wording] == highest], highest)
        if len(wordings) > 1:
            contests.append(_Contest(group, best))
    return contests


def _winners(results: Results, rows: Sequence[Stability]) -> Sheet | None:
    """A row per task and way: the best model under each wording. None for fewer than two models or wordings."""
    contests = _contests(results, rows)
    if not contests:
        return None
    wordings = [*dict.fromkeys(name for contest in contests for name in contest.best)]
    way = ways([contest.rows[0] for contest in contests])
    columns = (
        Column(Text("任务", "task")),
        Column(Text("问法", "asked"), key=True),
        Column(Text("模型数", "models"), kind="count"),
        Column("n", kind="count"),
        *(Column(name) for name in wordings),
        Column(Text("有变", "changes")),
    )
    lines = []
    for contest in contests:
        first = contest.rows[0]
        best = [contest.best.get(name) for name in wordings]
        names = [
            Value(", ".join(winners[0]), asides=(f" {fixed(100 * winners[1], 1)}",)) if winners else None
            for winners in best
        ]
        changes = Text("是", "yes") if contest.changes else Text("否", "no")
        about = {name: value for name, value in first.without("model") if value is not None}
        task = task_and_set(TASKS[first.task], first.set)
        lines.append(Row((task, way(first), len(contest.rows), first.items, *names, changes), about=about))
    changed = [contest.rows[0] for contest in contests if contest.changes]
    named = [task_and_set(TASKS[row.task], row.set) for row in changed[:3]]
    zh, en = "、".join(name.zh for name in named), "; ".join(name.en for name in named)
    more_zh, more_en = (" 等", " …") if len(changed) > 3 else ("", "")
    finding = Text(
        f"{len(contests)} 处中 {len(changed)} 处，分数最高的模型随措辞而变"
        + (f"：{zh}{more_zh}。" if changed else "。"),
        f"The model with the highest score changes with the wording in {len(changed)} of {len(contests)}"
        + (f": {en}{more_en}." if changed else "."),
    )
    title = Text("换一种措辞，最好的模型会变吗？", "Would another wording change who wins?")
    note = Text(
        "各措辞下平均分最高的模型（基线和缺少回复的模型不计）及其分数；并列者都列出。分数最高不等于显著更好：两两检验见 evalsuite compare "
        "--prompt。",
        "The model with the highest mean under each wording, with that mean; equal ones are all named. Without baselines, and "
        "models that lack replies to some items. Highest is not significantly better: evalsuite compare --prompt tests pairs.",
    )
    return Sheet("stability", title, columns, tuple(lines), (note,), finding=finding, compares=WAY)


def _sheet(over: Varied, rows: Sequence[Stability]) -> Sheet:
    columns: Columns[Stability] = (
        MODEL,
        TASK,
        (Column(Text("问法", "asked"), key=True), ways(rows)),
        (Column("n", kind="count"), lambda row: row.items),
        (Column(Text("问法数", "askings"), kind="count"), lambda row: len(row.askings)),
        (Column(Text("平均", "mean"), "%", "percent", better="more"), lambda row: row.mean.as_value),
        (
            Column(Text("最低问法", "worst"), "%", "percent", better="more"),
            lambda row: Value(next(a.value for a in row.askings if a.name == row.worst), asides=(f" {row.worst}",)),
        ),
        (Column(Text("全对", "all"), "%", "percent", better="more"), lambda row: row.all.as_value),
        (Column(Text("任一", "any"), "%", "percent", better="more"), lambda row: row.any.as_value),
        (Column(Text("敏感度", "sensitivity"), kind="number", better="less"), lambda row: row.sensitivity.as_value),
        (Column(Text("分位数", "quantiles")), lambda row: " / ".join(f"{100 * x:.1f}" for x in row.quantiles)),
    )
    name = NAMES[over]
    title = Text(f"{name.zh}下都答对", f"Right under {name.en}")
    return Sheet("stability", title, *table(columns, rows), compares=WAY)


ANALYSIS = Analysis(
    "stability", sheets, list[Stability], compute, help="Items right under every perturbation, wording and rotation."
)
