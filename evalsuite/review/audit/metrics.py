"""Correlation of automatic metrics with human scores of short texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import mean

from evalsuite.benchmarks.registry import BENCHMARKS, TASKS
from evalsuite.common.grouping import by_key
from evalsuite.metrics.agreement import correlations
from evalsuite.results.scoring import FULL, ScoredItems, per_item, score_cell
from evalsuite.review.audit.figures import Consensus
from evalsuite.types import Answer, Item, Response, Status


@dataclass(frozen=True, slots=True)
class HumanCorrelation:
    """A metric's correlation with human scores on one scale. None for fewer than three points or a constant side."""

    benchmark: str
    scale: str
    metric: str
    basis: str  # "items": one point per output; "systems": one per model, task, set and way (GLUCOSE, section 5)
    n: int  # points
    spearman: float | None
    pearson: float | None
    kendall: float | None  # τ-b, corrected for ties


def metric_correlations(consensuses: Sequence[Consensus]) -> Iterator[HumanCorrelation]:
    """Correlate metrics with human scores over the outputs that have such scores, without weights. Metrics of a corpus, such as
    CIDEr, are computed over the same outputs."""
    groups = by_key(
        ((v.output.model, v.output.task, v.output.set, v.output.way), v)
        for v in consensuses
        if v.output.kind.rated and v.scores
    )
    for name in BENCHMARKS:
        cells = [(members, _scored(members)) for group, members in groups.items() if TASKS[group[1]].benchmark == name]
        for scale in dict.fromkeys(s for members, _ in cells for v in members for s in v.scores):
            # Cells with an output not scored on this scale are skipped.
            whole = [(members, scored) for members, scored in cells if all(scale in v.scores for v in members)]
            yield from _rows(name, scale, whole)


def _scored(members: Sequence[Consensus]) -> ScoredItems:
    outputs = [v.output for v in members]
    items = [Item(o.item, o.task, o.set, "", o.dialogue, o.question, references=o.references) for o in outputs]
    answers = [Answer(Status(o.status), None, o.text, reasoned=o.reasoned) for o in outputs]
    return score_cell(items, [Response(o.reply, "stop") for o in outputs], FULL, answers)


def _rows(
    benchmark: str, scale: str, cells: Sequence[tuple[list[Consensus], ScoredItems]]
) -> Iterator[HumanCorrelation]:
    ratings = [v.scores[scale] for members, _ in cells for v in members]
    means = [mean(v.scores[scale] for v in members) for members, _ in cells]
    values = [per_item(scored) for _, scored in cells]
    for metric in values[0] if cells else ():
        if not all(metric in scores for scores in values):
            continue
        points = [value for scores in values for value in scores[metric]]
        yield HumanCorrelation(benchmark, scale, metric, "items", len(points), **correlations(ratings, points))
        systems = [scored.value(metric) for _, scored in cells]
        yield HumanCorrelation(benchmark, scale, metric, "systems", len(systems), **correlations(means, systems))
