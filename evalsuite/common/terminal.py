"""Print texts of models, data and files without executing their terminal control sequences.

An escape sequence can recolour a line or set the clipboard; a bidirectional control can reorder a line. `safe` makes such
characters visible, and masks API keys. All output goes through `print_all`, `say` or `emit`, which apply it.
"""

from __future__ import annotations

import logging
import os
import stat
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from unicodedata import category

from evalsuite.common.language import translated
from evalsuite.common.secrets import hide

if TYPE_CHECKING:
    from rich.console import Console

# Controls, format characters (bidi, zero width), lone surrogates, private use, line and paragraph separators: as on the page.
_HIDDEN = frozenset(("Cc", "Cf", "Cs", "Co", "Zl", "Zp"))


def visible_mark(char: str) -> str:
    """The code point of a character: "U+001B"."""
    return f"U+{ord(char):04X}"


def json_mark(char: str) -> str:
    """The JSON escape of a character: JSON that is copied from the terminal keeps its value."""
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[n] << 8 | units[n + 1]:04x}" for n in range(0, len(units), 2))


def safe(text: str, lines: bool = True, mark: Callable[[str], str] = visible_mark) -> str:
    """`text` with every invisible or control character replaced by its mark, and every API key by `***`.

    Newlines stay, unless `lines` is false.

    >>> safe("\\x1b[31mred")
    'U+001B[31mred'
    """
    text = hide(text)
    if text.isprintable():
        return text
    shown: dict[str, str | int | None] = {
        c: mark(c) for c in set(text) if category(c) in _HIDDEN and not (lines and c == "\n")
    }
    return text.translate(str.maketrans(shown)) if shown else text


def one_line(text: str, most: int = 200) -> str:
    """`text` on one line, its middle left out if it has more than `most` characters: for names and paths."""
    text = hide(text)  # before it is cut
    shown = text if len(text) <= most else f"{text[: most // 2]}…{text[-most // 2 :]}"
    return safe(shown, lines=False)


def console(stderr: bool = False, **settings: Any) -> Console:
    """A rich console that interprets no markup and prints no control characters but its own."""
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment
    from rich.text import Text

    class Safe(Console):
        def render_str(self, text: str, **how: Any) -> Text:
            return super().render_str(safe(text), **how)

        def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
            # Rich marks its own sequences (moving the cursor of a live line) as control: these pass.
            for part in super().render(renderable, options):
                style = part.style.update_link(None) if part.style and part.style.link else part.style
                yield part if part.control else Segment(safe(part.text), style)

    return Safe(stderr=stderr, markup=False, emoji=False, **settings)


def print_all(*renderables: Any) -> None:
    """Print rich renderables."""
    shown = console()
    for renderable in renderables:
        shown.print(renderable)


def say(*parts: str, err: bool = False) -> None:
    """Print a line of plain text, which is not interpreted as markup. Each part is put into the terminal's language by itself."""
    print(safe("".join(map(translated, parts))), file=sys.stderr if err else sys.stdout, flush=True)


def emit(text: str, mark: Callable[[str], str] = visible_mark) -> None:
    """Print a text for programs: unchanged into a pipe or file, in its safe form on a terminal."""
    out: Any = sys.stdout
    if out.isatty():
        text = safe(text, mark=mark)
    out.reconfigure(errors="backslashreplace")  # prints a lone surrogate as JSON's escape
    out.write(text + "\n")


def into_file() -> bool:
    """Whether output goes into a file, not to a terminal or a program."""
    try:
        return stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    except (OSError, ValueError):  # the stream is no file of the system's, or is closed
        return False


class LogFormatter(logging.Formatter):
    """Makes log lines safe: they quote endpoints, engines and data, and log files are read on terminals."""

    def format(self, record: logging.LogRecord) -> str:
        return safe(super().format(record))


class Screen(logging.Handler):
    """Logs to the terminal, in the safe form."""

    def __init__(self, level: int = logging.WARNING) -> None:
        super().__init__(level)
        self.setFormatter(LogFormatter())

    def emit(self, record: logging.LogRecord) -> None:
        say(self.format(record), err=True)


@contextmanager
def warnings_on_screen() -> Iterator[None]:
    """Show warnings of all packages in the safe form, except those of loggers that do not propagate."""
    root, screen = logging.getLogger(), Screen()
    root.addHandler(screen)
    logging.captureWarnings(True)
    try:
        yield
    finally:
        logging.captureWarnings(False)
        root.removeHandler(screen)


def safe_trace(error: BaseException) -> str:
    """The traceback of an error. Its message may quote anything."""
    return safe("".join(traceback.format_exception(error)))
