"""Loading: what official files look like, what is wrong with broken ones, and what is counted."""

from __future__ import annotations

import hashlib
import json
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evalsuite.benchmarks.check import check_data
from evalsuite.benchmarks.corecode import BENCHMARK
from evalsuite.benchmarks.corecode.loader import Corpus, load_file, path_of
from evalsuite.benchmarks.pull import SOURCE, clone, pull, unpack
from evalsuite.benchmarks.registry import TASKS, Corpora
from evalsuite.common.dialogue import asked_event, same_source
from evalsuite.common.errors import ConfigError, DataError

CHOICE = {
    "id": 7, "dialogue": ["A: 你好。", "B: 我很少看[MASK]。"], "question": "请选择。", "(a)": "科幻片", "(b)": "恐怖片",
    "answer": ["(b)", "恐怖片"],
}  # fmt: skip
TEXT = {"id": 0, "dialogue": ["A: 你好。"], "question": "事件“x笑”的原因是什么？", "answer": "x高兴"}


def write(folder: Path, task: str, *rows: object, split: str = "test", item_set: str = "easy") -> Path:
    """A one-file data folder; rows are objects, or strings taken as they are."""
    path = path_of(folder / "data", TASKS[task], item_set, split)
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_choice_becomes_an_index_and_labels(tmp_path: Path) -> None:
    write(tmp_path, "knowledge_filling", CHOICE)
    (item,) = Corpus(BENCHMARK, tmp_path).file(TASKS["knowledge_filling"], "easy", "test").items
    assert item.id == "corecode/easy/test/knowledge_filling/7"
    assert (item.labels, item.options, item.gold) == (("(a)", "(b)"), ("科幻片", "恐怖片"), 1)
    assert (item.references, item.target) == (("恐怖片",), "b")


def without(row: dict[str, object], field: str) -> dict[str, object]:
    return {k: v for k, v in row.items() if k != field}


BROKEN = [
    # task, the broken line, the field named, a part of the message
    ("event_cause", "{", None, "not JSON"),
    ("event_cause", "[1]", None, "expected an object"),
    ("event_cause", without(TEXT, "id"), "id", "missing"),
    ("event_cause", {**TEXT, "id": "3"}, "id", "whole number"),
    ("event_cause", {**TEXT, "id": True}, "id", "whole number"),
    ("event_cause", without(TEXT, "dialogue"), "dialogue", "missing"),
    ("event_cause", {**TEXT, "dialogue": []}, "dialogue", "at least 1"),
    ("event_cause", {**TEXT, "dialogue": ["A: 好", 3]}, "dialogue[1]", "expected a string, found 3"),
    ("event_cause", {**TEXT, "question": " "}, "question", "blank"),
    ("event_cause", without(TEXT, "answer"), "answer", "missing"),
    ("event_cause", {**TEXT, "answer": ""}, "answer", "blank"),
    ("event_cause", {**TEXT, "(a)": "多"}, "(a)", "has no options"),
    ("event_cause", '{"id": 1, "dialogue": ["A: \\ud83d"], "question": "？", "answer": "x"}', None, "half a character"),
    ("knowledge_filling", without(CHOICE, "(b)"), None, "two options"),
    ("knowledge_filling", {**CHOICE, "answer": "恐怖片"}, "answer", "expected a list"),
    ("knowledge_filling", {**CHOICE, "answer": ["(c)", "恐怖片"]}, "answer", "[label, text]"),
    ("knowledge_filling", {**CHOICE, "answer": ["(a)", "恐怖片"]}, "answer", "option (a) is '科幻片'"),
]


@pytest.mark.parametrize(("task", "line", "field", "message"), BROKEN)
def test_a_broken_line_is_named(tmp_path: Path, task: str, line: object, field: str | None, message: str) -> None:
    good = {**(CHOICE if task == "knowledge_filling" else TEXT), "id": 99}
    path = write(tmp_path, task, good, line)
    with pytest.raises(DataError, match="2") as error:
        load_file(tmp_path / "data", TASKS[task], "easy", "test")
    assert (error.value.file, error.value.line, error.value.field) == (path, 2, field)
    assert message in str(error.value)
    kept = load_file(tmp_path / "data", TASKS[task], "easy", "test", skip_bad=True)
    assert (len(kept.items), len(kept.skipped)) == (1, 1)


