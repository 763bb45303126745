"""Nothing is removed or overwritten that the suite did not write, and no file is written in part."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from as_json import cells_of

import evalsuite
from evalsuite.authoring.benchmark import build_benchmark
from evalsuite.common.errors import ConfigError
from evalsuite.common.files import make_folder, new_folder, remove, replacing_together
from evalsuite.common.lock import locked
from evalsuite.common.resources import bundled
from evalsuite.exchange.submit.submission import make_submission as submit
from evalsuite.results.records import read_records
from evalsuite.results.store import open_store
from tests.shared_fixtures import shared_folder

FEW: dict[str, Any] = {"tasks": ["event_cause", "slot_identification"], "limit": 2}


def reply(request: Any) -> str:
    return request.labels[0] if request.labels else "他累了"


def start(out: Path, **more: Any) -> Path:
    return evalsuite.run({"mine": reply}, out=out, **(FEW | more)).out


def item_ids(run: Path, cell: Any) -> Iterator[str]:
    return (record["item"] for record in read_records(run, cell["records"]))


def start_shared_run(folder: Path) -> Path:
    return start(folder / "run")


made_run = shared_folder(start_shared_run, "made_run")


@pytest.fixture
def run(made_run: Path, tmp_path: Path) -> Path:
    shutil.copytree(made_run, tmp_path / "run")
    return tmp_path / "run"


def files(folder: Path) -> dict[str, bytes]:
    return {
        p.relative_to(folder).as_posix(): p.read_bytes()
        for p in folder.rglob("*")
        if p.is_file() and p.name not in (".lock", "run.log") and not p.name.startswith("store.sqlite")
    }


# --- the store lacks what results.json has


def empty_store(store: Path) -> None:
    store.write_bytes(b"")


def replace_store(store: Path) -> None:
    shutil.copy(start(store.parent.parent / "other", tasks=["event_cause"]) / "store.sqlite", store)


def delete_replies(store: Path) -> None:
    with open_store(store.parent) as opened:
        opened._db.execute("DELETE FROM replies")


LOSSES = {
    empty_store: "lacks 4 of the 4 cells",
    replace_store: "lacks 2 of the 4 cells",
    delete_replies: "lacks replies that",
}


@pytest.mark.parametrize("loss", LOSSES)
def test_score_refuses_a_store_that_has_less_than_results_json(run: Path, loss: Any, cli: Any) -> None:
    before = files(run)
    loss(run / "store.sqlite")
    assert LOSSES[loss] in cli("score", run, expect=2).stderr
    assert files(run) == before


def test_score_refuses_it_where_items_were_listed(run: Path, tmp_path: Path, cli: Any) -> None:
    """The file leaves out default values of the facts on the list; they are the same facts."""
    names = dict.fromkeys(item for cell in cells_of(evalsuite.score(run)) for item in item_ids(run, cell))
    (tmp_path / "ids").write_text("\n".join(names))
    listed = start(tmp_path / "listed", limit=None, items=tmp_path / "ids")
    delete_replies(listed / "store.sqlite")
    assert "lacks replies that" in cli("score", listed, expect=2).stderr


def test_a_run_refuses_it_before_it_asks(run: Path) -> None:
    before = files(run)
    empty_store(run / "store.sqlite")
    with pytest.raises(ConfigError, match="lacks 4 of the 4 cells"):
        evalsuite.run({"mine": lambda request: pytest.fail("asked")}, out=run, **FEW)
    (run / "store.sqlite").unlink()
    with pytest.raises(ConfigError, match=r"holds a results\.json and no store\.sqlite"):
        start(run)
    assert files(run) == before


def test_a_plan_of_fewer_items_loses_nothing(run: Path) -> None:
    assert {cell["items"] for cell in cells_of(evalsuite.run({"mine": reply}, out=run, **FEW | {"limit": 1}))} == {1}


KILLED = """
import os, signal, sys, evalsuite
asked = 0
def reply(request):
    global asked
    asked += 1
    if asked == 6:
        os.kill(os.getpid(), signal.SIGKILL)
    return "1"
