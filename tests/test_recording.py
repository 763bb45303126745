"""Recorded replies: the recording that ships is of today's prompts, and no prompt gets the reply to another."""

from __future__ import annotations

import argparse
import importlib.util
import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from as_json import cells_of

import evalsuite
from evalsuite.analyses.saved import load_results
from evalsuite.backends.models import load_models
from evalsuite.backends.recording import ABOUT, REPLIES, read_recording, request_hash
from evalsuite.common.errors import BackendError, DataError
from evalsuite.common.resources import bundled
from evalsuite.types import Message, Request

NAME = "qwen-coder-0.5b"
ROOT = Path(__file__).parents[1]
FOLDER = bundled("models/qwen2.5-coder-0.5b-recorded")
FEW: dict[str, Any] = {"tasks": ["event_cause", "subsequent_event"], "data": "bundled:sample"}


@pytest.fixture(scope="module")
def record() -> Any:
    """models/record.py, which is no module of the package."""
    spec = importlib.util.spec_from_file_location("record", ROOT / "models" / "record.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_the_recorded_prompts_are_todays(record: Any) -> None:
    recording, lines = read_recording(FOLDER)
    today = record.prompts(recording.chat, recording.runs)
    lacking = [today[key].id for key in today.keys() - lines.keys()]
    old = lines.keys() - today.keys()
    assert not lacking and not old, (
        f"templates or sample changed: {len(lacking)} prompts without a recorded reply ({min(lacking, default='')} …), {len(old)} replies to "
        f"prompts of old. This asks what is lacking: {recording.command}"
    )
    assert sum(session.replies for session in recording.sessions) == len(lines)


@pytest.mark.thorough
def test_what_a_newcomer_sees(tmp_path: Path) -> None:
    """The recorded model's default run has no failed request, and shows both parsed and unparsed replies."""
    recording, lines = read_recording(FOLDER)
    done = evalsuite.run(model=[NAME], data="bundled:sample", out=tmp_path)
    status: Counter[str] = Counter()
    for cell in cells_of(done):
        status.update(cell["status"])
    assert not done.problems and {cell["task"] for cell in cells_of(done)} == {
        t for run in recording.runs for t in run["tasks"]
    }
    assert sum(status.values()) == len(lines) and not status["failed"]
    assert 0.5 * len(lines) < status["parsed"] < len(lines) and status["unparsed"]
    assert all(cell["tokens"]["replies"] == cell["items"] for cell in cells_of(done))
    facts = cells_of(done)[0]["facts"]
    assert facts["backend"] == "scripted" and facts["parameters"] == 494_032_768
    assert (
        facts["recorded"]["model"] == "Qwen/Qwen2.5-Coder-0.5B-Instruct" and facts["recorded"]["date"] >= "2026-11-23"
    )
    manifest = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
    assert [*manifest["replies"]] == [NAME] and len(manifest["replies"][NAME]) == 64


@pytest.mark.slow
def test_cells_that_were_not_recorded_are_left_out(tmp_path: Path, cli: Callable[..., Any]) -> None:
    """Cells that the recording lacks are left out, in one line. Nothing fails, and no reply stands in for another."""
    words = ["run", "--tasks", "EC", "--data", "bundled:sample", "--out", tmp_path / "run"]
    completed = cli(*words, "--model", "random", "--model", NAME, "--shots", "0,5")
    assert (
        completed.stderr.count("left out") == 1
        and "left out 2 of 4 cells" in completed.stderr
        and "paper 5-shot" in completed.stderr
    )
    cells = cells_of(load_results(tmp_path / "run"))
    asked_of = sorted((c["model"], c["shots"]) for c in cells if c["set"] == "easy")
    assert asked_of == [(NAME, 0), ("random", 0), ("random", 5)]


@pytest.mark.slow
def test_a_model_of_which_nothing_is_recorded(tmp_path: Path, cli: Callable[..., Any]) -> None:
    """Named, it is a problem; among others of a file, it is one line."""
    words = ["run", "--tasks", "EC", "--data", "bundled:sample", "--shots", "5"]
    completed = cli(*words, "--model", NAME, "--out", tmp_path / "named", expect=1)
    assert "none of the cells asked now was recorded" in completed.stderr
    entries = yaml.safe_load((ROOT / "models.yaml").read_text(encoding="utf-8"))["models"]
    file = tmp_path / "models.yaml"
    file.write_text(json.dumps({"models": [m for m in entries if m["name"] in (NAME, "lexical")]}), encoding="utf-8")
    completed = cli(*words, "--models", file, "--out", tmp_path / "beside")
    assert completed.stderr.count("none of the cells asked now was recorded") == 1 and "problem" not in completed.stderr


@pytest.mark.thorough
def test_another_prompt_gets_no_reply(tmp_path: Path) -> None:
    """Items of the same ids in other data, and a template of one's own under the same name."""
    data = tmp_path / "data"
    shutil.copytree(bundled("sample/data"), data / "data")
    changed = 0
    for path in data.rglob("*.json*"):
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("高架桥", "立交桥"), encoding="utf-8")
        changed += "高架桥" in text
    assert changed
    changed_data = evalsuite.run(model=["random", NAME], **{**FEW, "data": data}, out=tmp_path / "run")
    as_it_is = evalsuite.run(model=["random", NAME], **FEW, out=tmp_path / "as-is")
    told, all_of_it = (
        {(c["set"], c["task"]) for c in cells_of(done) if c["model"] == NAME} for done in (changed_data, as_it_is)
    )
    assert all_of_it == {(item_set, task) for item_set in ("easy", "hard") for task in FEW["tasks"]}
    assert told == {("hard", task) for task in FEW["tasks"]}, "a bridge of EASY is called otherwise"


