"""Judges' means, corrected by people's scores of replies that were drawn at random (docs/judge.md, PPI++ of metrics/ppi.py).

A row for each cell that a judge scored and an audit drew replies from. The corrected mean stands for what people would give the
cell's replies on average. It is refused where the marked replies are too few, or no random part of the cell's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from evalsuite.analyses.judged.sheets import ANALYSIS as JUDGED
from evalsuite.analyses.judged.summary import JudgedReplies, judged_replies
from evalsuite.analyses.judged.values import ScaleFields
from evalsuite.analyses.value_columns import MODEL, Columns, table
from evalsuite.benchmarks.registry import TASKS, benchmark_of
from evalsuite.common.dialogue import sources
from evalsuite.common.files import read_json
from evalsuite.common.grouping import by_key
from evalsuite.common.jsonl import first_fault
from evalsuite.common.sheet import Column, Sheet, Text, Value
from evalsuite.results.analysis import Analysis, Results, ScoredRun
from evalsuite.results.outputs import output_id, way_of
from evalsuite.results.schema.base import CellFields, Count, IntervalFields, Rows, Share
from evalsuite.results.schema.cell import CellResult
from evalsuite.results.schema.people import FILE, People
from evalsuite.results.words import place_words, task_and_set, with_notes
from evalsuite.types import WRITTEN, Status

FEWEST = 10  # the fewest dialogues with marks from which scores are corrected
# The share of the drawn replies that may be left unmarked: those that people choose to mark are no random part.
UNMARKED = 0.05

Refusal = Literal["suspicious", "changed", "unmarked", "few"]


class JudgeCorrection(ScaleFields, CellFields):
    """One judge's mean on one cell, and people's scores of a sample."""

    sample: str = Field(description="Name of the sample, as in RUN/audit.")
    annotators: Rows[str]
    drawn: Count = Field(description="Replies of the cell, scored by the judge, that the sample has.")
    marked: Count = Field(description="Drawn replies that people scored.")
    dialogues: Count = Field(description="Number of dialogues of the marked replies.")
    raw: IntervalFields = Field(description="The judge's mean over the cell.")
    people: IntervalFields = Field(description="People's mean alone, by weights of the sample.")
    corrected: IntervalFields = Field(
        description="The judge's mean, corrected by people: PPI++. Null if it is refused."
    )
    tuning: Share | None = Field(
        description="λ: 0 takes people's mean alone, 1 takes the judge's less its mean error; null if it is refused."
    )
    refused: Refusal | None = Field(
        description="Why there is no corrected mean. suspicious: the sample is of suspicious items; changed: the run's replies "
        f"are not those that it was drawn from; unmarked: more than {100 * UNMARKED:.0f} % of the drawn replies; few: marks of "
        f"fewer than {FEWEST} dialogues."
    )


_NONE = IntervalFields(value=None, low=None, high=None)


def compute(run: ScoredRun) -> list[JudgeCorrection] | None:
    """A row for each judged cell, scale and sample with people's scores; None without any."""
    samples = [] if run.out is None else list(_people(run.out))
    if not samples:
        return None
    rows = [
        row for judged in judged_replies(run.replies) for people in samples for row in _corrected(run, judged, people)
    ]
    return rows or None


def _people(out: Path) -> Iterator[People]:
    """People's scores of every sample. Raises DataError for a file in another form."""
    for path in sorted((out / "audit").glob(f"*/{FILE}")):
        try:
            yield People.model_validate(read_json(path))
        except ValidationError as error:
            raise first_fault(error, path) from None


def _corrected(run: ScoredRun, judged: JudgedReplies, people: People) -> Iterator[JudgeCorrection]:
    """A row for each scale of a judged cell that people used, too; none if their sample has no reply of the cell."""
    from evalsuite.metrics.ppi import corrected_mean

    if people.rubric not in (judged.rubric, judged.rubric.removesuffix("_en")):
        return
    place = judged.place
    ids = [
        output_id(place.model, trial.item.id, place.split, way_of(place, trial.rotation), text)
        for trial, text, _ in judged.replies
    ]
    by_id = {row.output: row for row in people.drawn}
    drawn = {n: by_id[name] for n, name in enumerate(ids) if name in by_id}  # index of a judged reply -> its marks
    contexts = sources([trial.item.context for trial, *_ in judged.replies])
    changed = people.outputs.get(place.model) != _replies(run.results, people.tasks)[place.model]
    for number, scale in enumerate(judged.scales):
        if not drawn or people.scales.get(scale.name) != [scale.low, scale.high]:
            continue
        marks = {n: (row.scores[scale.name], row.weight) for n, row in drawn.items() if scale.name in row.scores}
        dialogues = len({contexts[n] for n in marks})
        refused: Refusal | None = None
        if people.suspicious:
            refused = "suspicious"
        elif changed:
            refused = "changed"
        elif len(drawn) - len(marks) > UNMARKED * len(drawn):
            refused = "unmarked"
        elif dialogues < FEWEST:
            refused = "few"
        alone, mean, tuning = _NONE, _NONE, None
        if refused is None:
            scores = [float(row[number]) for *_, row in judged.replies]
            estimate = corrected_mean(scores, marks, contexts, lowest=scale.low, highest=scale.high)
            mean = IntervalFields(value=estimate.value, low=estimate.low, high=estimate.high)
            alone = IntervalFields(value=estimate.people, low=estimate.people_low, high=estimate.people_high)
            tuning = estimate.tuning
        yield JudgeCorrection(
            **place.as_dict(),
            judge=judged.judge,
            rubric=judged.rubric,
            scale=scale.name,
            sample=people.name,
            annotators=people.annotators,
            drawn=len(drawn),
            marked=len(marks),
            dialogues=dialogues,
            raw=_raw(run, judged, scale.name),
            people=alone,
            corrected=mean,
            tuning=tuning,
            refused=refused,
        )


