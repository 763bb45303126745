"""docs/tutorial_build.md as a reader follows it: every command in an empty folder, every line of output that it shows."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from run_files import data_in_page, read_jsonl, results_json
from typer.testing import CliRunner

from evalsuite.authoring.annotations import check_dialogues
from evalsuite.benchmarks.corecode.ontology import slots
from evalsuite.cli.app import app
from evalsuite.common.dialogue import sources
from evalsuite.common.resources import bundled

DOC = Path(__file__).parents[1] / "docs" / "tutorial_build.md"
STEPS = ["screen", "annotate", "check", "agree", "tasks", "stats", "run", "run", "report"]


def commands() -> list[tuple[list[str], list[str]]]:
    """(arguments, lines of output shown) of each command in the document."""
    found: list[tuple[list[str], list[str]]] = []
    for block in re.findall(r"```console\n(.*?)```", DOC.read_text(encoding="utf-8"), re.S):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((shlex.split(line[2:]), []))
            else:
                found[-1][1].append(" ".join(line.split()))
    return found


@pytest.fixture(scope="module")
def tutorial_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder after all commands of the tutorial, run in this process: to start nine would take longer."""
    pytest.importorskip("torch", reason="needs evalsuite[hf]")
    folder = tmp_path_factory.mktemp("tutorial")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("COLUMNS", "140")
        for (program, *args), shown in commands():
            assert program == "evalsuite"
            done = CliRunner().invoke(app, args, catch_exceptions=False)
            assert done.exit_code == 0, (args, done.output)
            said = " ".join(done.output.split())
            for line in shown:
                assert line in said, args
        yield folder


def test_the_document_goes_from_nothing_to_a_leaderboard() -> None:
    assert [args[2] if args[1] == "build" else args[1] for args, _ in commands()] == STEPS
    assert all(shown for _, shown in commands())


@pytest.mark.thorough
def test_every_command_runs_and_says_what_is_shown(tutorial_folder: Path) -> None:
    kept = read_jsonl(tutorial_folder / "screened" / "kept.jsonl")
    told = {
        d.id: d.dialogue
        for name in ("lin", "zhou")
        for d in check_dialogues(bundled(f"sample/tutorial/{name}.jsonl"))[0]
    }
    assert {d["id"]: d["dialogue"] for d in kept} == told, "the annotations are of the dialogues that screening keeps"
    assert [d["id"] for d in data_in_page(tutorial_folder / "annotate.html")["dialogues"]] == [d["id"] for d in kept]
    assert len(json.loads((tutorial_folder / "agreement.json").read_text(encoding="utf-8"))["annotators"]) == 2
    results = [results_json(tutorial_folder / "runs" / r) for r in ("baselines", "tiny")]
    assert [len({c["model"] for c in r["cells"]}) for r in results] == [3, 1]
    assert [len(r["cells"]) for r in results] == [3 * 8, 2]
    assert {"lexical", "tiny-zh"} <= {
        c["model"] for c in data_in_page(tutorial_folder / "leaderboard" / "index.html")["cells"]
    }


def test_what_the_tutorial_ships() -> None:
    rows = bundled("sample/tutorial/dialogues.jsonl").read_text(encoding="utf-8").splitlines()
    dialogues = [json.loads(row) for row in rows]
    assert len({*sources([d["dialogue"] for d in dialogues])}) == len(dialogues) == 12
    annotated = [d for name in ("lin", "zhou") for d in check_dialogues(bundled(f"sample/tutorial/{name}.jsonl"))[0]]
    assert len({d.id for d in annotated}) == 10 and len(annotated) == 13
    names = {(s.dimension_zh, s.zh) for s in slots()}
    used = {(k.dimension, k.slot) for d in annotated for k in d.annotations}
    assert used <= names and len(used) >= 18 and len({dimension for dimension, _ in used}) == 3
