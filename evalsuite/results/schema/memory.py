"""The key "memory" of results.json (docs/memory.md)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from evalsuite.results.schema.base import (
    Cell,
    Count,
    Name,
    Number,
    Perturb,
    Rows,
    Scoring,
    Set,
    Share,
    Split,
    Strict,
    Task,
    Wording,
)

_Positive = Annotated[int, Field(ge=1)]
_Ends = Annotated[Rows[Share], Field(min_length=2, max_length=2)]
_Rank = _Positive | None


class Figures(Strict):
    """A share of right items."""

    n: _Positive = Field(description="Items.")
    dialogues: _Positive = Field(description="Dialogues that they come from.")
    value: Share
    interval: _Ends = Field(description="Wilson's 95 % interval at the effective number of items, low and high.")


class Knowledge(Strict):
    """How a model was asked for facts, and by whom it was decided what it knows."""

    facts_of: Task = Field(description="The task that asks for them, with 0 shots and unperturbed.")
    wording: Wording = Field(description="The prompt template's name.")
    metric: str = Field(description="The rule: a metric of the task; of a judge, the scale of its rubric.")
    judge: Name | None = Field(description="The judge whose verdicts count; null: the rule.")


class Against(Strict):
    """A model's items by what it knows of the facts that they rest on: all = known + rest + free + unclear."""

    metric: str = Field(description="The reasoning task's first metric.")
    knowledge: Rows[Knowledge]
    facts: Figures | None = Field(description="The facts that the items rest on: the share that the model knows.")
    all: Figures | None = Field(description="Every answered item.")
    known: Figures | None = Field(description="Those all of whose facts the model knows; null: none.")
    rest: Figures | None = Field(description="Those of whose facts one or more are lacking; null: none.")
    free: Count = Field(description="Items that rest on no fact.")
    unclear: Count = Field(
        description="Items no fact of which is lacking, but one was not asked, failed or got no verdict."
    )


class TaskAgainst(Cell, Against):
    """One cell of reasoning items."""


class _Group(Strict):
    """Tasks of a benchmark, asked in one way."""

    benchmark: str
    split: Split
    variant: Wording
    shots: Count
    scoring: Scoring
    perturb: Perturb
    tasks: Rows[Task]
    sets: Rows[Set]


class PooledAgainst(_Group, Against):
    """All reasoning items of a model over several tasks."""

    model: Name


class Battle(Strict):
    """A pair of models on the items that both retain."""

    against: Name
    items: Count
    margin: Number = Field(description="The model's accuracy less the other's; null: no items.")


class IndependentModel(Strict):
    """The authors' measures of one model. Shares, rounded to four decimals as theirs are, in percent, to two."""

    model: Name
    items: Count
    accuracy: Number
    rank: _Rank = Field(description="By accuracy; models that tie share a rank.")
    retained: Count = Field(
        description="Items no fact of which the model lacks; items that rest on none are among them."
    )
    unclear: Count = Field(description="Items not retained only because a fact was not asked or got no verdict.")
    frmm: Number = Field(description="Accuracy on these; null: there are none.")
    frmm_rank: _Rank
    mib: Number = Field(description="Mean of the margins, the model's own zero included; null: no other model.")
    mib_rank: _Rank
    battles: Rows[Battle]


class Independent(_Group):
    """FRMM and MIB of the models asked in one way, on facts decided in one way. Baselines and adapters are left out."""

    knowledge: Rows[Knowledge]
    models: Rows[IndependentModel]
    left_out: Rows[Name] = Field(description="Models with replies that failed or are still to be made.")


class Memory(Strict):
    """Items that rest on facts, beside the items that ask for these."""

    tasks: Rows[TaskAgainst]
    pooled: Rows[PooledAgainst]
    independent: Rows[Independent]
