"""How far two readers agree: people among themselves, a judge with people.

    cohen          two readers, categories (Cohen 1960)
    fleiss         any number of readers, categories (Fleiss 1971)
    weighted       two readers, numbers: kappa with quadratic weights (Cohen 1968); the numbers need not be whole
    human_against  all of a judge's scores beside people's

A kappa is None where it is not defined: nothing to compare, or one and the same value throughout.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TypeVar

import numpy as np

K = TypeVar("K", bound=Hashable)


def cohen(a: Sequence[Hashable], b: Sequence[Hashable]) -> float | None:
    """
    >>> round(cohen("yyyynnnnyn", "yyynnnnnyy"), 2)
    0.6
    """
    n = len(a)
    if n == 0 or n != len(b):
        return None
    same = sum(x == y for x, y in zip(a, b, strict=True)) / n
    of_a, of_b = Counter(a), Counter(b)
    chance = sum(of_a[c] * of_b[c] for c in of_a) / n**2
    return None if chance == 1 else (same - chance) / (1 - chance)


def fleiss(rows: Sequence[Sequence[Hashable]]) -> float | None:
    """`rows`: the categories that an item was given, one a reader; as many for every item."""
    if not rows or len({len(row) for row in rows}) != 1 or len(rows[0]) < 2:
        return None
    n, readers = len(rows), len(rows[0])
    counts = [Counter(row) for row in rows]
    same = sum((sum(c * c for c in count.values()) - readers) / (readers * (readers - 1)) for count in counts) / n
    total = sum(counts, Counter())
    chance = sum((c / (n * readers)) ** 2 for c in total.values())
    return None if chance == 1 else (same - chance) / (1 - chance)


def weighted(a: Sequence[float], b: Sequence[float]) -> float | None:
    """1 less the mean squared difference over what it would be if the readers knew nothing of each other.

    >>> weighted([1, 2, 3], [1, 2, 3])
    1.0
    """
    if not a or len(a) != len(b):
        return None
    x, y = np.asarray(a, float), np.asarray(b, float)
    chance = float(((x[:, None] - y[None, :]) ** 2).mean())
    return None if chance == 0 else 1 - float(((x - y) ** 2).mean()) / chance


def spearman(a: Sequence[float], b: Sequence[float]) -> float | None:
    if len(a) < 2 or len(set(a)) < 2 or len(set(b)) < 2:
        return None
    return float(import_module("scipy.stats").spearmanr(a, b).statistic)


@dataclass(frozen=True, slots=True)
class Against:
    """Scores beside people's, on the outputs that have both. `bias`: the mean of theirs less people's."""

    n: int
    kappa: float | None  # quadratic weights
    spearman: float | None
    difference: float | None  # mean absolute
    bias: float | None
    same: float | None  # share of equal scores


def human_against(scores: Mapping[K, float], human: Mapping[K, float]) -> Against:
    """A judge's scores beside people's, by any key that both use."""
    shared = [key for key in human if key in scores]
    a, b = [scores[key] for key in shared], [human[key] for key in shared]
    n = len(shared)
    if not n:
        return Against(0, None, None, None, None, None)
    gaps = [x - y for x, y in zip(a, b, strict=True)]
    return Against(
        n, weighted(a, b), spearman(a, b), sum(map(abs, gaps)) / n, sum(gaps) / n, sum(g == 0 for g in gaps) / n
    )
