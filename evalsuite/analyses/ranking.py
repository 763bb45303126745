"""Differences between models: significance groups within a column, and average ranks over columns.

A column is a place without its model. Its models are compared pairwise on the same items by a permutation test over dialogues
(metrics/statistics.py), with Holm's correction over the column's pairs; models that share a letter do not differ
significantly (Piepho 2004). Average ranks have Friedman's test and Nemenyi's critical difference (Demšar 2006). A page of
several runs compares the models of all of them.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from importlib import import_module
from itertools import combinations, product
from pathlib import Path
from random import Random
from statistics import fmean
from string import ascii_lowercase
from typing import Any, Literal, NamedTuple

from pydantic import Field

from evalsuite.benchmarks.registry import BENCHMARKS, TASKS, benchmark_of, metric_named, set_order, task_order
from evalsuite.common.dialogue import sources
from evalsuite.common.grouping import by_key
from evalsuite.common.numbers import fixed
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value
from evalsuite.results import records
from evalsuite.results.analysis import Analysis, Results
from evalsuite.results.schema.base import Count, SharedPlaceFields
from evalsuite.results.schema.cell import CellResult
from evalsuite.results.schema.record import RecordFields
from evalsuite.results.words import place_words, task_heading, titled
from evalsuite.types import Coordinates, Place

ALPHA = 0.05


class Rating(NamedTuple):
    """The scores of one record, and its item."""

    item: str
    content: Hashable  # equal for records that show the item in the same form
    context: Sequence[str]
    scores: Mapping[str, float]
    sample: int


@dataclass(frozen=True, slots=True)
class ItemScores:
    """The scores of a model on one item."""

    item: Hashable  # the id and the content of the item: equal ids with other content are other items
    source: int  # number of its dialogue within the cell
    values: tuple[float, ...]  # a value for each of the task's `item_metrics`


@dataclass(frozen=True, slots=True)
class Rated:
    """A model in a column. It is small, since all cells of all runs are held in memory."""

    place: Place
    values: tuple[ItemScores, ...]
    whole: bool  # no request failed or is still to be made
    adapter: bool = False  # a fine-tuned adapter of a sweep

    @property
    def model(self) -> str:
        return self.place.model


def rated(cell: CellResult, ratings: Iterable[Rating], model: str | None = None) -> Rated | None:
    """The scores of a cell, from its records. `model` replaces its model's name, for pages of several runs.

    The rotations of an item count as one item with their lowest score, its samples with their mean score. None for a baseline.
    """
    if cell.is_baseline:
        return None
    metrics = TASKS[cell.task].item_metrics
    scored = [row for row in ratings if all(m in row.scores for m in metrics)]
    source_of = dict(zip((row.item for row in scored), sources([row.context for row in scored]), strict=True))
    # id -> sample -> (content, scores) of each rotation
    items: dict[str, dict[int, list[tuple[Hashable, tuple[float, ...]]]]] = {}
    for row in scored:
        rotation = (row.content, tuple(row.scores[m] for m in metrics))
        items.setdefault(row.item, {}).setdefault(row.sample, []).append(rotation)
    values = []
    for name, samples in items.items():
        # All samples of an item show it with the same rotations.
        contents = [content for content, _ in next(iter(samples.values()))]
        lowest = [_lowest(rotations) for rotations in samples.values()]
        means = tuple(map(fmean, zip(*lowest, strict=True)))
        values.append(ItemScores((name, *contents), source_of[name], means))
    place = replace(cell.place, model=model or cell.model)
    return Rated(place, tuple(values), bool(values) and cell.is_complete, cell.is_adapter)


def _lowest(rotations: Sequence[tuple[Hashable, tuple[float, ...]]]) -> tuple[float, ...]:
    """The lowest score of an item's rotations, by each metric."""
    if len(rotations) == 1:
        return rotations[0][1]
    return tuple(map(min, zip(*(scores for _, scores in rotations), strict=True)))


