"""Average ranks of models over the tasks of a benchmark, with Friedman's test and Nemenyi's critical difference (Demšar 2006)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import NamedTuple

from evalsuite.analyses.significance import ALPHA
from evalsuite.analyses.value_columns import MODEL_HEADING
from evalsuite.benchmarks.registry import BENCHMARKS, TASKS, metric_named, task_order
from evalsuite.common.grouping import by_key
from evalsuite.common.numbers import fixed
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value
from evalsuite.results.analysis import Analysis, Results
from evalsuite.results.schema.cell import CellResult
from evalsuite.results.words import place_words, titled
from evalsuite.types import Coordinates


@dataclass(frozen=True, slots=True)
class Ranks:
    """Mean, best and worst rank of each model over columns; 1 is best. Friedman's test and the critical difference are None with
    too few models, columns or dialogues."""

    mean: dict[str, float]
    range: dict[str, tuple[float, float]]
    columns: int
    statistic: float | None = None  # Friedman's, corrected for ties
    p: float | None = None
    critical_difference: float | None = None  # Nemenyi's at 0.05
    few: bool = False  # whether some value has no interval, as its items come from too few dialogues for a test


MODELS, COLUMNS = 3, 5  # the fewest models and columns for Friedman's test


def average_ranks(values: Mapping[str, Sequence[float]], few: bool = False) -> Ranks:
    """Ranks from model -> values in the same columns; higher is better, ties get the mean of their ranks.

    Friedman's p uses the χ² approximation, which is conservative with few columns, and takes columns as independent, which tasks
    about the same dialogues are not. `few`: the values come from too few dialogues for a test.

    >>> average_ranks({"a": [0.9, 0.8], "b": [0.7, 0.8]}).mean
    {'a': 1.25, 'b': 1.75}
    """
    import numpy as np

    # Rounded, since equal scores may differ in their last bits.
    table = np.round(np.array(list(values.values()), dtype=float), 12)  # (models, columns)
    higher, equal = (compare(table, table[:, None]).sum(axis=1) for compare in (np.greater, np.equal))
    ranks = higher + (equal + 1) / 2
    mean = {model: float(row.mean()) for model, row in zip(values, ranks, strict=True)}
    ranges = {model: (float(row.min()), float(row.max())) for model, row in zip(values, ranks, strict=True)}
    models, columns = table.shape
    if few or models < MODELS or columns < COLUMNS:
        return Ranks(mean, ranges, columns, few=few)
    # Computed here, since loading scipy.stats took an eighth of the time of `evalsuite show`.
    middle = (models + 1) / 2
    spread = float(((ranks - middle) ** 2).sum())
    moves = float(((ranks.sum(axis=1) - columns * middle) ** 2).sum())
    statistic = (models - 1) * moves / spread if spread else 0.0  # without spread all are tied
    p = float(import_module("scipy.special").chdtrc(models - 1, statistic))
    difference = critical_value(models) * math.sqrt(models * (models + 1) / 6 / columns)
    return Ranks(mean, ranges, columns, statistic, p, difference)


def nemenyi(models: int) -> float:
    """Critical value q at 0.05 for a number of models (Demšar 2006, Table 5): the studentized range at infinite degrees of
    freedom, divided by √2.

    >>> round(nemenyi(4), 3)
    2.569
    """
    return float(import_module("scipy.stats").studentized_range.ppf(1 - ALPHA, models, math.inf)) / math.sqrt(2)


def critical_value(models: int) -> float:
    """`nemenyi` of MODELS or more models, to six digits."""
    row = models - MODELS
    return _NEMENYI[row] if row < len(_NEMENYI) else round(nemenyi(models), 6)


def critical_values(models: int) -> dict[str, float]:
    """Number of models -> its critical value, from MODELS to `models`: the page draws critical differences for any choice of
    models."""
    return {str(k): critical_value(k) for k in range(MODELS, models + 1)}


# `nemenyi` of 3 to 30 models: few pages have more, and need not wait for scipy.stats.
_NEMENYI = [
    *(2.343701, 2.569032, 2.727774, 2.849705, 2.94832, 3.030878, 3.10173, 3.163684, 3.218654, 3.268004),
    *(3.312739, 3.353618, 3.39123, 3.426041, 3.458425, 3.488685, 3.517073, 3.543799, 3.56904, 3.592946),
    *(3.615646, 3.637252, 3.657861, 3.677556, 3.696413, 3.714498, 3.731869, 3.748578),
]


class BenchmarkRanks(NamedTuple):
    """Average ranks over the tasks of a benchmark, on one set asked in one way."""

    benchmark: str
    place: Coordinates  # without model and task
    ranks: Ranks
    # Model that is not ranked -> why: "incomplete" (no complete figure on some task) or "other items".
    left_out: dict[str, str]
    unlike: list[str]  # tasks that do not count, since models were asked different items


def ranks_of(cells: Iterable[CellResult]) -> Iterator[BenchmarkRanks]:
    """The ranks by the tasks' headline metrics, from the cells of one run. Baselines and adapters are ignored.

    As on the page, a task counts only if all its cells without an estimate are on the same items; models with estimates are not
    ranked. Where this leaves fewer than two tasks, no model is ranked.
    """
    columns = by_key(
        ((TASKS[cell.task].benchmark, cell.without("model", "task")), cell)
        for cell in cells
        if not cell.is_baseline and not cell.is_adapter
    )
    for (benchmark, place), group in columns.items():
        values: dict[str, dict[str, float]] = {}  # model -> task -> value
        for cell in group:
            by_task = values.setdefault(cell.model, {})
            value = ranked_value(cell)
            if cell.is_complete and value is not None:
                by_task[cell.task] = value
        every_task = sorted({cell.task for cell in group}, key=task_order)
        asked = by_key((cell.task, cell.asked_items) for cell in group if not cell.is_estimate)
        unlike = [task for task in every_task if len({*asked.get(task, ())}) > 1]
        tasks = [task for task in every_task if task not in unlike]
        ranked = {
            model: [by_task_of_model[task] for task in tasks]
            for model, by_task_of_model in values.items()
            if by_task_of_model.keys() >= {*tasks}
        }
        if len(ranked) > 1 and len(tasks) > 1:
            few = any(cell.headline.low is None for cell in group if cell.model in ranked and cell.task in tasks)
            left_out = dict.fromkeys((model for model in values if model not in ranked), "incomplete")
            yield BenchmarkRanks(benchmark, place, average_ranks(ranked, few), left_out, unlike)
        elif len(values) > 1 and len(every_task) > 1 and len(tasks) < 2:
            whole = {model for model, by_task_of_model in values.items() if len(by_task_of_model) == len(every_task)}
            why = {model: "other items" if model in whole else "incomplete" for model in values}
            yield BenchmarkRanks(benchmark, place, Ranks({}, {}, len(tasks)), why, unlike)


def ranked_value(cell: CellResult) -> float | None:
    """The headline, negated where less is better."""
    value = cell.headline.value
    return -value if value is not None and metric_named(TASKS[cell.task].metrics[0]).lower_is_better else value


# --- tables


def rank_sheets(results: Results) -> Iterator[Sheet]:
    """Average ranks over all models and tasks of the run; only the models in `results` have rows."""
    shown = by_key((cell.without("model", "task"), cell.model) for cell in results.cells)
    rows = []
    for row in ranks_of(results.whole.cells):
        models = shown.get(row.place, ())
        mean = {model: rank for model, rank in row.ranks.mean.items() if model in models}
        left_out = {model: why for model, why in row.left_out.items() if model in models}
        if mean or (left_out and not row.ranks.mean):
            rows.append(row._replace(ranks=replace(row.ranks, mean=mean), left_out=left_out))
    yield from drawn_ranks(rows)


_LEFT_OUT = {"incomplete": Text("不完整", "incomplete"), "other items": Text("题目不同", "other items")}


def drawn_ranks(rows: Iterable[BenchmarkRanks]) -> Iterator[Sheet]:
    """A sheet for each benchmark, set and way of asking: a row per model, with its mean, best and worst rank, or why it is not
    ranked."""
    for benchmark, place, ranked, left_out, unlike in rows:
        about = dict(place)
        lines = [
            Row((model, ranked.mean[model], Value(None, *ranked.range[model])), about={"model": model})
            for model in sorted(ranked.mean, key=lambda m: ranked.mean[m])
        ]
        lines += [Row((model, _LEFT_OUT[why], None), about={"model": model}) for model, why in left_out.items()]
        notes: list[str | Text] = []
        if ranked.p is not None and ranked.critical_difference is not None:
            p = f"p = {fixed(ranked.p, 3)}" if ranked.p >= 0.001 else "p < 0.001"
            statistic, difference = f"Friedman χ² = {ranked.statistic:.2f}", f"{ranked.critical_difference:.2f}"
            notes.append(
                Text(
                    f"{statistic}，{p}；Nemenyi CD {difference}：均假定各任务独立，任务若共用对话，便偏于乐观",
                    f"{statistic}, {p}; Nemenyi's CD {difference}: both take tasks as independent, and are too sure of "
                    "tasks that share dialogues",
                )
            )
        elif ranked.few:
            notes.append(Text("对话太少，不作检验", "no test: too few dialogues"))
        if unlike:
            zh, en = "、".join(TASKS[task].zh for task in unlike), ", ".join(TASKS[task].short for task in unlike)
            notes.append(
                Text(f"所答题目不同，未计入：{zh}", f"not counted, not all models were asked the same items: {en}")
            )
        notes.append(
            Text(
                "名次看不出差距：先看各列",
                "ranks hide distances: see the columns first",
            )
        )
        title = titled(
            place_words(about, BENCHMARKS[benchmark], ", "),
            f"：{ranked.columns} 个任务的平均名次",
            f": mean rank over {ranked.columns} tasks",
        )
        columns = (
            MODEL_HEADING,
            Column(Text("平均名次", "mean"), kind="number", better="less"),
            Column(Text("范围", "range"), kind="count", interval="alone"),
        )
        yield Sheet("ranks", title, columns, tuple(lines), (_one_note(notes),), about)


def _one_note(notes: Sequence[str | Text]) -> Text:
    both = [note if isinstance(note, Text) else Text(note, note) for note in notes]
    return Text("；".join(note.zh for note in both), "; ".join(note.en for note in both))


ANALYSIS: Analysis[None] = Analysis("ranks", rank_sheets, help="Average ranks of the models over tasks.", drawn=True)
