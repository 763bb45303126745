"""Confidence intervals and paired significance tests.

The resampled clusters are dialogues: items of one dialogue share its text and their scores are correlated, so resampling
items would give intervals that are too narrow. A corpus metric is a function of sums over items (`Additive`), so a resample
is a weighting of the dialogues and a thousand resamples are one matrix product. No text is scored again, and corpus BLEU
costs as little as accuracy. CIDEr keeps the IDF of the whole corpus.

    bootstrap             95 % percentile interval of every metric of one model (Efron & Tibshirani 1993, ch. 13)
    paired_test           interval and test of a mean's difference, which agree: mcnemar if it applies, else sign_flips
    sign_flips            p-value of a mean's difference by swapping dialogues between the models (Riezler & Maxwell 2005):
                          exact for whole numbers and for few dialogues
    unpaired_test         p-value of the difference of means of two sets of dialogues, from permuting dialogues
    pairwise              p-values of the same tests between all pairs of many models
    family_draws          how many random permutations a test in a family of tests takes
    mcnemar, wilson       exact test and interval of binary scores (McNemar 1947, Wilson 1927) for independent items
    few_dialogues         interval of a mean over fewer dialogues than can be resampled (Korn & Graubard 1998)
    scale_mean            interval of a mean of values on a scale, by bootstrap or few_dialogues
    mean_difference       interval of a mean of paired differences, by bootstrap or Student's t
    influences            a metric's change by each dialogue, from leaving it out (Efron & Tibshirani 1993, ch. 11)
    weighted_sum          interval of a weighted mean of metrics whose items may share dialogues (Zou & Donner 2008)
    holm                  correction for multiple tests (Holm 1979)
    within_families       the same for tests of several families, with the smallest p that each can give

Random functions depend on their generator alone: the same seed gives the same interval.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from itertools import combinations, product
from random import Random
from statistics import NormalDist
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from evalsuite.common.grouping import by_key
from evalsuite.metrics.counts import Floats
from evalsuite.types import Additive

Rng = Random | np.random.Generator
Key = TypeVar("Key", bound=Hashable)

_ENDS = (1 - 0.95) / 2, (1 + 0.95) / 2  # the quantiles at which a 95 % interval ends
_Z = NormalDist().inv_cdf(0.5 + 0.95 / 2)  # 1.96
# The most weights in memory at a time: 4 million numbers, 32 MB.
_BLOCK = 4_000_000
# The most weights that are cached for cells of the same seed: 32 times 500,000 numbers of two bytes, 32 MB.
_KEPT, _CELLS = 500_000, 32
# A test ends early if p is above CLEARLY after FIRST permutations or a later block: a correction only raises p.
FIRST, CLEARLY = 1_000, 0.1


@dataclass(frozen=True, slots=True)
class Means:
    """Means of item values, as an `Additive`: for example accuracy, from 1 (right) and 0 (wrong).

    >>> Means.of({"accuracy": [1, 0, 1, 1]}).finish(np.array([4.0, 3.0]))["accuracy"]
    np.float64(0.75)
    """

    statistics: Floats
    names: tuple[str, ...]

    @classmethod
    def of(cls, values: Mapping[str, Sequence[float] | NDArray[Any]]) -> Means:
        """Build it from metric name -> (N,) item values. Raises ValueError unless there is a metric and all have the same
        length."""
        columns = [np.asarray(column, dtype=float) for column in values.values()]
        if not columns or len({len(column) for column in columns}) != 1:
            raise ValueError("means need one or more metrics with a value for each item")
        return cls(np.stack([np.ones(len(columns[0])), *columns], axis=1), tuple(values))

    def finish(self, sums: Floats) -> dict[str, Floats]:
        """(..., 1 + metrics) sums -> metric name -> (...) means."""
        return {name: sums[..., i] / sums[..., 0] for i, name in enumerate(self.names, start=1)}


@dataclass(frozen=True, slots=True)
class Interval:
    """A value and its 95 % interval, in the metric's unit."""

    value: float
    low: float
    high: float


def bootstrap(
    scores: Additive,
    clusters: Sequence[Hashable] | None,
    rng: Rng,
    resamples: int = 1000,
) -> dict[str, Interval]:
    """95 % percentile intervals of all metrics from resampled dialogues, by metric name.

    clusters: (N,) the dialogue of each item; None: every item is its own cluster. Raises ValueError for no items.
    """
    sums = cluster_sums(scores.statistics, clusters)
    value = scores.finish(sums.sum(axis=0))
    draws = [scores.finish(weights @ sums) for weights in _resampled(len(sums), resamples, rng)]
    low, high = np.quantile([np.concatenate([block[name] for block in draws]) for name in value], _ENDS, axis=1)
    bounds = zip(low.tolist(), high.tolist(), strict=True)
    return {name: Interval(float(value[name]), *ends) for name, ends in zip(value, bounds, strict=True)}