def rated_cells(folder: Path, cells: Iterable[CellResult], prefix: str = "") -> Iterator[Rated]:
    """Some cells of a run, from their records. `prefix` comes before the models' names."""
    for cell in cells:
        ratings = (_rating(record) for record in records.read_records(folder, cell.records))
        if one := rated(cell, ratings, f"{prefix}{cell.model}"):
            yield one


def _rating(record: RecordFields) -> Rating:
    shown = [record[key] for key in ("dialogue", "question", "labels", "options", "references", "gold")]
    content = blake2b(json.dumps(shown).encode(), digest_size=16).digest()
    return Rating(record["item"], content, records.context(record), record["scores"], record.get("sample", 0))


# --- significance groups


class TaskComparisons(SharedPlaceFields):
    """The models of a column, compared pairwise by one metric."""

    metric: str
    items: Count
    dialogues: Count
    test: str
    letters: dict[str, str] = Field(description="By model: those that share a letter do not differ significantly.")
    best: str
    not_worse: list[str] = Field(description="Models that do not differ significantly from the best.")
    left_out: dict[str, str] = Field(description="By model, why.")
    adapters: Literal[True] | None = Field(default=None, description="Adapters are among them.")

    @property
    def least_p(self) -> float:
        """The smallest p-value by Holm that this number of dialogues can give, if all favour the same model."""
        return min(1.0, 2.0 ** (1 - self.dialogues) * math.comb(len(self.letters), 2))


def groups(cells: Sequence[Rated]) -> list[TaskComparisons]:
    """The groups of all columns (`groups_of_column`), in the order of `place_order`."""
    # place without its model -> the models there
    columns = by_key((replace(cell.place, model=""), cell) for cell in cells)
    return [group for place in sorted(columns, key=place_order) for group in groups_of_column(place, columns[place])]


def place_order(place: Place) -> tuple[Any, ...]:
    """A key that sorts columns by set, then by task."""
    return set_order(place.set), task_order(place.task), str(place)


def groups_of_column(place: Place, column: Sequence[Rated]) -> list[TaskComparisons]:
    """A group for each metric, if the column has two or more comparable models.

    A column with adapters and other models has groups for the other models alone, then for all: more pairs make Holm's
    correction stricter.
    """
    plain = [cell for cell in column if not cell.adapter]
    families = [plain, column] if plain and len(plain) < len(column) else [column]
    return [group for family in families for group in _compared(place, family)]


def _compared(place: Place, column: Sequence[Rated]) -> list[TaskComparisons]:
    """Compare the models that completed the same items: the largest such group of the column."""
    import numpy as np

    from evalsuite.metrics.statistics import pairwise

    asked = by_key((frozenset(v.item for v in cell.values), cell) for cell in column if cell.whole)
    if not asked:
        return []
    shared, compared = max(asked.items(), key=lambda pair: (len(pair[1]), len(pair[0])))
    if len(compared) < 2:
        return []
    left_out = {c.model: "other items" if c.whole else "incomplete" for c in column if c not in compared}
    order = [v.item for v in compared[0].values]
    clusters = [v.source for v in compared[0].values]
    table = [{v.item: v.values for v in cell.values} for cell in compared]
    entries = []
    for n, metric in enumerate(TASKS[place.task].item_metrics):
        values = np.array([[scores[item][n] for item in order] for scores in table])
        # The seed names no model: the same replies under other names get the same groups.
        purpose = f"groups:{':'.join(str(part) for _, part in place.without('model'))}:{metric}".encode(
            "utf-8", "surrogatepass"
        )
        p, test = pairwise(values, clusters, Random(purpose))
        means = {cell.model: float(v) for cell, v in zip(compared, values.mean(axis=1), strict=True)}
        ranked = sorted(means, key=lambda model: (-means[model], model))
        index = {cell.model: i for i, cell in enumerate(compared)}
        differ = _significant({(a, b): float(p[index[a], index[b]]) for a, b in combinations(ranked, 2)})
        entries.append(
            TaskComparisons(
                **dict(place.without("model")),
                metric=metric,
                items=len(shared),
                dialogues=len(set(clusters)),
                test=test,
                letters=letters(ranked, differ),
                best=ranked[0],
                not_worse=[model for model in ranked[1:] if (ranked[0], model) not in differ],
                left_out=left_out,
                adapters=True if any(c.adapter for c in column) else None,
            )
        )
    return entries


