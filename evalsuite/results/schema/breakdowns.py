"""The keys "breakdowns", "confusions" and "metric_correlations" of results.json."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from evalsuite.results.schema.base import Cell, Count, Rows, Set, Share, Split, Strict, Task

_Positive = Annotated[int, Field(ge=1)]
_Ends = Annotated[Rows[Share], Field(min_length=2, max_length=2)]
_Correlation = Annotated[float, Field(ge=-1, le=1)]


class Bin(Strict):
    """The items with a property from low to high, both inclusive."""

    low: Count | None = Field(description="Null, as is high: unknown.")
    high: Count | None = Field(description="Null: no upper end.")
    n: _Positive = Field(description="Items.")
    dialogues: _Positive = Field(description="Dialogues that they come from.")
    value: Share = Field(description="The cell's metric over them, 0 … 1.")
    interval: _Ends = Field(description="Wilson's 95 % interval at the effective number of items, low and high.")


class Group(Strict):
    """Items of one relation category, inference type or dimension."""

    name: str
    zh: str | None = Field(default=None, description="What it is shown as in Chinese; as its name if absent.")
    en: str | None = Field(default=None, description="In English.")
    n: _Positive = Field(description="Items.")
    dialogues: _Positive = Field(description="Dialogues that they come from.")
    value: Share = Field(description="The cell's metric over them, 0 … 1.")
    interval: _Ends = Field(description="As a bin's.")


class Breakdown(Cell):
    """A cell's score by properties of its items."""

    metric: str
    turns: Rows[Bin] = Field(description="By turns of the dialogue.")
    distance: Rows[Bin] = Field(description="By turns from what the question is about to the answer.")
    options: Rows[Bin] | None = Field(default=None, description="By number of options; choices only.")
    answers: Rows[Bin] | None = Field(default=None, description="By number of right answers; tasks with several only.")
    groups: Rows[Group] | None = Field(
        default=None, description="By group, in the paper's order, where there are several."
    )


class Aspect(Group):
    """A group over several tasks."""

    chance: Share = Field(description="Mean of 1 / number of options.")


class Aspects(Strict):
    """Accuracy by group of items over several tasks of a benchmark."""

    model: str
    set: Set
    split: Split
    variant: str
    shots: Count
    scoring: str
    perturb: Literal["none"]
    benchmark: str
    tasks: Rows[Task]
    groups: Rows[Aspect]


class Offer(Strict):
    """A set of options that items offered."""

    options: Rows[Count] = Field(description="Indices into names.")
    gold: Rows[Annotated[Rows[Count], Field(min_length=2, max_length=2)]] = Field(
        description="[right name, replies] of the items with these options."
    )


class Confusion(Cell):
    """A confusion matrix over names of the ontology; every rotation counts as a reply."""

    names: Rows[Annotated[Rows[str], Field(min_length=2, max_length=2)]] = Field(description="[Chinese, English]")
    pairs: Rows[Annotated[Rows[Count], Field(min_length=3, max_length=3)]] = Field(
        description="[right name, chosen name, replies]; names by their index."
    )
    silent: Rows[Annotated[Rows[Count], Field(min_length=2, max_length=2)]] = Field(
        description="[right name, replies that chose nothing]"
    )
    offers: Rows[Offer]


class MetricCorrelation(Strict):
    """Correlations between every two metrics of a task of spans or texts."""

    task: Task
    set: Set
    split: Split
    variant: str
    shots: Count
    basis: Literal["items", "models"] = Field(description="What a point is: an item of a model, or a model's cell.")
    models: Count
    n: Count = Field(description="Points.")
    of: Count = Field(description="Points that the sample was drawn from.")
    metrics: Rows[str]
    spearman: Rows[_Correlation | None] = Field(
        description="Of every two metrics, in the order (1, 2), (1, 3) … (2, 3) …; null where one is constant."
    )
    kendall: Rows[_Correlation | None] = Field(description="Kendall's τ-b, in the same order.")
