"""The finding on the cost of the harder of two levels: the accuracy that a model loses there."""

from __future__ import annotations

from collections.abc import Sequence

from evalsuite.analyses import gaps
from evalsuite.analyses.findings.cells import FindingCell, ranked_cells
from evalsuite.analyses.findings.words import Finding, many
from evalsuite.analyses.gaps import Gap
from evalsuite.analyses.significance import ALPHA
from evalsuite.common.numbers import fixed
from evalsuite.common.sheet import Text
from evalsuite.results.analysis import Results
from evalsuite.results.words import family_size, set_title
from evalsuite.types import Benchmark, Place


def harder_set(cells: Sequence[FindingCell], runs: Sequence[Results], benchmark: Benchmark) -> list[Finding]:
    """Say how much accuracy a model loses from the easier level to the harder one, over the choice tasks answered whole on both.

    Of the models with most of these tasks, it is the one with the highest scores.
    """
    if not benchmark.levels:
        return []
    losses: dict[str, list[tuple[FindingCell, Gap]]] = {}
    at = {(c.run, c.cell.place): c for c in ranked_cells(cells)}
    for number, results in enumerate(runs):
        partial = {cell.place for cell in results.cells if not cell.is_complete}
        for row in results.of(gaps.ANALYSIS) or []:
            easier, harder = (Place(set=level, **row.coordinates()) for level in benchmark.levels)
            cell = at.get((number, harder))
            if cell and easier not in partial and row.metric == "accuracy":
                losses.setdefault(cell.id, []).append((cell, row))
    if not losses:
        return []
    rows = max(losses.values(), key=lambda rows: (len(rows), sum(cell.score for cell, _ in rows)))
    largest = max(rows, key=lambda pair: abs(pair[1].gap))[0]
    lost = sum(row.gap for _, row in rows) / len(rows)  # a gap is the easier set's score less the harder one's
    clear = sum(row.p_holm < ALPHA for _, row in rows)
    testable = any((row.least_p if row.least_p_holm is None else row.least_p_holm) < ALPHA for _, row in rows)
    family = family_size(row.family for _, row in rows)
    size = (
        Text(f"{family} 次检验经 ", f" over {family} {'test' if family == '1' else 'tests'}")
        if family
        else Text("", "")
    )
    easy, hard = (set_title(benchmark, level) for level in benchmark.levels)
    points = fixed(abs(100 * lost), 1)
    moved = f"{'loses' if lost >= 0 else 'gains'} {points} points"
    moved_zh = f"平均{'下降' if lost >= 0 else '上升'} {points} 个百分点"
    if points == "0.0":
        moved, moved_zh = "scores the same", "平均得分不变"
    clear_en, clear_zh = (
        f"the change is significant on {clear or 'none'}",
        f"其中 {clear} 项变化显著" if clear else "没有一项变化显著",
    )
    if not testable:
        clear_en, clear_zh = (
            "there are too few dialogues to tell whether that is chance",
            "对话太少，无法判断是否出于偶然",
        )
    return [
        Finding(
            "levels",
            f"从{easy.zh}到{hard.zh}，{largest.name} 在 {len(rows)} 项选择题上{moved_zh}，{clear_zh}。",
            f"From {easy.en} to {hard.en}, {largest.name} {moved} on average over {many(len(rows), 'choice task')}; {clear_en}.",
            f"以对话为单位的置换检验，{size.zh}Holm 校正" * testable,
            f"Permutation test over dialogues, Holm{size.en}" * testable,
            largest.number,
        )
    ]