def wilson(right: float, total: float) -> Interval:
    """Wilson's 95 % score interval of a share, which lies within [0, 1]. Counts may be fractional. Raises ValueError unless
    0 <= right <= total and total > 0.

    >>> interval = wilson(0, 10)
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.0, 0.2775)
    """
    if not 0 <= right <= total or total == 0:
        raise ValueError(f"{right} right of {total}")
    share, spread = right / total, _Z * _Z / total
    centre = (share + spread / 2) / (1 + spread)
    half = _Z / (1 + spread) * math.sqrt(share * (1 - share) / total + spread / (4 * total))
    low = 0.0 if right == 0 else max(0.0, centre - half)
    return Interval(share, low, 1.0 if right == total else min(1.0, centre + half))


_FEW = 10  # with fewer dialogues than this, an effective size may not exceed the number of items
# Fewer dialogues than this are not resampled: percentile intervals of 5, 12 and 20 dialogues contain the true value in 82, 90
# and 92 % of samples instead of 95 (benchmarks/intervals.py).
RESAMPLED = 30


def effective_size(values: Sequence[float] | Floats, clusters: Sequence[Hashable]) -> float:
    """The effective sample size of clustered values in [0, 1] (Dean & Pagano 2015): the number of independent binary
    items whose mean has the same variance. Wilson's interval uses it in place of the number of items.

    >>> effective_size([1, 1, 0, 0], ["a", "a", "b", "b"])
    1.0
    """
    n = len(values)
    mean = math.fsum(values) / n
    deviations: dict[Hashable, float] = {}  # cluster -> sum of its items' deviations from the mean
    for value, cluster in zip(values, clusters, strict=True):
        deviations[cluster] = deviations.get(cluster, 0.0) + value - mean
    count = len(deviations)
    # F1 varies less than binary scores, so its effective size may exceed n; a few dialogues are too little evidence of that.
    most = math.inf if count >= _FEW and any(0 < value < 1 for value in values) else n
    spread = math.fsum(x * x for x in deviations.values()) * count / (count - 1) if count > 1 else 0.0
    if spread <= 1e-12:  # no variance, or one dialogue: each dialogue counts as one item
        return float(count)
    return min(most, max(1.0, n * n * mean * (1 - mean) / spread))


def few_size(values: Sequence[float] | Floats, clusters: Sequence[Hashable]) -> float:
    """The effective sample size times (z / t)², with t of dialogues - 1 degrees of freedom, since it is itself estimated from few
    dialogues (Korn & Graubard 1998). Raises ValueError for a single dialogue."""
    dialogues = len(set(clusters))
    if dialogues < 2:
        raise ValueError("an interval needs two dialogues or more")
    return effective_size(values, clusters) * (_Z / t_quantile(_ENDS[1], dialogues - 1)) ** 2


def few_dialogues(values: Sequence[float] | Floats, clusters: Sequence[Hashable]) -> Interval:
    """Wilson's interval of a mean of values in [0, 1], for `few_size` items. Raises ValueError for one dialogue.

    Resampling two to thirty dialogues would give intervals that are too narrow; two equal dialogues one of width 0.

    >>> interval = few_dialogues([1, 0, 0, 0, 0, 0, 0, 1], [1, 1, 1, 1, 2, 2, 2, 2])
    >>> interval.value, round(interval.low, 2), round(interval.high, 2)
    (0.25, 0.0, 0.99)
    """
    mean, size = math.fsum(values) / len(values), few_size(values, clusters)
    return wilson(min(mean, 1.0) * size, size)


MaybeEnds = tuple[float | None, float | None]


def scale_mean(
    values: Sequence[float], clusters: Sequence[Hashable], rng: Rng, scale: tuple[float, float] = (0.0, 1.0)
) -> MaybeEnds:
    """The ends of the 95 % interval of a mean of (N,) values on a scale from its lowest to its highest value.

    `bootstrap` from `RESAMPLED` dialogues on; `few_dialogues` for fewer, or where all resamples are equal; (None, None) for
    one dialogue.

    >>> low, high = scale_mean([3, 3, 3, 3], "abcd", Random(0), scale=(1, 5))
    >>> low < 3 < high
    True
    """
    dialogues = len(set(clusters))
    if dialogues < 2:
        return None, None
    if dialogues >= RESAMPLED:
        drawn = bootstrap(Means.of({"": values}), clusters, rng)[""]
        if drawn.low < drawn.high:
            return drawn.low, drawn.high
    lowest, width = scale[0], scale[1] - scale[0]
    few = few_dialogues([(value - lowest) / width for value in values], clusters)
    return lowest + width * few.low, lowest + width * few.high