def _significant(p_values: Mapping[tuple[str, str], float]) -> set[tuple[str, str]]:
    """The pairs with p below ALPHA after Holm's correction."""
    from evalsuite.metrics.statistics import holm

    pairs = list(p_values)
    adjusted = holm({str(n): p_values[pair] for n, pair in enumerate(pairs)})
    return {pair for n, pair in enumerate(pairs) if adjusted[str(n)] < ALPHA}


def letters(ranked: Sequence[str], differ: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Compact letter display: two models share a letter if and only if they do not differ. The first in `ranked` has "a".

    The insert-and-absorb algorithm of Piepho (2004); in place of his sweeping step, redundant letters are removed.

    >>> letters(["best", "middle", "worst"], {("best", "worst")})
    {'best': 'a', 'middle': 'ab', 'worst': 'b'}
    """
    columns: list[frozenset[str]] = [frozenset(ranked)]
    for a, b in differ:
        split = [c - {x} for c in columns if a in c and b in c for x in (a, b)]
        kept = [c for c in columns if not (a in c and b in c)]
        for c in sorted(split, key=len, reverse=True):
            if not any(map(c.issubset, kept)):
                kept.append(c)
        columns = kept
    rank = {model: n for n, model in enumerate(ranked)}
    columns.sort(key=lambda c: sorted(rank[m] for m in c))
    shared = Counter(pair for c in columns for pair in product(c, repeat=2))
    for c in sorted(columns, key=len):
        if all(shared[pair] > 1 for pair in product(c, repeat=2)):
            columns.remove(c)
            shared.subtract(product(c, repeat=2))
    names = [ascii_lowercase[n % 26] + "′" * (n // 26) for n in range(len(columns))]
    return {m: "".join(name for name, c in zip(names, columns, strict=True) if m in c) for m in ranked}


# --- average ranks


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
    few: bool = False  # some value has no interval: its items come from too few dialogues for any test


MODELS, COLUMNS = 3, 5  # the fewest models and columns for Friedman's test


def average_ranks(values: Mapping[str, Sequence[float]], few: bool = False) -> Ranks:
    """Ranks from model -> values in the same columns; higher is better, ties get the mean of their ranks.

    Friedman's p uses the χ² approximation, which is conservative with few columns. `few`: the values come from too few
    dialogues for a test.

    >>> average_ranks({"a": [0.9, 0.8], "b": [0.7, 0.8]}).mean
    {'a': 1.25, 'b': 1.75}
    """
    import numpy as np

    # Rounded, since equal scores may differ in their last bits.
    table = np.round(np.array(list(values.values()), dtype=float), 12)  # (models, columns)
    higher, equal = (compare(table, table[:, None]).sum(axis=1) for compare in (np.greater, np.equal))
    ranks = higher + (equal + 1) / 2
    mean = {model: float(row.mean()) for model, row in zip(values, ranks, strict=True)}
    between = {model: (float(row.min()), float(row.max())) for model, row in zip(values, ranks, strict=True)}
    models, columns = table.shape
    if few or models < MODELS or columns < COLUMNS:
        return Ranks(mean, between, columns, few=few)
    # Computed here, since loading scipy.stats took an eighth of the time of `evalsuite show`.
    middle = (models + 1) / 2
    spread = float(((ranks - middle) ** 2).sum())
    moves = float(((ranks.sum(axis=1) - columns * middle) ** 2).sum())
    statistic = (models - 1) * moves / spread if spread else 0.0  # without spread all are tied
    p = float(import_module("scipy.special").chdtrc(models - 1, statistic))
    difference = critical_value(models) * math.sqrt(models * (models + 1) / 6 / columns)
    return Ranks(mean, between, columns, statistic, p, difference)


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

    As on the page, a task counts if all models were asked the same items of it; estimates do not matter there, since their models
    are not ranked. No model is ranked where fewer than two tasks count for that reason.
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
        there = sorted({cell.task for cell in group}, key=task_order)
        asked = by_key((cell.task, cell.asked_items) for cell in group if not cell.is_estimate)
        unlike = [task for task in there if len({*asked.get(task, ())}) > 1]
        tasks = [task for task in there if task not in unlike]
        ranked = {model: [own[task] for task in tasks] for model, own in values.items() if own.keys() >= {*tasks}}
        if len(ranked) > 1 and len(tasks) > 1:
            few = any(cell.headline.low is None for cell in group if cell.model in ranked and cell.task in tasks)
            left_out = dict.fromkeys((model for model in values if model not in ranked), "incomplete")
            yield BenchmarkRanks(benchmark, place, average_ranks(ranked, few), left_out, unlike)
        elif len(values) > 1 and len(there) > 1 and len(tasks) < 2:
            whole = {model for model, own in values.items() if len(own) == len(there)}
            why = {model: "other items" if model in whole else "incomplete" for model in values}
            yield BenchmarkRanks(benchmark, place, Ranks({}, {}, len(tasks)), why, unlike)


def ranked_value(cell: CellResult) -> float | None:
    """The headline, negated where less is better."""
    value = cell.headline.value
    return -value if value is not None and metric_named(TASKS[cell.task].metrics[0]).lower_is_better else value


# --- tables

_MODEL = Column(Text("模型", "model"))


def group_sheets(results: Results) -> Iterator[Sheet]:
    """Significance groups over all models of the run, as p-values are corrected over them; shows only the models in `results`."""
    shown = by_key((cell.without("model"), cell.model) for cell in results.cells)
    kept = []
    for group in groups(list(rated_cells(results.out, results.whole.cells))):
        models = shown.get(group.without(), ())
        some = {model: text for model, text in group.letters.items() if model in models}
        rest = {model: text for model, text in group.left_out.items() if model in models}
        if some:
            kept.append(group.model_copy(update={"letters": some, "left_out": rest}))
    yield from drawn_groups(kept)


def rank_sheets(results: Results) -> Iterator[Sheet]:
    """Average ranks over all models and tasks of the run; shows only the models in `results`."""
    shown = by_key((cell.without("model", "task"), cell.model) for cell in results.cells)
    kept = []
    for row in ranks_of(results.whole.cells):
        models = shown.get(row.place, ())
        mean = {model: rank for model, rank in row.ranks.mean.items() if model in models}
        left_out = {model: why for model, why in row.left_out.items() if model in models}
        if mean or (left_out and not row.ranks.mean):
            kept.append(row._replace(ranks=replace(row.ranks, mean=mean), left_out=left_out))
    yield from drawn_ranks(kept)


def drawn_groups(entries: Iterable[TaskComparisons]) -> Iterator[Sheet]:
    """A sheet for each benchmark, set and way of asking: a row per model, a column per task, with the letters of `groups`.

    If a column has two groups, the later one is shown, which includes adapters.
    """
    by_first_metric = (entry for entry in entries if entry.metric == TASKS[entry.task].item_metrics[0])
    tables = by_key(((benchmark_of(entry.task).name, entry.without("task")), entry) for entry in by_first_metric)
    for (benchmark, place), group in tables.items():
        by_task = {entry.task: entry for entry in group}
        about = dict(place)
        tasks = [t for t in TASKS.values() if t.name in by_task]
        columns = [
            Column(
                task_heading(t),
                metric_named(t.item_metrics[0]).heading.removesuffix(" %"),
                align="right",
                about={"task": t.name},
            )
            for t in tasks
        ]
        rows = [
            Row((model, *(_letters(by_task[t.name], model) for t in tasks)), about={"model": model})
            for model in sorted({m for e in by_task.values() for m in (*e.letters, *e.left_out)})
        ]
        title = titled(
            place_words(about, BENCHMARKS[benchmark], ", "),
            "：有共同字母的模型没有显著差异（Holm，0.05）",
            ": models that share a letter do not differ (Holm, 0.05)",
        )
        yield Sheet("groups", title, (_MODEL, *columns), tuple(rows), (_tests(by_task), *_too_few(by_task)), about)


# Test of a group -> its name in a note.
TESTS = {
    "permutation": Text("以对话为单位的配对置换检验", "paired permutation test over dialogues"),
    "McNemar": Text("McNemar 检验", "McNemar's test"),
}


def _tests(by_task: Mapping[str, TaskComparisons]) -> Text:
    """The tests of the columns."""
    names = [TESTS[name] for name in sorted({group.test for group in by_task.values()}, reverse=True)]
    each = Text("，每列内经 Holm 校正", ", Holm's correction within a column")
    return Text("、".join(name.zh for name in names) + each.zh, " or ".join(name.en for name in names) + each.en)


def _too_few(by_task: Mapping[str, TaskComparisons]) -> Iterator[Text]:
    """A note on columns with too few dialogues for a significant difference."""
    few = [group for group in by_task.values() if group.least_p >= ALPHA]
    if few:
        least = min(group.least_p for group in few)
        tasks = [TASKS[group.task] for group in few]
        yield Text(
            f"对话太少，无法区分任何两个模型：{'、'.join(task.zh for task in tasks)}（校正后的 p 至少为 {least:.2g}）",
            f"too few dialogues to tell any two models apart: {', '.join(task.short for task in tasks)} (p by "
            f"Holm is at least {least:.2g})",
        )


def _letters(entry: TaskComparisons, model: str) -> str:
    return entry.letters.get(model) or entry.left_out.get(model, "–")


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
            notes.append(f"Friedman χ² = {ranked.statistic:.2f}, {p}; Nemenyi's CD {ranked.critical_difference:.2f}")
        elif ranked.few:
            notes.append(Text("对话太少，不作检验", "no test: too few dialogues"))
        if unlike:
            zh, en = "、".join(TASKS[task].zh for task in unlike), ", ".join(TASKS[task].short for task in unlike)
            notes.append(
                Text(f"所答题目不同，未计入：{zh}", f"not counted, not all models were asked the same items: {en}")
            )
        notes.append(
            Text(
                "名次看不出差距，而且各任务共用对话：先看各列",
                "ranks hide distances, and tasks share their dialogues: see the columns first",
            )
        )
        title = titled(
            place_words(about, BENCHMARKS[benchmark], ", "),
            f"：{ranked.columns} 个任务的平均名次",
            f": mean rank over {ranked.columns} tasks",
        )
        columns = (
            _MODEL,
            Column(Text("平均名次", "mean"), kind="number", better="less"),
            Column(Text("范围", "range"), kind="count", interval="alone"),
        )
        yield Sheet("ranks", title, columns, tuple(lines), (_one_note(notes),), about)


def _one_note(notes: Sequence[str | Text]) -> Text:
    both = [note if isinstance(note, Text) else Text(note, note) for note in notes]
    return Text("；".join(note.zh for note in both), "; ".join(note.en for note in both))


RANKS: Analysis[None] = Analysis("ranks", rank_sheets, help="Average ranks of the models over tasks.", drawn=True)
GROUPS: Analysis[None] = Analysis(
    "groups",
    group_sheets,
    help="Models that do not differ significantly.",
    only_named=Text("要读每条记录", "reads every record"),
    drawn=True,
)
