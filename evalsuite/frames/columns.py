"""Columns of a table, from the fields of a pydantic model: results/schema/ says each name, type and meaning once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from typing_extensions import is_typeddict

ValueType = Literal["text", "int", "float", "bool"]
# Meanings of fields by name, where the schema has no description of its own.
COMMON = {
    "model": "The model's name in its models.yaml.",
    "base": "The model that was trained, or the figure compared with.",
    "split": "train, dev or test.",
    "variant": "The prompt template's name.",
    "wording": "The prompt template's name.",
    "shots": "Examples before the question that were asked for.",
    "benchmark": "The benchmark's name.",
    "metric": "The metric's name.",
    "item": "The item's id: benchmark/set/split/task/number in its file.",
    "value": "The figure, in the unit of its metric.",
    "low": "Lower end of the 95 % interval.",
    "high": "Upper end of the 95 % interval.",
    "mean": "Mean value.",
    "n": "How many the figure is of.",
    "items": "Items.",
    "dialogues": "Dialogues that the items come from.",
    "models": "Models.",
    "seed": "The seed.",
    "p": "p-value.",
    "chance": "The value of guessing.",
    "flip_rate": "Share of items whose result changed.",
    "right_to_wrong": "Items that became wrong.",
    "wrong_to_right": "Items that became right.",
    "parsed_in_both": "Items whose replies were both read.",
    "labels": "The labels of the options.",
    "worst": "Where the value is lowest.",
    "em": "Exact match.",
    "judge": "The judge's name.",
    "rubric": "The judges' rubric.",
    "scale": "A scale of the rubric.",
    "reader": "The second reader's name.",
    "pearson": "Pearson's r.",
    "spearman": "Spearman's ρ.",
    "kendall": "Kendall's τ.",
    "kappa": "Cohen's κ.",
    "within_1": "Share of pairs at most 1 apart.",
    "same": "Share of pairs that are equal.",
    "accuracy": "Accuracy.",
    "name": "Its name.",
    "zh": "In Chinese.",
    "en": "In English.",
    "reply": "The reply's text; null: the request failed.",
    "errors": "Errors of failed requests, and how often each.",
    "finish": "Why the reply ended.",
    "error": "Why the request failed; null: it did not.",
    "prompt_tokens": "Tokens of the prompt.",
    "rotation": "Which rotation of the options; 0: as in the file.",
    "start": "Where the answer begins in the reply, in characters.",
    "trained_on": "The training items.",
}
_KINDS: dict[Any, ValueType] = {str: "text", int: "int", float: "float", bool: "bool"}
ENDS = ("interval", "wilson")  # lists of two numbers that are an interval: two columns, …_low and …_high
EACH = "*"  # a step of a path: every entry of a list


@dataclass(frozen=True, slots=True)
class FrameColumn:
    """A column: its name, the type of its values, and their description."""

    name: str
    kind: ValueType
    meaning: str = ""
    depth: int = 0  # 1: the values are lists, 2: lists of lists
    null: bool = True  # values may be missing

    @property
    def type(self) -> str:
        """The type in words.

        >>> FrameColumn("options", "text", depth=1).type
        'list of text'
        """
        return "list of " * self.depth + self.kind


@dataclass(frozen=True, slots=True)
class Leaf:
    """A column with the path of keys to its value in a row."""

    column: FrameColumn
    path: tuple[str | int, ...]
    absent: Any = None  # the value if the last key is not there
    packed: bool = False  # an object of any form, as JSON text

    def read(self, row: Any) -> Any:
        value = _down(row, self.path, self.absent)
        return json.dumps(value, ensure_ascii=False) if self.packed and value is not None else value


@dataclass(frozen=True, slots=True)
class Child:
    """Rows within a row: a list of objects, or a mapping to objects or numbers."""

    path: tuple[str, ...]
    model: type[BaseModel] | None  # None: numbers
    keyed: bool  # a mapping, whose keys are a column
    meaning: str


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of a model: those with one value, and those with many."""

    leaves: list[Leaf] = field(default_factory=list)
    children: list[Child] = field(default_factory=list)


def fields_of(model: type[BaseModel], *, lists: bool = False) -> Fields:
    """The columns of a model and the rows within it. Keys of objects within an object are joined with _.

    `lists`: a list of objects becomes a column of lists for each of their keys, instead of rows.
    """
    found = Fields()
    _collect(found, model, (), "", 0, lists)
    return found


def _collect(
    found: Fields, model: type[BaseModel], path: tuple[str | int, ...], above: str, depth: int, lists: bool
) -> None:
    for name, info in model.model_fields.items():
        own = info.description or _described(info.annotation) or above or COMMON.get(name, "")
        meaning = own or " ".join((model.__doc__ or "").split())
        absent = None if info.is_required() else info.get_default(call_default_factory=True)
        _field(found, (*path, name), info.annotation, meaning, absent, not info.is_required(), depth, lists)


