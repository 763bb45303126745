"""Types shared by the values of a run's files: what is computed, written, read and shown."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from evalsuite import types
from evalsuite.benchmarks.registry import BENCHMARKS, TASKS, shipped
from evalsuite.common.errors import unknown
from evalsuite.common.jsonl import JsonObject
from evalsuite.common.sheet import Value
from evalsuite.perturb import PERTURBATIONS

PlaceFilter = Mapping[str, AbstractSet[Any]]  # part of a place (types.PLACE) -> the values that are wanted


class Strict(BaseModel):
    """A frozen model without coercion: unknown keys and numbers given as text are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    def written(self) -> JsonObject:
        """The JSON object that files hold. Fields that have their default value are left out."""
        return self.model_dump(exclude_defaults=True)


class Located(Strict):
    """A row about some cells: it has parts of their place (types.PLACE) as fields."""

    def coordinates(self) -> dict[str, Any]:
        """The parts of the place that the row has, in the order of PLACE."""
        fields = type(self).model_fields
        return {name: getattr(self, name) for name in types.PLACE if name in fields}

    def without(self, *names: str) -> types.Coordinates:
        """The coordinates without `names`: a hashable key for rows that differ in `names` only."""
        return tuple((name, value) for name, value in self.coordinates().items() if name not in names)

    def concerns(self, chosen: PlaceFilter) -> bool:
        """Whether the row is about chosen cells only. A row that pools tasks needs all of them chosen, since its figures hold for
        no part of them. A row that compares or pools sets needs one of them chosen."""
        pooled, sets = getattr(self, "tasks", ()), getattr(self, "sets", ())
        if sets and not {*sets} & {*chosen.get("set", sets)}:
            return False
        if "task" in chosen and not {*pooled} <= chosen["task"]:
            return False
        return all(value in chosen.get(name, (value,)) for name, value in self.coordinates().items())

    @property
    def way(self) -> str:
        """`Place.way`: "plain 5-shot labels shuffle"."""
        return types.Place(**{"model": "", "task": "", "set": "", "split": "", **self.coordinates()}).way


def _known(what: str, *registries: Collection[str]) -> AfterValidator:
    """A validator that refuses a name that no registry has."""

    def check(name: str) -> str:
        if not any(name in registry for registry in registries):
            raise ValueError(unknown(what, name, chain(*registries)))
        return name

    return AfterValidator(check)


def _tasks_that_ship(schema: JsonObject) -> None:
    schema["enum"] = [t.name for b in shipped() for t in b.tasks]


def _names_that_ship(schema: JsonObject) -> None:
    schema["enum"] = [*(b.name for b in shipped()), *(t.name for b in shipped() for t in b.tasks)]


# Limits on texts of items: several times the longest of any data set, so that strangers' files are scored in bounded time.
ItemText = Annotated[str, Field(max_length=8_000)]
Name = Annotated[str, Field(min_length=1, max_length=1_000)]
PlainName = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^/\\\x00-\x1f\x7f]+$")]
_Element = TypeVar("_Element")
_Narrowed = TypeVar("_Narrowed")
Rows = Annotated[list[_Element], Field(fail_fast=True)]  # a list with a million wrong entries is one error
Count = Annotated[int, Field(ge=0, lt=2**53)]  # JavaScript holds it exactly
# Sums of shares may round to a little more than 1.
Share = Annotated[float, Field(ge=0, le=1 + 1e-9)]
Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$", description="SHA-256, in hexadecimal.")]
TaskName = Annotated[
    str,
    _known("task", TASKS),
    Field(
        json_schema_extra=_tasks_that_ship,
        description="A name of `evalsuite tasks`.",
    ),
]
TaskOrBenchmark = Annotated[
    str,
    _known("task or benchmark", BENCHMARKS, TASKS),
    Field(
        json_schema_extra=_names_that_ship,
        description="A name of `evalsuite tasks`, or that of a benchmark for all its tasks.",
    ),
]
Perturb = Annotated[
    str,
    _known("perturbation", PERTURBATIONS),
    Field(json_schema_extra={"enum": list(PERTURBATIONS)}, description="The perturbation of the items."),
]
Set = Annotated[PlainName, Field(description="easy or hard; of other benchmarks a fold, dimension, version or source.")]
Split = Literal["train", "dev", "test"]
Scoring = Annotated[
    Literal["generate", "labels", "texts", "constrained", "nll"],
    Field(description="Whether the model writes an answer, or its options are compared by likelihood."),
]
Number = float | None  # None: not defined, or nothing to compute it from
StatusName = Literal["parsed", "unparsed", "refused", "truncated", "several", "conflict", "empty", "filtered", "failed"]


Variant = Annotated[PlainName, Field(description="The prompt template's name.")]
ShotCount = Annotated[Count, Field(description="Examples before the question that were asked for.")]
ModelName = Annotated[Name, Field(description="The model's name in its models.yaml.")]


class _ModelFields(Located):
    model: ModelName


class SharedPlaceFields(Located):
    """The place that cells of several models share: all parts but the model."""

    task: TaskName
    set: Set
    split: Split
    variant: Variant
    shots: ShotCount
    scoring: Scoring
    perturb: Perturb


class CellFields(SharedPlaceFields, _ModelFields):  # the fields of the last base come first
    """One model on one task and set in one way."""

    @property
    def place(self) -> types.Place:
        return types.Place(**self.coordinates())


class TaskFields(Located):
    """One model on one task in one way, over several sets."""

    model: ModelName
    task: TaskName
    split: Split
    variant: Variant
    shots: ShotCount
    scoring: Scoring
    perturb: Perturb


class AskingsFields(Located):
    """One model on one task and set, asked in several ways."""

    model: ModelName
    task: TaskName
    set: Set
    split: Split
    variant: str | None = Field(description="The prompt template's name; null where wordings differ.")
    shots: ShotCount
    scoring: Scoring
    perturb: str | None = Field(description="The perturbation; null where perturbations differ.")

    @property
    def way(self) -> str:
        """`Place.way` without the part in which the askings differ."""
        shared = {name: value for name, value in self.coordinates().items() if value is not None}
        return types.Place(**{"variant": "", **shared}).way.lstrip()


class IntervalFields(Strict):
    """A value with its 95 % interval, dialogues as units; all null if there is nothing to compute it from."""

    value: Number
    low: Number
    high: Number

    @property
    def bounds(self) -> tuple[float, float, float] | None:
        """Value, low and high; None without an interval."""
        if self.value is None or self.low is None or self.high is None:
            return None
        return self.value, self.low, self.high

    @property
    def as_value(self) -> Value:
        """The value with its interval, for tables."""
        return Value(self.value, self.low, self.high)


SettingsFields = JsonObject


def narrowed(content: _Narrowed, chosen: PlaceFilter) -> _Narrowed:
    """The content of an analysis without rows about cells that are not chosen, at any depth of lists and models."""
    if isinstance(content, list):
        rows = [row for row in content if not isinstance(row, Located) or row.concerns(chosen)]
        return [narrowed(row, chosen) for row in rows]  # type: ignore[return-value]
    if isinstance(content, Strict):
        fields = {name: getattr(content, name) for name in type(content).model_fields}
        return content.model_copy(
            update={name: narrowed(value, chosen) for name, value in fields.items() if isinstance(value, list | Strict)}
        )
    return content
