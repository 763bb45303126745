"""What `evalsuite export` writes, without the harnesses; tests/neighbours runs them."""

from __future__ import annotations

import ast
import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import yaml

import evalsuite
from evalsuite.benchmarks.corecode.loader import Corpus
from evalsuite.benchmarks.corecode.tasks import TASKS_CORECODE as TASKS
from evalsuite.common.errors import ConfigError, DataError, PromptError
from evalsuite.exchange.export import callbacks
from evalsuite.types import Trial

COMMON: dict[str, Any] = {"data": "bundled:sample", "shots": 2, "prompt": ["paper", "plain"], "limit": 4}


@pytest.fixture(scope="module", params=["lm-eval", "inspect"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return evalsuite.export(request.param, tmp_path_factory.mktemp("out") / request.param, **COMMON)


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def asked() -> dict[str, list[Trial]]:
    """What a run asks: name of the exported task -> trials."""
    cells = evalsuite.preview(model=["random"], **{**COMMON, "shots": [2]})
    return {f"corecode_{cell.place.set}_{cell.place.task}_{cell.place.variant}": trials for cell, trials in cells}


def test_prompts_are_those_of_a_run(folder: Path) -> None:
    written = {path.stem: rows(path) for path in (folder / "data").iterdir()}
    assert len(written) == 2 * 2 * len(TASKS)
    for name, trials in asked().items():
        assert len(trials) == len(written[name]) == 4
        for row, trial in zip(written[name], trials, strict=True):
            turns = [text for shot in row["shots"] for text in (shot["prompt"], shot["target"])]
            assert [*turns, row["prompt"]] == [message.content for message in trial.request.messages]
            whole = "\n\n".join([*(s["prompt"] + s["target"] for s in row["shots"]), row["prompt"]])
            assert whole.encode() == trial.request.prompt.encode()
            assert callbacks.item_of(row) == trial.item


class Loader(yaml.SafeLoader):
    pass


Loader.add_constructor("!function", lambda loader, node: ("function", node.value))


def test_yaml_names_what_is_there(folder: Path) -> None:
    if folder.name != "lm-eval":
        pytest.skip("inspect has no YAML")
    code = ast.parse((folder / "utils.py").read_text(encoding="utf-8"))
    named = {f"utils.{node.name}" for node in code.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    tasks, groups = {}, {}
    for path in folder.glob("*.yaml"):
        content = yaml.load(path.read_text(encoding="utf-8"), Loader)
        (groups if "group" in content else tasks)[path.stem] = content
    assert len(tasks) == 2 * (2 * len(TASKS) + 2 * 2 * 3)  # wordings, sets; choices by labels and by texts, too
    assert {name for group in groups.values() for name in group["task"]} == set(tasks)
    for name, task in tasks.items():
        assert task["task"] == name
        assert (folder / task["dataset_kwargs"]["file"]).is_file()
        for value in (*task.values(), *task["fewshot_config"].values()):
            assert not isinstance(value, tuple) or value[1] in named


def test_inspect_has_a_task_for_each(folder: Path) -> None:
    if folder.name != "inspect":
        pytest.skip("lm-eval has no corecode.py")
    code = ast.parse((folder / "corecode.py").read_text(encoding="utf-8"))
    tasks = [
        n.name for n in code.body if isinstance(n, ast.FunctionDef) and ast.unparse(n.decorator_list[:1]) == "task"
    ]
    assert sorted(tasks) == sorted(path.stem for path in (folder / "data").iterdir())


def test_folder_names_no_place(folder: Path) -> None:
    """It can be moved, and tells nothing of the machine that it was made on."""
    for path in folder.rglob("*"):
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            assert str(folder.parent) not in text and str(Path(evalsuite.__file__).parent) not in text


def test_right_replies_are_right(sample: Corpus) -> None:
    for task in TASKS.values():
        for item_set in ("easy", "hard"):
            for item in sample.file(task, item_set, "test").items:
                row = json.loads(json.dumps(asdict(item)))
                answer, values = callbacks.read_reply(row, item.target)
                assert tuple(values) == (*task.metrics, "answered", *(["paper.accuracy"] if item.options else []))
                assert set(values) == set(callbacks.metric_names(task.name))
                assert set(values.values()) == {1.0}, (item.id, answer)


ROW = {
    "id": "corecode/easy/test/knowledge_filling/0", "task": "knowledge_filling", "set": "easy", "split": "test",
    "dialogue": ["A: 看什么？", "B: 看[MASK]。"], "question": "请从a、b选项中选择。", "options": ["科幻片", "恐怖片"],
    "labels": ["(a)", "(b)"], "gold": 1, "references": ["恐怖片"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("reply", "finish", "values"),
    [
        ("b", "stop", {"accuracy": 1.0, "answered": 1.0, "paper.accuracy": 1.0}),
        ("我觉得应该选恐怖片，气氛更合适", "stop", {"accuracy": 1.0, "answered": 1.0, "paper.accuracy": 0.0}),
        ("a", "stop", {"accuracy": 0.0, "answered": 1.0, "paper.accuracy": 0.0}),
        ("", "stop", {"accuracy": 0.0, "answered": 0.0, "paper.accuracy": 0.0}),
        ("b", "content_filter", {"accuracy": 0.0, "answered": 0.0, "paper.accuracy": 0.0}),
        ("因为他们都", "length", {"accuracy": 0.0, "answered": 0.0, "paper.accuracy": 0.0}),
    ],
)
def test_reading(reply: str, finish: str, values: dict[str, float]) -> None:
    assert callbacks.read_reply(ROW, reply, finish)[1] == values


@pytest.mark.parametrize(
    ("a", "b", "right"),
    [
        # One form of "a" is likelier than any of "b", but b's three together are likelier still.
        ((0.3, 0.05, 0.05), (0.2, 0.2, 0.1), 1.0),
        ((0.3, 0.15, 0.1), (0.2, 0.2, 0.1), 0.0),
    ],
)
def test_labels_add_up(a: tuple[float, ...], b: tuple[float, ...], right: float) -> None:
    assert callbacks.label_forms(ROW) == ["a", " a", "(a", "b", " b", "(b"]
    assert callbacks.read_labels(ROW, [math.log(p) for p in (*a, *b)]) == {"accuracy": right}


@pytest.mark.parametrize(
    ("to", "settings", "error", "says"),
    [
        ("lmeval", {}, ConfigError, "Did you mean 'lm-eval'"),
        ("lm-eval", {"prompt": ["papers"]}, PromptError, "Did you mean 'paper'"),
        ("inspect", {"tasks": ["event_causes"]}, ConfigError, "Did you mean 'event_cause'"),
        ("inspect", {"data": "no/such"}, DataError, "no such folder"),
    ],
)
def test_errors_leave_nothing(
    tmp_path: Path, to: str, settings: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        evalsuite.export(to, tmp_path / "out", **{"data": "bundled:sample", **settings})
    assert not (tmp_path / "out").exists()


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ConfigError, match="is not empty"):
        evalsuite.export("inspect", tmp_path, data="bundled:sample")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_command(tmp_path: Path, cli: Any) -> None:
    what = ["--set", "hard", "--tasks", "event_cause", "--prompt", "plain", "--limit", "3", "--data", "bundled:sample"]
    done = cli("export", "--to", "inspect", tmp_path / "out", *what)
    assert "README.md" in done.stdout
    assert [path.name for path in (tmp_path / "out" / "data").iterdir()] == ["corecode_hard_event_cause_plain.jsonl"]
