"""Judges' replies in the store -> judged/*.jsonl, and their scores beside the metrics (docs/judge.md). No judge is asked here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import get_args

from evalsuite.analyses.correlations import MODELS
from evalsuite.analyses.judged.controls import Opinion, Opinions, controls, length_bias, mean_score
from evalsuite.analyses.judged.replies import VERSION, JudgeVerdict, read_verdict
from evalsuite.analyses.judged.scale import JudgeScale, JudgeStatus, again
from evalsuite.analyses.judged.values import (
    Correlations,
    JudgeAttempt,
    Judged,
    JudgedCell,
    JudgedRecord,
    JudgingFacts,
    JudgingFields,
    Length,
    OverModels,
    OverSystems,
    PerItem,
    RecordedSettings,
    ScaleSummary,
)
from evalsuite.analyses.stored_reply import StoredReply
from evalsuite.benchmarks.registry import TASKS, metric_named
from evalsuite.common.dialogue import sources
from evalsuite.common.files import safe_name
from evalsuite.metrics.agreement import correlations, spearman_interval
from evalsuite.results.analysis import RunReplies, ScoredRun
from evalsuite.results.outcomes import ScoredReply
from evalsuite.results.records import name_parts
from evalsuite.results.schema.cell import CellResult, MetricValue
from evalsuite.results.scoring import per_item, score_cell
from evalsuite.results.store import JudgingRow, StoredQuestions
from evalsuite.types import Cell, Coordinates, Item, Place, Reading, Response, Trial


@dataclass(frozen=True, slots=True)
class Subject:
    """A judged cell: its answered requests, their automatic metrics and dialogues, each by (item, rotation)."""

    requests: dict[tuple[str, int], tuple[str, ScoredReply]]  # (reply's key, the scored reply)
    metrics: dict[str, dict[tuple[str, int], float]]  # metric -> (item, rotation) -> value
    dialogues: dict[tuple[str, int], int]  # number of the dialogue within the cell


@dataclass(frozen=True, slots=True)
class Verdicts:
    """One judge's verdicts on a cell's first samples: a reply is accepted if it scores above the middle of the first scale."""

    place: Place
    judge: str
    scale: str
    right: Mapping[str, bool]  # item -> whether its reply was accepted


@dataclass(frozen=True, slots=True)
class JudgedReplies:
    """The replies of a cell that one judge scored without controls: trial, text and one score for each scale."""

    place: Place
    judge: str
    rubric: str
    scales: tuple[JudgeScale, ...]
    replies: tuple[tuple[Trial, str, tuple[int, ...]], ...]


def compute(run: ScoredRun) -> Judged | None:
    """The scores of a run's judges, with a file of records for each judging; None if no judge was asked."""
    scored = {cell.place: cell for cell in run.cells}
    judgings: list[Opinions] = []
    cells: list[JudgedCell] = []
    subjects: dict[Place, Subject] = {}
    for planned in run.replies.questions("judge"):
        place = Place.of(planned.place)
        if place not in scored:
            continue
        cell = scored[place]
        if place not in subjects:
            subjects[place] = _subject(run.replies, cell.outcomes.cell, run.reading)
        opinions, lines = _read_judging(run.replies, planned, subjects[place])
        if not opinions.opinions:
            continue
        path = f"judged/{_file_name(opinions.judging)}"
        with run.write_records(path) as write_record:
            for line in lines:
                write_record(line)
        judgings.append(opinions)
        cells.append(_entry(opinions, lines, subjects[place], path, cell.result.is_estimate))
    if not judgings:
        return None
    return Judged(
        cells=cells,
        models=list(_over_models(cells, run.results)),
        systems=list(_over_systems(cells, run.results)),
        controls=controls(_numbered_together(judgings, subjects)),
    )


def problems(judged: Judged) -> Iterator[str]:
    """A line for each failure."""
    for cell in judged.cells:
        way = "/".join((cell.judge, cell.rubric, cell.control, cell.place.name))
        if count := cell.status.get("failed", 0):
            yield f"judged {way}: {count} of {cell.items} requests failed: {'; '.join(cell.errors)}"
        if count := cell.status.get("missing", 0):
            yield f"judged {way}: {count} of {cell.items} not asked yet: the same judging goes on"


