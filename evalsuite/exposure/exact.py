"""p-values of the tests. They are valid for every model, since they assume nothing but exchangeability under the null hypothesis.

    stratified_p    one of several arrangements is the published one: of the items in each shard, or the options of each item.
                    If the model never saw it, each arrangement was equally likely to be the published one
    greater_p       official items against control items: if the model saw neither, the two sides are exchangeable

Both are one-sided: only a higher likelihood of published texts indicates that a model has seen them. A p-value counts the draws
that are as extreme as the observed one, which is among them, so that it is never too small (Phipson & Smyth 2010).
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np

from evalsuite.metrics.counts import Floats
from evalsuite.metrics.statistics import CLEARLY, FIRST

DRAWS = 99_999  # random choices of the published arrangement, which cost no forward pass
_BLOCK = 2_000_000  # random numbers in memory at a time
_EQUAL = 1e-9


def stratified_p(strata: Sequence[Sequence[float]], rng: Random, draws: int = DRAWS) -> float:
    """The p-value of the hypothesis that the published arrangements score no higher than others; 1 without anything to compare.
    Strata are independent. Each lists the scores of its arrangements, the published one first.

    Conditional on the scores of a stratum, each was equally likely to be that of the published arrangement. The statistic is the
    sum over strata of the published arrangement's score. So few other arrangements suffice if there are many strata: with 5
    others in each of 20 shards there are 6^20 equally likely sums, of which `draws` are drawn.

    >>> stratified_p([[1.0, 0.0]] * 30, Random(0)), stratified_p([[0.0, 0.0]], Random(0))
    (1e-05, 1.0)
    """
    rows = [np.asarray(row, dtype=float) for row in strata if len(row) > 1]
    if not rows:
        return 1.0
    _require_finite(np.concatenate(rows))
    counts = np.array([len(row) for row in rows])
    scores = np.zeros((len(rows), counts.max()))
    for n, row in enumerate(rows):  # differences from the mean are small, so that their sums are accurate
        scores[n, : len(row)] = row - row.mean()
    observed = scores[:, 0].sum()
    slack = _EQUAL * (1 + np.abs(scores).max())
    generator, as_far, left = np.random.default_rng(rng.getrandbits(128)), 0, draws
    strata_at = np.arange(len(rows))
    while left:
        block = max(1, min(left, _BLOCK // len(rows)))
        chosen = generator.integers(0, counts, size=(block, len(rows)))
        as_far += int(np.count_nonzero(scores[strata_at, chosen].sum(axis=1) >= observed - slack))
        left -= block
    return (1 + as_far) / (1 + draws)


def _require_finite(values: Floats) -> None:
    """Raise ValueError for a value that is not finite. No draw is as extreme as NaN, which would get the smallest p."""
    if not np.isfinite(values).all():
        raise ValueError("a score is not a finite number")


def above(strata: Sequence[Sequence[float]]) -> tuple[float, float]:
    """(number of pairs in which the published arrangement scores higher than another, ties as halves; number of pairs)."""
    higher = pairs = 0.0
    for first, *others in strata:
        pairs += len(others)
        higher += sum((first > other) + (first == other) / 2 for other in others)
    return higher, pairs


def greater_p(official: Sequence[float], control: Sequence[float], rng: Random, draws: int = DRAWS) -> float:
    """The p-value of the hypothesis that values of official dialogues are on average no higher than those of control dialogues,
    from permuting dialogues between the two: exact if both were drawn from the same distribution and the model saw none of them.
    If p is clearly not small after a thousand draws, no more are made.

    >>> greater_p([1.0] * 20, [0.0] * 20, Random(0))
    1e-05
    """
    values = np.concatenate([np.asarray(official, dtype=float), np.asarray(control, dtype=float)])
    _require_finite(values)
    values -= values.mean()
    count = len(official)
    if not count or count == len(values):
        return 1.0
    observed = values[:count].sum()
    generator, as_far, done = np.random.default_rng(rng.getrandbits(128)), 0, 0
    slack = _EQUAL * (1 + np.abs(values).max())
    while done < draws and as_far <= CLEARLY * max(done, FIRST):
        block = max(1, min(draws - done, FIRST))
        drawn = generator.permuted(np.tile(values, (block, 1)), axis=1)[:, :count].sum(axis=1)
        as_far += int(np.count_nonzero(drawn >= observed - slack))
        done += block
    return (1 + as_far) / (1 + done)


def differ_p(a: Sequence[float], b: Sequence[float], rng: Random) -> float:
    """`greater_p` in both directions: two-sided, by Bonferroni."""
    seed = rng.getrandbits(64)
    return min(1.0, 2 * min(greater_p(a, b, Random(seed)), greater_p(b, a, Random(seed))))


def positive_p(moves: Sequence[float], rng: Random) -> float:
    """The p-value of the hypothesis that (N,) differences are no greater than 0, from flipping their signs, since the hypothesis
    makes both signs of a difference equally likely.

    >>> positive_p([1.0] * 30, Random(0))
    1e-05
    """
    return stratified_p([(move, -move) for move in moves], rng)
