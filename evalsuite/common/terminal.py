"""What reaches a terminal: texts of models, data and files are shown there, never obeyed.

An escape sequence can recolour a verdict, set the clipboard or a link; a bidi control turns a line around. Every text
from outside goes through `safe`, and what prints goes through `print_all`, `say` or `emit`, which are the net beneath.
"""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from types import TracebackType
from typing import TYPE_CHECKING, Any
from unicodedata import category

if TYPE_CHECKING:
    from rich.console import Console

# Controls, format characters (bidi, zero width), lone surrogates, private use, line and paragraph separators: as the page has it.
_HIDDEN = frozenset(("Cc", "Cf", "Cs", "Co", "Zl", "Zp"))


def visible_mark(char: str) -> str:
    return f"U+{ord(char):04X}"


def json_mark(char: str) -> str:
    """The escape that JSON has for it: what is copied from the terminal still means the same."""
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[n] << 8 | units[n + 1]:04x}" for n in range(0, len(units), 2))


def safe(text: str, lines: bool = True, mark: Callable[[str], str] = visible_mark) -> str:
    """`text` with every character that would hide or command as a mark; newlines stay, unless `lines` is false.

    >>> safe("\\x1b[31mred")
    'U+001B[31mred'
    """
    if text.isprintable():
        return text
    shown: dict[str, str | int | None] = {
        c: mark(c) for c in set(text) if category(c) in _HIDDEN and not (lines and c == "\n")
    }
    return text.translate(str.maketrans(shown)) if shown else text


def line(text: str, most: int = 200) -> str:
    """On one line, and no longer than a line may be: for names and paths."""
    shown = text if len(text) <= most else f"{text[: most // 2]}…{text[-most // 2 :]}"
    return safe(shown, lines=False)


def clean(value: Any, lines: bool = False) -> Any:
    """The same value with every text in it safe: what JSON has, and frozen dataclasses."""
    if isinstance(value, str):
        return safe(value, lines)
    if isinstance(value, dict):
        return {clean(k, lines): clean(v, lines) for k, v in value.items()}
    if isinstance(value, list):
        return [clean(v, lines) for v in value]
    if type(value) is tuple:
        return tuple(clean(v, lines) for v in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{f.name: clean(getattr(value, f.name), lines) for f in fields(value) if f.init})
    return value


def console(stderr: bool = False, **settings: Any) -> Console:
    """A rich console that takes no text for markup and lets no control through but its own."""
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment
    from rich.text import Text

    class Safe(Console):
        def render_str(self, text: str, **how: Any) -> Text:
            return super().render_str(safe(text), **how)

        def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
            # What is no text of ours (moving the cursor of a live line) is marked as control by rich.
            for part in super().render(renderable, options):
                style = part.style.update_link(None) if part.style and part.style.link else part.style
                yield part if part.control else Segment(safe(part.text), style)

    return Safe(stderr=stderr, markup=False, emoji=False, **settings)


def print_all(*renderables: Any) -> None:
    shown = console()
    for renderable in renderables:
        shown.print(renderable)


def say(text: str, err: bool = False) -> None:
    """Plain text: paths and names are no markup."""
    print(safe(text), file=sys.stderr if err else sys.stdout, flush=True)


def emit(text: str, mark: Callable[[str], str] = visible_mark) -> None:
    """What programs read: the exact text into a pipe or a file, and its safe form onto a terminal."""
    out: Any = sys.stdout
    if out.isatty():
        text = safe(text, mark=mark)
    out.reconfigure(errors="backslashreplace")  # half a character (a lone surrogate) goes out as JSON's escape
    out.write(text + "\n")


class LogFormatter(logging.Formatter):
    """Log lines hold what endpoints and engines say; the log file is looked at on terminals, too."""

    def format(self, record: logging.LogRecord) -> str:
        return safe(super().format(record))


def show_trace(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """For sys.excepthook: a defect's trace ends with a message that may quote anything."""
    sys.stderr.write(safe("".join(traceback.format_exception(kind, error, trace))))