def mean_difference(values: Sequence[float], clusters: Sequence[Hashable], rng: Rng) -> MaybeEnds:
    """The ends of the 95 % interval of a mean of (N,) differences of items. clusters: (N,) the items' dialogues.

    `bootstrap` from `RESAMPLED` dialogues on; for fewer, Student's t with dialogues - 1 degrees of freedom and the standard error
    over dialogues; (None, None) for one dialogue, or if all dialogues have the same mean.

    >>> low, high = mean_difference([1.0, 2.0, 3.0, 4.0], "abcd", Random(0))  # scipy.stats.ttest_1samp gives the same
    >>> round(low, 3), round(high, 3)
    (0.446, 4.554)
    """
    sums = cluster_sums(np.stack([np.asarray(values, dtype=float), np.ones(len(values))], axis=1), clusters)
    count, mean = len(sums), math.fsum(values) / len(values)
    spread = math.fsum((sums[:, 0] - mean * sums[:, 1]) ** 2)
    if count < 2 or spread <= 1e-12:
        return None, None
    if count >= RESAMPLED:
        drawn = bootstrap(Means.of({"": values}), clusters, rng)[""]
        return drawn.low, drawn.high
    half = t_quantile(_ENDS[1], count - 1) * math.sqrt(spread * count / (count - 1)) / len(values)
    return mean - half, mean + half


def influences(scores: Additive, clusters: Sequence[Hashable]) -> dict[str, Floats]:
    """Metric -> (C,) its value less the value without each dialogue, in order of first occurrence; 0 for a single dialogue.

    >>> influences(Means.of({"x": [1, 1, 0, 0]}), "aabc")["x"].round(3).tolist()
    [0.5, -0.167, -0.167]
    """
    sums = cluster_sums(scores.statistics, clusters)
    total = sums.sum(axis=0)
    whole = scores.finish(total)
    if len(sums) < 2:
        return {name: np.zeros(1) for name in whole}
    return {name: np.asarray(whole[name] - left, dtype=float) for name, left in scores.finish(total - sums).items()}


@dataclass(frozen=True, slots=True)
class Summand:
    """A part of a weighted sum: a value with the ends of its interval, and the dialogues that it comes from."""

    weight: float
    value: float
    low: float
    high: float
    # Dialogue -> (its influence on the value, its share of the items); empty: no dialogue is shared with another part.
    dialogues: Mapping[Any, tuple[float, float]]


def weighted_sum(parts: Sequence[Summand]) -> Interval:
    """A weighted sum of values, with an interval that counts a dialogue once, however many parts ask about it.

    The distances h of the parts' values to the ends of their intervals give the sum's distance: the root of the sum over pairs of
    parts of w h ρ w h (Zou & Donner 2008). The correlation ρ of two parts is that of their dialogues' influences, hence 0 if they
    share no dialogue. For intervals of ±1.96 standard errors over dialogues the result is that of the sum's own cluster-robust
    standard error. A part whose items are all right or all wrong has no influences. It counts as independent of parts with
    influences, and as correlated with other such parts by the dialogues that they share.

    With fewer than `RESAMPLED` dialogues, negative correlations may be accidental: the interval is then at least as wide as that
    of independent parts.

    >>> same = Summand(0.5, 0.5, 0.4, 0.7, {n: ((-1.0) ** n, 0.01) for n in range(100)})
    >>> found = weighted_sum([same, same])
    >>> round(found.low, 3), round(found.high, 3)
    (0.4, 0.7)
    """
    value = math.fsum(part.weight * part.value for part in parts)
    alike = _correlations([part.dialogues for part in parts])
    few = len({name for part in parts for name in part.dialogues}) < RESAMPLED
    halves = []
    for distances in ([p.value - p.low for p in parts], [p.high - p.value for p in parts]):
        moved = np.array([part.weight * distance for part, distance in zip(parts, distances, strict=True)])
        square, independent = float(moved @ alike @ moved), float(moved @ moved)
        halves.append(math.sqrt(max(square, independent if few else 0.0)))
    return Interval(value, value - halves[0], value + halves[1])


