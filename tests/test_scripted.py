"""Replies from functions and from files: whole runs without an engine, and what is wrong with a file."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from as_json import cells_of, content_of

import evalsuite
from evalsuite.backends import registry
from evalsuite.backends.base import BackendRow
from evalsuite.backends.models import load_models
from evalsuite.backends.scripted import ReplyFile, Scripted
from evalsuite.common.errors import BackendError, ConfigError, DataError
from evalsuite.common.resources import bundled
from evalsuite.results.store import open_store
from evalsuite.types import Item, Request, Response, Trial

ASKED: dict[str, Any] = {"tasks": ["knowledge_filling"], "set": "easy", "limit": 3}
ITEM = Item("i/0", "knowledge_filling", "easy", "test", ("A: 你好。",), "？", ("甲", "乙"), ("(a)", "(b)"), 0, ("甲",))


def trial(perturb: str = "none", rotation: int = 0) -> Trial:
    return Trial(ITEM, Request("i/0", "你好", (), 8), "paper", (), 0, perturb, rotation)


def replies_file(folder: Path, *rows: dict[str, Any] | str) -> Path:
    path = folder / "replies.jsonl"
    path.write_text(
        "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows), encoding="utf-8"
    )
    return path


def test_functions_reply(tmp_path: Path) -> None:
    """Each function replies under its own name; its replies are stored like any model's; a failure is reported and asked
    again."""
    seen: list[str] = []

    def fails_once(request: Request) -> Response:
        seen.append(request.id)
        if len(seen) == 2:
            raise BackendError("no reply yet")
        return Response(request.labels[0], "stop", reasoning="想")

    models = {"first": fails_once, "last": lambda request: request.labels[-1]}
    done = evalsuite.run(models, **ASKED, out=tmp_path)
    assert [(c["model"], c["status"]) for c in cells_of(done)] == [
        ("first", {"parsed": 2, "failed": 1}),
        ("last", {"parsed": 3}),
    ]
    assert cells_of(done)[0]["errors"] == {"no reply yet": 1} and cells_of(done)[0]["facts"]["backend"] == "scripted"
    assert len({c["facts"]["fingerprint"] for c in cells_of(done)}) == 2
    with pytest.raises(ConfigError, match=r"unknown model 'lst'. Did you mean 'last'"):
        evalsuite.run(models, model=["lst"], **ASKED, out=tmp_path)
    assert evalsuite.run(models, **ASKED, out=tmp_path).problems == ()
    assert len(seen) == 4 and seen[3] == seen[1]  # requests with a reply were not asked again


def test_a_function_as_judge(tmp_path: Path) -> None:
    evalsuite.run({"mine": lambda request: "下雨了"}, tasks=["event_cause"], set="easy", limit=2, out=tmp_path)
    done = evalsuite.judge(tmp_path, "judge", models={"judge": lambda request: "5\n很好"}, blind=True)
    assert not done.problems
    assert {(c["judge"], c["control"], c["items"]) for c in content_of(done, "judged")["cells"]} == {
        ("judge", "plain", 2),
        ("judge", "blind", 2),
    }


def test_a_function_that_waits_holds_the_run(tmp_path: Path) -> None:
    """The replies before it are in the store by then."""
    reached, go_on = threading.Event(), threading.Event()

    def reply(request: Request) -> str:
        if request.id.endswith("/2"):
            reached.set()
            assert go_on.wait(60)
        return "(a)"

    runs = threading.Thread(target=lambda: evalsuite.run({"slow": reply}, **ASKED, out=tmp_path))
    runs.start()
    assert reached.wait(60)
    with open_store(tmp_path) as store:
        (cell,) = store.cells()
        assert [response is not None for _, _, response in store.read(cell)] == [True, True, False]
    go_on.set()
    runs.join(60)
    assert not runs.is_alive()


KILLED = """
import sys, evalsuite
def reply(request):
    if request.id.endswith("/2"):
        print("here", flush=True)
        sys.stdin.read()
    return "(a)"
