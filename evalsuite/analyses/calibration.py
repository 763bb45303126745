"""Calibration of option probabilities, and accuracy where only the surest items are answered (docs/reliability.md).

A row for each cell of choices that compares likelihoods. An option's probability is its share of the exponentiated
log-probabilities of all options, compared as for the headline: summed for labels, by token for texts. Cells that ask all
rotations are left to votes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from random import Random
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from evalsuite.analyses.item_mean import MeanInterval, mean_interval
from evalsuite.benchmarks.kinds import HEADLINE
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.dialogue import sources
from evalsuite.common.sheet import CellValue, Column, Row, Sheet, Text, Value
from evalsuite.perturb import PERTURBATIONS
from evalsuite.results.analysis import Analysis, Results, ScoredCell, ScoredRun
from evalsuite.results.schema.base import CellFields, Count, Rows, Share, Strict
from evalsuite.results.words import place_words, task_and_set, with_notes

if TYPE_CHECKING:
    from evalsuite.metrics.statistics import Floats

COVERAGES = tuple(n / 10 for n in range(1, 11))


class ReliabilityBin(Strict):
    """The items whose likeliest option has a probability from low (inclusive) to high (exclusive; in the last bin inclusive)."""

    low: Share
    high: Share
    n: Count
    confidence: Share = Field(description="Mean probability of the likeliest option.")
    accuracy: MeanInterval


class SelectivePoint(Strict):
    """The surest items alone."""

    coverage: Share = Field(description="The share of items answered; those of equal confidence together.")
    accuracy: MeanInterval


class Calibration(CellFields):
    """One cell's probabilities of options."""

    items: Count
    dialogues: Count
    by: Literal["sum", "token"] = Field(description="How log-probabilities of options are compared.")
    accuracy: MeanInterval
    confidence: MeanInterval = Field(description="Mean probability of the likeliest option.")
    ece: MeanInterval = Field(description="Expected calibration error; no interval from fewer than 30 dialogues.")
    brier: MeanInterval = Field(description="Brier score over all options, 0 to 2.")
    brier_uniform: float = Field(description="That of equal probabilities for all options.")
    bins: Rows[ReliabilityBin] = Field(description="Of ten equally wide ones, those with items.")
    curve: Rows[SelectivePoint] = Field(description="By coverage, from a tenth of the items to all.")
    aurc: Share = Field(description="Area under the risk-coverage curve: mean share wrong over all coverages.")


def compute(run: ScoredRun) -> list[Calibration] | None:
    """A row for each cell with probabilities of options; None without any."""
    rows = [row for cell in run.cells if _compared(cell) and (row := _calibration(run, cell))]
    return rows or None


def _compared(cell: ScoredCell) -> bool:
    kind, place = TASKS[cell.place.task].kind, cell.place
    return kind.single and kind.written and place.scoring in HEADLINE and not PERTURBATIONS[place.perturb].several


def _calibration(run: ScoredRun, cell: ScoredCell) -> Calibration | None:
    import numpy as np

    from evalsuite.metrics.calibration import softmax

    probabilities, golds, contexts = [], [], []
    by: Literal["sum", "token"] = "sum" if HEADLINE[cell.place.scoring] == "sum" else "token"
    for _, (trial, response, _, score) in run.replies.of(cell.outcomes.cell):
        if response.likelihoods and score.values and trial.item.gold is not None:
            values = [x.logprob / (x.tokens if by == "token" else 1) for x in response.likelihoods]
            probabilities.append(softmax(values))
            golds.append(trial.item.gold)
            contexts.append(trial.item.context)
    if not probabilities:
        return None
    confidence = np.array([p.max() for p in probabilities])
    right = np.array([float(p.argmax() == gold) for p, gold in zip(probabilities, golds, strict=True)])
    brier = np.array([(p**2).sum() - 2 * p[gold] + 1 for p, gold in zip(probabilities, golds, strict=True)])
    dialogues = sources(contexts)
    place = cell.place
    rng = Random(f"calibration:{place.task}:{place.set}:{place.split}")  # equal replies of two models: equal intervals
    ece, brier_score = _errors(confidence, right, brier, dialogues, rng)
    curve, aurc = _selected(confidence, right, dialogues)
    return Calibration(
        **place.as_dict(),
        items=len(golds),
        dialogues=len({*dialogues}),
        by=by,
        accuracy=mean_interval(right.tolist(), dialogues),
        confidence=mean_interval(confidence.tolist(), dialogues),
        ece=ece,
        brier=brier_score,
        brier_uniform=float(np.mean([1 - 1 / len(p) for p in probabilities])),
        bins=_bins(confidence, right, dialogues),
        curve=curve,
        aurc=aurc,
    )


