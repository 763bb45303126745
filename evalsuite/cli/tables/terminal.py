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
HEAD = 15  # characters: a word of a heading over numbers is folded only if it is longer
_STYLES = {"strong": "bold", "quiet": "dim", "flag": "yellow"}


def draw(sheets: Iterable[Sheet | Text | str]) -> Iterator[RenderableType]:
    """Make sheets and lines of text renderable by a rich console. A blank line separates notes of a sheet from the next sheet."""
    noted = False
    for line in sheets:
        if noted and isinstance(line, Sheet):
            yield FoldedText("")
        yield SheetDrawing(line) if isinstance(line, Sheet) else FoldedText(safe(in_terminal_language(line)))
        noted = isinstance(line, Sheet) and bool(line.finding or line.notes)


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
            brief = _briefly(self.sheet)
            # The widest drawing first: a narrower one takes its place only where it needs fewer tables.
            drawings = (_Grid(self.sheet), _Grid(brief), _Grid(brief, tight=True))
            grid = min(drawings, key=lambda drawing: len(_cut(drawing, options.max_width)))
            yield from (_table(grid, shown, options.max_width) for shown in _cut(grid, options.max_width))
        findings = (self.sheet.finding,) if self.sheet.finding else ()
        for note in (*findings, *self.sheet.notes):
            yield folded(Styled(_one_line(in_terminal_language(note)), style="dim"), options.max_width)


def _briefly(sheet: Sheet) -> Sheet:
    """The sheet with short names of tasks as headings, where these are narrower than the names in the terminal's language, as in
    Chinese. The sheet's notes spell them out."""
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
    """The texts of all cells and headings, and the widths of the columns. A tight grid has one blank between columns instead of
    two, and its remarks in brackets may stand below their value."""

    def __init__(self, sheet: Sheet, tight: bool = False) -> None:
        self.sheet, self.tight = sheet, tight
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
        # Widths of the columns in terminal cells: the least, that of the heading, and that in which no line breaks.
        self.headings = [max(map(cell_len, head.split("\n"))) for head in self.heads]
        self.full = [max(head, self._widest(n)) for n, head in enumerate(self.headings)]
        self.least = [self._least(n) for n in range(len(sheet.columns))]

    def _widest(self, n: int) -> int:
        return max(cell_len("".join(words for words, _ in row[n])) for row in self.cells)

    def _least(self, n: int) -> int:
        word = max(map(cell_len, self.heads[n].split()), default=0)
        if self.sheet.columns[n].right:
            return max(min(HEAD, word), *(self._longest_part(row[n]) for row in self.cells))
        return min(WORDS, max(self._widest(n), word))

    def _longest_part(self, cell: Sequence[Piece]) -> int:
        """The width of a cell's value or of a remark that may stand on a line of its own, whichever is wider."""
        apart = [words for words, tone in cell if tone == "flag" or (self.tight and words.startswith(" ("))]
        value = cell_len("".join(words for words, _ in cell if words not in apart))
        return max(value, *(cell_len(words.strip()) for words in apart), 0)

    def total(self, widths: Sequence[int]) -> int:
        """The width of a table of columns of these widths, with the blanks that rich puts around them."""
        return sum(widths) + len(widths) * (1 if self.tight else 2) + 2


def _heading(column: Column) -> str:
    """Text of a heading. Over numbers it may break before an underscore: "robust\n_typos"."""
    parts = [_one_line(in_terminal_language(text)) for text in (column.heading, column.below)]
    head = "\n".join(filter(None, parts))
    return head.replace("_", "\n_").lstrip("\n") if column.right else head


def _cut(grid: _Grid, width: int) -> list[list[int]]:
    """The columns of one table or, if that is wider than `width`, of several; each of them repeats the key columns."""
    columns = grid.sheet.columns
    keys = [n for n, column in enumerate(columns) if n == 0 or column.key]
    others = [n for n in range(len(columns)) if n not in keys]
    tables = []
    while others:
        count = len(others)
        while count > 1 and grid.total([grid.least[n] for n in (*keys, *others[:count])]) > width:
            count -= 1
        # Spread the columns evenly over the tables.
        if count < len(others):
            count = -(-len(others) // -(-len(others) // count))
        tables.append([*keys, *others[:count]])
        others = others[count:]
    return tables or [keys]


def _table(grid: _Grid, shown: Sequence[int], width: int) -> Table:
    title = Styled(_one_line(in_terminal_language(grid.sheet.title)))
    # Without min_width rich folds the title to the width of the columns.
    table = Table(
        title=title if title else None,
        title_justify="left",
        box=SIMPLE_HEAD,
        collapse_padding=True,
        padding=(0, 0 if grid.tight else 1),
        min_width=min(width, cell_len(title.plain)),
    )
    widths = {n: grid.least[n] for n in shown}
    numbers_first = sorted(shown, key=lambda n: not grid.sheet.columns[n].right)
    for wanted in (grid.headings, grid.full):  # no heading breaks for the sake of another column's cells
        for n in numbers_first:
            room = width - grid.total([*widths.values()]) + widths[n]
            widths[n] = max(widths[n], min(room, wanted[n]))
    for at, n in enumerate(shown):
        justify: Literal["left", "right"] = "right" if grid.sheet.columns[n].right else "left"
        # With collapse_padding rich leaves out the blank before the first column.
        wider = at == 0 and not grid.tight
        table.add_column(Styled(grid.heads[n]), justify=justify, overflow="fold", width=widths[n] + wider)
    above: Row | None = None
    numbers = any(grid.sheet.columns[n].right for n in shown)  # a row of words alone is never empty
    for row, cells in zip(grid.sheet.rows, grid.cells, strict=True):
        row_cells = [cells[n] for n in shown]
        if numbers and row.kind != "group" and not any(words for cell in row_cells[1:] for words, _ in cell):
            continue  # the row is empty in these columns
        if above and row.is_ruled(above):
            table.add_section()
        texts = [folded(_styled(cell), widths[n]) for n, cell in zip(shown, row_cells, strict=True)]
        table.add_row(*texts, style={"group": "bold", "apart": "dim"}.get(row.kind, ""))
        above = row
    return table


def folded(text: Styled, width: int) -> Styled:
    """A text with line breaks that fit the width. Chinese breaks between any two characters, but not before ，。；：） nor after
    （“. rich alone would break at blanks only, of which a Chinese sentence has few or none.

    >>> folded(Styled("读出八项任务中的六项，最好。"), 20).plain.split("\\n")
    ['读出八项任务中的六', '项，最好。']
    """
    plain = text.plain
    if cell_len(plain) <= width or not any(is_chinese(char) for char in plain):
        return text
    breaks: list[int] = []
    start = last = used = 0  # index of the line's start, index of the last possible break in it, its width
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
