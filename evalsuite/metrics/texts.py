"""All text metrics of a corpus at once: tokenise once, count once, share the counts.

Every corpus number is a function of sums over items (its sufficient statistics), so a resample of the items needs no
text any more: `TextScores.statistics` has a row an item, `finish` turns sums of rows into the numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evalsuite.metrics import bleu, chrf, meteor15, semsim
from evalsuite.metrics.cider import cider
from evalsuite.metrics.counts import Floats, Table
from evalsuite.metrics.exact import char_f1, exact_match
from evalsuite.metrics.f1 import token_f1
from evalsuite.metrics.meteor import meteor
from evalsuite.metrics.profiles import Profile, profile_named
from evalsuite.metrics.rouge import rouge_l, rouge_l_coco, rouge_n
from evalsuite.metrics.signatures import count_references, text_signatures
from evalsuite.metrics.tokens import tokenise

# Metrics that pool counts over the corpus: their columns, and what makes numbers of the columns' sums.
_POOLED = {"bleu": bleu.COLUMNS, "chrf": chrf.COLUMNS, "meteor15": meteor15.COLUMNS}


@dataclass(frozen=True, slots=True)
class TextScores:
    """Scores of N items. All in [0, 1] but CIDEr, which is in [0, 10].

    per_item: name -> (N,). corpus: name -> number: the mean of each per_item metric, and those that pool counts over
    the corpus (bleu1…bleu4, chrf, meteor15; what an item has of them is called sbleu1…, schrf, smeteor15).
    signatures: for each name in corpus. statistics: (N, K) rows that add up; columns: their names.
    """

    per_item: dict[str, Floats]
    corpus: dict[str, float]
    signatures: dict[str, str]
    statistics: Floats = field(repr=False)
    columns: tuple[str, ...] = field(repr=False)

    def finish(self, sums: Floats) -> dict[str, Floats]:
        """(..., K) sums of rows of `statistics` -> each corpus metric, (...)."""
        return finish(np.asarray(sums, dtype=float), self.columns)

    def resample(self, index: NDArray[np.integer]) -> dict[str, float]:
        """The corpus metrics of the items with these numbers, which may repeat. CIDEr keeps its IDF."""
        sums = self.statistics[np.asarray(index)].sum(axis=0)
        return {name: float(value) for name, value in self.finish(sums).items()}


def finish(sums: Floats, columns: tuple[str, ...]) -> dict[str, Floats]:
    """(..., K) sums of statistics with these columns -> each corpus metric, (...)."""
    items = sums[..., 0]
    result = {name: sums[..., i] / items for i, name in enumerate(columns) if i and "." not in name}
    for metric in _POOLED:
        part = [i for i, name in enumerate(columns) if name.startswith(f"{metric}.")]
        if part and metric == "bleu":
            scores = bleu.corpus_bleu(sums[..., part])
            result |= {f"bleu{order}": scores[..., order - 1] for order in range(1, bleu.ORDERS + 1)}
        elif part:
            result[metric] = (chrf.chrf if metric == "chrf" else meteor15.meteor15)(sums[..., part])
    return result


class Corpus:
    """Answers and their references; tokens and counts are kept, so that several profiles share them."""

    def __init__(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> None:
        if len(hypotheses) != len(references):
            raise ValueError(f"{len(hypotheses)} answers for {len(references)} items with references")
        if not hypotheses:
            raise ValueError("no answers to score")
        for i, refs in enumerate(references):
            if isinstance(refs, str) or not refs:
                raise ValueError(f"item {i}: references must be a sequence of one or more texts, not {refs!r}")
        self.hypotheses, self.references = list(hypotheses), [list(refs) for refs in references]
        self._tables: dict[str, Table] = {}
        self._values: dict[tuple[str, str], Floats] = {}
        self._pooled: dict[tuple[str, str], NDArray[np.int64]] = {}

    def table(self, tokenisation: str) -> Table:
        """Counts under a tokenisation."""
        if tokenisation not in self._tables:
            flat = [ref for refs in self.references for ref in refs]
            tokens = tokenise([*self.hypotheses, *flat], tokenisation)
            rest = iter(tokens[len(self.hypotheses) :])
            grouped = [[next(rest) for _ in refs] for refs in self.references]
            self._tables[tokenisation] = Table(tokens[: len(self.hypotheses)], grouped)
        return self._tables[tokenisation]

    def _value(self, name: str, tokenisation: str) -> Floats:
        """(N,) one metric of the items."""
        key = name, tokenisation
        if key not in self._values:
            self._values[key] = self._compute(name, tokenisation)
        return self._values[key]

    def _compute(self, name: str, tokenisation: str) -> Floats:
        if name in ("em", "f1_char"):
            score = exact_match if name == "em" else char_f1
            return np.array([score(hyp, refs) for hyp, refs in zip(self.hypotheses, self.references, strict=True)])
        table = self.table(tokenisation)
        if name in ("rouge1", "rouge2"):
            return rouge_n(table, int(name[-1]))
        if name in ("cider", "cider_plain"):
            return cider(table, clipped=name == "cider")
        functions = {"f1_token": token_f1, "rouge_l.f1": rouge_l, "rouge_l.coco": rouge_l_coco, "meteor": meteor}
        return functions[name](table)

    def _statistics(self, metric: str, tokenisation: str) -> NDArray[np.int64]:
        """(N, columns) of a metric that pools counts."""
        key = metric, tokenisation
        if key not in self._pooled:
            module = {"bleu": bleu, "chrf": chrf, "meteor15": meteor15}[metric]
            self._pooled[key] = module.statistics(self.table(tokenisation))
        return self._pooled[key]

    def score(self, profile: str | Profile = "default", encoder: semsim.Encoder | None = None) -> TextScores:
        """All metrics under a profile."""
        chosen = profile_named(profile) if isinstance(profile, str) else profile
        per_item = {"em": self._value("em", ""), "f1_char": self._value("f1_char", "")}
        per_item["f1_token"] = self._value("f1_token", chosen.f1)
        for name in ("rouge1", "rouge2"):
            per_item[name] = self._value(name, chosen.rouge)
        per_item["rouge_l"] = self._value(f"rouge_l.{chosen.rouge_l}", chosen.rouge)
        per_item["meteor"] = self._value("meteor", chosen.meteor)
        for name in ("cider", "cider_plain"):
            per_item[name] = self._value(name, chosen.cider)
        pooled = {"bleu": self._statistics("bleu", chosen.bleu), "chrf": self._statistics("chrf", "char")}
        if chosen.meteor15 is not None:
            pooled["meteor15"] = self._statistics("meteor15", chosen.meteor15)
            per_item["smeteor15"] = meteor15.meteor15(pooled["meteor15"])
        sentence = bleu.sentence_bleu(pooled["bleu"])
        per_item |= {f"sbleu{order}": sentence[:, order - 1] for order in range(1, bleu.ORDERS + 1)}
        per_item["schrf"] = chrf.chrf(pooled["chrf"])
        references = count_references(self.references)
        signatures = text_signatures(chosen, references, len(self.hypotheses))
        if encoder is not None:
            per_item["semsim"] = semsim.similarity(self.hypotheses, self.references, encoder)
            signatures["semsim"] = semsim.semsim_signature(encoder, references)
        columns = ("n", *per_item, *(f"{metric}.{column}" for metric in pooled for column in _POOLED[metric]))
        rows = [np.ones(len(self.hypotheses)), *per_item.values(), *(x for part in pooled.values() for x in part.T)]
        statistics = np.stack(rows, axis=1)
        corpus = {name: float(value) for name, value in finish(statistics.sum(axis=0), columns).items()}
        return TextScores(per_item, corpus, signatures, statistics, columns)
