"""Compute all text metrics of a corpus (the rows of rows.py), which share tokens and counts.

Every corpus metric is a function of sums over items: `TextScores.statistics` has a row for each item, and `finish` computes
the metrics from sums of rows, so the bootstrap needs no texts.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evalsuite.metrics import semsim
from evalsuite.metrics.counts import Floats, TokenTable
from evalsuite.metrics.profiles import Profile, profile_named
from evalsuite.metrics.rows import TEXT_METRICS, Counts, TextMetric
from evalsuite.metrics.signatures import count_references, signature
from evalsuite.metrics.tokens import tokenise


class TextCorpus:
    """Answers and their references, with cached tokens and counts, which profiles share."""

    def __init__(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> None:
        if len(hypotheses) != len(references):
            raise ValueError(f"{len(hypotheses)} answers for {len(references)} items with references")
        if not hypotheses:
            raise ValueError("no answers to score")
        for i, refs in enumerate(references):
            if isinstance(refs, str) or not refs:
                raise ValueError(f"item {i}: references must be a sequence of one or more texts, not {refs!r}")
        self.hypotheses, self.references = list(hypotheses), [list(refs) for refs in references]
        self._tables: dict[str, TokenTable] = {}
        self._values: dict[tuple[str, ...], Floats] = {}
        self._counts: dict[tuple[str, str], NDArray[np.int64]] = {}

    def table(self, tokenisation: str) -> TokenTable:
        """The n-gram table under a tokenisation (a name in TOKENISERS)."""
        if tokenisation not in self._tables:
            flat = [ref for refs in self.references for ref in refs]
            tokens = tokenise([*self.hypotheses, *flat], tokenisation)
            remaining = iter(tokens[len(self.hypotheses) :])
            grouped = [[next(remaining) for _ in refs] for refs in self.references]
            self._tables[tokenisation] = TokenTable(tokens[: len(self.hypotheses)], grouped)
        return self._tables[tokenisation]

    def _value(self, metric: TextMetric, profile: Profile) -> Floats:
        """(N,) item values of a metric."""
        assert metric.values is not None
        key = metric.name, *(getattr(profile, name) for name in metric.reads)
        if key not in self._values:
            self._values[key] = metric.values(self, profile)
        return self._values[key]

    def _counted(self, counts: Counts, tokenisation: str) -> NDArray[np.int64]:
        """(N, columns) sufficient statistics of the items."""
        key = counts.name, tokenisation
        if key not in self._counts:
            self._counts[key] = counts.module().statistics(self.table(tokenisation))
        return self._counts[key]

    def score(
        self,
        profile: str | Profile = "default",
        encoder: semsim.Encoder | None = None,
        names: Collection[str] = TEXT_METRICS.keys(),
    ) -> TextScores:
        """The metrics in `names` under a profile, by default all that the profile has. `encoder` adds semantic similarity. Raises
        ValueError for an unknown profile."""
        chosen = profile_named(profile) if isinstance(profile, str) else profile
        wanted = [metric for metric in TEXT_METRICS.values() if metric.name in names]
        references, items = count_references(self.references), len(self.hypotheses)
        per_item, signatures = dict[str, Floats](), dict[str, str]()
        pooled: dict[str, NDArray[np.int64]] = {}
        for metric in wanted:
            if metric.values is not None:
                per_item[metric.name] = self._value(metric, chosen)
            elif metric.counts is not None and (tokenisation := metric.counts.tokens(chosen)) is not None:
                pooled[metric.counts.name] = self._counted(metric.counts, tokenisation)
            else:
                continue
            signatures[metric.name] = signature(metric.name, references, **metric.fields(chosen, items))
        singles = {name: _NAMED[name].single(rows) for name, rows in pooled.items()}
        for metric in wanted:
            if metric.counts and metric.single_fields and metric.counts.name in singles:
                per_item[f"s{metric.name}"] = _column(metric, singles[metric.counts.name])
                fields = metric.single_fields(chosen, items)
                signatures[f"s{metric.name}"] = signature(f"s{metric.name}", references, **fields)
        if encoder is not None:
            per_item["semsim"] = semsim.similarity(self.hypotheses, self.references, encoder)
            signatures["semsim"] = semsim.semsim_signature(encoder, references)
        columns = ("n", *per_item, *(f"{name}.{column}" for name in pooled for column in _NAMED[name].module().COLUMNS))
        rows = [np.ones(items), *per_item.values(), *(x for part in pooled.values() for x in part.T)]
        statistics = np.stack(rows, axis=1)
        corpus = {name: float(value) for name, value in _finish(statistics.sum(axis=0), columns).items()}
        return TextScores(per_item, corpus, signatures, statistics, columns)


@dataclass(frozen=True, slots=True)
class TextScores:
    """Scores of N items, an `Additive`. All values are in [0, 1], except CIDEr in [0, 10].

    per_item: name -> (N,). corpus: name -> value: the mean of each per_item metric, and the metrics that pool counts over
    the corpus (bleu1…bleu4, chrf, meteor15; their item values are sbleu1…, schrf, smeteor15).
    signatures: by name. statistics: (N, K) additive rows; columns: names of the K columns.
    """

    per_item: dict[str, Floats]
    corpus: dict[str, float]
    signatures: dict[str, str]
    statistics: Floats = field(repr=False)
    columns: tuple[str, ...] = field(repr=False)

    def finish(self, sums: Floats) -> dict[str, Floats]:
        """(..., K) sums of rows of `statistics` -> metric name -> (...) values."""
        return _finish(np.asarray(sums, dtype=float), self.columns)

    def of_items(self, name: str) -> Floats:
        """(N,) the items' values of a corpus metric: for BLEU, sentence BLEU."""
        return self.per_item[name] if name in self.per_item else self.per_item[f"s{name}"]


def _finish(sums: Floats, columns: tuple[str, ...]) -> dict[str, Floats]:
    """(..., K) sums of statistics with these columns -> metric name -> (...) values."""
    items = sums[..., 0]
    result = {name: sums[..., i] / items for i, name in enumerate(columns) if i and "." not in name}
    pooled: dict[str, Floats | None] = {}  # counts -> the metrics that share them; None: not in this profile
    for metric in TEXT_METRICS.values():
        if metric.counts:
            name = metric.counts.name
            if name not in pooled:
                indices = [i for i, column in enumerate(columns) if column.startswith(f"{name}.")]
                pooled[name] = metric.counts.pooled(sums[..., indices]) if indices else None
            if (shared := pooled[name]) is not None:
                result[metric.name] = _column(metric, shared)
    return result


_NAMED = {metric.counts.name: metric.counts for metric in TEXT_METRICS.values() if metric.counts}


def _column(metric: TextMetric, shared: Floats) -> Floats:
    """A metric's values in an array of all metrics that share its counts."""
    return shared if metric.column is None else shared[..., metric.column]
