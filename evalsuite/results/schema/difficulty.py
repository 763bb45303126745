"""The key "difficulty" of results.json (docs/breakdown.md)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from evalsuite.results.schema.base import Count, Name, Number, Place, Rows, Share, Strict

_Positive = Annotated[int, Field(ge=1)]
_Correlation = Annotated[float, Field(ge=-1, le=1)]


class Discriminations(Strict):
    """Corrected item-total correlations: of an item with the sum of the task's other items, over models."""

    n: Count = Field(description="Items of which it is defined: the models do not all have one value.")
    mean: _Correlation | None
    bins: Annotated[Rows[Count], Field(min_length=4, max_length=4)] = Field(
        description="Items below 0, below 0.2, below 0.4, and from 0.4."
    )


class Suspicious(Strict):
    """An item whose gold answer people should look at."""

    item: Name
    why: Literal["all_wrong", "negative"] = Field(
        description="All models have value 0; or the weaker are right and the stronger wrong, discrimination < 0 with p up to 0.05."
    )
    right: Count = Field(description="Models with a value above 0.5.")
    value: Share = Field(description="Mean over the models.")
    discrimination: _Correlation | None
    p: Share = Field(
        description="Of all_wrong: the product of the models' shares of items with value 0. Of negative: one-sided, by permutation "
        "of the models; not corrected for the number of items."
    )
    agree: Count | None = Field(description="Most models that chose the same wrong options; null where there are none.")
    reply_of: Name = Field(description="The best model that is wrong on it.")


class Difficulty(Place):
    """A task and set asked in one way of at least three models: how hard its items are, and which look suspicious."""

    metric: str = Field(description="The task's first metric; an item's value is the mean of its samples.")
    models: Annotated[Rows[Name], Field(min_length=3)] = Field(description="Without baselines and adapters.")
    n: _Positive = Field(description="Items that all of them answered.")
    dialogues: _Positive = Field(description="Dialogues that they come from.")
    value: Share = Field(description="Mean difficulty: the share of models that are right, or their mean value.")
    interval: Annotated[Rows[Share], Field(min_length=2, max_length=2)] = Field(
        description="Wilson's 95 % interval at the effective number of items, low and high."
    )
    right: Rows[Count] = Field(description="Items that 0, 1, … all of the models get right, with a value above 0.5.")
    alpha: Number = Field(
        description="Cronbach's alpha, which of right/wrong items is KR-20; null: all sums are equal."
    )
    discrimination: Discriminations
    all_wrong: Count = Field(description="Items on which every model has value 0.")
    negative: Count = Field(
        description="Items with a discrimination below 0 and p up to 0.05. By chance up to 5 % of those with one."
    )
    suspicious: Annotated[Rows[Suspicious], Field(max_length=50)] = Field(description="In ascending order of p.")
    left_out: Rows[Name] = Field(description="Models with replies that failed or are still to be made.")