evalsuite.run({"mine": reply}, tasks=["event_cause", "slot_identification"], limit=2, out=sys.argv[1])
"""


@pytest.mark.thorough
def test_a_copy_without_its_wal_is_told(tmp_path: Path, cli: Any) -> None:
    """`store.sqlite` of a killed run is not whole alone."""
    out = tmp_path / "run"
    assert subprocess.run([sys.executable, "-c", KILLED, out], capture_output=True).returncode == -9
    for name, copied in (("both", ["store.sqlite", "store.sqlite-wal"]), ("one", ["store.sqlite"])):
        (tmp_path / name).mkdir()
        for file in copied:
            shutil.copy(out / file, tmp_path / name / file)
    assert "was copied without store.sqlite-wal" in cli("score", tmp_path / "one", expect=2).stderr
    both = evalsuite.score(tmp_path / "both")
    assert sum(cell.items - cell.missing for cell in both.cells) == 5
    assert [p.name for p in (tmp_path / "both").glob("store*")] == ["store.sqlite"]  # the store is one whole file again
    evalsuite.score(tmp_path / "both")
    (tmp_path / "one" / "store.sqlite-wal").touch()  # the user accepts the loss: nothing is left
    assert "store.sqlite has no cells" in cli("score", tmp_path / "one", expect=2).stderr


# --- files of others


def test_a_run_leaves_the_files_of_a_project_alone(tmp_path: Path) -> None:
    proj = tmp_path / "proj"
    mine = {"records/mine.jsonl": b"1\n", "judged/mine.jsonl": b"2\n", "page/shards/app.js": b"let a\n", "audit/x": b""}
    for name, content in mine.items():
        (proj / name).parent.mkdir(parents=True, exist_ok=True)
        (proj / name).write_bytes(content)
    start(proj)
    evalsuite.score(proj)
    evalsuite.report([proj])
    assert files(proj).items() >= mine.items()


@pytest.mark.parametrize("name", ["results.json", "manifest.json", "page/index.html"])
@pytest.mark.parametrize("content", ["{}", '{"cells": [{"records": "../x.jsonl"}]}', "<!doctype html>mine"])
def test_a_run_does_not_overwrite_them(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(content)
    with pytest.raises(ConfigError, match=r"no run's folder|not written by evalsuite"):
        evalsuite.run({"mine": lambda request: pytest.fail("asked")}, out=tmp_path, **FEW)
    assert set(files(tmp_path)) == {name} and (tmp_path / name).read_text() == content


def test_results_json_that_is_not_ours_is_kept(run: Path) -> None:
    (run / "results.json").write_text('{"mine": 1}')
    before = files(run)
    with pytest.raises(ConfigError, match=r"results\.json: was not written by evalsuite"):
        evalsuite.score(run)
    assert files(run) == before


def test_a_report_overwrites_no_other_page(run: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "shards").mkdir(parents=True)
    (site / "shards" / "app.js").write_text("let a")
    (site / "shards" / "0123456789abcdef.js").write_text('evalsuiteShard("0123456789abcdef","")\n')
    evalsuite.report([run], site)
    assert [p.name for p in (site / "shards").iterdir()] == ["app.js"]
    evalsuite.report([run], site)  # a page of ours may be overwritten
    (site / "index.html").write_text("<!doctype html><title>evalsuite and I</title>")
    with pytest.raises(ConfigError, match=r"index\.html: was not written by evalsuite"):
        evalsuite.report([run], site)
    assert "and I" in (site / "index.html").read_text()
    # as earlier versions began it
    (site / "index.html").write_text('<!doctype html><meta content="trusted-types evalsuite">')
    evalsuite.report([run], site)


def test_records_that_no_cell_has_any_more_go(run: Path) -> None:
    """Records that no cell names are removed, such as those to which an earlier version gave other names."""
    results = run / "results.json"
    old = next((run / "records").iterdir())
    old.rename(run / "records" / "old.jsonl")
    results.write_text(results.read_text().replace(old.name, "old.jsonl"))
    evalsuite.score(run)
    assert old.exists() and not (run / "records" / "old.jsonl").exists()


def test_a_build_removes_only_what_a_build_writes(tmp_path: Path) -> None:
    (tmp_path / "distractors.csv").write_text("mine")
    (tmp_path / "distractors.json").write_text("mine")
    build_benchmark([bundled("sample/annotations.jsonl")], tmp_path)
    build_benchmark([bundled("sample/annotations.jsonl")], tmp_path)
    assert (tmp_path / "distractors.csv").exists()


@pytest.mark.slow
def test_finetune_empties_no_folder_of_others(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from evalsuite.finetuning.training import start_checkpoints

    folder = tmp_path / "adapters" / "a"
    work = start_checkpoints(folder, {"size": 1})
    (work / "checkpoint-1").mkdir()
    (folder / "notes.txt").write_text("mine")
    (folder / "adapter_config.json").write_text("{}")
    assert list(start_checkpoints(folder, {"size": 2}).iterdir()) == [work / "made_by.json"]
    assert sorted(p.name for p in folder.iterdir()) == ["checkpoints", "notes.txt"]
    remove(folder, ["checkpoints"])
    with pytest.raises(ConfigError, match="no training of evalsuite wrote"):
        start_checkpoints(folder, {"size": 2})
    assert [p.name for p in folder.iterdir()] == ["notes.txt"]
    (folder / "README.md").write_text("我的模型", "gb18030")
    with pytest.raises(ConfigError, match="no training of evalsuite wrote"):
        start_checkpoints(folder, {"size": 2})


def test_finetune_overwrites_no_models_yaml(tmp_path: Path) -> None:
    (tmp_path / "models.yaml").write_text("models: []  # mine\n")
    with pytest.raises(ConfigError, match="not written by evalsuite finetune"):
        evalsuite.finetune(model=["tiny-zh"], tasks=["event_cause"], sizes=[2], out=tmp_path)


# --- drafts


def test_a_submission_takes_nobodys_part(run: Path, tmp_path: Path) -> None:
    (tmp_path / "X.part").mkdir()
    (tmp_path / "X.part" / "mine").touch()
    left = [tmp_path / f".{name}.0123abcd.part" for name in ("X", "Y")]  # by a process that was killed
    for each in left:
        each.mkdir()
    with new_folder(tmp_path / "X") as held:  # the lock of a living process
        submit(run, tmp_path / "X", {}, {})
        assert held.is_dir() and not left[0].exists() and left[1].exists()
        shutil.rmtree(tmp_path / "X")
    assert (tmp_path / "X.part" / "mine").exists()


def test_drafts_of_killed_processes_go_with_the_next_lock(tmp_path: Path) -> None:
    ours = [
        ".results.json.0123abcd.part", "records/.a.jsonl.0123abcd.part", "second/.a.jsonl.0123abcd.part",
        "page/shards/.a.js.0123abcd.part", "benchmarks/x/prompts/reading/.plain.j2.0123abcd.part",
    ]  # fmt: skip
    others = [".results.json.part", ".env.0123abcd", "a.0123abcd.part", "mine/.a.0123abcd.part", "records/a.jsonl"]
    for name in (*ours, *others):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    with locked(tmp_path):
        assert sorted(files(tmp_path)) == sorted(others)


def test_files_that_belong_together_change_together(tmp_path: Path) -> None:
    a, b, last = tmp_path / "a", tmp_path / "b", tmp_path / "last"

    def write(of_a: bytes, of_b: bytes, of_last: bytes) -> None:
        with replacing_together(last) as draft:
            for path, content in ((a, of_a), (b, of_b), (last, of_last)):
                with draft(path) as file:
                    file.write(content)

    write(b"1", b"1", b"1")
    with pytest.raises(TypeError):
        write(b"2", b"2", None)  # type: ignore[arg-type]
    assert files(tmp_path) == {"a": b"1", "b": b"1", "last": b"1"}
    unchanged = a.stat().st_ino
    write(b"1", b"2", b"2")
    assert files(tmp_path) == {"a": b"1", "b": b"2", "last": b"2"} and a.stat().st_ino == unchanged
    write(b"1", b"3", b"2")  # as where a record changes, but no figure
    assert files(tmp_path) == {"a": b"1", "b": b"3", "last": b"2"}


def test_the_names_of_new_folders_are_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name of a folder stands in the one above it: each that gains one is synced, and no other."""
    synced: list[str] = []
    monkeypatch.setattr("os.fsync", lambda file: synced.append(os.readlink(f"/proc/self/fd/{file}")))
    make_folder(tmp_path / "a" / "b" / "c")
    assert {*synced} == {str(tmp_path), str(tmp_path / "a"), str(tmp_path / "a" / "b")}
    synced.clear()
    make_folder(tmp_path / "a" / "b")
    assert synced == []
    make_folder(tmp_path / "a" / "b" / "d")
    assert synced == [str(tmp_path / "a" / "b")]


