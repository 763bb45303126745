"""How automatic metrics go with people's scores of short texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import mean

from evalsuite.benchmarks.registry import BENCHMARKS, TASKS
from evalsuite.metrics.agreement import correlations
from evalsuite.results.scoring import FULL, Scored, per_item, score_cell
from evalsuite.review.audit.figures import Verdict
from evalsuite.types import Answer, Item, Response, Status


@dataclass(frozen=True, slots=True)
class Beside:
    """A metric beside people's scores on one scale. None for fewer than three points, or if a side never changes."""

    benchmark: str
    scale: str
    metric: str
    basis: str  # "items": a point an output; "systems": a model on a task and set, as in GLUCOSE's section 5
    n: int  # points
    spearman: float | None
    pearson: float | None
    kendall: float | None  # τ-b, which heeds ties


def beside(found: Sequence[Verdict]) -> Iterator[Beside]:
    """Both sides are of the marked outputs alone, each counted once: also what a metric draws from a corpus (CIDEr)."""
    groups: dict[tuple[str, ...], list[Verdict]] = {}
    for v in found:
        if v.output.kind.rated and v.scores:
            groups.setdefault((v.output.model, v.output.task, v.output.set, v.output.way), []).append(v)
    for name in BENCHMARKS:
        cells = [(mine, _scored(mine)) for place, mine in groups.items() if TASKS[place[1]].benchmark == name]
        for scale in dict.fromkeys(s for mine, _ in cells for v in mine for s in v.scores):
            # A mark of several scales may lack one: such outputs are no points of it.
            whole = [(mine, scored) for mine, scored in cells if all(scale in v.scores for v in mine)]
            yield from _rows(name, scale, whole)


def _scored(mine: Sequence[Verdict]) -> Scored:
    outputs = [v.output for v in mine]
    items = [Item(o.item, o.task, o.set, "", o.dialogue, o.question, references=o.references) for o in outputs]
    answers = [Answer(Status(o.status), None, o.text) for o in outputs]
    return score_cell(items, [Response(o.reply, "stop") for o in outputs], FULL, answers)


def _rows(benchmark: str, scale: str, cells: Sequence[tuple[list[Verdict], Scored]]) -> Iterator[Beside]:
    ratings = [v.scores[scale] for mine, _ in cells for v in mine]
    means = [mean(v.scores[scale] for v in mine) for mine, _ in cells]
    values = [per_item(scored) for _, scored in cells]
    for metric in values[0] if cells else ():
        if not all(metric in told for told in values):
            continue
        points = [value for told in values for value in told[metric]]
        yield Beside(benchmark, scale, metric, "items", len(points), **correlations(ratings, points))
        systems = [scored.value(metric) for _, scored in cells]
        yield Beside(benchmark, scale, metric, "systems", len(systems), **correlations(means, systems))