evalsuite.run({"m": reply}, tasks=["knowledge_filling"], set="easy", limit=3, out=sys.argv[1])
"""


@pytest.mark.thorough
def test_a_run_killed_at_a_known_point_goes_on(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # fmt: skip
    assert process.stdout is not None and process.stdout.readline() == b"here\n"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    with open_store(tmp_path) as store:
        (cell,) = store.cells()
        assert [response is not None for _, _, response in store.read(cell)] == [True, True, False]
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], stdin=subprocess.DEVNULL, check=True)
    assert ": 1 asked, 2 kept, 0 failed" in (tmp_path / "run.log").read_text(encoding="utf-8")


def test_a_file_of_replies(tmp_path: Path) -> None:
    """The whole journey: what has no line fails, and says so."""
    prefix = "corecode/easy/test/knowledge_filling"
    replies_file(tmp_path, {"item": f"{prefix}/0", "text": "(a)"}, {"item": f"{prefix}/1", "error": "timed out"})
    (tmp_path / "models.yaml").write_text("models: [{name: theirs, backend: scripted, path: replies.jsonl}]")
    done = evalsuite.run(tmp_path / "models.yaml", **ASKED, out=tmp_path / "run")
    (cell,) = cells_of(done)
    assert cell["status"] == {"parsed": 1, "failed": 2} and "timed out" in cell["errors"]
    assert any(f"no reply to {prefix}/2" in error for error in cell["errors"])
    assert cell["facts"]["fingerprint"].startswith("scripted:") and "baseline" not in cell["facts"]["tags"]
    replies_file(
        tmp_path, *({"item": f"{prefix}/{n}", "text": "(b)"} for n in range(3))
    )  # replies of another file are another model's
    assert cells_of(evalsuite.run(tmp_path / "models.yaml", **ASKED, out=tmp_path / "run"))[0]["status"] == {
        "parsed": 3
    }


def test_items_with_the_same_prompt_have_replies_of_their_own(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "easy" / "generation" / "test"
    folder.mkdir(parents=True)
    name = "Event_Causal_Inference--Event_Cause_Inference.jsonl"
    first = (bundled("sample") / "data" / "easy" / "generation" / "test" / name).read_text("utf-8").splitlines()[0]
    rows = [json.dumps({**json.loads(first), "id": n}) for n in range(2)]
    (folder / name).write_text("\n".join(rows), encoding="utf-8")
    replies_file(
        tmp_path, *({"item": f"corecode/easy/test/event_cause/{n}", "text": text} for n, text in enumerate("甲乙"))
    )
    (tmp_path / "models.yaml").write_text("models: [{name: theirs, backend: scripted, path: replies.jsonl}]")
    evalsuite.run(tmp_path / "models.yaml", tasks=["event_cause"], data=tmp_path / "data", out=tmp_path / "run")
    records = next((tmp_path / "run" / "records").iterdir()).read_text("utf-8").splitlines()
    assert [json.loads(record)["reply"] for record in records] == ["甲", "乙"]


def test_the_line_that_says_most_of_a_trial(tmp_path: Path) -> None:
    path = replies_file(
        tmp_path,
        {"item": "i/0", "text": "1"},
        {"item": "i/0", "text": "2", "perturb": "circular"},
        {"item": "i/0", "text": "3", "perturb": "circular", "rotation": 1, "finish": "length", "reasoning": "想"},
        {"item": "i/0", "text": "4", "perturb": "shuffle", "shots": 0},
        {"item": "i/0", "text": "5", "task": "knowledge_filling", "perturb": "shuffle"},
    )
    backend = ReplyFile(path)
    asked = [trial(), trial("circular"), trial("circular", 1), trial("shuffle")]
    ((_, first), (_, second), (_, third), (_, fourth)) = next(iter(backend.answer(asked, [False] * 4)))
    assert (first.text, second.text) == ("1", "2")
    assert third == Response("3", "length", reasoning="想")
    assert fourth.error == f"{path}: lines 4 and 5 both fit i/0"
    ((_, plain),) = next(iter(backend.generate([Request("i/0", "", (), 8)], [False])))
    assert plain.text == "1"
    assert list(backend.answer(asked, [True] * 4)) == []


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{", ":2: not JSON"),
        ({"text": "a"}, ":2: field 'item': missing"),
        ({"item": "i/1", "txt": "a"}, ":2: field 'txt': unknown field 'txt'. Did you mean 'text'?"),
        ({"item": "i/1", "text": 3}, ":2: field 'text': expected a string, found 3"),
        ({"item": "i/1"}, ":2: field 'text': expected either a text or an error"),
        ({"item": "i/1", "text": "a", "error": "b"}, "expected either a text or an error"),
        ({"item": "i/0", "text": "b"}, ":2: field 'item': line 1 replies to the same already; tell the two apart by task"),
    ],
)  # fmt: skip
def test_a_broken_file_is_named_with_its_line(tmp_path: Path, row: dict[str, Any] | str, message: str) -> None:
    with pytest.raises(DataError) as error:
        ReplyFile(replies_file(tmp_path, {"item": "i/0", "text": "a"}, row))
    assert message in str(error.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nowhere\.jsonl: cannot read"):
        ReplyFile(tmp_path / "nowhere.jsonl")


def test_a_broken_file_stops_its_model_alone(tmp_path: Path) -> None:
    replies_file(tmp_path, {"item": "i/1", "txt": "a"})
    path = tmp_path / "models.yaml"
    path.write_text(
        "models:\n  - {name: broken, backend: scripted, path: replies.jsonl}\n"
        "  - {name: first, backend: baseline, path: oracle}\n"
    )
    done = evalsuite.run(path, **ASKED, baselines=[], out=tmp_path / "run")
    assert [cell["model"] for cell in cells_of(done)] == ["first"]
    assert len(done.problems) == 1 and "model broken: " in done.problems[0] and ":1: field 'txt'" in done.problems[0]


# --- backends of other packages


class Point:
    """The entry point of an installed package."""

    dist, group = None, "evalsuite.backends"

    def __init__(self, name: str, gives: object) -> None:
        self.name, self.gives, self.value = name, gives, f"theirs.{name}:ROW"

    def load(self) -> object:
        if isinstance(self.gives, Exception):
            raise self.gives
        return self.gives


def install_points(monkeypatch: pytest.MonkeyPatch, *points: Point) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points if group == Point.group else ())


def models(folder: Path, backend: str) -> Path:
    path = folder / "models.yaml"
    path.write_text(f"models:\n  - {{name: m, backend: {backend}, path: x}}\n")
    return path


def test_another_packages_backend_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = BackendRow("parrot", lambda model, train, limits: Scripted(model.name, lambda request: "(a)"))
    install_points(monkeypatch, Point("parrot", row))
    done = evalsuite.run(models(tmp_path, "parrot"), **ASKED, out=tmp_path / "run")
    assert cells_of(done)[0]["facts"]["backend"] == "parrot" and cells_of(done)[0]["status"] == {"parsed": 3}
    with pytest.raises(
        ConfigError, match=r"models.yaml:2: models\[0\].backend: unknown backend 'parot'. Did you mean 'parrot'"
    ):
        load_models(models(tmp_path, "parot"))


def test_a_built_in_name_is_the_built_in_backend(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    install_points(monkeypatch, Point("hf", BackendRow("hf", lambda *_: None)))  # type: ignore[arg-type, return-value]
    assert registry.backend_named("hf") is registry.BACKENDS["hf"]
    assert registry.backend_names() == list(registry.BACKENDS)
    assert "backend hf of unknown package (theirs.hf:ROW): the built-in one of this name is used" in caplog.text


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (
            [Point("x", ImportError("no torch"))],
            r"theirs\.x:ROW\): entry point 'x' .* cannot be loaded: ImportError: no torch",
        ),
        ([Point("x", "a text")], r"theirs\.x:ROW\): expected a BackendRow named 'x', found 'a text'"),
        ([Point("x", None), Point("x", None)], "several packages have one of this name"),
    ],
)
def test_what_is_wrong_with_another_packages_backend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, points: list[Point], message: str
) -> None:
    install_points(monkeypatch, *points)
    with pytest.raises(ConfigError, match=message):
        load_models(models(tmp_path, "x"))