def _correlations(parts: Sequence[Mapping[Any, tuple[float, float]]]) -> Floats:
    """(P, P) correlations of the parts: of their influences over dialogues; of two parts without influences, of their shares of
    items; 0 between a part with and a part without influences."""
    number = {name: n for n, name in enumerate(dict.fromkeys(name for part in parts for name in part))}
    correlations = np.eye(len(parts))
    moves, shares = np.zeros((2, len(parts), len(number)))
    for n, part in enumerate(parts):
        columns = [number[name] for name in part]
        moved, had = np.array([*part.values()], dtype=float).reshape(-1, 2).T
        if float(moved @ moved) > 1e-18:
            moves[n, columns] = moved
        else:
            shares[n, columns] = had
    for rows in (moves, shares):
        length = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
        unit = np.divide(rows, length, out=np.zeros_like(rows), where=length > 0)
        correlations += unit @ unit.T
    np.fill_diagonal(correlations, 1.0)
    return correlations


def t_quantile(p: float, freedom: float) -> float:
    """The p-quantile of Student's t with `freedom` degrees of freedom."""
    return float(import_module("scipy.special").stdtrit(freedom, p))


def mcnemar(a: Sequence[bool], b: Sequence[bool]) -> float:
    """Two-sided exact p-value of McNemar's test that two models are right equally often: a binomial test on the items that only
    one of them has right, 1.0 without such items.

    >>> mcnemar([True] * 6 + [False], [False] * 6 + [False])
    0.03125
    """
    if len(a) != len(b):
        raise ValueError(f"{len(a)} and {len(b)} items are no pairs")
    only_a = sum(bool(x) and not y for x, y in zip(a, b, strict=True))
    only_b = sum(bool(y) and not x for x, y in zip(a, b, strict=True))
    if only_a + only_b == 0:
        return 1.0
    return float(import_module("scipy.stats").binomtest(only_a, only_a + only_b, 0.5).pvalue)


# The fewest differing dialogues with which a paired test can reach p < 0.05: if all d of them favour one model, p is 2^(1-d),
# that is 0.0625 for five and 0.03125 for six.
FEWEST = 6


def family_draws(family: int) -> int:
    """The number of random permutations of each test in a family of `family` tests.

    p of random permutations is at least 1 / (draws + 1), and Holm's correction multiplies it by up to `family`: with a fixed
    number of draws, nothing in a large family could be significant. With this number the product can be as small as 0.01.

    >>> family_draws(1), family_draws(500)
    (9999, 50000)
    """
    return max(9_999, 100 * family)


@dataclass(frozen=True, slots=True)
class PairedTest:
    """A - B with its 95 % interval and the p-value of `test`. 0 is inside the interval if and only if p is 0.05 or more."""

    value: float
    low: float
    high: float
    p: float
    test: str  # "McNemar" | "permutation"
    clusters: int  # number of dialogues
    differ: int  # number of dialogues whose sums differ; with fewer than FEWEST, p cannot be below 0.05

    @property
    def least(self) -> float:
        """The p-value if all differing dialogues favoured the same model, which is the smallest possible one."""
        return min(1.0, 2.0 ** (1 - self.differ))


def paired_test(
    a: Sequence[float] | Floats,
    b: Sequence[float] | Floats,
    clusters: Sequence[Hashable],
    rng: Rng,
    family: int,
    binary: bool = False,
) -> PairedTest:
    """Test the difference of two means of (N,) item scores, one of `family` tests that are corrected together.

    p is from `mcnemar` if the scores are `binary` and every item has its own dialogue, else from `sign_flips`. The interval
    is `paired_interval`, extended or cut at 0 where it would contradict the test. Raises ValueError if the shapes differ.
    """
    one, two = (np.asarray(side, dtype=float) for side in (a, b))
    if one.shape != two.shape:
        raise ValueError(f"scores of {len(one)} and {len(two)} items are no pairs")
    sums = cluster_sums(np.stack([one - two, np.ones(len(one))], axis=1), clusters)
    moves, sizes = sums[:, 0], sums[:, 1]
    value = math.fsum(one - two) / len(one)
    if binary and len(sums) == len(one):
        test, p = "McNemar", mcnemar((one > 0).tolist(), (two > 0).tolist())
    else:
        test, p = "permutation", sign_flips(moves, rng, family)
    low, high = _agreeing(*paired_interval(moves, sizes), value, p)
    return PairedTest(value, low, high, p, test, len(sums), int(np.count_nonzero(_nonzero(moves))))


def _agreeing(low: float, high: float, value: float, p: float) -> tuple[float, float]:
    """An interval that agrees with a test at the level 0.05: extended to 0, or cut there, if it would not."""
    if p >= 0.05:
        return min(low, 0.0), max(high, 0.0)
    if low < 0 < high:
        return (0.0, high) if value > 0 else (low, 0.0)
    return low, high


