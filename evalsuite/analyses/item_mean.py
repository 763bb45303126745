"""Means over items with their 95 % intervals, dialogues as units, as several analyses report them."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Annotated

from pydantic import Field

from evalsuite.common.sheet import Value
from evalsuite.results.schema.base import IntervalFields, Rows, Share, Strict


class MeanInterval(IntervalFields):
    """A mean of values in [0, 1]. Its interval is Wilson's at the effective number of items, reduced for few dialogues (Korn &
    Graubard 1998); null for items of one dialogue."""


def mean_interval(values: Sequence[float], dialogues: Sequence[Hashable]) -> MeanInterval:
    """The mean of (N,) values in [0, 1] of items from these dialogues. Raises ZeroDivisionError for none."""
    from evalsuite.metrics.statistics import few_dialogues

    if len({*dialogues}) < 2:
        return MeanInterval(value=math.fsum(values) / len(values), low=None, high=None)
    mean = few_dialogues(values, dialogues)
    return MeanInterval(value=mean.value, low=mean.low, high=mean.high)


class ItemMean(Strict):
    """A mean over items, with its interval."""

    n: Annotated[int, Field(ge=1)] = Field(description="Items.")
    dialogues: Annotated[int, Field(ge=1)] = Field(description="Number of dialogues that the items come from.")
    value: Share = Field(description="Mean of the cell's metric over the items, 0 … 1.")
    interval: Annotated[Rows[Share], Field(min_length=2, max_length=2)] | None = Field(
        description="The 95 % interval, low and high: Wilson's at the effective number of items, reduced for few dialogues; "
        "null for one dialogue."
    )

    @property
    def as_value(self) -> Value:
        """The mean with its interval, for tables."""
        low, high = self.interval or (None, None)
        return Value(self.value, low, high)


def value_or_dash(figure: IntervalFields | ItemMean | None) -> Value:
    """A figure with its interval, for tables; a dash for none."""
    return figure.as_value if figure else Value(None)


def item_mean(rows: Sequence[tuple[float, Hashable]]) -> ItemMean:
    """The mean over rows of (value, dialogue), rounded to six digits."""
    values, dialogues = zip(*rows, strict=True)
    mean = mean_interval(values, dialogues)
    return ItemMean(
        n=len(rows),
        dialogues=len({*dialogues}),
        value=round(mean.value or 0.0, 6),
        interval=[round(end, 6) for end in mean.bounds[1:]] if mean.bounds else None,
    )
