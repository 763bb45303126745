"""Rank correlations between every two metrics of spans and texts.

A row has the correlations of one task, set and wording on one basis:

    "items"    a point is an item of a model, by the item's own value (sentence BLEU for BLEU). If there are more than SAMPLE
               points, a seeded sample is used, since Kendall's τ takes time quadratic in their number
    "models"   a point is a model, by its cell's metric; needs five models

Baselines and perturbed items are left out: oracles and random answers correlate all metrics.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

from pydantic import Field

from evalsuite.benchmarks.registry import TASKS, metric_rows
from evalsuite.common.grouping import by_key
from evalsuite.common.sheet import Chart, Column, Row, Sheet, Text, Value
from evalsuite.results.analysis import Analysis, Points, Results, ScoredCell, ScoredRun
from evalsuite.results.cells import ALIKE
from evalsuite.results.schema.base import Count, Located, Rows, Set, ShotCount, Split, TaskName, Variant
from evalsuite.results.schema.cell import CellResult
from evalsuite.results.words import task_and_set, task_heading, with_notes
from evalsuite.types import Coordinates

if TYPE_CHECKING:
    from evalsuite.metrics.counts import Floats

SAMPLE = 2000
MODELS = 5  # the fewest models for a correlation over models
# The parts of a place that a row lacks: it covers several models and scorings, and items without perturbation.
_OVER = ("model", "scoring", "perturb")
AnyCell = TypeVar("AnyCell", ScoredCell, CellResult)
_Correlation = Annotated[float, Field(ge=-1, le=1)]


class MetricCorrelation(Located):
    """Correlations between every two metrics of a task of spans or texts."""

    task: TaskName
    set: Set
    split: Split
    variant: Variant
    shots: ShotCount
    basis: Literal["items", "models"] = Field(description="What a point is: an item of a model, or a model's cell.")
    models: Count
    n: Count = Field(description="Number of points.")
    of: Count = Field(description="Points that the sample was drawn from.")
    metrics: Rows[str]
    spearman: Rows[_Correlation | None] = Field(
        description="Spearman's ρ of every two metrics, in the order (1, 2), (1, 3) … (2, 3) …; null where one is constant."
    )
    kendall: Rows[_Correlation | None] = Field(description="Kendall's τ-b, in the same order.")


def compute(run: ScoredRun) -> list[MetricCorrelation]:
    """Rows of both bases, by task and set."""
    with_points = _once_per_model(cell for cell in run.cells if cell.points)
    by_place = by_key((cell.place.without(*_OVER), cell.points) for cell in with_points if cell.points)
    rows = []
    for place, group in by_place.items():
        rows.append(_over_items(place, group))
        rows += _over_models(place, run.results)
    order = list(TASKS)
    return sorted(rows, key=lambda row: (order.index(row.task), row.set))


def _once_per_model(cells: Iterable[AnyCell]) -> list[AnyCell]:
    """The cells without those of constrained decoding whose model also generated freely: a model counts once."""
    every = list(cells)
    places = {cell.place for cell in every}
    return [c for c in every if c.place.scoring == "generate" or replace(c.place, scoring="generate") not in places]


def _over_items(place: Coordinates, cells: Sequence[Points]) -> MetricCorrelation:
    import numpy as np

    names = [name for name in cells[0].names if all(name in c.names for c in cells)]
    table = np.concatenate([c.values[[c.names.index(name) for name in names]] for c in cells], axis=1)
    count = table.shape[1]
    if count > SAMPLE:
        table = table[:, np.random.default_rng(0).choice(count, SAMPLE, replace=False)]
    return _row(place, "items", len(cells), count, names, table)


def _over_models(place: Coordinates, results: Sequence[CellResult]) -> Iterator[MetricCorrelation]:
    import numpy as np

    counted = (cell for cell in results if cell.is_complete and cell.perturb == "none" and not cell.is_baseline)
    models = [cell.metrics for cell in _once_per_model(counted) if cell.without(*_OVER) == place]
    if (count := len(models)) >= MODELS:
        values = [{name: figure.value for name, figure in row.items() if figure.value is not None} for row in models]
        names = [name for name in models[0] if name not in ALIKE and all(name in row for row in values)]
        table = np.array([[row[name] for row in values] for name in names])
        yield _row(place, "models", count, count, names, table)


def _row(
    place: Coordinates, basis: Literal["items", "models"], models: int, points: int, names: list[str], table: Floats
) -> MetricCorrelation:
    """The row of a table (metrics, points), which may be a sample of all `points`."""
    spearman, kendall = rank_correlations(table)
    return MetricCorrelation(
        **dict(place),
        basis=basis,
        models=models,
        n=table.shape[1],
        of=points,
        metrics=names,
        spearman=spearman,
        kendall=kendall,
    )


def rank_correlations(table: Floats) -> tuple[list[float | None], list[float | None]]:
    """Spearman's ρ and Kendall's τ-b of every two rows of a (metrics, points) table, in the order of `combinations`.

    A correlation is None if one of its two rows is constant, or with fewer than three points.

    >>> import numpy as np
    >>> rank_correlations(np.array([[1, 2, 3, 4], [1, 2, 4, 3], [5, 5, 5, 5]]))[1]
    [0.6667, None, None]
    """
    import numpy as np

    pairs = list(combinations(range(len(table)), 2))
    if table.shape[1] < 3:
        return [None] * len(pairs), [None] * len(pairs)
    varies = np.ptp(table, axis=1) > 0
    ranks = import_module("scipy.stats").rankdata(table, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        spearman, kendall = np.corrcoef(ranks), _kendall(ranks)

    def pairwise(values: Floats) -> list[float | None]:
        return [round(float(values[i, j]), 4) if varies[i] and varies[j] else None for i, j in pairs]

    return pairwise(spearman), pairwise(kendall)


def _kendall(ranks: Floats) -> Floats:
    """τ-b of every two rows of `ranks`, (metrics, metrics): scipy's kendalltau without its tests of significance."""
    import numpy as np

    # Per two metrics: pairs of points that both order alike, less pairs that they order differently.
    agree = np.zeros((len(ranks), len(ranks)))
    for n in range(1, ranks.shape[1]):
        order = np.sign(ranks[:, n:] - ranks[:, n - 1 : n])
        agree += order @ order.T
    ordered = np.sqrt(agree.diagonal())
    return agree / ordered[:, None] / ordered


