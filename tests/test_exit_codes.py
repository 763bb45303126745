"""Exit codes mean one thing each, and nothing that a user can cause ends in a trace."""

from __future__ import annotations

import errno
import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from shared_fixtures import shared_folder

import evalsuite
from evalsuite.authoring.suggest import propose_annotations
from evalsuite.backends.baseline import Baseline
from evalsuite.backends.model import Model
from evalsuite.common.errors import BackendError
from evalsuite.common.resources import bundled
from evalsuite.results.schema.annotation import AnnotatedDialogue
from evalsuite.results.store import Store

pytestmark = pytest.mark.usefixtures("no_finalizers")
DEEP, HUGE = "[" * 100_000, "1" * 5_000
_GOOD = "models:\n  - {name: a, backend: baseline, path: lexical}\n"


@shared_folder
def run(folder: Path) -> Path:
    evalsuite.run(model=["lexical"], tasks=["event_cause", "slot_identification"], limit=2, out=folder / "run")
    return folder / "run"


def _file(name: str, content: str | bytes) -> Callable[[Path], Path]:
    """Writes a file of this content into a test's folder."""

    def write(folder: Path) -> Path:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def _folder(name: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        (folder / name).mkdir(parents=True)
        return folder / name

    return make


def _pipe(name: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        os.mkfifo(folder / name)
        return folder / name

    return make


def _prompt(content: bytes | None) -> Callable[[Path], Path]:
    """A folder of prompts whose template of one task has this text; None: a folder stands in place of the template."""

    def write(folder: Path) -> Path:
        path = folder / "prompts" / "corecode" / "event_cause" / "mine.j2"
        path.parent.mkdir(parents=True)
        path.mkdir() if content is None else path.write_bytes(content)
        return folder / "prompts"

    return write


def _data(line: str) -> Callable[[Path], Path]:
    """A copy of the sample in which a test file begins with this line."""

    def write(folder: Path) -> Path:
        shutil.copytree(bundled("sample/data"), folder / "corecode" / "data")
        path = folder / "corecode/data/easy/multiple_choice/test/Slot_Identification.jsonl"
        path.write_text(line + "\n" + path.read_text())
        return folder

    return write


_PARSED = {"output": "(a)", "options": {"a": "x", "b": "y"}}
_SPAN = {"output": "x", "dialogue": ["A: x"], "question": "q"}
_MODELS = ["models", "--models"]
_PROMPTED = ["run", "--model", "lexical", "--tasks", "event_cause", "--limit", "1", "--prompt", "mine", "--prompts"]
_ONE = ["run", "--model", "lexical", "--tasks", "event_cause"]
INPUTS = [
    # a broken file, and the command that reads it
    ("GBK models", _file("m.yaml", "models: [{name: 模型}]".encode("gbk")), _MODELS, "not UTF-8"),
    ("UTF-16 models", _file("m.yaml", _GOOD.encode("utf-16")), _MODELS, "not UTF-8"),
    ("folder for models", _folder("m.yaml"), _MODELS, "Is a directory"),
    ("deep models", _file("m.yaml", DEEP[:1200]), _MODELS, "not YAML"),
    ("huge integer in models", _file("m.yaml", f"models: [{{name: a, shots: [{HUGE}]}}]"), _MODELS, "not YAML"),
    ("circular models", _file("m.yaml", _GOOD + "  - {name: b, backend: hf, path: x, chat_template_kwargs: &k {x: *k}}"), _MODELS, "contains itself"),
    ("laughing models", _file("m.yaml", _GOOD + "  - name: b\n    backend: hf\n    path: x\n    chat_template_kwargs:\n      a: &a [1,1,1,1,1,1,1,1,1,1]\n" + "".join(f"      {y}: &{y} [{','.join([f'*{x}'] * 10)}]\n" for x, y in zip("abcdefg", "bcdefgh", strict=True))), _MODELS, "values"),
    ("nested models", _file("m.yaml", _GOOD + "  - {name: b, backend: hf, path: x, chat_template_kwargs: {x: " + "[" * 60 + "]" * 60 + "}}"), _MODELS, "deep"),
    ("NUL in models", _file("m.yaml", b"models:\0"), _MODELS, "not YAML"),
    ("date in models", _file("m.yaml", "models: 2020-99-99"), _MODELS, "not YAML"),
    ("a list as key in models", _file("m.yaml", "? [a]\n: b"), _MODELS, "not YAML"),
    ("GBK template", _prompt("{{ question }}对".encode("gbk")), _PROMPTED, "not UTF-8"),
    ("folder for a template", _prompt(None), _PROMPTED, "Is a directory"),
    ("deep template", _prompt(b"{{" + b"(" * 5000 + b"1" + b")" * 5000 + b"}}"), _PROMPTED, "mine.j2"),
    ("huge integer in a template", _prompt(b"{{" + HUGE.encode() + b"}}"), _PROMPTED, "mine.j2"),
    ("division by zero in a template", _prompt(b"{{ 1 / 0 }}"), _PROMPTED, "mine.j2"),
    ("template that recurs", _prompt(b"{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}"), _PROMPTED, "mine.j2"),
    ("memory without end in a template", _prompt(b"{{ 'a'.ljust(10**15) }}"), _PROMPTED, "mine.j2"),
    ("padding without end in a template", _prompt(b"{{ 'a'.ljust(100000000) }}"), _PROMPTED, "below a million"),
    ("a pipe of items", _pipe("items"), [*_ONE, "--items"], "no plain file"),
    ("a device of items", lambda _: Path("/dev/zero"), [*_ONE, "--items"], "no plain file"),
    ("deep line to parse", _file("p.jsonl", DEEP), ["parse"], "not JSON"),
    ("huge integer to parse", _file("p.jsonl", json.dumps(_PARSED)[:-1] + f', "x": {HUGE}}}'), ["parse"], "not JSON"),
    ("GBK to parse", _file("p.jsonl", '{"output": "对"}'.encode("gbk")), ["parse"], "not UTF-8"),
    ("folder to parse", _folder("p.jsonl"), ["parse"], "Is a directory"),
    ("dialogue of 5", _file("p.jsonl", json.dumps(_SPAN | {"dialogue": 5})), ["parse"], "dialogue"),
    ("dialogue of numbers", _file("p.jsonl", json.dumps(_SPAN | {"dialogue": [5]})), ["parse"], "dialogue"),
    ("dialogue of 5 with options", _file("p.jsonl", json.dumps(_PARSED | {"dialogue": 5})), ["parse"], "dialogue"),
    ("question that is a list", _file("p.jsonl", json.dumps(_SPAN | {"question": []})), ["parse"], "question"),
    ("question that is a number", _file("p.jsonl", json.dumps(_SPAN | {"question": 3})), ["parse"], "question"),
    ("finish that is a number", _file("p.jsonl", json.dumps(_PARSED | {"finish": 5})), ["parse"], "finish"),
    ("options that are a list", _file("p.jsonl", json.dumps(_PARSED | {"options": ["x", "y"]})), ["parse"], "options"),
    ("deep line to score", _file("p.jsonl", DEEP), ["metrics"], "not JSON"),
    ("huge integer to score", _file("p.jsonl", f'{{"hyp": "x", "ref": {HUGE}}}'), ["metrics"], "not JSON"),
    ("number to score", _file("p.jsonl", '{"hyp": 5, "ref": "x"}'), ["metrics"], "hyp"),
    ("no references", _file("p.jsonl", '{"hyp": "x", "refs": []}'), ["metrics"], "ref"),
    ("empty file to score", _file("p.jsonl", ""), ["metrics"], "no lines"),
    ("huge integer in data", _data(f'{{"question": {HUGE}}}'), ["run", "--tasks", "slot_identification", "--model", "lexical", "--data"], "jsonl:1"),
    ("deep data", _data(DEEP), ["run", "--tasks", "slot_identification", "--model", "lexical", "--data"], "jsonl:1"),
    ("dialogues that are a file of another kind", _file("d.jsonl", b"\x89PNG\r\n\x1a\n"), ["build", "tasks", "--out", "made"], "not UTF-8"),
    ("deep annotations", _file("d.jsonl", DEEP), ["build", "tasks", "--out", "made"], "jsonl:1"),
    ("huge integer in annotations", _file("d.jsonl", f'{{"id": {HUGE}}}'), ["build", "tasks", "--out", "made"], "jsonl:1"),
    ("folder that is a file", _file("d", "x"), ["show"], ""),
    ("folder that is a file, to submit", _file("d", "x"), ["submit", "check"], ""),
    ("folder that is a file, to score", _file("d", "x"), ["score"], "is a file; name a run's folder"),
    ("folder that is a file, as data", _file("d", "x"), ["run", "--data"], "no such folder"),
    ("a file as --out", _file("d", "x"), ["run", "--model", "lexical", "--limit", "1", "--tasks", "event_cause", "--out"], "is a file where a folder is to be"),
    ("a file above --out", lambda folder: _file("d", "x")(folder) / "run", ["run", "--model", "lexical", "--limit", "1", "--tasks", "event_cause", "--out"], "Not a directory"),
    ("a name too long as --out", lambda folder: folder / ("x" * 300), ["run", "--model", "lexical", "--limit", "1", "--tasks", "event_cause", "--out"], "too long"),
]  # fmt: skip


def is_calm(told: str) -> None:
    assert "Traceback" not in told and "defect" not in told and "error: " in told, told


@pytest.mark.parametrize(("make", "words", "says"), [x[1:] for x in INPUTS], ids=[x[0] for x in INPUTS])
def test_bad_input_is_2_and_said_without_a_trace(
    tmp_path: Path, cli: Any, monkeypatch: pytest.MonkeyPatch, make: Any, words: list[str], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    stderr = cli(*words, make(tmp_path), expect=2).stderr
    is_calm(stderr)
    assert says in stderr


def _cut_in_half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _overwrite_with(content: str | bytes) -> Callable[[Path], None]:
    return lambda path: path.write_bytes(content if isinstance(content, bytes) else content.encode()) and None


def _is_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _foreign(version: int) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.unlink()
        with sqlite3.connect(path) as db:
            db.executescript(f"CREATE TABLE replies (x); CREATE TABLE cells (y); PRAGMA user_version={version}")

    return write


def _row_broken(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("UPDATE requests SET request = x'00'")


def _place_broken(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("UPDATE cells SET place = '{' || id")


def _no_cells(path: Path) -> None:
    path.with_name("results.json").unlink()
    with sqlite3.connect(path) as db:
        db.execute("DELETE FROM cells")


_RUN = ["run", "--model", "lexical", "--tasks", "event_cause,slot_identification", "--limit", "2", "--out", "run"]
_STORE = [["score", "run"], _RUN]
_RESULTS = [["show", "run"], ["report", "run"], ["compare", "run", "--models", "lexical,random"],
            ["audit", "make", "run"], ["submit", "make", "run", "made"]]  # fmt: skip
BROKEN = [
    # the file, what happens to it, and the commands that read it
    ("store.sqlite", _cut_in_half, _STORE),
    ("store.sqlite", _overwrite_with(b"\x89PNG\r\n\x1a\n" * 99), _STORE),
    ("store.sqlite", _foreign(0), _STORE),
    ("store.sqlite", _foreign(3), _STORE),
    ("store.sqlite", _row_broken, _STORE[:1]),
    ("store.sqlite", _place_broken, _STORE[:1]),
    ("store.sqlite", _is_folder, _STORE),
    ("store.sqlite", _no_cells, _STORE[:1]),
    ("results.json", _cut_in_half, _RESULTS),
    ("results.json", _overwrite_with(""), _RESULTS),
    ("results.json", _overwrite_with("null"), _RESULTS),
    ("results.json", _overwrite_with("[]"), _RESULTS),
    ("results.json", _overwrite_with("{}"), _RESULTS),
    ("results.json", _overwrite_with('{"cells": 5}'), _RESULTS),
    ("results.json", _overwrite_with('{"cells": [5]}'), _RESULTS),
    ("results.json", _overwrite_with('{"cells": [{}]}'), _RESULTS),
    ("results.json", _overwrite_with(DEEP), _RESULTS),
    ("results.json", _overwrite_with(HUGE), _RESULTS),
    ("results.json", _overwrite_with('{"cells": "模型"}'.encode("gbk")), _RESULTS),
    ("results.json", _is_folder, _RESULTS),
    ("manifest.json", _cut_in_half, [["report", "run"], ["submit", "make", "run", "made"]]),
    ("manifest.json", _overwrite_with("[]"), [["report", "run"], ["submit", "make", "run", "made"]]),
    ("manifest.json", _is_folder, [["submit", "make", "run", "made"]]),
    ("records", shutil.rmtree, [["report", "run"], ["audit", "make", "run"], ["submit", "make", "run", "made"]]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "damage", "words"),
    [(name, damage, words) for name, damage, commands in BROKEN for words in commands],
    ids=[f"{n}-{name}-{words[0]}" for n, (name, _, commands) in enumerate(BROKEN) for words in commands],
)
def test_a_broken_run_is_2_and_said_without_a_trace(
    run: Path, tmp_path: Path, cli: Any, monkeypatch: pytest.MonkeyPatch, name: str, damage: Any, words: list[str]
) -> None:
    shutil.copytree(run, tmp_path / "run")
    monkeypatch.chdir(tmp_path)
    damage(Path("run") / name)
    is_calm(cli(*words, expect=2).stderr)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT, errno.EIO])
@pytest.mark.parametrize("words", [_RUN, ["score", "run"], ["report", "run"], ["audit", "make", "run"],
                                   ["submit", "make", "run", "made"], ["export", "--to", "lm-eval", "made"]],
                         ids=lambda words: words[0])  # fmt: skip
def test_a_full_or_read_only_disk_is_2_and_said_without_a_trace(
    run: Path, tmp_path: Path, cli: Any, monkeypatch: pytest.MonkeyPatch, words: list[str], code: int
) -> None:
    shutil.copytree(run, tmp_path / "run")
    monkeypatch.chdir(tmp_path)

    def refuse(path: Path, *more: Any, **how: Any) -> Any:
        if set("wxa") & set(str(how.get("mode", more[0] if more else "r"))):
            raise OSError(code, os.strerror(code), str(path))
        return opened(path, *more, **how)

    opened = Path.open
    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr(Path, "write_text", lambda path, *_, **__: refuse(path, "w"))
    stderr = cli(*words, expect=2).stderr
    is_calm(stderr)
    assert os.strerror(code) in stderr


def test_a_full_disk_under_the_store_stops_the_run(tmp_path: Path, cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(Store, "put", refuse)
    monkeypatch.chdir(tmp_path)
    stderr = cli(*_RUN, expect=2).stderr
    is_calm(stderr)
    assert "disk is full" in stderr and not Path("run/results.json").exists()


def test_failed_models_are_1(tmp_path: Path, cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(model: Model, *_: Any, **__: Any) -> Any:
        return Baseline(model, lambda *_: ()) if model.backend == "baseline" else [].pop()

    monkeypatch.setattr("evalsuite.evaluation.ask.load_backend", broken)
    (tmp_path / "empty").mkdir()
    (tmp_path / "m.yaml").write_text(_GOOD + "  - {name: b, backend: hf, path: empty}\n")
    words = [
        "run",
        "--models",
        tmp_path / "m.yaml",
        "--tasks",
        "slot_identification",
        "--limit",
        "1",
        "--out",
        tmp_path / "run",
    ]
    stderr = cli(*words, expect=1).stderr
    assert "problem: model b: IndexError: pop from empty list (trace in " in stderr and "Traceback" not in stderr
    assert "Traceback" in (tmp_path / "run" / "run.log").read_text()
    assert cli(*words, "--model", "a").returncode == 0


def test_an_engine_that_breaks_in_parity_is_1(cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(model: Model) -> Any:
        raise RecursionError("too deep")

    monkeypatch.setattr("evalsuite.exchange.parity.load_backend", broken)
    completed = cli(
        "parity", "--model", "tiny-zh", "--backends", "hf,vllm", "--tasks", "event_cause", "--limit", "1", expect=1
    )
    assert "error: model tiny-zh: RecursionError: too deep" in completed.stderr


def test_an_engine_that_breaks_while_it_proposes_is_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(Baseline):
        def generate(self, *_: Any) -> Any:
            raise ZeroDivisionError("in the engine")

    monkeypatch.setattr(
        "evalsuite.evaluation.ask.load_backend",
        lambda *_, **__: Broken(Model(name="b", backend="baseline", path="lexical"), lambda *_: ()),
    )
    (tmp_path / "m.yaml").write_text("models: [{name: b, backend: hf, path: x/y}]")
    rows = [AnnotatedDialogue(id="1", set="easy", dialogue=["A: 你好", "B: 你好"], annotations=[])]
    with pytest.raises(BackendError, match="model b: ZeroDivisionError: in the engine"):
        propose_annotations(rows, "b", tmp_path / "made", tmp_path / "m.yaml")


def test_a_defect_is_70_and_its_trace_is_kept(cli: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise KeyError("of ours\x1b[31m")

    monkeypatch.setattr("evalsuite.run", broken)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    stderr = cli("run", expect=70).stderr
    (kept,) = tmp_path.glob("evalsuite-*.trace")
    assert "a defect of evalsuite: KeyError" in stderr and str(kept) in stderr and "Please report it" in stderr
    assert "Traceback" not in stderr and "\x1b" not in stderr
    assert "Traceback" in kept.read_text() and "\x1b" not in kept.read_text()


def test_who_stops_a_run_is_130(cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("evalsuite.run", interrupt)
    assert "the same command resumes" in cli("run", expect=130).stderr


def test_a_reader_that_has_enough_is_no_error(cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def break_pipe(*_: Any, **__: Any) -> None:
        raise BrokenPipeError

    monkeypatch.setattr("evalsuite.score", break_pipe)
    assert cli("score", "run").stderr == ""


def test_the_help_tells_the_exit_codes(cli: Any) -> None:
    stdout = " ".join(cli("--help", COLUMNS="200").stdout.split())
    assert "Exit codes: 0 all done; 1 done, but some" in stdout and "70 a defect" in stdout and "130" in stdout
