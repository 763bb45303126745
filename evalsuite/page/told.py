"""What a run's results say, in three lines for a terminal: who is best, whether that is more than guessing, and what stands in
the way of saying more.

They are about the cells that the page's findings are about, and rest on the same tests; a line for which a run has nothing is
left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import median

from evalsuite.analyses import ranking, robustness
from evalsuite.analyses.robustness import Positions
from evalsuite.benchmarks.registry import BENCHMARKS, TASKS, metric_rows
from evalsuite.common.sheet import Text
from evalsuite.page.findings import (
    Shown,
    baseline_kind,
    each_best,
    gap_found,
    guesses,
    leaders,
    looked_at,
    models,
    numbered,
    percent,
    rankable,
    wins,
)
from evalsuite.results.analysis import Results
from evalsuite.results.schema.cell import CellResult
from evalsuite.types import Status

SILENT = 0.05  # the least share of replies without an answer that is told
WIDE = 0.1  # the least half width of an interval that is told
ALIKE = 0.8  # the least share of one option among a model's choices that is told
APART = 0.25  # and the least that this is more than the option is right
FEW = 8  # choices below which nothing is said of their distribution


def told(done: Results) -> list[Text]:
    """At most three sentences on a run. Reads the records of the cells that they are about."""
    own = [c for c in done.cells if not c.is_baseline]
    if not own:
        return [Text("本次只评测了基线，没有模型。", "Only baselines were asked, no model.")] if done.cells else []
    here, title = _looked_at(done)
    lines = [*_best(here, title), *_above(here, done)]
    if not models(here):
        lines = [Text("没有一个模型有完整、未扰动的结果，因此不作排名。", "No cell of a model is whole and unperturbed: nobody is ranked.")]  # fmt: skip
    return lines + (_obstacles(done, own, here) or _gap(done, here))


def _looked_at(done: Results) -> tuple[list[Shown], str]:
    """The cells of the first benchmark that has some, and the name of their set, with the way of asking if there are several."""
    cells = numbered([done])
    for benchmark in BENCHMARKS.values():
        mine = [c for c in cells if TASKS[c.cell.task].benchmark == benchmark.name]
        if benchmark.averaged or not mine:
            continue
        first, _ = looked_at(benchmark, mine, {})
        rated = rankable(ranking.rated_cells(done.out, [c.cell for c in first], "0\t"))
        here, title = looked_at(benchmark, mine, rated)
        if here:
            ways = {replace(c.cell.place, perturb="none").way for c in mine}
            return here, f"{title} ({here[0].cell.way})" if len(ways) > 1 else title
    return [], ""


# --- who is best


def _best(here: Sequence[Shown], title: str) -> list[Text]:
    """Who is best on most tasks, with a score, its interval and its items, and whether that is told apart from the next."""
    own = models(here)
    if len({c.id for c in own}) < 2:
        return _alone(own, title)
    won, count = wins(here, ranking.groups([c.rated for c in own if c.rated]))
    if not won:
        return []
    named = leaders(won)
    mine = next(iter(named.values()))
    best = max(mine, key=lambda win: (win.alone, win.first.score - win.second.score))
    first, second, most, clear = best.first, best.second, len(mine), sum(win.alone for win in mine)
    if count == 1:
        apart = Text("显著领先于所有其他模型", "significantly ahead of every other model") if clear else Text("但并非与每个模型都有显著差异", "not told apart from all others")  # fmt: skip
        return [
            Text(
                f"{title}：{first.name} 在{first.task.zh}上最好，{_score(first, 'zh')}，{apart.zh}；其次 {second.name}，{_value(second, 'zh')}。",
                f"{first.name} is best on {first.task.short} of {title}, {_score(first, 'en')}, {apart.en}; next {second.name}, {_value(second, 'en')}.",
            )
        ]
    if len(named) > 1:
        return [each_best(named, count, title)]
    lead = Text(f"其中 {clear} 项显著领先于所有其他模型" if clear else "但没有一项显著领先于所有其他模型",
                f"significantly ahead of every other model on {clear or 'none'} of them")  # fmt: skip
    return [
        Text(
            f"{title}：{first.name} 在 {count} 项任务中的 {most} 项上最好，{lead.zh}；{first.task.zh}：{_score(first, 'zh')}，其次 {second.name}，{_value(second, 'zh')}。",
            f"{first.name} is best on {'all' if most == count else f'{most} of'} {count} tasks of {title}, {lead.en}; {first.task.short}: {_score(first, 'en')}, "
            f"next {second.name}, {_value(second, 'en')}.",
        )
    ]


def _alone(own: Sequence[Shown], title: str) -> list[Text]:
    """The scores of the only model: the lowest and the highest accuracy, or else of the metric that most of its tasks have."""
    if not own:
        return []
    kinds = Counter(c.task.metrics[0] for c in own)
    metric = "accuracy" if "accuracy" in kinds else kinds.most_common(1)[0][0]
    alike = sorted((c for c in own if c.task.metrics[0] == metric), key=lambda c: c.score)
    low, high = alike[0], alike[-1]
    if len(alike) == 1:
        return [Text(f"{title}：{low.name} 在{low.task.zh}上得 {_score(low, 'zh')}。", f"{low.name}: {_score(low, 'en')} on {low.task.short} of {title}.")]  # fmt: skip
    return [
        Text(
            f"{title}：{low.name} 的得分从{low.task.zh}的 {_score(low, 'zh')}到{high.task.zh}的 {_score(high, 'zh')}。",
            f"{low.name} gets from {_score(low, 'en')} on {low.task.short} to {_score(high, 'en')} on {high.task.short} of {title}.",
        )
    ]


def _score(cell: Shown, language: str) -> str:
    """ "41.7 % (15-72, 12 items)": the headline, its interval and its items."""
    figure = cell.cell.headline
    items = f"{figure.n} {'题' if language == 'zh' else 'items'}"
    scale = 100 if metric_rows()[cell.task.metrics[0]].percent else 1
    digits = 0 if scale == 100 else 2
    between = []
    if figure.bounds:
        _, low, high = figure.bounds
        between = [f"{scale * low:.{digits}f}–{scale * high:.{digits}f}"]
    if language == "zh":
        return f"{_value(cell, language)}（{'，'.join([*between, items])}）"
    return f"{_value(cell, language)} ({', '.join([*between, items])})"


def _value(cell: Shown, language: str) -> str:
    metric = metric_rows()[cell.task.metrics[0]]
    score = percent(cell.score, language) if metric.percent else f"{cell.score:.2f}"
    return score if cell.task.metrics[0] == "accuracy" else f"{score} {metric.en or metric.zh}"


# --- chance and baselines


def _positions(done: Results) -> list[Positions]:
    content = done.of(robustness.ANALYSIS)
    return content.positions if content else []


def _above(here: Sequence[Shown], done: Results) -> list[Text]:
    """Who is above chance on how many choice tasks, and on how many tasks the best score is above every baseline's."""
    parts = [*_chance(here, done), *_baselines(here)]
    if not parts:
        return []
    en = "; ".join(part.en for part in parts)
    # A model's name at the beginning stays as it is.
    first = en[0].upper() if en.startswith(("no ", "the ", "its ", "too few ")) else en[0]
    return [Text(f"{'；'.join(part.zh for part in parts)}。", f"{first}{en[1:]}.")]


