"""Any rich table as CSV, LaTeX (booktabs) or Markdown. Cells are data: in none of the three do they mean anything.

In LaTeX the best value of a column stands bold and the second underlined, where rows compete: tables whose first column
is the model, columns of percent or ranks. Rows below a section (chance, the paper's) do not take part.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from rich.table import Table
from rich.text import Text

from evalsuite.common.errors import ConfigError, unknown
from evalsuite.common.terminal import safe


@dataclass(frozen=True, slots=True)
class Grid:
    """A table as texts, each on one line."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    ends: frozenset[int]  # rows that end a section
    right: tuple[bool, ...]  # columns of numbers


def grid(table: Table) -> Grid:
    columns = [[_text(cell) for cell in column.cells] for column in table.columns]
    return Grid(
        _text(table.title or ""),
        tuple(_text(column.header) for column in table.columns),
        tuple(zip(*columns, strict=True)),
        frozenset(n for n, row in enumerate(table.rows) if row.end_section),
        tuple(column.justify == "right" for column in table.columns),
    )


def _text(cell: object) -> str:
    plain = cell.plain if isinstance(cell, Text) else str(cell)
    # Heads break where a name is joined by "_", and between words: "robust\n_typos".
    return safe(" ".join(plain.replace("\n_", "_").split()), lines=False)


def as_csv(shown: Iterable[Table | Text]) -> str:
    """Each table as a line of its title, its head, its rows; an empty line between two."""
    parts = []
    for table in shown:
        if isinstance(table, Table):
            g = grid(table)
            out = io.StringIO()
            rows = [[g.title], g.head, *g.rows] if g.title else [g.head, *g.rows]
            csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n").writerows(
                [_field(c) for c in r] for r in rows
            )
            parts.append(out.getvalue())
    return "\r\n".join(parts)


def _field(cell: str) -> str:
    # A spreadsheet takes a text that starts like a formula for one: an apostrophe keeps it a text.
    return cell if _NUMBER.fullmatch(cell) or not re.match(r"[=+\-@＝＋－＠]", cell) else f"'{cell}"


def as_markdown(shown: Iterable[Table | Text]) -> str:
    parts = []
    for table in shown:
        if not isinstance(table, Table):
            if table.plain.strip():
                parts.append(markdown(_text(table)) + "\n")
            continue
        g = grid(table)
        lines = [g.head, [("--:" if right else ":--") for right in g.right], *g.rows]
        body = ["| " + " | ".join(c if n == 1 else markdown(c) for c in row) + " |" for n, row in enumerate(lines)]
        parts.append("\n".join([*([f"**{markdown(g.title)}**", ""] if g.title else []), *body]) + "\n")
    return "\n".join(parts)


def markdown(text: str) -> str:
    """Nothing of it is markup, HTML, a link or a formula."""
    text = re.sub(r"[\\`*_{}\[\]#!|~$@]|:(?=//)|(?<=www)\.", r"\\\g<0>", text)
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"^([-+=]|\d+[.)](?=\s))", r"\\\1", text) if not _NUMBER.match(text) else text


def as_latex(shown: Iterable[Table | Text]) -> str:
    parts, chinese = [], False
    for table in shown:
        if not isinstance(table, Table):
            if table.plain.strip():
                parts.append(f"% {_text(table)}\n")
            continue
        g = grid(table)
        chinese = chinese or any(_CHINESE.search(c) for row in (g.head, (g.title,), *g.rows) for c in row)
        parts.append(_tabular(g))
    needs = "% needs \\usepackage{booktabs}"
    more = "; for the Chinese \\usepackage{ctex}, compiled by XeLaTeX or LuaLaTeX" if chinese else ""
    return f"{needs}{more}\n" + "\n".join(parts)


def _tabular(g: Grid) -> str:
    marks = ranked(g)
    lines = [r"\begin{table}[t]", r"\centering", *([rf"\caption{{{latex(g.title)}}}"] if g.title else [])]
    lines += [rf"\begin{{tabular}}{{{''.join('r' if r else 'l' for r in g.right)}}}", r"\toprule"]
    lines += [" & ".join(map(latex, g.head)) + r" \\", r"\midrule"]
    for n, row in enumerate(g.rows):
        cells = (_marked(cell, marks.get((n, column), "")) for column, cell in enumerate(row))
        lines.append(" & ".join(cells) + r" \\")
        if n in g.ends and n + 1 < len(g.rows):
            lines.append(r"\midrule")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}"]) + "\n"


def _marked(cell: str, command: str) -> str:
    found = _NUMBER.match(cell)
    if not command or not found:
        return latex(cell)
    return rf"\{command}{{{latex(found.group())}}}{latex(cell[found.end() :])}"


def ranked(g: Grid) -> dict[tuple[int, int], str]:
    """(row, column) -> textbf or underline. Equal values share their mark."""
    if not g.head or g.head[0] != "model" or not g.rows:
        return {}
    compete = range(min(g.ends, default=len(g.rows) - 1) + 1)
    marks = {}
    for column, head in enumerate(g.head[1:], 1):
        words = set(re.findall(r"[a-z]+", head.lower()))
        if not ("%" in head or "rank" in words) or head == "95 %":
            continue
        values = {}
        for n in compete:
            cell = g.rows[n][column]
            if (found := _NUMBER.match(cell)) and "!" not in cell:  # !n: requests failed; not comparable
                values[n] = float(found.group())
        order = sorted(set(values.values()), reverse=not words & _LESS_IS_BETTER)
        for n, value in values.items():
            if len(values) > 1 and value in order[:2]:
                marks[n, column] = "textbf" if value == order[0] else "underline"
    return marks


_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
_LESS_IS_BETTER = {"rank", "unparsed", "refused", "silent", "flip", "flips", "failed", "bad"}
_CHINESE = re.compile(r"[\u3000-\u303f\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")
_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    '"': r"\symbol{34}", "`": r"\textasciigrave{}", "-": "-{}", "[": "{[}", "]": "{]}", "*": "{*}",
    "–": r"\textendash{}", "…": r"\ldots{}", "→": r"$\to$", "≠": r"$\neq$", "±": r"$\pm$", "·": r"$\cdot$", "|Δ|": r"$|\Delta|$",
    "Δ": r"$\Delta$", "ρ": r"$\rho$", "κ": r"$\kappa$", "τ": r"$\tau$", "−": "$-$",
}  # fmt: skip
# Two hyphens would join to a dash. Longest first: |Δ| before its bars.
_LATEX_MARKS = re.compile("-(?=-)|" + "|".join(map(re.escape, sorted(_LATEX.keys() - {"-"}, key=len, reverse=True))))


def latex(text: str) -> str:
    """Text as LaTeX sets it; `[` and `*` in braces, for after a `\\\\` they would be its arguments."""
    escaped = _LATEX_MARKS.sub(lambda found: _LATEX[found.group()], text)
    return re.sub(r"(?<![\w}-])-(?=\d)", "$-$", escaped)


FORMATS: dict[str, Callable[[Sequence[Table | Text]], str]] = {
    "csv": as_csv,
    "latex": as_latex,
    "markdown": as_markdown,
}


def export(shown: Sequence[Table | Text], form: str) -> str:
    if form not in FORMATS:
        raise ConfigError(unknown("format", form, ("table", *FORMATS)))
    return FORMATS[form](shown)
