"""Help in Chinese: rows of help.zh.json for our texts, typer's own words, and lines that break where Chinese may."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from evalsuite.common.language import chinese
from evalsuite.common.linebreaks import words
from evalsuite.common.resources import packaged
from evalsuite.common.sheet import Text

# Constant of typer.rich_utils -> its Chinese value.
HEADINGS = {
    "ERRORS_PANEL_TITLE": "错误",
    "OPTIONS_PANEL_TITLE": "选项",
    "ARGUMENTS_PANEL_TITLE": "参数",
    "COMMANDS_PANEL_TITLE": "命令",
    "DEFAULT_STRING": "[默认：{}]",
    "REQUIRED_LONG_STRING": "[必填]",
    "ABORTED_TEXT": "已中止。",
    "RICH_HELP": "用法见 [blue]'{command_path} {help_option}'[/]。",
}
USAGE = "用法："


_chinese_of: dict[str, str] = {}  # help texts that `in_both` took: English -> Chinese


def in_both(text: Text) -> str:
    """The English version of a help text that the code makes in both languages; `help_of` then finds its Chinese version."""
    _chinese_of[text.en] = text.zh
    return text.en


def help_of(text: str | None) -> str:
    """A help text in the terminal's language."""
    if not (text and chinese()):
        return text or ""
    english = " ".join(text.split())
    return _chinese_of.get(english) or help_rows().get(english, text)


@cache
def help_rows() -> dict[str, str]:
    """English help text, its blanks and line breaks as single blanks -> the Chinese one."""
    rows: dict[str, str] = json.loads(packaged("cli/help.zh.json").read_text(encoding="utf-8"))
    return rows


@contextmanager
def typer_in_chinese() -> Iterator[None]:
    """Patch typer and rich while the block runs, since they have no settings for this.

    typer gets Chinese headings and help texts. rich breaks lines between Chinese characters, not only at blanks, and cuts the
    blanks at the ends of lines by their width, since a Chinese character is two cells wide.
    """
    from rich import _wrap
    from rich.text import Text
    from typer import rich_utils
    from typer.core import TyperCommand

    styled = rich_utils._make_rich_text
    command: Any = next(kind for kind in TyperCommand.__mro__ if "get_usage" in vars(kind))
    english_usage: Callable[..., str] = command.get_usage

    def translated(*, text: str, **more: Any) -> Any:
        return styled(text=help_of(text), **more)

    def usage(*args: Any) -> str:
        return english_usage(*args).replace("Usage: ", USAGE, 1)

    def rstrip_end(text: Text, size: int) -> None:
        while text.cell_len > size and text.plain.endswith(" "):
            text.right_crop(1)

    ours: list[tuple[Any, str, Any]] = [(rich_utils, name, heading) for name, heading in HEADINGS.items()]
    ours += [(rich_utils, "_make_rich_text", translated), (command, "get_usage", usage)]
    ours += [(_wrap, "words", words), (Text, "rstrip_end", rstrip_end)]
    theirs = [(owner, name, getattr(owner, name)) for owner, name, _ in ours]
    for owner, name, value in ours:
        setattr(owner, name, value)
    try:
        yield
    finally:
        for owner, name, value in theirs:
            setattr(owner, name, value)
