"""ROUGE-1, ROUGE-2 and ROUGE-L (Lin 2004): F measures in [0, 1] of whole answers, taken as one sentence.

rouge_n, rouge_l: F1 of clipped counts, maximum over the references, as Google's rouge-score on the same tokens.
rouge_n(kind="set"): rouge-chinese's default, which counts each distinct n-gram once. (It also adds 1e-8 to P + R, so values
differ by up to 1e-8.)
rouge_l_coco: pycocoevalcap's Rouge: beta 1.2, maximum precision and maximum recall each over the references.
"""

from __future__ import annotations

import numpy as np

from evalsuite.metrics.counts import Floats, Table, ratio

COCO_BETA = 1.2


def rouge_n(table: Table, order: int, kind: str = "clipped") -> Floats:
    """(N,) ROUGE-n F1 in [0, 1]; `order` is n, `kind` "clipped" or "set". Raises ValueError for another kind."""
    if kind == "clipped":
        total = table.total(order)
        return _best_f1(table, table.overlap(order).astype(float), total[: table.n], total[table.n :])
    if kind == "set":
        grams = table.grams(order)
        distinct = np.bincount(grams.text, minlength=len(table.length))
        _, ref = grams.matched()
        shared = table.sum_by_ref(ref, np.ones(len(ref)), order)
        return _best_f1(table, shared, distinct[: table.n], distinct[table.n :])
    raise ValueError(f"no kind {kind!r} of ROUGE-n; there are clipped, set")


def rouge_l(table: Table) -> Floats:
    """(N,) ROUGE-L F1 in [0, 1], of the longest common subsequence of tokens."""
    return _best_f1(table, table.lcs().astype(float), table.hyp_length, table.ref_length)


def rouge_l_coco(table: Table, beta: float = COCO_BETA) -> Floats:
    """(N,) ROUGE-L in [0, 1] as in pycocoevalcap: F-beta of the maximum precision and the maximum recall."""
    lcs = table.lcs()
    precision = table.best(ratio(lcs, table.hyp_length[table.ref_item]))
    recall = table.best(ratio(lcs, table.ref_length))
    return ratio((1 + beta**2) * precision * recall, recall + beta**2 * precision)


def _best_f1(table: Table, shared: Floats, hyp: np.ndarray, ref: np.ndarray) -> Floats:
    return table.best(ratio(2.0 * shared, hyp[table.ref_item] + ref))
