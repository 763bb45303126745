"""A file of anchor items, as `evalsuite anchors` writes it and `--items` reads it (docs/anchors.md). It has no texts of items."""

from __future__ import annotations

import math
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.jsonl import Fault
from evalsuite.results.schema.base import Count, Hash, Name, Number, Rows, SharedPlaceFields, Strict

_Positive = Annotated[int, Field(ge=1)]
_Error = Annotated[float, Field(ge=0)]
_ROUNDED = 1e-9  # tolerance of sums of rounded numbers


class AnchorError(Strict):
    """The distance of estimates from the full score, on models that had no part in choosing items, weights and method."""

    mean: _Error = Field(description="Mean absolute error.")
    rms: _Error = Field(description="Root of the mean squared error.")
    half: _Error = Field(
        description="Half width of a 95 % interval for a new model that is like these: rms times Student's t."
    )
    worst: _Error = Field(description="Mean absolute error of the model with the largest one.")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        """Require mean <= rms, mean <= worst and half >= 1.96 rms, as Student's t is 1.96 or more."""
        if not self.mean <= self.rms + _ROUNDED:
            raise Fault("is smaller than the mean error", ".rms")
        if not self.mean <= self.worst + _ROUNDED:
            raise Fault("is smaller than the mean error", ".worst")
        if not 1.95 * self.rms <= self.half + _ROUNDED:
            raise Fault("is smaller than 1.96 times the root mean square", ".half")
        return self


class AnchorPoint(Strict):
    """The errors of estimates from one number of items."""

    size: _Positive
    method: str = Field(description="The best method by all models.")
    error: AnchorError = Field(
        description="Error of the best method, which was chosen anew without the models left out."
    )
    methods: dict[str, _Error] = Field(description="Mean absolute error of each method.")
    random: Annotated[Rows[_Error], Field(min_length=2, max_length=2)] = Field(
        description="5th and 95th percentile of the mean absolute error of single sets of random items."
    )
    stronger: Annotated[Rows[_Error], Field(min_length=2, max_length=2)] | None = Field(
        description="Mean absolute errors on the best quarter of the models when the others choose: of the best method, and of "
        "random items. Null with too few models."
    )


class AnchorItem(Strict):
    """One item of a set."""

    id: Name
    weight: float = Field(
        description="Weight in the estimate. The weights of a set sum to 1; a regression may give some below 0."
    )


class AnchorSet(SharedPlaceFields):
    """The anchor items of one task and set, and the way in which the models were asked."""

    data: Hash = Field(description="Hash of the official file that the items come from.")
    template: Hash = Field(description="Hash of the prompt template.")
    of: _Positive = Field(description="Number of items that these were chosen from.")
    metric: str = Field(description="What the weighted mean estimates: the task's headline.")
    models: Rows[Name] = Field(description="Models by whose outcomes the items were chosen.")
    seen: Annotated[Rows[Number], Field(min_length=2, max_length=2)] = Field(
        description="Lowest and highest score of these models. Beyond them the error may be larger."
    )
    method: str = Field(pattern="^(random|stratified|answers|medoids|regression|medoid-regression)$")
    error: AnchorError
    items: Annotated[Rows[AnchorItem], Field(min_length=1)]
    curve: Rows[AnchorPoint]

    @model_validator(mode="after")
    def _can_be(self) -> Self:
        """Require what holds for every set that `evalsuite anchors` chooses. A stranger's file may still name easy items."""
        from evalsuite.metrics.anchors import MOST_WEIGHT, SIGNED

        weights = [item.weight for item in self.items]
        if len({item.id for item in self.items}) < len(self.items):
            raise Fault(f"names an item of {self.task} {self.set} twice", ".items")
        if (sizes := sum(map(abs, weights))) > MOST_WEIGHT + _ROUNDED:
            raise Fault(f"the sizes of the weights sum to {sizes:g}, expected {MOST_WEIGHT:g} or less", ".items")
        if abs((total := math.fsum(weights)) - 1) > 1e-6:
            raise Fault(f"the weights sum to {total:g}, expected 1", ".items")
        if (least := min(weights)) < 0 and self.method not in SIGNED:
            raise Fault(f"a weight is {least:g}; the method {self.method} gives none below 0", ".items")
        if len(self.items) > self.of:
            raise Fault(f"are {len(self.items)}, more than the {self.of} that they stand for", ".items")
        if self.metric != TASKS[self.task].metrics[0]:
            raise Fault(f"expected {TASKS[self.task].metrics[0]}, the headline of {self.task}", ".metric")
        low, high = self.seen
        if low is None or high is None or not 0 <= low <= high <= 1:
            raise Fault("expected the lowest and the highest score, from 0 to 1", ".seen")
        if not any(point.size == len(self.items) and point.error == self.error for point in self.curve):
            raise Fault(f"is not that of {len(self.items)} items in `curve`", ".error")
        return self


class AnchorFile(Strict):
    """A file of anchor items."""

    format: Literal[1]
    evalsuite: str = Field(description="Version of evalsuite that wrote the file.")
    seed: Count
    sets: Annotated[Rows[AnchorSet], Field(min_length=1)]

    @model_validator(mode="after")
    def _one_set_a_place(self) -> Self:
        places = [(anchor_set.task, anchor_set.set, anchor_set.split) for anchor_set in self.sets]
        for n, place in enumerate(places):
            if place in places[:n]:
                raise Fault(f"has a second set for {' '.join(place)}; remove one", f"sets[{n}]")
        return self
