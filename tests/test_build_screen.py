"""Screening dialogues by ConceptNet's triples: what is read, what matches, and that nothing is lost or done twice."""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
import select
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any

import kill_points
import pytest
from run_files import read_jsonl, write_jsonl

from evalsuite.authoring.concepts import jieba_concepts
from evalsuite.authoring.dialogues import dialogue_files, read_dialogues
from evalsuite.authoring.knowledge import KnowledgeIndex, Triple, build_index, index_path, simplified, term_text
from evalsuite.authoring.screen import MatchCounts, Screener, screen_dialogues
from evalsuite.common.errors import ConfigError, DataError
from evalsuite.common.resources import bundled

KNOWLEDGE = bundled("sample/knowledge/assertions.csv")
SAMPLE = bundled("sample/annotations.jsonl")


def edge(relation: str, start: str, end: str) -> str:
    return f'/a/[/r/{relation}/,{start}/,{end}/]\t/r/{relation}\t{start}\t{end}\t{{"weight": 1.0}}\n'


EDGES = "".join(
    [
        edge("UsedFor", "/c/zh/雨傘/n", "/c/zh/下雨"),
        edge("RelatedTo", "/c/zh/雨伞", "/c/zh/下_雨/v"),
        edge("RelatedTo", "/c/zh/雨伞/n/wn/artifact", "/c/zh/下雨/v"),  # the same triple once more
        edge("Causes", "/c/zh/下雨", "/c/zh/感冒"),
        edge("Synonym", "/c/zh/感冒", "/c/zh/感冒/n"),  # a synonym of itself
        edge("UsedFor", "/c/en/umbrella", "/c/en/rain"),
        edge("Synonym", "/c/en/umbrella", "/c/zh/雨伞"),
        edge("ExternalURL", "/c/zh/雨伞", "http://zh.dbpedia.org/resource/伞"),
    ]
)


@pytest.fixture
def knowledge(tmp_path: Path) -> Path:
    file = tmp_path / "knowledge.csv"
    file.write_text(EDGES, encoding="utf-8")
    return file


def words(text: str) -> list[str]:
    """A tagger for tests, whose concepts are the words between blanks."""
    return text.split()


def edges(index: Path) -> set[tuple[str, str, str]]:
    with sqlite3.connect(index) as db:
        return set(db.execute("SELECT head, relation, tail FROM edges"))


# --- knowledge


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("/c/zh/吃饭", "吃饭"),
        ("/c/zh/吃飯/v", "吃饭"),
        ("/c/zh/看_電影/v/wn/act", "看电影"),
        ("/c/zh/卡拉OK", "卡拉ok"),
        ("/c/zh/頭髮", "头发"),
        ("/c/zh/發現", "发现"),
        ("/c/zh/乾坤", "乾坤"),  # by words, not by characters: 乾 is 干 elsewhere
    ],
)
def test_terms_are_simplified_words_of_uris(uri: str, expected: str) -> None:
    assert term_text(uri.encode()) == expected


def test_no_other_character_changes() -> None:
    """A text of OpenCC's tables without a character that may change stays as it is."""
    from opencc import OpenCC

    convert = OpenCC("t2s").convert
    folder = resources.files("opencc") / "dictionary"
    known = [line.split("\t")[0] for name in ("TSPhrases.txt", "TSCharacters.txt", "STPhrases.txt")
             for line in (folder / name).read_text(encoding="utf-8").splitlines()]  # fmt: skip
    assert len(known) > 10_000
    for text in known[::7]:
        assert simplified(text) == convert(text).lower()


@pytest.mark.parametrize("packed", [False, True])
def test_the_chinese_edges_are_read(tmp_path: Path, packed: bool) -> None:
    file = tmp_path / ("k.csv.gz" if packed else "k.csv")
    file.write_bytes(gzip.compress(EDGES.encode()) if packed else EDGES.encode())
    index, _ = build_index(file)
    assert index == index_path(file)
    found = {("雨伞", "UsedFor", "下雨"), ("雨伞", "RelatedTo", "下雨"), ("下雨", "Causes", "感冒")}
    assert edges(index) == found


