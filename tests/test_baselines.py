"""Baselines come with every run: of one's own models.yaml, of functions, of a model named alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from as_json import cells_of

import evalsuite
from evalsuite.backends.models import load_models, models_of
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.errors import ConfigError
from evalsuite.common.resources import bundled
from evalsuite.evaluation import chosen_models, journey

THREE = ["random", "majority", "lexical"]


@pytest.fixture(autouse=True)
def baselines_beside_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let baselines come along; conftest.py keeps them out of other tests."""
    monkeypatch.setattr(journey, "additional_baselines", chosen_models.additional_baselines)


def _models_of_run(out: Path, models: Any, **settings: Any) -> list[str]:
    done = evalsuite.run(models, **{"tasks": ["SI", "EC"], "set": "easy", "limit": 2, "out": out, **settings})
    assert done.problems == ()
    return list(dict.fromkeys(cell["model"] for cell in cells_of(done)))


def _constant_reply(request: Any) -> str:
    return "(a)"


def _models_yaml(folder: Path, *entries: str) -> Path:
    lines = "".join(f'{{"item": "corecode/easy/test/{t}/{n}", "text": "(a)"}}\n' for t in TASKS for n in range(3))
    (folder / "replies.jsonl").write_text(lines, encoding="utf-8")
    file = folder / "models.yaml"
    file.write_text("models:\n" + "".join(f"  - {{{entry}}}\n" for entry in entries), encoding="utf-8")
    return file


MINE = "name: mine, backend: scripted, path: replies.jsonl"
# entries of models.yaml beside MINE, --model, --baselines -> the models of the run
CASES: list[tuple[list[str], list[str], list[str] | None, list[str]]] = [
    ([], [], None, ["mine", *THREE]),
    ([], ["mine"], None, ["mine", *THREE]),
    ([], [], ["none"], ["mine"]),
    ([], [], ["lexical", "oracle"], ["mine", "lexical", "oracle"]),
    ([], ["mine", "random"], None, ["mine", "random"]),  # only the named baselines
    ([], ["random"], None, ["random"]),
    ([], ["oracle"], None, ["oracle"]),
    (["name: chance, backend: baseline, path: random"], [], None, ["mine", "chance", "majority", "lexical"]),
    (["name: chance, backend: baseline, path: random"], ["mine"], None, ["mine", *THREE]),
    # a model of the user's own that has a baseline's name keeps it
    (["name: random, backend: scripted, path: replies.jsonl"], ["mine"], None, ["mine", "majority", "lexical"]),
]


@pytest.mark.parametrize(("entries", "named", "wanted", "expected"), CASES)
def test_with_a_file_of_one_s_own(
    tmp_path: Path, entries: list[str], named: list[str], wanted: list[str] | None, expected: list[str]
) -> None:
    file = _models_yaml(tmp_path, MINE, *entries)
    more = {} if wanted is None else {"baselines": wanted}
    assert sorted(_models_of_run(tmp_path / "run", file, model=named, **more)) == sorted(expected)


def test_baselines_come_along_with_functions(tmp_path: Path) -> None:
    assert sorted(_models_of_run(tmp_path / "run", {"mine": _constant_reply})) == sorted(["mine", *THREE])
    assert _models_of_run(tmp_path / "none", {"mine": _constant_reply}, baselines=()) == ["mine"]
    assert _models_of_run(tmp_path / "named", {"mine": _constant_reply}, model=["lexical"]) == ["lexical"]
    assert sorted(_models_of_run(tmp_path / "own", {"random": _constant_reply})) == sorted(THREE)
    told = {c["model"]: c["facts"]["backend"] for c in json.loads((tmp_path / "own/results.json").read_text())["cells"]}
    assert told["random"] == "scripted"


def test_they_are_those_that_ship(tmp_path: Path) -> None:
    """Baselines that come along equal the entries that ship, so that an older run of the bundled file is gone on with, not
    asked again."""
    shipped = load_models(bundled("models.yaml"), THREE)
    assert models_of(_models_yaml(tmp_path, MINE), THREE) == shipped
    _models_of_run(tmp_path / "run", "bundled:models.yaml", model=THREE)
    before = (tmp_path / "run" / "results.json").read_bytes()
    assert sorted(_models_of_run(tmp_path / "run", "bundled:models.yaml", model=["lexical"])) == sorted(THREE)
    assert before == (tmp_path / "run" / "results.json").read_bytes()


def test_majority_of_a_run_with_more_benchmarks_has_the_same_replies(tmp_path: Path) -> None:
    facts = []
    for tasks in (["SI"], ["SI", "cicero_cause"]):
        done = evalsuite.run(model=["majority"], tasks=tasks, limit=1, out=tmp_path / tasks[-1], data=bundled("sample"))
        facts.append([c["facts"] for c in cells_of(done) if c["task"] == "slot_identification"])
    assert facts[0] == facts[1]


def test_without_training_items_majority_stays_out(tmp_path: Path) -> None:
    """The baseline majority does not come along; if it is named, it fails and says so. It answers the tasks that have
    training items."""
    place = Path("easy") / "generation" / "test" / f"{TASKS['event_cause'].file}.jsonl"
    there = tmp_path / "data" / place
    there.parent.mkdir(parents=True)
    there.write_bytes((bundled("sample") / "data" / place).read_bytes())
    file = _models_yaml(tmp_path, MINE)
    settings: dict[str, Any] = {"data": tmp_path, "tasks": ["EC"]}
    assert sorted(_models_of_run(tmp_path / "run", file, **settings)) == ["lexical", "mine", "random"]
    done = evalsuite.run(file, model=["majority"], set="easy", limit=2, out=tmp_path / "named", **settings)
    assert "no training or dev file" in done.problems[0]
    train = Path("easy") / "generation" / "train" / place.name
    (tmp_path / "data" / train).parent.mkdir(parents=True)
    (tmp_path / "data" / train).write_bytes((bundled("sample") / "data" / train).read_bytes())
    assert "majority" in _models_of_run(tmp_path / "both", file, **settings)


def test_compare_with_a_baseline(tmp_path: Path, cli: Any) -> None:
    file = _models_yaml(tmp_path, MINE)
    cli("run", "--models", file, "--tasks", "SI", "--set", "easy", "--limit", "3", "--out", tmp_path / "run")
    assert "random" in cli("compare", tmp_path / "run", "--models", "mine,random").stdout
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["settings"]["baselines"] == THREE
    assert "unknown baseline 'randon'" in cli("run", "--baselines", "randon", expect=2).stderr


def test_only_a_run_has_them(tmp_path: Path) -> None:
    """A preview shows what is asked of models; a fine-tuning compares adapters with their base."""
    shown = {cell.place.model for cell, _ in evalsuite.preview(_models_yaml(tmp_path, MINE), tasks=["SI"], limit=1)}
    assert shown == {"mine"}


def test_unknown_names_are_still_unknown(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="unknown model 'mien'"):
        models_of(_models_yaml(tmp_path, MINE), ["mien", "random"])
