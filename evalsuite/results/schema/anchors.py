"""A file of anchor items, as `evalsuite anchors` writes it and `--items` reads it (docs/anchors.md). It has no texts of items."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from evalsuite.results.schema.base import Count, Hash, Name, Number, Place, Rows, Strict

_Positive = Annotated[int, Field(ge=1)]
_Error = Annotated[float, Field(ge=0)]


class AnchorError(Strict):
    """How far estimates were from the full score, on models that had no part in choosing items, weights and method."""

    mean: _Error = Field(description="Mean absolute error.")
    rms: _Error = Field(description="Root of the mean squared error.")
    half: _Error = Field(
        description="Half width of a 95 % interval for a new model that is like these: rms times Student's t."
    )
    worst: _Error = Field(description="Mean absolute error of the model with the largest one.")


class AnchorPoint(Strict):
    """The errors with a number of items."""

    size: _Positive
    method: str = Field(description="The best one by all models.")
    error: AnchorError = Field(description="Of the best method, which was chosen anew without the models left out.")
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
    weight: float = Field(description="Those of a set sum to 1; a regression may give some below 0.")


class AnchorSet(Place):
    """The anchor items of one task and set, and the way in which the models were asked."""

    data: Hash = Field(description="Of the official file that the items come from.")
    template: Hash = Field(description="Of the prompt template.")
    of: _Positive = Field(description="Items in full.")
    metric: str = Field(description="What the weighted mean estimates: the task's headline.")
    models: Rows[Name] = Field(description="Those whose outcomes the items were chosen by.")
    seen: Annotated[Rows[Number], Field(min_length=2, max_length=2)] = Field(
        description="Their lowest and highest score. Beyond these the error may be larger."
    )
    method: Literal["random", "stratified", "answers", "medoids", "regression", "medoid-regression"]
    error: AnchorError
    items: Annotated[Rows[AnchorItem], Field(min_length=1)]
    curve: Rows[AnchorPoint]


class AnchorFile(Strict):
    """A file of anchor items."""

    format: Literal[1]
    evalsuite: str = Field(description="The version that wrote it.")
    seed: Count
    sets: Annotated[Rows[AnchorSet], Field(min_length=1)]
