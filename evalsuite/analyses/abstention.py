"""Abstention: refusals apart from wrong answers, and a score that punishes wrong answers (docs/reliability.md).

A reply is answered (parsed; several or conflict: answered, and wrong), abstained (refused), or silent (unparsed,
truncated, empty, filtered). With a penalty p an item scores its value v less p (1 - v) if it was answered, else 0. The
score is linear in p, so that the second moments stored here give it, with its interval, for any p without scoring
again (`show --penalty`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from pydantic import Field

from evalsuite.analyses.item_mean import MeanInterval, mean_interval
from evalsuite.analyses.value_columns import MODEL, TASK, Columns, table
from evalsuite.benchmarks.registry import benchmark_of
from evalsuite.common.grouping import by_key
from evalsuite.common.sheet import Column, Sheet, Text, Value
from evalsuite.results.analysis import Analysis, Results, ScoredRun
from evalsuite.results.outcomes import CellOutcomes
from evalsuite.results.schema.base import CellFields, Count, Number, Share
from evalsuite.results.words import place_words, with_notes
from evalsuite.types import WRITTEN, Status

ANSWERED = frozenset({Status.PARSED, Status.SEVERAL, Status.CONFLICT})
ABSTAINED = frozenset({Status.REFUSED})


class Abstention(CellFields):
    """One cell's replies, by whether they answer. Every reply counts: samples and rotations one by one."""

    metric: str
    replies: Count
    dialogues: Count
    answered: Count
    abstained: Count = Field(description="Refused, or said that it cannot be known.")
    silent: Count = Field(description="Neither: unparsed, truncated, empty or filtered.")
    coverage: MeanInterval = Field(description="Share answered.")
    accuracy: MeanInterval | None = Field(default=None, description="Mean of the answered; absent if there are none.")
    right: Share = Field(description="Mean value of all replies, those without an answer as 0.")
    wrong: Share = Field(description="Mean of 1 - value over all replies, those without an answer as 0.")
    right_variance: Number = Field(description="Variance of `right` over dialogues; null for one dialogue.")
    wrong_variance: Number = Field(description="Variance of `wrong`.")
    covariance: Number = Field(description="Covariance of `right` and `wrong`.")

    def score(self, penalty: float) -> Value:
        """right - penalty * wrong, with its 95 % interval: Student's t with dialogues - 1 degrees of freedom. Where all dialogues
        have the same score, Wilson's with dialogues as units, from -penalty to 1."""
        from evalsuite.metrics.statistics import few_dialogues, t_quantile

        value = self.right - penalty * self.wrong
        if self.right_variance is None or self.wrong_variance is None or self.covariance is None:
            return Value(value)
        variance = self.right_variance + penalty**2 * self.wrong_variance - 2 * penalty * self.covariance
        if variance <= 1e-12:
            share = few_dialogues([(value + penalty) / (1 + penalty)] * self.dialogues, range(self.dialogues))
            return Value(value, (1 + penalty) * share.low - penalty, (1 + penalty) * share.high - penalty)
        half = t_quantile(0.975, self.dialogues - 1) * math.sqrt(variance)
        return Value(value, max(-penalty, value - half), min(1.0, value + half))


def compute(run: ScoredRun) -> list[Abstention] | None:
    """A row for each cell of a task, set and way in which some model abstained; None if none did."""
    written = [cell for cell in run.outcomes if cell.place.scoring in WRITTEN and cell.is_share]
    places = {
        cell.place.without("model") for cell in written if any(o.answer.status in ABSTAINED for o in cell.outcomes)
    }
    return [abstention(cell) for cell in written if cell.outcomes and cell.place.without("model") in places] or None


