"""Sheets as tables that fit the width of a terminal, drawn by rich."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text as Styled

from evalsuite.common.language import chinese, translated
from evalsuite.common.linebreaks import is_chinese, may_break
from evalsuite.common.sheet import Column, Piece, Row, Sheet, Text, spell
from evalsuite.common.terminal import one_line, safe

WORDS = 16  # least width of a column of words, in characters, unless its cells are shorter
HEAD = 15  # the least width of a heading over numbers: no word of ours is cut
_STYLES = {"strong": "bold", "quiet": "dim", "flag": "yellow"}


def draw(sheets: Iterable[Sheet | Text | str]) -> Iterator[RenderableType]:
    """Make sheets and lines of text renderable by a rich console. A blank line parts a sheet's notes from the next sheet."""
    noted = False
    for one in sheets:
        if noted and isinstance(one, Sheet):
            yield FoldedText("")
        yield SheetDrawing(one) if isinstance(one, Sheet) else FoldedText(safe(in_terminal_language(one)))
        noted = isinstance(one, Sheet) and bool(one.finding or one.notes)


def in_terminal_language(text: str | Text) -> str:
    """A text of ours in the terminal's language."""
    if isinstance(text, Text):
        return text.zh if chinese() else text.en
    return translated(text)


def listing(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """A plain table of texts, for lists of tasks or models."""
    head = Styled(one_line(translated(title)))
    table = Table(
        title=head, title_justify="left", box=SIMPLE_HEAD, collapse_padding=True, min_width=cell_len(head.plain)
    )
    for n, name in enumerate(columns):
        words = [len(word) for row in rows for word in row[n].split() if word.isascii()]
        least = max((word for word in words if word < WORDS), default=0)  # words up to this length are not folded
        table.add_column(translated(name), no_wrap=n == 0, overflow="fold", min_width=least)
    for row in rows:
        table.add_row(*(Styled(one_line(cell)) for cell in row))
    return table


@dataclass(frozen=True, slots=True)
class FoldedText:
    """A text for a rich console, folded to its width."""

    text: str

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield folded(Styled(self.text), options.max_width)


@dataclass(frozen=True, slots=True)
class SheetDrawing:
    """A sheet for a rich console: one table or, if it is too wide, several that repeat the key columns; then its notes."""

    sheet: Sheet

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self.sheet.columns and self.sheet.rows:
            whole, brief = _Grid(self.sheet), _Grid(_briefly(self.sheet))
            fewer = len(_cut(brief, options.max_width)) < len(_cut(whole, options.max_width))
            yield from _tables(brief if fewer else whole, options.max_width)
        found = (self.sheet.finding,) if self.sheet.finding else ()
        for note in (*found, *self.sheet.notes):
            yield folded(Styled(_one_line(in_terminal_language(note)), style="dim"), options.max_width)


def _briefly(sheet: Sheet) -> Sheet:
    """A sheet whose tasks are headed by their short names in Chinese, too, where these are shorter. Notes spell them out."""
    columns = (
        replace(column, heading=column.heading.en)
        if "task" in column.about
        and isinstance(column.heading, Text)
        and len(column.heading.en) < 2 * len(in_terminal_language(column.heading))
        else column
        for column in sheet.columns
    )
    return replace(sheet, columns=tuple(columns))


def _one_line(text: str) -> str:
    return safe(text, lines=False)


class _Grid:
    """The texts of all cells and headings, and the widths of the columns."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.cells: list[list[list[Piece]]] = []
        below = False  # whether the row is below a group's heading
        for row in sheet.rows:
            spelled = [
                spell(cell, column, in_terminal_language) for cell, column in zip(row.cells, sheet.columns, strict=True)
            ]
            shown = [[(_one_line(words), tone) for words, tone in cell] for cell in spelled]
            below = row.kind == "group" or (below and row.kind == "")
            if below and row.kind == "":
                shown[0] = [("  ", ""), *shown[0]]
            self.cells.append(shown)
        self.heads = [_heading(column) for column in sheet.columns]
        self.widths = [self._widths(n) for n in range(len(sheet.columns))]

    def _widths(self, n: int) -> tuple[int, int]:
        """(least width, width in which no line breaks) of a column, in terminal cells."""
        column, cells = self.sheet.columns[n], [row[n] for row in self.cells]
        full = max(cell_len("".join(words for words, _ in cell)) for cell in cells)
        head = max((cell_len(part) for part in self.heads[n].split("\n")), default=0)
        word = max((cell_len(part) for part in self.heads[n].split()), default=0)
        if column.right:
            return max(min(HEAD, word), *(_parts(cell) for cell in cells)), max(full, head)
        return min(WORDS, max(full, word)), max(full, head)


def _parts(cell: Sequence[Piece]) -> int:
    """Width of a cell's longest part; flags may be on lines of their own."""
    value = cell_len("".join(words for words, tone in cell if tone != "flag"))
    return max(value, *(cell_len(words.strip()) for words, tone in cell if tone == "flag"), 0)


def _heading(column: Column) -> str:
    """Text of a heading. Over numbers it may break before an underscore: "robust\n_typos"."""
    parts = [_one_line(in_terminal_language(text)) for text in (column.heading, column.below)]
    head = "\n".join(filter(None, parts))
    return head.replace("_", "\n_").lstrip("\n") if column.right else head


def _tables(grid: _Grid, width: int) -> Iterator[Table]:
    """One table, or if that is too wide several with a part of the columns each; all of them repeat the key columns."""
    return (_table(grid, shown, width) for shown in _cut(grid, width))


def _cut(grid: _Grid, width: int) -> list[list[int]]:
    """The columns of each table."""
    columns = grid.sheet.columns
    keys = [n for n, column in enumerate(columns) if n == 0 or column.key]
    others = [n for n in range(len(columns)) if n not in keys]
    tables = []
    while others:
        count = len(others)
        while count > 1 and _least(grid, [*keys, *others[:count]]) > width:
            count -= 1
        # Spread the columns evenly over the tables.
        if count < len(others):
            count = -(-len(others) // -(-len(others) // count))
        tables.append([*keys, *others[:count]])
        others = others[count:]
    return tables or [keys]


def _least(grid: _Grid, shown: Sequence[int]) -> int:
    return _total([grid.widths[n][0] for n in shown])


def _total(widths: Sequence[int]) -> int:
    """Width of a table: its columns, and the blanks that rich puts around them."""
    return sum(widths) + 2 * len(widths) + 2


def _table(grid: _Grid, shown: Sequence[int], width: int) -> Table:
    title = Styled(_one_line(in_terminal_language(grid.sheet.title)))
    # Without min_width rich folds the title to the width of the columns.
    table = Table(
        title=title if title else None,
        title_justify="left",
        box=SIMPLE_HEAD,
        collapse_padding=True,
        min_width=min(width, cell_len(title.plain)),
    )
    widths = {n: grid.widths[n][0] for n in shown}
    for n in sorted(shown, key=lambda n: not grid.sheet.columns[n].right):  # columns of numbers widen first
        room = width - _total([*widths.values()]) + widths[n]
        widths[n] = max(widths[n], min(room, grid.widths[n][1]))
    for at, n in enumerate(shown):
        justify: Literal["left", "right"] = "right" if grid.sheet.columns[n].right else "left"
        # With collapse_padding rich leaves out the blank before the first column.
        table.add_column(Styled(grid.heads[n]), justify=justify, overflow="fold", width=widths[n] + (at == 0))
    above: Row | None = None
    numbers = any(grid.sheet.columns[n].right for n in shown)  # a row of words alone is never empty
    for row, cells in zip(grid.sheet.rows, grid.cells, strict=True):
        row_cells = [cells[n] for n in shown]
        if numbers and row.kind != "group" and not any(words for cell in row_cells[1:] for words, _ in cell):
            continue  # the row is empty in these columns
        if above and (row.kind == "group" or (row.kind == "apart" and above.kind != "apart")):
            table.add_section()
        texts = [folded(_styled(cell), widths[n]) for n, cell in zip(shown, row_cells, strict=True)]
        table.add_row(*texts, style={"group": "bold", "apart": "dim"}.get(row.kind, ""))
        above = row
    return table


def folded(text: Styled, width: int) -> Styled:
    """A text with line breaks: where Chinese stands in it, it may break between any two of its characters, but not before
    ，。；：） nor after （“. rich breaks at blanks only, where a Chinese sentence has none, or few.

    >>> folded(Styled("读出八项任务中的六项，最好。"), 20).plain.split("\\n")
    ['读出八项任务中的六', '项，最好。']
    """
    plain = text.plain
    if cell_len(plain) <= width or not any(is_chinese(char) for char in plain):
        return text
    breaks: list[int] = []
    start = last = used = 0  # the line's start, its last place to break, its width
    for n, char in enumerate(plain):
        if char == "\n":
            start, last, used = n + 1, n + 1, 0
            continue
        if n > start and may_break(plain[n - 1], char):
            last = n
        used += cell_len(char)
        if used > width and char != " " and n > start:
            start = last if last > start else n
            breaks.append(start)
            used = cell_len(plain[start : n + 1])
    lines = text.divide(breaks)
    for line in lines:
        line.rstrip()
    return Styled("\n").join(lines)


def _styled(cell: Sequence[Piece]) -> Styled:
    text = Styled()
    for words, tone in cell:
        text.append(words, style=_STYLES.get(tone, ""))
    return text
