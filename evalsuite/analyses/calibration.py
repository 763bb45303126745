"""Calibration of option probabilities and of stated confidence, and accuracy where only the surest items are answered
(docs/reliability.md).

A row for each cell of choices that compares likelihoods, and for each whose replies state a confidence. An option's probability
is its share of the exponentiated log-probabilities of all options, compared as for the headline: summed for labels, by token for
texts. A stated confidence is that of the answer's being right, as parse/confidence.py reads it. Cells that ask all rotations
are left out: votes.py covers them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Literal, NamedTuple

from pydantic import Field

from evalsuite.analyses.item_mean import MeanInterval, mean_interval
from evalsuite.analyses.value_columns import MODEL, TASK, Columns, ValueColumn, table
from evalsuite.benchmarks.kinds import HEADLINE
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.dialogue import sources
from evalsuite.common.grouping import by_key
from evalsuite.common.numbers import fixed
from evalsuite.common.sheet import CellValue, Chart, Column, Row, Sheet, Text, Value
from evalsuite.perturb import PERTURBATIONS
from evalsuite.results.analysis import Analysis, Results, ScoredCell, ScoredRun
from evalsuite.results.schema.base import CellFields, Count, Rows, Share, Strict
from evalsuite.results.words import WAY, task_and_set, with_notes
from evalsuite.types import WRITTEN, Place

if TYPE_CHECKING:
    from evalsuite.metrics.counts import Floats

COVERAGES = tuple(n / 10 for n in range(1, 11))


class ReliabilityBin(Strict):
    """The items whose likeliest option has a probability from low (inclusive) to high (exclusive; in the last bin inclusive)."""

    low: Share
    high: Share
    n: Count
    confidence: Share = Field(description="Mean probability of the likeliest option.")
    accuracy: MeanInterval


class SelectivePoint(Strict):
    """Accuracy if only the surest items are answered."""

    coverage: Share = Field(description="The share of items answered; those of equal confidence together.")
    accuracy: MeanInterval


By = Literal["sum", "token", "stated"]
FEWEST = 30  # the fewest statements of confidence from which a row is computed


class Calibration(CellFields):
    """One cell's probabilities of being right: of options, or as its replies state them."""

    items: Count = Field(description="Items with probabilities; where they are stated, replies that state one.")
    answered: Count | None = Field(
        default=None,
        description="Replies with an answer, whether they state a confidence or not; absent for likelihoods.",
    )
    refused: Literal["few"] | None = Field(
        default=None,
        description=f"few: fewer than {FEWEST} replies state a confidence, and all figures are null; absent: it is not.",
    )
    dialogues: Count
    by: By = Field(
        description="sum, token: how log-probabilities of options are compared; stated: by the reply itself."
    )
    accuracy: MeanInterval = Field(description="Accuracy on these items.")
    confidence: MeanInterval = Field(description="Mean probability of the likeliest option, or mean stated confidence.")
    ece: MeanInterval = Field(description="Expected calibration error; no interval from fewer than 30 dialogues.")
    brier: MeanInterval = Field(
        description="Brier score: over all options, 0 to 2; of stated confidence that of being right, 0 to 1."
    )
    brier_uniform: float = Field(
        description="Brier score of equal probabilities for all options; of a stated 50 %: 0.25."
    )
    bins: Rows[ReliabilityBin] = Field(description="Ten equally wide bins, less those without items.")
    curve: Rows[SelectivePoint] = Field(description="Accuracy by coverage, from a tenth of the items to all.")
    aurc: Share | None = Field(description="Area under the risk-coverage curve: mean share wrong over all coverages.")


class _Probabilities(NamedTuple):
    """A cell's probabilities of being right, an entry per reply."""

    by: By
    confidence: Floats  # (N,) of the likeliest option, or as stated
    right: Floats  # (N,) 1 or 0
    brier: Floats  # (N,)
    uniform: float  # the Brier score of equal probabilities
    dialogues: Sequence[int]  # (N,)
    answered: int | None = None


def compute(run: ScoredRun) -> list[Calibration] | None:
    """A row for each cell with probabilities of options, or whose replies state a confidence; None without any."""
    rows = []
    for cell in run.cells:
        kind, place = TASKS[cell.place.task].kind, cell.place
        if not kind.written or PERTURBATIONS[place.perturb].several:
            continue
        if kind.single and place.scoring in HEADLINE:
            probabilities = _of_options(run, cell)
        else:
            probabilities = _stated(cell) if kind.options and place.scoring in WRITTEN else None
        if probabilities:
            rows.append(_calibration(place, probabilities))
    return rows or None


