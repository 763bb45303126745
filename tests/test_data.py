"""Loading: what official files look like, what is wrong with broken ones, and what is counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest
from scipy.stats import chisquare

from evalsuite.benchmarks.check import check_data, chi_square_p
from evalsuite.benchmarks.corecode import BENCHMARK
from evalsuite.benchmarks.corecode.loader import CorecodeCorpus, path_of
from evalsuite.benchmarks.corpus import File
from evalsuite.benchmarks.registry import TASKS, Corpora
from evalsuite.cli.data import _items
from evalsuite.common.dialogue import alike, asked_event, copied, is_copy
from evalsuite.common.errors import DataError
from evalsuite.types import Item

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
    (item,) = CorecodeCorpus(BENCHMARK, tmp_path).file(TASKS["knowledge_filling"], "easy", "test").items
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
        CorecodeCorpus(BENCHMARK, tmp_path / "data").file(TASKS[task], "easy", "test")
    assert (error.value.file, error.value.line, error.value.field) == (path, 2, field)
    assert message in str(error.value)
    kept = CorecodeCorpus(BENCHMARK, tmp_path / "data", skip_bad=True).file(TASKS[task], "easy", "test")
    assert (len(kept.items), len(kept.skipped)) == (1, 1)


@pytest.mark.parametrize(
    ("sets", "shown"),
    [
        ({}, "–"),
        ({"easy": 1000, "hard": 20}, "easy 1,000, hard 20"),
        ({"a": 1, "b": 2, "c": 3}, "a 1, b 2, c 3"),
        ({"a": 1000, "b": 200, "c": 30, "d": 4}, "1,234 in 4 sets"),
    ],
)
def test_items_are_counted_by_set_or_together(sets: dict[str, int], shown: str) -> None:
    class Some:
        benchmark = BENCHMARK

        def __init__(self) -> None:
            self.sets = (*sets, "of training items alone")

        def has(self, task: object, item_set: str, split: str) -> bool:
            return item_set in sets and split == "test"

        def file(self, task: object, item_set: str, split: str) -> File:
            return File(Path(), (item,) * sets[item_set], (), "")

    item = Item("1", "knowledge_filling", "easy", "test", (), "")
    assert _items(cast("CorecodeCorpus", Some()), TASKS["knowledge_filling"]) == shown


def test_a_number_stands_once_a_file(tmp_path: Path) -> None:
    write(tmp_path, "event_cause", TEXT, TEXT)
    with pytest.raises(DataError, match="taken by line 1"):
        CorecodeCorpus(BENCHMARK, tmp_path / "data").file(TASKS["event_cause"], "easy", "test")


def test_oddities_are_kept(tmp_path: Path) -> None:
    """Line separators inside strings, zero-width characters, a clipped turn that stops after its mark, a BOM."""
    odd = {
        **TEXT,
        "dialogue": ["A: 甲\u2028乙\u200b", "B:"],
        "question": "事件“梅西赢得“人球合一”的美誉”的原因是什么？",
    }
    path = write(tmp_path, "event_cause", odd, "", {**TEXT, "id": 1})
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    items = CorecodeCorpus(BENCHMARK, tmp_path / "data").file(TASKS["event_cause"], "easy", "test").items
    assert items[0].dialogue == ("A: 甲\u2028乙\u200b", "B:")
    assert asked_event(items[0].question) == "梅西赢得“人球合一”的美誉"
    assert len(items) == 2


def test_bytes_that_are_no_utf8(tmp_path: Path) -> None:
    path = write(tmp_path, "event_cause", TEXT)
    path.write_bytes(path.read_bytes() + '{"id": 1}'.encode("utf-16"))
    with pytest.raises(DataError, match="not UTF-8"):
        CorecodeCorpus(BENCHMARK, tmp_path / "data").file(TASKS["event_cause"], "easy", "test")


@pytest.mark.parametrize("inner", ["data", "corecode/data", "."])
def test_a_folder_is_known_however_it_is_given(tmp_path: Path, inner: str) -> None:
    write(tmp_path / "made", "event_cause", TEXT)
    (tmp_path / inner).mkdir(parents=True, exist_ok=True)
    (tmp_path / "made" / "data" / "easy").rename(tmp_path / inner / "easy")
    assert CorecodeCorpus(BENCHMARK, tmp_path).has(TASKS["event_cause"], "easy", "test")


def test_no_folder_and_no_data(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such folder"):
        CorecodeCorpus(BENCHMARK, tmp_path / "nowhere")
    with pytest.raises(DataError, match="no CORECODE data here"):
        CorecodeCorpus(BENCHMARK, tmp_path)
    with pytest.raises(DataError, match="no data of any benchmark here"):
        check_data(Corpora(tmp_path))
    write(tmp_path, "event_cause", TEXT)
    with pytest.raises(DataError, match="no dev file of event_cause"):
        CorecodeCorpus(BENCHMARK, tmp_path).file(TASKS["event_cause"], "easy", "dev")


LONG = (
    "A: 你好，请问这里有人坐吗？", "B: 没有人，你坐吧。", "A: 谢谢，你在看什么新闻呢？", "B: 在看昨晚的羽毛球比赛。",
    "A: 我也看了，决赛打得真精彩。", "B: 是啊，最后一局打到了三十平。", "A: 教练说他的膝盖还没有好。", "B: 那能赢下来就更不容易了。",
    "A: 下个月他还要去参加公开赛。", "B: 到时候我们一起去现场看吧。",
)  # fmt: skip
OTHER = (
    "A: 周末你打算做什么？", "B: 想带孩子去郊外摘草莓。", "A: 那边的草莓园要提前预约吧？", "B: 对，我昨天已经在网上订好了。",
    "A: 多少钱一位？", "B: 大人六十，小孩免费。", "A: 那还挺划算的，下次叫上我。", "B: 好啊，我把链接发给你。",
    "A: 你们开车去吗？", "B: 坐地铁去，出站走十分钟就到。",
)  # fmt: skip
TURN = "A: 我昨天在商场买了一台新的洗衣机，今天上午就送到家里来了，还帮我装好了。"
ENGLISH = (
    "A: I missed the bus again this morning and had to walk all the way to the office.",
    "B: You should really get up at half past six, then you would have time for breakfast, too.",
    "A: Easy for you to say, you live next to the station.",
)
COPIES = {
    "equal": (LONG, LONG),
    "equal and short": (("A: 你好。", "B: 好。"), ("A: 你好。", "B: 好。")),
    "other punctuation": (LONG, tuple(turn.replace("，", " ").replace("。", "！").replace("？", "?") for turn in LONG)),
    "other speakers": (LONG, tuple({"A": "B", "B": "A"}[turn[0]] + "：" + turn[3:] for turn in LONG)),
    "no speakers": (LONG, tuple(turn[3:] for turn in LONG)),
    "one turn changed": (LONG, (*LONG[:4], "A: 我没有看，昨晚加班到十点。", *LONG[5:])),
    "the beginning cut": (LONG, LONG[4:]),
    "the end cut": (LONG, LONG[:5]),
    "cut within a turn": (LONG, (*LONG[:4], "A: 我也看了，决赛")),
    "within another": (LONG, (*OTHER[:3], *LONG, *OTHER[3:])),
    "masked": (LONG[:4], (LONG[0], "B: 没有人，[MASK]。", *LONG[2:4])),
    "masked in both": (
        (LONG[0], "B: [MASK]，你坐吧。", *LONG[2:]),
        (*LONG[:3], "B: 在看昨晚的[MASK]比赛。", *LONG[4:]),
    ),
    "one turn, masked": ((TURN,), (TURN.replace("商场", "[MASK]"),)),
    "one turn, masked near its beginning": ((TURN,), (TURN.replace("昨天", "[MASK]"),)),
    "one turn, masked, and a short one": ((TURN, "B: 好。"), (TURN.replace("商场", "[MASK]"), "B: 好。")),
    "one turn, clipped": ((TURN,), (TURN[:-8],)),
    "a turn more": (LONG, (*LONG[:5], "B: 嗯嗯。", *LONG[5:])),
    "English": (ENGLISH, tuple(turn.upper().replace(",", ";") for turn in ENGLISH)),
    "one text in English": (ENGLISH[:2], ENGLISH[:2]),
    "sentences of one turn": ((" ".join(ENGLISH),), (" ".join(ENGLISH[:2]),)),
    "marked by GLUCOSE": (ENGLISH, (ENGLISH[0], f"*{ENGLISH[1]}*", ENGLISH[2])),
}
LIKENESS = {
    "a greeting": (("A: 你好。", "B: 你好。", *LONG[2:]), ("A: 你好。", "B: 你好。", *OTHER[2:])),
    "the opening": (LONG, (*LONG[:3], *OTHER[3:])),
    **{f"{n} of 20 turns": ((*LONG, *OTHER), (*LONG[:n], *(f"A: 第{k}句，和那一段完全不同的话。" for k in range(20 - n)))) for n in (3, 5, 7)},
    "only the opening, clipped": ((*LONG[:4], "A: 我也看了，"), (*LONG[:3], *OTHER[3:])),
    "only a greeting, clipped": (("A: 你好。", "B: 你好呀。", "A: "), ("A: 你好。", "B: 你好呀。", *OTHER)),
    "generic short turns": (
        ("A: 嗯嗯。", "B: 是啊。", LONG[4], "B: 对呀。", "A: 哈哈哈。"),
        ("A: 嗯嗯。", "B: 是啊。", OTHER[1], "B: 对呀。", "A: 哈哈哈。"),
    ),
    "one pattern": (
        tuple(f"{'AB'[n % 2]}: 第{n}句说的是辽宁队。" if n % 2 else LONG[n] for n in range(10)),
        tuple(f"{'AB'[n % 2]}: 第{n}句说的是山东队。" if n % 2 else LONG[n] for n in range(10)),
    ),
    "a sentence in English": ((ENGLISH[0], ENGLISH[2]), (ENGLISH[2], "B: So do you, since last year, and you are late all the same.")),
    "nothing": (LONG, OTHER),
}  # fmt: skip


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_is_a_leak(name: str) -> None:
    one, other = COPIES[name]
    assert is_copy(one, other) and is_copy(other, one) and alike(one, other) and alike(other, one)
    assert copied([OTHER, one], [other]) == copied([other], [OTHER[2:5], one])[1:] == [True]


@pytest.mark.parametrize("name", LIKENESS)
def test_likeness_is_no_leak(name: str) -> None:
    one, other = LIKENESS[name]
    assert not is_copy(one, other) and not is_copy(other, one)
    assert copied([one], [other]) == copied([other], [one]) == [False]


def test_shots_are_kept_further_from_their_item_than_leakage_goes() -> None:
    opening = LONG[:2]
    assert alike(LONG, opening) and not is_copy(LONG, opening)
    half = (*LONG[:5], *OTHER[5:])
    assert alike(LONG, half) and not is_copy(LONG, half)
    assert not alike(LONG, (LONG[0], *OTHER[1:]))


@pytest.mark.slow
def test_the_index_of_copies_agrees_with_pairs(sample: CorecodeCorpus) -> None:
    """`copied` compares only dialogues with common turns; none that is a copy may be missed."""
    task = TASKS["knowledge_filling"]
    known, asked = ([i.dialogue for i in sample.file(task, "easy", s).items] for s in ("train", "test"))
    asked += known[:20] + [d[1:] for d in known[20:40]] + [d[:2] for d in known[:20]]
    assert copied(known, asked) == [any(is_copy(k, d) for k in known) for d in asked]


def test_check_counts_repeats_and_leaks(tmp_path: Path) -> None:
    other = {**TEXT, "id": 1, "answer": "x开心"}
    write(tmp_path, "event_cause", TEXT, other, {**TEXT, "id": 2})
    write(tmp_path, "event_cause", {**TEXT, "id": 5}, {**TEXT, "id": 6, "dialogue": ["A: 另一段。"]}, split="train")
    found = check_data(Corpora(tmp_path))
    test = next(c for c in found.counts if c.split == "test")
    assert (test.items, test.dialogues, test.repeats, test.alternatives) == (3, 1, 1, 1)
    (leak,) = found.leaks
    assert (leak.splits, leak.dialogues, leak.equal, leak.of, leak.items) == (("train", "test"), 1, 1, 1, 1)


def test_check_reads_every_folder(tmp_path: Path, cli: Any) -> None:
    write(tmp_path / "one", "event_cause", TEXT, {**TEXT, "id": 1})
    write(tmp_path / "other", "knowledge_filling", CHOICE)
    for first, more in (("one", "other"), ("other", "one")):
        done = json.loads(cli("data", "check", tmp_path / first, "--data", tmp_path / more, "--json").stdout)
        assert {(c["task"], c["items"]) for c in done["counts"]} == {("event_cause", 2), ("knowledge_filling", 1)}
        assert [table["dialogues"] for table in done["table1"]] == [1]
    write(tmp_path / "other", "event_cause", TEXT)
    stderr = cli("data", "check", tmp_path / "one", "--data", tmp_path / "other", expect=2).stderr
    assert "event_cause is in" in stderr


def test_check_finds_options_of_the_same_text(tmp_path: Path) -> None:
    wrong = {**CHOICE, "id": 8, "(a)": "科幻片", "(c)": "科幻片"}
    right = {**CHOICE, "id": 9, "(a)": "恐怖片"}
    write(tmp_path, "knowledge_filling", CHOICE, wrong, right)
    (count,) = check_data(Corpora(tmp_path)).counts
    assert (count.items, count.twins, count.unclear) == (3, 2, 1)


def test_check_finds_test_items_of_both_sets(tmp_path: Path) -> None:
    """Repeats are found whatever the order of the options; training items may stand in several sets (folds do so by design)."""
    turned = {**CHOICE, "(a)": "恐怖片", "(b)": "科幻片", "answer": ["(a)", "恐怖片"]}
    other = {**CHOICE, "id": 8, "dialogue": ["A: 你好。", "B: 我常看[MASK]。"]}
    write(tmp_path, "knowledge_filling", CHOICE, other)
    write(tmp_path, "knowledge_filling", turned, item_set="hard")
    for item_set in ("easy", "hard"):
        write(tmp_path, "event_cause", TEXT, split="train", item_set=item_set)
    (shared,) = check_data(Corpora(tmp_path)).shared
    assert (shared.task, shared.sets, shared.items) == ("knowledge_filling", ("easy", "hard"), 1)


def test_check_shows_what_options_give_away(tmp_path: Path) -> None:
    """Three items: in two the second of two options is right, in one the first of three. The longest option is right in one item,
    one of the two longest in another."""
    long = {**CHOICE, "id": 8, "(b)": "很恐怖的恐怖片", "answer": ["(b)", "很恐怖的恐怖片"]}
    first = {**CHOICE, "id": 9, "(a)": "片", "(c)": "喜剧片", "answer": ["(a)", "片"]}
    write(tmp_path, "knowledge_filling", CHOICE, long, first)
    (prior,) = check_data(Corpora(tmp_path)).priors
    assert prior.positions == (1, 2, 0)
    assert prior.longest == pytest.approx((1 / 2 + 1 + 0) / 3)
    assert prior.chance == pytest.approx((1 / 2 + 1 / 2 + 1 / 3) / 3)
    expected = [4 / 3, 4 / 3, 1 / 3]  # half of two items and a third of one; the third place in one item alone
    assert prior.p == pytest.approx(chisquare(prior.positions, expected).pvalue)


@pytest.mark.parametrize("places", [(79, 71), (38, 26, 20, 16), (35, 33, 32), (0, 9), (5, 5, 5), (4, 0, 1, 51, 10, 51)])
def test_the_chi_square_test_is_scipys(places: tuple[int, ...]) -> None:
    expected = dict.fromkeys(range(len(places)), sum(places) / len(places))
    assert chi_square_p(dict(enumerate(places)), expected) == pytest.approx(chisquare(places).pvalue)


def test_what_the_options_of_charm_give_away(real_data: Path) -> None:
    """Counted from the raw files by the letters of `target`, not by the loader."""
    if not (folder := real_data / "charm").is_dir():
        pytest.skip("no CHARM data")
    found = check_data(Corpora(folder))
    priors = {(x.set, x.task): x for x in found.priors}
    for (item_set, task), prior in priors.items():
        (file,) = (f for f in (folder / "data/CHARM/reasoning").glob(f"{item_set.capitalize()}_*.json")
                   if TASKS[task].file in f.name)  # fmt: skip
        letters = [row["target"] for row in json.loads(file.read_text(encoding="utf-8"))["examples"]]
        assert prior.positions[:2] == (letters.count("(A)"), letters.count("(B)")), task
    assert priors["chinese", "charm_sequence"].p == pytest.approx(chisquare([38, 26, 20, 16]).pvalue)
    counts = {(c.set, c.task): c for c in found.counts}
    assert (counts["chinese", "charm_time"].twins, counts["chinese", "charm_time"].unclear) == (1, 1)
    assert (counts["chinese", "charm_sequence"].twins, counts["chinese", "charm_sequence"].unclear) == (6, 0)
    assert counts["chinese", "charm_sequence"].alternatives == 0  # one question, other lists to choose from
    assert counts["chinese", "charm_reading"].repeats == 1
    assert counts["chinese", "charm_memory_recommendation"].alternatives == 64


@pytest.mark.thorough
def test_official_files_have_the_published_counts(real_data: Path) -> None:
    """Counts and leakage as counted by others (the snapshot's README), not by this code."""
    found = check_data(Corpora(real_data / "corecode"))
    counts = {(c.set, c.split, c.task): c.items for c in found.counts}
    assert sum(counts.values()) == 13_272
    assert counts["easy", "test", "event_cause"] == 1526
    assert counts["hard", "train", "clipped_subsequent_event"] == 1754
    leaks = {(x.set, x.task, *x.splits): (x.equal, x.of, x.items) for x in found.leaks}
    assert leaks["easy", "event_cause", "dev", "test"] == (490, 1197, 53)
    assert leaks["easy", "subsequent_event", "train", "test"] == (61, 153, 12)
    assert leaks["hard", "subsequent_event", "train", "dev"] == (56, 314, 0)
    assert found.between_sets == 136
    whole = {t.set: t for t in found.table1}
    assert (whole["easy"].dialogues, whole["hard"].dialogues) == (2319, 4495)
    assert whole["hard"].turns[:2] == (26, 14)