def _chance(here: Sequence[Shown], done: Results) -> Iterator[Text]:
    found, few = guesses(here, [done])
    if not found:
        if few:
            yield Text("对话太少，无法判断是否高于随机水平", "too few dialogues to tell who is above chance")
        return
    tested, above = [g.cell for g in found], [g.cell for g in found if g.above]
    tasks = {c.task.name for c in tested}
    how, how_zh = " (its own choices permuted, Holm)", "（自身选择的置换检验，Holm 校正）"
    if not above:
        tasks_en, tasks_zh = ("the choice task", "选择题") if len(tasks) == 1 else (f"any of the {len(tasks)} choice tasks", f" {len(tasks)} 项选择题")  # fmt: skip
        if len({c.id for c in tested}) == 1:
            name, every = tested[0].name, "均" * (len(tasks) > 1)
            yield Text(f"{name} 在{tasks_zh}上{every}未显著高于随机水平{how_zh}", f"{name} is not significantly above chance on {tasks_en}{how}")  # fmt: skip
        else:
            yield Text(f"没有模型在{tasks_zh}{'中的任何一项' * (len(tasks) > 1)}上显著高于随机水平{how_zh}", f"no model is significantly above chance on {tasks_en}{how}")  # fmt: skip
        return
    counts = Counter(c.id for c in above)
    leader, most = counts.most_common(1)[0]
    names = [c.name for name in counts if counts[name] == most for c in tested if c.id == name]
    name = next(c.name for c in tested if c.id == leader)
    others = len(dict.fromkeys(names)) - 1
    more, more_zh = (f" and {others} more" if others else ""), (f"等 {others + 1} 个模型" if others else "")
    dark = [c for c in sorted(tasks, key=[*TASKS].index) if c not in {a.task.name for a in above}]
    nobody = (
        f", nobody on {', '.join(TASKS[n].short for n in dark)}" if dark and len({c.id for c in tested}) > 1 else ""
    )
    nobody_zh = f"，{'、'.join(TASKS[n].zh for n in dark)}上则没有模型做到" if nobody else ""
    yield Text(
        f"{name}{more_zh} 在 {len(tasks)} 项选择题任务中的 {most} 项上显著高于随机水平{nobody_zh}{how_zh}",
        f"{name}{more} {'are' if others else 'is'} significantly above chance on {most} of {len(tasks)} choice task{'s' * (len(tasks) > 1)}{nobody}{how}",
    )


