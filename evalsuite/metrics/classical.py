"""Classical test theory: how well the items of a test separate strong from weak takers. Tables are (takers, items).

discrimination   corrected item-total correlation: Pearson's r of an item with the sum of all other items (of right/wrong
                 items a point-biserial correlation)
alpha            Cronbach's α, which of right/wrong items is KR-20: the share of the variance of sums that is not the items' own
p                one-sided, of a negative discrimination: the share of permutations of the item's values over the takers that
                 correlate at least as negatively with the sums of the other items
"""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from evalsuite.metrics.counts import Floats

_EXACT = 7  # up to so many takers all permutations are used: 5,040
_DRAWS = 9999  # the number of random permutations of more takers
_NOISE = 1e-9  # more than the rounding error between sums of the same numbers in two orders


def rests(table: Floats) -> Floats:
    """The sum of all other items, for each taker and item."""
    sums: Floats = table.sum(axis=1, keepdims=True) - table
    return sums


def discriminations(table: Floats) -> list[float | None]:
    """Corrected item-total correlation of each item; None if all takers have the same value of the item or of the other sum, and
    for every item if all takers have the same sum, where each item would have -1.

    >>> import numpy as np
    >>> discriminations(np.array([[1, 1, 0], [1, 0, 0], [0, 0, 0]]))
    [0.5, 0.5, None]
    """
    others = rests(table)
    varies = (np.ptp(table, axis=0) > _NOISE) & (np.ptp(others, axis=0) > _NOISE) & (np.ptp(table.sum(axis=1)) > _NOISE)
    x, y = table - table.mean(axis=0), others - others.mean(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        correlations = (x * y).sum(axis=0) / np.sqrt((x * x).sum(axis=0) * (y * y).sum(axis=0))
    return [round(min(1.0, max(-1.0, float(r))), 6) if ok else None for r, ok in zip(correlations, varies, strict=True)]


def alpha(table: Floats) -> float | None:
    """Cronbach's α; None with fewer than two items, or where all takers have the same sum. It may be negative.

    >>> import numpy as np
    >>> alpha(np.array([[1, 1], [0, 0], [1, 1]]))
    1.0
    """
    count, sums = table.shape[1], table.sum(axis=1)
    if count < 2 or np.ptp(sums) <= _NOISE:
        return None
    return round(float(count / (count - 1) * (1 - table.var(axis=0).sum() / sums.var())), 6)


def negative_p(item: Floats, others: Floats, orders: NDArray[np.intp]) -> float:
    """One-sided p of an item's negative discrimination, over `orders` (see `orders_of`); exact if they are all permutations."""
    # Permutations change no mean or variance, so sums of products rank the orders as correlations do.
    hits = int(np.count_nonzero(item[orders] @ others <= item @ others + _NOISE))
    whole = len(orders) == math.factorial(len(item))
    return hits / len(orders) if whole else (hits + 1) / (len(orders) + 1)


def orders_of(takers: int) -> NDArray[np.intp]:
    """Orders of `takers` takers: all of them, or a seeded sample."""
    if takers <= _EXACT:
        return np.array(list(permutations(range(takers))), dtype=np.intp)
    rows = np.tile(np.arange(takers, dtype=np.intp), (_DRAWS, 1))
    return np.random.default_rng(0).permuted(rows, axis=1)
