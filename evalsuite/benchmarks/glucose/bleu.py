"""GLUCOSE's own figures: corpus BLEU as its notebook computes it, over answered cells only, and how metrics go with people.

Notebook (test/evaluate_GLUCOSE_submissions.ipynb of the official repository, with sacreBLEU 1.4.14): for each dimension
and level sacreBLEU's corpus BLEU at its defaults (13a, exponential smoothing, case kept, up to 4-grams) over ALL rows,
the escaped ones too: there the reference is the word "escaped", three times, and a submission that leaves the word
standing matches it. Each such row adds a unigram that is right, and nothing to the longer n-grams. `answered` leaves
these rows out. All in [0, 100].

The grids have a row a test case; columns are those of the official file ("1_specificNL").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from evalsuite.benchmarks.languages import parser_of
from evalsuite.types import Answered, Metric, Part

ESCAPED, JOINED, REFERENCES = "escaped", "****", 3

_ESCAPED_ROW = (1, 1, 1, 0, 0, 0, 1, 0, 0, 0)  # of bleu.COLUMNS

Grid = Sequence[Mapping[str, str]]


def notebook_bleu(key: Grid, submission: Grid) -> dict[str, float]:
    """Column -> BLEU over all rows, escaped or not. Columns are those of the key."""
    return {name: _column(key, submission, name, range(len(key))) for name in _columns(key, submission)}


def answered_bleu(key: Grid, submission: Grid) -> dict[str, float | None]:
    """Column -> BLEU over the rows that the key answers; None where it answers none."""
    found: dict[str, float | None] = {}
    for name in _columns(key, submission):
        answered = [n for n, row in enumerate(key) if row[name] != ESCAPED]
        found[name] = _column(key, submission, name, answered) if answered else None
    return found


def cells_bleu(predictions: Sequence[str], cells: Sequence[str]) -> float:
    """BLEU of predictions by cells of the key: "escaped", or references joined by "****", of which three count.

    Cells with fewer references are allowed as long as all have as many: a sample of training data has one.

    >>> round(cells_bleu(["A dog barks >Causes> Ann wakes up"], ["A dog barks >Causes> Ann wakes up****x****y"]), 1)
    100.0
    """
    parts = [cell.split(JOINED)[:REFERENCES] for cell in cells]
    width = min((len(row) for row, cell in zip(parts, cells, strict=True) if cell != ESCAPED), default=1)
    streams = [
        [row[n] if cell != ESCAPED else ESCAPED for row, cell in zip(parts, cells, strict=True)] for n in range(width)
    ]
    sacrebleu: Any = import_module("sacrebleu")
    return float(sacrebleu.corpus_bleu(list(predictions), streams).score)


@dataclass(frozen=True, slots=True)
class CellBleu:
    """Both figures of one dimension and level as sums over items, as `stats.Additive` wants it; here in [0, 1].

    statistics: (N, 10), `bleu.COLUMNS` under sacreBLEU's 13a. escaped: rows of the file that are not asked about; None
    if not all others were asked, so that the notebook's figure cannot be had. Its rows are not resampled.
    """

    statistics: Any
    escaped: int | None

    @classmethod
    def of(cls, said: Sequence[str], references: Sequence[Sequence[str]], escaped: int | None) -> CellBleu:
        from evalsuite.metrics import bleu
        from evalsuite.metrics.counts import Table
        from evalsuite.metrics.tokens import tokenise

        kept = [refs[:REFERENCES] for refs in references]
        flat = iter(tokenise([text for refs in kept for text in refs], "13a"))
        table = Table(tokenise(said, "13a"), [[next(flat) for _ in refs] for refs in kept])
        return cls(bleu.statistics(table).astype(float), escaped)

    def finish(self, sums: Any) -> dict[str, Any]:
        """(..., 10) sums -> each figure, (...)."""
        import numpy as np

        from evalsuite.metrics.bleu import corpus_bleu_exp

        found = {"sacrebleu": corpus_bleu_exp(sums)}
        if self.escaped is not None:
            # "escaped" against "escaped": a word each, and a unigram that matches.
            found["sacrebleu_notebook"] = corpus_bleu_exp(sums + self.escaped * np.array(_ESCAPED_ROW))
        return found


def bleu_part(answered: Answered) -> Part:
    """The metrics of a cell. The notebook's figure is over the file's rows: of a part of the items there is none."""
    facts, items = answered.facts, answered.items
    escaped = facts.get("escaped") if facts.get("answered") == len(items) else None
    bleu = CellBleu.of([a.text or "" for a in answered.answers], [item.references for item in items], escaped)
    names = {name: name for name in bleu.finish(bleu.statistics.sum(axis=0))}
    signatures = {name: f"{name}|def:13a.exp.best-ref|parser:{parser_of(answered.reading)}" for name in names}
    # The notebook's figure counts rows that are no items: a single item has none.
    of_items = {"sacrebleu": bleu.finish(bleu.statistics)["sacrebleu"]}
    return Part("glucose", bleu, names, signatures, of_items)


METRICS = (
    Metric("sacrebleu", "sacreBLEU", short="BLEU", published=100.0),
    Metric("sacrebleu_notebook", "sacreBLEU（官方笔记本）", "sacreBLEU (notebook)", "BLEU", published=100.0),
)


def _columns(key: Grid, submission: Grid) -> list[str]:
    if not key or len(key) != len(submission):
        raise ValueError(f"a submission of {len(submission)} rows for a key of {len(key)}")
    return list(key[0])


def _column(key: Grid, submission: Grid, name: str, chosen: Sequence[int]) -> float:
    return cells_bleu([submission[n][name] for n in chosen], [key[n][name] for n in chosen])


@dataclass(frozen=True, slots=True)
class Coefficient:
    value: float
    p: float  # two-sided


@dataclass(frozen=True, slots=True)
class Correlations:
    """How a metric goes with people's ratings over the same points."""

    n: int
    spearman: Coefficient
    pearson: Coefficient
    kendall: Coefficient  # τ-b, which heeds ties: mean ratings to one decimal have many


def rating_correlations(ratings: Sequence[float], metric: Sequence[float]) -> Correlations:
    """Section 5's three coefficients. A point is one system on one dimension and level: its mean rating, its BLEU.

    Raises ValueError for fewer than three points, or where one of the two never changes.
    """
    if len(ratings) != len(metric) or len(ratings) < 3:
        raise ValueError(f"{len(ratings)} ratings and {len(metric)} values: expected as many, three or more")
    if len(set(ratings)) == 1 or len(set(metric)) == 1:
        raise ValueError("one of the two never changes: nothing can go with it")
    stats: Any = import_module("scipy.stats")
    found = [_coefficient(test(ratings, metric)) for test in (stats.spearmanr, stats.pearsonr, stats.kendalltau)]
    return Correlations(len(ratings), *found)


def _coefficient(result: Any) -> Coefficient:
    return Coefficient(float(result.statistic), float(result.pvalue))
