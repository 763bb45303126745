"""CEDAR's two figures (section 4.1): does a model find its target likelier with the valid explanation, and by how much?

A loss is the mean negative log-likelihood of a target's tokens, in nats. Accuracy: how often the loss with the valid
explanation is the lower one; an equal one is not. ΔNLL: the loss with the corrupted less that with the valid explanation.
Guessing has accuracy 0.5 and ΔNLL 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Probed:
    """The losses of one probe. Data set, corruption and group are how the paper's tables are cut."""

    set: str
    group: str
    corruption: str
    valid: float
    corrupted: float

    @property
    def accuracy(self) -> float:
        return float(self.valid < self.corrupted)

    @property
    def delta_nll(self) -> float:
        return self.corrupted - self.valid


@dataclass(frozen=True, slots=True)
class Figure:
    """`corruption` is None where all of the group are taken together."""

    set: str
    group: str
    corruption: str | None
    n: int
    accuracy: float
    delta_nll: float


def per_token(nll: Sequence[float]) -> float:
    """Mean NLL of a target's tokens, in nats. Raises ValueError for no tokens, or for one that is not a number."""
    if not nll:
        raise ValueError("a target without tokens has no NLL")
    mean = math.fsum(nll) / len(nll)
    if not math.isfinite(mean):
        raise ValueError(f"the NLL of a target of {len(nll)} tokens is {mean}")
    return mean


def figures(probes: Iterable[Probed]) -> tuple[Figure, ...]:
    """For each data set and group: all of the group together, then each corruption; in the order they come in.

    Together is the mean of the corruptions' figures, not of the probes: where some explanations have no invalid
    neighbour, the other corruptions do not gain weight by it. The paper says "average" only; with all corruptions there
    for all explanations, both are one.
    """
    places: dict[tuple[str, str], dict[str, list[Probed]]] = {}
    for probe in probes:
        places.setdefault((probe.set, probe.group), {}).setdefault(probe.corruption, []).append(probe)
    found = []
    for (set, group), by_corruption in places.items():
        rows = [
            Figure(set, group, name, len(mine), _mean([p.accuracy for p in mine]), _mean([p.delta_nll for p in mine]))
            for name, mine in by_corruption.items()
        ]
        accuracy, delta = _mean([row.accuracy for row in rows]), _mean([row.delta_nll for row in rows])
        found += [Figure(set, group, None, sum(row.n for row in rows), accuracy, delta), *rows]
    return tuple(found)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
