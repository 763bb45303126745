"""docs/papers.md: each command parses, and what it names exists."""

from __future__ import annotations

import re
import shlex
from typing import Any

import pytest

from evalsuite.analyses.table import TABLES
from evalsuite.benchmarks.registry import BENCHMARKS, tasks_named
from evalsuite.cli.app import load_command
from evalsuite.common.resources import bundled
from evalsuite.evaluation.settings import Settings
from evalsuite.review.audit.rubrics import rubric_named

TEXT = bundled("docs/papers.md").read_text(encoding="utf-8")
COMMANDS = [text for text in dict.fromkeys(re.findall(r"`(evalsuite [^`]+)`", TEXT)) if "NAME" not in text]


def parse_command(command: str) -> tuple[str, dict[str, Any]]:
    """The command's name and the values of its flags. A wrong flag raises click's UsageError."""
    _, name, *words = shlex.split(command)
    found = load_command(name)
    while hasattr(found, "commands"):
        found = found.commands[words.pop(0)]
    with found.make_context(name, words) as context:
        return name, dict(context.params)


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_parses(command: str) -> None:
    name, values = parse_command(command)
    tasks = tasks_named((values.get("tasks") or "").split(",")) if values.get("tasks") else []
    if name in ("run", "finetune"):
        assert tasks or name == "run"
        for task in tasks:
            for wording in values["prompt"].split(","):
                assert (
                    bundled("prompts") / task.benchmark / task.local / f"{wording}.j2"
                ).is_file() or not task.kind.written
    for group in filter(None, (values.get("train_groups") or "").split(",")):
        assert any(group in BENCHMARKS[task.benchmark].groups for task in tasks)
    if name == "run":
        Settings(scoring=values["scoring"].split(","), perturb=values["perturb"].split(","))
    if name == "show":
        assert {*values["tables"].split(",")} <= TABLES.keys()
    if rubric := values.get("rubric"):
        assert (bundled("prompts/judge") / f"{rubric}.j2").is_file() if name == "judge" else rubric_named(rubric)


def test_every_numbered_table_of_the_papers_has_a_row() -> None:
    """CORECODE has tables 1 to 8, CICERO 1 to 16, CIDER 1 to 10, GLUCOSE 1 to 8, CEDAR 1 to 3."""
    counts = {"CORECODE": 8, "CICERO": 16, "CIDER": 10, "GLUCOSE": 8, "CEDAR": 3}
    parts = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", TEXT, re.DOTALL | re.MULTILINE))
    assert parts.keys() == counts.keys()
    for paper, last in counts.items():
        rows = "\n".join(line.split("|")[1] for line in parts[paper].splitlines() if line.startswith("|"))
        named: set[int] = set()
        for listed in re.findall(r"Tables? ([\d, to]+)", rows):
            for first, end in re.findall(r"(\d+)(?: to (\d+))?", listed):
                named |= {*range(int(first), int(end or first) + 1)}
        assert named == {*range(1, last + 1)}, paper
