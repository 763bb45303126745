"""Calibration of probabilities: do options that a model gives 80 % turn out right in 80 % of items?

    ece      expected calibration error of the likeliest option's probability, in equally wide bins (Guo et al. 2017)
    brier    Brier score over all options (Brier 1950), 0 … 2: sum of squared differences between probabilities and outcome

Both are functions of sums over items, so that dialogues are resampled as for other metrics. An estimate of ece is too
high, since chance alone makes bins deviate, and the resamples' quantiles are higher still. So the lower end of the interval
is the lower of two values: the resamples' 2.5 % quantile, and the estimate less the 97.5 % quantile of the sum over bins of
|resampled - observed| deviation, which is the largest excess that chance explains (triangle inequality). A calibrated model
then has 0 in its interval, which contains the true value in 95 % of samples or more (tests/test_calibration.py).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalsuite.metrics.counts import Floats
from evalsuite.metrics.statistics import Interval, Rng, bootstrap

BINS = 10


def softmax(logprobs: Sequence[float]) -> Floats:
    """(K,) probabilities in proportion to exp(logprobs); equal probabilities if no logprob is finite."""
    values = np.asarray(logprobs, dtype=float)
    top = values.max()
    if not np.isfinite(top):
        return np.full(len(values), 1 / len(values))
    weights = np.exp(values - top)
    return np.asarray(weights / weights.sum())


def bin_of(confidence: Floats) -> NDArray[np.int_]:
    """(N,) index of the bin of each probability: bin b is [b / BINS, (b + 1) / BINS), the last one with 1."""
    return np.asarray(np.minimum((np.asarray(confidence) * BINS).astype(int), BINS - 1))


@dataclass(frozen=True, slots=True)
class Sums:
    """Both figures as an `Additive`. Columns: 1, the Brier score, and one for each bin: confidence less right in the item's bin,
    0 in the others."""

    statistics: Floats
    observed: Floats  # (BINS,) the means of the bins' columns over all items, not resampled

    @classmethod
    def of(cls, confidence: Floats, right: Floats, brier: Floats) -> Sums:
        """Build it from (N,) numbers. confidence: probabilities of the likeliest options; right: 1 where it is right; brier:
        scores."""
        gaps = np.zeros((len(confidence), BINS))
        gaps[np.arange(len(confidence)), bin_of(confidence)] = confidence - right
        return cls(np.column_stack([np.ones(len(confidence)), brier, gaps]), gaps.mean(axis=0))

    def finish(self, sums: Floats) -> dict[str, Floats]:
        """(..., 2 + BINS) sums -> name -> (...) values; `moved`: the sum over bins of |resampled - observed| deviation."""
        means = sums[..., 1:] / sums[..., :1]
        gaps = means[..., 1:]
        return {
            "brier": means[..., 0],
            "ece": np.abs(gaps).sum(axis=-1),
            "moved": np.abs(gaps - self.observed).sum(axis=-1),
        }


def calibration(sums: Sums, dialogues: Sequence[Hashable], rng: Rng) -> dict[str, Interval]:
    """brier and ece with their 95 % intervals from resampled dialogues."""
    drawn = bootstrap(sums, dialogues, rng)
    ece, moved = drawn["ece"], drawn["moved"]
    low = max(0.0, min(ece.low, ece.value - moved.high))
    return {"brier": drawn["brier"], "ece": Interval(ece.value, low, min(1.0, ece.high))}


def selective(confidence: Floats, right: Floats) -> list[tuple[float, float]]:
    """(coverage, accuracy) if only the items with the highest confidence are answered, by rising coverage. Items of equal
    confidence are answered together."""
    order = np.argsort(-confidence, kind="stable")
    hits = np.cumsum(right[order])
    last = np.flatnonzero(np.append(np.diff(confidence[order]) != 0, True))
    return [((n + 1) / len(order), float(hits[n] / (n + 1))) for n in last.tolist()]
