"""The tables of results.json, made from its schema: every list of objects, and every mapping to objects or numbers.

A table within a table has the keys of the outer one as its first columns. A new section of the schema becomes a table by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from pydantic import BaseModel

from evalsuite.analyses.saved import results_file
from evalsuite.benchmarks.registry import TASKS, metric_named
from evalsuite.common.grouping import by_key
from evalsuite.frames.columns import Child, FrameColumn, Leaf, fields_of
from evalsuite.types import PLACE

Values = list[Any]
# Mapping -> the name of the column that holds its keys; "name" for other mappings. The keys of `values` are the part of the
# place that the row lacks.
_KEYS = {"metrics": "metric", "scales": "scale", "by_kind": "attack"}
_NO_KEYS = ("records", "signature")
_NUMBERS = ("shots", "seed", "size")  # columns of numbers that identify a row, as texts do
_WHO = ("judge", "rubric", "control", "reader", "metric")  # columns that follow those of the place
# Table -> the key of an object in its rows that becomes a table of its own and keeps its columns in the first table.
_APART = {"cells": "tokens"}


@dataclass(frozen=True, slots=True)
class InnerRows:
    """A step from a row to its inner rows: their columns, and the function that finds them."""

    columns: tuple[FrameColumn, ...]  # the column of keys, if the inner rows are a mapping
    leaves: tuple[Leaf, ...]
    entries: Callable[[Any], Iterator[tuple[tuple[Any, ...], Any]]]  # row -> (key, inner row)


@dataclass(frozen=True, slots=True)
class Table:
    """A table of results.json: its name, its columns, and the steps to its rows."""

    name: str
    meaning: str
    columns: tuple[FrameColumn, ...]
    steps: tuple[InnerRows, ...]
    order: tuple[int, ...]  # for each column the index of its value among those that the steps give for a row
    more: Callable[[Mapping[str, Any]], Values] | None = None  # values of the last columns, computed from the row

    def rows(self, content: Mapping[str, Any]) -> Iterator[Values]:
        """The rows, in the order of the file; `content` is that of results.json."""
        for values in _walk(self.steps, content, []):
            row = [values[i] for i in self.order]
            names = (column.name for column in self.columns)
            yield row if self.more is None else row + self.more(dict(zip(names, row, strict=False)))


@cache
def tables() -> dict[str, Table]:
    """The tables by name, in the order of the schema."""
    by_name = {table.name: table for table in _tables(results_file(), "", "", ())}
    by_name["cells"] = _with_scale(by_name["cells"])
    return by_name


def place_columns() -> tuple[FrameColumn, ...]:
    """The columns of a place; each of their values may be missing."""
    known = {column.name: column for column in tables()["cells"].columns}
    return tuple(replace(known[name], null=True) for name in PLACE)


def _tables(model: type[BaseModel], name: str, meaning: str, above: tuple[InnerRows, ...]) -> Iterator[Table]:
    """The table of a model's rows and the tables within it. `above`: the steps from the file to these rows."""
    fields = fields_of(model)
    if above:
        above = (*above[:-1], replace(above[-1], leaves=tuple(fields.leaves)))
    unfolded = next((child for child in fields.children if _is_content(child)), None)
    whole = above if unfolded is None else (*above, _within(unfolded, model, keep_row=True))
    numbers = any(leaf.column.kind != "text" and not _is_key(leaf) for step in whole[-2:] for leaf in step.leaves)
    given = bool(name) and (numbers or not fields.children)
    if given:
        yield _table(name, meaning, whole, unfolded is not None)
    if name in _APART:
        yield _object_table(_APART[name], above)
    lists = [child for child in fields.children if child is not unfolded]
    # Columns of a row that has no table of its own are repeated in the tables within it.
    yield from _inner(lists, model, name, _keys(above) if given else above)
    if unfolded and unfolded.model:
        yield from _inner(fields_of(unfolded.model).children, unfolded.model, name, _keys(whole))


def _is_content(child: Child) -> bool:
    """Whether the child is the content of its row, so that each of its entries becomes a row."""
    return child.keyed and (child.model is not None or child.path[-1] == "values")


def _inner(
    children: Sequence[Child], model: type[BaseModel], name: str, above: tuple[InnerRows, ...]
) -> Iterator[Table]:
    """The tables of the rows within a row. Lists of the same model share a table."""
    for siblings in by_key((child.path if child.keyed else child.model, child) for child in children).values():
        child = siblings[0]
        inner_name = "_".join(filter(None, [name, *([] if len(siblings) > 1 else child.path)]))
        steps = (*above, _within(child, model, siblings))
        if child.model is None:
            yield _table(inner_name, _meaning(child), steps, False)
        else:
            yield from _tables(child.model, inner_name, _meaning(child), steps)


def _keys(steps: tuple[InnerRows, ...]) -> tuple[InnerRows, ...]:
    """The steps, with the columns that identify a row alone."""
    return tuple(replace(step, leaves=tuple(filter(_is_key, step.leaves))) for step in steps)


def _meaning(child: Child) -> str:
    """The meaning of a child's rows, from the docstring of their model, else from the field."""
    return " ".join((getattr(child.model, "__doc__", None) or "").split()) or child.meaning


