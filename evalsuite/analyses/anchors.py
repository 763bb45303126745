"""`evalsuite anchors`: the outcomes of several models -> a few items with weights that estimate the full score.

Outcomes are read from results.json and records/ of runs or submissions. metrics/anchors.py has the methods and their errors,
results/schema/anchors.py the model of the file that is written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from evalsuite.analyses.blame import damage_named
from evalsuite.analyses.saved import load_results
from evalsuite.benchmarks.registry import TASKS, metric_named, set_order, task_order
from evalsuite.common.errors import ConfigError
from evalsuite.results import records
from evalsuite.results.schema.anchors import AnchorError, AnchorFile, AnchorItem, AnchorPoint, AnchorSet
from evalsuite.results.schema.cell import CellResult, Facts
from evalsuite.results.signature import VERSION
from evalsuite.types import Place, Reading

if TYPE_CHECKING:
    from evalsuite.metrics.anchors import Indices, SizeError
    from evalsuite.metrics.counts import Floats

SIZES = (25, 50, 100, 200)
FEW = 10  # with fewer models, a remark says that the error itself is uncertain


@dataclass(frozen=True, slots=True)
class WayAsked:
    """The settings by which a model was asked and its replies were read. Items are chosen by models for which all are equal."""

    wording: str
    template: str
    shots: int
    scoring: str
    data: str
    items: frozenset[str]  # ids of the answered items
    drop_leaked: bool
    parser: tuple[str, bool]  # the parser's name, and whether answers are extracted
    seed: int | None  # the seed by which shots are drawn; None without shots

    def differs_in(self, other: WayAsked) -> list[str]:
        """The names of the settings that differ."""
        return [part.name for part in fields(self) if getattr(self, part.name) != getattr(other, part.name)]


@dataclass(frozen=True, slots=True)
class ModelOutcomes:
    """A model's outcomes on all items of a task and set."""

    model: str
    run: str
    way: WayAsked
    values: Mapping[str, float]  # item -> the task's first metric, the mean of its samples
    answers: Mapping[str, str]  # item -> its right answer; "" for a task whose answers are texts
    fingerprint: str


@dataclass(frozen=True, slots=True)
class TaskOutcomes:
    """The outcomes of all models that were asked a task and set in one way."""

    place: Place  # the place of the first model's cell
    facts: Facts
    models: tuple[str, ...]
    items: tuple[str, ...]
    table: Floats  # (models, items)
    answers: Indices | None  # (items,) number of the right answer; None for a task whose answers are texts


@dataclass(frozen=True, slots=True)
class ChosenAnchors:
    """The anchor items of a task and set, with their error."""

    column: TaskOutcomes
    point: SizeError  # the error of so many items
    curve: tuple[SizeError, ...]  # the errors of each requested number of items, that of `point` last
    items: tuple[tuple[str, float], ...]  # (id, weight)


def anchors(
    runs: Sequence[str | Path], sizes: Sequence[int] = SIZES, models: Sequence[str] = (), seed: int = 0
) -> tuple[list[ChosenAnchors], list[str]]:
    """Choose anchor items of every task and set, as many as the last of `sizes`. Returns them with remarks on what was left out.

    models: the models to choose by; empty: all but baselines and adapters. Raises ConfigError if nothing can be chosen.
    """
    from evalsuite.metrics.anchors import choose, curve

    if not sizes or min(sizes) < 2:
        raise ConfigError("--size: expected numbers from 2")
    columns, remarks = read_columns(runs, models)
    chosen = []
    for column in columns:
        fitting = [size for size in sizes if size < len(column.items)]
        name = f"{column.place.task} {column.place.set}"
        if sizes[-1] not in fitting:
            remarks.append(f"{name}: left out, it has {len(column.items)} items: --size {sizes[-1]} saves none")
            continue
        if len(column.models) < FEW:
            remarks.append(
                f"{name}: chosen by {len(column.models)} models: too few to know the error well; ten or more tell it better"
            )
        points = curve(column.table, column.answers, fitting, seed)
        point = points[-1]
        best = choose(point.method, column.table, column.answers, point.size, seed)
        weighed = [(column.items[n], float(w)) for n, w in zip(best.items, best.weights, strict=True)]
        chosen.append(ChosenAnchors(column, point, tuple(points), tuple(weighed)))
    if not chosen:
        raise ConfigError("\n  ".join(["no anchor items can be chosen:", *remarks]))
    return chosen, remarks


# --- outcomes