def verdicts(replies: RunReplies, rubrics: Mapping[str, str]) -> Iterator[Verdicts]:
    """The verdicts of every judge on the tasks in `rubrics`, by the task's rubric. See `judged_replies`."""
    for judged in judged_replies(replies, rubrics):
        scale = judged.scales[0]
        right = {trial.item.id: 2 * scores[0] > scale.low + scale.high for trial, _, scores in judged.replies}
        yield Verdicts(judged.place, judged.judge, scale.name, right)


def judged_replies(replies: RunReplies, rubrics: Mapping[str, str] | None = None) -> Iterator[JudgedReplies]:
    """The scores of every judge, without those of controls; of the tasks in `rubrics` by the task's rubric, if it is given.

    Replies that the judge gave no readable score are left out, and so are scores of replies that were replaced.
    """
    for planned in replies.questions("judge"):
        place, judging = Place.of(planned.place), JudgingFields.model_validate(planned.place)
        if judging.control != "plain" or (rubrics is not None and judging.rubric != rubrics.get(place.task)):
            continue
        scales = JudgingFacts.model_validate(planned.facts).rubric_scales
        rows = {(row["item"], row["rotation"], row["key"]): row for row in planned.rows}
        scored = []
        for key, (trial, response, *_) in replies.of(Cell(place, {})):
            row = rows.get((trial.item.id, trial.rotation, key))
            if row is None or trial.request.sample or response.error is not None:
                continue
            # An empty candidate is not asked about.
            scores = _attempts(replies, row, scales)[1].scores if row["keys"] else tuple(scale.low for scale in scales)
            if scores:
                scored.append((trial, response.text, tuple(scores)))
        yield JudgedReplies(place, judging.judge, judging.rubric, tuple(scales), tuple(scored))


def _subject(replies: RunReplies, cell: Cell, reading: Reading) -> Subject:
    rows = [
        (key, reply)
        for key, reply in replies.of(cell)
        if reply[1].error is None and not reply[0].request.sample  # judges rate the first sample
    ]
    names = [(trial.item.id, trial.rotation) for _, (trial, *_) in rows]
    items, responses = [reply[0].item for _, reply in rows], [reply[1] for _, reply in rows]
    dialogue_of = dict(zip(names, sources([item.context for item in items]), strict=True))
    values = per_item(score_cell(items, responses, reading, [reply[2] for _, reply in rows])) if rows else {}
    metrics = {metric: dict(zip(names, column, strict=True)) for metric, column in values.items()}
    return Subject(dict(zip(names, rows, strict=True)), metrics, dialogue_of)


def _read_judging(
    replies: RunReplies, planned: StoredQuestions, subject: Subject
) -> tuple[Opinions, list[JudgedRecord]]:
    """The opinions of a judging, and its lines of judged/. Rows are left out if the candidate's reply was replaced."""
    judging, facts = JudgingFields.model_validate(planned.place), JudgingFacts.model_validate(planned.facts)
    scales = facts.rubric_scales
    headline = TASKS[judging.task].item_metrics[0]
    lows = tuple(scale.low for scale in scales)
    opinions, lines = [], []
    for row in planned.rows:
        name = row["item"], row["rotation"]
        if name not in subject.requests or subject.requests[name][0] != row["key"]:
            continue
        trial, reply, *_ = subject.requests[name][1]
        attempts, verdict = _attempts(replies, row, scales)
        if not row["keys"]:
            verdict = replace(verdict, status="empty", scores=lows, rule="the candidate is empty")
        metric, length = subject.metrics[headline][name], len(reply.text.strip())
        candidate = (judging.place, *name)
        opinions.append(
            Opinion(candidate, verdict.status, verdict.scores, row["attack"], length, metric, subject.dialogues[name])
        )
        lines.append(_record(judging, facts, row, trial.item, reply, attempts, verdict))
    return Opinions(judging, facts, tuple(opinions)), lines


_Reply = tuple[str, Response]  # an attempt: its key and the judge's reply