def _field(
    found: Fields,
    path: tuple[str | int, ...],
    hint: Any,
    meaning: str,
    absent: Any,
    null: bool,
    depth: int,
    lists: bool,
) -> None:
    core, optional = _core(hint)
    null = null or optional or len(path) > 1
    name = "_".join(str(step) for step in path if step != EACH)

    def leaf(kind: ValueType, level: int = depth, packed: bool = False) -> Leaf:
        value = absent if isinstance(absent, (str, int, float, bool)) else None
        return Leaf(FrameColumn(name, kind, meaning, level, null and value is None), path, value, packed)

    if isinstance(core, type) and issubclass(core, BaseModel):
        _collect(found, core, path, meaning, depth, lists)
    elif is_typeddict(core):
        for key, inner in get_type_hints(core, include_extras=True).items():
            _field(found, (*path, key), inner, meaning, None, True, depth, lists)
    elif get_origin(core) in (list, tuple):
        _list(found, path, core, meaning, null, depth, lists, leaf)
    elif get_origin(core) is dict:
        _mapping(found, path, core, meaning, depth, lists, leaf)
    else:
        kind = _kind(core)
        found.leaves.append(leaf(kind or "text", packed=kind is None))


def _list(
    found: Fields,
    path: tuple[str | int, ...],
    core: Any,
    meaning: str,
    null: bool,
    depth: int,
    lists: bool,
    leaf: Any,
) -> None:
    inner, _ = _core(get_args(core)[0])
    name = "_".join(str(step) for step in path if step != EACH)
    if isinstance(inner, type) and issubclass(inner, BaseModel):
        if lists:
            _collect(found, inner, (*path, EACH), meaning, depth + 1, lists)
        else:
            found.children.append(Child(tuple(map(str, path)), inner, False, meaning))
    elif path[-1] in ENDS:
        for i, end in enumerate(("low", "high")):
            text = f"{'Lower' if i == 0 else 'Upper'} end. {meaning}"
            found.leaves.append(Leaf(FrameColumn(f"{name}_{end}", "float", text, depth, True), (*path, i)))
    else:
        level = depth + 1
        while get_origin(inner) is list:
            inner, level = _core(get_args(inner)[0])[0], level + 1
        kind = _kind(inner) if get_origin(core) is list else None
        found.leaves.append(leaf(kind, level) if kind else leaf("text", packed=True))


def _mapping(
    found: Fields, path: tuple[str | int, ...], core: Any, meaning: str, depth: int, lists: bool, leaf: Any
) -> None:
    keys, values = (_core(arg)[0] for arg in get_args(core))
    if get_origin(keys) is Literal:  # known keys become columns; absent ones are counts of 0
        for key in get_args(keys):
            _field(found, (*path, key), values, meaning, 0 if values is int else None, True, depth, lists)
    elif isinstance(values, type) and issubclass(values, BaseModel):
        found.children.append(Child(tuple(map(str, path)), values, True, meaning))
    elif values is float:
        found.children.append(Child(tuple(map(str, path)), None, True, meaning))
    else:
        found.leaves.append(leaf("text", packed=True))


def _kind(core: Any) -> ValueType | None:
    """The kind of a scalar; None for an object of any form."""
    if get_origin(core) is Literal:
        return _KINDS[type(get_args(core)[0])]
    return _KINDS.get(core)


def _core(hint: Any) -> tuple[Any, bool]:
    """A type without its annotations and without None, and whether it may be None."""
    if get_origin(hint) is Annotated:
        return _core(get_args(hint)[0])
    if get_origin(hint) in (Union, UnionType):
        (inner,) = (arg for arg in get_args(hint) if arg is not NoneType)
        return _core(inner)[0], True
    return hint, False


def _described(hint: Any) -> str:
    """The description within a type."""
    for arg in get_args(hint):
        if isinstance(arg, FieldInfo) and arg.description:
            return arg.description
        if get_origin(hint) in (Annotated, Union, UnionType) and (found := _described(arg)):
            return found
    return ""


def _down(value: Any, path: tuple[str | int, ...], absent: Any) -> Any:
    for i, step in enumerate(path):
        if value is None:
            return None
        if step == EACH:
            return [_down(each, path[i + 1 :], absent) for each in value]
        if isinstance(step, int):
            value = value[step]
        elif isinstance(value, Mapping):
            value = value.get(step, absent if i == len(path) - 1 else None)
        else:
            raise TypeError(f"{'.'.join(map(str, path))}: expected an object, found {type(value).__name__}")
    return value
