"""From replies to a cell's numbers: what counts, with what certainty, under which signature."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.dialogue import sources
from evalsuite.metrics.statistics import bootstrap
from evalsuite.results.schema.cell import Facts
from evalsuite.results.scoring import FULL, intervals, read_answer, score_answer, score_cell, score_reply
from evalsuite.results.signature import signature
from evalsuite.types import Item, Place, Reading, Response, Status

CHOICE = Item(
    "c", "knowledge_filling", "easy", "test", ("A: 看什么？", "B: 看[MASK]。"), "请选择。", ("科幻片", "恐怖片"), ("(a)", "(b)"), 1, ("恐怖片",)
)  # fmt: skip
TEXT = Item("t", "event_cause", "easy", "test", ("A: 我哭了。",), "事件“A哭”的原因是什么？", references=("A摔倒了",))

REPLIES = [
    # item, reply, finish; status and scores
    (CHOICE, "b", "stop", Status.PARSED, {"accuracy": 1.0}),
    (CHOICE, "(a)科幻片", "stop", Status.PARSED, {"accuracy": 0.0}),
    (CHOICE, "", "stop", Status.EMPTY, {"accuracy": 0.0}),
    (CHOICE, "抱歉，我无法回答这个问题。", "stop", Status.REFUSED, {"accuracy": 0.0}),
    (CHOICE, "根据对话内容，我们可以看出两人正在讨论", "length", Status.TRUNCATED, {"accuracy": 0.0}),
    (CHOICE, "(a)和(b)都可以", "stop", Status.SEVERAL, {"accuracy": 0.0}),
    (CHOICE, "(a)恐怖片", "stop", Status.CONFLICT, {"accuracy": 0.0}),
    (TEXT, "A摔倒了。", "stop", Status.PARSED, {"f1": 1.0, "em": 1.0}),
    (TEXT, "答案：A摔倒", "stop", Status.PARSED, {"f1": 6 / 7, "em": 0.0}),
    (TEXT, " ", "stop", Status.EMPTY, {"f1": 0.0, "em": 0.0}),
]


@pytest.mark.parametrize(("item", "text", "finish", "status", "scores"), REPLIES, ids=[r[1] for r in REPLIES])
def test_what_a_reply_scores(item: Item, text: str, finish: str, status: Status, scores: dict[str, float]) -> None:
    answer, score = score_reply(item, Response(text, finish))
    assert answer.status is status
    assert score.values == pytest.approx(scores)


def test_a_failure_scores_nothing() -> None:
    answer = read_answer(CHOICE, Response("b", "error", error="lost"))
    assert answer.status is Status.FAILED and score_answer(CHOICE, answer).values == {}


def test_the_papers_parser_knows_only_its_forms() -> None:
    replies = ["b", "(B)", "恐怖片", "选b", "正确答案是(b)。"]
    right = {
        p: [score_reply(CHOICE, Response(r, "stop"), Reading(p))[1].values["accuracy"] for r in replies]
        for p in ("paper", "full")
    }
    assert right == {"paper": [1, 1, 1, 0, 0], "full": [1, 1, 1, 1, 1]}
    scored = score_cell([CHOICE] * 5, [Response(r, "stop") for r in replies], FULL)
    found = intervals(scored, "p")
    assert (found["accuracy"].value, found["paper.accuracy"].value) == (1.0, 0.6)


def test_extraction_can_be_left_out() -> None:
    reply = Response("答案：A摔倒了", "stop")
    assert score_reply(TEXT, reply)[1].values["em"] == 1.0
    assert score_reply(TEXT, reply, Reading(extract=False))[1].values["em"] == 0.0
    told = [score_cell([TEXT], [reply], r).part("em").signatures["em"] for r in (FULL, Reading(extract=False))]
    assert told[0] != told[1] and told[1].endswith("-whole")


_USUAL = {"temperature": 0.0, "stop": [], "reasoning_tokens": 0}  # the settings of an endpoint


@pytest.mark.parametrize(
    ("scoring", "sampling", "limit", "parts"),
    [
        ("generate", {}, 64, ["max_new_tokens:64"]),
        ("generate", {"stop": ["\n"]}, None, ["stop:16ec7951"]),
        ("constrained", {"stop": ["\n", "|"]}, 3, ["max_new_tokens:3", "stop:95be472f"]),
        ("generate", {"reasoning_tokens": 512}, None, ["reasoning_tokens:512"]),
        ("generate", {"temperature": None}, None, ["decoding:temperature=None"]),
        ("generate", {"temperature": 0.7, "decoding": {"temperature": 0.7, "seed": 0}}, None, ["decoding:temperature=0.7,seed=0"]),
        ("labels", {"stop": ["\n"], "reasoning_tokens": 512}, 64, []),  # nothing is written
        ("generate", {}, None, []),
    ],
)  # fmt: skip
def test_signatures_state_what_ends_and_samples_a_reply(
    scoring: str, sampling: dict[str, Any], limit: int | None, parts: list[str]
) -> None:
    """Two models of one file may differ in these alone, and their replies with them."""
    place = Place("m", "event_cause", "easy", "test", "paper", 0, scoring)
    hashed = {"data": "d" * 64, "template": "t" * 64, "fingerprint": "f"}
    plain = {"seed": 0, "limit": None, "drop_leaked": False, "again": None, "items": None}
    facts = Facts.model_construct(**hashed, **plain, sampling=_USUAL | sampling)
    usual = signature(place, facts.model_copy(update={"sampling": _USUAL}), TASKS["event_cause"].max_new_tokens)
    signed = signature(place, facts, limit or TASKS["event_cause"].max_new_tokens)
    assert [part for part in signed.split("|") if part not in usual.split("|")] == parts


def test_a_cells_texts_under_both_profiles() -> None:
    items = [replace(TEXT, id=str(n), dialogue=(f"A: {n}。",), references=(f"第{n}个原因很长",)) for n in range(4)]
    said = [Response(i.references[0] if n < 2 else "说不好", "stop") for n, i in enumerate(items)]
    found = intervals(score_cell(items, said, FULL), "p")
    ours = "f1 em f1_token bleu1 bleu2 bleu3 bleu4 bleu_sacre_zh rouge1 rouge2 rouge_l meteor cider chrf"
    papers = "f1 em bleu1 bleu2 rouge_l meteor15 meteor cider"
    known = [*ours.split(), *(f"paper.{name}" for name in papers.split())]
    assert [name for name in found if name in known] == known
    # The paper's profile: an answer is one token, so BLEU-1, ROUGE-L and EM are one number and CIDEr is 2.5 of it.
    assert found["em"].value == found["paper.bleu1"].value == found["paper.rouge_l"].value == 0.5
    assert found["paper.bleu2"].value == 0.0
    assert found["paper.cider"].value == pytest.approx(2.5 * 0.5)
    assert found["bleu2"].value > 0.4
    assert found["bleu2"].low is found["paper.cider"].low is None  # four dialogues say too little of a corpus metric
    for metric in found.values():
        assert metric.n == 4
        assert metric.low is None or (metric.low <= metric.value + 1e-12 and metric.value <= metric.high + 1e-12)
    assert found["f1"].low < found["f1"].value < found["f1"].high


def test_intervals_are_over_dialogues() -> None:
    """Forty items of two dialogues know less than forty of forty: the interval is wider."""
    replies = [Response("b" if n % 2 else "a", "stop") for n in range(40)]
    turns = [("A: 今天怎么回来得这么晚？", f"B: 别提了，地铁坏在第{n}站的半路上，等了四十分钟。") for n in range(40)]
    apart = [replace(CHOICE, id=str(n), dialogue=turns[n]) for n in range(40)]
    together = [replace(CHOICE, id=str(n), dialogue=turns[n % 2]) for n in range(40)]
    width = []
    for items in (apart, together):
        found = intervals(score_cell(items, replies, FULL), "p")["accuracy"]
        width.append(found.high - found.low)
        assert found.wilson == pytest.approx([0.352, 0.648], abs=0.001)
    assert width[1] > 2 * width[0]


def test_one_dialogue_has_no_interval_of_any_kind() -> None:
    items = [replace(CHOICE, id=str(n)) for n in range(3)]
    found = intervals(score_cell(items, [Response("a", "stop")] * 3, FULL), "p")["accuracy"]
    assert (found.low, found.high, found.wilson) == (None, None, None)


def test_sources_find_altered_and_clipped_dialogues() -> None:
    whole = ["A: 今天怎么回来得这么晚？", "B: 别提了，地铁坏在半路上，等了四十分钟。", "A: 快吃饭吧，菜都凉了。"]
    masked = [whole[0], whole[1], "A: 快[MASK]吧，菜都凉了。"]
    clipped = [whole[0], whole[1], "A: 快吃"]
    other = ["A: 你好。", "B: 你好。", "A: 你在看什么新闻呢，这么入神？"]
    greeting = ["A: 你好。", "B: 你好。", "A: 这雨什么时候才能停啊？"]
    assert sources([whole, other, masked, clipped, greeting]) == [0, 1, 0, 0, 4]


def test_intervals_are_those_of_a_thousand_resamples() -> None:
    """The documentation promises 1,000; another number would move the intervals of every run."""
    items = [replace(TEXT, id=str(n), dialogue=(f"A: 今天是第{n}天，还要等多久？",)) for n in range(30)]
    scored = score_cell(items, [Response("A摔倒了" + "又" * n, "stop") for n in range(30)], FULL)
    # F1 of 4 characters and 4 + n, all 4 of which are shared.
    assert scored.value("f1") == pytest.approx(sum(8 / (8 + n) for n in range(30)) / 30)
    part = scored.part("f1")
    drawn = bootstrap(part.sums, scored.clusters, Random(f"p:{part.name}"), resamples=1000)[part.names["f1"]]
    found = intervals(scored, "p")["f1"]
    assert (found.value, found.low, found.high, found.n) == (drawn.value, drawn.low, drawn.high, 30)


def test_whole_sets_are_counts_too_and_have_wilsons_interval() -> None:
    task = next(name for name, row in TASKS.items() if row.kind.name == "choices")
    options = dict(
        options=("rain", "snow", "hail"), labels=("(a)", "(b)", "(c)"), gold=None, references=("rain", "hail")
    )
    items = [
        replace(CHOICE, id=str(n), task=task, dialogue=(f"A: It is day {n} of the trip.",), **options)
        for n in range(10)
    ]  # type: ignore[arg-type]
    replies = [Response("(a), (c)" if n < 5 else "(a)", "stop") for n in range(10)]
    found = intervals(score_cell(items, replies, FULL), "p")
    assert found["set_accuracy"].value == 0.5
    assert found["set_accuracy"].wilson == pytest.approx([0.2366, 0.7634], abs=1e-4)  # scipy, as in test_stats.py
    assert found["answer_recall"].value == 0.75 and found["answer_recall"].wilson is None
