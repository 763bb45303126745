"""Significance of the differences between models: those of a column in groups that share a letter.

A column is a place without its model. Its models are compared pairwise on the same items by a permutation test over dialogues
(metrics/statistics.py), with Holm's correction over the column's pairs; models that share a letter do not differ
significantly (Piepho 2004). A page of several runs compares the models of all of them.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import combinations, product
from pathlib import Path
from random import Random
from statistics import fmean
from string import ascii_lowercase
from typing import Any, Literal, NamedTuple

from pydantic import Field

from evalsuite.analyses.value_columns import MODEL_HEADING
from evalsuite.benchmarks.registry import BENCHMARKS, TASKS, benchmark_of, metric_named, set_order, task_order
from evalsuite.common.dialogue import sources
from evalsuite.common.grouping import by_key
from evalsuite.common.sheet import Column, Row, Sheet, Text
from evalsuite.results import records
from evalsuite.results.analysis import Analysis, Results
from evalsuite.results.schema.base import Count, SharedPlaceFields
from evalsuite.results.schema.cell import CellResult
from evalsuite.results.schema.record import RecordFields
from evalsuite.results.words import place_words, task_heading, titled
from evalsuite.types import Place

ALPHA = 0.05


class RecordScores(NamedTuple):
    """The scores of one record, with its item and sample."""

    item: str
    content: Hashable  # equal for records that show the item in the same form
    context: Sequence[str]
    scores: Mapping[str, float]
    sample: int


@dataclass(frozen=True, slots=True)
class ItemScores:
    """The scores of a model on one item."""

    item: Hashable  # the id and the content of the item: items with equal ids and different content differ
    dialogue: int  # number of the item's dialogue within the cell
    values: tuple[float, ...]  # the score by each of the task's `item_metrics`


@dataclass(frozen=True, slots=True)
class ModelScores:
    """The scores of a model in a column. Those of all runs of a page are in memory, so that they hold no texts."""

    place: Place
    values: tuple[ItemScores, ...]
    whole: bool  # no request failed or is still to be made
    adapter: bool = False  # a fine-tuned adapter of a sweep

    @property
    def model(self) -> str:
        return self.place.model


def model_scores(cell: CellResult, rows: Iterable[RecordScores], model: str | None = None) -> ModelScores | None:
    """The scores of a cell, from its records. `model` replaces its model's name, for pages of several runs.

    The rotations of an item count as one item with their lowest score, its samples with their mean score. None for a baseline.
    """
    if cell.is_baseline:
        return None
    metrics = TASKS[cell.task].item_metrics
    scored = [row for row in rows if all(m in row.scores for m in metrics)]
    dialogue_of = dict(zip((row.item for row in scored), sources([row.context for row in scored]), strict=True))
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
        values.append(ItemScores((name, *contents), dialogue_of[name], means))
    place = replace(cell.place, model=model or cell.model)
    return ModelScores(place, tuple(values), bool(values) and cell.is_complete, cell.is_adapter)


def _lowest(rotations: Sequence[tuple[Hashable, tuple[float, ...]]]) -> tuple[float, ...]:
    """The lowest score of an item's rotations, by each metric."""
    if len(rotations) == 1:
        return rotations[0][1]
    return tuple(map(min, zip(*(scores for _, scores in rotations), strict=True)))


def read_model_scores(folder: Path, cells: Iterable[CellResult], prefix: str = "") -> Iterator[ModelScores]:
    """The scores of some cells of a run, read from their records. `prefix` comes before the models' names."""
    for cell in cells:
        rows = (_record_scores(record) for record in records.read_records(folder, cell.records))
        if scores := model_scores(cell, rows, f"{prefix}{cell.model}"):
            yield scores


def _record_scores(record: RecordFields) -> RecordScores:
    shown = [record[key] for key in ("dialogue", "question", "labels", "options", "references", "gold")]
    content = blake2b(json.dumps(shown).encode(), digest_size=16).digest()
    return RecordScores(record["item"], content, records.context(record), record["scores"], record.get("sample", 0))


# --- comparisons of the models of a column


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
        """The smallest p-value after Holm's correction that so many dialogues can give: where all favour the same model."""
        return min(1.0, 2.0 ** (1 - self.dialogues) * math.comb(len(self.letters), 2))


def task_comparisons(cells: Sequence[ModelScores]) -> list[TaskComparisons]:
    """The comparisons of all columns (`comparisons_of_column`), in the order of `place_order`."""
    # place without its model -> the models there
    columns = by_key((replace(cell.place, model=""), cell) for cell in cells)
    return [
        comparison
        for place in sorted(columns, key=place_order)
        for comparison in comparisons_of_column(place, columns[place])
    ]


def place_order(place: Place) -> tuple[Any, ...]:
    """A key that sorts columns by set, then by task."""
    return set_order(place.set), task_order(place.task), str(place)


def comparisons_of_column(place: Place, column: Sequence[ModelScores]) -> list[TaskComparisons]:
    """A comparison for each metric, if the column has two or more comparable models.

    A column with adapters and other models has comparisons of the other models alone, then of all: more pairs make Holm's
    correction stricter.
    """
    plain = [cell for cell in column if not cell.adapter]
    families = [plain, column] if plain and len(plain) < len(column) else [column]
    return [comparison for family in families for comparison in _compared(place, family)]


