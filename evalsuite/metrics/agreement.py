"""Agreement and correlation of raters: human annotators, judges and metrics with each other. Pure functions.

A coefficient is None where it is undefined: no items, or a single value throughout.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import combinations
from random import Random
from statistics import mean, median, pstdev
from typing import Any

_Numbers = Sequence[float]


def cohen_kappa(a: Sequence[Hashable], b: Sequence[Hashable]) -> float | None:
    """Cohen's kappa of two raters' categories (Cohen 1960).

    >>> round(cohen_kappa("yyyynnnnyn", "yyynnnnnyy"), 2)
    0.6
    """
    n = len(a)
    if n == 0 or n != len(b):
        return None
    same = sum(x == y for x, y in zip(a, b, strict=True)) / n
    of_a, of_b = Counter(a), Counter(b)
    chance = sum(of_a[c] * of_b[c] for c in of_a) / n**2
    return None if chance == 1 else (same - chance) / (1 - chance)


def fleiss_kappa(rows: Sequence[Sequence[Hashable]]) -> float | None:
    """Fleiss' kappa of any number of raters (Fleiss 1971). `rows`: for each item its categories, the same number for all."""
    if not rows or len({len(row) for row in rows}) != 1 or len(rows[0]) < 2:
        return None
    n, raters = len(rows), len(rows[0])
    counts = [Counter(row) for row in rows]
    same = math.fsum((sum(c * c for c in count.values()) - raters) / (raters * (raters - 1)) for count in counts) / n
    total = sum(counts, Counter())
    chance = math.fsum((c / (n * raters)) ** 2 for c in total.values())
    return None if chance == 1 else (same - chance) / (1 - chance)


def weighted_kappa(a: _Numbers, b: _Numbers) -> float | None:
    """Cohen's kappa with quadratic weights (Cohen 1968): 1 for perfect agreement, 0 for chance agreement.

    None if both give a single score throughout: agreement and chance cannot be distinguished.

    >>> weighted_kappa([0, 1, 2], [0, 1, 2]), weighted_kappa([0, 0, 2, 2], [0, 2, 0, 2])
    (1.0, 0.0)
    """
    if not a or len(a) != len(b):
        return None
    observed = mean((x - y) ** 2 for x, y in zip(a, b, strict=True))
    # The mean squared difference over all pairs of a score of `a` and a score of `b`.
    expected = mean(x * x for x in a) + mean(y * y for y in b) - 2 * mean(a) * mean(b)
    return 1 - observed / expected if expected > 1e-12 else None


_METHODS = {"pearson": "pearsonr", "spearman": "spearmanr", "kendall": "kendalltau"}  # name -> function of scipy.stats


def correlations(x: _Numbers, y: _Numbers) -> dict[str, float | None]:
    """Pearson's r, Spearman's rho and Kendall's tau-b; None for fewer than three pairs or if x or y is constant."""
    return {name: _correlation(name, x, y) for name in _METHODS}


def spearman(x: _Numbers, y: _Numbers) -> float | None:
    """Spearman's rho; None as in `correlations`."""
    return _correlation("spearman", x, y)


def _correlation(name: str, x: _Numbers, y: _Numbers) -> float | None:
    if len(x) < 3 or len(set(x)) < 2 or len(set(y)) < 2:
        return None
    value = float(getattr(import_module("scipy.stats"), _METHODS[name])(x, y)[0])
    return value if math.isfinite(value) else None


def spearman_interval(rho: float | None, n: int) -> tuple[float | None, float | None]:
    """95 % interval of Spearman's rho over n independent pairs: Fisher's z with the variance of Bonett & Wright 2000.

    (None, None) for fewer than five pairs or if rho is -1 or 1, where the approximation does not hold.

    >>> low, high = spearman_interval(0.5, 50)
    >>> round(low, 2), round(high, 2)
    (0.24, 0.69)
    """
    if rho is None or n < 5 or abs(rho) >= 1:
        return None, None
    half = 1.959964 * math.sqrt((1 + rho**2 / 2) / (n - 3))
    return math.tanh(math.atanh(rho) - half), math.tanh(math.atanh(rho) + half)


