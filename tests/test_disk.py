"""Power cuts, full disks and clocks that jump: what was acknowledged stays, and the same command ends with the same bytes.

The disk is the one below the C library (disk.c), so SQLite's and Python's own writes are seen as they are.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import evalsuite
from evalsuite.common.lock import locked
from tests import disk
from tests.disk import Change, Disk, changes, compiled_library, write_files
from tests.shared_fixtures import shared_folder

FEW: dict[str, Any] = {"tasks": ["slot_identification", "event_cause"], "limit": 2}

# Every reply but the newest is acknowledged when the next one is asked for, which tests.disk.reply notes in a file.
EVENTFUL = """
import os, sys, evalsuite
from tests.disk import reply
root = sys.argv[1]
def end():
    with open(root + "/asked", "ab") as file:
        file.write(b"!")
evalsuite.run({"mine": reply}, tasks=["slot_identification", "event_cause"], limit=2, baselines=(), out=root + "/run")
end()
evalsuite.score(root + "/run", "paper", False)
end()
"""


def logged_run(folder: Path) -> Path:
    """A run and a scoring, and the log of all that they did to the disk."""
    library, root = compiled_library(folder), folder / "root"
    root.mkdir()
    watched = {
        "LD_PRELOAD": str(library),
        "DISK_ROOT": str(root),
        "DISK_LOG": str(folder / "log"),
        "ASKED": f"{root}/asked",
    }
    subprocess.run([sys.executable, "-c", EVENTFUL, root], env=os.environ | watched, check=True, capture_output=True)
    (folder / "root.txt").write_text(str(root))  # as the log names it
    return folder


logged_disk = shared_folder(logged_run, "logged_disk")


def results_and_records(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in (folder / "results.json", *(folder / "records").glob("*.jsonl"))}


def states(log: Path, names: bool) -> Iterator[tuple[int, str, dict[str, bytes]]]:
    """(replies acknowledged, steps ended, files of the run after a cut), for every state that a cut could leave."""
    root = (log / "root.txt").read_text()
    now, asked, ended, before = Disk(root), 0, "", None
    for change in (*changes(log / "log"), Change("end", "")):
        if change.path == f"{root}/asked" and change.what == "write":
            asked, ended = asked + (change.bytes == b"."), ended + change.bytes.decode().strip(".")
        kept = {k.removeprefix("run/"): v for k, v in now.after_a_cut(names).items() if k.startswith("run/")}
        if (kept, asked, ended) != before:
            before = (kept, asked, ended)
            yield (asked if ended else max(0, asked - 1)), ended, kept
        if change.what != "end":
            now.apply(change)


@pytest.mark.thorough
@pytest.mark.parametrize("names", [False, True], ids=["only what was synced", "all names, synced content"])
def test_what_was_acknowledged_is_there_after_a_power_cut(logged_disk: Path, tmp_path: Path, names: bool) -> None:
    old, new = [results_and_records(p) for p in unbroken_runs(tmp_path)]
    seen, mixed, before = 0, 0, None
    for n, (acknowledged, ended, files) in enumerate(states(logged_disk, names)):
        store_files = {k: v for k, v in files.items() if k.startswith("store.sqlite")}
        if acknowledged and (store_files, acknowledged) != before:
            before = (store_files, acknowledged)
            folder = write_files(tmp_path / str(n), store_files)
            with sqlite3.connect(folder / "store.sqlite") as store:
                (stored,) = store.execute("SELECT count(*) FROM replies").fetchone()
                (marked,) = store.execute("SELECT count(*) FROM writing WHERE mark = 'open'").fetchone()
            assert not marked or "store.sqlite-wal" in files  # without it, the store would seem to be copied in part
            assert stored >= acknowledged, (n, acknowledged, sorted(files))
            seen = max(seen, acknowledged)
        if "results.json" in files:  # the file is there: all files that it names are of one reading
            results = {Path(k).name: v for k, v in files.items() if k == "results.json" or k.startswith("records/")}
            shown = {k: v for k, v in results.items() if not k.startswith(".")}
            assert shown in (old, new), (n, sorted(shown))
            mixed += shown == new
        assert not ended or "results.json" in files or ended == "!"
    assert seen == 8 and mixed
    assert ended == "!!" and shown == new


def unbroken_runs(folder: Path) -> Iterator[Path]:
    """The unbroken run, before and after the scoring."""
    out = folder / "whole"
    yield evalsuite.run({"mine": disk.reply}, out=out, **FEW).out
    yield evalsuite.score(out, "paper", False).out


@pytest.mark.thorough
def test_the_same_command_goes_on_after_a_power_cut(
    logged_disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = [results_and_records(p) for p in unbroken_runs(tmp_path)]
    asked = tmp_path / "asked"
    monkeypatch.setenv("ASKED", str(asked))
    for acknowledged, ended, files in random.Random(0).sample([*states(logged_disk, False)], 12):
        folder = write_files(tmp_path / "cut", files)
        folder.mkdir(exist_ok=True)
        asked.write_bytes(b"")
        if ended:
            evalsuite.score(folder, "paper", False)
        else:
            evalsuite.run({"mine": disk.reply}, out=folder, **FEW)
        assert results_and_records(folder) == (new if ended else old)
        assert asked.stat().st_size <= 8 - acknowledged
        assert not list(folder.rglob("*.part"))
        shutil.rmtree(folder)


# --- a disk that is full

# Loads all once, with a first command; then a child for each line on stdin: when the disk is full, and the command. Prints the
# exit code, and how many writes there were.
COMMANDS = """
import contextlib, ctypes, io, json, os, sys
from evalsuite.cli.app import main
disk = ctypes.CDLL(os.environ["LD_PRELOAD"])
sys.argv = ["evalsuite", "run", "--model", "lexical", "--limit", "1", "--out", os.environ["FIRST"]]
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    main()
for line in sys.stdin:
    writes, *words = json.loads(line)
    read, write = os.pipe()
    if child := os.fork():
        os.close(write)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(code, os.read(read, 20).decode() or 0, flush=True)
        os.close(read)
        continue
    os.dup2(os.open(os.environ["SAID"], os.O_CREAT | os.O_TRUNC | os.O_WRONLY), 2)
    os.dup2(2, 1)
    sys.argv = ["evalsuite", *words]
    disk.disk_arm(ctypes.c_long(writes))
    code = 0
    try:
        main()
    except SystemExit as stop:
        code = stop.code or 0
    except BaseException as error:
        print("trace:", repr(error))
        code = 70
    sys.stdout.flush()
    os.write(write, str(disk.disk_written()).encode())
    os._exit(code)