def _of_options(run: ScoredRun, cell: ScoredCell) -> _Probabilities | None:
    """The probabilities of a cell's options; None without any."""
    import numpy as np

    from evalsuite.metrics.calibration import softmax

    probabilities, golds, contexts = [], [], []
    by: By = "sum" if HEADLINE[cell.place.scoring] == "sum" else "token"
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
    uniform = float(np.mean([1 - 1 / len(p) for p in probabilities]))
    return _Probabilities(by, confidence, right, brier, uniform, sources(contexts))


def _stated(cell: ScoredCell) -> _Probabilities | None:
    """The confidence that a cell's replies state; None if none does."""
    import numpy as np

    answered = [outcome for outcome in cell.outcomes.outcomes if outcome.chosen]
    stated = [outcome for outcome in answered if outcome.answer.confidence is not None]
    if not stated:
        return None
    confidence = np.array([outcome.answer.confidence for outcome in stated], float)
    right = np.array([float(outcome.value >= 1) for outcome in stated])
    dialogues = [outcome.cluster for outcome in stated]
    return _Probabilities("stated", confidence, right, (confidence - right) ** 2, 0.25, dialogues, len(answered))


def _calibration(place: Place, probabilities: _Probabilities) -> Calibration:
    by, confidence, right, brier, uniform, dialogues, answered = probabilities
    fields = {
        **place.as_dict(),
        "by": by,
        "items": len(right),
        "answered": answered,
        "dialogues": len({*dialogues}),
        "brier_uniform": uniform,
    }
    if by == "stated" and len(right) < FEWEST:
        none = MeanInterval(value=None, low=None, high=None)
        return Calibration(
            **fields, refused="few", accuracy=none, confidence=none, ece=none, brier=none, bins=[], curve=[], aurc=None
        )
    # The seed names no model: two models with the same replies get the same interval.
    rng = Random(f"calibration:{place.task}:{place.set}:{place.split}")
    ece, brier_score = _errors(confidence, right, brier, dialogues, rng, 1 if by == "stated" else 2)
    curve, aurc = _selected(confidence, right, dialogues)
    return Calibration(
        **fields,
        accuracy=mean_interval(right.tolist(), dialogues),
        confidence=mean_interval(confidence.tolist(), dialogues),
        ece=ece,
        brier=brier_score,
        bins=_bins(confidence, right, dialogues),
        curve=curve,
        aurc=aurc,
    )


def _errors(
    confidence: Floats, right: Floats, brier: Floats, dialogues: Sequence[int], rng: Random, worst: int
) -> tuple[MeanInterval, MeanInterval]:
    """The expected calibration error and the Brier score. From fewer dialogues than are resampled, the Brier score has the
    interval of a mean, the other none. `worst`: the highest possible Brier score."""
    from evalsuite.metrics.calibration import Sums, calibration
    from evalsuite.metrics.statistics import RESAMPLED

    errors = calibration(Sums.of(confidence, right, brier), dialogues, rng)
    if len({*dialogues}) >= RESAMPLED:
        ece, score = (MeanInterval(value=x.value, low=x.low, high=x.high) for x in (errors["ece"], errors["brier"]))
        return ece, score
    share = mean_interval((brier / worst).clip(0, 1).tolist(), dialogues)
    low, high = (None if end is None else worst * end for end in (share.low, share.high))
    ece = MeanInterval(value=errors["ece"].value, low=None, high=None)
    return ece, MeanInterval(value=errors["brier"].value, low=low, high=high)


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
    """The accuracy at each of COVERAGES, and the area under the curve of errors by coverage."""
    import numpy as np

    from evalsuite.metrics.calibration import selective

    steps = selective(confidence, right)
    order = np.argsort(-confidence, kind="stable")
    points = []
    for wanted in COVERAGES:
        coverage = next(coverage for coverage, _ in steps if coverage >= wanted - 1e-9)
        chosen = order[: round(coverage * len(order))]
        accuracy = mean_interval(right[chosen].tolist(), np.asarray(dialogues)[chosen].tolist())
        points.append(SelectivePoint(coverage=coverage, accuracy=accuracy))
    ends = [0.0, *(coverage for coverage, _ in steps)]
    aurc = math.fsum(
        (end - start) * (1 - accuracy) for start, end, (_, accuracy) in zip(ends, ends[1:], steps, strict=False)
    )
    return points, aurc


