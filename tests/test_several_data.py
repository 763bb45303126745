"""Several `--data`: tasks are looked for in all folders, and a task is of one."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from as_json import cells_of

import evalsuite
from evalsuite.benchmarks.corecode.loader import path_of
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.errors import DataError
from evalsuite.common.resources import bundled
from evalsuite.results.schema.manifest import Manifest

BOTH = ("knowledge_filling", "slot_identification")


def copy_tasks(folder: Path, *tasks: str) -> Path:
    """A folder with these tasks of the bundled sample."""
    for name in tasks:
        for item_set in ("easy", "hard"):
            for split in ("train", "dev", "test"):
                path, target = (
                    path_of(root, TASKS[name], item_set, split) for root in (bundled("sample/data"), folder)
                )
                if path.exists():
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(path, target)
    return folder


def are_equal(one: Path, two: Path) -> bool:
    files = sorted(p.relative_to(one) for p in (one / "records").iterdir())
    assert files == sorted(p.relative_to(two) for p in (two / "records").iterdir())
    return all((one / p).read_bytes() == (two / p).read_bytes() for p in [*files, Path("results.json")])


@pytest.mark.slow
def test_two_folders_are_as_one_that_has_all(tmp_path: Path, cli: Callable[..., Any]) -> None:
    one, two = copy_tasks(tmp_path / "one", BOTH[0]), copy_tasks(tmp_path / "a,two", BOTH[1])
    asked = ("--model", "lexical", "--model", "majority", "--shots", "0,2", "--limit", "6")
    cli("run", "--data", one, "--data", two, *asked, "--out", tmp_path / "parts")
    cli("run", "--data", copy_tasks(tmp_path / "all", *BOTH), *asked, "--out", tmp_path / "whole")
    assert {cell["task"] for cell in json.loads((tmp_path / "parts/results.json").read_bytes())["cells"]} == {*BOTH}
    assert are_equal(tmp_path / "parts", tmp_path / "whole")
    parts, whole = (json.loads((tmp_path / name / "manifest.json").read_bytes()) for name in ("parts", "whole"))
    assert parts["settings"]["data"] == [str(one), str(two)] and whole["settings"]["data"] == str(tmp_path / "all")
    assert parts["data"] == whole["data"] and len(parts["data"]) == 4
    Manifest.model_validate(parts)
    again = cli("run", "--data", two, "--data", one, *asked, "--out", tmp_path / "parts")  # in another order
    assert " 0 asked, 48 kept" in again.stderr and are_equal(tmp_path / "parts", tmp_path / "whole")
    assert (tmp_path / "parts/page/index.html").exists()
    stdout = cli("preview", "--data", one, "--data", two, "--model", "lexical", "--tasks", "SI", "--limit", "1").stdout
    assert "slot_identification" in stdout or "SI" in stdout


@pytest.mark.slow
def test_a_comma_separates_folders_in_every_command(tmp_path: Path, cli: Callable[..., Any]) -> None:
    one, two = copy_tasks(tmp_path / "one", BOTH[0]), copy_tasks(tmp_path / "two", BOTH[1])
    both = f"{one},{two}"
    cli("run", "--data", both, "--model", "lexical", "--limit", "2", "--out", tmp_path / "run")
    found = {row["name"]: row["found"] for row in json.loads(cli("doctor", "--data", both, "--json").stdout)}
    assert f"{one}, {two}: " in found["CORECODE"]
    cli("data", "check", one, "--data", both)
    cli("submit", "make", tmp_path / "run", tmp_path / "submission")
    checked = cli("submit", "check", tmp_path / "submission", "--data", both, "--json", expect=1)
    problems = json.loads(checked.stdout)["problems"]
    assert problems and all("still to be filled in" in problem for problem in problems)


def test_a_task_in_two_folders_is_named_with_both(tmp_path: Path) -> None:
    one, two = copy_tasks(tmp_path / "one", *BOTH), copy_tasks(tmp_path / "two", BOTH[1])
    with pytest.raises(DataError) as error:
        evalsuite.run(model=["lexical"], data=[one, two], out=tmp_path / "run")
    assert all(str(part) in str(error.value) for part in (one, two, "slot_identification is in"))
    assert not (tmp_path / "run").exists()
    done = evalsuite.run(model=["lexical"], data=[one, two], tasks=[BOTH[0]], limit=2, out=tmp_path / "run")
    assert {cell["task"] for cell in cells_of(done)} == {BOTH[0]}


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    one = copy_tasks(tmp_path / "one", BOTH[0])
    for folders in ([one, tmp_path / "two"], [tmp_path / "two", one]):
        with pytest.raises(DataError, match="two: no such folder"):
            evalsuite.run(model=["lexical"], data=folders, out=tmp_path / "run")


def test_folders_without_a_task_are_both_named(tmp_path: Path) -> None:
    one, two = copy_tasks(tmp_path / "one", BOTH[0]), copy_tasks(tmp_path / "two", BOTH[1])
    with pytest.raises(DataError, match="two"):
        evalsuite.run(model=["lexical"], data=[one, two], tasks=["xcopa"], out=tmp_path / "run")


def test_other_commands_take_several_folders(tmp_path: Path, cli: Callable[..., Any]) -> None:
    one, two = copy_tasks(tmp_path / "one", BOTH[0]), copy_tasks(tmp_path / "two", BOTH[1])
    # Whole paths may be too long for the table.
    stdout = cli("tasks", "--data", "one", "--data", "two", COLUMNS="300").stdout
    assert "test items in one, two" in " ".join(stdout.split()) and stdout.count("easy 175, hard 175") == 2
    rows = json.loads(cli("doctor", "--data", one, "--data", two, "--json").stdout)
    (row,) = (row for row in rows if "CORECODE" in json.dumps(row) and "in part" in json.dumps(row))
    assert str(two) in json.dumps(row)
