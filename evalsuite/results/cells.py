"""The scored replies of one cell -> its figures in results.json, and the items' values for analyses."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from evalsuite.benchmarks.registry import TASKS, benchmark_of
from evalsuite.perturb import PERTURBATIONS
from evalsuite.results.analysis import Points, ScoredCell
from evalsuite.results.chosen_items import with_estimate
from evalsuite.results.estimates import asking_of, estimate_of, estimated_metric
from evalsuite.results.influences import Influences, influences_of
from evalsuite.results.outcomes import ScoredReply, outcomes_of
from evalsuite.results.schema.cell import CellResult, Estimate, Facts, MetricValue
from evalsuite.results.scoring import ScoredItems, intervals, per_item, score_cell
from evalsuite.results.signature import signature
from evalsuite.results.tokens import tokens_of
from evalsuite.types import Cell, Reading, Status, Trial

if TYPE_CHECKING:
    from evalsuite.metrics.semsim import Encoder

# Metrics that are left out of correlations, since each is another metric on other tokens or on the whole reply: Kendall's τ of
# every pair of metrics takes most of the time of correlations.
ALIKE = ("bleu_sacre_zh", "paper.f1", "paper.em")


def cell_results(
    cell: Cell,
    trials: Sequence[Trial],
    replies: Sequence[ScoredReply],
    reading: Reading,
    path: str,
    encoder: Encoder | None = None,
    indices: Sequence[int] | None = None,
) -> ScoredCell:
    """Results of a cell from all its trials and the replies to those that were asked; `path` is its file of records.

    indices: the index of each reply's trial; None if all replies count.
    """
    answered = [reply for reply in replies if reply[1].error is None]
    statuses = Counter(answer.status for _, _, answer, _ in replies)
    errors = Counter(response.error for _, response, _, _ in replies if response.error is not None)
    facts = Facts.model_validate(cell.facts)
    stopped = _early_estimate(cell, trials, replies, indices) if indices else None
    metrics, points, influences = _metrics(cell, facts, answered, reading, encoder, stopped)
    if stopped:
        metrics = _with_early_interval(metrics, stopped)
    chance = of_parsed = None
    if trials and TASKS[cell.place.task].kind.single:
        right = sum(score.values.get("accuracy") == 1.0 for *_, score in replies)
        # Guesses are hardly ever right in all rotations.
        if not PERTURBATIONS[cell.place.perturb].several:
            # An item counts once, not each of its samples.
            levels = {trial.item.id: 1 / len(trial.item.options) for trial in trials}
            chance = math.fsum(levels.values()) / len(levels)
        of_parsed = right / statuses[Status.PARSED] if statuses[Status.PARSED] else None
    result = CellResult(
        **cell.place.as_dict(),
        items=len(trials),
        missing=len(trials) - len(replies),
        status={status.value: statuses[status] for status in Status if statuses[status]},
        metrics=metrics,
        shots_dropped=sum(trial.asked_shots - len(trial.shots) for trial in trials),
        errors=dict(errors.most_common(5)),
        records=path,
        facts=facts,
        tokens=tokens_of(cell.place.scoring, [response for _, response, *_ in answered], facts.price),
        estimate=stopped,
        chance=chance,
        accuracy_of_parsed=of_parsed,
    )
    outcomes = outcomes_of(cell, answered)
    counted = None if indices is None else frozenset(indices)
    asked_items = len({trial.item.id for trial, *_ in replies})
    estimated = with_estimate(result, outcomes, asked_items, whole=len(answered) == len(trials))
    return ScoredCell(estimated, outcomes, points, counted, influences)


def _early_estimate(
    cell: Cell, trials: Sequence[Trial], replies: Sequence[ScoredReply], indices: Sequence[int]
) -> Estimate | None:
    metric = estimated_metric(TASKS[cell.place.task])
    values = {
        index: None if response.error is not None else score.values[metric]
        for index, (_, response, _, score) in zip(indices, replies, strict=True)
    }
    return estimate_of(cell, asking_of(cell, trials), trials, values)


def _with_early_interval(metrics: Mapping[str, MetricValue], stopped: Estimate) -> dict[str, MetricValue]:
    """The metrics of a cell whose asking stopped early. The estimated metric gets the estimate's interval. The others get none:
    intervals for a fixed number of items do not hold."""
    figures = {}
    signed = metrics[stopped.metric].signature if stopped.metric and stopped.metric in metrics else None
    for name, figure in metrics.items():
        # Metrics with the same signature are one metric: by likelihoods of texts, accuracy is accuracy_token.
        low, high = (stopped.low, stopped.high) if figure.signature == signed else (None, None)
        figures[name] = figure.model_copy(update={"wilson": None, "low": low, "high": high})
    return figures


def _metrics(
    cell: Cell,
    facts: Facts,
    answered: Sequence[ScoredReply],
    reading: Reading,
    encoder: Encoder | None,
    stopped: Estimate | None,
) -> tuple[dict[str, MetricValue], Points | None, Influences | None]:
    """(figures, points, influences of dialogues) of a cell. If no item has a value, figures have the value None.

    Influences are on the metrics that are averaged over cells: all metrics of a benchmark that is averaged over its sets, else
    the headline of an unperturbed cell.
    """
    place, task = cell.place, TASKS[cell.place.task]
    nothing = {name: MetricValue(value=None, low=None, high=None, n=0, signature=name) for name in task.metrics}
    if not answered:
        return nothing, None, None
    trials, responses, answers, _ = zip(*answered, strict=True)
    items, samples = [trial.item for trial in trials], [trial.request.sample for trial in trials]
    scored = score_cell(items, responses, reading, answers, place.perturb, cell.facts, samples, place.variant, encoder)
    if not scored.items:  # every item has a rotation that failed
        return nothing, None, None
    # The seed names no model: two models with the same replies get the same interval.
    purpose = f"0:bootstrap:{place.task}:{place.set}:{place.split}"
    averaged = benchmark_of(task.name).averaged
    # Means over benchmarks are of unperturbed cells; analyses/overview.py computes the influences on changes itself.
    wanted = averaged or place.perturb == "none"
    influences = influences_of(scored, () if averaged else task.metrics[:1]) if wanted else None
    limit = min(trial.request.max_new_tokens for trial in trials)  # replies that were asked again have a longer one
    signed = signature(place, facts, limit, stopped)
    return intervals(scored, purpose, f"|{signed}"), _points(cell, scored), influences


def _points(cell: Cell, scored: ScoredItems) -> Points | None:
    """The metrics of a cell's items; None for choices, probes, baselines, perturbed items and a single metric."""
    import numpy as np

    if TASKS[cell.place.task].kind.options or cell.place.perturb != "none" or cell.is_baseline:
        return None
    columns = {name: values for name, values in per_item(scored).items() if name not in ALIKE}
    if len(columns) < 2:  # nothing to correlate: the task has one metric
        return None
    return Points(cell.place, tuple(columns), np.array(list(columns.values()), dtype=np.float32))
