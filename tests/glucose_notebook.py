"""GLUCOSE's BLEU as the official notebook computes it, in sacreBLEU's own words, and its correlation with ratings.

A grid has a row for each test case; its columns are those of the official file ("1_specificNL"). Values are in [0, 100].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import sacrebleu
from scipy import stats

from evalsuite.benchmarks.glucose.bleu import ESCAPED, JOINED, REFERENCES
from evalsuite.benchmarks.glucose.dimensions import DIMENSIONS
from evalsuite.benchmarks.glucose.loader import LEVELS, StoryRow, column_name

Grid = Sequence[Mapping[str, str]]


def notebook_bleu(key: Grid, submission: Grid) -> dict[str, float]:
    """Column -> BLEU over all rows, including the escaped ones. Raises ValueError if the numbers of rows differ."""
    return {name: _column(key, submission, name, range(len(key))) for name in _columns(key, submission)}


def answered_bleu(key: Grid, submission: Grid) -> dict[str, float | None]:
    """Column -> BLEU over the rows that the key answers; None if there are none."""
    values: dict[str, float | None] = {}
    for name in _columns(key, submission):
        answered = [n for n, row in enumerate(key) if row[name] != ESCAPED]
        values[name] = _column(key, submission, name, answered) if answered else None
    return values


def cells_bleu(predictions: Sequence[str], cells: Sequence[str]) -> float:
    """Corpus BLEU of predictions. A cell of the key is "escaped" or references joined by "****", of which the first three
    count. The smallest number of references of a cell is used for all: cells of training data have one.
    """
    parts = [cell.split(JOINED)[:REFERENCES] for cell in cells]
    width = min((len(row) for row, cell in zip(parts, cells, strict=True) if cell != ESCAPED), default=1)
    streams = [
        [row[n] if cell != ESCAPED else ESCAPED for row, cell in zip(parts, cells, strict=True)] for n in range(width)
    ]
    return float(sacrebleu.corpus_bleu(list(predictions), streams).score)


def submission_cells(key: Sequence[StoryRow], replies: Mapping[str, str]) -> list[dict[str, str]]:
    """The rows of a submission file, from item id -> reply. Unanswered cells of the key are "escaped".

    Raises ValueError if an answered cell has no reply (a failed request, or an item not asked), since the notebook's figure
    is over all rows. An empty reply is "".
    """
    rows = []
    for row in key:
        cells = {}
        for task, level in LEVELS.items():
            for dimension in DIMENSIONS:
                name, item = column_name(dimension.number, level), f"glucose/{dimension.set}/test/{task}/{row.number}"
                if row.cells[name] != ESCAPED and item not in replies:
                    raise ValueError(f"no reply to {item}: the notebook's figures need one to each answered cell")
                cells[name] = replies[item] if row.cells[name] != ESCAPED else ESCAPED
        rows.append(cells)
    return rows


def _columns(key: Grid, submission: Grid) -> list[str]:
    if not key or len(key) != len(submission):
        raise ValueError(f"a submission of {len(submission)} rows for a key of {len(key)}")
    return list(key[0])


def _column(key: Grid, submission: Grid, name: str, chosen: Sequence[int]) -> float:
    return cells_bleu([submission[n][name] for n in chosen], [key[n][name] for n in chosen])


class RatingCorrelations(NamedTuple):
    """The paper's three coefficients (section 5), scipy's results: `statistic`, and a two-sided `pvalue`."""

    spearman: Any
    pearson: Any
    kendall: Any  # τ-b, which corrects for ties: mean ratings have one decimal


def rating_correlations(ratings: Sequence[float], metric: Sequence[float]) -> RatingCorrelations:
    """A point is one system on one dimension and level: mean rating and BLEU."""
    return RatingCorrelations(*(test(ratings, metric) for test in (stats.spearmanr, stats.pearsonr, stats.kendalltau)))
