"""The smallest true difference that a paired comparison finds with 80 % power at p < 0.05 (two-sided).

    detectable         from the differences of two models by dialogue, as observed
    detectable_ahead   before any model is asked, from the sizes of the dialogues and stated assumptions

Both are (t(0.975) + t(0.8)) standard errors, with dialogues - 1 degrees of freedom, and a little more, for two reasons. The
test flips the signs of whole dialogues, and a difference in large dialogues widens its null distribution. And differences of
right and wrong answers sum to whole numbers, so the test needs the next whole number. Simulated power is 78 to 85 %
(tests/test_power.py). `detectable` uses only the spread of the differences, not their mean: the power at the observed
difference would say no more than its p-value (Hoenig & Heisey 2001).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np

from evalsuite.metrics.counts import Floats
from evalsuite.metrics.statistics import FEWEST, cluster_sums, paired_error, t_quantile

POWER, LEVEL = 0.8, 0.95
# Assumptions before replies: the share of items on which exactly one of two models is right, and the correlation of two
# such differences within a dialogue.
DISAGREE, CORRELATION = 0.3, 0.1


def _errors(sizes: Sequence[float] | Floats) -> float | None:
    """The detectable difference in standard errors, by Student's t with dialogues - 1 degrees of freedom, for dialogues of
    these sizes; None if few dialogues have so many of the items that the test finds no difference, however large.

    The test rejects if the sum of the dialogues' differences exceeds c times the root of the sum of their squares. A true
    difference per item adds to both sides: with the sizes w and s = Σ w² / (Σ w)², the sum must exceed c / √(1 - c² s) standard
    errors of noise. For dialogues of equal size this is t(0.975).
    """
    count, weights = len(sizes), np.asarray(sizes, dtype=float)
    t = t_quantile(0.5 + LEVEL / 2, count - 1)
    square = count * t * t / (count - 1 + t * t)
    left = 1 - square * float(weights @ weights) / float(weights.sum()) ** 2
    if left <= 0:
        return None
    return math.sqrt(square / left * (count - 1) / count) + t_quantile(POWER, count - 1)


def detectable(differences: Sequence[float] | Floats, dialogues: Sequence[Hashable]) -> float | None:
    """(N,) differences of two models on items of these dialogues -> a difference of means; None for fewer dialogues than a
    test needs. The standard error is that of `paired_interval`, without its adjustment of the mean by two dialogues."""
    moves = np.asarray(differences, dtype=float)
    sums = cluster_sums(np.stack([moves, np.ones(len(moves))], axis=1), dialogues)
    if len(sums) < FEWEST:
        return None
    if (errors := _errors(sums[:, 1])) is None:
        return None
    # `paired_error` counts two dialogues more than there are; the test does not.
    error = paired_error(sums[:, 0], sums[:, 1])[1] * (len(sums) + 2) / len(sums)
    step = 1 / len(moves) if (moves == np.rint(moves)).all() else 0.0  # flipping one sign changes such a sum by 2
    return errors * error + step


def detectable_ahead(sizes: Sequence[int]) -> float | None:
    """A difference of two accuracies, from the dialogues' numbers of items: d + 1 / n with d² = t² (DISAGREE - d²) design / n,
    where design = 1 + (sum of sizes² / n - 1) CORRELATION (Kish 1965) and t is the number of standard errors. None for fewer
    dialogues than a test needs, and if not even models that disagree in one direction only could be distinguished.

    >>> round(detectable_ahead([1] * 300), 3), detectable_ahead([30, 30])
    (0.091, None)
    """
    n = sum(sizes)
    if len(sizes) < FEWEST or (errors := _errors(sizes)) is None:
        return None
    design = 1 + (sum(size * size for size in sizes) / n - 1) * CORRELATION
    spread = errors**2 * design / n
    difference = math.sqrt(spread * DISAGREE / (1 + spread)) + 1 / n
    return difference if difference < DISAGREE else None
