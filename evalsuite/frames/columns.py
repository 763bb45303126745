"""Columns of a table, from the fields of a pydantic model: results/schema/ says each name, type and meaning once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from typing_extensions import is_typeddict

from evalsuite.common.yamltext import packaged_yaml

ValueType = Literal["text", "int", "float", "bool"]
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
    null: bool = True  # whether values may be missing

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
    packed: bool = False  # whether the value is an object of any form, given as JSON text

    def read(self, row: Any) -> Any:
        value = _down(row, self.path, self.absent)
        return json.dumps(value, ensure_ascii=False) if self.packed and value is not None else value


@dataclass(frozen=True, slots=True)
class Child:
    """Rows within a row: a list of objects, or a mapping to objects or numbers."""

    path: tuple[str, ...]
    model: type[BaseModel] | None  # the model of a row; None where the rows are numbers
    keyed: bool  # whether it is a mapping, whose keys are a column
    meaning: str


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of a model."""

    leaves: list[Leaf] = field(default_factory=list)  # fields with one value in a row
    children: list[Child] = field(default_factory=list)  # fields with rows of their own


@dataclass(frozen=True, slots=True)
class _FieldPosition:
    """A field's position in a row, and its description, default value and nullability there."""

    path: tuple[str | int, ...]
    meaning: str
    depth: int  # number of lists around it
    absent: Any = None  # the field's value if the row lacks it
    null: bool = True  # whether the row may lack the field
    optional: bool = False  # whether the field, or an object around it, may be null

    @property
    def name(self) -> str:
        return "_".join(str(step) for step in self.path if step != EACH)

    def leaf(self, kind: ValueType, lists: int = 0, packed: bool = False) -> Leaf:
        """The field as a column of values that are nested in `lists` further lists."""
        absent = self.absent if isinstance(self.absent, (str, int, float, bool)) else None
        null = self.optional or (self.null and absent is None)
        return Leaf(FrameColumn(self.name, kind, self.meaning, self.depth + lists, null), self.path, absent, packed)

    def child(self, model: type[BaseModel] | None, keyed: bool) -> Child:
        """The field as rows within the row."""
        return Child(tuple(map(str, self.path)), model, keyed, self.meaning)


def fields_of(model: type[BaseModel], *, lists: bool = False) -> Fields:
    """The columns of a model and the rows within its rows. The keys of nested objects are joined by _.

    `lists`: a list of objects becomes a column of lists for each of their keys, instead of rows.
    """
    fields = Fields()
    _collect(fields, model, _FieldPosition((), "", 0), lists)
    return fields


@cache
def _usual_meanings() -> dict[str, str]:
    meanings: dict[str, str] = packaged_yaml("frames/meanings.yaml")
    return meanings


def _collect(fields: Fields, model: type[BaseModel], at: _FieldPosition, lists: bool) -> None:
    """Add the fields of a model to `fields`. `at`: the model's position in the row."""
    for name, info in model.model_fields.items():
        described = info.description or _described(info.annotation) or at.meaning or _usual_meanings().get(name, "")
        meaning = described or " ".join((model.__doc__ or "").split())
        absent = None if info.is_required() else info.get_default(call_default_factory=True)
        inner = _FieldPosition((*at.path, name), meaning, at.depth, absent, not info.is_required(), at.optional)
        _field(fields, inner, info.annotation, lists)


def _field(fields: Fields, at: _FieldPosition, hint: Any, lists: bool) -> None:
    """Add a field whose type is `hint` to `fields`: a column, several columns, or rows within the row."""
    core, optional = _core(hint)
    at = replace(at, null=at.null or optional or len(at.path) > 1, optional=at.optional or optional)
    if isinstance(core, type) and issubclass(core, BaseModel):
        _collect(fields, core, at, lists)
    elif is_typeddict(core):
        for key, inner in get_type_hints(core, include_extras=True).items():
            _field(fields, _FieldPosition((*at.path, key), at.meaning, at.depth), inner, lists)
    elif get_origin(core) in (list, tuple):
        _list(fields, at, core, lists)
    elif get_origin(core) is dict:
        _mapping(fields, at, core, lists)
    else:
        kind = _kind(core)
        fields.leaves.append(at.leaf(kind or "text", packed=kind is None))


def _list(fields: Fields, at: _FieldPosition, core: Any, lists: bool) -> None:
    inner, _ = _core(get_args(core)[0])
    if isinstance(inner, type) and issubclass(inner, BaseModel):
        if lists:
            _collect(fields, inner, _FieldPosition((*at.path, EACH), at.meaning, at.depth + 1), lists)
        else:
            fields.children.append(at.child(inner, keyed=False))
    elif at.path[-1] in ENDS:
        for i, (end, words) in enumerate((("low", "Lower"), ("high", "Upper"))):
            column = FrameColumn(f"{at.name}_{end}", "float", f"{words} end. {at.meaning}", at.depth)
            fields.leaves.append(Leaf(column, (*at.path, i)))
    else:
        level = 1
        while get_origin(inner) is list:
            inner, level = _core(get_args(inner)[0])[0], level + 1
        kind = _kind(inner) if get_origin(core) is list else None
        fields.leaves.append(at.leaf(kind, level) if kind else at.leaf("text", packed=True))


def _mapping(fields: Fields, at: _FieldPosition, core: Any, lists: bool) -> None:
    keys, values = (_core(arg)[0] for arg in get_args(core))
    if get_origin(keys) is Literal:  # known keys become columns; a count without its key is 0
        absent = 0 if values is int else None
        for key in get_args(keys):
            _field(fields, _FieldPosition((*at.path, key), at.meaning, at.depth, absent), values, lists)
    elif isinstance(values, type) and issubclass(values, BaseModel):
        fields.children.append(at.child(values, keyed=True))
    elif values is float:
        fields.children.append(at.child(None, keyed=True))
    else:
        fields.leaves.append(at.leaf("text", packed=True))


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
    """The description among a type's annotations, or among those of its members; "" without one."""
    for arg in get_args(hint):
        if isinstance(arg, FieldInfo) and arg.description:
            return arg.description
        if get_origin(hint) in (Annotated, Union, UnionType) and (words := _described(arg)):
            return words
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
