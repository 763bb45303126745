"""Tables as data. An analysis returns sheets; terminal, CSV, LaTeX, Markdown and the page draw any sheet.

A sheet holds no style: a column states the kind of its values, and each output decides on their look.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import cache
from typing import Any, Literal

from evalsuite.common.numbers import fixed, p_words

About = Mapping[str, Any]  # fields of a `types.Place` -> values; any may be missing


@dataclass(frozen=True, slots=True)
class Text:
    """A text in both languages of page and terminal. Exported files are in English. A text for the terminal alone is a str in
    English, which common/zh.json translates."""

    zh: str
    en: str


@dataclass(frozen=True, slots=True)
class Value:
    """A number with its interval and remarks."""

    value: float | int | str | Text | None  # None is drawn as a dash
    low: float | None = None  # lower end of its interval, in the unit of the value
    high: float | None = None
    asides: tuple[str | Text, ...] = ()  # short remarks after the value; each brings its own leading blank
    tone: Literal["", "strong", "quiet"] = ""
    flags: tuple[str, ...] = ()  # warnings (silent replies, lost requests); outputs may put them on a separate line
    compares: bool = True  # False: not comparable with the other values of its column, so never marked as best


# A mapping is a histogram: score -> count. None leaves the cell blank.
CellValue = str | int | float | Text | Value | Mapping[str, int] | None
ColumnKind = Literal["text", "count", "number", "percent", "p", "bar", "histogram"]


@dataclass(frozen=True, slots=True)
class Column:
    """A heading and the kind of the values below it.

    Percent: shares of 1, drawn times 100. p: p-values; those below 0.001 are drawn as "<0.001". Bar: shares of the longest bar,
    drawn as bars and not exported.
    """

    heading: str | Text
    below: str | Text = ""  # the heading's second line: a metric, a unit
    kind: ColumnKind = "text"
    digits: int | None = None  # decimals; None: 1 for percent, 2 for numbers
    signed: bool = False  # positive values get a plus
    interval: Literal["beside", "alone"] = "beside"  # form of an interval: "30.0 20–40", or "20–40"
    better: Literal["", "more", "less"] = ""  # the direction of better values in the column; "": none
    align: Literal["", "left", "right"] = ""  # "": text on the left, numbers on the right
    range: tuple[float, float] | None = None  # smallest and largest possible value, the scale of the page's bars
    key: bool = False  # identifies the row, as the first column does; repeated where a wide table is split
    shade: float | None = None  # the size of change with the darkest shade on the page; None: not shaded
    about: About = field(default_factory=dict)

    @property
    def right(self) -> bool:
        return self.align == "right" or (self.align == "" and self.kind not in ("text", "bar", "histogram"))


@dataclass(frozen=True, slots=True)
class Row:
    """A cell for each column.

    Group: the heading of the rows below it. Apart: reference values (chance, a paper's figures, n), drawn below a rule.
    """

    cells: tuple[CellValue, ...]
    kind: Literal["", "group", "apart"] = ""
    about: About = field(default_factory=dict)

    def is_ruled(self, above: Row) -> bool:
        """Whether a rule separates this row from the one above: it heads a group, or is the first of several rows apart."""
        return self.kind == "group" or (self.kind == "apart" and above.kind != "apart")


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing of a sheet, which the page shows above the sheet's table. Terminal and exports have the table alone.

    lines     Values with their intervals. `across` None: the columns of figures are the positions on the x axis, a row is a
              line, and a group's own cells (numbers of items) stand below the axis. Else `across` is the column of the
              positions: rows that agree in all other key columns are a line, and so is each of the columns `up`. Numbers in
              it make a scale; texts stand side by side. Rows apart are dotted levels. With `ends` every line is drawn, and
              the figure of that column stands at its end beside its name; a quiet figure makes the line faint. With `before`
              the value at position 0 is a level across the panel, joined to no other.
    dots      A row for each row, with a marker for each of the columns `up`, from the lowest to the highest.
    scatter   A point for each row: column `across` by column `up`. The points of a model are joined.
    bars      A small table for each group, with two bars in a row: a filled one for the share in the first column of `up`, a
              hollow one for that in the second.
    matrix    A square for a row and column, shaded by its value. `across` None: the columns of figures are those of the matrix.
              Else `across` has its columns' names, `up` its values, and the groups' headings are its rows.

    Every group of a sheet of lines or dots is a panel of its own.

    >>> Chart("lines", across=4, up=(5,), pick=("task", "set"))  # the votes of one task and set: a line per model, k across
    Chart(kind='lines', across=4, up=(5,), pick=('task', 'set'), title='', joined=True, diagonal=False, ends=None, before=False)
    """

    kind: Literal["lines", "matrix", "dots", "scatter", "bars"]
    across: int | None = None
    up: tuple[int, ...] = ()
    pick: tuple[str, ...] = ()  # fields of `about`, or "run": one value of each is shown at a time
    title: str | Text = ""  # lines: the title of a panel, if the sheet's would repeat what is picked
    joined: bool = True  # lines: False where positions have no order
    diagonal: bool = False  # lines: draw the line on which both axes agree, as in a reliability diagram
    ends: int | None = None
    before: bool = False


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table. The `about` of sheet, column and row together give a cell's `types.Place`. The page links a complete place
    to its records and filters by an incomplete one.

    >>> sheet = Sheet("demo", "Demo", (Column("model"), Column("CKF", "acc %", "percent")), (Row(("a", 0.5)),))
    >>> [spell(cell, column) for cell, column in zip(sheet.rows[0].cells, sheet.columns)]
    [[('a', '')], [('50.0', '')]]
    """

    name: str  # equal for all tables of an analysis; stands in file names and addresses
    title: str | Text
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str | Text, ...] = ()  # below the table
    about: About = field(default_factory=dict)
    chart: Chart | None = None
    # Fields of `about` whose values the sheet compares: no setting of the page hides one of them.
    compares: tuple[str, ...] = ()
    finding: Text | None = None  # a sentence on the result; it stays in view if the section is folded


def english(text: str | Text) -> str:
    """The English version of a text."""
    return text.en if isinstance(text, Text) else text


BAR = 24  # length of the longest bar in characters

Piece = tuple[str, str]  # (words, tone); tone: "", "strong", "quiet" or "flag"


def spell(cell: CellValue, column: Column, words_of: Callable[[str | Text], str] = english) -> list[Piece]:
    """The words of a cell, in the language of `words_of`: the value first, then its interval and remarks."""
    if cell is None:
        return [("", "")]
    if isinstance(cell, Mapping):
        return [(" ".join(map(str, cell.values())), "")]
    if not isinstance(cell, Value):
        return [(words_of(cell) if isinstance(cell, Text) else _words(cell, column), "")]
    if cell.value is None and cell.low is None:
        parts: list[Piece] = [("–", cell.tone or "quiet")]
    elif column.interval == "alone":
        parts = [(_between(cell, column, _digits(column)), cell.tone)]
    else:
        value = words_of(cell.value) if isinstance(cell.value, Text) else cell.value
        parts = [(_words("–" if value is None else value, column), cell.tone)]
        if isinstance(cell.low, (int, float)) and isinstance(cell.high, (int, float)):
            # One digit fewer than the value is enough for its interval.
            parts.append((f" {_between(cell, column, max(0, _digits(column) - 1))}", "quiet"))
    parts += [(words_of(aside), "quiet") for aside in cell.asides]
    return parts + [(f" {flag}", "flag") for flag in cell.flags]


def _digits(column: Column) -> int:
    return {"percent": 1, "number": 2}.get(column.kind, 0) if column.digits is None else column.digits


def _between(value: Value, column: Column, digits: int) -> str:
    # A dash next to signed numbers would look like a minus.
    low, high = (_end(x, column, digits) for x in (value.low, value.high))
    return f"{low}{' … ' if column.signed else '–'}{high}"


def _end(value: float | None, column: Column, digits: int) -> str:
    """An end of an interval. In an interval of a change, an end that would be rounded to zero has as many digits as the value, so
    that a reader sees on which side of zero it lies."""
    for words in (_words(value, replace(column, digits=n)) for n in (digits, _digits(column))):
        if not column.signed or value is None or words.strip("+-0."):
            return words
    return "0"


def _words(value: str | float | int | None, column: Column) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    if column.kind == "bar":
        return "█" * max(1, round(BAR * value))
    if column.kind == "p":
        return p_words(value)
    if column.kind in ("text", "count"):
        return f"{value:g}" if isinstance(value, float) else str(value)
    sign = "+" if column.signed else ""
    return fixed(100 * value if column.kind == "percent" else value, _digits(column), sign)


_PLAIN = {str, float, int, bool, type(None)}


def as_json(value: Any) -> Any:
    """A sheet as JSON data: fields are keys, fields with their default value are left out."""
    if value.__class__ in _PLAIN:
        return value
    if isinstance(value, tuple | list):
        return [as_json(v) for v in value]
    if isinstance(value, Mapping):
        return {k: as_json(v) for k, v in value.items()}
    defaults = _defaults(value.__class__)
    return {name: as_json(inner) for name, default in defaults if (inner := getattr(value, name)) != default}


@cache
def _defaults(form: Any) -> list[tuple[str, Any]]:
    """The fields of a dataclass with their default values, MISSING where there is none."""
    return [(f.name, f.default if f.default_factory is MISSING else f.default_factory()) for f in fields(form)]