def _within(child: Child, model: type[BaseModel], siblings: Sequence[Child] = (), keep_row: bool = False) -> InnerRows:
    """The step from a row to the inner rows of `child`, or of all `siblings`, which share a table. `keep_row`: a row that has no
    inner rows becomes one row with nulls."""
    if child.keyed:
        keys: tuple[FrameColumn, ...] = (_key(child, model),)
        leaves = (
            fields_of(child.model).leaves
            if child.model
            else [Leaf(FrameColumn("value", "float", child.meaning), ("value",))]
        )
    else:
        names = ", ".join(sibling.path[-1] for sibling in siblings)
        keys = (FrameColumn("by", "text", f"By which property: {names}.", null=False),) if len(siblings) > 1 else ()
        leaves = []

    def entries(row: Any) -> Iterator[tuple[tuple[Any, ...], Any]]:
        if child.keyed:
            whole = child.model is not None
            inner = _read(row, child.path) or {}
            for name, value in inner.items():
                yield (int(name) if keys[0].kind == "int" else name,), value if whole else {"value": value}
            if keep_row and not inner:
                yield (None,), {}
        else:
            for sibling in siblings:
                for value in _read(row, sibling.path) or ():
                    yield (sibling.path[-1],) if keys else (), value

    if keep_row:
        leaves = [replace(leaf, column=replace(leaf.column, null=True)) for leaf in leaves]
    return InnerRows(keys, tuple(leaves), entries)


def _read(row: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        row = (row or {}).get(key)
    return row


def _key(child: Child, model: type[BaseModel]) -> FrameColumn:
    """The column of a mapping's keys."""
    name = _KEYS.get(child.path[-1], "name")
    if child.path[-1] == "values":
        (name,) = set(PLACE) - set(model.model_fields)
    return FrameColumn(name, "int" if name in _NUMBERS else "text", child.meaning)


def _is_key(leaf: Leaf) -> bool:
    """Whether a column names its row, as texts and some numbers do."""
    column = leaf.column
    if len(leaf.path) > 1 or column.depth or leaf.packed or column.name in _NO_KEYS:
        return False
    return column.kind == "text" or column.name in _NUMBERS


def _table(name: str, meaning: str, steps: tuple[InnerRows, ...], unfolded: bool) -> Table:
    parts = [[*step.columns, *(leaf.column for leaf in step.leaves)] for step in steps]
    columns = _unique_names(name, [column for part in parts for column in part])
    last = len(columns) - len(parts[-1]) if unfolded else len(columns)

    def group(i: int) -> int:
        """Sort key of a column: the coordinates of the place first, then other keys, then unfolded values, then the rest."""
        name = columns[i].name
        return PLACE.index(name) if name in PLACE else 10 if name in _WHO else 11 if i >= last else 12

    order = sorted(range(len(columns)), key=group)
    return Table(name, meaning, tuple(columns[i] for i in order), steps, tuple(order))


def _unique_names(table: str, columns: list[FrameColumn]) -> list[FrameColumn]:
    """Make the names of columns unique: of two equal ones, the first gets the name of the table's section as a prefix."""
    last = {column.name: i for i, column in enumerate(columns)}
    section = table.split("_")[0]
    return [
        column if last[column.name] == i else replace(column, name=f"{section}_{column.name}")
        for i, column in enumerate(columns)
    ]


def _object_table(key: str, above: tuple[InnerRows, ...]) -> Table:
    """One row for each row that has the object `key`: its place, and the object's values."""
    (step,) = above
    place = [leaf for leaf in step.leaves if leaf.column.name in PLACE]
    inner = [
        replace(leaf, column=replace(leaf.column, name="_".join(map(str, leaf.path[1:]))))
        for leaf in step.leaves
        if leaf.path[0] == key
    ]

    def entries(row: Any) -> Iterator[tuple[tuple[Any, ...], Any]]:
        return ((keys, entry) for keys, entry in step.entries(row) if entry.get(key))

    meaning = "The tokens of the replies of each cell that has some."
    return _table(key, meaning, (InnerRows((), (*place, *inner), entries),), False)


def _with_scale(cells: Table) -> Table:
    """The cells' table with the scale of each metric."""
    columns = (
        FrameColumn("headline", "bool", "The task's first metric, which tables show.", null=False),
        FrameColumn("top", "float", "The metric's highest possible value; null: it has none."),
        FrameColumn("lower_better", "bool", "A lower value is better."),
    )

    def more(row: Mapping[str, Any]) -> Values:
        task, name = TASKS[row["task"]], row["metric"]
        if name is None:
            return [False, None, None]
        known = metric_named(name)
        return [name == task.metrics[0], known.maximum, known.lower_is_better]

    return replace(cells, columns=(*cells.columns, *columns), more=more)


def _walk(steps: Sequence[InnerRows], row: Any, before: Values) -> Iterator[Values]:
    step, *rest = steps
    for key, inner in step.entries(row):
        values = [*before, *key, *(leaf.read(inner) for leaf in step.leaves)]
        if rest:
            yield from _walk(rest, inner, values)
        else:
            yield values
