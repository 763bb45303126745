"""Files of strangers: only plain files of a submission are read, within bounds, and repeated keys are refused."""

from __future__ import annotations

import csv
import gzip
import json
import os
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import yaml
from shared_fixtures import shared_folder

import evalsuite
from evalsuite.analyses.saved import load_results
from evalsuite.backends.models import load_models
from evalsuite.benchmarks.corecode import BENCHMARK
from evalsuite.benchmarks.corecode.loader import CorecodeCorpus, path_of
from evalsuite.cli.tables.export import as_csv
from evalsuite.common import csvfile
from evalsuite.common.bounds import OutOfTime, cpu_limit
from evalsuite.common.errors import ConfigError, DataError, EvalsuiteError
from evalsuite.common.jsonl import parse_object
from evalsuite.common.plainfile import open_plain, read_plain
from evalsuite.common.sheet import Column, Row, Sheet
from evalsuite.common.yamltext import parse_yaml
from evalsuite.exchange.export.inspect_ai import _task
from evalsuite.exchange.export.task_folder import export
from evalsuite.exchange.submit.submission import SUMS, make_submission, sums
from evalsuite.exchange.submit.verdict import check_submission
from evalsuite.results.records import reading_of
from evalsuite.review.audit.outputs import population

pytestmark = pytest.mark.usefixtures("no_finalizers")
HEAD = {"name": "B", "who": "somebody", "contact": "a@example.org", "licence": "CC-BY-4.0", "notes": "none"}


@shared_folder
def submission(folder: Path) -> Path:
    evalsuite.run(model=["lexical"], tasks=["event_cause"], set="easy", limit=3, out=folder / "run")
    return make_submission(folder / "run", folder / "made", HEAD, {"trained_on": [], "statement": "no"}).out


@pytest.fixture
def folder(submission: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(submission, tmp_path / "submission"))


# --- plain files only


def test_links_pipes_and_folders_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "secret.json").write_text('{"auths": "secret"}')
    (tmp_path / "in/plain").write_text("abc")
    (tmp_path / "in/link").symlink_to(tmp_path / "secret.json")
    (tmp_path / "in/up").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "in/pipe")
    for place, told in (("link", "is a link"), ("up/secret.json", "is a link"), ("pipe", "no plain file"), ("deep", "no plain"),
                        ("../secret.json", "no path"), ("/etc/passwd", "no path"), ("a\0", "no path"), ("none", "no such")):  # fmt: skip
        with pytest.raises(DataError, match=told):
            open_plain(tmp_path / "in", place)
    assert read_plain(tmp_path / "in", "plain", 3) == b"abc"
    with pytest.raises(DataError, match="larger than"):
        read_plain(tmp_path / "in", "plain", 2)
    (tmp_path / "also").symlink_to(tmp_path / "in")  # a folder that the user names may be a link
    assert read_plain(tmp_path / "also", "plain", 3) == b"abc"


READERS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "manifest of report": ("manifest.json", lambda f: evalsuite.report([f], f.parent / "site")),
    "results of report": ("results.json", lambda f: evalsuite.report([f], f.parent / "site")),
    "records of report": ("records/{}", lambda f: evalsuite.report([f], f.parent / "site")),
    "results of show": ("results.json", load_results),
    "reading": ("results.json", reading_of),
    "results of audit": ("results.json", population),
    "records of audit": ("records/{}", population),
    "results of submit": ("results.json", lambda f: make_submission(f, f.parent / "again", {}, {})),
    "manifest of submit": ("manifest.json", lambda f: make_submission(f, f.parent / "again", {}, {})),
    "records of submit": ("records/{}", lambda f: make_submission(f, f.parent / "again", {}, {})),
}


@pytest.mark.parametrize("kind", ["link", "pipe"])
@pytest.mark.parametrize("reader", READERS)
def test_every_reader_refuses_links_and_pipes(reader: str, kind: str, folder: Path) -> None:
    place, read = READERS[reader]
    path = folder / place.format(next((folder / "records").iterdir()).name)
    moved = path.rename(folder.parent / path.name)
    os.mkfifo(path) if kind == "pipe" else path.symlink_to(moved)
    with pytest.raises(EvalsuiteError, match=r"is a link|no plain file"):
        read(folder)


def test_a_folder_of_records_is_no_link(folder: Path) -> None:
    (folder / "records").rename(folder.parent / "elsewhere")
    (folder / "records").symlink_to(folder.parent / "elsewhere")
    with pytest.raises(DataError, match="is a link"):
        evalsuite.report([folder], folder.parent / "site")
    assert any("records: is a link" in problem for problem in check_submission(folder).problems)


# --- bounds


def test_json_has_a_depth() -> None:
    assert parse_object(b'{"a": ' * 100 + b"1" + b"}" * 100, Path("x"))
    with pytest.raises(DataError, match="deep"):
        parse_object(b'{"a": ' * 101 + b"1" + b"}" * 101, Path("x"))
    with pytest.raises(DataError, match="recursion"):
        parse_object(b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", Path("x"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[" * 10_000, "nested more than 50"),
        ("{a: " * 5_000, "nested more than 50"),
        ("".join(" " * n + "a:\n" for n in range(60)), "nested more than 50"),
        ("a: &x [1]\nb: *x", "an alias"),
        ("who: a\nname: b\nwho: c", "3: not YAML: the key 'who' stands here twice"),
        ("date: 2024-13-99", "1: not YAML: ValueError"),
    ],
)
def test_submission_yaml_is_bounded(text: str, told: str, folder: Path) -> None:
    (folder / "submission.yaml").write_text(text)
    assert any(told in problem for problem in check_submission(folder).problems)


