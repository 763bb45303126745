"""`data pull`: a folder has the commit's files and nothing else; nothing in it is run, followed or lost."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evalsuite.benchmarks.corecode import BENCHMARK
from evalsuite.benchmarks.corecode.loader import path_of
from evalsuite.benchmarks.pull import SOURCE, Pulled, pull, unpack
from evalsuite.benchmarks.registry import TASKS, open_corpus
from evalsuite.common.errors import ConfigError, DataError
from evalsuite.types import Archives

TEXT = {"id": 0, "dialogue": ["A: 你好。"], "question": "事件“x笑”的原因是什么？", "answer": "x高兴"}
FILE = path_of(Path("data"), TASKS["event_cause"], "easy", "test").as_posix()


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    return subprocess.run(
        ["git", "-C", str(folder), *who, *words], check=True, capture_output=True, text=True
    ).stdout.strip()


def commit(folder: Path) -> str:
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "data")
    return git(folder, "rev-parse", "HEAD")


def files(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A repository with one file of data."""
    folder = tmp_path / "source"
    (folder / FILE).parent.mkdir(parents=True)
    (folder / FILE).write_text(json.dumps(TEXT) + "\n")
    git(folder, "init", "-q")
    commit(folder)
    return folder


@pytest.fixture
def pull_mine(tmp_path: Path, source: Path) -> Callable[[], Pulled]:
    """Pulls that repository into `tmp_path/mine`."""
    return lambda: pull("corecode", tmp_path / "mine", source.as_uri())


def test_a_folder_has_the_files_of_the_commit_and_is_left_alone_when_pulled_again(
    source: Path, tmp_path: Path, pull_mine: Callable[[], Pulled]
) -> None:
    pulled = pull_mine()
    assert pulled.versions == {source.as_uri(): git(source, "rev-parse", "HEAD")}
    assert json.loads((tmp_path / "mine" / SOURCE).read_text()) == pulled.versions
    assert files(tmp_path / "mine").keys() == {FILE, SOURCE}  # no .git is left
    before = (tmp_path / "mine" / FILE).stat()
    again = pull_mine()
    assert (again.changes, again.kept) == ((), None)
    assert (tmp_path / "mine" / FILE).stat() == before
    assert {p.name for p in tmp_path.iterdir()} == {"source", "mine"}


def test_a_newer_commit_takes_the_place_of_the_older(source: Path, tmp_path: Path, cli: Any) -> None:
    old = cli("data", "pull", "corecode", tmp_path / "mine", "--from", source.as_uri()).stdout
    earlier = files(tmp_path / "mine")
    (source / FILE).write_text(json.dumps({**TEXT, "id": 7}) + "\n")
    newest = commit(source)
    new = cli("data", "pull", "corecode", tmp_path / "mine", "--from", source.as_uri()).stdout
    assert newest in new and newest not in old
    kept = tmp_path / "mine.replaced-1"
    assert f"2 files differed, such as {FILE}, {SOURCE}; the earlier folder is now {kept}" in new
    assert files(kept) == earlier
    items = open_corpus("corecode", tmp_path / "mine").file(TASKS["event_cause"], "easy", "test").items
    assert [item.id for item in items] == ["corecode/easy/test/event_cause/7"]