@dataclass(frozen=True, slots=True)
class UnpairedTest:
    """The difference of the means of two sets, and its p-value."""

    value: float
    p: float
    clusters: tuple[int, int]  # number of dialogues of each set
    least: float  # smallest p-value that this number of dialogues can give

    def agreeing(self, low: float, high: float) -> tuple[float, float]:
        """An interval of `value` that agrees with the test: extended to 0, or cut there, if it would not."""
        return _agreeing(low, high, self.value, self.p)


def unpaired_test(
    a: Sequence[float],
    b: Sequence[float],
    clusters_a: Sequence[Hashable],
    clusters_b: Sequence[Hashable],
    rng: Rng,
    family: int,
) -> UnpairedTest:
    """Test that two sets of different items have the same mean score, from permutations of dialogues between them: all of
    them, if there are no more than `family_draws(family)`, else as many at random.

    a, b: the items' scores; clusters_a, clusters_b: their dialogues. If a dialogue has items in both sets, a permutation either
    leaves these or exchanges them. The permuted statistic is the difference divided by its standard error, so that the test is
    valid even if one set's scores vary more than the other's (Janssen 1997; Chung & Romano 2013). Two-sided. p is at least
    the chance that all dialogues unlike the most frequent kind are in one set. Raises ValueError for a set without items.

    >>> unpaired_test([1, 1, 1, 0], [0, 0, 0, 1], "abcd", "efgh", Random(0), family=1).value
    0.5
    """
    sums = []
    for values, clusters in ((a, clusters_a), (b, clusters_b)):
        rows = np.stack([np.asarray(values, dtype=float), np.ones(len(values))], axis=1)
        sums.append(dict(zip(dict.fromkeys(clusters), cluster_sums(rows, clusters), strict=True)))
    counts = len(sums[0]), len(sums[1])
    both = [name for name in sums[0] if name in sums[1]]
    alone = [[row for name, row in side.items() if name not in other] for side, other in (sums, sums[::-1])]
    pairs = np.array([[side[name] for name in both] for side in sums]).reshape(2, len(both), 2)
    # Rows: dialogues of the first set only; of the second only; those of both sets with their items in the first, in the second.
    total, size = np.concatenate([np.array(alone[0] + alone[1]).reshape(-1, 2), *pairs]).T
    moments = np.stack([total, size, total * total, total * size, size * size, np.zeros_like(total)], axis=1)
    # A dialogue's score in one set times its number of items in the other; summed over the first set's rows.
    moments[len(moments) - 2 * len(both) :, 5] = (pairs[:, :, 0] * pairs[::-1, :, 1]).ravel()
    everything = moments.sum(axis=0)
    products = pairs.prod(axis=0).sum(axis=0)  # over dialogues of both sets: score times score, items times items

    def studentized(one: Floats) -> Floats:
        """(..., 6) moments of the first set -> (...) the difference of means over its standard error."""
        other = everything - one
        sides = [_mean_and_variance(x[..., :5], n) for x, n in ((one, counts[0]), (other, counts[1]))]
        (mean, first), (mean_other, second) = sides
        together = products[0] - mean_other * one[..., 5] - mean * other[..., 5] + mean * mean_other * products[1]
        variance = first + second - 2 * _few(*counts) * together / (one[..., 1] * other[..., 1])
        difference = mean - mean_other
        certain = np.where(np.abs(difference) > 1e-12, np.copysign(np.inf, difference), 0.0)
        sure = variance > 1e-15
        return np.where(sure, difference / np.sqrt(np.where(sure, variance, 1.0)), certain)

    mine, others = len(alone[0]), len(alone[1])

    def assigned(chosen: NDArray[Any], kept: NDArray[Any]) -> Floats:
        """(P, rows) 1 for rows in the first set. chosen: (P, dialogues of one set) 1 for those in it. kept: (P, dialogues of both
        sets) 1 for those whose items are not exchanged."""
        return np.concatenate([chosen, kept, 1 - kept], axis=1).astype(float)

    observed = np.ones((1, mine + others), dtype=np.int8)
    observed[:, mine:] = 0
    reached = abs(float(studentized(assigned(observed, np.ones((1, len(both)))) @ moments)[0])) - 1e-9
    value = math.fsum(a) / len(a) - math.fsum(b) / len(b)
    ways = math.comb(mine + others, mine) * 2 ** len(both)
    # Two sets of equal size can be exchanged: the mirrored assignment is as extreme, so the smallest p doubles.
    least = min(1.0, (2 if mine == others else 1) / ways)
    least = max(least, _least_by_chance(total / size, mine, others))
    if ways <= family_draws(family):
        subsets = [*combinations(range(mine + others), mine)]
        every = np.zeros((len(subsets), mine + others), dtype=np.int8)
        every[np.arange(len(subsets))[:, None], np.array(subsets, dtype=int).reshape(len(subsets), mine)] = 1
        kept = np.array([*product((1, 0), repeat=len(both))], dtype=np.int8).reshape(2 ** len(both), len(both))
        sets = assigned(np.repeat(every, len(kept), axis=0), np.tile(kept, (len(every), 1)))
        p = float(np.mean(np.abs(studentized(sets @ moments)) >= reached))
        return UnpairedTest(value, max(p, least), counts, least)
    generator, as_far, drawn = generator_of(rng), 0, 0
    for block in (FIRST, *_blocks(len(moments), family_draws(family) - FIRST)):
        chosen = generator.permuted(np.tile(observed, (block, 1)), axis=1)
        kept = generator.integers(0, 2, (block, len(both)), dtype=np.int8)
        as_far += int(np.count_nonzero(np.abs(studentized(assigned(chosen, kept) @ moments)) >= reached))
        drawn += block
        if as_far > CLEARLY * drawn:
            break
    return UnpairedTest(value, max((as_far + 1) / (drawn + 1), least), counts, least)