"""


class Full:
    """Commands on a disk that is full after some writes."""

    def __init__(self, folder: Path) -> None:
        self.root, self.said = folder / "root", folder / "said"
        self.written = 0  # writes of the last command
        self.root.mkdir()
        self.library = compiled_library(folder)
        watched = {"LD_PRELOAD": str(self.library), "DISK_ROOT": str(self.root), "SAID": str(self.said)}
        watched["FIRST"] = str(folder / "first")
        self.process = subprocess.Popen(
            [sys.executable, "-c", COMMANDS],
            env=os.environ | watched,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def __call__(self, writes: int, *words: object) -> tuple[int, str]:
        """Run the command on a disk that fails after `writes` writes (-1: it has room). Returns the exit code and the
        output."""
        assert self.process.stdin and self.process.stdout
        print(json.dumps([writes, *map(str, words)]), file=self.process.stdin, flush=True)
        code, self.written = map(int, self.process.stdout.readline().split())
        return code, self.said.read_text()


@pytest.fixture(scope="module")
def full_disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Full]:
    made = Full(tmp_path_factory.mktemp("full"))
    with made.process:
        yield made
        assert made.process.stdin
        made.process.stdin.close()


STEPS: dict[str, tuple[str, ...]] = {
    "run": ("run", "--model", "lexical", "--tasks", "slot_identification", "--limit", "2", "--out", "RUN"),
    "score": ("score", "RUN", "--parser", "paper"),
    "submit": ("submit", "make", "RUN", "SUBMISSION"),
    "report": ("report", "RUN", "--out", "PAGE"),
}


def files_to_keep(folder: Path) -> dict[str, bytes]:
    """The files that a user would miss, without the log and the store, whose bytes depend on the order of writing.

    Files that state a time are left out, too. A page states one, so of a page only the end is compared: it shows that the
    page is whole."""
    return {
        str(p.relative_to(folder)): p.read_bytes() if p.suffix != ".html" else p.read_bytes()[-9:]
        for p in folder.rglob("*")
        if p.is_file() and not p.name.startswith("store.") and p.name not in ("run.log", ".lock", "manifest.json")
        if p.name not in ("SHA256SUMS", "submission.yaml")  # they depend on the manifest, which has times
    }


def full_points(writes: int, count: int) -> list[int]:
    """Up to `count` of a command's writes, from the first, at which the disk is full."""
    step = max(1, writes / count)
    return sorted({1 + int(n * step) for n in range(count) if 1 + int(n * step) <= writes})


@pytest.mark.thorough
@pytest.mark.parametrize(("step", "count"), [("run", 13), ("score", 8), ("submit", 8), ("report", 1)])
def test_a_full_disk_is_told_and_loses_nothing(full_disk: Full, step: str, count: int) -> None:
    before, root = full_disk.root / step / "before", full_disk.root / step / "try"
    before.mkdir(parents=True)

    def words(name: str, folder: Path) -> list[str]:
        place = {"RUN": "run", "SUBMISSION": "submission", "PAGE": "page"}
        return [str(folder / place[word]) if word in place else word for word in STEPS[name]]

    if step != "run":
        assert full_disk(-1, *words("run", before))[0] == 0
    had = files_to_keep(before)
    shutil.copytree(before, unhindered := full_disk.root / step / "whole")
    assert full_disk(-1, *words(step, unhindered))[0] == 0
    tried, whole = full_points(full_disk.written, count), files_to_keep(unhindered)
    told = 0
    for writes in tried:
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(before, root)
        code, said = full_disk(writes, *words(step, root))
        assert code == 2 and "error: " in said and "Traceback" not in said, (writes, code, said)
        told += "disk full" in said or "cannot be opened as a store" in said or "No space left" in said
        now = files_to_keep(root)
        assert {name: now.get(name) for name in had} == had, writes
        assert all(now[name] in (whole.get(name), had.get(name)) for name in now), writes
        assert full_disk(-1, *words(step, root))[0] == 0, full_disk.said.read_text()
        assert files_to_keep(root) == whole, writes
    assert len(tried) >= count / 2 and told == len(tried)


# --- a clock that is set


def test_a_clock_that_is_set_back_and_forth_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    want = results_and_records(next(unbroken_runs(tmp_path)))
    jumps, now = random.Random(0), time.time
    with monkeypatch.context() as patched:
        patched.setattr("time.time", lambda: now() + jumps.uniform(-1e9, 1e9))
        out = evalsuite.run({"mine": disk.reply}, out=tmp_path / "jumps", **FEW).out
        with locked(out):
            pass
    assert results_and_records(out) == want
    monkeypatch.setenv("ASKED", str(tmp_path / "asked"))
    evalsuite.run({"mine": disk.reply}, out=out, **FEW)
    assert results_and_records(out) == want and not (tmp_path / "asked").exists()