def test_a_reading_that_stops_halfway_changes_nothing(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, replace = files(run), os.fsync

    def full(file: int) -> None:
        if "records" in os.readlink(f"/proc/self/fd/{file}"):
            raise OSError(28, "No space left on device")
        replace(file)

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        evalsuite.score(run, "paper")
    assert files(run) == before


# A screening is written line by line, since it is continued after a kill; the command opens /dev/null.
GROWING = {("authoring/screen.py", "open"), ("cli/app.py", "open")}
WRITERS = ("write_text", "write_bytes", "unlink", "rmtree", "rmdir", "copyfile", "copytree")


@pytest.mark.slow
def test_only_one_module_writes_and_removes_files() -> None:
    root = Path(evalsuite.__file__).parent
    found = set()
    for path in root.rglob("*.py"):
        place = path.relative_to(root).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or "shipped" in place:
                continue
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            mode = [a.value for a in (*node.args, *(k.value for k in node.keywords)) if isinstance(a, ast.Constant)]
            opens = name == "open" and any(isinstance(m, str) and set(m) & set("wax") and len(m) <= 3 for m in mode)
            if name in WRITERS or opens:
                found.add((place, name))
    # A page removes the folder of its shards when it is empty.
    assert {x for x in found if x[0] != "common/files.py"} - GROWING == {("page/report.py", "rmdir")}