# --- tables

_ECE = (
    "等宽分 10 档，各档确信与答对率之差的绝对值的加权平均（百分点），越低越好",
    "in 10 equally wide bins of that probability, the weighted mean of |sure - right| in points, lower is better",
)
_SELECTION = (
    "前 n%：只答最有把握的 n% 时的答对率，把握相同者一并计入；AURC：错误率对覆盖率曲线下的面积。"
    "区间 95%，以对话为单位；对话少于 30 时 ECE 无区间。",
    "top n %: accuracy where only the n % surest are answered, those of equal confidence together; AURC: area under errors by "
    "coverage. 95 % intervals by dialogues; none of ECE from fewer than 30.",
)
_OF_OPTIONS = Text(
    f"确信 %：最可能选项的概率的平均（各选项概率之和为 1）。ECE：按该概率{_ECE[0]}；Brier：全部选项概率与结果的平方差之和，"
    f"0 到 2，越低越好，旁为均匀概率之值。{_SELECTION[0]}",
    f"sure: mean probability of the likeliest option (those of all options sum to 1). ECE: {_ECE[1]}; Brier: sum of squared "
    "differences between probabilities and outcome over all options, 0 to 2, lower is better; beside it that of equal "
    f"probabilities. {_SELECTION[1]}",
)
_STATED = Text(
    f"模型在答复中自己说的把握（如“置信度：85%”“九成把握”）。n：说了把握的答复，后为其占有答案者的 %；少于 {FEWEST} 条时不作计算。确信 %：所说把握的平均。"
    f"ECE：按所说把握{_ECE[0]}；Brier：所说把握与对错（1 或 0）之差的平方的平均，0 到 1，越低越好，总说 50% 者为 0.25。{_SELECTION[0]}",
    f"Confidence as the replies state it (“Confidence: 85%”, 九成把握). n: replies that state one, and their share of those with an "
    f"answer; from fewer than {FEWEST} nothing is computed. sure: mean stated confidence. ECE: {_ECE[1]}; Brier: mean "
    "squared difference between stated confidence and right (1) or wrong (0), 0 to 1, lower is better; always 50 %: 0.25. "
    f"{_SELECTION[1]}",
)
_SHOWN = (0.2, 0.5, 0.8)  # the coverages for which the table has a column of accuracy


def sheets(results: Results) -> Iterator[Sheet]:
    """A sheet per way: a row per model and task."""
    rows = results.of(ANALYSIS) or ()
    for stated, legend in ((False, _OF_OPTIONS), (True, _STATED)):
        of_kind = [row for row in rows if (row.by == "stated") == stated]
        yield from with_notes((_sheet(where, group) for where, group in _by_way(of_kind)), legend)


def _by_way(rows: Sequence[Calibration]) -> Iterable[tuple[str, list[Calibration]]]:
    """Each split and way with its rows."""
    ordered: Iterable[Calibration] = sorted(rows, key=lambda row: (row.way, row.split))
    return by_key((f"{row.split} {row.way}", row) for row in ordered).items()


def _sheet(where: str, rows: Sequence[Calibration]) -> Sheet:
    stated = rows[0].by == "stated"
    columns: Columns[Calibration] = (
        MODEL,
        TASK,
        (Column("n", kind="count"), _items),
        (Column(Text("答对", "right"), "%", "percent", better="more"), lambda row: row.accuracy.as_value),
        (Column(Text("确信", "sure"), "%", "percent"), lambda row: row.confidence.as_value),
        (Column(Text("ECE", "ECE"), "%", "percent", better="less"), lambda row: row.ece.as_value),
        (
            Column(Text("Brier", "Brier"), kind="number", digits=3, better="less"),
            lambda row: replace(row.brier.as_value, asides=() if stated else (f" ({row.brier_uniform:.3f})",)),
        ),
        *map(_surest, _SHOWN),
        (Column(Text("AURC", "AURC"), kind="number", digits=3, better="less"), lambda row: Value(row.aurc)),
    )
    title = Text(
        f"答对时更有把握吗？{'自述把握的' * stated}校准：{where}",
        f"Is it sure when it is right? Calibration{' of stated confidence' * stated}: {where}",
    )
    return Sheet("calibration", title, *table(columns, rows), finding=_finding(rows), compares=WAY)


