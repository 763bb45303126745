"""Tables as data. An analysis returns sheets; terminal, CSV, LaTeX, Markdown and the page draw any sheet.

A sheet has no style of its own: a column says what its values are, and each drawer decides how these look.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from typing import Any, Literal

About = Mapping[str, Any]  # names of types.PLACE -> values, or some of them


@dataclass(frozen=True, slots=True)
class Text:
    """Words that people read, in both languages of the page. The terminal and exported files are in English: what only
    they show is a plain str."""

    zh: str
    en: str


@dataclass(frozen=True, slots=True)
class Value:
    """A number with what stands beside it."""

    value: float | int | str | None  # None: there is none, drawn as a dash
    low: float | None = None  # its interval, in the same unit
    high: float | None = None
    asides: tuple[str, ...] = ()  # short remarks behind it, each with the blank before it if it wants one
    tone: Literal["", "strong", "quiet"] = ""
    flags: tuple[
        str, ...
    ] = ()  # remarks that warn: silent replies, lost requests; they may stand on a line of their own
    compares: bool = True  # False: not comparable with the rest of its column, so never marked as the best


# A mapping is a histogram: score -> count. None leaves the cell blank.
Cell = str | int | float | Text | Value | Mapping[str, int] | None
Kind = Literal["text", "count", "number", "percent", "bar", "histogram"]


@dataclass(frozen=True, slots=True)
class Column:
    """What the values below a heading are.

    Percent: shares of 1, drawn times 100. Bar: shares of 1 of the longest bar, drawn as bars and not exported.
    """

    heading: str | Text
    below: str | Text = ""  # the heading's second line: a metric, a unit
    kind: Kind = "text"
    digits: int | None = None  # behind the point; None: 1 for percent, 2 for numbers
    signed: bool = False  # with a plus where they are positive
    interval: Literal["beside", "half", "alone"] = (
        "beside"  # how a value's interval stands: "30.0 20–40", "30±10", "20–40"
    )
    better: Literal["", "more", "less"] = ""  # which value of the column is the best; "": they do not compete
    align: Literal["", "left", "right"] = ""  # "": text on the left, numbers on the right
    range: tuple[float, float] | None = None  # the least and largest value possible: the page draws values between them
    key: bool = False  # names the row, as the first column does: repeated where a table is split for its width
    about: About = field(default_factory=dict)

    @property
    def right(self) -> bool:
        return self.align == "right" or (self.align == "" and self.kind not in ("text", "bar", "histogram"))


@dataclass(frozen=True, slots=True)
class Row:
    """A cell for each column.

    Group: the heading of the rows below it. Apart: what values are compared with (chance, a paper's figures, n), below a rule.
    """

    cells: tuple[Cell, ...]
    kind: Literal["", "group", "apart"] = ""
    about: About = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table. What sheet, column and row are `about` make, together, the place of a cell: a whole place is a link to the
    cell's evidence, and a part of one is what filters go by.

    >>> sheet = Sheet("demo", "Demo", (Column("model"), Column("CKF", "acc %", "percent")), (Row(("a", 0.5)),))
    >>> [spell(cell, column) for cell, column in zip(sheet.rows[0].cells, sheet.columns)]
    [[('a', '')], [('50.0', '')]]
    """

    name: str  # the same for all tables of a kind, in file names and addresses
    title: str | Text
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str | Text, ...] = ()  # below the table
    about: About = field(default_factory=dict)


def english(text: str | Text) -> str:
    return text.en if isinstance(text, Text) else text


BAR = 24  # characters of the longest bar

Piece = tuple[str, str]  # words, tone: "", "strong", "quiet" or "flag"


def spell(cell: Cell, column: Column) -> list[Piece]:
    """The words of a cell, in English: the value first, then its interval and remarks."""
    if cell is None:
        return [("", "")]
    if isinstance(cell, Mapping):
        return [(" ".join(map(str, cell.values())), "")]
    if not isinstance(cell, Value):
        return [(_words(cell, column), "")]
    if cell.value is None and cell.low is None:
        parts: list[Piece] = [("–", cell.tone or "quiet")]
    elif column.interval == "alone":
        parts = [(_between(cell, column, _digits(column)), cell.tone)]
    else:
        parts = [(_words("–" if cell.value is None else cell.value, column), cell.tone)]
        if isinstance(cell.low, (int, float)) and isinstance(cell.high, (int, float)):
            scale = 50 if column.kind == "percent" else 0.5
            half = f"±{scale * (cell.high - cell.low):.{_digits(column)}f}"
            # Beside the value its interval needs no digits that would say little.
            beside = f" {_between(cell, column, max(0, _digits(column) - 1))}"
            parts.append((half if column.interval == "half" else beside, "quiet"))
    parts += [(aside, "quiet") for aside in cell.asides]
    return parts + [(f" {flag}", "flag") for flag in cell.flags]


def _digits(column: Column) -> int:
    return {"percent": 1, "number": 2}.get(column.kind, 0) if column.digits is None else column.digits


def _between(value: Value, column: Column, digits: int) -> str:
    # Signs and a dash would run into each other.
    low, high = (_words(x, replace(column, digits=digits)) for x in (value.low, value.high))
    return f"{low}{' … ' if column.signed else '–'}{high}"


def _words(value: Text | str | float | int | None, column: Column) -> str:
    if value is None or isinstance(value, (str, Text)):
        return english(value or "")
    if column.kind == "bar":
        return "█" * max(1, round(BAR * value))
    if column.kind in ("text", "count"):
        return f"{value:g}" if isinstance(value, float) else str(value)
    sign = "+" if column.signed else ""
    return f"{100 * value if column.kind == 'percent' else value:{sign}.{_digits(column)}f}"


def as_json(value: Any) -> Any:
    """A sheet as JSON has it: fields as keys, those at their default left out."""
    if is_dataclass(value) and not isinstance(value, type):
        told = {}
        for f in fields(value):
            usual = f.default_factory() if f.default_factory is not MISSING else f.default
            if (found := getattr(value, f.name)) != usual or f.default is f.default_factory is MISSING:
                told[f.name] = as_json(found)
        return told
    if isinstance(value, Mapping):
        return {k: as_json(v) for k, v in value.items()}
    if isinstance(value, (tuple, list)):
        return [as_json(v) for v in value]
    return value
