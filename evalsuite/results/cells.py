"""The scored replies of one cell -> its entry in results.json, and what the sections of results.json need of its items."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evalsuite.benchmarks.registry import TASKS
from evalsuite.perturb import PERTURBATIONS
from evalsuite.results.anchored import anchored
from evalsuite.results.breakdown import breakdown, confusion
from evalsuite.results.correlations import points
from evalsuite.results.estimates import Estimate, estimate, estimated_metric
from evalsuite.results.extraction import extraction
from evalsuite.results.outcomes import Points, ScoredCell, outcomes_of
from evalsuite.results.scoring import intervals, score_cell
from evalsuite.results.signature import signature
from evalsuite.results.tokens import tokens_of
from evalsuite.types import Answer, Cell, Reading, Response, Score, Status, Trial

if TYPE_CHECKING:
    from evalsuite.metrics.semsim import Encoder

ScoredReply = tuple[Trial, Response, Answer, Score]


def without_prompt(trial: Trial) -> Trial:
    """Prompts are long and no number depends on them: they are not held in memory for a whole cell."""
    return replace(trial, request=replace(trial.request, prompt="", messages=()))


def cell_results(
    cell: Cell,
    trials: Sequence[Trial],
    replies: Sequence[ScoredReply],
    reading: Reading,
    path: str,
    encoder: Encoder | None = None,
    places: Sequence[int] | None = None,
) -> ScoredCell:
    """Results of a cell from all its trials and the replies to those that were asked; `path` is its file of records.

    places: of the replies among the trials, if the asking stopped early.
    """
    answered = [reply for reply in replies if reply[1].error is None]
    statuses = Counter(answer.status for _, _, answer, _ in replies)
    errors = Counter(response.error for _, response, _, _ in replies if response.error is not None)
    metrics, item_points = _metrics(cell, [(trial, r, a) for trial, r, a, _ in answered], reading, encoder)
    entry: dict[str, Any] = {
        **cell.place.as_dict(),
        "items": len(trials),
        "missing": len(trials) - len(replies),
        "status": {status.value: statuses[status] for status in Status if statuses[status]},
        "metrics": metrics,
        "shots_dropped": sum(trial.asked_shots - len(trial.shots) for trial in trials),
        "errors": dict(errors.most_common(5)),
        "records": path,
        "facts": cell.facts,
    }
    if places and (found := _estimate(cell, trials, replies, places)):
        entry["estimate"] = found.entry
        entry["metrics"] = _estimated(metrics, found)
    if spent := tokens_of(cell, [response for _, response, *_ in answered]):
        entry["tokens"] = spent
    if trials and TASKS[cell.place.task].kind.single:
        right = sum(score.values.get("accuracy") == 1.0 for *_, score in replies)
        entry["chance"] = math.fsum(1 / len(trial.item.options) for trial in trials) / len(trials)
        entry["accuracy_of_parsed"] = right / statuses[Status.PARSED] if statuses[Status.PARSED] else None
    rows = [(trial, answer, score) for trial, _, answer, score in answered]
    outcomes = outcomes_of(cell, rows)
    entry |= anchored(outcomes, metrics, len(answered) == len(trials))
    added = extraction(cell, answered)
    return ScoredCell(entry, outcomes, breakdown(outcomes, rows), confusion(cell, rows), item_points, added)


def _estimate(
    cell: Cell, trials: Sequence[Trial], replies: Sequence[ScoredReply], places: Sequence[int]
) -> Estimate | None:
    metric = estimated_metric(TASKS[cell.place.task])
    values = {
        place: None if response.error is not None else score.values[metric]
        for place, (_, response, _, score) in zip(places, replies, strict=True)
    }
    return estimate(cell, trials, values)


def _estimated(metrics: dict[str, Any], found: Estimate) -> dict[str, Any]:
    """The metrics with the interval of the estimate. Others have none: one that is looked at again and again does not hold."""
    made = {}
    signature = metrics.get(found.metric, {}).get("signature")
    for name, values in metrics.items():
        # A metric of the same signature is the same: of texts, accuracy is accuracy_token.
        low, high = (found.low, found.high) if values["signature"] == signature else (None, None)
        made[name] = {key: value for key, value in values.items() if key != "wilson"} | {"low": low, "high": high}
    return made


def _metrics(
    cell: Cell, answered: Sequence[tuple[Trial, Response, Answer]], reading: Reading, encoder: Encoder | None
) -> tuple[dict[str, Any], Points | None]:
    """Metric -> value, interval, n and signature, with values None where no request was answered; and the items' points."""
    nothing = {name: {"value": None, "n": 0, "signature": name} for name in TASKS[cell.place.task].metrics}
    if not answered:
        return nothing, None
    trials, responses, answers = zip(*answered, strict=True)
    rotations = PERTURBATIONS[cell.place.perturb].several
    items, samples = [trial.item for trial in trials], [trial.request.sample for trial in trials]
    scored = score_cell(items, responses, reading, answers, rotations, cell.facts, samples, cell.place.variant, encoder)
    if not scored.items:  # every item has a rotation that failed
        return nothing, None
    # The seed names no model: two models with the same replies get the same interval.
    numbers = intervals(scored, f"0:bootstrap:{cell.place.task}:{cell.place.set}:{cell.place.split}")
    metrics = {
        name: {**values, "signature": f"{scored.part(name).signatures[name]}|{signature(cell)}"}
        for name, values in numbers.items()
    }
    return metrics, points(cell, scored)