# --- tables


def sheets(results: Results) -> Iterator[Sheet]:
    """A sheet for each basis and wording: Spearman's ρ of F1 with each other metric except the paper's; a column per task and
    set."""
    groups = by_key(
        ((entry.basis, entry.split, entry.variant, entry.shots), entry) for entry in results.of(ANALYSIS) or ()
    )
    for (basis, split, variant, shots), group in sorted(groups.items(), key=lambda sheet: sheet[0][0] != "items"):
        values = [{frozenset(p): v for p, v in zip(combinations(e.metrics, 2), e.spearman, strict=True)} for e in group]
        names = [
            n for n in dict.fromkeys(n for e in group for n in e.metrics) if n != "f1" and not n.startswith("paper.")
        ]
        rows = [Row((name, *(Value(rhos.get(frozenset(("f1", name)))) for rhos in values))) for name in names]
        rows.append(Row(("n", *(str(e.n) for e in group)), "apart"))
        columns = [
            Column(e.set, task_heading(TASKS[e.task]), "number", about={"set": e.set, "task": e.task}) for e in group
        ]
        points = _BASIS[basis]
        end = f"{split}, {variant} {shots}-shot"
        title = Text(f"与 F1 的 Spearman ρ，{points.zh}：{end}", f"Spearman's ρ with F1, {points.en}: {end}")
        about = {"split": split, "variant": variant, "shots": shots}
        yield Sheet("correlations", title, (Column(Text("指标", "metric")), *columns), tuple(rows), about=about)


def matrices(results: Results) -> Iterator[Sheet]:
    """A sheet for each basis, task and set: ρ of every two metrics above the diagonal, τ-b below; the paper's metrics last."""
    note = Text(
        "对角线上方：Spearman ρ；下方：Kendall τ-b。逐题：每个模型的每一题为一点（BLEU 等取句级值）；跨模型：每个模型的成绩为一点，模型不多，数字不稳。不含基线。",
        "Above the diagonal: Spearman's ρ; below: Kendall's τ-b. Per item: each item of each model is a point (sentence BLEU "
        "for BLEU and the like); over models: each model's figure is one, and of few models they are unsteady. "
        "Without baselines.",
    )
    entries = sorted(results.of(ANALYSIS) or (), key=lambda entry: entry.basis != "items")
    yield from with_notes(map(_matrix, entries), note)


_BASIS = {"items": Text("逐题", "per item"), "models": Text("跨模型", "over models")}


def _matrix(entry: MetricCorrelation) -> Sheet:
    order = {name: n for n, name in enumerate(metric_rows())}
    names = sorted(
        entry.metrics,
        key=lambda name: (name.startswith("paper."), order.get(name.removeprefix("paper."), len(order))),
    )
    figures: dict[tuple[str, str], float | None] = {}
    for (a, b), rho, tau in zip(combinations(entry.metrics, 2), entry.spearman, entry.kendall, strict=True):
        above, below = sorted((a, b), key=names.index)
        figures |= {(above, below): rho, (below, above): tau}
    words = {name: _metric_words(name) for name in names}
    rows = (
        Row((words[a], *(None if a == b else Value(figures[a, b]) for b in names)), about={"metric": a}) for a in names
    )
    columns = (Column(words[name], kind="number") for name in names)
    about = {name: getattr(entry, name) for name in ("task", "set", "split", "variant", "shots", "basis")}
    points = _BASIS[entry.basis]
    many = f" / {entry.of}" if entry.of > entry.n else ""
    end = f"{entry.split}, {entry.variant} {entry.shots}-shot"
    task = task_and_set(TASKS[entry.task], entry.set)
    title = Text(
        f"指标之间的相关，{points.zh}：{task.zh}，{end}（n {entry.n}{many}，{entry.models} 个模型）",
        f"Correlations of metrics, {points.en}: {task.en}, {end} (n {entry.n}{many}, {entry.models} models)",
    )
    chart = Chart("matrix", pick=("run", "basis", "task", "set"))
    heading = Column(Text("指标", "metric"))
    return Sheet("correlation_matrix", title, (heading, *columns), tuple(rows), about=about, chart=chart)


def _metric_words(name: str) -> Text:
    row = metric_rows().get(name.removeprefix("paper."))
    if row is None:  # a metric of another version
        return Text(name, name)
    if not name.startswith("paper."):
        return Text(row.zh, row.en or row.zh)
    return Text(f"{row.zh}（论文）", f"{row.en or row.zh} (paper)")


ANALYSIS = Analysis(
    "correlations",
    sheets,
    list[MetricCorrelation],
    compute,
    named="metric_correlations",
    help="Rank correlations between metrics of spans and texts.",
    drawn=True,
)
MATRICES: Analysis[None] = Analysis(
    "correlation_matrix",
    matrices,
    only_named=Text("每个任务和题集的每两项指标", "every two metrics of every task and set"),
)