def _errors(
    confidence: Floats, right: Floats, brier: Floats, dialogues: Sequence[int], rng: Random
) -> tuple[MeanInterval, MeanInterval]:
    """(ece, brier). Of fewer dialogues than can be resampled, brier has the interval of a mean, and ece none."""
    from evalsuite.metrics.calibration import Sums, calibration
    from evalsuite.metrics.statistics import RESAMPLED

    found = calibration(Sums.of(confidence, right, brier), dialogues, rng)
    if len({*dialogues}) >= RESAMPLED:
        ece, score = (MeanInterval(value=x.value, low=x.low, high=x.high) for x in (found["ece"], found["brier"]))
        return ece, score
    half = mean_interval((brier / 2).clip(0, 1).tolist(), dialogues)
    low, high = (None if end is None else 2 * end for end in (half.low, half.high))
    ece = MeanInterval(value=found["ece"].value, low=None, high=None)
    return ece, MeanInterval(value=found["brier"].value, low=low, high=high)


def _bins(confidence: Floats, right: Floats, dialogues: Sequence[int]) -> list[ReliabilityBin]:
    import numpy as np

    from evalsuite.metrics.calibration import BINS, bin_of

    numbers, clusters = bin_of(confidence), np.asarray(dialogues)
    return [
        ReliabilityBin(
            low=n / BINS,
            high=(n + 1) / BINS,
            n=int(inside.sum()),
            confidence=float(confidence[inside].mean()),
            accuracy=mean_interval(right[inside].tolist(), clusters[inside].tolist()),
        )
        for n in range(BINS)
        if (inside := numbers == n).any()
    ]


def _selected(confidence: Floats, right: Floats, dialogues: Sequence[int]) -> tuple[list[SelectivePoint], float]:
    """The curve, and the area under the curve of errors."""
    import numpy as np

    from evalsuite.metrics.calibration import selective

    found = selective(confidence, right)
    order = np.argsort(-confidence, kind="stable")
    points = []
    for wanted in COVERAGES:
        coverage = next(coverage for coverage, _ in found if coverage >= wanted - 1e-9)
        chosen = order[: round(coverage * len(order))]
        accuracy = mean_interval(right[chosen].tolist(), np.asarray(dialogues)[chosen].tolist())
        points.append(SelectivePoint(coverage=coverage, accuracy=accuracy))
    ends = [0.0, *(coverage for coverage, _ in found)]
    aurc = sum((end - start) * (1 - accuracy) for start, end, (_, accuracy) in zip(ends, ends[1:], found, strict=False))
    return points, aurc


# --- tables

_LEGEND = Text(
    "确信 %：最可能选项的概率的平均（各选项概率之和为 1）。ECE：按该概率等宽分 10 档，各档确信与答对率之差的绝对值的加权平均（百分点），越低越好；"
    "Brier：全部选项概率与结果的平方差之和，0 到 2，越低越好，旁为均匀概率之值。前 n%：只答最有把握的 n% 时的答对率；AURC：错误率对覆盖率曲线下的面积。"
    "区间 95%，以对话为单位；对话少于 30 时 ECE 无区间。",
    "sure: mean probability of the likeliest option (those of all options sum to 1). ECE: in 10 equally wide "
    "bins of that probability, the "
    "weighted mean of |sure - right| in points, lower is better. Brier: sum of squared differences between "
    "probabilities and outcome "
    "over all options, 0 to 2, lower is better; beside it that of equal probabilities. top n %: accuracy where "
    "only the n % surest are "
    "answered; AURC: area under errors by coverage. 95 % intervals by dialogues; none of ECE from fewer than 30.",
)
_SHOWN = (0.2, 0.5, 0.8)