def _baselines(here: Sequence[Shown]) -> Iterator[Text]:
    own = models(here)
    ahead = count = 0
    for name in {c.task.name for c in own}:
        base = [c.score for c in here if c.task.name == name and c.cell.is_baseline and baseline_kind(c) != "oracle"]
        if base:
            count += 1
            ahead += max(c.score for c in own if c.task.name == name) > max(base)
    if count:
        whose = Text("最高分", "the best score") if len({c.id for c in own}) > 1 else Text("其得分", "its score")
        tasks = "tasks" if count > 1 else "task"
        yield Text(f"{whose.zh}在 {count} 项任务中的 {ahead} 项上高于所有基线", f"{whose.en} is above every baseline's on {ahead or 'none'} of {count} {tasks}")  # fmt: skip


# --- what stands in the way


def _obstacles(done: Results, own: Sequence[CellResult], here: Sequence[Shown]) -> list[Text]:
    parts = [*_lost(own), *_silent(own), *_same_choice(done, here), *_small(here), *_estimates(own)]
    if not parts:
        return []
    return [Text(f"需注意：{'；'.join(p.zh for p in parts)}。", f"In the way: {'; '.join(p.en for p in parts)}.")]


def _lost(own: Sequence[CellResult]) -> Iterator[Text]:
    asked = sum(c.items for c in own)
    failed = sum(c.failed for c in own)
    missing = sum(c.missing for c in own if not c.is_estimate)
    if failed:
        names = dict.fromkeys(c.model for c in own if c.failed)
        yield Text(f"{asked} 个请求中有 {failed} 个失败（{'、'.join(names)}）", f"{failed} of {asked} requests failed ({', '.join(names)})")  # fmt: skip
    if missing:
        yield Text(f"{asked} 个请求中有 {missing} 个尚未提问", f"{missing} of {asked} requests are not asked yet")


