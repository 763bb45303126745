"""chrF2 (Popović 2015) as sacreBLEU computes it: character n-grams 1…6 without whitespace, beta 2, effective order.

The table must hold characters. Values are in [0, 1] (sacreBLEU prints them times 100). With several references the item's
statistics are those of the reference with the best sentence score.
"""

from __future__ import annotations

import numpy as np

from evalsuite.metrics.counts import Floats, Ints, Numbers, TokenTable, ratio

ORDERS = 6
BETA = 2.0
COLUMNS = tuple(f"{what}{n}" for n in range(1, ORDERS + 1) for what in ("hyp", "ref", "match"))


def statistics(table: TokenTable) -> Ints:
    """(N, 18) sufficient statistics of the items, additive over a corpus; see COLUMNS."""
    parts: list[Ints] = []
    for order in range(1, ORDERS + 1):
        total = table.total(order)
        ref = total[table.n :]
        # sacreBLEU does not count the hypothesis' n-grams of an order for which the reference is too short.
        parts += [np.where(ref > 0, total[: table.n][table.ref_item], 0), ref, table.overlap(order)]
    stats = np.stack(parts, axis=1)
    if len(stats) == table.n:
        return stats
    return table.of_best(stats, chrf(stats))


def chrf(sums: Numbers) -> Floats:
    """(..., 18) statistics of items or summed over a corpus -> (...) chrF2 in [0, 1]."""
    sums = np.asarray(sums, dtype=float)
    hyp, ref, match = sums[..., 0::3], sums[..., 1::3], sums[..., 2::3]
    effective = (hyp > 0) & (ref > 0)
    orders = effective.sum(axis=-1)
    precision = ratio(np.where(effective, ratio(match, hyp), 0.0).sum(axis=-1), orders)
    recall = ratio(np.where(effective, ratio(match, ref), 0.0).sum(axis=-1), orders)
    return ratio((1 + BETA**2) * precision * recall, BETA**2 * precision + recall)
