"""CIDEr (Vedantam, Zitnick & Parikh 2015): TF-IDF weighted n-gram similarity, n = 1…4, times 10: values in [0, 10].

`clipped=True` is the customary CIDEr: pycocoevalcap's `Cider`, which is the paper's CIDEr-D (clipped counts, Gaussian
length penalty, sigma 6). `clipped=False` is the paper's plain CIDEr (vrama91/cider, pyciderevalcap/cider): cosine
similarity. Neither stems.

IDF is computed from the references of all items, so CIDEr is a corpus metric: for a corpus of one item it is 0
(log 1 - log 1). The bootstrap keeps the IDF of the whole corpus.
"""

from __future__ import annotations

import numpy as np

from evalsuite.metrics.counts import Floats, Grams, TokenTable, ratio

ORDERS = 4
SIGMA = 6.0


def idf(table: TokenTable, order: int) -> Floats:
    """(size,) log(items / items whose references contain the n-gram); unseen n-grams count as seen in one item."""
    grams = table.grams(order)
    item = table.ref_item[grams.text[grams.hyp_rows :] - table.n]
    key = np.unique(item * max(grams.size, 1) + grams.gram[grams.hyp_rows :])  # an n-gram counts once for each item
    frequency = np.bincount(key % max(grams.size, 1), minlength=grams.size)
    result: Floats = np.log(float(table.n)) - np.log(np.maximum(frequency, 1.0))
    return result


def cider(table: TokenTable, clipped: bool = True) -> Floats:
    """(N,) CIDEr of each item in [0, 10]. The corpus value is the mean."""
    similarity = np.zeros(len(table.ref_item))
    for order in range(1, ORDERS + 1):
        similarity += _similarity(table, table.grams(order), order, idf(table, order), clipped)
    if clipped:
        # pycocoevalcap measures lengths in bigrams: equal differences, except for empty texts, which score 0 anyway.
        delta = (table.hyp_length[table.ref_item] - table.ref_length).astype(float)
        similarity *= np.exp(-(delta**2) / (2 * SIGMA**2))
    return 10.0 / ORDERS * np.add.reduceat(similarity, table.first_ref) / table.per_item


def _similarity(table: TokenTable, grams: Grams, order: int, weight: Floats, clipped: bool) -> Floats:
    """(R,) similarity of the TF-IDF vectors of one order."""
    squared = weight[grams.gram] ** 2
    norm = np.sqrt(np.bincount(grams.text, weights=grams.count**2 * squared, minlength=len(table.length)))
    hyp, ref = grams.matched()
    in_hyp, in_ref = grams.count[hyp], grams.count[ref]
    product = (np.minimum(in_hyp, in_ref) if clipped else in_hyp) * in_ref * squared[ref]
    return ratio(table.sum_by_ref(ref, product, order), norm[: table.n][table.ref_item] * norm[table.n :])
