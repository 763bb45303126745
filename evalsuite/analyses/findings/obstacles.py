"""The finding on obstacles: failures, replies without an answer, one answer to all items, wide intervals, estimates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median

from evalsuite.analyses import robustness
from evalsuite.analyses.findings.cells import FindingCell, ranked_cells
from evalsuite.analyses.findings.words import Finding, many
from evalsuite.benchmarks.registry import BENCHMARKS, metric_rows
from evalsuite.common.numbers import fixed
from evalsuite.common.sheet import Text
from evalsuite.results.analysis import Results
from evalsuite.results.words import outcome_words
from evalsuite.types import Status

SILENT = 0.05  # smallest share of replies without an answer that gets a sentence
WIDE = 0.1  # smallest half width of an interval that gets a sentence
ALIKE = 0.8  # smallest share of one option among a model's choices that gets a sentence
APART = 0.25  # smallest excess of that share over the option's share of the right answers that gets a sentence
FEW = 8  # fewest choices whose distribution gets a sentence


def obstacles(cells: Sequence[FindingCell], here: Sequence[FindingCell], runs: Sequence[Results]) -> list[Finding]:
    """One sentence about all obstacles; [] if there are none. `cells`: all cells; `here`: the cells of the other findings."""
    of_models = [c for c in cells if not c.cell.is_baseline]
    parts = [
        *_lost(of_models),
        *_silent(of_models),
        *_same_choice(here, runs),
        *_small(cells, here),
        *_estimates(of_models),
    ]
    if not parts:
        return []
    return [
        Finding(
            "obstacles", f"需注意：{'；'.join(p.zh for p in parts)}。", f"In the way: {'; '.join(p.en for p in parts)}."
        )
    ]


def _lost(of_models: Sequence[FindingCell]) -> Iterator[Text]:
    asked = sum(c.cell.items for c in of_models)
    failed = sum(c.cell.failed for c in of_models)
    missing = sum(c.cell.missing for c in of_models if not c.cell.is_estimate)
    if failed:
        names = dict.fromkeys(c.name for c in of_models if c.cell.failed)
        yield Text(
            f"{asked} 个请求中有 {failed} 个失败（{'、'.join(names)}）",
            f"{failed} of {many(asked, 'request')} failed ({', '.join(names)})",
        )
    if missing:
        yield Text(
            f"{asked} 个请求中有 {missing} 个尚未提问",
            f"{missing} of {many(asked, 'request')} {'is' if missing == 1 else 'are'} not asked yet",
        )


def _silent(of_models: Sequence[FindingCell]) -> Iterator[Text]:
    """The model with the largest share of replies without an answer, and their most frequent status."""
    worst: tuple[float, str, str] = (0.0, "", "")
    statuses: dict[str, Counter[str]] = {}
    for c in of_models:
        statuses.setdefault(c.name, Counter()).update(c.cell.status)
    for name, status in statuses.items():
        answered = sum(status.values()) - status[Status.FAILED.value]
        silent = Counter({k: v for k, v in status.items() if k not in (Status.FAILED.value, Status.PARSED.value)})
        if answered and silent.total() / answered > worst[0]:
            worst = (silent.total() / answered, name, silent.most_common(1)[0][0])
    share, name, kind = worst
    if share >= SILENT:
        yield Text(
            f"{name} 的回复有 {fixed(100 * share, 0)}% 没有读出答案（多为{outcome_words(kind).zh}）",
            f"{fixed(100 * share, 0)}\u00a0% of {name}'s replies have no answer (mostly {kind})",
        )


def _same_choice(here: Sequence[FindingCell], runs: Sequence[Results]) -> Iterator[Text]:
    """The cell of a model with the largest share of one option among its choices, if that option is right far less often."""
    cells = {(c.run, c.cell.place): c for c in ranked_cells(here) if c.task.kind.single}
    preferences: list[tuple[float, FindingCell, int, int, str]] = []
    for number, results in enumerate(runs):
        content = results.of(robustness.ANALYSIS)
        for row in content.positions if content else ():
            cell, chosen, gold = cells.get((number, row.place)), row.chosen, row.gold
            if cell is None or sum(chosen) < FEW:
                continue
            at = max(range(len(chosen)), key=chosen.__getitem__)
            share = chosen[at] / sum(chosen)
            if share >= ALIKE and share - gold[at] / sum(gold) >= APART:
                preferences.append((share, cell, chosen[at], sum(chosen), row.labels[at]))
    if preferences:
        _, cell, times, of, label = max(preferences, key=lambda row: (row[0], row[3]))
        # Items of several samples are chosen several times, and those without a read answer not at all.
        of_items = of == cell.cell.headline.n
        counts = f"{times} of {of}" if times < of else f"all {of}"
        unit = "题" if of_items else "次"
        yield Text(
            f"{cell.name} 在{cell.task.zh}的 {of} {'题' if of_items else '次选择'}"
            f"{f'中有 {times} {unit}' if times < of else '全都'}选 {label}",
            f"{cell.name} chose {label} on {counts} items of {cell.task.en}"
            if of_items
            else f"{cell.name} chose {label} in {counts} choices on {cell.task.en}",
        )


def _small(cells: Sequence[FindingCell], here: Sequence[FindingCell]) -> Iterator[Text]:
    """The width of the widest interval, if the median interval is wide. Names the benchmark if there are others."""
    on = Text("", "")
    if len({c.task.benchmark for c in cells}) > 1 and here:
        title = BENCHMARKS[here[0].task.benchmark].title
        on = Text(f"{title} ", f" of {title}")
    figures = [c.cell.headline for c in ranked_cells(here) if metric_rows()[c.task.metrics[0]].percent]
    halves = [(bounds[2] - bounds[1]) / 2 for figure in figures if (bounds := figure.bounds)]
    items = sorted({figure.n for figure in figures})
    if figures and not halves:
        yield Text(
            f"{on.zh}每项任务的题目来自太少的对话，没有置信区间",
            f"the items of a task{on.en} are of too few dialogues: no intervals",
        )
    elif halves and median(halves) >= WIDE:
        n = str(items[0]) if len(items) == 1 else f"{items[0]}–{items[-1]}"
        half = fixed(100 * max(halves), 0)
        yield Text(
            f"{on.zh}每项任务 {n} 题，置信区间最宽为 ±{half} 个百分点",
            f"{n} item{'s' * (n != '1')} a task{on.en}, intervals of up to ±{half} points",
        )


def _estimates(of_models: Sequence[FindingCell]) -> Iterator[Text]:
    if count := sum(c.cell.is_estimate for c in of_models):
        yield Text(
            f"{len(of_models)} 个单元格中有 {count} 个只问了部分题目，是估计值，不参与排名",
            f"{count} of {many(len(of_models), 'cell')} {'is an estimate' if count == 1 else 'are estimates'} from a "
            "part of the items and not ranked",
        )
