"""Sheets as CSV, LaTeX (booktabs) or Markdown. Cells are data: markup, commands and formulas in them are escaped.

In LaTeX the best value of a column is bold and the second underlined, if the column states which value is better. Rows of
kind "apart" (chance, published figures) are not ranked.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from evalsuite.common import csvfile
from evalsuite.common.errors import ConfigError, unknown
from evalsuite.common.linebreaks import is_chinese
from evalsuite.common.sheet import CellValue, Column, Sheet, Text, Value, english, spell
from evalsuite.common.terminal import safe

_Shown = Sheet | Text | str  # a sheet, or a line of text between sheets


def _line(text: str | Text) -> str:
    return safe(" ".join(english(text).split()), lines=False)


def _columns(sheet: Sheet) -> list[int]:
    return [n for n, column in enumerate(sheet.columns) if column.kind != "bar"]


def heads(sheet: Sheet) -> list[str]:
    """Headings of the columns, each on one line."""
    columns = (sheet.columns[n] for n in _columns(sheet))
    return [_line(f"{english(c.heading)} {english(c.below)}") for c in columns]


def words(sheet: Sheet) -> list[list[str]]:
    """The cells of each row as texts, each on one line."""
    return [[_spelled(row.cells[n], sheet.columns[n]) for n in _columns(sheet)] for row in sheet.rows]


def _lines(shown: Iterable[_Shown]) -> list[Sheet | str]:
    """The sheets, each followed by its notes, and the lines of text that are not blank."""
    shown_lines: list[Sheet | str] = []
    for line in shown:
        shown_lines += [line, *map(_line, line.notes)] if isinstance(line, Sheet) else [_line(line)]
    return [line for line in shown_lines if isinstance(line, Sheet) or line]


# ---------------------------------------------------------------- CSV


def as_csv(sheets: Iterable[_Shown]) -> str:
    """Each table as a line with its title, a line of headings, and its rows; tables are separated by a blank line.

    A number is alone in its field, so that programs sort and add it: ends of intervals and remarks have columns of their own.
    """
    parts = []
    for sheet in sheets:
        if isinstance(sheet, Sheet):
            out = io.StringIO()
            title = _line(sheet.title)
            rows = [*([[title]] if title else []), *_fields(sheet)]
            csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n").writerows(
                map(csvfile.field, row) for row in rows
            )
            parts.append(out.getvalue())
    return "\r\n".join(parts)


def _fields(sheet: Sheet) -> list[list[str]]:
    """The line of headings, and the rows."""
    columns: list[list[str]] = []
    for n, head in zip(_columns(sheet), heads(sheet), strict=True):
        column, cells = _numeric(sheet.columns[n]), [row.cells[n] for row in sheet.rows]
        values = [cell if isinstance(cell, Value) else None for cell in cells]
        if any(value and value.low is not None for value in values):
            if column.interval == "beside":
                columns.append([head, *(_spelled(_bare(cell), column) for cell in cells)])
            for end in ("low", "high"):
                ends = [getattr(value, end) if value else None for value in values]
                columns.append([f"{head} {end}", *(_spelled(x, column) for x in ends)])
        elif column.right:
            columns.append([head, *(_spelled(_bare(cell), column) for cell in cells)])
        else:
            columns.append([head, *(_spelled(cell, column) for cell in cells)])
            continue
        remarks = [_remarks(value) if value else "" for value in values]
        if any(remarks):
            columns.append([f"{head} remarks", *remarks])
    return [list(row) for row in zip(*columns, strict=True)]


def _numeric(column: Column) -> Column:
    """The column. A column of p-values is changed to print small ones as numbers, not as "<0.001"."""
    return replace(column, kind="number", digits=6) if column.kind == "p" else column


def _remarks(value: Value) -> str:
    """The remarks and warnings beside a value."""
    return _line("".join((*map(english, value.asides), *(f" {flag}" for flag in value.flags))))


def _bare(cell: CellValue) -> CellValue:
    """A cell's value without its interval and remarks."""
    return Value(cell.value) if isinstance(cell, Value) else cell


def _spelled(cell: CellValue, column: Column) -> str:
    return _line("".join(part for part, _ in spell(cell, column)))


# ---------------------------------------------------------------- Markdown


def as_markdown(sheets: Iterable[_Shown]) -> str:
    """Each table with its title in bold, and its notes as paragraphs."""
    from tabulate import tabulate

    parts = []
    for line in _lines(sheets):
        if isinstance(line, str):
            parts.append(markdown(line) + "\n")
            continue
        title = _line(line.title)
        table = tabulate(
            [[markdown(cell) for cell in row] for row in words(line)],
            [markdown(head) for head in heads(line)],
            tablefmt="pipe",
            colalign=_aligned(line),
            disable_numparse=True,
        )
        parts.append((f"**{markdown(title)}**\n\n" if title else "") + table + "\n")
    return "\n".join(parts)


def _aligned(sheet: Sheet) -> list[str] | None:
    return ["right" if sheet.columns[n].right else "left" for n in _columns(sheet)] if sheet.rows else None


def markdown(text: str) -> str:
    """Escape a text, so that Markdown finds no markup, HTML, link or formula in it."""
    text = re.sub(r"[\\`*_{}\[\]#!|~$@]|:(?=//)|(?<=www)\.", r"\\\g<0>", text)
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = re.sub(r"^(\d+)([.)])(?=\s|$)", r"\1\\\2", text)  # the number of a list's entry
    return re.sub(r"^([-+](?!\d)|=)", r"\\\1", text)


