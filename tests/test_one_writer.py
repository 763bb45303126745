"""One run's folder, one writer: who comes second is told who holds the folder, asks nothing and leaves all as it was."""

from __future__ import annotations

import errno
import json
import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import evalsuite
from evalsuite.authoring.screen import screen_dialogues
from evalsuite.authoring.suggest import propose_annotations
from evalsuite.backends.openai.faults import Server
from evalsuite.common.errors import ConfigError
from evalsuite.common.files import replace_file, replacing
from evalsuite.common.lock import locked, unwritten
from evalsuite.common.resources import bundled
from evalsuite.exchange.submit.submission import make_submission as submit
from evalsuite.results.compare import compare
from evalsuite.results.schema.annotation import AnnotatedDialogue
from evalsuite.review import audit

FEW: dict[str, Any] = {"tasks": ["event_cause", "knowledge_generation"], "limit": 2}
# Holds a folder until it is told to go; with "fork", a child of it says that it is ready.
HOLD = """
import os, sys
from pathlib import Path
from evalsuite.common.lock import locked
with locked(Path(sys.argv[1])):
    if "fork" not in sys.argv or not os.fork():
        print("READY", flush=True)
    sys.stdin.read()
"""


@contextmanager
def holder(folder: Path, *more: str) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the folder within the block."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder), *more], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout and process.stdout.readline() == "READY\n"
        yield process  # closing its stdin ends it, and what it forked


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return evalsuite.run(model=["lexical", "random"], out=tmp_path / "run", **FEW).out


def files(folder: Path) -> dict[Path, bytes]:
    return {p: p.read_bytes() for p in folder.rglob("*") if p.is_file() and p.name != ".lock"}


def test_who_comes_second_is_told_who_is_there(tmp_path: Path, cli: Any) -> None:
    out = tmp_path / "run"
    out.mkdir()
    command = ["run", "--model", "random", "--tasks", "event_cause", "--limit", "2", "--out", str(out)]
    with holder(out) as first:
        second = cli(*command, expect=2)
        assert second.stdout == ""
        assert second.stderr.startswith(f"error: {out}: is being written by process {first.pid} on {socket.gethostname()} since 20")  # fmt: skip
        assert f"(-c {out})" in second.stderr and second.stderr.count("\n") == 1
        assert files(out) == {}
    cli(*command)
    assert (out / ".lock").read_bytes() == b""  # the lock file names no holder any more


@pytest.mark.parametrize("fork", [(), ("fork",)], ids=["alone", "with a child that outlives it"])
def test_a_killed_process_holds_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, fork: tuple[str, ...]
) -> None:
    with holder(tmp_path, *fork) as first:
        with pytest.raises(ConfigError, match=f"process {first.pid} "), locked(tmp_path):
            pass
        first.send_signal(signal.SIGKILL)
        assert first.wait() == -signal.SIGKILL
        assert str(first.pid) in (tmp_path / ".lock").read_text()
        with locked(tmp_path):
            assert json.loads((tmp_path / ".lock").read_text())["pid"] == os.getpid()
    assert not caplog.records


WRITERS = {
    "run": lambda run: evalsuite.run(model=["lexical"], out=run, **FEW),
    "score": lambda run: evalsuite.score(run),
    "report": lambda run: evalsuite.report([run]),
    "report, told so": lambda run: evalsuite.report([run], run / "page"),
    "judge": lambda run: evalsuite.judge(run, "tiny-zh"),
    "finetune": lambda run: evalsuite.finetune(model=["tiny-zh"], tasks=["event_cause"], sizes=[2], out=run),
    "audit": lambda run: audit.make_sample(run, 2),
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_writer_stops(run: Path, name: str) -> None:
    before = files(run)
    with locked(run), pytest.raises(ConfigError, match=f"is being written by process {os.getpid()} "):
        WRITERS[name](run)
    assert files(run) == before


@pytest.mark.slow
def test_readers_go_on(run: Path, tmp_path: Path, cli: Any) -> None:
    before = files(run)
    with holder(run):
        assert evalsuite.report([run], tmp_path / "page").is_file()
        assert compare(run, "lexical", "random")
        assert "lexical" in cli("show", run).stdout
    assert files(run) == before


def test_a_submission_waits_for_the_writer(run: Path, tmp_path: Path) -> None:
    """A submission has several files, which must be of one state of the run."""
    with holder(run) as first, pytest.raises(ConfigError, match=f"is being written by process {first.pid} "):
        submit(run, tmp_path / "submission", {}, {})
    assert [p.name for p in tmp_path.iterdir()] == ["run"]
    with unwritten(run), unwritten(run):  # two readers hold it at once
        assert submit(run, tmp_path / "submission", {}, {}).out.is_dir()
        with pytest.raises(ConfigError, match="is being written by another process"), locked(run):
            pass
    assert not list((tmp_path / "submission").rglob(".*"))
    (run / ".lock").unlink()  # a copy, on a disk that is read only
    assert submit(run, tmp_path / "second", {}, {}).out.is_dir()


def test_where_there_is_no_run_no_lock_is_left(tmp_path: Path) -> None:
    for writer in ("score", "report", "judge", "audit"):
        with pytest.raises(ConfigError, match=r"no run here|no results\.json"):
            WRITERS[writer](tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_screening_has_one_writer_too(tmp_path: Path) -> None:
    with locked(tmp_path), pytest.raises(ConfigError, match="is being written by"):
        screen_dialogues(
            [bundled("sample/annotations.jsonl")],
            bundled("sample/knowledge/assertions.csv"),
            tmp_path,
            index=tmp_path / "index.sqlite",
        )
    assert not (tmp_path / "matches.jsonl").exists()


# --- money


@pytest.fixture
def endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Server, Path]]:
    pytest.importorskip("openai", reason="needs evalsuite[openai]")
    monkeypatch.setenv("A_KEY", "sk-1")
    with Server(mix={}) as server:
        models = tmp_path / "models.yaml"
        api = f"{{base_url: '{server.url}', key_env: A_KEY, price: {{input: 1, output: 2}}}}"
        models.write_text(f"models: [{{name: m, backend: openai, path: x, chat: true, api: {api}}}]")
        yield server, models


