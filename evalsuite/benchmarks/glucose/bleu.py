"""GLUCOSE's BLEU, as in the official notebook and over answered cells only, and its correlation with human ratings.

The notebook (test/evaluate_GLUCOSE_submissions.ipynb, with sacreBLEU 1.4.14) computes, for each dimension and level,
sacreBLEU's corpus BLEU with its defaults (13a, exponential smoothing, cased, 4-grams) over ALL rows. Rows that were not
answered have the word "escaped" as their three references, and a submission repeats it: each adds one matching unigram and
no longer n-grams. `answered_bleu` leaves these rows out. Values are in [0, 100].

A grid has a row for each test case; its columns are those of the official file ("1_specificNL").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from evalsuite.benchmarks.languages import OF_REPLY, parser_of, whole_replies
from evalsuite.types import Answered, Metric, Part

ESCAPED, JOINED, REFERENCES = "escaped", "****", 3

_ESCAPED_ROW = (1, 1, 1, 0, 0, 0, 1, 0, 0, 0)  # statistics of an escaped row, in the order of metrics.bleu.COLUMNS

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
    """BLEU of one dimension and level in both variants, as an `Additive`; in [0, 1].

    statistics: (N, 20): `bleu.COLUMNS` under sacreBLEU's 13a for the answers, then for the whole replies, as the notebook
    scores them. escaped: the number of escaped rows of the file, which are not resampled; None if not all other rows were asked,
    so that the notebook's variant is undefined.
    """

    statistics: Any
    escaped: int | None

    @classmethod
    def of(
        cls, said: Sequence[str], replies: Sequence[str], references: Sequence[Sequence[str]], escaped: int | None
    ) -> CellBleu:
        import numpy as np

        from evalsuite.metrics import bleu
        from evalsuite.metrics.counts import TokenTable
        from evalsuite.metrics.tokens import tokenise

        kept = [refs[:REFERENCES] for refs in references]
        flat = iter(tokenise([text for refs in kept for text in refs], "13a"))
        grouped = [[next(flat) for _ in refs] for refs in kept]
        counts = [
            bleu.statistics(TokenTable(tokenise(texts, "13a"), grouped)).astype(float) for texts in (said, replies)
        ]
        return cls(np.concatenate(counts, axis=1), escaped)

    def finish(self, sums: Any) -> dict[str, Any]:
        """(..., 20) sums -> metric name -> (...) values."""
        import numpy as np

        from evalsuite.metrics.bleu import corpus_bleu_exp

        values = {"sacrebleu": corpus_bleu_exp(sums[..., :10])}
        if self.escaped is not None:
            # An escaped row is "escaped" with the reference "escaped": one matching unigram.
            values["sacrebleu_notebook"] = corpus_bleu_exp(sums[..., 10:] + self.escaped * np.array(_ESCAPED_ROW))
        return values


def bleu_part(answered: Answered) -> Part:
    """The metrics of a cell. The notebook's BLEU needs all items of the file. Replies that are a part of an explanation are
    scored as the explanation that they make (forms.py)."""
    facts, items = answered.facts, answered.items
    escaped = facts.get("escaped") if facts.get("answered") == len(items) else None
    form = answered.task.forms.get(answered.variant)

    def explanations(texts: Sequence[str]) -> Sequence[str]:
        return [form.whole(item, text) for item, text in zip(items, texts, strict=True)] if form else texts

    answers = explanations([a.text or "" for a in answered.answers])
    replies = explanations(whole_replies(answered))
    bleu = CellBleu.of(answers, replies, [item.references for item in items], escaped)
    names = {name: name for name in bleu.finish(bleu.statistics.sum(axis=0))}
    sources = {"sacrebleu": f"parser:{parser_of(answered.reading)}", "sacrebleu_notebook": OF_REPLY}
    made = "|form:completed.1" if form else ""
    signatures = {name: f"{name}|def:13a.exp.best-ref{made}|{sources[name]}" for name in names}
    # The notebook's BLEU counts rows that are not items, so single items have no value of it.
    of_items = {"sacrebleu": bleu.finish(bleu.statistics)["sacrebleu"]}
    return Part("glucose", bleu, names, signatures, of_items)


METRICS = (
    Metric("sacrebleu", "sacreBLEU", short="BLEU", is_mean=False, published=100.0),
    Metric(
        "sacrebleu_notebook",
        "sacreBLEU（官方 notebook）",
        "sacreBLEU (notebook)",
        "BLEU",
        is_mean=False,
        published=100.0,
    ),
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
class RatingCorrelations:
    """Correlation of a metric with human ratings over the same points."""

    n: int
    spearman: Coefficient
    pearson: Coefficient
    kendall: Coefficient  # τ-b, which corrects for ties: mean ratings have one decimal


def rating_correlations(ratings: Sequence[float], metric: Sequence[float]) -> RatingCorrelations:
    """The paper's three coefficients (section 5). A point is one system on one dimension and level: mean rating and BLEU.

    Raises ValueError for fewer than three points or if one of the two is constant.
    """
    if len(ratings) != len(metric) or len(ratings) < 3:
        raise ValueError(f"{len(ratings)} ratings and {len(metric)} values: expected as many, three or more")
    if len(set(ratings)) == 1 or len(set(metric)) == 1:
        raise ValueError("ratings or metric values are constant: no correlation is defined")
    stats: Any = import_module("scipy.stats")
    results = [test(ratings, metric) for test in (stats.spearmanr, stats.pearsonr, stats.kendalltau)]
    return RatingCorrelations(len(ratings), *(Coefficient(float(x.statistic), float(x.pvalue)) for x in results))
