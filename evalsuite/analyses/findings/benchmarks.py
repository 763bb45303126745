"""The finding over several benchmarks: the model with the highest mean on most of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from evalsuite.analyses import overview
from evalsuite.analyses.findings.cells import FindingCell, baseline_cells
from evalsuite.analyses.findings.words import Finding, named, percent
from evalsuite.analyses.overview import BenchmarkGroup, GroupRow, GroupScore
from evalsuite.benchmarks.registry import BENCHMARKS, TASKS
from evalsuite.common.numbers import fixed
from evalsuite.common.sheet import Text
from evalsuite.results.analysis import Results
from evalsuite.results.words import split_order, split_words


@dataclass(frozen=True, slots=True)
class _BenchmarkMeans:
    """The means of two or more models on a benchmark, the highest first."""

    title: str
    ranked: Sequence[tuple[str, GroupScore, float]]  # (model's id, its mean and interval, the mean)
    baseline: float  # the highest mean of a baseline; 0 without one

    @property
    def lead(self) -> float:
        """The difference between the two highest means."""
        return self.ranked[0][2] - self.ranked[1][2]

    @property
    def is_won(self) -> bool:
        """Whether one model has the highest mean; ties are no wins."""
        return self.lead > 1e-12


def over_benchmarks(cells: Sequence[FindingCell], runs: Sequence[Results]) -> list[Finding]:
    """Name the model with the highest mean on most benchmarks of the first group that has means on several. The means are those
    of the page's first table; there is no test over benchmarks."""
    groups = [(n, group) for n, results in enumerate(runs) for group in results.of(overview.ANALYSIS) or ()]
    groups.sort(key=lambda pair: split_order(pair[1].split))
    shown = next((group for _, group in groups if sum(c.kind == "benchmark" for c in group.columns) > 1), None)
    if shown is None:
        return []
    names = {cell.id: cell.name for cell in cells if not (cell.cell.is_baseline or cell.cell.is_adapter)}
    same = [(n, group) for n, group in groups if (group.name, group.split) == (shown.name, shown.split)]
    columns = _means(same, names, {cell.id for cell in baseline_cells(cells)})
    won = [column for column in columns if column.is_won]
    if len(columns) < 2 or not won:
        return []
    counts = Counter(column.ranked[0][0] for column in won)
    most = max(counts.values())
    leaders = [model for model, count in counts.items() if count == most]
    wins = [column for column in won if column.ranked[0][0] == leaders[0]]
    compared = len({model for column in columns for model, *_ in column.ranked})
    split = split_words(shown.split)
    several = len({group.split for _, group in groups}) > 1
    on = Text(f"（{split.zh}）", f" ({split.en})") if several else Text("", "")
    test = Text(
        "各任务的平均，未作检验；检验见其余各条", "Means of tasks, without a test; the other findings have tests"
    )
    asked = {TASKS[cell.task].benchmark for results in runs for cell in results.cells}
    some = Text("所比较的 ", " compared") if len(asked) > len(columns) else Text("", "")
    if len(leaders) > 1:
        who = [names[model] for model in leaders]
        zh = f"{some.zh}{len(columns)} 个基准{on.zh}：{compared} 个模型中，{'、'.join(who)} 各在 {most} 个基准上平均分最高。"
        won_on = f"{most} of {len(columns)} benchmarks{some.en}"
        en = f"{named(who)} each have the highest mean of {compared} models on {won_on}{on.en}."
        return [Finding("benchmarks", zh, en, test.zh, test.en)]
    example = max(wins, key=lambda column: column.lead)
    (_, best, _), (second, next_best, _), *_ = example.ranked
    below = sum(column.baseline > column.ranked[0][2] for column in wins)
    titles = [column.title for column in wins]
    where = Text(
        f"其中 {most} 个基准（{'、'.join(titles)}）",
        f"{most} of {len(columns)} benchmarks{some.en} ({', '.join(titles)})",
    )
    if most == len(columns) and some.en:
        where = Text(
            f"全部 {most} 个基准（{'、'.join(titles)}）", f"all {most} benchmarks{some.en} ({', '.join(titles)})"
        )
    elif most == len(columns):
        where = Text(f"全部 {most} 个基准", f"all {most} benchmarks")
    under = Text(f"，有 {below} 个低于某个基线", f", below a baseline on {below}") if below else Text("", "")
    highest, then = _mean(best), percent(next_best.value or 0.0)
    zh = (
        f"{some.zh}{len(columns)} 个基准{on.zh}：{compared} 个模型中，{names[leaders[0]]} 在{where.zh}上平均分最高{under.zh}；"
        f"{example.title}：{highest.zh}，其次 {names[second]}，{then.zh}。"
    )
    en = (
        f"{names[leaders[0]]} has the highest mean of {compared} models on {where.en}{on.en}{under.en}; "
        f"{example.title}: {highest.en}, next {names[second]}, {then.en}."
    )
    return [Finding("benchmarks", zh, en, test.zh, test.en)]


def _mean(score: GroupScore) -> Text:
    """A mean with its interval: "79.3 % (75–82)"."""
    value = percent(score.value or 0.0)
    if score.low is None or score.high is None:
        return value
    between = f"{fixed(100 * score.low, 0)}–{fixed(100 * score.high, 0)}"
    return Text(f"{value.zh}（{between}）", f"{value.en} ({between})")


def _means(
    groups: Sequence[tuple[int, BenchmarkGroup]], models: Collection[str], baseline_ids: Collection[str]
) -> list[_BenchmarkMeans]:
    """The benchmarks of a group on which two or more models have a mean, asked in the most frequent way.

    groups: the group in each run, (the run's index, the group). models, baseline_ids: ids of models (`FindingCell.id`).
    """
    rows = [(f"{n}\t{row.model}", row, group) for n, group in groups for row in group.rows]
    ways = Counter((row.variant, row.shots, row.scoring) for model, row, _ in rows if model in models)
    if not ways:
        return []
    usual = ways.most_common(1)[0][0]
    columns = []
    for name in dict.fromkeys(c.name for _, group in groups for c in group.columns if c.kind == "benchmark"):
        # Runs may have other parts of a benchmark, or other items of a part (--limit): means of these do not compare.
        parts = {part for _, group in groups for c in group.columns if c.name == name for part in c.parts}
        whole = {
            model: (score, {part.name: part.items for part in row.parts if part.name in parts})
            for model, row, group in rows
            if (row.variant, row.shots, row.scoring) == usual and (score := _whole(row, group, name))
        }
        asked = Counter(frozenset(items.items()) for _, items in whole.values() if items.keys() == parts)
        most = max(asked, key=asked.__getitem__, default=None)
        means = {model: score for model, (score, items) in whole.items() if frozenset(items.items()) == most}
        values = {model: score.value for model, score in means.items() if score.value is not None}
        ranked = sorted((model for model in values if model in models), key=lambda model: -values[model])
        highest = max((value for model, value in values.items() if model in baseline_ids), default=0.0)
        if len(ranked) > 1:
            of_models = [(model, means[model], values[model]) for model in ranked]
            columns.append(_BenchmarkMeans(BENCHMARKS[name].title, of_models, highest))
    return columns


def _whole(row: GroupRow, group: BenchmarkGroup, benchmark: str) -> GroupScore | None:
    """A model's mean over a benchmark; None if it has none, or if one of its parts lacks replies or is an estimate."""
    for column, score in zip(group.columns, row.scores, strict=True):
        if (column.kind, column.name) == ("benchmark", benchmark):
            lacking = any(part.lost or part.estimated for part in row.parts if part.name in column.parts)
            return None if score.value is None or lacking else score
    return None
