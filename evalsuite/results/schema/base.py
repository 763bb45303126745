"""Types shared by the models of a run's files."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from evalsuite.benchmarks.registry import BENCHMARKS, SHIPPED, TASKS
from evalsuite.common.errors import unknown
from evalsuite.perturb import PERTURBATIONS


class Strict(BaseModel):
    """A frozen model without coercion: unknown keys and numbers given as text are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


def _task(name: str) -> str:
    if name not in TASKS:
        raise ValueError(unknown("task", name, TASKS))
    return name


def _tasks(name: str) -> str:
    if name not in TASKS and name not in BENCHMARKS:
        raise ValueError(unknown("task or benchmark", name, [*BENCHMARKS, *TASKS]))
    return name


def _perturbation(name: str) -> str:
    if name not in PERTURBATIONS:
        raise ValueError(unknown("perturbation", name, PERTURBATIONS))
    return name


# Texts of items, several times as long as those of any data set: what strangers send is scored within bounded time.
Words = Annotated[str, Field(max_length=8_000)]
Name = Annotated[str, Field(min_length=1, max_length=1_000)]
Wording = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^/\\\x00-\x1f\x7f]+$")]
_Row = TypeVar("_Row")
Rows = Annotated[list[_Row], Field(fail_fast=True)]  # a list with a million wrong entries is one error
Count = Annotated[int, Field(ge=0)]
# Sums of shares may round to a little more than 1.
Share = Annotated[float, Field(ge=0, le=1 + 1e-9)]
Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$", description="SHA-256, in hexadecimal.")]
Task = Annotated[
    str,
    AfterValidator(_task),
    Field(
        json_schema_extra={"enum": [t.name for b in SHIPPED for t in b.tasks]},
        description="A name of `evalsuite tasks`.",
    ),
]
TaskOrBenchmark = Annotated[
    str,
    AfterValidator(_tasks),
    Field(
        json_schema_extra={"enum": [*(b.name for b in SHIPPED), *(t.name for b in SHIPPED for t in b.tasks)]},
        description="A name of `evalsuite tasks`, or that of a benchmark for all its tasks.",
    ),
]
Perturb = Annotated[
    str,
    AfterValidator(_perturbation),
    Field(json_schema_extra={"enum": list(PERTURBATIONS)}, description="The perturbation of the items."),
]
Set = Annotated[Wording, Field(description="easy or hard; of other benchmarks a fold, dimension, version or source.")]
Split = Literal["train", "dev", "test"]
Scoring = Annotated[
    Literal["generate", "labels", "texts", "constrained", "nll"],
    Field(description="Whether the model writes an answer, or its options are compared by likelihood."),
]
Number = float | None  # None: not defined, or nothing to compute it from


class Place(Strict):
    """Which items were asked, and how; with a model it is the place of a cell."""

    task: Task
    set: Set
    split: Split
    variant: Wording = Field(description="The prompt template's name.")
    shots: Count = Field(description="Examples before the question that were asked for.")
    scoring: Scoring
    perturb: Perturb


class Cell(Place):
    """One model on one task and set in one way."""

    model: Name = Field(description="The model's name in its models.yaml.")


class Interval(Strict):
    """A value with its 95 % interval over resampled dialogues; all null if there is nothing to compute it from."""

    value: Number
    low: Number
    high: Number


Settings = dict[str, Any]