def sheets(results: Results) -> Iterator[Sheet]:
    """A sheet a way: a row a model and task."""
    groups = groupby(
        sorted(results.of(ANALYSIS) or (), key=lambda row: (row.way, row.split)), key=lambda r: (r.way, r.split)
    )
    yield from with_notes((_sheet(f"{split} {way}", [*group]) for (way, split), group in groups), _LEGEND)


def _sheet(where: str, rows: Sequence[Calibration]) -> Sheet:
    columns = (
        Column(Text("模型", "model")),
        Column(Text("任务", "task"), key=True),
        Column("n", kind="count"),
        Column(Text("答对", "right"), "%", "percent", better="more"),
        Column(Text("确信", "sure"), "%", "percent"),
        Column(Text("ECE", "ECE"), "%", "percent", better="less"),
        Column(Text("Brier", "Brier"), kind="number", digits=3, better="less"),
        *(Column(Text(f"前 {100 * x:.0f}%", f"top {100 * x:.0f} %"), "%", "percent", better="more") for x in _SHOWN),
        Column(Text("AURC", "AURC"), kind="number", digits=3, better="less"),
    )
    lines = []
    for row in rows:
        by_share = dict(zip(COVERAGES, row.curve, strict=True))
        cells: tuple[CellValue, ...] = (
            row.model,
            task_and_set(TASKS[row.task], row.set),
            row.items,
            row.accuracy.shown,
            row.confidence.shown,
            row.ece.shown,
            Value(row.brier.value, row.brier.low, row.brier.high, asides=(f" ({row.brier_uniform:.3f})",)),
            *(by_share[x].accuracy.shown for x in _SHOWN),
            row.aurc,
        )
        lines.append(Row(cells, about=row.coordinates()))
    title = Text(f"答对时更有把握吗？校准：{where}", f"Is it sure when it is right? Calibration: {where}")
    return Sheet("calibration", title, columns, tuple(lines))


def diagrams(results: Results) -> Iterator[Sheet]:
    """A sheet a cell: a row a bin of the reliability diagram."""
    note = Text(
        "各行为最可能选项的概率在该范围内的题；确信低于答对率为低估，高于答对率为高估。",
        "A row has the items whose likeliest option has a probability in that range; sure above right is "
        "overconfident.",
    )
    yield from with_notes(map(_diagram, results.of(ANALYSIS) or ()), note)


def _diagram(row: Calibration) -> Sheet:
    columns = (
        Column(Text("概率", "probability")),
        Column("n", kind="count"),
        Column(Text("确信", "sure"), "%", "percent", range=(0, 1)),
        Column(Text("答对", "right"), "%", "percent", range=(0, 1)),
        Column(Text("差", "gap"), "%", "percent", signed=True),
    )
    lines = tuple(
        Row(
            (f"{b.low:.1f}–{b.high:.1f}", b.n, b.confidence, b.accuracy.shown, b.confidence - (b.accuracy.value or 0.0))
        )
        for b in row.bins
    )
    task, where = TASKS[row.task], f"{row.model} {place_words(row.coordinates())}"
    title = Text(f"可靠性图：{task.zh}，{where}", f"Reliability diagram: {task.short}, {where}")
    return Sheet("reliability", title, columns, lines, about=row.coordinates())


ANALYSIS = Analysis(
    "calibration",
    sheets,
    list[Calibration],
    compute,
    help="Calibration of option probabilities; accuracy of the surest.",
)
DIAGRAMS: Analysis[None] = Analysis("reliability", diagrams, only_named="up to ten rows for every cell of likelihoods")
