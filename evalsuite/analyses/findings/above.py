"""Findings on models above chance, and on the scores of baselines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from evalsuite.analyses import chance
from evalsuite.analyses.chance import Chance
from evalsuite.analyses.findings.cells import (
    FindingCell,
    baseline_kind,
    best_baselines,
    best_of_tasks,
    ranked_cells,
)
from evalsuite.analyses.findings.words import Finding, bare, listed, many, percent, span, value, within
from evalsuite.analyses.significance import ALPHA
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.sheet import Text
from evalsuite.results.analysis import Results


@dataclass(frozen=True, slots=True)
class CellChance:
    """A cell of choices, with its test against chance: the model's own choices in random order."""

    cell: FindingCell
    row: Chance  # its row of "chance" in results.json
    p: float  # by Holm over all tests that are shown together
    least: float  # the smallest p that the permutations of its run can give, corrected in the same way

    @property
    def is_above(self) -> bool:
        """Whether the model is right significantly more often than by chance."""
        return self.p < ALPHA

    @property
    def reference(self) -> float:
        """The accuracy without knowledge of the items: that of guessing, or of the best constant answer if it is higher."""
        return max(self.row.chance, self.row.constant)

    @property
    def reference_name(self) -> Text:
        """The strategy whose accuracy is the reference: guessing, or one answer to all items."""
        if self.row.constant_beats_guesses:
            return Text(f"全选 {self.row.label} 可得", f"always {self.row.label}")
        return Text("随机水平", "guessing")


def _tested(cells: Sequence[FindingCell], runs: Sequence[Results]) -> tuple[list[CellChance], bool]:
    """(cells of models that are tested against chance, whether cells with too few dialogues for a test were left out). Runs of
    earlier versions have no such tests."""
    from evalsuite.metrics.statistics import FEWEST, family_draws, holm

    at = {(run, row.place): row for run, results in enumerate(runs) for row in results.of(chance.ANALYSIS) or ()}
    rows = [(cell, at.get((cell.run, cell.cell.place))) for cell in ranked_cells(cells)]
    known = [(cell, row) for cell, row in rows if row is not None]
    tested = [(cell, row) for cell, row in known if row.dialogues >= FEWEST]
    p = holm({cell.number: row.p for cell, row in tested})
    # A run draws as many permutations as its own tests need; a page of many runs has more tests.
    draws = [family_draws(len(results.of(chance.ANALYSIS) or ())) for results in runs]
    least = holm({cell.number: 1 / (draws[cell.run] + 1) for cell, _ in tested})
    chances = [CellChance(cell, row, p[cell.number], least[cell.number]) for cell, row in tested]
    return chances, len(tested) < len(known)


def above_chance(cells: Sequence[FindingCell], runs: Sequence[Results], title: Text) -> list[Finding]:
    """Name the model that is above chance on most choice tasks.

    Then name the tasks on which no model is, with the model that comes nearest there; if there is no such task, the model that
    is furthest above chance.
    """
    tested, few = _tested(cells, runs)
    if not tested:
        zh, en = (
            f"{title.zh}：对话太少，无法判断是否高于随机水平。",
            f"Too few dialogues to tell who is above chance on {title.en}.",
        )
        return [Finding("chance", zh, en)] if few else []
    if min(g.least for g in tested) >= ALPHA:
        zh = (
            f"{title.zh}：{len(tested)} 次检验一起校正，各运行的随机置换次数不足以使 p 低于 0.05，无法判断是否高于随机水平；"
            "请分别查看各运行。"
        )
        en = (
            f"Who is above chance on {title.en} cannot be told: corrected over {len(tested)} tests, p cannot be below 0.05 with "
            "the random permutations of these runs; see the page of each run."
        )
        return [Finding("chance", zh, en)]
    names = sorted({g.cell.task.name for g in tested}, key=[*TASKS].index)
    below = [name for name in names if not any(g.cell.task.name == name and g.is_above for g in tested)]
    several = len({g.cell.id for g in tested}) > 1
    who = _nobody(tested, names, several, title) if len(below) == len(names) else _somebody(tested, names, title)
    candidates = [g for g in tested if g.cell.task.name in below] or tested
    example = max(candidates, key=lambda g: (g.cell.score - g.reference, -g.cell.number))
    cell, whose, items = example.cell, example.reference_name, example.row.items
    accuracy, reference = percent(cell.score), percent(example.reference)
    zh = f"{accuracy.zh}（{items} 题），{whose.zh} {reference.zh}"
    en = f"{accuracy.en} of {many(items, 'item')}, where {whose.en} gets {reference.en}"
    # The example's task and model are named unless there is only one.
    on = Text("", "") if len(names) == 1 else Text(f"{cell.task.zh}上", f" on {cell.task.en}")
    name = Text(f" {cell.name}", cell.name) if several else Text("", "it")
    if 0 < len(below) < len(names):
        nobody = Text("没有模型做到", "nobody") if several else Text("未做到", "not")
        there = listed(below)
        who = Text(f"{who.zh}，{there.zh}上{nobody.zh}", f"{who.en}, {nobody.en} on {there.en}")
        on = on if len(below) > 1 else Text("其中", " there")
    nearest = Text("最接近的是", "comes nearest") if below else Text("高出最多的是", "is furthest above")
    shown = Text(f"；{on.zh}{nearest.zh}{name.zh}", f"; {name.en} {nearest.en}{on.en}")
    if not several:
        shown = Text(f"；{on.zh}" if on.zh else "", shown.en if on.en else "")
    test = Text(
        f"模型自身选择的置换检验，{len(tested)} 次检验经 Holm 校正",
        f"Permutation of a model's own choices, Holm over {many(len(tested), 'test')}",
    )
    if below:
        there = Text("该处 ", " there") if len(below) < len(names) else Text("", "")
        least = f"{min(g.p for g in candidates):.2g}"
        smallest = "p = 1" if least == "1" else f"p ≥ {least}"
        test = Text(f"{test.zh}，{there.zh}{smallest}", f"{test.en}: {smallest}{there.en}")
    return [
        Finding(
            "chance",
            f"{title.zh}：{who.zh}{shown.zh}：{zh}。",
            f"{who.en}{shown.en}: {en}.",
            test.zh,
            test.en,
            cell.number,
        )
    ]