def _least_by_chance(means: Floats, alone_in_first: int, alone_in_second: int) -> float:
    """The smallest p of `unpaired_test` for these means of dialogues, in the order of its rows: the chance that all dialogues
    whose mean is not the most frequent one are in the same set.

    If one dialogue of hundreds is wrong, every permutation gives a difference of about one standard error, so that studentized
    differences reflect the sets' numbers of items rather than their scores.
    """
    _, kind, counts = np.unique(np.round(means, 9), return_inverse=True, return_counts=True)
    differs = kind != int(counts.argmax())
    alone = int(differs[: alone_in_first + alone_in_second].sum())
    one, other = differs[alone_in_first + alone_in_second :].reshape(2, -1)
    swaps = 0.5 ** int((one != other).sum())
    # The integers are divided first: for a thousand dialogues they are too large for a float.
    return swaps * (
        min(math.comb(n, alone) for n in (alone_in_first, alone_in_second))
        / math.comb(alone_in_first + alone_in_second, alone)
    )


def _few(*counts: int) -> float:
    """The small-sample correction of a variance: the geometric mean of c / (c - 1) over numbers c of dialogues; 0 if one is 1."""
    return math.prod(count / (count - 1) if count > 1 else 0.0 for count in counts) ** (1 / len(counts))


def _mean_and_variance(moments: Floats, clusters: int) -> tuple[Floats, Floats]:
    """(..., 5) sums over dialogues of t, n, t², tn, n² (t: a dialogue's score, n: its number of items) -> the mean per item, and
    its variance as that of a ratio."""
    t, n, tt, tn, nn = np.moveaxis(moments, -1, 0)
    mean = t / n
    spread = np.maximum(tt - 2 * mean * tn + mean * mean * nn, 0.0) / (n * n)
    return mean, spread * _few(clusters)


def _nonzero(moves: Floats) -> NDArray[np.bool_]:
    return np.asarray(np.abs(moves) > 1e-12)


def sign_flips(moves: Sequence[float] | Floats, rng: Rng, family: int) -> float:
    """Two-sided p-value of the hypothesis that (C,) differences of dialogues have the mean 0, from flipping their signs: the
    permutation test that swaps two models within dialogues. Exact if all differences are whole numbers, as those of right and
    wrong answers, or if there are no more than `family_draws(family)` flips; else from as many random flips.

    >>> sign_flips([1.0] * 5, Random(0), family=1), sign_flips([0.4] * 6, Random(0), family=1)
    (0.0625, 0.03125)
    """
    every = np.asarray(moves, dtype=float)
    some = every[_nonzero(every)]
    observed = abs(math.fsum(some)) - 1e-9
    if observed <= 0:
        return 1.0
    if (np.abs(some - np.rint(some)) < 1e-9).all() and np.abs(some).sum() < _BLOCK:
        return _whole_flips(np.abs(np.rint(some)).astype(int), round(observed))
    if 2 ** len(some) <= family_draws(family):
        sums = np.zeros(1)
        for move in some:
            sums = np.concatenate([sums + move, sums - move])
        return float(np.mean(np.abs(sums) >= observed))
    as_far = np.count_nonzero(np.abs(_random_flips(some, family_draws(family), generator_of(rng))) >= observed)
    return (int(as_far) + 1) / (family_draws(family) + 1)