def request(**more: Any) -> Request:
    return Request(**{"id": "1", "prompt": "你好", "messages": (Message("user", "你好"),), "max_new_tokens": 8} | more)


@pytest.mark.parametrize(
    "more",
    [{"prompt": "你好。", "messages": (Message("user", "你好。"),)}, {"max_new_tokens": 9}, {"scoring": "constrained"},
     {"pattern": "a"}, {"sample": 1}, {"pairs": (("a", "b"),)}],
)  # fmt: skip
@pytest.mark.parametrize("chat", [True, False])
def test_what_tells_requests_apart(more: dict[str, Any], chat: bool) -> None:
    assert request_hash(request(), chat) == request_hash(request(id="2", batch=("x",)), chat)
    assert request_hash(request(), chat) != request_hash(request(**more), chat)


def _folder(tmp_path: Path, *lines: dict[str, Any], **more: Any) -> Path:
    about = json.loads((FOLDER / ABOUT).read_text(encoding="utf-8")) | more
    folder = tmp_path / "recording"
    folder.mkdir()
    (folder / ABOUT).write_text(json.dumps(about), encoding="utf-8")
    (folder / REPLIES).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return folder


LINE = {"asked": "0" * 24, "text": "(a)", "finish": "stop"}


@pytest.mark.parametrize(
    ("lines", "more", "message"),
    [([LINE, LINE], {}, r"replies.jsonl:2: field 'asked': an earlier line replies to the same"),
     ([{**LINE, "asked": "x"}], {}, r"replies.jsonl:1: field 'asked': string should have"),
     ([{**LINE, "said": "x"}], {}, r"replies.jsonl:1: field 'said': extra"),
     ([], {"sessions": []}, r"recording.json: field 'sessions'"),
     ([], {"licence": None}, r"recording.json: field 'licence': expected a string")],
)  # fmt: skip
def test_a_broken_recording_is_named(
    tmp_path: Path, lines: list[dict[str, Any]], more: dict[str, Any], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        read_recording(_folder(tmp_path, *lines, **more))


def test_a_model_may_have_more_than_a_billion_parameters(tmp_path: Path) -> None:
    assert read_recording(_folder(tmp_path, LINE, parameters=7_615_616_512))[0].parameters == 7_615_616_512


def test_it_says_how_the_model_was_asked(tmp_path: Path) -> None:
    folder = _folder(tmp_path)
    (tmp_path / "models.yaml").write_text(
        f"models: [{{name: m, backend: scripted, path: {folder.name}}}]", encoding="utf-8"
    )
    done = evalsuite.run(tmp_path / "models.yaml", tasks=["event_cause"], data="bundled:sample", out=tmp_path / "run")
    assert done.problems == ("model m: was recorded with chat: true; set it so",)


def test_recording_asks_only_what_is_missing(
    tmp_path: Path, record: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A model that is a file of replies stands for one that takes hours."""
    monkeypatch.setattr(record, "SETTINGS", ({"tasks": ["event_cause"], "set": "easy", "limit": 3},))
    wanted = record.prompts(False)
    said = {request.id: f"reply {n}" for n, request in enumerate(wanted.values())}
    (tmp_path / "said.jsonl").write_text(
        "".join(json.dumps({"item": item, "text": text, "new_tokens": 3}) + "\n" for item, text in said.items()),
        encoding="utf-8",
    )
    (tmp_path / "models.yaml").write_text("models: [{name: m, backend: scripted, path: said.jsonl}]", encoding="utf-8")
    args = argparse.Namespace(models=tmp_path / "models.yaml", model="m", name="M", revision="1", licence="none")
    out = tmp_path / "out"
    record.record(out, args)
    recording, lines = read_recording(out)
    assert [line.text for line in lines.values()] == [*said.values()]
    assert (recording.model, recording.chat, [s.replies for s in recording.sessions]) == ("M", False, [3])
    assert record.check(out) == 0

    kept = (out / REPLIES).read_text(encoding="utf-8").splitlines(keepends=True)
    (out / REPLIES).write_text(kept[2] + json.dumps({**LINE, "text": "of old"}) + "\n" + kept[0], encoding="utf-8")
    assert (
        record.check(out) == 1 and "1 without a recorded reply; 1 replies to prompts of old" in capsys.readouterr().out
    )
    record.record(out, argparse.Namespace(**{**vars(args), "name": None, "revision": None, "licence": None}))
    assert "2 recorded, 1 to ask" in capsys.readouterr().out
    assert (out / REPLIES).read_text(encoding="utf-8") == "".join(kept)
    again, _ = read_recording(out)
    assert again.model == "M" and [s.replies for s in again.sessions] == [2, 1]


def test_a_recording_is_read_only_when_its_model_is_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fails(folder: Path) -> Any:
        raise BackendError("read")

    monkeypatch.setattr("evalsuite.backends.recording.read_recording", fails)
    assert NAME in [model.name for model in load_models(bundled("models.yaml"))]
    assert not evalsuite.run(model=["random"], tasks=["event_cause"], limit=2, out=tmp_path / "run").problems


@pytest.mark.thorough
def test_the_page_marks_it(tmp_path: Path, browse: Any, cli: Callable[..., Any]) -> None:
    evalsuite.run(model=[NAME, "random"], **FEW, out=tmp_path / "run")
    stdout = cli("show", tmp_path / "run", COLUMNS="200").stdout
    assert f"{NAME} (recorded)" in stdout and "this run did not ask the model" in stdout
    with browse(tmp_path / "run" / "page" / "index.html") as tab:
        mark = tab.locator("table.overview th .flag").first
        assert mark.inner_text() == "recorded" and "did not ask" in (mark.get_attribute("title") or "")
        assert "Qwen/Qwen2.5-Coder-0.5B-Instruct" in tab.inner_text("#profile")
        tab.click("#lang")
        assert tab.locator("table.overview th .flag").first.inner_text() == "存档回复"
        assert "本次运行没有调用该模型" in tab.inner_text("#profile")