def test_a_knowledge_file_is_read_once(knowledge: Path) -> None:
    reads: list[int] = []
    index, digest = build_index(knowledge, None, reads.append)
    assert sum(reads) == knowledge.stat().st_size
    reads.clear()
    assert build_index(knowledge, None, reads.append) == (index, digest)
    os.utime(knowledge, (1, 1))
    assert build_index(knowledge, None, reads.append) == (index, digest) and not reads
    knowledge.write_text(EDGES.replace("感冒", "头疼"), encoding="utf-8")  # the file keeps its length
    os.utime(knowledge, (2, 2))
    assert build_index(knowledge, None, reads.append)[1] != digest and reads
    assert ("下雨", "Causes", "头疼") in edges(index) and ("下雨", "Causes", "感冒") not in edges(index)


def test_a_reading_that_stops_leaves_the_index_as_it_was(knowledge: Path) -> None:
    index, _ = build_index(knowledge)
    before = edges(index)
    knowledge.write_text(EDGES + "broken\n", encoding="utf-8")
    with pytest.raises(DataError):
        build_index(knowledge)
    assert edges(index) == before


@pytest.mark.parametrize(
    ("name", "content", "line", "message"),
    [
        ("k.csv", (EDGES + "雨伞,UsedFor,下雨\n").encode(), 9, "expected 5 tab-separated fields"),
        ("k.csv", edge("IsA", "/c/en/a", "/c/en/b").encode(), None, "1 lines, none with a Chinese edge"),
        ("k.csv", EDGES.encode() + edge("IsA", "/c/zh/\u4f1e", "/c/zh/物").encode("gb18030"), 9, "not UTF-8"),
        ("k.csv.gz", gzip.compress(EDGES.encode())[:-8], 9, "is the file complete"),
        ("k.csv.gz", EDGES.encode(), 1, "is the file complete"),
        ("k.csv", None, None, "cannot read: No such file"),
    ],
)
def test_knowledge_that_cannot_be_read(
    tmp_path: Path, name: str, content: bytes | None, line: int | None, message: str
) -> None:
    file = tmp_path / name
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(DataError, match=message) as error:
        build_index(file)
    assert error.value.line == line
    assert not index_path(file).exists()


def test_an_index_that_cannot_be_written(tmp_path: Path, knowledge: Path) -> None:
    with pytest.raises(ConfigError, match="--index"):
        build_index(knowledge, tmp_path / "nowhere" / "index.sqlite")
    (tmp_path / "other.sqlite").write_text("no database" * 1000)
    with pytest.raises(ConfigError, match="--index"):
        build_index(knowledge, tmp_path / "other.sqlite")


def test_a_hub_costs_no_more_than_another_word(tmp_path: Path) -> None:
    """SQLite's own count of steps: of a word with 20,000 edges about as many as of one with a single edge."""
    file = tmp_path / "k.csv"
    others = "".join(edge("RelatedTo", "/c/zh/人", f"/c/zh/词{n}") for n in range(20_000))
    file.write_text(
        others + edge("RelatedTo", "/c/zh/人", "/c/zh/手") + edge("RelatedTo", "/c/zh/伞", "/c/zh/手"), "utf-8"
    )
    knowledge = KnowledgeIndex(build_index(file)[0])
    knowledge.links(["脚"], ["手"])  # the first question reads the schema, too
    steps = {}
    for head in ("人", "伞"):
        count = 0

        def tick() -> int:
            nonlocal count
            count += 1
            return 0

        knowledge._db.set_progress_handler(tick, 1)
        assert knowledge.links([head], ["手", "脚"]) == [Triple(head, "RelatedTo", "手")]
        steps[head] = count
    assert steps["伞"] > 20 and abs(steps["人"] - steps["伞"]) < 5