def abstention(cell: CellOutcomes) -> Abstention:
    """The row of a cell with replies."""
    outcomes = cell.outcomes
    answers = [float(o.answer.status in ANSWERED) for o in outcomes]
    dialogues = [o.cluster for o in outcomes]
    answered = [o for o in outcomes if o.answer.status in ANSWERED]
    abstained = sum(o.answer.status in ABSTAINED for o in outcomes)
    rights = [o.value * answer for o, answer in zip(outcomes, answers, strict=True)]
    wrongs = [(1 - o.value) * answer for o, answer in zip(outcomes, answers, strict=True)]
    return Abstention(
        **cell.place.as_dict(),
        metric=cell.metric,
        replies=len(outcomes),
        dialogues=len({*dialogues}),
        answered=len(answered),
        abstained=abstained,
        silent=len(outcomes) - len(answered) - abstained,
        coverage=mean_interval(answers, dialogues),
        accuracy=mean_interval([o.value for o in answered], [o.cluster for o in answered]) if answered else None,
        right=math.fsum(rights) / len(rights),
        wrong=math.fsum(wrongs) / len(wrongs),
        right_variance=_covariance(rights, rights, dialogues),
        wrong_variance=_covariance(wrongs, wrongs, dialogues),
        covariance=_covariance(rights, wrongs, dialogues),
    )


def _covariance(a: Sequence[float], b: Sequence[float], dialogues: Sequence[int]) -> float | None:
    """The covariance of two means over (N,) items, dialogues as clusters (Liang & Zeger 1986); None for one dialogue."""
    deviations: dict[int, list[float]] = {}  # dialogue -> sums of its items' deviations from the means of a and b
    means = math.fsum(a) / len(a), math.fsum(b) / len(b)
    for x, y, dialogue in zip(a, b, dialogues, strict=True):
        sums = deviations.setdefault(dialogue, [0.0, 0.0])
        sums[0] += x - means[0]
        sums[1] += y - means[1]
    count = len(deviations)
    if count < 2:
        return None
    return math.fsum(x * y for x, y in deviations.values()) * count / (count - 1) / len(a) ** 2


# --- tables


def sheets(results: Results) -> Iterator[Sheet]:
    """A sheet for each benchmark, set and way: a row per task and model."""
    rows = sorted(results.of(ANALYSIS) or (), key=lambda row: str(row.without("model", "task")))
    groups = by_key(((benchmark_of(row.task).name, row.without("model", "task")), row) for row in rows)
    yield from with_notes((_sheet(group, results.penalty) for group in groups.values()), _legend(results.penalty))


def _legend(penalty: float) -> Text:
    sure = 100 * penalty / (1 + penalty)
    return Text(
        f"回答 %：给出答案的回复所占比例；拒答：表示不作答或无从得知；无答案：其余没有答案的回复。答对 %：只计有答案的回复。得分：答对得 1，答错得 −{penalty:g}，"
        f"不答得 0（show --penalty 可改），即把握超过 {sure:.0f}% 才值得回答。区间 95%，以对话为单位。",
        "answered: % of replies with an answer; abstained: those that decline, or say that it cannot be known; "
        f"silent: the others without one. right: % of the answered. score: 1 for right, -{penalty:g} for wrong, 0 "
        f"for none (show --penalty sets it), so that an answer pays from {sure:.0f} % sure. 95 % intervals by "
        "dialogues.",
    )


def _sheet(rows: Sequence[Abstention], penalty: float) -> Sheet:
    score = Column(Text("得分", "score"), f"−{penalty:g}", "percent", better="more", signed=True)
    columns: Columns[Abstention] = (
        MODEL,
        TASK,
        (Column("n", kind="count"), lambda row: row.replies),
        (Column(Text("回答", "answered"), "%", "percent"), lambda row: row.coverage.as_value),
        (Column(Text("拒答", "abstained"), kind="count"), lambda row: row.abstained),
        (Column(Text("无答案", "silent"), kind="count"), lambda row: row.silent),
        (
            Column(Text("答对", "right"), "%", "percent", better="more"),
            lambda row: row.accuracy.as_value if row.accuracy else None,
        ),
        (score, lambda row: row.score(penalty)),
    )
    where = place_words(rows[0].coordinates(), benchmark_of(rows[0].task))
    return Sheet("abstention", Text(f"拒答：{where.zh}", f"Abstention: {where.en}"), *table(columns, rows))


ANALYSIS = Analysis(
    "abstention", sheets, list[Abstention], compute, help="Refusals apart from wrong answers; a score with a penalty."
)
