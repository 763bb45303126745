"""Findings on the best model, and whether it differs significantly from the others."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from evalsuite.analyses.findings.cells import FindingCell, best_baselines, models
from evalsuite.analyses.findings.words import Finding, bare, listed, score, value, within
from evalsuite.analyses.significance import ALPHA, TESTS, TaskComparisons
from evalsuite.common.grouping import by_key
from evalsuite.common.sheet import Text
from evalsuite.types import Place


@dataclass(frozen=True, slots=True)
class TaskRanking:
    """A task on which models are compared: their cells, the best first, and the tests between them."""

    ranked: Sequence[FindingCell]
    comparison: TaskComparisons

    @property
    def is_won(self) -> bool:
        """Whether one model has the highest score; ties are no wins."""
        return self.ranked[0].score > self.ranked[1].score + 1e-12

    @property
    def is_clear(self) -> bool:
        """Whether the model with the highest score is significantly ahead of all others."""
        return self.is_won and not self.comparison.not_worse

    @property
    def is_testable(self) -> bool:
        """Whether the task has enough dialogues for a significant difference between two models."""
        return self.comparison.least_p < ALPHA


def best(cells: Sequence[FindingCell], comparisons: Iterable[TaskComparisons], title: Text) -> list[Finding]:
    """Name the model that is best on most tasks; if there is one model, its lowest and highest score."""
    of_models = models(cells)
    if len({c.id for c in of_models}) < 2:
        return _alone(of_models, title)
    columns = compared(of_models, comparisons)
    won = [column for column in columns if column.is_won]
    if not won:
        return []
    by_model = by_key((column.ranked[0].id, column) for column in won)
    most = max(map(len, by_model.values()))
    first = [won for won in by_model.values() if len(won) == most]
    baselines = best_baselines(cells)
    if len(first) > 1:
        return [_several_lead(first, len(columns), most, title)]
    return [_one_leads(first[0], columns, baselines, title)]


def compared(of_models: Sequence[FindingCell], comparisons: Iterable[TaskComparisons]) -> list[TaskRanking]:
    """The tasks on which two or more models are compared by the first metric."""
    at = {replace(c.cell.place, model=c.id): c for c in of_models}
    columns = []
    for comparison in comparisons:
        there = [at.get(Place(name, **comparison.coordinates())) for name in comparison.letters]
        ranked = sorted((c for c in there if c), key=lambda c: -c.score)
        if len(ranked) > 1 and not comparison.adapters and comparison.metric == ranked[0].task.metrics[0]:
            columns.append(TaskRanking(ranked, comparison))
    return columns


def _several_lead(first: Sequence[Sequence[TaskRanking]], count: int, most: int, title: Text) -> Finding:
    """Say that several models are best on as many tasks."""
    names = [won[0].ranked[0].name for won in first]
    return Finding(
        "best",
        f"{title.zh}：{'、'.join(names)} 各在 {count} 项任务中的 {most} 项上最好。",
        f"{', '.join(names[:-1])} and {names[-1]} are each best on {most} of {count} tasks of {title.en}.",
        cell=first[0][0].ranked[0].number,
    )


def _one_leads(
    wins: Sequence[TaskRanking], columns: Sequence[TaskRanking], baselines: dict[str, FindingCell], title: Text
) -> Finding:
    """Say that one model is best on most tasks, with its clearest win: a significant one where there is one, then one above the
    baselines."""

    def clearest(column: TaskRanking) -> tuple[bool, bool, float]:
        first, second, *_ = column.ranked
        base = baselines.get(first.task.name)
        return column.is_clear, base is None or first.score > base.score, first.score - second.score

    shown = max(wins, key=clearest)
    first, second, *_ = shown.ranked
    count, most, clear = len(columns), len(wins), sum(column.is_clear for column in wins)
    compared = len({cell.id for column in columns for cell in column.ranked})
    below = sum(_is_below(column, baselines) for column in wins)
    under = Text(f"，有 {below} 项低于某个基线", f", below a baseline on {below}") if below else Text("", "")
    lead = _lead(clear, wins, count)
    test = _test(wins) if any(column.is_testable for column in wins) else Text("", "")
    best, then = score(first), bare(second)
    if count == 1:
        zh = (
            f"{title.zh}：{compared} 个模型中，{first.name} 在{first.task.zh}上最好，{best.zh}，{lead.zh}{'，低于某个基线' * below}；"
            f"其次 {second.name}，{then.zh}。"
        )
        en = (
            f"{first.name} is best of {compared} models on {within(first.task.en, title.en)}, {best.en}, {lead.en}"
            f"{', below a baseline' * below}; next {second.name}, {then.en}."
        )
    else:
        where = Text(f" {count} 项任务中的 {most} 项", f"{most} of {count} tasks")
        if most == count:
            where = Text(f"全部 {count} 项任务", f"all {count} tasks")
        zh = (
            f"{title.zh}：{compared} 个模型中，{first.name} 在{where.zh}上最好，{lead.zh}{under.zh}；"
            f"{first.task.zh}：{best.zh}，其次 {second.name}，{then.zh}。"
        )
        en = (
            f"{first.name} is best of {compared} models on {where.en} of {title.en}, {lead.en}{under.en}; "
            f"{first.task.en}: {best.en}, next {second.name}, {then.en}."
        )
    return Finding("best", zh, en, test.zh, test.en, first.number)


def _is_below(column: TaskRanking, baselines: dict[str, FindingCell]) -> bool:
    """Whether a baseline is ahead of the best model."""
    base = baselines.get(column.ranked[0].task.name)
    return base is not None and base.score > column.ranked[0].score


def _lead(clear: int, wins: Sequence[TaskRanking], count: int) -> Text:
    """Count the wins on which a model is significantly ahead of all others, among tasks with enough dialogues for a test."""
    if not any(column.is_testable for column in wins):
        return Text("对话太少，无法判断领先是否显著", "from too few dialogues to tell it from the others")
    if count == 1:
        if clear:
            return Text("显著领先于所有其他模型", "significantly ahead of every other model")
        return Text("但并非与每个模型都有显著差异", "not significantly ahead of every other model")
    if clear:
        return Text(f"其中 {clear} 项显著领先于所有其他模型", f"significantly ahead of all others on {clear} of them")
    return Text("但没有一项显著领先于所有其他模型", "significantly ahead of all others on none of them")


def _test(columns: Sequence[TaskRanking]) -> Text:
    """The tests of these columns, each corrected over its pairs of models."""
    names = [TESTS[name] for name in sorted({column.comparison.test for column in columns})]
    pairs = sorted({math.comb(len(column.comparison.letters), 2) for column in columns})
    spread = str(pairs[0]) if len(pairs) == 1 else f"{pairs[0]}–{pairs[-1]}"
    en = " or ".join(name.en for name in names)
    zh, en = "或".join(name.zh for name in names), f"{en[0].upper()}{en[1:]}"
    if spread == "1":
        return Text(zh, en)
    return Text(f"{zh}，每项任务的 {spread} 对模型经 Holm 校正", f"{en}, Holm over the {spread} pairs of a task")


def _alone(of_models: Sequence[FindingCell], title: Text) -> list[Finding]:
    """The scores of the only model: the lowest and the highest accuracy, or else of the metric that most of its tasks have."""
    if not of_models:
        return []
    kinds = Counter(c.task.metrics[0] for c in of_models)
    metric = "accuracy" if "accuracy" in kinds else kinds.most_common(1)[0][0]
    alike = sorted((c for c in of_models if c.task.metrics[0] == metric), key=lambda c: c.score)
    low, high = alike[0], alike[-1]
    least, most = score(low), score(high)
    if len(alike) == 1:
        zh = f"{title.zh}：{low.name} 在{low.task.zh}上得 {least.zh}。"
        en = f"{low.name}: {least.en} on {within(low.task.en, title.en)}."
    elif value(low) == value(high):
        names, shared = listed([c.task.name for c in alike]), value(low)
        zh = f"{title.zh}：{low.name} 在{names.zh}上都得 {shared.zh}。"
        en = f"{low.name} gets {shared.en} on each of {names.en} of {title.en}."
    else:
        zh = f"{title.zh}：{low.name} 的得分从{low.task.zh}的 {least.zh}到{high.task.zh}的 {most.zh}。"
        en = f"{low.name} gets from {least.en} on {low.task.en} to {most.en} on {high.task.en} of {title.en}."
    return [Finding("best", zh, en, cell=high.number)]
