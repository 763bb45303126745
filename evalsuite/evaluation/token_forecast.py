"""Forecasts of the tokens of further requests from answered ones: a prediction interval without an assumed distribution.

Lengths of replies have long tails: if one reply in fifty runs to its limit, most samples of twenty hold none, and an interval
from mean and variance misses the total most of the time. So each draw gives random weights (the Bayesian bootstrap) to the
contexts in the sample and to one unseen context, whose replies all run to the limit, and draws the further requests from them.
Requests about one dialogue are one context, since they are not independent. design/cost.md has the coverage.
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
    """A number of tokens, or their cost. `low` and `high`: an array of draws of the lower and of the upper end, or one number;
    `mean`: None if unknown."""

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
        """The ends of the interval at LEVEL; `low` and `high` where they are numbers."""
        import numpy as np

        tail = (1 - LEVEL) / 2
        return float(np.quantile(self.low, tail)), float(np.quantile(self.high, 1 - tail))


@dataclass(frozen=True, slots=True)
class ContextSample:
    """One context of a sample: its number of tokens, and its size in units (requests or estimated tokens)."""

    tokens: float
    size: float


def forecast(sample: Sequence[ContextSample], units: float, low: float, high: float, seed: str) -> Total:
    """The tokens of further requests, by those of a sample.

    `units`: the size of the further requests, in the units of the sample. `low` and `high`: the fewest and the most tokens that a
    unit can have.
    """
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