def _compared(place: Place, column: Sequence[ModelScores]) -> list[TaskComparisons]:
    """Compare the models that completed the same items: the largest such group of the column."""
    import numpy as np

    from evalsuite.metrics.statistics import holm, pairwise

    asked = by_key((frozenset(v.item for v in cell.values), cell) for cell in column if cell.whole)
    if not asked:
        return []
    shared, compared = max(asked.items(), key=lambda pair: (len(pair[1]), len(pair[0])))
    if len(compared) < 2:
        return []
    left_out = {c.model: "other items" if c.whole else "incomplete" for c in column if c not in compared}
    order = [v.item for v in compared[0].values]
    clusters = [v.dialogue for v in compared[0].values]
    table = [{v.item: v.values for v in cell.values} for cell in compared]
    entries = []
    for n, metric in enumerate(TASKS[place.task].item_metrics):
        values = np.array([[scores[item][n] for item in order] for scores in table])
        # The seed names no model: the same replies under other names get the same letters.
        purpose = f"groups:{':'.join(str(part) for _, part in place.without('model'))}:{metric}".encode(
            "utf-8", "surrogatepass"
        )
        p, test = pairwise(values, clusters, Random(purpose))
        means = {cell.model: float(v) for cell, v in zip(compared, values.mean(axis=1), strict=True)}
        ranked = sorted(means, key=lambda model: (-means[model], model))
        index = {cell.model: i for i, cell in enumerate(compared)}
        corrected = holm({(a, b): float(p[index[a], index[b]]) for a, b in combinations(ranked, 2)})
        differ = {pair for pair, p_holm in corrected.items() if p_holm < ALPHA}
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


def letters(ranked: Sequence[str], differ: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Compact letter display: two models share a letter if and only if they do not differ. The first in `ranked` has "a".

    The insert-and-absorb algorithm of Piepho (2004); in place of his sweeping step, redundant letters are removed.

    >>> letters(["best", "middle", "worst"], {("best", "worst")})
    {'best': 'a', 'middle': 'ab', 'worst': 'b'}
    """
    columns: list[frozenset[str]] = [frozenset(ranked)]
    for a, b in differ:
        split = [c - {x} for c in columns if a in c and b in c for x in (a, b)]
        intact = [c for c in columns if not (a in c and b in c)]
        for c in sorted(split, key=len, reverse=True):
            if not any(map(c.issubset, intact)):
                intact.append(c)
        columns = intact
    rank = {model: n for n, model in enumerate(ranked)}
    columns.sort(key=lambda c: sorted(rank[m] for m in c))
    shared = Counter(pair for c in columns for pair in product(c, repeat=2))
    for c in sorted(columns, key=len):
        if all(shared[pair] > 1 for pair in product(c, repeat=2)):
            columns.remove(c)
            shared.subtract(product(c, repeat=2))
    names = [ascii_lowercase[n % 26] + "′" * (n // 26) for n in range(len(columns))]
    return {m: "".join(name for name, c in zip(names, columns, strict=True) if m in c) for m in ranked}


# --- tables


def group_sheets(results: Results) -> Iterator[Sheet]:
    """Significance groups of all models of the run, over which p-values are corrected; only the models in `results` have rows."""
    models, columns = {cell.model for cell in results.cells}, {cell.without("model") for cell in results.cells}
    every = task_comparisons(list(read_model_scores(results.out, results.whole.cells)))
    shown = (entry for entry in every if entry.without() in columns and not models.isdisjoint(entry.letters))
    yield from letter_sheets(shown, models)


def letter_sheets(entries: Iterable[TaskComparisons], models: Container[str] | None = None) -> Iterator[Sheet]:
    """A sheet for each benchmark, set and way of asking: a row per model, a column per task, with the letters of its models.

    If a column has two comparisons, the later one is shown, which includes adapters. `models`: those that have a row; None: all.
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
        # Task -> model -> its letters, or why it was left out.
        texts = {name: {**entry.left_out, **entry.letters} for name, entry in by_task.items()}
        rows = [
            Row((model, *(texts[t.name].get(model, "–") for t in tasks)), about={"model": model})
            for model in sorted({name for text_of in texts.values() for name in text_of})
            if models is None or model in models
        ]
        title = titled(
            place_words(about, BENCHMARKS[benchmark], ", "),
            "：有共同字母的模型没有显著差异（Holm，0.05）",
            ": models that share a letter do not differ (Holm, 0.05)",
        )
        yield Sheet(
            "groups", title, (MODEL_HEADING, *columns), tuple(rows), (_tests(by_task), *_too_few(by_task)), about
        )


# Test of a comparison -> its name in a note.
TESTS = {
    "permutation": Text("以对话为单位的配对置换检验", "paired permutation test over dialogues"),
    "McNemar": Text("McNemar 检验", "McNemar's test"),
}


def _tests(by_task: Mapping[str, TaskComparisons]) -> Text:
    """The tests of the columns."""
    names = [TESTS[name] for name in sorted({comparison.test for comparison in by_task.values()}, reverse=True)]
    each = Text("，每列内经 Holm 校正", ", Holm's correction within a column")
    return Text("、".join(name.zh for name in names) + each.zh, " or ".join(name.en for name in names) + each.en)


def _too_few(by_task: Mapping[str, TaskComparisons]) -> Iterator[Text]:
    """A note on columns with too few dialogues for a significant difference."""
    few = [comparison for comparison in by_task.values() if comparison.least_p >= ALPHA]
    if few:
        least = min(comparison.least_p for comparison in few)
        tasks = [TASKS[comparison.task] for comparison in few]
        yield Text(
            f"对话太少，无法区分任何两个模型：{'、'.join(task.zh for task in tasks)}（校正后的 p 至少为 {least:.2g}）",
            f"too few dialogues to tell any two models apart: {', '.join(task.short for task in tasks)} (p by "
            f"Holm is at least {least:.2g})",
        )


ANALYSIS: Analysis[None] = Analysis(
    "groups",
    group_sheets,
    help="Models that do not differ significantly.",
    only_named=Text("要读每条记录", "reads every record"),
    drawn=True,
)