def _whole_flips(moves: NDArray[np.int_], observed: int) -> float:
    """P(|sum| >= observed) of (C,) whole numbers with random signs, from the sum's characteristic function, the product of
    the cosines: exact to about 1e-13."""
    most = int(moves.sum())
    angles = 2 * np.pi / (2 * most + 1) * np.arange(most + 1)
    product = np.ones(most + 1)
    for move, count in zip(*np.unique(moves, return_counts=True), strict=True):
        product *= np.cos(move * angles) ** count
    shares = np.fft.irfft(product, 2 * most + 1)  # probability of each sum: 0, 1, … most, -most, … -1
    return float(np.clip(2 * shares[observed : most + 1].sum(), 2.0 ** (1 - len(moves)), 1.0))


def _random_flips(moves: Floats, count: int, generator: np.random.Generator) -> Floats:
    """(count,) sums of (C,) numbers with random signs. A random byte gives the signs of eight numbers; their 256 possible sums
    are computed once."""
    signs = 1 - 2 * (np.arange(256)[:, None] >> np.arange(8) & 1)
    sums = np.zeros(count)
    for start in range(0, len(moves), 8):
        eight = moves[start : start + 8]
        sums += (signs[:, : len(eight)] @ eight)[generator.integers(0, 256, count, dtype=np.uint8)]
    return sums


def paired_interval(moves: Floats, sizes: Floats) -> tuple[float, float]:
    """95 % interval of a difference of means: (C,) differences summed by dialogue, and the dialogues' numbers of items.

    The adjusted Wald interval of Bonett and Price (2012), for dialogues: two dialogues of mean size are added, one in favour of
    each model by as much as dialogues differ on average. So the interval has a width even if all dialogues agree. For binary
    scores of independent items it equals theirs.

    >>> low, high = paired_interval(np.array([1.0] * 6 + [0.0] * 2), np.ones(8))
    >>> round(low, 3), round(high, 3)
    (0.189, 1.0)
    """
    value, error = paired_error(moves, sizes)
    half = _Z * error
    # Differences of scores in [0, 1] have means in [-1, 1]; of other scores the limits are unknown.
    most = 1.0 if (np.abs(moves) <= sizes + 1e-9).all() else math.inf
    return max(-most, value - half), min(most, value + half)


def paired_error(moves: Floats, sizes: Floats) -> tuple[float, float]:
    """The adjusted difference of `paired_interval`, and its standard error."""
    some = np.abs(moves[_nonzero(moves)])
    size = float(sizes.mean())
    step = float(some.mean()) if len(some) else size
    total = float(sizes.sum()) + 2 * size
    value = float(moves.sum()) / total
    spread = math.fsum((moves - value * sizes) ** 2) + (step - value * size) ** 2 + (step + value * size) ** 2
    return value, math.sqrt(spread) / total


def pairwise(values: Floats, clusters: Sequence[Hashable], rng: Rng) -> tuple[Floats, str]:
    """(M, N) values of M models on the same items -> (M, M) p-values of the differences of means, and the test's name.

    Each pair has the test of `paired_test`: McNemar's if all values are 0 or 1 and every item has its own dialogue, else the
    permutation test, always with random flips. The pairs are one family. They share the permutations, so that many models cost
    little more than two.
    """
    count = len(values)
    permutations = family_draws(math.comb(count, 2))
    p = np.ones((count, count))
    sums = cluster_sums(values.T, clusters) / values.shape[1]
    if len(sums) == values.shape[1] and np.isin(values, (0, 1)).all():
        only = values @ (1 - values.T)  # (M, M) items that only the row's model has right
        fewer, differ = np.minimum(only, only.T), only + only.T
        return np.minimum(1.0, 2 * import_module("scipy.special").bdtr(fewer, differ.astype(int), 0.5)), "McNemar"
    total = sums.sum(axis=0)
    as_far = np.zeros((count, count), dtype=np.int64)
    generator = generator_of(rng)
    for size in _blocks(len(sums), permutations):
        swaps = generator.integers(0, 2, (size, len(sums)), dtype=np.int8).astype(float)
        # (M, size) each model's sum under each permutation; a pair's permuted difference is the difference of two rows.
        drawn = np.ascontiguousarray(((1 - 2 * swaps) @ sums).T)
        for i in range(count - 1):
            observed = np.abs(total[i] - total[i + 1 :])[:, None]
            as_far[i, i + 1 :] += np.count_nonzero(np.abs(drawn[i] - drawn[i + 1 :]) >= observed - 1e-12, axis=1)
    above = np.triu_indices(count, 1)
    p[above] = (as_far[above] + 1) / (permutations + 1)
    return np.minimum(p, p.T), "permutation"


