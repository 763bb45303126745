"""A mean over items with its 95 % interval by dialogues, as several analyses report it."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

from evalsuite.common.sheet import Value
from evalsuite.results.schema.base import IntervalFields


class MeanInterval(IntervalFields):
    """A mean of values in [0, 1]. Its interval is Wilson's at the effective number of items, reduced for few dialogues (Korn &
    Graubard 1998); null for items of one dialogue."""

    @property
    def as_value(self) -> Value:
        return Value(self.value, self.low, self.high)


def mean_interval(values: Sequence[float], dialogues: Sequence[Hashable]) -> MeanInterval:
    """The mean of (N,) values in [0, 1] of items from these dialogues. Raises ZeroDivisionError for none."""
    from evalsuite.metrics.statistics import few_dialogues

    if len({*dialogues}) < 2:
        return MeanInterval(value=math.fsum(values) / len(values), low=None, high=None)
    found = few_dialogues(values, dialogues)
    return MeanInterval(value=found.value, low=found.low, high=found.high)