def _attempts(replies: RunReplies, row: JudgingRow, scales: Sequence[JudgeScale]) -> tuple[list[_Reply], JudgeVerdict]:
    """The judge's replies to one candidate, and the verdict of the first reply with a valid score."""
    attempts: list[_Reply] = []
    verdict = JudgeVerdict("missing")
    for key in row["keys"]:
        response = replies.response(key)
        if response is None:
            return attempts, JudgeVerdict("missing")
        attempts.append((key, response))
        if response.error is not None:
            return attempts, JudgeVerdict("failed", rule="no reply")
        verdict = read_verdict(response.text, scales)
        if verdict.status == "scored":
            break
    return attempts, verdict


def _record(
    judging: JudgingFields,
    facts: JudgingFacts,
    row: JudgingRow,
    item: Item,
    reply: Response,
    attempts: Sequence[_Reply],
    verdict: JudgeVerdict,
) -> JudgedRecord:
    """One line of judged/: all that a reviewer needs to check a score."""
    return JudgedRecord(
        **dict(judging),
        item=item.id,
        rotation=row["rotation"],
        candidate_key=row["key"],
        candidate=reply.text,
        attack=row["attack"] or None,
        question=item.question,
        references=list(item.references),
        template=facts.template,
        settings=RecordedSettings(**{name: getattr(facts, name) for name in RecordedSettings.model_fields}),
        prompt=row["prompt"],
        attempts=[
            JudgeAttempt(added=again("", facts.reminder, n).strip(), **dict(StoredReply.of(*attempt)))
            for n, attempt in enumerate(attempts, 1)
        ],
        status=verdict.status,
        scores={name: score for (name, *_), score in zip(facts.scales, verdict.scores, strict=False)},
        rule=verdict.rule,
        reasons=verdict.reasons,
        start=verdict.start,
        end=verdict.end,
    )


def _entry(opinions: Opinions, lines: Sequence[JudgedRecord], subject: Subject, path: str, stopped: bool) -> JudgedCell:
    """The row of a cell. `stopped`: only a part of its items was asked, so that no interval for a fixed number of items holds."""
    judging, facts = opinions.judging, opinions.facts
    statuses = Counter(o.status for o in opinions.opinions)
    errors = Counter(a.error for line in lines for a in line.attempts if a.error)
    scales = None
    if judging.control != "attack":
        none = {"low": None, "high": None} if stopped else {}
        scales = {
            name: _numbers(opinions, n, subject).model_copy(update=none) for n, name in enumerate(opinions.scales)
        }
    signature = (
        f"judge:{judging.judge}-{facts.fingerprint}|rubric:{judging.rubric}-{facts.template[:8]}|control:{judging.control}"
        f"|limit:{facts.limit}|replies:{VERSION}"
    )
    return JudgedCell(
        **dict(judging),
        items=len(opinions.opinions),
        status={status: statuses[status] for status in get_args(JudgeStatus) if statuses[status]},
        asked_again=sum(len(line.attempts) > 1 for line in lines),
        errors=dict(errors.most_common(5)),
        scales=scales,
        signature=signature,
        records=path,
        facts=facts,
    )


def _numbers(judging: Opinions, n: int, subject: Subject) -> ScaleSummary:
    """One scale on one cell: mean with interval, histogram, and correlations with length and every automatic metric."""
    opinions = [o for o in judging.opinions if o.scores]
    scale = judging.facts.rubric_scales[n]
    scores = [o.scores[n] for o in opinions]
    tally = Counter(scores)
    mean = mean_score(scores, [o.dialogue for o in opinions], judging.cell, scale) if opinions else None
    numbers = ScaleSummary(
        **dict(mean or {"value": None, "low": None, "high": None}),
        n=len(opinions),
        histogram={str(value): tally[value] for value in scale.values},
    )
    if judging.control not in ("plain", "blind"):
        return numbers
    rho, partial = length_bias(judging, n)
    names = [o.candidate[1:] for o in opinions]
    columns = {m: [column[name] for name in names] for m, column in subject.metrics.items()}
    dialogues = len({o.dialogue for o in opinions})
    return numbers.model_copy(
        update={
            "length": Length(spearman=rho, partial=partial),
            "metrics": {m: _beside(scores, column, dialogues) for m, column in columns.items()},
            "joint": {m: joint(scores, column, metric_named(m).maximum or 1.0) for m, column in columns.items()},
        }
    )


def _beside(scores: Sequence[int], column: Sequence[float], dialogues: int) -> PerItem:
    rhos = Correlations(**correlations(scores, column))
    low, high = spearman_interval(rhos.spearman, dialogues)
    return PerItem(**dict(rhos), spearman_low=low, spearman_high=high)