def test_a_number_stands_once_a_file(tmp_path: Path) -> None:
    write(tmp_path, "event_cause", TEXT, TEXT)
    with pytest.raises(DataError, match="taken by line 1"):
        load_file(tmp_path / "data", TASKS["event_cause"], "easy", "test")


def test_oddities_are_kept(tmp_path: Path) -> None:
    """Line separators inside strings, zero-width characters, a clipped turn that stops after its mark, a BOM."""
    odd = {
        **TEXT,
        "dialogue": ["A: 甲\u2028乙\u200b", "B:"],
        "question": "事件“梅西赢得“人球合一”的美誉”的原因是什么？",
    }
    path = write(tmp_path, "event_cause", odd, "", {**TEXT, "id": 1})
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    items = load_file(tmp_path / "data", TASKS["event_cause"], "easy", "test").items
    assert items[0].dialogue == ("A: 甲\u2028乙\u200b", "B:")
    assert asked_event(items[0].question) == "梅西赢得“人球合一”的美誉"
    assert len(items) == 2


def test_bytes_that_are_no_utf8(tmp_path: Path) -> None:
    path = write(tmp_path, "event_cause", TEXT)
    path.write_bytes(path.read_bytes() + '{"id": 1}'.encode("utf-16"))
    with pytest.raises(DataError, match="not UTF-8"):
        load_file(tmp_path / "data", TASKS["event_cause"], "easy", "test")


@pytest.mark.parametrize("inner", ["data", "corecode/data", "."])
def test_a_folder_is_known_however_it_is_given(tmp_path: Path, inner: str) -> None:
    write(tmp_path / "made", "event_cause", TEXT)
    (tmp_path / inner).mkdir(parents=True, exist_ok=True)
    (tmp_path / "made" / "data" / "easy").rename(tmp_path / inner / "easy")
    assert Corpus(BENCHMARK, tmp_path).has(TASKS["event_cause"], "easy", "test")


def test_no_folder_and_no_data(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such folder"):
        Corpus(BENCHMARK, tmp_path / "nowhere")
    with pytest.raises(DataError, match="no CORECODE data here"):
        Corpus(BENCHMARK, tmp_path)
    write(tmp_path, "event_cause", TEXT)
    with pytest.raises(DataError, match="no dev file of event_cause"):
        Corpus(BENCHMARK, tmp_path).file(TASKS["event_cause"], "easy", "dev")


SOURCES = [
    # one dialogue, another, whether they come from one source
    (["A: 你好。", "B: 好。"], ["A: 你好。", "B: 好。"], True),
    (["A: 你好。", "B: 我买了三斤苹果。"], ["A: 你好。", "B: 我买了三"], True),  # clipped
    (["A: 去哪？", "B: 去看[MASK]。", "A: 好。"], ["A: 去哪？", "B: 去看电影。", "A: 好。"], True),  # masked
    (["A: 你好。", "B: 忙吗？", "A: 忙。"], ["A: 你好。", "B: 你也等车？", "A: 是啊。"], False),  # one greeting
]


@pytest.mark.parametrize(("one", "other", "same"), SOURCES)
def test_same_source(one: list[str], other: list[str], same: bool) -> None:
    assert same_source(one, other) is same_source(other, one) is same


def test_check_counts_repeats_and_leaks(tmp_path: Path) -> None:
    other = {**TEXT, "id": 1, "answer": "x开心"}
    write(tmp_path, "event_cause", TEXT, other, {**TEXT, "id": 2})
    write(tmp_path, "event_cause", {**TEXT, "id": 5}, {**TEXT, "id": 6, "dialogue": ["A: 另一段。"]}, split="train")
    found = check_data(Corpora(tmp_path))
    test = next(c for c in found.counts if c.split == "test")
    assert (test.items, test.dialogues, test.repeats, test.alternatives) == (3, 1, 1, 1)
    (leak,) = found.leaks
    assert (leak.splits, leak.dialogues, leak.of, leak.items) == (("train", "test"), 1, 1, 1)


def test_the_official_files(real_data: Path) -> None:
    """Counts and leakage as counted by others (the snapshot's README), not by this code."""
    found = check_data(Corpora(real_data / "corecode"))
    counts = {(c.set, c.split, c.task): c.items for c in found.counts}
    assert sum(counts.values()) == 13_272
    assert counts["easy", "test", "event_cause"] == 1526
    assert counts["hard", "train", "clipped_subsequent_event"] == 1754
    leaks = {(x.set, x.task, *x.splits): (x.dialogues, x.of, x.items) for x in found.leaks}
    assert leaks["easy", "event_cause", "dev", "test"] == (490, 1197, 53)
    assert leaks["easy", "subsequent_event", "train", "test"] == (61, 153, 12)
    assert leaks["hard", "subsequent_event", "train", "dev"] == (56, 314, 0)
    assert found.between_sets == 136
    whole = {t.set: t for t in found.table1}
    assert (whole["easy"].dialogues, whole["hard"].dialogues) == (2319, 4495)
    assert whole["hard"].turns[:2] == (26, 14)


def test_pull_clones_and_updates(tmp_path: Path) -> None:
    """Against a local repository: the same git, another address."""
    source = tmp_path / "source"
    write(source, "event_cause", TEXT)

    def git(*words: str) -> None:
        who = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", "-C", str(source), *who, *words], check=True, capture_output=True)

    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "data")
    target = tmp_path / "clone"
    assert pull("corecode", target, source.as_uri()).has(TASKS["event_cause"], "easy", "test")
    write(source, "event_cause", TEXT, split="dev")
    git("add", "-A")
    git("commit", "-qm", "more")
    assert pull("corecode", target, source.as_uri()).has(TASKS["event_cause"], "easy", "dev")
    with pytest.raises(ConfigError, match="could not fetch"):
        pull("corecode", tmp_path / "other", (tmp_path / "nowhere").as_uri())
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    with pytest.raises(ConfigError, match="not empty"):
        pull("corecode", tmp_path / "full", source.as_uri())
    with pytest.raises(ConfigError, match=f"a clone of {source.as_uri()}, not of "):
        pull("corecode", target, (tmp_path / "nowhere").as_uri())


