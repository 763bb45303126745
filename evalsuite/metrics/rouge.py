"""ROUGE-1, ROUGE-2 and ROUGE-L (Lin 2004), F values in [0, 1], on a whole answer as one sentence.

rouge_n / rouge_l: clipped counts, F1, the best reference: Google's rouge-score on the same tokens, and Lin's own.
rouge_n(kind="set"): rouge-chinese's default, where an n-gram counts once however often it stands there. (It also adds
1e-8 to P + R, which we do not: values differ by up to 1e-8.)
rouge_l_coco: pycocoevalcap's Rouge: beta 1.2, best precision and best recall each over all references.
"""

from __future__ import annotations

import numpy as np

from evalsuite.metrics.counts import Floats, Table, ratio

COCO_BETA = 1.2


def rouge_n(table: Table, order: int, kind: str = "clipped") -> Floats:
    """(N,) ROUGE-n F1 in [0, 1]."""
    if kind == "clipped":
        total = table.total(order)
        return _best_f1(table, table.overlap(order).astype(float), total[: table.n], total[table.n :])
    if kind == "set":
        grams = table.grams(order)
        different = np.bincount(grams.text, minlength=len(table.length))
        _, ref = grams.matched()
        shared = table.sum_by_ref(ref, np.ones(len(ref)), order)
        return _best_f1(table, shared, different[: table.n], different[table.n :])
    raise ValueError(f"no kind {kind!r} of ROUGE-n; there are clipped, set")


def rouge_l(table: Table) -> Floats:
    """(N,) ROUGE-L F1 in [0, 1], of the longest common subsequence of tokens."""
    return _best_f1(table, table.lcs().astype(float), table.hyp_length, table.ref_length)


def rouge_l_coco(table: Table, beta: float = COCO_BETA) -> Floats:
    """(N,) ROUGE-L in [0, 1] as pycocoevalcap has it: F-beta of the best precision and the best recall."""
    lcs = table.lcs()
    precision = table.best(ratio(lcs, table.hyp_length[table.ref_item]))
    recall = table.best(ratio(lcs, table.ref_length))
    return ratio((1 + beta**2) * precision * recall, recall + beta**2 * precision)


def _best_f1(table: Table, shared: Floats, hyp: np.ndarray, ref: np.ndarray) -> Floats:
    return table.best(ratio(2.0 * shared, hyp[table.ref_item] + ref))
