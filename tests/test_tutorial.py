"""CONTRIBUTING.md's lesson in adding a rule to the reader shows what the commands print: before the rule, and with it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from labelled import clear_reader_caches

from evalsuite.parse import rules

PAGE = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text("utf-8")
LESSON = PAGE.partition("## Add a rule to the reader")[2].partition("\n## ")[0]
SHOWN = [
    (command, re.sub(f"(?m)^{indent}", "", shown))
    for indent, command, shown in re.findall(r"( *)```console\n *\$ (.*?)\n(.*?)```", LESSON, re.DOTALL)
]
ROW = re.search(r"   Rule\(.*\)", LESSON)


def output_of(cli: Callable[..., Any], command: str) -> str:
    stdout = cli(*shlex.split(command)[1:], COLUMNS="120").stdout
    text = "\n".join(line.rstrip() for line in stdout.splitlines()).rstrip()
    return re.sub(r"row \d+ of \d+", "row N of M", text)  # the numbers change with every new row


def test_the_lesson_shows_what_commands_print(cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    (command, before), (again, behind) = SHOWN
    assert command == again and ROW is not None
    added = next(rule for rule in rules.RULES if row_of(rule) == ROW.group().strip())
    without = [rule for rule in rules.RULES if rule is not added]
    with monkeypatch.context() as patch:
        table = rules.compile_rules(without)
        patch.setattr(rules, "RULES", without)
        patch.setattr(rules, "table", lambda several: table)
        clear_reader_caches()
        assert output_of(cli, command) == before.rstrip()
    clear_reader_caches()
    shown = output_of(cli, again)
    for part in behind.split("…\n"):  # … stands for lines left out
        assert part.rstrip() in shown


def row_of(rule: rules.Rule) -> str:
    """A row as the page writes it."""
    return f'Rule("{rule.name}", {rule.verdict.upper()}, ANY, r"{rule.before}", r"{rule.behind}", "{rule.example}")'