def partial_spearman(x: _Numbers, y: _Numbers, control: _Numbers) -> float | None:
    """Partial rank correlation of x and y given `control` (z): (r_xy - r_xz r_yz) / √((1 - r_xz²)(1 - r_yz²))."""
    xy = spearman(x, y)
    if xy is None:
        return None
    xz, yz = spearman(x, control) or 0.0, spearman(y, control) or 0.0  # a constant control explains nothing
    unexplained = (1 - xz**2) * (1 - yz**2)
    return (xy - xz * yz) / math.sqrt(unexplained) if unexplained > 1e-12 else None


def within(a: Sequence[int], b: Sequence[int], most: int = 1) -> float:
    """The share of items on which two raters differ by `most` at most."""
    return mean(float(abs(x - y) <= most) for x, y in zip(a, b, strict=True))


def pair_agreement(a: Sequence[int], b: Sequence[int]) -> dict[str, float | None]:
    """Agreement of two raters' scores of the same items."""
    return {
        "kappa": weighted_kappa(a, b),
        "same": within(a, b, 0),
        "within_1": within(a, b),
        "difference": mean(y - x for x, y in zip(a, b, strict=True)),
        "spearman": spearman(a, b),
    }


def rater_agreement(columns: Sequence[Sequence[int]]) -> dict[str, float | None]:
    """Agreement of several raters' scores of the same items, a column for each rater."""
    rows = list(zip(*columns, strict=True))
    kappas = [weighted_kappa(a, b) for a, b in combinations(columns, 2)]
    known = [k for k in kappas if k is not None]
    return {
        "kappa": mean(known) if known else None,
        "within_1": mean(within(a, b) for a, b in combinations(columns, 2)),
        "same": mean(float(len(set(row)) == 1) for row in rows),
        "spread": mean(pstdev(row) for row in rows),
        "range": mean(float(max(row) - min(row)) for row in rows),
    }


def medians(columns: Sequence[Sequence[int]]) -> list[float]:
    """The median score of each item. `columns`: for each rater the scores of all items."""
    return [float(median(row)) for row in zip(*columns, strict=True)]


@dataclass(frozen=True, slots=True)
class _Kappa:
    """Cohen's kappa as an `Additive`. An item's row: 1 if the raters agree, else 0, then each rater's category, one-hot."""

    statistics: Any  # (N, 1 + 2 K)

    def finish(self, sums: Any) -> dict[str, Any]:
        import numpy as np

        of_a, of_b = np.split(sums[..., 1:], 2, axis=-1)
        n = of_a.sum(axis=-1)
        same, chance = sums[..., 0] / n, (of_a * of_b).sum(axis=-1) / n**2
        # In a resample where both raters give a single category throughout, kappa is undefined and counts as 1.
        return {"kappa": np.where(chance == 1, 1.0, (same - chance) / np.where(chance == 1, 1.0, 1 - chance))}


def kappa_interval(
    a: Sequence[Hashable], b: Sequence[Hashable], clusters: Sequence[Hashable], rng: Random
) -> tuple[float | None, float | None]:
    """95 % interval of `cohen_kappa` from a bootstrap over clusters; (None, None) where kappa is undefined, or with fewer
    clusters than can be resampled (`statistics.RESAMPLED`).

    If the raters agree on all items, every resample has a kappa of 1. The lower end then comes from Wilson's interval of the
    agreement, with clusters as units and the same chance agreement, for two clusters or more.

    >>> low, high = kappa_interval("yyyynnnnyn" * 5, "yyynnnnnyy" * 5, range(50), Random(0))
    >>> 0.3 < low < 0.6 < high < 0.9
    True
    """
    import numpy as np

    from evalsuite.metrics.statistics import RESAMPLED, bootstrap, wilson

    count, kappa = len(set(clusters)), cohen_kappa(a, b)
    if kappa is None or count < (2 if kappa == 1 else RESAMPLED):
        return None, None
    if kappa == 1:
        chance = sum((n / len(a)) ** 2 for n in Counter(a).values())
        return max(-1.0, (wilson(count, count).low - chance) / (1 - chance)), 1.0
    kinds = list(dict.fromkeys([*a, *b]))
    rows = [[x == y, *(x == kind for kind in kinds), *(y == kind for kind in kinds)] for x, y in zip(a, b, strict=True)]
    drawn = bootstrap(_Kappa(np.array(rows, dtype=float)), clusters, rng)["kappa"]
    return drawn.low, drawn.high