# --- dialogues


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("ours.jsonl", '{"id": 7, "dialogue": ["A: 好。", "B: 嗯：对。"]}\n', [("7", ["A: 好。", "B: 嗯：对。"])]),
        ("hard.jsonl", '{"id": 1, "dialogue": ["x: 好。", "y: 嗯。"]}\n', [("1", ["x: 好。", "y: 嗯。"])]),
        ("naturalconv.json", '[{"dialog_id": "0_1", "content": ["你好。", "时间: 九点。", "好。"]}]',
         [("0_1", ["A: 你好。", "B: 时间: 九点。", "A: 好。"])]),
        ("dulemon.json", '{"conversation": ["Usr: 你好", "Bot: 你好呀"]}\n{"conversation": ["Bot: 在吗"]}\n',
         [("dulemon-1", ["A: 你好", "B: 你好呀"]), ("dulemon-2", ["A: 在吗"])]),
        ("persona.json", '{"conversation": ["Usr: 我 在 IT 部门\\tU1,U2", "Bot:hi ， new job 吗 ？\\tB2", "Usr: 是 的"]}\n',
         [("persona-1", ["A: 我在IT部门", "B: hi，new job吗？", "A: 是的"])]),
        ("kdconv.json", '[{"messages": [{"message": "知道吗？", "attrs": []}, {"message": "知道。"}], "name": "x"}]',
         [("kdconv-1", ["A: 知道吗？", "B: 知道。"])]),
        ("crosswoz.json", '{"391": {"messages": [{"content": "你好", "role": "usr"}, {"content": "您好", "role": "sys"}]}}',
         [("391", ["A: 你好", "B: 您好"])]),
        ("nobody.json", '[{"messages": [{"content": "你好", "role": null}, {"content": "您好", "role": null}]}]',
         [("nobody-1", ["A: 你好", "B: 您好"])]),
        ("numbers.json", '[{"messages": [{"content": "你好", "role": 1}, {"content": "您好", "role": 0}]}]',
         [("numbers-1", ["A: 你好", "B: 您好"])]),
        ("half.json", '[{"content": ["Usr: 你好", "您好", "Usr: 走吧", "好"]}]', [("half-1", ["A: 你好", "B: 您好", "A: 走吧", "B: 好"])]),
        ("crowd.json", json.dumps([{"messages": [{"content": "到", "role": f"学生{n}"} for n in range(28)]}]),
         [("crowd-1", [*(f"{chr(65 + n)}: 到" for n in range(26)), "AA: 到", "AB: 到"])]),
    ],
)  # fmt: skip
def test_dialogues_of_every_layout_are_read(
    tmp_path: Path, name: str, content: str, expected: list[tuple[str, list[str]]]
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    found = list(read_dialogues(dialogue_files([tmp_path])))
    assert [(d.id, list(d.turns)) for d in found] == expected
    assert all(
        ": ".join((turn.partition(":")[0], said)) == turn
        for d in found
        for turn, said in zip(d.turns, d.utterances, strict=True)
    )


@pytest.mark.parametrize(
    ("content", "line", "field"),
    [
        ('{"id": 1, "dialogue": ["A: 好。"]}\n\n{"id": 1, "dialogue": ["A: 嗯。"]}\n', 3, "id"),
        ('{"id": 1, "dialogue": ["A: 好。", 3]}\n', 1, "dialogue[1]"),
        ('{"id": 1, "dialogue": ["A: 好。", "A: 走吧。", "下雨了。", "B: 嗯。"]}\n', 1, "dialogue[2]"),
        ('{"id": 1, "dialogue": []}\n', 1, "dialogue"),
        ('{"id": 1, "dialogue": "A: 好。"}\n', 1, "dialogue"),
        ('{"id": 1, "turns": ["A: 好。"]}\n', 1, None),
        ('{"id": [1], "dialogue": ["A: 好。"]}\n', 1, "id"),
        ("[1\n", 1, None),
    ],
)
def test_dialogues_that_cannot_be_read(tmp_path: Path, content: str, line: int, field: str | None) -> None:
    file = tmp_path / "d.jsonl"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(DataError) as error:
        list(read_dialogues([file]))
    assert (error.value.line, error.value.field) == (line, field)


def test_the_file_whose_name_is_there_twice_is_named(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("one.jsonl", "a/two.jsonl", "b/two.jsonl")]
    with pytest.raises(DataError, match="two files of the same name") as error:
        dialogue_files(files)
    assert error.value.file == files[1]


# --- concepts and matches


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("厨房里怎么一股糊味儿", ["厨房", "糊", "味儿"]),
        ("我去买电脑和电视，很贵。", ["去", "买", "电脑", "电视", "贵"]),
        ("嗯，那好吧。", ["好"]),
        ("", []),
    ],
)
def test_concepts_are_nouns_verbs_and_adjectives(text: str, expected: list[str]) -> None:
    assert jieba_concepts(text) == expected