@pytest.fixture
def repository(tmp_path: Path) -> tuple[Path, list[str]]:
    """A repository with data, and its two commits: the second one changes them."""
    source = tmp_path / "source"
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    commits = []
    for text in (TEXT, {**TEXT, "id": 7}):
        write(source, "event_cause", text)
        for words in (["init", "-q"], ["add", "-A"], [*who, "commit", "-qm", "data"], ["rev-parse", "HEAD"]):
            done = subprocess.run(["git", "-C", str(source), *words], check=True, capture_output=True, text=True)
        commits.append(done.stdout.strip())
    return source, commits


def test_pull_takes_the_commit_that_the_benchmark_names(
    repository: tuple[Path, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Any
) -> None:
    source, (first, newest) = repository

    def named(commit: str) -> None:
        here = replace(BENCHMARK, address=source.as_uri(), commit=commit)
        monkeypatch.setattr("evalsuite.benchmarks.pull.BENCHMARKS", {"corecode": here})

    named(first)
    target = tmp_path / "clone"
    assert f"{source.as_uri()}: {first}" in cli("data", "pull", "corecode", target).stdout
    assert json.loads((target / SOURCE).read_text()) == {source.as_uri(): first}
    cli("data", "pull", "corecode", target)  # again
    assert f": {newest}" in cli("data", "pull", "corecode", target, "--from", source.as_uri()).stdout
    named("0" * 40)
    assert "could not fetch" in cli("data", "pull", "corecode", tmp_path / "other", expect=2).stderr
    assert not list((tmp_path / "other").iterdir())


@pytest.mark.parametrize(
    "line", ["fsmonitor = touch {}", "sshCommand = touch {}", "hooksPath = {}", "pager = touch {}"]
)
def test_pull_runs_nothing_of_a_folder_it_finds(repository: tuple[Path, list[str]], tmp_path: Path, line: str) -> None:
    source, ran = repository[0].as_uri(), tmp_path / "ran"
    target = tmp_path / "clone"
    clone(target, source)
    with (target / ".git" / "config").open("a") as file:
        file.write(f"[core]\n\t{line.format(ran)}\n")
    with pytest.raises(ConfigError, match=r"\.git/config: sets core\..*, which no clone of ours has"):
        clone(target, source)
    assert not ran.exists()


def test_pull_refuses_addresses_that_are_commands(tmp_path: Path) -> None:
    for address in (f"ext::touch {tmp_path / 'ran'}", f"--upload-pack=touch {tmp_path / 'ran'}"):
        with pytest.raises(ConfigError, match="git could not fetch"):
            clone(tmp_path / "clone", address)
    assert not (tmp_path / "ran").exists()


def test_pull_refuses_archives_that_were_changed_or_are_too_large(
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