def read_columns(runs: Sequence[str | Path], models: Sequence[str] = ()) -> tuple[list[TaskOutcomes], list[str]]:
    """Read the outcomes of tasks and sets that enough models answered completely in one way. Returns them with remarks on the
    cells that were left out."""
    from evalsuite.metrics.anchors import FEWEST

    remarks: list[str] = []
    by_column: dict[tuple[str, str, str], list[tuple[CellResult, ModelOutcomes]]] = {}
    for run in dict.fromkeys(Path(run) for run in runs):
        results = load_results(run)
        unfit: dict[str, list[str]] = {}  # reason -> cells
        for cell in results.cells:
            reason = _unfit(cell, models)
            if reason is None:
                with damage_named(results):
                    outcomes = _model_outcomes(run, cell, results.reading)
                by_column.setdefault((cell.task, cell.set, cell.split), []).append((cell, outcomes))
            elif reason:
                unfit.setdefault(reason, []).append(cell.place.name)
        for reason, names in unfit.items():
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            remarks.append(f"{run}: left out, {reason}: {names[0]}{more}")
    columns = []
    for (task, item_set, split), asked in sorted(
        by_column.items(), key=lambda x: (task_order(x[0][0]), set_order(x[0][1]))
    ):
        column = _column(asked, remarks)
        if len(column.models) < FEWEST:
            remarks.append(
                f"{task} {item_set} {split}: left out, {len(column.models)} models ({', '.join(column.models)}): "
                f"an error on models left out needs {FEWEST} or more"
            )
        else:
            columns.append(column)
    if not by_column:
        remarks.append("no model answered every item of a task" + (f", of {', '.join(models)}" if models else ""))
    return columns, remarks


def _unfit(cell: CellResult, models: Sequence[str]) -> str | None:
    """The reason why a cell is left out, "" if no remark is needed; None if it is used."""
    task = TASKS[cell.task]
    if cell.perturb != "none" or (cell.model not in models if models else cell.is_baseline):
        return ""
    if not models and cell.is_adapter:
        return "an adapter, almost the same model as others; --model takes it all the same"
    if task.metrics[0] != task.item_metrics[0] or not metric_named(task.metrics[0]).is_mean:
        return f"its headline {task.metrics[0]} is no mean over items"
    if cell.failed or (cell.missing and not cell.is_estimate):
        return "some requests failed or were not asked"
    if cell.facts.limit or cell.is_estimate:
        return "only a part of the items was asked"
    return None


def _model_outcomes(run: Path, cell: CellResult, reading: Reading) -> ModelOutcomes:
    facts, metric = cell.facts, TASKS[cell.task].item_metrics[0]
    values: dict[str, list[float]] = {}
    answers: dict[str, str] = {}
    for record in records.read_records(run, cell.records):
        values.setdefault(record["item"], []).append(record["scores"][metric])
        answers[record["item"]] = record.get("gold") or ""
    way = WayAsked(
        wording=cell.variant,
        template=facts.template,
        shots=cell.shots,
        scoring=cell.scoring,
        data=facts.data,
        items=frozenset(values),
        drop_leaked=facts.drop_leaked,
        parser=(reading.parser, reading.extract),
        seed=facts.seed if cell.shots else None,
    )
    means = {item: fmean(samples) for item, samples in values.items()}
    return ModelOutcomes(cell.model, run.name, way, means, answers, facts.fingerprint)


def _column(cells: Sequence[tuple[CellResult, ModelOutcomes]], remarks: list[str]) -> TaskOutcomes:
    """The outcomes of the models that were asked in the most frequent way. A remark on each other cell is added."""
    import numpy as np

    ways = Counter(outcomes.way for _, outcomes in cells)
    usual = max(ways, key=lambda way: ways[way])
    cell, first = next((cell, outcomes) for cell, outcomes in cells if outcomes.way == usual)
    by_model: dict[str, ModelOutcomes] = {}
    for other, outcomes in cells:
        if outcomes.way != usual:
            differ = usual.differs_in(outcomes.way)
            remarks.append(
                f"{other.place.name} of {outcomes.run}: left out, asked otherwise than most: other {', '.join(differ)}"
            )
        elif any(outcomes.fingerprint == known.fingerprint for known in by_model.values()):
            remarks.append(f"{other.place.name} of {outcomes.run}: left out, the same model is there already")
        else:
            name = outcomes.model if outcomes.model not in by_model else f"{outcomes.model} ({outcomes.run})"
            by_model[name] = replace(outcomes, model=name)
    items = tuple(first.values)
    table = np.array([[outcomes.values[item] for item in items] for outcomes in by_model.values()])
    answers = sorted({*first.answers.values()})
    numbers = np.array([answers.index(first.answers[item]) for item in items]) if "" not in answers else None
    return TaskOutcomes(cell.place, cell.facts, tuple(by_model), items, table, numbers)


# --- the file


def file_of(chosen: Iterable[ChosenAnchors], seed: int) -> AnchorFile:
    """The file of anchor items."""
    return AnchorFile(format=1, evalsuite=VERSION, seed=seed, sets=[_set(task_anchors) for task_anchors in chosen])


def _set(chosen: ChosenAnchors) -> AnchorSet:
    column = chosen.column
    scores = column.table.mean(axis=1)
    return AnchorSet(
        **dict(column.place.without("model")),
        data=column.facts.data,
        template=column.facts.template,
        of=len(column.items),
        metric=TASKS[column.place.task].metrics[0],
        models=list(column.models),
        seen=[float(scores.min()), float(scores.max())],
        method=chosen.point.method,
        error=_error(chosen.point),
        items=[AnchorItem(id=item, weight=weight) for item, weight in chosen.items],
        curve=[
            AnchorPoint(
                size=point.size,
                method=point.method,
                error=_error(point),
                methods=point.methods,
                random=list(point.random),
                stronger=None if point.stronger is None else list(point.stronger),
            )
            for point in chosen.curve
        ],
    )


def _error(point: SizeError) -> AnchorError:
    return AnchorError(mean=point.error, rms=point.rms, half=point.half, worst=point.worst)