def test_a_folder_keeps_its_name_if_the_new_one_cannot_be_put_there(
    source: Path, pull_mine: Callable[[], Pulled], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(draft: Path, path: Path) -> None:
        raise OSError(28, "No space left on device")

    pull_mine()
    earlier = files(tmp_path / "mine")
    (source / FILE).write_text(json.dumps({**TEXT, "id": 7}) + "\n")
    commit(source)
    monkeypatch.setattr("evalsuite.benchmarks.pull.put_folder", fail)
    with pytest.raises(ConfigError, match="No space left"):
        pull_mine()
    assert files(tmp_path / "mine") == earlier
    assert not (tmp_path / "mine.replaced-1").exists()


def test_what_was_altered_or_added_is_kept_beside_the_commits_files(
    tmp_path: Path, pull_mine: Callable[[], Pulled]
) -> None:
    """A folder with one changed line is not taken for the commit."""
    pull_mine()
    mine = tmp_path / "mine"
    right = files(mine)
    for n, change in enumerate(
        (
            lambda: (mine / FILE).write_text(json.dumps({**TEXT, "answer": "x难过"})),
            lambda: (mine / "notes.txt").write_text("mine"),
            lambda: (mine / FILE).unlink(),
            lambda: (mine / "link").symlink_to(tmp_path),
            lambda: os.mkfifo(mine / "pipe"),
        ),
        1,
    ):
        change()
        altered = files(mine)
        pulled = pull_mine()
        assert pulled.kept == tmp_path / f"mine.replaced-{n}" and len(pulled.changes) == 1
        assert files(mine) == right and files(pulled.kept) == altered


def test_a_clone_that_shows_other_files_under_the_commits_name_is_not_believed(
    source: Path, tmp_path: Path, pull_mine: Callable[[], Pulled]
) -> None:
    """A folder that an earlier version cloned has a `.git`, in which `git replace` shows another file under the commit's name."""
    mine = tmp_path / "mine"
    git(tmp_path, "clone", "-q", source.as_uri(), str(mine))
    (mine / SOURCE).write_text(json.dumps({source.as_uri(): git(source, "rev-parse", "HEAD")}))
    (mine / FILE).write_text("{}\n")
    git(mine, "replace", git(source, "rev-parse", f"HEAD:{FILE}"), git(mine, "hash-object", "-w", FILE))
    pulled = pull_mine()
    assert json.loads((mine / FILE).read_text()) == TEXT
    assert pulled.kept and (pulled.kept / FILE).read_text() == "{}\n"


def test_no_command_of_a_folder_is_run(
    source: Path, tmp_path: Path, pull_mine: Callable[[], Pulled], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stranger's folder whose `.git` names another repository, with commands for transport, filters, hooks and monitor."""
    pull_mine()
    mine, ran = tmp_path / "mine", tmp_path / "ran"
    ran.mkdir()
    evil = mine / ".evil"
    git(mine, "init", "-q", "--bare", str(evil))
    for name, value in (
        ("core.bare", "false"), ("remote.origin.url", source.as_uri()), ("core.fsmonitor", f"touch {ran}/monitor"),
        ("remote.origin.uploadpack", f"touch {ran}/transport; git-upload-pack"), ("core.hooksPath", str(evil / "hooks")),
        ("filter.x.smudge", f"touch {ran}/filter; cat"), ("filter.x.clean", f"touch {ran}/clean; cat"),
    ):  # fmt: skip
        git(mine, f"--git-dir={evil}", "config", name, value)
    (evil / "info").mkdir(exist_ok=True)
    (evil / "info" / "attributes").write_text("* filter=x\n")
    for hook in ("post-checkout", "reference-transaction", "post-index-change"):
        (evil / "hooks").mkdir(exist_ok=True)
        (evil / "hooks" / hook).write_text(f"#!/bin/sh\ntouch {ran}/hook\n")
        (evil / "hooks" / hook).chmod(0o755)
    (mine / ".git").mkdir(exist_ok=True)
    (mine / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (mine / ".git" / "commondir").write_text("../.evil\n")
    (mine / ".git" / "config").write_text(f'[core]\n\tbare = false\n[remote "origin"]\n\turl = {source.as_uri()}\n')
    monkeypatch.chdir(tmp_path)
    pulled = pull_mine()
    assert list(ran.iterdir()) == []
    assert files(mine).keys() == {FILE, SOURCE}
    assert pulled.kept and (pulled.kept / ".evil" / "config").is_file()


def test_no_attribute_of_the_repository_changes_a_file(
    source: Path, tmp_path: Path, pull_mine: Callable[[], Pulled], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Filters and line ends would be others with another user's settings."""
    (tmp_path / "settings").write_text(
        f'[filter "x"]\n\tsmudge = touch {tmp_path}/ran; tr a b\n[core]\n\tautocrlf = true\n'
    )
    (source / ".gitattributes").write_text("*.jsonl filter=x ident text eol=crlf\n*.txt working-tree-encoding=GBK\n")
    (source / "a.txt").write_text("中\n", "gbk")  # in the commit it is UTF-8
    commit(source)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "settings"))
    pull_mine()
    assert json.loads((tmp_path / "mine" / FILE).read_text()) == TEXT
    assert b"\r" not in (tmp_path / "mine" / FILE).read_bytes()
    assert (tmp_path / "mine" / "a.txt").read_text("utf-8") == "中\n"
    assert not (tmp_path / "ran").exists()


def test_a_link_in_a_repository_is_not_followed(source: Path, pull_mine: Callable[[], Pulled], tmp_path: Path) -> None:
    """The lines of a linked file would become prompts, which an endpoint sees."""
    (tmp_path / "private.jsonl").write_text(json.dumps(TEXT) + "\n")
    (source / FILE).unlink()
    (source / FILE).symlink_to(tmp_path / "private.jsonl")
    commit(source)
    corpus = pull_mine().corpus
    assert (tmp_path / "mine" / FILE).read_text() == str(tmp_path / "private.jsonl")
    with pytest.raises(DataError, match="not JSON"):
        corpus.file(TASKS["event_cause"], "easy", "test")


def test_the_repository_of_the_environment_is_left_alone(
    tmp_path: Path, pull_mine: Callable[[], Pulled], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hook of git sets these variables; the repository that they name stays as it is."""
    git(tmp_path, "init", "-q", "other")
    before = files(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other" / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "other" / ".git" / "index"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(tmp_path / "other" / ".git" / "objects"))
    pull_mine()
    assert files(tmp_path / "other") == before


def test_the_commit_that_the_benchmark_names_is_taken(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Any
) -> None:
    first = git(source, "rev-parse", "HEAD")
    (source / FILE).write_text(json.dumps({**TEXT, "id": 7}) + "\n")
    newest = commit(source)

    def name_commit(commit: str) -> None:
        known = replace(BENCHMARK, address=source.as_uri(), commit=commit)
        monkeypatch.setattr("evalsuite.benchmarks.pull.BENCHMARKS", {"corecode": known})

    name_commit(first)
    target = tmp_path / "mine"
    assert f"{source.as_uri()}: {first}" in cli("data", "pull", "corecode", target).stdout
    assert "was these data already" in cli("data", "pull", "corecode", target).stdout
    assert f": {newest}" in cli("data", "pull", "corecode", target, "--from", source.as_uri()).stdout
    right = files(target)
    name_commit("0" * 40)
    for folder in (target, tmp_path / "other"):
        assert "could not fetch" in cli("data", "pull", "corecode", folder, expect=2).stderr
    assert files(target) == right and not (tmp_path / "other").exists()


def test_folders_that_are_of_something_else_are_left_alone(
    source: Path, tmp_path: Path, pull_mine: Callable[[], Pulled], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    with pytest.raises(ConfigError, match="not empty, and not from `evalsuite data pull`; choose another folder"):
        pull("corecode", tmp_path / "full", source.as_uri())
    pull_mine()
    with pytest.raises(ConfigError, match=f"has data from {source.as_uri()}, not from file:///nowhere"):
        pull("corecode", tmp_path / "mine", "file:///nowhere")
    monkeypatch.chdir(tmp_path / "mine" / "data")
    with pytest.raises(ConfigError, match="the current folder is in it"):
        pull_mine()
    for note in ("{", "[1]"):
        (tmp_path / "full" / SOURCE).write_text(note)
        with pytest.raises(DataError):
            pull("corecode", tmp_path / "full", source.as_uri())
    with pytest.raises(ConfigError, match="Not a directory; choose another folder"):
        pull("corecode", tmp_path / "full" / "mine.txt", source.as_uri())


def test_a_folder_that_is_a_link_stays_one(tmp_path: Path, pull_mine: Callable[[], Pulled]) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "mine").symlink_to(tmp_path / "disk")
    pull_mine()
    assert (tmp_path / "mine").is_symlink() and (tmp_path / "disk" / FILE).is_file()


def test_addresses_that_are_commands_are_refused(tmp_path: Path) -> None:
    for address in (f"ext::touch {tmp_path / 'ran'}", f"--upload-pack=touch {tmp_path / 'ran'}"):
        with pytest.raises(ConfigError, match="git could not fetch"):
            pull("corecode", tmp_path / "mine", address)
    assert list(tmp_path.iterdir()) == []


# Archives ---------------------------------------------------------------------------------------------------------


def test_archives_that_were_changed_or_are_too_large_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "data.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("../../a.json", "1")
    assert unpack(archive.as_uri(), tmp_path / "out", ["a.json"]) == hashlib.sha256(archive.read_bytes()).hexdigest()
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["a.json"]
    with pytest.raises(ConfigError, match="expected the SHA-256 0000"):
        unpack(archive.as_uri(), tmp_path / "other", ["a.json"], "0" * 64)
    monkeypatch.setattr("evalsuite.benchmarks.pull._ARCHIVE", 9)
    with pytest.raises(ConfigError, match="larger than 9 bytes"):
        unpack(archive.as_uri(), tmp_path / "other", ["a.json"])
    assert not (tmp_path / "other").exists()


def test_a_damaged_archive_is_an_error_of_its_own(tmp_path: Path) -> None:
    """Every byte changed, and every end cut: it unpacks or is refused, and no other exception comes."""
    archive, damaged = tmp_path / "data.zip", tmp_path / "damaged.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a.json", "[1, 2, 3]" * 9)
    whole, refused = archive.read_bytes(), 0
    for n in range(len(whole)):
        for content in (whole[:n] + bytes([whole[n] ^ 0x41]) + whole[n + 1 :], whole[:n]):
            damaged.write_bytes(content)
            try:
                unpack(damaged.as_uri(), tmp_path / "out", ["a.json"])
            except ConfigError:
                refused += 1
    assert refused > len(whole)  # the cut ones, and some of the others


def test_a_file_that_an_archive_has_twice_is_refused(tmp_path: Path) -> None:
    archive = tmp_path / "data.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("one/a.json", "1")
        file.writestr("two/a.json", "2")
        file.writestr("__MACOSX/a.json", "3")
    with pytest.raises(ConfigError, match=r"twice: a\.json"):
        unpack(archive.as_uri(), tmp_path / "out", ["a.json"])


def test_archives_replace_a_folder_as_a_repository_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = tmp_path / "data.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("a.json", "1")
    known = replace(BENCHMARK, address=Archives({"v1": archive.as_uri()}, ("a.json",)))
    monkeypatch.setattr("evalsuite.benchmarks.pull.BENCHMARKS", {"corecode": known})
    monkeypatch.setattr("evalsuite.benchmarks.pull.open_corpus", lambda *_: None)
    assert pull("corecode", tmp_path / "mine").changes
    assert not pull("corecode", tmp_path / "mine").changes
    (tmp_path / "mine" / "v1" / "data" / "a.json").write_text("2")
    pulled = pull("corecode", tmp_path / "mine")
    assert pulled.kept and (pulled.kept / "v1/data/a.json").read_text() == "2"
    assert (tmp_path / "mine" / "v1/data/a.json").read_text() == "1"
