"""The smallest true difference that a paired comparison finds with 80 % power at p < 0.05 (two-sided).

    detectable         from the differences of two models by dialogue, as observed
    detectable_ahead   before anybody was asked, from the sizes of the dialogues and stated assumptions

Both are (t(0.975) + t(0.8)) standard errors, with dialogues - 1 degrees of freedom. The first takes only the spread of
the differences, not their mean: it is no power of the observed difference, which would say no more than p (Hoenig &
Heisey 2001).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from importlib import import_module

import numpy as np

from evalsuite.metrics.statistics import FEWEST, Floats, cluster_sums, paired_error

POWER, LEVEL = 0.8, 0.95
# Assumptions before replies: the share of items on which exactly one of two models is right, and the correlation of two
# such differences within a dialogue.
DISAGREE, CORRELATION = 0.3, 0.1


def _errors(dialogues: int) -> float:
    """The number of standard errors, of Student's t with dialogues - 1 degrees of freedom."""
    quantile = import_module("scipy.special").stdtrit
    return float(quantile(dialogues - 1, 0.5 + LEVEL / 2) + quantile(dialogues - 1, POWER))


def detectable(differences: Sequence[float] | Floats, dialogues: Sequence[Hashable]) -> float | None:
    """(N,) differences of two models on items of these dialogues -> a difference of means; None for fewer dialogues than
    a test needs. The standard error is that of `paired_interval`, without its adjustment of the mean by two dialogues."""
    moves = np.asarray(differences, dtype=float)
    sums = cluster_sums(np.stack([moves, np.ones(len(moves))], axis=1), dialogues)
    if len(sums) < FEWEST:
        return None
    # The test is of the mean over these dialogues alone, the interval of one with two dialogues more.
    error = paired_error(sums[:, 0], sums[:, 1])[1] * (len(sums) + 2) / len(sums)
    return _errors(len(sums)) * error


def detectable_ahead(
    sizes: Sequence[int], disagree: float = DISAGREE, correlation: float = CORRELATION
) -> float | None:
    """A difference d of two accuracies, from the dialogues' numbers of items: d² = t² (disagree - d²) design / n, where
    design = 1 + (sum of sizes² / n - 1) correlation (Kish 1965). None for fewer dialogues than a test needs, and where even
    models that disagree in one direction only would not be told apart.

    >>> round(detectable_ahead([1] * 300), 3), detectable_ahead([30, 30])
    (0.088, None)
    """
    n = sum(sizes)
    if len(sizes) < FEWEST:
        return None
    design = 1 + (sum(size * size for size in sizes) / n - 1) * correlation
    spread = _errors(len(sizes)) ** 2 * design / n
    found = math.sqrt(spread * disagree / (1 + spread))
    return found if found < disagree else None