def _silent(own: Sequence[CellResult]) -> Iterator[Text]:
    """The model with the largest share of replies without an answer, and their most frequent status."""
    worst: tuple[float, str, str] = (0.0, "", "")
    for name in dict.fromkeys(c.model for c in own):
        status: Counter[str] = Counter()
        for c in own:
            status.update(c.status if c.model == name else {})
        answered = sum(status.values()) - status[Status.FAILED.value]
        silent = Counter({k: v for k, v in status.items() if k not in (Status.FAILED.value, Status.PARSED.value)})
        if answered and silent.total() / answered > worst[0]:
            worst = (silent.total() / answered, name, silent.most_common(1)[0][0])
    share, name, kind = worst
    if share >= SILENT:
        kind_zh = _STATUS.get(kind, kind)
        yield Text(f"{name} 的回复有 {100 * share:.0f}% 没有读出答案（多为{kind_zh}）", f"{100 * share:.0f} % of {name}'s replies have no answer (mostly {kind})")  # fmt: skip


_STATUS = {
    "unparsed": "未能解析", "refused": "拒答", "truncated": "被截断", "several": "选了多项", "conflict": "矛盾",
    "empty": "空回复", "filtered": "被内容过滤拦截",
}  # fmt: skip


def _same_choice(done: Results, here: Sequence[Shown]) -> Iterator[Text]:
    """The model's cell in which most choices are one option, though it is not as often right."""
    cells = {c.cell.place: c for c in models(here) if c.task.kind.single}
    found: list[tuple[float, Shown, int, int, str]] = []
    for row in _positions(done):
        cell, chosen, gold = cells.get(row.place), row.chosen, row.gold
        if cell is None or sum(chosen) < FEW:
            continue
        at = max(range(len(chosen)), key=chosen.__getitem__)
        share = chosen[at] / sum(chosen)
        if share >= ALIKE and share - gold[at] / sum(gold) >= APART:
            found.append((share, cell, chosen[at], sum(chosen), row.labels[at]))
    if found:
        _, cell, times, of, label = max(found, key=lambda row: (row[0], row[3]))
        yield Text(
            f"{cell.name} 在{cell.task.zh}的 {of} 题{f'中有 {times} 题' if times < of else '全都'}选 {label}",
            f"{cell.name} chose {label} on {times} of {of} items of {cell.task.short}",
        )


def _small(here: Sequence[Shown]) -> Iterator[Text]:
    """How wide the intervals are, if they are wide."""
    own = [c for c in models(here) if metric_rows()[c.task.metrics[0]].percent]
    found = [c.cell.headline for c in own]
    halves = [(bounds[2] - bounds[1]) / 2 for figure in found if (bounds := figure.bounds)]
    items = sorted({figure.n for figure in found})
    if found and not halves:
        yield Text(
            "每项任务的题目都来自同一段对话，没有置信区间", "the items of a task are of one dialogue: no intervals"
        )
    elif halves and median(halves) >= WIDE:
        n = str(items[0]) if len(items) == 1 else f"{items[0]}–{items[-1]}"
        half = 100 * median(halves)
        yield Text(f"每项任务 {n} 题，置信区间约为 ±{half:.0f} 个百分点", f"{n} items a task, about ±{half:.0f} points")


def _estimates(own: Sequence[CellResult]) -> Iterator[Text]:
    if count := sum(c.is_estimate for c in own):
        yield Text(
            f"{len(own)} 个单元格中有 {count} 个只问了部分题目，是估计值，不参与排名",
            f"{count} of {len(own)} cells are estimates from a part of the items and are not ranked",
        )


def _gap(done: Results, here: Sequence[Shown]) -> list[Text]:
    """Where nothing stands in the way: how much harder the harder set is."""
    if not here:
        return []
    benchmark = BENCHMARKS[here[0].task.benchmark]
    return [Text(found.zh, found.en) for found in gap_found(here, [done], benchmark)]