def _replies(cells: Sequence[CellResult], tasks: Sequence[str]) -> Mapping[str, int]:
    """Model -> number of its written replies to these tasks: those that an audit draws from."""
    count: Counter[str] = Counter()
    for cell in cells:
        if cell.task in tasks and cell.scoring in WRITTEN and TASKS[cell.task].kind.written:
            lost = cell.failed + cell.status.get(Status.FILTERED.value, 0)
            count[cell.model] += sum(cell.status.values()) - lost
    return count


def _raw(run: ScoredRun, judged: JudgedReplies, scale: str) -> IntervalFields:
    """The judge's uncorrected mean on a scale, as the table of judges has it."""
    content = run.of(JUDGED)
    for cell in content.cells if content else ():
        judging = cell.place, cell.judge, cell.rubric, cell.control
        if judging == (judged.place, judged.judge, judged.rubric, "plain") and cell.scales:
            numbers = cell.scales[scale]
            return IntervalFields(value=numbers.value, low=numbers.low, high=numbers.high)
    return _NONE


# --- tables

_LEGEND = Text(
    "校正：以人对随机抽取的回复的打分校正评审模型的平均分（PPI++），即人会给该单元格全部回复的平均分的估计；λ：0 表示只用人的打分，1 表示完全采用评审模型再减去"
    "其平均偏差。区间 95%，以对话为单位。",
    "corrected: the judge's mean, corrected by people's scores of replies drawn at random (PPI++): an estimate of what people "
    "would give all replies of the cell on average. λ: 0 takes people's scores alone, 1 the judge's less their mean error. 95 % "
    "intervals by dialogues.",
)
_REFUSED: Mapping[Refusal, Text] = {
    "suspicious": Text("未校正：样本只含可疑题", "none: a sample of suspicious items"),
    "changed": Text("未校正：抽样后回复有变动", "none: the run's replies have changed since the draw"),
    "unmarked": Text("未校正：抽中的回复未全部打分", "none: drawn replies are unmarked"),
    "few": Text(f"未校正：有打分的对话少于 {FEWEST}", f"none: marks of fewer than {FEWEST} dialogues"),
}


def sheets(results: Results) -> Iterator[Sheet]:
    """A sheet for each judge, rubric, scale and sample."""
    groups = by_key(((row.judge, row.rubric, row.scale, row.sample), row) for row in results.of(ANALYSIS) or ())
    yield from with_notes((_sheet(*where, groups[where]) for where in sorted(groups)), _LEGEND)


def _sheet(judge: str, rubric: str, scale: str, sample: str, rows: Sequence[JudgeCorrection]) -> Sheet:
    several = len({(row.way, row.split) for row in rows}) > 1

    def asked(row: JudgeCorrection) -> Text:
        place, task = place_words(row.coordinates(), benchmark_of(row.task)), task_and_set(TASKS[row.task], row.set)
        return Text(f"{task.zh} {place.zh}", f"{task.en} {place.en}") if several else task

    columns: Columns[JudgeCorrection] = (
        MODEL,
        (Column(Text("任务", "task"), key=True), asked),
        (Column(Text("评审平均", "judge"), kind="number"), lambda row: row.raw.as_value),
        (Column(Text("校正", "corrected"), kind="number"), lambda row: row.corrected.as_value),
        (Column(Text("仅人打分", "people alone"), kind="number"), lambda row: row.people.as_value),
        (Column("λ", kind="number"), lambda row: Value(row.tuning)),
        (
            Column(Text("打分", "marked"), kind="count"),
            lambda row: Value(row.marked, asides=(f" / {row.drawn}",) if row.marked < row.drawn else ()),
        ),
        (Column(""), lambda row: _REFUSED[row.refused] if row.refused else ""),
    )
    name = f"{judge}, {rubric} {scale}, {sample}"
    title = Text(f"评审模型经人校正：{name}", f"Judge corrected by people: {name}")
    return Sheet("judge-corrected", title, *table(columns, rows), about={"judge": judge, "rubric": rubric})


ANALYSIS = Analysis(
    "corrected",
    sheets,
    list[JudgeCorrection],
    compute,
    help="Judges' means, corrected by people's scores of a random sample.",
    at_end=True,
)
