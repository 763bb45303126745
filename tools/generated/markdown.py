"""Markdown of generated pages: tables, code, headings."""

from __future__ import annotations

import re
from collections.abc import Iterator


def head(*columns: str) -> Iterator[str]:
    """The two lines above the rows of a table."""
    yield row(*columns)
    yield "|" + "---|" * len(columns)


def row(*cells: str) -> str:
    """A row of a table. A bar separates cells even inside code, so it is escaped."""
    return "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |"


def code(text: str) -> str:
    return f"`{text}`" if text else ""


def with_links(text: str, up: str = "") -> str:
    """The text with links to the pages of docs/ that it names. `up`: the path from the text's page to docs/.

    >>> with_links("A first one (docs/models.md).", "../")
    'A first one ([docs/models.md](../models.md)).'
    """
    return re.sub(r"\bdocs/(\w+\.md)\b", rf"[\g<0>]({up}\1)", text)


def with_code_blocks(docstring: str) -> list[str]:
    """The lines of a docstring, with its examples as blocks of code.

    >>> with_code_blocks("Adds.\\n\\n>>> 1 + 1\\n2")
    ['Adds.', '', '```pycon', '>>> 1 + 1', '2', '```']
    """
    lines: list[str] = []
    inside = False
    for line in docstring.splitlines():
        if not inside and line.startswith(">>> "):
            inside = True
            lines.append("```pycon")
        elif inside and not line.strip():
            inside = False
            lines.append("```")
        lines.append(re.sub(r"  # doctest: .*", "", line) if inside else line)
    return [*lines, "```"] if inside else lines


def anchor(heading: str) -> str:
    """The id that GitHub and the site give to a heading.

    >>> anchor("evalsuite build tasks")
    'evalsuite-build-tasks'
    """
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