def _nobody(tested: Sequence[CellChance], names: Sequence[str], several: bool, title: Text) -> Text:
    """Say that no model is above chance on any task."""
    where = Text(f"全部 {len(names)} 项选择题", f"any of the {len(names)} choice tasks")
    if len(names) == 1:
        where = listed(names)
    where = Text(where.zh, within(where.en, title.en))
    if several:
        return Text(
            f"在{where.zh}上，没有模型显著高于随机水平", f"No model is significantly above chance on {where.en}"
        )
    name = tested[0].cell.name
    return Text(f"在{where.zh}上，{name} 未显著高于随机水平", f"{name} is not significantly above chance on {where.en}")


def _somebody(tested: Sequence[CellChance], names: Sequence[str], title: Text) -> Text:
    """Name the model that is above chance on most tasks; of several, the one with the highest scores."""
    counts = Counter(g.cell.id for g in tested if g.is_above)
    most = max(counts.values())
    total = {model: sum(g.cell.score for g in tested if g.cell.id == model) for model in counts}
    leaders = sorted((model for model, count in counts.items() if count == most), key=lambda model: -total[model])
    name = next(g.cell.name for g in tested if g.cell.id == leaders[0])
    others = len(leaders) - 1
    more = Text(f"等 {others + 1} 个模型", f" and {others} more are") if others else Text("", " is")
    where = Text(f" {len(names)} 项选择题中的 {most} 项", f"{most} of {len(names)} choice tasks")
    if most == len(names):
        where = Text(f"全部 {len(names)} 项选择题", f"all {len(names)} choice tasks")
    if len(names) == 1:
        where = listed(names)
    where = Text(where.zh, within(where.en, title.en))
    return Text(
        f"{name} {more.zh}在{where.zh}上显著高于随机水平", f"{name}{more.en} significantly above chance on {where.en}"
    )


# Kind of a baseline of the suite -> its description.
_BASELINES = {
    "lexical": Text("词面重合", "lexical overlap"),
    "majority": Text("最常见的答案", "the most frequent answer"),
    "random": Text("随机基线", "the random baseline"),
}


def above_baselines(cells: Sequence[FindingCell], title: Text) -> list[Finding]:
    """Count the tasks on which the best score is above all baselines, and name the task on which a baseline leads most."""
    best = best_of_tasks(ranked_cells(cells))
    pairs = [(baseline, best[name]) for name, baseline in best_baselines(cells, best).items()]
    if not pairs:
        return []
    above = sum(model.score > baseline.score for baseline, model in pairs)
    whose = (
        Text("最高分", "The best score")
        if len({c.id for c in ranked_cells(cells)}) > 1
        else Text(f"{pairs[0][1].name} 的得分", f"{pairs[0][1].name}'s score")
    )
    on = Text(
        f" {len(pairs)} 项任务中的 {above} 项上",
        f"{above or 'none'} of {many(len(pairs), 'task')}" if above < len(pairs) else f"all {len(pairs)} tasks",
    )
    if above in (0, len(pairs)):
        on = Text(f"{'全部' if above else ''} {len(pairs)} 项任务上都{'' if above else '没有'}", on.en)
    if len(pairs) == 1:
        task = pairs[0][0].task
        on = Text(f"{task.zh}上{'' if above else '没有'}", task.en)
    negated = "not " if len(pairs) == 1 and not above else ""
    zh = f"{title.zh}：{whose.zh}在{on.zh}高于所有基线"
    en = f"{whose.en} is {negated}above all baselines on {within(on.en, title.en)}"
    leads = [(baseline, model) for baseline, model in pairs if baseline.score > model.score]
    shown = pairs[0][1]
    if leads:
        shown, model = max(leads, key=lambda pair: (pair[0].score - pair[1].score, -pair[0].number))
        alone = _BASELINES.get(baseline_kind(shown), Text(f"基线 {shown.name}", f"the baseline {shown.name}"))
        there = Text(f"{shown.task.zh}上，", f"on {shown.task.en}, ") if len(pairs) > 1 else Text("", "")
        got, second = value(shown), bare(model)
        zh += f"；{there.zh}仅靠{alone.zh}即得 {got.zh}，{model.name} 为 {second.zh}"
        en += f"; {there.en}{alone.en} alone gets {got.en}, {model.name} {second.en}"
    items = span([model.cell.headline.n for _, model in pairs])
    test = Text(
        f"只比较得分，未作检验；{'每项任务 ' * (len(pairs) > 1)}{items} 题",
        f"Scores are compared, not tested; {items} item{'s' * (items != '1')}{' a task' * (len(pairs) > 1)}",
    )
    return [Finding("baselines", f"{zh}。", f"{en}.", test.zh, test.en, shown.number)]
