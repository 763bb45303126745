"""Forecasts the tokens of further requests from answered ones, by a prediction interval without an assumed distribution.

Lengths of replies have long tails: one reply in fifty runs on to its limit, and most samples of twenty hold none. An interval
from mean and variance then misses the total most of the time. So each draw gives the contexts seen random weights (the Bayesian
bootstrap) together with one context that was not seen, whose replies all run to the limit; the further requests are drawn from
these. Requests about one dialogue are one context, as they are not independent. design/cost.md has the coverage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

DRAWS = 1000
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Total:
    """A number of tokens, or their cost: draws of its lower and of its upper end (an array or one number), and its mean, None if
    not known."""

    low: Any
    mean: float | None
    high: Any

    @classmethod
    def exact(cls, value: float) -> Total:
        return cls(value, value, value)

    def __add__(self, other: Total) -> Total:
        mean = None if self.mean is None or other.mean is None else self.mean + other.mean
        return Total(self.low + other.low, mean, self.high + other.high)

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the range: where these are draws, the ends of their interval at LEVEL."""
        import numpy as np

        tail = (1 - LEVEL) / 2
        return float(np.quantile(self.low, tail)), float(np.quantile(self.high, 1 - tail))


@dataclass(frozen=True, slots=True)
class ContextSample:
    """One context of a sample: its tokens, and its size (requests or estimated tokens), from which the total is
    extrapolated."""

    tokens: float
    size: float


def forecast(sample: Sequence[ContextSample], units: float, low: float, high: float, seed: str) -> Total:
    """The tokens of so many further `units` (requests or estimated tokens), foretold by a sample of such units. `low` and `high`:
    the smallest and the largest possible number of tokens of a unit."""
    import numpy as np

    draw = np.random.default_rng(Random(seed).getrandbits(64))
    tokens, sizes = np.array([x.tokens for x in sample]), np.array([x.size for x in sample])
    weights = draw.standard_exponential((DRAWS, len(sample) + 1))
    weights /= weights.sum(axis=1, keepdims=True)
    contexts = max(1, round(units / sizes.mean()))  # number of contexts that these units have
    shares = draw.multinomial(contexts, weights) / contexts
    size = shares @ np.append(sizes, sizes.mean())
    ends = [shares @ np.append(tokens, rate * sizes.mean()) / size * units for rate in (low, high)]
    return Total(ends[0], float(tokens.sum() / sizes.sum() * units), ends[1])
