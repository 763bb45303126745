"""`--help` in Chinese: every text has a row, and lines break where Chinese may."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from evalsuite.analyses.table import tables_help
from evalsuite.cli.app import COMMANDS, app, load_command
from evalsuite.cli.chinese_help import help_of, help_rows


def help_texts(command: Any) -> Iterator[str]:
    """The help of a command, its flags and its commands, as rows name it: with single blanks."""
    for one in (command, *command.params):
        if text := getattr(one, "help", None):
            yield " ".join(text.split())
    for other in getattr(command, "commands", {}).values():
        yield from help_texts(other)


def test_every_help_text_has_a_row_and_every_row_a_text() -> None:
    texts = {text for name in COMMANDS for text in help_texts(load_command(name))}
    texts |= {str(app.info.help), str(app.info.epilog), "Show this message and exit.", "Print the version and exit."}
    texts |= {"Install completion for the current shell."}
    texts |= {"Show completion for the current shell, to copy it or customize the installation."}
    made = {tables_help().en}  # in both languages, from the rows of analyses
    assert made <= texts and (texts - made - help_rows().keys(), help_rows().keys() - texts) == (set(), set())
    assert all(any("\u4e00" <= char <= "\u9fff" for char in text) for text in help_rows().values())


def test_the_help_of_tables_is_made_in_both_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    load_command("show")
    assert help_of(tables_help().en) == tables_help().en
    monkeypatch.setenv("EVALSUITE_LANG", "zh")
    assert help_of(tables_help().en) == tables_help().zh != tables_help().en


@pytest.mark.slow
@pytest.mark.parametrize("command", ["", "run", "audit make"])
def test_help_is_chinese_and_nothing_is_cut(command: str) -> None:
    env = {**os.environ, "EVALSUITE_LANG": "zh", "COLUMNS": "80", "PYTHONUTF8": "1"}
    args = [sys.executable, "-m", "evalsuite.cli", *command.split(), "--help"]
    stdout = subprocess.run(args, env=env, capture_output=True, encoding="utf-8", check=True).stdout
    assert "显示本说明并退出" in stdout and "选项" in stdout
    lines = [line.strip("│ ") for line in stdout.splitlines()]
    assert not [line for line in lines if line.startswith(tuple("，。；：、）")) or "…" in line or line.endswith("（")]