def _items(row: Calibration) -> CellValue:
    """The number of items; of stated confidence the number of replies that state one, with their % of those with an answer."""
    return Value(row.items, asides=(f" {100 * row.items / row.answered:.0f} %",)) if row.answered else row.items


def _surest(coverage: float) -> ValueColumn[Calibration]:
    """The column of the accuracy at a coverage."""
    index = COVERAGES.index(coverage)
    column = Column(Text(f"前 {100 * coverage:.0f}%", f"top {100 * coverage:.0f} %"), "%", "percent", better="more")
    # A row from too few replies has no curve.
    return column, lambda row: row.curve[index].accuracy.as_value if row.curve else Value(None)


def _finding(rows: Sequence[Calibration]) -> Text | None:
    """A sentence on the two rows whose mean confidence is furthest from their accuracy, and closest to it."""

    def gap(row: Calibration) -> float:
        return (row.confidence.value or 0.0) - (row.accuracy.value or 0.0)

    known = sorted((row for row in rows if row.refused is None), key=lambda row: -abs(gap(row)))
    if not known:
        return Text(f"说明把握的答复不足 {FEWEST} 条。", f"Fewer than {FEWEST} replies state a confidence.")
    zh, en = [], []
    for row in known[:1] + known[1:][-1:]:
        sure, right = (fixed(100 * (x.value or 0.0), 1) for x in (row.confidence, row.accuracy))
        task = task_and_set(TASKS[row.task], row.set)
        zh.append(f"{row.model} 把握 {sure}%，答对 {right}%（{task.zh}）")
        en.append(f"{row.model} is {sure} % sure and {right} % right ({task.en})")
    which_zh, which_en = ("相差最大：", "最接近："), ("Furthest apart: ", "closest: ")
    return Text(
        "；".join(a + b for a, b in zip(which_zh, zh, strict=False)) + "。",
        "; ".join(a + b for a, b in zip(which_en, en, strict=False)) + ".",
    )


def diagrams(results: Results) -> Iterator[Sheet]:
    """A sheet per way: a row per model, task and bin of the reliability diagram."""
    note = Text(
        "各行为最可能选项的概率（或所说的把握）在该范围内的题。线在对角线之下：把握高于答对率，过于自信；之上：低估了自己。",
        "A row has the items whose likeliest option has a probability in that range, or whose replies state one in it. Below the "
        "diagonal sure is above right: overconfident; above it, underconfident.",
    )
    rows = [row for row in results.of(ANALYSIS) or () if row.bins]
    yield from with_notes((_diagram(where, group) for where, group in _by_way(rows)), note)


def _diagram(where: str, rows: Sequence[Calibration]) -> Sheet:
    columns = (
        Column(Text("模型", "model")),
        Column(Text("任务", "task"), key=True),
        Column(Text("概率", "probability")),
        Column("n", kind="count"),
        Column(Text("确信", "sure"), "%", "percent", range=(0, 1)),
        Column(Text("答对", "right"), "%", "percent", range=(0, 1)),
        Column(Text("差", "gap"), "%", "percent", signed=True),
    )
    lines = []
    for row in rows:
        task = task_and_set(TASKS[row.task], row.set)
        for b in row.bins:
            gap = b.confidence - (b.accuracy.value or 0.0)
            cells = (row.model, task, f"{b.low:.1f}–{b.high:.1f}", b.n, b.confidence, b.accuracy.as_value, gap)
            lines.append(Row(cells, about=row.coordinates()))
    title = Text(f"可靠性图：{where}", f"Reliability diagram: {where}")
    chart = Chart("lines", across=4, up=(5,), pick=("task", "set"), diagonal=True)
    return Sheet("reliability", title, columns, tuple(lines), chart=chart, compares=WAY)


ANALYSIS = Analysis(
    "calibration",
    sheets,
    list[Calibration],
    compute,
    help="Calibration of option probabilities and of stated confidence; accuracy of the surest.",
)
DIAGRAMS: Analysis[None] = Analysis(
    "reliability",
    diagrams,
    only_named=Text("有概率的单元格各最多十行", "up to ten rows for every cell of probabilities"),
)
