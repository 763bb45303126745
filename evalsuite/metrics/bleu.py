"""BLEU-1…4 (Papineni et al. 2002), cumulative, of a corpus and of single sentences.

Corpus: counts are pooled, without smoothing, so a zero count makes the score 0. This equals sacreBLEU's corpus BLEU with
smooth_method="none", and its default if no count is zero. It equals pycocoevalcap's Bleu except for two constants there:
1e-15 for a zero count, and 1e-6 for the precision of an order that no hypothesis is long enough for. nltk's corpus_bleu
differs: it counts one n-gram more for each hypothesis shorter than n tokens.

Sentence: nltk's sentence_bleu with smoothing method 1 (Chen & Cherry 2014: 0.1 for a zero count) or none.
With several references, counts are clipped by their maximum, and the closest length is used (the shorter on a tie).
"""

from __future__ import annotations

import numpy as np

from evalsuite.metrics.counts import Floats, Ints, Numbers, TokenTable, ratio

ORDERS = 4
# Columns of the sufficient statistics.
COLUMNS = ("hyp", "ref", *(f"match{n}" for n in range(1, ORDERS + 1)), *(f"total{n}" for n in range(1, ORDERS + 1)))


def statistics(table: TokenTable) -> Ints:
    """(N, 10) sufficient statistics of the items, additive over a corpus; see COLUMNS."""
    hyp_length = table.hyp_length
    distance = np.abs(table.ref_length - hyp_length[table.ref_item])
    bound = int(table.length.max(initial=0)) + 1
    closest = np.minimum.reduceat(distance * bound + table.ref_length, table.first_ref) % bound
    matches = [_clipped(table, order) for order in range(1, ORDERS + 1)]
    totals = [table.total(order)[: table.n] for order in range(1, ORDERS + 1)]
    return np.stack([hyp_length, closest, *matches, *totals], axis=1)


def _clipped(table: TokenTable, order: int) -> Ints:
    """(N,) matching n-grams of the hypotheses, each clipped by its maximum count in a reference."""
    if len(table.ref_item) == table.n:
        return table.overlap(order)
    grams = table.grams(order)
    hyp, ref = grams.matched()
    limit = np.zeros(grams.hyp_rows, dtype=np.int64)
    np.maximum.at(limit, hyp, grams.count[ref])
    shared = np.minimum(limit, grams.count[: grams.hyp_rows])
    return np.bincount(grams.text[: grams.hyp_rows], weights=shared, minlength=table.n).astype(np.int64)


def brevity_penalty(hyp: Numbers, ref: Numbers) -> Floats:
    """exp(1 - r/c) if the hypothesis is shorter than the reference, else 1; 0 for empty hypotheses."""
    shorter = np.exp(np.minimum(1.0 - ratio(ref, hyp), 0.0))
    return np.where(np.asarray(hyp) > 0, shorter, 0.0)


def corpus_bleu(sums: Numbers) -> Floats:
    """(..., 10) summed statistics -> (..., 4) BLEU-1, …, BLEU-4 in [0, 1], without smoothing."""
    sums = np.asarray(sums, dtype=float)
    return _combine(sums, ratio(sums[..., 2:6], sums[..., 6:10]))


def corpus_bleu_exp(sums: Numbers) -> Floats:
    """(..., 10) summed statistics -> (...) BLEU-4 in [0, 1] with sacreBLEU's default smoothing: the k-th order without
    matches gets 1/2^k of a match."""
    sums = np.asarray(sums, dtype=float)
    matches, totals = sums[..., 2:6], sums[..., 6:10]
    missed = matches == 0
    smoothed = np.where(missed, 0.5 ** np.cumsum(missed, axis=-1), matches)
    score = _combine(sums, ratio(smoothed, totals))[..., -1]
    return np.where(missed.all(axis=-1), 0.0, score)


def sentence_bleu(stats: Numbers, epsilon: float = 0.1) -> Floats:
    """(N, 10) statistics -> (N, 4) sentence BLEU-1, …, BLEU-4 in [0, 1].

    A zero count becomes `epsilon` (nltk's method1; 0: no smoothing), a zero total becomes 1. Without a common token the
    score is 0.
    """
    stats = np.asarray(stats, dtype=float)
    matches, totals = stats[..., 2:6], np.maximum(stats[..., 6:10], 1.0)
    smooth = _combine(stats, np.where(matches > 0, matches, epsilon) / totals)
    return np.where(matches[..., :1] > 0, smooth, 0.0)


def _combine(stats: Floats, precisions: Floats) -> Floats:
    logs = np.log(np.where(precisions > 0, precisions, 1.0))
    means = np.cumsum(logs, axis=-1) / np.arange(1, ORDERS + 1)
    possible = np.cumprod(precisions > 0, axis=-1)
    penalty = brevity_penalty(stats[..., 0], stats[..., 1])
    result: Floats = penalty[..., None] * np.exp(means) * possible
    return result
