"""The command line is made from the fields of settings, and what is written about it from the command line."""

from __future__ import annotations

import ast
import math
import re
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

import evalsuite
from evalsuite.benchmarks.registry import BENCHMARKS
from evalsuite.cli.app import COMMANDS, app, load_command
from evalsuite.cli.options import takes
from evalsuite.common.errors import ConfigError
from evalsuite.common.flags import flag, flags
from evalsuite.evaluation.settings import Settings
from evalsuite.finetuning.settings import Sweep
from evalsuite.review.judge.settings import JudgeSettings

ROOT = Path(__file__).parents[1]


def parameters(command: str) -> dict[str, Any]:
    return {p.name: p for p in load_command(command).params}


# ---------------------------------------------------------------- flags


@pytest.mark.parametrize(
    ("command", "settings", "own", "without"),
    [
        ("run", Settings, set(), set()),
        ("preview", Settings, {"item", "tokenizer", "as_json", "cost", "sample"},
         {"baselines", "semsim", "max_concurrency", "executor", "ray_address", "replicas", "verbose", "again",
          "max_new_tokens"}),
        ("finetune", Sweep, set(), set()),
        ("judge", JudgeSettings, {"run"}, set()),
    ],
)  # fmt: skip
def test_every_field_is_a_flag(command: str, settings: type, own: set[str], without: set[str]) -> None:
    found = parameters(command)
    assert {*found} - {"help"} == {f.name for f in fields(settings)} - without | own
    for field in fields(settings):
        if field.name in without:
            continue
        said, made = flags(settings)[field.name], found[field.name]
        assert made.help == said.help and said.help.endswith((".", "…"))
        assert f"--{field.name.replace('_', '-')}" in made.opts and made.required == said.required
        if said.required or said.repeated:
            assert made.multiple is said.repeated
        elif isinstance(field.default, tuple):
            assert made.default == ",".join(map(str, field.default))
        else:
            assert (made.default if made.default is None else type(field.default)(made.default)) == field.default


def test_a_command_gets_what_the_fields_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command without flags gets every field's default; one with all flags gets lists as lists and numbers as numbers."""
    got: dict[str, Any] = {}
    monkeypatch.setattr(evalsuite, "run", lambda **settings: got.update(settings) or (_ for _ in ()).throw(typer.Exit))
    runner = CliRunner()
    assert runner.invoke(app, ["run"]).exit_code == 0
    assert Settings(**got | {f.name: tuple(got[f.name]) for f in fields(Settings) if isinstance(f.default, tuple)}
                    | {n: str(got[n]) for n in ("models", "out", "prompts")}) == Settings()  # fmt: skip
    words = "run --model a,b --model c --shots 0,3 --prompt paper, --set easy,hard --limit 2 --budget .5 --skip-bad -v"
    assert runner.invoke(app, words.split()).exit_code == 0
    assert got["model"] == ["a", "b", "c"] and got["shots"] == [0, 3] and got["prompt"] == ["paper"]
    assert got["set"] == "easy,hard" and got["limit"] == 2 and got["budget"] == 0.5
    assert got["skip_bad"] is got["verbose"] is True and got["out"] == Path("runs/default")


def test_settings_beside_parameters_of_its_own() -> None:
    @dataclass(frozen=True)
    class Numbers:
        whole: int = flag(1, "A number.")

    seen: list[dict[str, Any]] = []
    command = typer.Typer()

    @command.command()
    @takes(Numbers)
    def command_with_settings(word: str, **settings: Any) -> None:
        seen.append({"word": word, **settings})

    assert CliRunner().invoke(command, ["x", "--whole", "3"]).exit_code == 0 and seen == [{"word": "x", "whole": 3}]


@pytest.mark.parametrize("budget", [0.0, -1.0, math.nan, math.inf])
@pytest.mark.parametrize("settings", [Settings, JudgeSettings])
def test_a_budget_is_a_number_above_0(settings: Any, budget: float) -> None:
    more = {"judge": ["a"]} if settings is JudgeSettings else {}
    with pytest.raises(ConfigError, match=r"--budget .*expected more than 0"):
        settings(budget=budget, **more)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("run --shots x", "expected numbers such as 0,1,3,5"),
        ("finetune --model a --tasks b --sizes x", "expected numbers such as 1,2,3"),
        ("finetune --tasks b", "Missing option"),
        ("judge run", "Missing option"),
        ("rum", "No such command"),
        ("data pul", "No such command"),
        ("", "Usage"),
    ],
)
def test_usage_errors_say_what_is_wrong(words: str, says: str) -> None:
    done = CliRunner().invoke(app, words.split(), env={"COLUMNS": "200"})
    assert done.exit_code == 2 and says in done.output


# ---------------------------------------------------------------- commands


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_there_and_helps(name: str) -> None:
    done = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "500"})
    assert done.exit_code == 0 and COMMANDS[name][1] in done.output


def test_no_command_imports_the_app() -> None:
    """Imports go the other way: app.py imports a command's file when the command is called."""
    for file in (ROOT / "evalsuite" / "cli").rglob("*.py"):
        imported = {n.module for n in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(n, ast.ImportFrom)}
        assert file.name in ("__main__.py", "reference.py") or "evalsuite.cli.app" not in imported, file


def _parameters() -> list[tuple[str, Any, set[str]]]:
    """(command, parameter, flags of the command) of every command."""
    commands = [(name, load_command(name)) for name in COMMANDS]
    single = [(name, inner) for name, c in commands for inner in getattr(c, "commands", {name: c}).values()]
    return [
        (name, p, {flag for x in c.params for flag in (*x.opts, *x.secondary_opts)})
        for name, c in single
        for p in c.params
    ]


@pytest.mark.slow
def test_help_names_only_flags_that_the_command_has() -> None:
    # In "run --items FILE" the flag is that of the command before it.
    wrong = [
        (name, parameter.name, flag)
        for name, parameter, flags_of_command in _parameters()
        for flag in re.findall(r"(?<!run )--[a-z][a-z-]*", parameter.help or "")
        if flag not in flags_of_command
    ]
    assert wrong == []


def test_the_help_of_an_audit_names_every_rubric() -> None:
    (rubric,) = (p for p in load_command("audit").commands["make"].params if p.name == "rubric")
    assert [b.audit.name for b in BENCHMARKS.values() if b.audit and b.audit.name not in rubric.help] == []


def test_a_data_check_states_no_default_folder() -> None:
    """It reads the folder that is named, and none beside it."""
    (data,) = (p for p in load_command("data").commands["check"].params if p.name == "data")
    assert "default" not in data.help and data.default is None