def _rows(folder: Path, change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> None:
    path = next((folder / "records").iterdir())
    rows = change([json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()])
    path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))
    (folder / SUMS).write_text("".join(f"{digest}  {name}\n" for name, digest in sums(folder)))


def test_records_of_other_items_are_not_scored(folder: Path) -> None:
    _rows(folder, lambda rows: [*rows, *({**rows[0], "item": rows[0]["item"] + str(n)} for n in range(100, 2_000))])
    verdict = check_submission(folder)
    assert any("is none of the cell's 3 items" in problem for problem in verdict.problems)
    assert "the scores: there are records that cannot be read" in verdict.unverified


LONG = {
    "reply": "x" * 2_000_001, "references": ["x" * 1_001], "question": "x" * 8_001, "dialogue": ["A: x"] * 201,
    "options": ["x"] * 101, "labels": ["x" * 21], "variant": "../../x", "set": "a/b", "item": "x" * 1_001,
}  # fmt: skip


@pytest.mark.parametrize("field", LONG)
def test_texts_of_records_have_a_length(field: str, folder: Path) -> None:
    _rows(folder, lambda rows: [{**rows[0], field: LONG[field]}, *rows[1:]])
    assert any(f":1: {field}" in problem for problem in check_submission(folder).problems)


def test_the_check_has_a_time(folder: Path) -> None:
    verdict = check_submission(folder, seconds=0.001)
    assert "did not end within" in verdict.problems[-1] and not verdict.verified
    assert check_submission(folder).problems == ()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux: its limit of a process's memory")
def test_the_check_has_a_size(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def large(*_: Any) -> list[str]:
        return [str(len(bytearray(2**30)))]

    with monkeypatch.context() as patched:
        patched.setattr("evalsuite.exchange.submit.files.hash_problems", large)
        verdict = check_submission(folder)
    assert verdict.problems == ("the check needs more than 700 MB of memory",) and not verdict.verified
    assert check_submission(folder).problems == () and len(bytearray(2**30)) == 2**30


def test_a_limit_of_cpu_time_is_no_exception_and_ends_with_its_block() -> None:
    with pytest.raises(OutOfTime), cpu_limit(0.01):
        while True:
            with suppress(Exception):
                sum(range(1_000))
    sum(range(1_000_000))  # the limit has ended with its block: nothing is raised


# --- repeated keys


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "models:\n- name: a\n  backend: baseline\n  name: b\n  path: random",
            ":4: not YAML: the key 'name' stands here twice",
        ),
        ("models: []\nmodels: []", ":2: not YAML: the key 'models' stands here twice"),
        ("models: [", "not YAML"),
        ("[" * 99, "nested more than 50"),
    ],
)
def test_repeated_keys_of_models_yaml_are_refused(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_text(text)
    with pytest.raises(ConfigError, match=r"m\.yaml") as error:
        load_models(tmp_path / "m.yaml")
    assert told in str(error.value) and "\n" not in str(error.value)


def test_yaml_without_repeated_keys_is_read() -> None:
    text = "a: &x {k: 1, l: 2}\nb: {<<: *x, k: 3}\nc: {1: x, '1': y}\nd: 2024-01-02\ne: [1, 2.5, null, true]"
    assert parse_yaml(text)[0] == yaml.safe_load(text)
    assert parse_yaml("") == (None, None)
    with pytest.raises(yaml.YAMLError):
        parse_yaml("? [a]\n: 1")


def test_a_line_of_data_names_the_repeated_key(tmp_path: Path) -> None:
    task = BENCHMARK.task("event_cause")
    path = path_of(tmp_path, task, "easy", "test")
    path.parent.mkdir(parents=True)
    path.write_text('{"id": 1, "dialogue": ["A: x"], "question": "q", "answer": "a", "id": 2}\n')
    with pytest.raises(DataError, match=r":1: not JSON: 'id' stands twice in one object"):
        CorecodeCorpus(BENCHMARK, tmp_path).file(task, "easy", "test")


# --- what others open


@pytest.mark.parametrize("text", ["=1+1", "+a", "-a", "@a", "＝1", "＋1", "－1", "＠a", "\t=1", "\r=1", "\n=1"])
def test_no_cell_of_a_csv_file_is_a_formula(text: str) -> None:
    assert csvfile.field(text) == "'" + text
    rows = csv.reader(
        as_csv([Sheet("a", "", (Column("x"), Column("y")), (Row((text, "b")),))]).splitlines(keepends=True)
    )
    assert all(not cell.lstrip().startswith(("=", "＝")) for row in rows for cell in row)


def test_numbers_stay_numbers_in_csv() -> None:
    assert [csvfile.field(x) for x in (-1, 2.5, "+3", "-0.25", "a=b", "")] == ["-1", "2.5", "+3", "-0.25", "a=b", ""]


def test_a_hostile_wording_is_only_text_in_exported_code(tmp_path: Path) -> None:
    variant = 'x"""\nimport os\n"""'
    prompts = tmp_path / "prompts/corecode/event_cause"
    prompts.mkdir(parents=True)
    (prompts / f"{variant}.j2").write_text("{{ question }}")
    export(
        "inspect", tmp_path / "out", tasks=["event_cause"], set="easy", prompt=(variant,), prompts=tmp_path / "prompts"
    )
    code = (tmp_path / "out/corecode.py").read_text(encoding="utf-8")
    compile(code, "corecode.py", "exec")
    assert "\nimport os\n" not in code and _task