def joint(scores: Sequence[int], column: Sequence[float], most: float = 1.0) -> dict[str, str]:
    """Joint histogram: score -> counts of items in each tenth of a metric's range, 0 to `most` (inclusive).

    The ten counts are one string, to keep results.json short.

    >>> joint([1, 5, 5, 5], [0.0, 1.0, 0.95, 0.3])
    {'1': '1 0 0 0 0 0 0 0 0 0', '5': '0 0 0 1 0 0 0 0 0 2'}
    """
    tally = Counter((score, min(9, int(10 * value / most))) for score, value in zip(scores, column, strict=True))
    return {str(score): " ".join(str(tally[score, tenth]) for tenth in range(10)) for score in sorted(set(scores))}


_Point = tuple[str, float, Mapping[str, MetricValue]]  # a judged cell: its model, the judge's mean score, its metrics


def _over_models(cells: Sequence[JudgedCell], results: Sequence[CellResult]) -> Iterator[OverModels]:
    """Correlation of the judge's means with each metric over models: a row per judge, rubric, scale and place."""
    for group, points in _points(cells, results, lambda cell: cell.place.without("model")).items():
        if len(points) >= MODELS:
            yield OverModels(**dict(group), models=len(points), metrics=_together(points))


def _over_systems(cells: Sequence[JudgedCell], results: Sequence[CellResult]) -> Iterator[OverSystems]:
    """Correlations of each judge with the automatic metrics over all short texts of a benchmark. A point
    is a model on a task and set, as it is a system on a dimension and level in section 5 of the GLUCOSE paper."""

    def benchmark(cell: JudgedCell) -> Coordinates:
        return ("benchmark", TASKS[cell.task].benchmark), *cell.place.without("model", "task", "set")

    for group, points in _points(cells, results, benchmark).items():
        if len(points) >= MODELS:
            models = len({model for model, _, _ in points})
            yield OverSystems(**dict(group), models=models, points=len(points), metrics=_together(points))


def _points(
    cells: Sequence[JudgedCell], results: Sequence[CellResult], key: Callable[[JudgedCell], Coordinates]
) -> dict[Coordinates, list[_Point]]:
    """The points of each judge, rubric, scale and `key` of the cell, under the control "plain". Estimates are left out, whose
    items are others than those of whole cells, and baselines: oracles and random answers correlate judges with all metrics."""
    by_place = {cell.place: cell.metrics for cell in results if not cell.is_estimate and not cell.is_baseline}
    groups: dict[Coordinates, list[_Point]] = {}
    for cell in cells:
        for scale, numbers in (cell.scales or {}).items() if cell.control == "plain" else ():
            metrics = by_place.get(cell.place)
            if metrics and numbers.value is not None:
                group = ("judge", cell.judge), ("rubric", cell.rubric), ("scale", scale), *key(cell)
                groups.setdefault(group, []).append((cell.model, numbers.value, metrics))
    return groups


def _together(points: Sequence[_Point]) -> dict[str, Correlations]:
    """The correlation of the judge's means with every metric that all points have."""
    means = [mean for _, mean, _ in points]
    rows = [{name: f.value for name, f in metrics.items() if f.value is not None} for *_, metrics in points]
    shared = [name for name in rows[0] if all(name in row for row in rows)]
    return {name: Correlations(**correlations(means, [row[name] for row in rows])) for name in shared}


def _numbered_together(judgings: Sequence[Opinions], subjects: Mapping[Place, Subject]) -> list[Opinions]:
    """The judgings with dialogues numbered over all cells, since the controls pool them."""
    items = {reply[0].item.id: reply[0].item for s in subjects.values() for _, reply in s.requests.values()}
    dialogue_of = dict(zip(items, sources([item.context for item in items.values()]), strict=True))
    return [
        replace(t, opinions=tuple(replace(o, dialogue=dialogue_of[o.candidate[1]]) for o in t.opinions))
        for t in judgings
    ]


def _file_name(judging: JudgingFields) -> str:
    control = re.sub(r"\W", "", judging.control)
    return f"{safe_name(judging.judge, judging.rubric, control, *name_parts(judging.place))}.jsonl"
