"""The gain of extraction: F1 and EM of the answers less those of the whole replies, by the same measure.

Our metrics of spans and texts score the answer that was read from a reply; those named "paper.…" score the whole reply.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from statistics import fmean

from pydantic import Field

from evalsuite.analyses.value_columns import Columns, by_model, cell_names, table
from evalsuite.benchmarks.languages import reply_text
from evalsuite.benchmarks.registry import TASKS, benchmark_of
from evalsuite.common.dialogue import sources
from evalsuite.common.grouping import by_key
from evalsuite.common.sheet import Column, Sheet, Text, Value
from evalsuite.results.analysis import Analysis, Results, ScoredRun
from evalsuite.results.outcomes import ScoredReply
from evalsuite.results.schema.base import CellFields, Count, Number, Share
from evalsuite.types import Place, Status


class Extraction(CellFields):
    """The gain of extraction in the scores of a cell of spans or texts."""

    items: Count = Field(description="Answered items.")
    cut: Share = Field(description="Replies from which an answer was read that is not the whole reply.")
    f1: Share = Field(description="F1 of the answers.")
    f1_reply: Share = Field(description="The same measure on the whole replies, less special tokens and thinking.")
    em: Share
    em_reply: Share
    gain: float = Field(description="f1 less f1_reply.")
    low: Number = Field(
        description="95 % interval by dialogues: resampled if there are 30 or more, of fewer Student's t. Null for one dialogue, "
        "or if all have the same gain."
    )
    high: Number


def compute(run: ScoredRun) -> list[Extraction]:
    """A row for each cell of spans and texts with an answered request, without baselines."""
    rows = []
    for cell in run.cells:
        if "f1" in TASKS[cell.place.task].item_metrics and not cell.result.is_baseline and cell.outcomes.outcomes:
            replies = [reply for _, reply in run.replies.of(cell.outcomes.cell) if reply[1].error is None]
            rows.append(extraction(cell.place, replies))
    return rows


def extraction(place: Place, answered: Sequence[ScoredReply]) -> Extraction:
    """The row of a cell from its answered requests. Values are in [0, 1].

    `gain` is the mean over items of F1 of the answer less F1 of the whole reply, with its interval; low and high are
    None where no two dialogues differ, or with one dialogue.
    """
    from evalsuite.metrics.statistics import mean_difference

    score_text = benchmark_of(place.task).language.score
    of_reply, cut = [], 0
    for trial, response, answer, score in answered:
        reply = reply_text(response, answer)
        same = reply == (answer.text or "")
        cut += answer.status is Status.PARSED and not same
        of_reply.append(score.values if same else score_text(reply, trial.item.references))
    # item -> the indices of its replies: one, or one for each sample
    items = by_key((trial.item.id, n) for n, (trial, *_) in enumerate(answered))

    def by_item(name: str, scores: Sequence[Mapping[str, float]]) -> list[float]:
        return [fmean(scores[n][name] for n in replies) for replies in items.values()]

    of_answer = [score.values for *_, score in answered]
    f1, f1_reply = by_item("f1", of_answer), by_item("f1", of_reply)
    gains = [x - y for x, y in zip(f1, f1_reply, strict=True)]
    clusters = sources([answered[replies[0]][0].item.context for replies in items.values()])
    # The seed names no model: two models with the same replies get the same interval.
    rng = Random(f"extraction:{place.task}:{place.set}:{place.split}")
    low, high = mean_difference(gains, clusters, rng)
    return Extraction(
        **place.as_dict(),
        items=len(items),
        cut=cut / len(answered),
        f1=fmean(f1),
        f1_reply=fmean(f1_reply),
        em=fmean(by_item("em", of_answer)),
        em_reply=fmean(by_item("em", of_reply)),
        gain=fmean(gains),
        low=low,
        high=high,
    )


# --- tables

_LEGEND = Text(
    "答案：从回复中抽取，引导语、引号与理由已去掉，本工具的指标（f1、bleu1 …）据此计算。整段回复：只去掉特殊词元与思考，"
    "论文口径（paper.f1、paper.bleu1 …）据此计算，与论文公布的数字对照。增加：前者减后者，同一定义的 F1，95% 置信区间以对话为单位。"
    "截取：答案不是整段回复的回复所占的比例。",
    "answer: extracted from the reply, without lead-ins, quotes and reasons; our own metrics (f1, bleu1 …) are of "
    "it. reply: whole, less special tokens and thinking; the paper's profile (paper.f1, paper.bleu1 …) is of it, and "
    "compares with published figures. gain: the first less the second, F1 by the same definition, with its 95 % "
    "interval over dialogues. cut: replies of which the answer is only a part.",
)


def sheets(results: Results) -> Iterator[Sheet]:
    """A row for each cell of spans or texts: F1 and EM of the answers, of the whole replies, and the gain in F1."""
    rows = results.of(ANALYSIS)
    if not rows:
        return
    answer, reply = Text("答案", "answer"), Text("整段回复", "reply")
    columns: Columns[Extraction] = (
        (Column(""), cell_names(rows)),
        (Column(Text("截取", "cut"), "%", "percent"), lambda row: row.cut),
        (Column(answer, "F1", "percent"), lambda row: row.f1),
        (Column(reply, "F1", "percent"), lambda row: row.f1_reply),
        (Column(Text("增加", "gain"), "F1", "percent", signed=True), _gain),
        (Column(answer, "EM", "percent"), lambda row: row.em),
        (Column(reply, "EM", "percent"), lambda row: row.em_reply),
    )
    title = Text("答案抽取使得分提高多少", "What extraction adds to the scores")
    yield Sheet("extraction", title, *table(columns, by_model(rows)), (_LEGEND,))


def _gain(row: Extraction) -> Value:
    sure = row.low is not None and row.high is not None and (row.low > 0 or row.high < 0)
    return Value(row.gain, row.low, row.high, tone="strong" if sure else "")


ANALYSIS = Analysis(
    "extraction", sheets, list[Extraction], compute, help="F1 and EM of the answers beside those of the whole replies."
)