@pytest.mark.parametrize("content", ["[" * 100_000, '{"a": [\ud800'.encode("utf-8", "surrogatepass"), "[{}"])
def test_a_json_file_that_is_none_is_named(tmp_path: Path, content: str | bytes) -> None:
    file = tmp_path / "deep.json"
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(DataError, match=r"not JSON|not UTF-8") as error:
        list(read_dialogues([file]))
    assert error.value.file == file


UTTERANCES = ["带 雨傘 雨傘 了 吗", "下雨 了", "感冒 下雨 雨伞", "嗯", "感冒"]


@pytest.mark.parametrize(
    ("either_way", "without", "expected"),
    [
        (False, (), ["0 雨伞 RelatedTo 下雨", "0 雨伞 UsedFor 下雨", "1 下雨 Causes 感冒"]),
        (False, ("RelatedTo",), ["0 雨伞 UsedFor 下雨", "1 下雨 Causes 感冒"]),
        (True, ("RelatedTo",), ["0 雨伞 UsedFor 下雨", "1 下雨 Causes 感冒", "1 雨伞 UsedFor 下雨 back"]),
    ],
)
def test_a_head_and_tail_in_adjacent_utterances_match(
    knowledge: Path, either_way: bool, without: tuple[str, ...], expected: list[str]
) -> None:
    """A head and its tail in one utterance, or with one between them, are no match."""
    screener = Screener(words, KnowledgeIndex(build_index(knowledge)[0]), either_way, frozenset(without))
    found = screener.matches(UTTERANCES)
    assert [" ".join([str(m.turn), *m.triple, *(["back"] if m.back else [])]) for m in found] == expected


@pytest.mark.thorough
def test_matches_are_what_the_papers_words_say(tmp_path: Path) -> None:
    """Section 3 taken literally: every one-hop triple of every concept is listed, and looked for in the next utterance."""
    from opencc import OpenCC

    convert = OpenCC("t2s").convert
    one_hop: dict[str, set[tuple[str, str, str]]] = {}
    with KNOWLEDGE.open(encoding="utf-8", newline="") as lines:
        for _, relation, start, end, _ in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            both = [re.fullmatch(r"/c/zh/([^/]+)(/.*)?", uri) for uri in (start, end)]
            if all(both):
                e1, e2 = (convert(m[1].replace("_", "")) for m in both if m)
                if e1 != e2:
                    one_hop.setdefault(e1, set()).add((e1, relation.split("/")[2], e2))
    dialogues = [json.loads(line)["dialogue"] for line in SAMPLE.read_text(encoding="utf-8").splitlines()]
    expected = []
    for dialogue in dialogues:
        concepts = [set(jieba_concepts(turn[3:])) for turn in dialogue]
        expected.append(
            {
                (n, *triple)
                for n, here in enumerate(concepts[:-1])
                for concept in here
                for triple in one_hop.get(concept, ())
                if triple[2] in concepts[n + 1]
            }
        )
    done = screen_dialogues([SAMPLE], KNOWLEDGE, tmp_path / "out", index=tmp_path / "index.sqlite")
    rows = read_jsonl(tmp_path / "out" / "matches.jsonl")
    found = [{(m["turn"], m["head"], m["relation"], m["tail"]) for m in row["matches"]} for row in rows]
    assert found == expected
    assert sum(map(len, expected)) > 30
    for k in range(5):
        assert done.total.more_than(k) == sum(len(matches) > k for matches in expected)


