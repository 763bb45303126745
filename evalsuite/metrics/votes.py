"""Metrics of several askings of one item: majority vote, right at least once, right every time, and disagreement.

majority      cons@k: credit of a majority vote over k of the n askings, the mean over all draws of k
right_once    pass@k: chance that at least one of k askings is right; unbiased (Chen et al. 2021, eq. 1)
right_always  pass^k: chance that all of k askings are right; unbiased (Yao et al. 2024, tau-bench, section 3)
disagreement  mean absolute difference between two askings, a measure of sensitivity
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple


class Vote(NamedTuple):
    """The outcome of a vote, as an expectation over the draws of k askings."""

    credit: float  # 1 if the right answer has most votes; shared equally among those that tie for first place
    tied: float  # chance that the right answer ties for first place


def right_once(n: int, right: int, k: int) -> float:
    """Chance that at least one of k askings is right, drawn from n of which `right` are right.

    Raises ValueError unless 1 <= k <= n.

    >>> round(right_once(10, 3, 5), 4)
    0.9167
    """
    _require(n, right, k)
    return 1 - math.comb(n - right, k) / math.comb(n, k)


def right_always(n: int, right: int, k: int) -> float:
    """Chance that all of k askings are right, drawn from n of which `right` are right. Raises ValueError unless 1 <= k <= n.

    >>> right_always(10, 8, 2) == 28 / 45
    True
    """
    _require(n, right, k)
    return math.comb(right, k) / math.comb(n, k)


@lru_cache(maxsize=65_536)
def majority(n: int, right: int, others: tuple[int, ...], k: int) -> Vote:
    """A majority vote over k of n askings. `right`: the number of askings with the right answer; `others`: the number with each
    wrong answer. The remaining askings have no answer and cast no vote; if no vote is cast, the credit is 0.

    Raises ValueError unless 1 <= k <= n and the counts fit.

    >>> majority(3, 2, (1,), 3), majority(2, 1, (1,), 2)
    (Vote(credit=1.0, tied=0.0), Vote(credit=0.5, tied=1.0))
    """
    _require(n, right, k)
    silent = n - right - sum(others)
    if silent < 0:
        raise ValueError(f"{right} right and {sum(others)} wrong of {n}")
    credit = tied = 0.0
    for votes in range(1, min(right, k) + 1):
        ways = {(votes, 0): 1}  # (askings drawn, wrong answers with as many votes) -> draws
        for count in others:
            grown: dict[tuple[int, int], int] = {}
            for (drawn, ties), number in ways.items():
                for more in range(min(count, votes, k - drawn) + 1):
                    state = drawn + more, ties + (more == votes)
                    grown[state] = grown.get(state, 0) + number * math.comb(count, more)
            ways = grown
        for (drawn, ties), number in ways.items():
            share = math.comb(right, votes) * number * math.comb(silent, k - drawn) / math.comb(n, k)
            credit += share / (1 + ties)
            tied += share if ties else 0.0
    return Vote(credit, tied)


def disagreement(values: Sequence[float]) -> float:
    """Mean absolute difference between two different askings of an item (Gini's mean difference); of values 0 and 1, the chance
    that two askings drawn at random are not equally right. Raises ValueError for fewer than two.

    >>> disagreement([1, 1, 0]) == 2 / 3
    True
    """
    if len(values) < 2:
        raise ValueError("disagreement needs two askings")
    return math.fsum(abs(a - b) for a, b in combinations(values, 2)) / math.comb(len(values), 2)


def curve(n: int) -> list[int]:
    """The numbers k of a curve over n askings: powers of two below n, and n.

    >>> curve(10)
    [1, 2, 4, 8, 10]
    """
    return [*(2**e for e in range(n.bit_length()) if 2**e < n), n]


def _require(n: int, right: int, k: int) -> None:
    if not (1 <= k <= n and 0 <= right <= n):
        raise ValueError(f"{k} of {n} askings, {right} right")