# ---------------------------------------------------------------- LaTeX


def as_latex(sheets: Iterable[_Shown]) -> str:
    """Each table as a LaTeX `table`, and notes as comments; the first line names the packages to load."""
    lines = _lines(sheets)
    parts = [f"% {line}\n" if isinstance(line, str) else _latex_table(line) for line in lines]
    tables = (line for line in lines if isinstance(line, Sheet))
    texts = (text for line in tables for row in ([_line(line.title)], heads(line), *words(line)) for text in row)
    chinese = any(is_chinese(char) for text in texts for char in text)
    more = "; for the Chinese \\usepackage{ctex}, compiled by XeLaTeX or LuaLaTeX" if chinese else ""
    return f"% needs \\usepackage{{booktabs}}{more}\n" + "\n".join(parts)


def _latex_table(sheet: Sheet) -> str:
    from tabulate import SEPARATING_LINE, DataRow, TableFormat, tabulate
    from tabulate import Line as Rule

    top, middle, bottom = (Rule(rf"\{name}rule", "", "", "") for name in ("top", "mid", "bottom"))
    booktabs = TableFormat(
        lineabove=top,
        linebelowheader=middle,
        linebetweenrows=None,
        linebelow=bottom,
        headerrow=DataRow("", " & ", r" \\"),
        datarow=DataRow("", " & ", r" \\"),
        padding=0,
        with_header_hide=None,
    )
    marks, rows = ranked(sheet), []
    for n, row in enumerate(words(sheet)):
        if n and sheet.rows[n].is_ruled(sheet.rows[n - 1]):
            rows.append(SEPARATING_LINE)
        rows.append([_marked(cell, marks.get((n, at), "")) for at, cell in zip(_columns(sheet), row, strict=True)])
    title, aligned = _line(sheet.title), _aligned(sheet)
    table = tabulate(rows, [latex(h) for h in heads(sheet)], tablefmt=booktabs, colalign=aligned, disable_numparse=True)
    letters = "".join("r" if sheet.columns[n].right else "l" for n in _columns(sheet))
    caption = [rf"\caption{{{latex(title)}}}"] if title else []
    begin = [r"\begin{table}[t]", r"\centering", *caption, rf"\begin{{tabular}}{{{letters}}}"]
    return "\n".join([*begin, table, r"\end{tabular}", r"\end{table}"]) + "\n"


def _marked(cell: str, command: str) -> str:
    number = _NUMBER.match(cell)
    if not command or not number:
        return latex(cell)
    return rf"\{command}{{{latex(number.group())}}}{latex(cell[number.end() :])}"


def ranked(sheet: Sheet) -> dict[tuple[int, int], str]:
    """(row, column) -> "textbf" for the best and "underline" for the second. Values that are printed alike share a mark."""
    marks = {}
    for at, column in enumerate(sheet.columns):
        if column.better:
            comparable = {n: _comparable(row.cells[at], column) for n, row in enumerate(sheet.rows) if row.kind == ""}
            values = {n: value for n, value in comparable.items() if value is not None}
            order = sorted(set(values.values()), reverse=column.better == "more")
            for n, value in values.items():
                if len(values) > 1 and value in order[:2]:
                    marks[n, at] = "textbf" if value == order[0] else "underline"
    return marks


def _comparable(cell: CellValue, column: Column) -> float | None:
    """The value with the printed precision; None if it is no number, or not comparable with the rest of its column."""
    if isinstance(cell, Value) and not cell.compares:
        return None
    number = _NUMBER.match(spell(cell, column)[0][0])
    return float(number.group()) if number else None


_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\symbol{34}",
    "`": r"\textasciigrave{}",
    "-": "-{}",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "–": r"\textendash{}",
    "…": r"\ldots{}",
    "→": r"$\to$",
    "≠": r"$\neq$",
    "±": r"$\pm$",
    "·": r"$\cdot$",
    "|Δ|": r"$|\Delta|$",
    "Δ": r"$\Delta$",
    "ρ": r"$\rho$",
    "κ": r"$\kappa$",
    "τ": r"$\tau$",
    "−": "$-$",
}
# LaTeX joins two hyphens to a dash. Longest first: |Δ| before its bars.
_LATEX_MARKS = re.compile("-(?=-)|" + "|".join(map(re.escape, sorted(_LATEX.keys() - {"-"}, key=len, reverse=True))))


def latex(text: str) -> str:
    """Escape a text for LaTeX. `[` and `*` get braces, as after `\\\\` LaTeX would read them as its arguments."""
    escaped = _LATEX_MARKS.sub(lambda match: _LATEX[match.group()], text)
    return re.sub(r"(?<![\w}-])-(?=\d)", "$-$", escaped)


FORMATS: dict[str, Callable[[Sequence[_Shown]], str]] = {"csv": as_csv, "latex": as_latex, "markdown": as_markdown}


def export(sheets: Sequence[_Shown], form: str) -> str:
    """The sheets in a format of FORMATS. Raises ConfigError for another one."""
    if form not in FORMATS:
        raise ConfigError(unknown("format", form, ("table", *FORMATS)))
    return FORMATS[form](sheets)