def test_the_columns_of_table_8() -> None:
    """NaturalConv's row: a column is what has more matches than it says, so 4,077 dialogues have two, and so on."""
    natural = MatchCounts("NaturalConv", {0: 2904, 2: 4077, 3: 3793, 9: 9145})
    assert [natural.dialogues, *map(natural.more_than, (1, 2, 3))] == [19919, 17015, 12938, 9145]


# --- the command


def results(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in out.iterdir()}


TAGGER = "bigrams:bigrams_of"  # jieba takes each process a second to load


@pytest.mark.thorough
def test_a_killed_screening_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    """The bytes equal those of one process that is not interrupted; two processes are killed, and two go on."""
    rows = read_jsonl(SAMPLE)
    many = write_jsonl(
        tmp_path / "many.jsonl", *({"id": f"{n}-{r['id']}", "dialogue": r["dialogue"]} for n in range(2) for r in rows)
    )
    index, plain, killed = tmp_path / "index.sqlite", tmp_path / "plain", tmp_path / "killed"
    whole = screen_dialogues([many], KNOWLEDGE, plain, more_than=2, index=index, tagger=TAGGER)
    assert whole.total.dialogues == 128 and 0 < whole.total.more_than(2) < 128

    workers: list[int] = []  # file descriptors that can be read once the worker has ended

    def look(pid: int) -> None:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        workers.extend(os.pidfd_open(int(child)) for child in children)

    words = [
        "--knowledge",
        KNOWLEDGE,
        "--index",
        index,
        "--out",
        killed,
        "--more-than",
        2,
        "--jobs",
        2,
        "--tagger",
        TAGGER,
    ]
    kill_points.kill(1, ["build", "screen", many, *words], look=look)
    matches = killed / "matches.jsonl"
    lines = matches.read_bytes().count(b"\n")
    assert 0 < lines < 108 and not (killed / "kept.jsonl").exists()
    with matches.open("ab") as cut_off:
        cut_off.write('{"source": "many", "id": "半'.encode()[:-1])

    assert len(workers) >= 2
    for worker in workers:
        assert select.select([worker], [], [], 600)[0], "a worker outlives its killed parent"
        os.close(worker)

    goes_on: list[int] = []

    @contextmanager
    def progress(title: str, total: int, unit: str, done: int = 0) -> Iterator[object]:
        goes_on.append(done)
        yield lambda n: None

    again = screen_dialogues(
        [many], KNOWLEDGE, killed, more_than=2, jobs=2, index=index, tagger=TAGGER, progress=progress
    )  # type: ignore[arg-type]
    assert goes_on[-1] == lines
    assert results(killed) == results(plain)
    assert again.counts == whole.counts


