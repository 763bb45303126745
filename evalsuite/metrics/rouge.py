"""ROUGE-1, ROUGE-2 and ROUGE-L (Lin 2004): F measures in [0, 1] of whole answers, taken as one sentence.

rouge_n, rouge_l: F1 of clipped counts, maximum over the references, as Google's rouge-score on the same tokens.
rouge_chinese: the library of that name, which counts each distinct n-gram once, and computes ROUGE-L over sentences.
rouge_l_coco: pycocoevalcap's Rouge: beta 1.2, with the maximum precision and the maximum recall over the references.
"""

from __future__ import annotations

from importlib import import_module

import numpy as np

from evalsuite.metrics.counts import Floats, TokenTable, ratio

COCO_BETA = 1.2


def rouge_n(table: TokenTable, order: int) -> Floats:
    """(N,) ROUGE-n F1 in [0, 1], from clipped counts; `order` is n."""
    total = table.total(order)
    return _best_f1(table, table.overlap(order).astype(float), total[: table.n], total[table.n :])


def rouge_l(table: TokenTable) -> Floats:
    """(N,) ROUGE-L F1 in [0, 1], of the longest common subsequence of tokens."""
    return _best_f1(table, table.lcs().astype(float), table.hyp_length, table.ref_length)


def rouge_l_coco(table: TokenTable) -> Floats:
    """(N,) ROUGE-L in [0, 1] as in pycocoevalcap: F-beta of the maximum precision and the maximum recall."""
    lcs = table.lcs()
    precision = table.best(ratio(lcs, table.hyp_length[table.ref_item]))
    recall = table.best(ratio(lcs, table.ref_length))
    return ratio((1 + COCO_BETA**2) * precision * recall, recall + COCO_BETA**2 * precision)


def rouge_chinese(table: TokenTable, name: str) -> Floats:
    """(N,) F in [0, 1] of the library rouge-chinese, best reference; `name` is "rouge-1", "rouge-2" or "rouge-l".

    The library gets the tokens joined by blanks, as its documentation asks for. It refuses empty texts, which get 0.
    """
    score = import_module("rouge_chinese").Rouge(metrics=[name], stats=["f"]).get_scores
    texts = [" ".join(words) for words in table.texts()]
    values = [
        score([texts[item]], [ref])[0][name]["f"] if texts[item].strip() and ref.strip() else 0.0
        for item, ref in zip(table.ref_item.tolist(), texts[table.n :], strict=True)
    ]
    return table.best(np.array(values, dtype=float))


def _best_f1(table: TokenTable, shared: Floats, hyp: np.ndarray, ref: np.ndarray) -> Floats:
    return table.best(ratio(2.0 * shared, hyp[table.ref_item] + ref))
