"""Findings on the best model, and whether it differs significantly from the others."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from evalsuite.analyses.findings.cells import FindingCell, best_baselines, ranked_cells
from evalsuite.analyses.findings.words import Finding, bare, listed, score, value, within
from evalsuite.analyses.significance import ALPHA, TESTS, TaskComparisons
from evalsuite.common.grouping import by_key
from evalsuite.common.sheet import Text
from evalsuite.types import Place


@dataclass(frozen=True, slots=True)
class TaskRanking:
    """A task with the cells of the models that are compared on it, the best first, and the tests between them."""

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
    """Name the model that is best on most tasks; of a single model, give the lowest and the highest score."""
    of_models = ranked_cells(cells)
    if len({c.id for c in of_models}) < 2:
        return _alone(of_models, title)
    rankings = _rankings(of_models, comparisons)
    wins_by_model = by_key((ranking.ranked[0].id, ranking) for ranking in rankings if ranking.is_won)
    if not wins_by_model:
        return []
    most = max(map(len, wins_by_model.values()))
    first = [wins for wins in wins_by_model.values() if len(wins) == most]
    if len(first) > 1:
        return [_several_lead(first, len(rankings), most, title)]
    winners = {win.ranked[0].task.name: win.ranked[0] for win in first[0]}
    return [_one_leads(first[0], rankings, best_baselines(cells, winners), title)]


def _rankings(of_models: Sequence[FindingCell], comparisons: Iterable[TaskComparisons]) -> list[TaskRanking]:
    """The tasks on which two or more models are compared by the headline metric."""
    at = {replace(c.cell.place, model=c.id): c for c in of_models}
    rankings = []
    for comparison in comparisons:
        there = [at.get(Place(name, **comparison.coordinates())) for name in comparison.letters]
        ranked = sorted((c for c in there if c), key=lambda c: -c.score)
        if len(ranked) > 1 and not comparison.adapters and comparison.metric == ranked[0].task.metrics[0]:
            rankings.append(TaskRanking(ranked, comparison))
    return rankings


def _several_lead(first: Sequence[Sequence[TaskRanking]], count: int, most: int, title: Text) -> Finding:
    """Say that several models are best on the same number of tasks, `most` of `count`."""
    names, wins = [won[0].ranked[0].name for won in first], [win for won in first for win in won]
    testable = any(win.is_testable for win in wins)
    lead = (
        _lead(wins, count)
        if testable
        else Text("对话太少，无法判断领先是否显著", "from too few dialogues to tell them apart")
    )
    test = _test(wins) if testable else Text("", "")
    return Finding(
        "best",
        f"{title.zh}：{'、'.join(names)} 各在 {count} 项任务中的 {most} 项上最好，{lead.zh}。",
        f"{', '.join(names[:-1])} and {names[-1]} are each best on {most} of {count} tasks of {title.en}, {lead.en}.",
        test.zh,
        test.en,
        first[0][0].ranked[0].number,
    )


def _one_leads(
    wins: Sequence[TaskRanking], rankings: Sequence[TaskRanking], best_baselines: dict[str, FindingCell], title: Text
) -> Finding:
    """Say that one model is best on most tasks, and show its clearest win: a significant one before others, then one above the
    baselines, then the one with the largest lead."""

    def clarity(win: TaskRanking) -> tuple[bool, bool, float]:
        first, second, *_ = win.ranked
        baseline = best_baselines.get(first.task.name)
        return win.is_clear, baseline is None or first.score > baseline.score, first.score - second.score

    first, second, *_ = max(wins, key=clarity).ranked
    count, most = len(rankings), len(wins)
    compared = len({cell.id for ranking in rankings for cell in ranking.ranked})
    below = sum(_is_below(win.ranked[0], best_baselines) for win in wins)
    under = Text(f"，有 {below} 项低于某个基线", f", below a baseline on {below}") if below else Text("", "")
    lead = _lead(wins, count)
    test = _test(wins) if any(win.is_testable for win in wins) else Text("", "")
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


def _is_below(cell: FindingCell, best_baselines: dict[str, FindingCell]) -> bool:
    """Whether a baseline has a higher score than a model's cell on its task."""
    baseline = best_baselines.get(cell.task.name)
    return baseline is not None and baseline.score > cell.score


def _lead(wins: Sequence[TaskRanking], count: int) -> Text:
    """Count the tasks on which the winner is significantly ahead of all others. `count`: number of compared tasks, won or not."""
    clear = sum(win.is_clear for win in wins)
    if not any(win.is_testable for win in wins):
        return Text("对话太少，无法判断领先是否显著", "from too few dialogues to tell it from the others")
    if count == 1:
        if clear:
            return Text("显著领先于所有其他模型", "significantly ahead of every other model")
        return Text("但并非与每个模型都有显著差异", "not significantly ahead of every other model")
    if clear:
        return Text(f"其中 {clear} 项显著领先于所有其他模型", f"significantly ahead of all others on {clear} of them")
    return Text("但没有一项显著领先于所有其他模型", "significantly ahead of all others on none of them")


def _test(rankings: Sequence[TaskRanking]) -> Text:
    """The tests of these tasks, and the number of pairs of models that each task's test is corrected over."""
    names = [TESTS[name] for name in sorted({ranking.comparison.test for ranking in rankings})]
    pairs = sorted({math.comb(len(ranking.comparison.letters), 2) for ranking in rankings})
    spread = str(pairs[0]) if len(pairs) == 1 else f"{pairs[0]}–{pairs[-1]}"
    en = " or ".join(name.en for name in names)
    zh, en = "或".join(name.zh for name in names), f"{en[0].upper()}{en[1:]}"
    if spread == "1":
        return Text(zh, en)
    return Text(f"{zh}，每项任务的 {spread} 对模型经 Holm 校正", f"{en}, Holm over the {spread} pairs of a task")


def _alone(of_models: Sequence[FindingCell], title: Text) -> list[Finding]:
    """The lowest and the highest accuracy of the only model; without accuracies, those of its most frequent headline metric."""
    if not of_models:
        return []
    counts = Counter(c.task.metrics[0] for c in of_models)
    metric = "accuracy" if "accuracy" in counts else counts.most_common(1)[0][0]
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