def test_another_threshold_needs_no_screening(tmp_path: Path, knowledge: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.path", [str(Path(__file__).parent), *sys.path])
    tagger = f"{Path(__file__).stem}:words"
    some = write_jsonl(
        tmp_path / "some.jsonl",
        {"id": "a", "dialogue": [f"A: {text}" for text in UTTERANCES]},
        {"id": "b", "dialogue": ["A: 雨伞", "B: 下雨"]},
        {"id": "c", "dialogue": ["A: 嗯"]},
    )
    out = tmp_path / "out"
    done = screen_dialogues([some], knowledge, out, tagger=tagger)
    assert done.counts == (MatchCounts("some", {0: 1, 2: 1, 3: 1}),)
    assert (out / "kept.jsonl").read_text() == ""
    before = (out / "matches.jsonl").stat()
    done = screen_dialogues([some], knowledge, out, tagger=tagger, more_than=2)
    assert (out / "matches.jsonl").stat().st_mtime_ns == before.st_mtime_ns
    kept = read_jsonl(out / "kept.jsonl")
    # turns are kept as they came: 雨傘 stays traditional
    assert kept == [{"id": "a", "dialogue": [f"A: {text}" for text in UTTERANCES]}]
    content = json.loads((out / "counts.json").read_text(encoding="utf-8"))
    assert content["kept"] == 1 and content["sources"][0]["histogram"] == {"0": 1, "2": 1, "3": 1}

    for change in ({"either_way": True}, {"without": ["RelatedTo"]}, {"tagger": "jieba"}):
        with pytest.raises(ConfigError, match=f"other {next(iter(change))}.*--out"):
            screen_dialogues([some], knowledge, out, **{"tagger": tagger, **change})  # type: ignore[arg-type]
    write_jsonl(some, {"id": "a", "dialogue": ["A: 嗯"]})
    with pytest.raises(ConfigError, match="other dialogues"):
        screen_dialogues([some], knowledge, out, tagger=tagger)


@pytest.mark.parametrize("name", ["jeiba", "no.such.module:tag", "json:nothing", "json:__name__"])
def test_taggers_that_are_not_there(tmp_path: Path, knowledge: Path, name: str) -> None:
    some = write_jsonl(tmp_path / "some.jsonl", {"id": "a", "dialogue": ["A: 嗯"]})
    with pytest.raises(ConfigError, match=re.escape(name)):
        screen_dialogues([some], knowledge, tmp_path / "out", tagger=name)
    assert not (tmp_path / "out").exists() and not index_path(knowledge).exists()


def test_no_process_is_not_every_core(tmp_path: Path, knowledge: Path, cli: Any) -> None:
    some = write_jsonl(tmp_path / "some.jsonl", {"id": "a", "dialogue": ["A: 嗯"]})
    done = cli("build", "screen", some, "--knowledge", knowledge, "--out", tmp_path / "out", "--jobs", 0, expect=2)
    assert "--jobs 0" in done.stderr


@pytest.mark.slow
def test_the_command_keeps_dialogues_with_matches(tmp_path: Path, cli: Any) -> None:
    other = write_jsonl(tmp_path / "other.jsonl", {"conversation": ["Usr: 医院 里 有 医生 。\tU1", "Bot: 嗯 。"]})
    out = tmp_path / "out"
    files = ("--knowledge", "bundled:sample/knowledge/assertions.csv", "--index", tmp_path / "i", "--out", out)
    done = cli("build", "screen", SAMPLE, other, *files, "--more-than", 2, "--counts", "0,1", "--jobs", 1)
    rows = {row[0]: row[1:] for line in done.stdout.splitlines() if (row := line.split())}
    assert rows["source"] == ["dialogues", ">", "0", ">", "1", ">", "2"]
    assert rows["other"] == ["1", "0", "0", "0"] and rows["Total"][0] == "65"
    kept = (out / "kept.jsonl").read_text(encoding="utf-8").splitlines()
    assert rows["Total"][3] == str(len(kept)) and kept
    assert "screening: 65 of 65" in done.stderr and "persona tags removed from 1 turns" in done.stdout
    assert [s["tags"] for s in json.loads((out / "counts.json").read_text(encoding="utf-8"))["sources"]] == [0, 1]


@pytest.mark.slow
def test_real_dialogues_are_screened(real_data: Path, tmp_path: Path) -> None:
    folder = real_data / "other"
    if not folder.is_dir():
        pytest.skip("needs other/, dialogues of KdConv and CrossWOZ, in EVALSUITE_DATA")
    files = dialogue_files([folder])
    dialogues = list(read_dialogues(files))
    raw = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    assert len(dialogues) == len(raw) == 1400
    assert [list(d.turns) for d in dialogues] == [row["dialogue"] for row in raw]
    some = write_jsonl(tmp_path / "some.jsonl", *raw[:60])
    done = screen_dialogues([some], KNOWLEDGE, tmp_path / "out", index=tmp_path / "index.sqlite")
    assert done.total.dialogues == 60 and done.total.more_than(0) > 0
