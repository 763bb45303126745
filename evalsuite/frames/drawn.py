"""The sheets of `evalsuite show` as rows, one for each cell of a sheet: for analyses without content in results.json."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from evalsuite.analyses.table import sheets
from evalsuite.common.sheet import CellValue, Sheet, Text, Value, english
from evalsuite.frames.columns import FrameColumn
from evalsuite.frames.tables import place_columns
from evalsuite.results.analysis import Results
from evalsuite.types import PLACE


def drawn_columns() -> tuple[FrameColumn, ...]:
    """The columns, which are the same for every analysis."""
    return (
        FrameColumn("sheet", "text", "The table's title.", null=False),
        FrameColumn("row", "text", "The row's heading.", null=False),
        FrameColumn("column", "text", "The column's heading.", null=False),
        FrameColumn("value", "float", "The number; percentages are shares of 1."),
        FrameColumn("low", "float", "Lower end of its interval."),
        FrameColumn("high", "float", "Upper end of its interval."),
        FrameColumn("text", "text", "The cell's text, if it holds no number."),
        FrameColumn(
            "remarks", "text", "Remarks beside the value: warnings, signs of significance.", depth=1, null=False
        ),
        *place_columns(),
    )


def drawn_rows(results: Results, name: str) -> Iterator[list[Any]]:
    """The cells of an analysis' sheets. Raises ConfigError for an unknown name."""
    for sheet in sheets(results, [name]):
        yield from _cells(sheet)


def _cells(sheet: Sheet) -> Iterator[list[Any]]:
    for row in sheet.rows:
        if row.kind == "group":
            continue
        heads = [
            cell
            for cell, column in zip(row.cells, sheet.columns, strict=True)
            if column.key or column is sheet.columns[0]
        ]
        head = " ".join(text for cell in heads if (text := _words(cell)))
        for cell, column in list(zip(row.cells, sheet.columns, strict=True))[1:]:
            if column.kind == "bar" or cell is None:
                continue
            about: Mapping[str, Any] = {**sheet.about, **row.about, **column.about}
            heading = " ".join(filter(None, (english(column.heading), english(column.below))))
            yield [english(sheet.title), head, heading, *_figures(cell), *(about.get(key) for key in PLACE)]


def _figures(cell: CellValue) -> list[Any]:
    """[value, low, high, text, remarks] of a sheet's cell."""
    whole = cell if isinstance(cell, Value) else None
    low, high = (whole.low, whole.high) if whole else (None, None)
    remarks = [english(text).strip() for text in (*whole.asides, *whole.flags)] if whole else []
    inner = whole.value if whole else cell
    number = isinstance(inner, (int, float)) and not isinstance(inner, bool)
    return [inner if number else None, low, high, None if number else _words(cell), remarks]


def _words(cell: CellValue) -> str | None:
    if isinstance(cell, Value):
        return None if cell.value is None else english(cell.value) if isinstance(cell.value, Text) else str(cell.value)
    if isinstance(cell, Mapping):
        return json.dumps(cell, ensure_ascii=False)
    return None if cell is None else english(cell) if isinstance(cell, (str, Text)) else f"{cell:g}"
