"""A judge's mean, corrected by people's marks of a random part: prediction-powered inference with power tuning (PPI++,
Angelopoulos, Duchi & Zrnic 2023, arXiv:2311.01453, sections 3 and 6).

With the judge's scores f of all items and people's marks y of a sample s of them, the corrected mean is

    mean of y over s + λ (mean of f over all - mean of f over s)

λ = 0 uses the marks alone, λ = 1 the judge with people's correction of its bias; the λ with the least estimated variance lies
between them. Items of the sample have weights, the inverse probabilities of being drawn. The variance is the jackknife's over
dialogues, the independent units: it leaves out one dialogue at a time and chooses λ anew. The paper's variance takes λ as known
and is too small for few marks. With equal weights, one item in each dialogue and the same λ the estimate is the paper's.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evalsuite.metrics.counts import Floats
from evalsuite.metrics.statistics import cluster_sums, t_quantile

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class CorrectedMean:
    """Means of one scale, with 95 % intervals, in its own unit."""

    value: float
    low: float
    high: float
    people: float  # the mean of the marks alone, and its interval: λ = 0
    people_low: float
    people_high: float
    tuning: float  # λ, from 0 to 1
    dialogues: int  # number of dialogues with marks


def corrected_mean(
    scores: Sequence[float],
    marks: Mapping[int, tuple[float, float]],
    dialogues: Sequence[Hashable],
    step: float = 1.0,
    lowest: float = -math.inf,
    highest: float = math.inf,
) -> CorrectedMean:
    """(N,) scores of a judge for items of these dialogues, and marks: index of an item -> (people's mark, weight).

    step: the distance of two neighbouring scores of the scale. Two more dialogues of mean weight are counted, in which people
    differ from the judge by a step up and by a step down, so that a judge without errors in the sample is not taken for one
    without errors. Quantiles are Student's; the degrees of freedom are the effective number of dialogues with marks, by weights,
    less the two estimated parameters. Intervals end with the scale.

    Raises ValueError for marks of fewer than four dialogues.
    """
    judged = np.asarray(scores, dtype=float)
    known, weights = np.zeros(len(judged)), np.zeros(len(judged))
    for n, (mark, weight) in marks.items():
        known[n], weights[n] = mark, weight
    weights /= weights.sum()
    columns = (weights * known, weights * judged, weights, judged / len(judged), np.full(len(judged), 1 / len(judged)))
    sums = cluster_sums(np.stack(columns, axis=1), dialogues)  # (C, 5) by dialogue; each column sums to a mean, or to 1
    shares = sums[:, 2][sums[:, 2] > 0]
    if len(shares) < 4:
        raise ValueError(f"marks of {len(shares)} dialogues: expected four or more")
    products = sums[:, :, None] * sums[:, None, :]
    without = sums.sum(axis=0) - sums, products.sum(axis=0) - products
    freedom = max(1.0, 1 / float(shares @ shares) - 2)
    quantile = t_quantile(0.5 + LEVEL / 2, freedom)
    more = 2 * (step / (len(shares) + 2)) ** 2  # the variance of the two dialogues that are added

    def interval(alone: bool) -> tuple[float, float, float]:
        value = float(_estimate(sums.sum(axis=0), products.sum(axis=0), alone)[0])
        left_out = _estimate(*without, alone)[0]
        spread = (len(sums) - 1) / len(sums) * float(((left_out - left_out.mean()) ** 2).sum())
        half = quantile * math.sqrt(spread + more)
        low, high = (min(highest, max(lowest, end)) for end in (value - half, value + half))
        return value, low, high

    tuning = float(_estimate(sums.sum(axis=0), products.sum(axis=0), alone=False)[1])
    return CorrectedMean(*interval(alone=False), *interval(alone=True), tuning, len(shares))


def _estimate(totals: Floats, products: Floats, alone: bool) -> tuple[Floats, Floats]:
    """The estimate and λ (0 if `alone`). totals: (..., 5) sums over dialogues of the sample's weighted marks, weighted scores and
    weights, and of all scores and their number. products: (..., 5, 5) sums of their products."""
    mark, sampled, weight, score, count = np.moveaxis(totals, -1, 0)
    people, sampled, everywhere = mark / weight, sampled / weight, score / count
    zero = np.zeros_like(people)
    # The influence of a dialogue on the estimate: `own` without the judge, plus λ times `moves`.
    own = np.stack([1 / weight, zero, -people / weight, zero, zero], axis=-1)
    moves = np.stack([zero, -1 / weight, sampled / weight, 1 / count, -everywhere / count], axis=-1)
    both = np.einsum("...i,...ij,...j->...", own, products, moves)
    varies = np.einsum("...i,...ij,...j->...", moves, products, moves)
    tuning = np.clip(np.divide(-both, varies, out=zero.copy(), where=varies > 1e-15), 0, 0 if alone else 1)
    return people + tuning * (everywhere - sampled), tuning
