"""Columns of sheets, each with the function that gives its value for a row of an analysis."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from evalsuite.benchmarks.registry import TASKS, set_order, task_order
from evalsuite.common.sheet import About, CellValue, Column, Row, Text
from evalsuite.results.schema.base import CellFields, Located
from evalsuite.results.words import task_and_set

R = TypeVar("R")
CellRow = TypeVar("CellRow", bound=CellFields)
ValueColumn = tuple[Column, Callable[[R], CellValue]]
Columns = Sequence[ValueColumn[R]]

MODEL_HEADING = Column(Text("模型", "model"))
MODEL: ValueColumn[Any] = (MODEL_HEADING, lambda row: row.model)
TASK: ValueColumn[Any] = (Column(Text("任务", "task"), key=True), lambda row: task_and_set(TASKS[row.task], row.set))


def ways(rows: Sequence[Located]) -> Callable[[Located], str]:
    """The function that names the way in which a row was asked, after its split where `rows` differ in that."""
    several = len({row.coordinates()["split"] for row in rows}) > 1
    return lambda row: f"{row.coordinates()['split']} {row.way}" if several else row.way


def cell_names(rows: Sequence[CellFields]) -> Callable[[CellFields], Text]:
    """The function that names the cell of a row: its model, set and task, and where `rows` differ in these also split and way."""
    several = len({(row.way, row.split) for row in rows}) > 1

    def name(row: CellFields) -> Text:
        return task_and_set(TASKS[row.task], row.set, f"{row.model} ", f" {row.split} {row.way}" if several else "")

    return name


def by_model(rows: Iterable[CellRow]) -> list[CellRow]:
    """The rows by model, in the order of the models' first rows, then by set, then by task."""
    rows = list(rows)
    models = list(dict.fromkeys(row.model for row in rows))
    return sorted(rows, key=lambda row: (models.index(row.model), set_order(row.set), task_order(row.task)))


def place_of(row: Any) -> About:
    """The parts of the place (types.PLACE) that a row has a value of."""
    return {name: value for name, value in row.coordinates().items() if value is not None}


def table(
    columns: Columns[R], rows: Iterable[R], about: Callable[[R], About] = place_of
) -> tuple[tuple[Column, ...], tuple[Row, ...]]:
    """The columns and the rows of a sheet, as its constructor takes them.

    >>> columns = ((Column("half"), lambda n: n / 2), (Column("square"), lambda n: n * n))
    >>> [row.cells for row in table(columns, [4, 6], lambda n: {})[1]]
    [(2.0, 16), (3.0, 36)]
    """
    return headings(columns), tuple(row_of(columns, row, about(row)) for row in rows)


def headings(columns: Columns[Any]) -> tuple[Column, ...]:
    """The columns without their values."""
    return tuple(column for column, _ in columns)


def row_of(columns: Columns[R], row: R, about: About) -> Row:
    """The row of a sheet that shows the values of `row`."""
    return Row(tuple(value(row) for _, value in columns), about=about)
