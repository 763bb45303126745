"""A test whether a model's choices fit the items, or are right only as often as its preference of a letter makes them.

A model that chooses (b) in most items beats a uniform guess where (b) is often right, without understanding anything. So the null
hypothesis is that choices do not depend on the right options: assigned to other items, they would be right as often.
`better_than_shuffled` shuffles the right options over the items, which is equivalent to shuffling the choices. It shuffles among
items with equally many options, so that no item gets an option that it lacks.

Items of one dialogue may share their right option, and a model may choose the same in all of them. Shuffled items then vary less
than the real ones. Therefore the statistic is divided by its standard error over dialogues, which keeps the level of the test
(DiCiccio & Romano 2017, for correlations). With independent items the test is exact.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalsuite.metrics.counts import Floats
from evalsuite.metrics.statistics import CLEARLY, FIRST, Rng, by_cluster, family_draws, generator_of


@dataclass(frozen=True, slots=True)
class ShuffledTest:
    """The share of right choices, the expected share for the same choices in random order, and the p-value of the hypothesis
    that the first is no greater than the second."""

    right: float
    shuffled: float
    p: float


def better_than_shuffled(
    models: Sequence[Sequence[Sequence[int | None]]],
    golds: Sequence[Sequence[int]],
    options: Sequence[int],
    dialogues: Sequence[Hashable],
    rng: Rng,
    family: int,
) -> list[ShuffledTest]:
    """One-sided tests of the choices of some models on the same N items, of `family` tests that are corrected together.

    models: for each model and item the choices, one per sample; None, a reply without a choice, is never right.
    golds: for each item the right options. options: for each item their number.
    For a model that always says the same, or nothing, p is 1. The models share the shuffles.

    >>> rng, golds = np.random.default_rng(0), [[0], [1]] * 20
    >>> better_than_shuffled([golds, [[1]] * 40], golds, [2] * 40, range(40), rng, 1)
    [ShuffledTest(right=1.0, shuffled=0.5, p=0.0001), ShuffledTest(right=0.5, shuffled=0.5, p=1.0)]
    """
    order, starts = by_cluster(dialogues)
    right = _shares([golds[n] for n in order], max(options), each=True)
    sets, kinds = np.unique(right, axis=0, return_inverse=True)
    kinds = kinds.reshape(-1).astype(np.min_scalar_type(len(sets)))
    alike = [np.flatnonzero(np.asarray(options)[order] == n) for n in sorted({*options})]
    shares = [_shares([chosen[n] for n in order], max(options)) for chosen in models]
    fits = [_fit(of_model, right, sets, alike) for of_model in shares]
    first = np.arange(len(right)) * len(sets)

    def studentized(fit: Floats, indices: NDArray[np.int_]) -> Floats:
        """(..., N) indices into `fit` -> (...) the sum of these values, divided by its standard error."""
        sums = np.add.reduceat(fit.ravel()[indices], starts, axis=-1)
        error = np.sqrt((sums * sums).sum(axis=-1))
        return np.where(error > 1e-9, sums.sum(axis=-1) / np.where(error > 1e-9, error, 1.0), 0.0)

    observed = [float(studentized(fit, first + kinds)) - 1e-9 for fit in fits]
    as_far, drawn = np.zeros(len(models), dtype=int), np.zeros(len(models), dtype=int)
    generator, most = generator_of(rng), family_draws(family)
    open_ = [*range(len(models))]
    for start in range(0, most, FIRST):
        block = min(FIRST, most - start)
        shuffled = np.empty((block, len(kinds)), dtype=kinds.dtype)
        for some in alike:
            shuffled[:, some] = generator.permuted(np.tile(kinds[some], (block, 1)), axis=1)
        indices = first + shuffled
        for n in open_:
            as_far[n] += np.count_nonzero(studentized(fits[n], indices) >= observed[n])
            drawn[n] += block
        open_ = [n for n in open_ if as_far[n] <= CLEARLY * drawn[n]]
        if not open_:
            break
    return [
        ShuffledTest(
            float((of_model * right).sum()) / len(right),
            sum(len(some) * float(of_model[some].mean(axis=0) @ right[some].mean(axis=0)) for some in alike)
            / len(right),
            (int(far) + 1) / (int(count) + 1),
        )
        for of_model, far, count in zip(shares, as_far, drawn, strict=True)
    ]


def _shares(rows: Sequence[Sequence[int | None]], width: int, each: bool = False) -> Floats:
    """(N, width) each option's share of a row; with `each`, its number in the row."""
    shares = np.zeros((len(rows), width))
    for n, row in enumerate(rows):
        for option in row:
            if option is not None:
                shares[n, option] += 1 if each else 1 / len(row)
    return shares


def _fit(shares: Floats, right: Floats, sets: Floats, alike: Sequence[NDArray[np.int_]]) -> Floats:
    """(N, sets of right options): the product of an item's choices and a set of right options, both less their means over the
    items with equally many options. It is the item's part of the covariance of choices and right options, and its mean over all
    orders of the right options is 0."""
    fit = np.zeros((len(shares), len(sets)))
    for some in alike:
        fit[some] = (shares[some] - shares[some].mean(axis=0)) @ (sets - right[some].mean(axis=0)).T
    return fit