def holm(p_values: Mapping[Key, float]) -> dict[Key, float]:
    """Holm's step-down adjusted p-values, in the given order. A p-value below alpha is significant at family-wise level alpha.

    >>> holm({"a": 0.01, "b": 0.04, "c": 0.03})
    {'a': 0.03, 'b': 0.06, 'c': 0.06}
    """
    adjusted: dict[Key, float] = {}
    running = 0.0
    for rank, name in enumerate(sorted(p_values, key=lambda name: p_values[name])):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[name]))
        adjusted[name] = running
    return {name: adjusted[name] for name in p_values}


@dataclass(frozen=True, slots=True)
class Adjusted:
    """A p-value, adjusted within its family of tests."""

    p: float  # the p-value, adjusted by Holm
    least: float  # the smallest adjusted p-value that any replies could give with this family's numbers of dialogues
    family: int  # tests that are corrected together


def within_families(tests: Sequence[tuple[Hashable, float, float]]) -> list[Adjusted]:
    """The corrected p-values of tests, each given as (family, p, smallest p that its dialogues allow).

    >>> [c.p for c in within_families([("a", 0.01, 0.0), ("b", 0.02, 0.0), ("a", 0.04, 0.0)])]
    [0.02, 0.02, 0.04]
    """
    corrected: dict[int, Adjusted] = {}
    for numbers in by_key((family, n) for n, (family, _, _) in enumerate(tests)).values():
        p, least = holm({n: tests[n][1] for n in numbers}), holm({n: tests[n][2] for n in numbers})
        corrected |= {n: Adjusted(p[n], least[n], len(numbers)) for n in numbers}
    return [corrected[n] for n in range(len(tests))]


def generator_of(rng: Rng) -> np.random.Generator:
    """A generator of NumPy: `rng` itself, or a new one seeded from Python's `rng`."""
    return np.random.default_rng(rng.getrandbits(128)) if isinstance(rng, Random) else rng


def cluster_sums(statistics: Floats, clusters: Sequence[Hashable] | None) -> Floats:
    """(N, K) rows of items -> (C, K) sums by dialogue, in order of first occurrence."""
    if len(statistics) == 0:
        raise ValueError("no items")
    if clusters is None:
        return statistics
    if len(clusters) != len(statistics):
        raise ValueError(f"{len(clusters)} clusters for {len(statistics)} items")
    order, first = by_cluster(clusters)
    return np.add.reduceat(statistics[order], first, axis=0)


def by_cluster(clusters: Sequence[Hashable]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """(N,) indices of items in an order that groups them by dialogue, and (C,) the first position of each dialogue in it."""
    numbers: dict[Hashable, int] = {}
    of_item = np.array([numbers.setdefault(cluster, len(numbers)) for cluster in clusters])
    order = np.argsort(of_item, kind="stable")
    return order, np.searchsorted(of_item[order], np.arange(len(numbers)))


def _blocks(clusters: int, draws: int) -> Iterator[int]:
    if draws < 1:
        raise ValueError(f"{draws} resamples")
    size = max(1, _BLOCK // clusters)
    for start in range(0, draws, size):
        yield min(size, draws - start)


def _resampled(clusters: int, draws: int, rng: Rng) -> Iterator[Floats]:
    """Blocks of (B, C) weights: the number of times that each dialogue occurs in a resample of C dialogues."""
    blocks = [*_blocks(clusters, draws)]
    if isinstance(rng, Random) and clusters * draws <= _KEPT:
        yield _weights(rng.getrandbits(128), clusters, draws).astype(float)
        return
    generator = generator_of(rng)
    for size in blocks:
        yield _bootstrap_weights(generator, clusters, size).astype(float)


@lru_cache(_CELLS)
def _weights(seed: int, clusters: int, draws: int) -> NDArray[np.uint16]:
    """(draws, C) weights, cached by their seed, since cells of the same items have equal resamples."""
    return _bootstrap_weights(np.random.default_rng(seed), clusters, draws).astype(np.uint16)


def _bootstrap_weights(generator: np.random.Generator, clusters: int, draws: int) -> NDArray[np.int64]:
    """(draws, C) the number of times that each dialogue occurs in each resample."""
    drawn = generator.integers(0, clusters, (draws, clusters)) + np.arange(draws)[:, None] * clusters
    return np.bincount(drawn.ravel(), minlength=draws * clusters).reshape(draws, clusters)