@pytest.mark.slow
def test_a_second_process_spends_nothing(run: Path, endpoint: tuple[Server, Path], cli: Any) -> None:
    server, models = endpoint
    of = ["--models", str(models), "--budget", "60"]
    with holder(run) as first:
        for command in (["run", *of, "--out", str(run)], ["judge", str(run), *of, "--judge", "m"]):
            assert f"process {first.pid} " in cli(*command, expect=2).stderr
    assert not server.asked


def test_nor_does_one_that_wants_proposals(tmp_path: Path, endpoint: tuple[Server, Path]) -> None:
    server, models = endpoint
    rows = [AnnotatedDialogue(id="1", set="easy", dialogue=["A: 你好。"], annotations=[])]
    with locked(tmp_path, ".a.proposals.lock"):
        with pytest.raises(ConfigError, match="is being written by"):
            propose_annotations(rows, "m", tmp_path / "a", models, budget=1)
        assert not server.asked
        propose_annotations(rows, "m", tmp_path / "b", models, budget=1)
    assert server.asked


# --- where a lock is no certainty


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS])
def test_without_locks_it_says_that_it_cannot_know(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, number: int
) -> None:
    def flock(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("fcntl.flock", flock)
    with locked(tmp_path):
        pass
    assert [(r.levelno, "it cannot be known whether another process writes there" in r.message) for r in caplog.records] == [(logging.WARNING, True)]  # fmt: skip


def test_without_fcntl_it_warns_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "fcntl", None)
    with locked(tmp_path):
        pass
    assert "it cannot be known" in caplog.text


def test_a_holder_on_another_machine_that_never_said_goodbye(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Killed there, or at work there, where the file system does not carry locks."""
    told = {"pid": 7, "host": "elsewhere\x1b[2J", "since": "2026-01-01T00:00:00+0000", "command": "evalsuite run"}
    (tmp_path / ".lock").write_text(json.dumps(told))
    with locked(tmp_path):
        pass
    (record,) = caplog.records
    assert "process 7 on elsewhereU+001B[2J since" in record.message and "file system" in record.message
    with locked(tmp_path):
        pass
    assert len(caplog.records) == 1


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "\xff"])
def test_a_holder_without_a_name(tmp_path: Path, text: str) -> None:
    with locked(tmp_path):
        (tmp_path / ".lock").write_text(text, encoding="latin-1")
        with pytest.raises(ConfigError, match="is being written by another process; wait"), locked(tmp_path):
            pass


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / ".lock").mkdir()
    with pytest.raises(ConfigError, match=r"\.lock: cannot be written: Is a directory"), locked(tmp_path):
        pass


# --- files are replaced whole


def test_a_writer_that_fails_leaves_the_old_file_and_no_draft(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    replace_file(path, "旧")
    with pytest.raises(OSError, match="disk full"), replacing(path) as draft:
        draft.write(b"half")
        raise OSError("disk full")
    with pytest.raises(TypeError):
        replace_file(path, ["no text"])  # type: ignore[arg-type]
    assert path.read_text(encoding="utf-8") == "旧" and list(tmp_path.iterdir()) == [path]


def test_drafts_have_names_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    with replacing(path) as one, replacing(path) as other:
        one.write(b"one")
        other.write(b"other")
        assert len(list(tmp_path.glob(".results.json.*.part"))) == 2
    assert path.read_bytes() == b"one" and list(tmp_path.iterdir()) == [path]


def test_permissions_are_those_of_any_file(tmp_path: Path) -> None:
    replace_file(tmp_path / "a", "")
    (tmp_path / "b").write_text("")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode


@pytest.mark.parametrize("what", ["page", "audit"])
def test_a_page_is_replaced_whole_or_not_at_all(run: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    WRITERS["audit"](run)
    before = files(run)

    def fails(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", fails)
    with pytest.raises(OSError, match="disk full"):
        WRITERS["report" if what == "page" else what](run)
    assert files(run) == before


def test_a_submission_is_made_whole_or_not_at_all(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise OSError("disk full")

    with monkeypatch.context() as broken, pytest.raises(OSError, match="disk full"):
        broken.setattr("evalsuite.exchange.submit.submission.sums", fails)
        submit(run, tmp_path / "made", {}, {})
    assert [p.name for p in tmp_path.iterdir()] == ["run"]
