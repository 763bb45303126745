"""RUN/audit/NAME/people.json: people's scores of a random sample of replies, as `evalsuite audit read --run` keeps them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from evalsuite.results.schema.base import Count, Rows, Strict

FILE = "people.json"


class DrawnReply(Strict):
    """A reply of the sample."""

    output: str = Field(description="Its id, as in sample.json.")
    weight: Annotated[float, Field(gt=0)] = Field(description="Inverse of its probability of being drawn.")
    scores: dict[str, float] = Field(description="People's score by scale; empty: nobody marked it.")


class People(Strict):
    """People's scores of a sample."""

    format: Literal[1] = 1
    name: str = Field(description="Name of the sample.")
    rubric: str
    scales: dict[str, Annotated[Rows[int], Field(min_length=2, max_length=2)]] = Field(
        description="Scale -> lowest and highest score."
    )
    suspicious: bool = Field(description="Drawn from replies to suspicious items only.")
    annotators: Rows[str]
    tasks: Rows[str] = Field(description="Tasks that it was drawn from.")
    outputs: dict[str, Count] = Field(description="Model -> replies that it was drawn from.")
    drawn: Rows[DrawnReply]
