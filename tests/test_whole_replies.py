"""Ours of the extracted answer, the paper's of the whole reply: what is special, what a form of reply scores, what is added."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from as_json import a_cell, a_run, cells_of, content_of, scored_cell, sheets_of
from shared_fixtures import shared_folder

import evalsuite
from evalsuite.analyses import extraction as of_replies
from evalsuite.analyses.extraction import extraction
from evalsuite.analyses.saved import load_results
from evalsuite.benchmarks.languages import reply_text
from evalsuite.benchmarks.registry import BENCHMARKS, TASKS, Corpora, metric_named
from evalsuite.common.resources import bundled
from evalsuite.parse import PARSER_VERSION, whole_reply
from evalsuite.results.scoring import FULL, per_item, score_cell, score_reply
from evalsuite.types import Answer, Item, Place, Request, Response, Score, Status, Trial

WHOLE = [
    # raw, whole reply
    ("他累了", "他累了"),
    (" 根据对话内容，原因是：“他累了”。\n", "根据对话内容，原因是：“他累了”。"),
    ("<s>他累了</s>", "他累了"),
    ("他累了<|im_end|>\n<|endoftext|>", "他累了"),
    ("他累了<｜end▁of▁sentence｜>", "他累了"),
    ("[gMASK]<sop>他累了<eop>", "他累了"),
    ("他<unk>累了<pad><pad>", "他累了"),
    ("<start_of_turn>model\n他累了<end_of_turn>", "model\n他累了"),
    ("<|im_end|>", ""),
    ("</s></s>", ""),
    ("", ""),
    ("<think>\n想想\n</think>\n\n他累了", "他累了"),
    ("想想</think>他累了", "他累了"),
    ("<think>想想", ""),
    ("**他累了**", "**他累了**"),
    ("<b>他累了</b>", "<b>他累了</b>"),
    ("他喝了[MASK]", "他喝了[MASK]"),
    ("ｘ累了，因為他加班", "ｘ累了，因為他加班"),
]


@pytest.mark.parametrize(("raw", "whole"), WHOLE)
def test_what_is_taken_off_a_reply(raw: str, whole: str) -> None:
    assert whole_reply(raw) == whole


GOLDS = ("银行贷款批下来了", "他昨天加班到很晚", "电影票已经卖完了", "外面下着大雨")
TURNS = ("A: 我今天去办事，你呢？", "B: 我也忙了一天。")
ITEMS = [
    Item(
        f"{n}",
        "event_cause",
        "easy",
        "test",
        (f"A: {n}号。", *TURNS),
        "事件“A去办事”的原因是什么？",
        references=(gold,),
    )
    for n, gold in enumerate(GOLDS)
]
LEAD = "根据对话内容，原因是"  # ten characters, none of them in a gold

# reply, with {} for the gold -> ours: f1, em; the paper's: f1 (None: between), em, CIDEr. BLEU-1 and ROUGE-L are CIDEr / 2.5.
FORMS: list[tuple[str, str, float, float, float | None, float, float]] = [
    ("exact", "{}", 1, 1, 1, 1, 2.5),
    ("exact, with a full stop", "{}。", 1, 1, 1, 1, 0),
    ("special tokens around", "<s>{}</s><|im_end|>", 1, 1, 1, 1, 2.5),
    ("thinking before", "<think>嗯，想想。</think>\n{}", 1, 1, 1, 1, 2.5),
    ("lead-in", LEAD + "{}。", 1, 1, None, 0, 0),
    ("lead-in and quotes", "答：原因是“{}”。", 1, 1, None, 0, 0),
    ("wrong", "我不吃鱼", 0, 0, 0, 0, 0),
    ("refusal", "抱歉，我无法回答。", 0, 0, 0, 0, 0),
    ("only special tokens", "<|im_end|></s>", 0, 0, 0, 0, 0),
    ("nothing", "", 0, 0, 0, 0, 0),
]


@pytest.mark.parametrize(
    ("reply", "f1", "em", "paper_f1", "paper_em", "cider"), [f[1:] for f in FORMS], ids=[f[0] for f in FORMS]
)
def test_each_form_of_reply_has_both_scores(
    reply: str, f1: float, em: float, paper_f1: float | None, paper_em: float, cider: float
) -> None:
    scored = score_cell(ITEMS, [Response(reply.replace("{}", gold), "stop") for gold in GOLDS], FULL)
    found = {name: scored.value(name) for part in scored.parts for name in part.names}
    assert (found["f1"], found["em"]) == (f1, em)
    if paper_f1 is None:
        assert 0.4 < found["paper.f1"] < 0.8
    else:
        assert found["paper.f1"] == pytest.approx(paper_f1, abs=0.06)  # a wrong reply may share a character
    # The papers' metrics do not segment: a reply is one token, equal to the reference or not. Their EM strips outer
    # punctuation, their BLEU does not.
    one = cider / 2.5
    assert found["paper.em"] == paper_em
    assert [found[f"paper.{name}"] for name in ("bleu1", "rouge_l", "cider")] == pytest.approx([one, one, cider])
    assert found["paper.bleu2"] == 0
    assert found["bleu1"] == pytest.approx(f1, abs=0.06) and found["bleu_sacre_zh"] == pytest.approx(em, abs=0.06)


def test_f1_of_a_whole_reply_by_hand() -> None:
    said = LEAD + "外面下着大雨。"  # 6 characters of the gold's 6, among 16: the full stop at the end is taken off
    scored = score_cell(ITEMS[3:], [Response(said, "stop")], FULL)
    assert scored.value("paper.f1") == pytest.approx(2 * 6 / (6 + 16))


def test_signatures_say_what_was_scored() -> None:
    scored = score_cell(ITEMS, [Response(gold, "stop") for gold in GOLDS], FULL)
    signatures = [pair for part in scored.parts for pair in part.signatures.items()]
    assert any(name.startswith("paper.") for name, _ in signatures)
    for name, text in signatures:
        assert ("|in:reply.1" in text) == name.startswith("paper.") != ("|parser:full-" in text), name


def test_a_filtered_reply_is_empty() -> None:
    assert reply_text(Response("银行贷款", "content_filter")) == "" and reply_text(Response("银行", "length")) == "银行"


# Task, reply, gold -> our metrics and the papers'.
ENGLISH: list[tuple[str, str, str, dict[str, float]]] = [
    ("cicero_cause", "The cause is that the train was late.", "The train was late.", {"em": 1, "paper.em": 0, "paper.f1": 2 / 3, "paper.rouge_l": 0.7093}),
    ("cicero_cause", "The train was late.</s>", "The train was late.", {"em": 1, "paper.em": 1, "paper.rouge_l": 1}),
    ("cider_span_extraction", "The answer is: missed the bus", "missed the bus", {"em": 1, "no_match": 0, "paper.em": 0, "paper.no_match": 0, "paper.f1": 2 / 3}),
    ("cider_span_extraction", "I do not know.", "missed the bus", {"em": 0, "no_match": 1, "paper.em": 0, "paper.no_match": 1, "paper.f1": 0}),
]  # fmt: skip


@pytest.mark.parametrize(("task", "reply", "gold", "wanted"), ENGLISH)
def test_english_replies_have_both_scores(task: str, reply: str, gold: str, wanted: dict[str, float]) -> None:
    turns = ("A: Why are you late? ", "B: I missed the bus. The train was late.")
    item = Item("e", task, "v1", "test", turns, "What is the cause?", references=(gold,))
    values = per_item(score_cell([item], [Response(reply, "stop")], FULL))
    assert {name: values[name][0] for name in wanted} == pytest.approx(wanted, abs=1e-4)


def test_published_figures_stand_beside_what_they_were_computed_on() -> None:
    corecode = BENCHMARKS["corecode"].published_as
    assert corecode is not None
    # Table 3 is of filtered answers: our accuracy, not the nine forms that the paper lists as examples.
    assert corecode["accuracy"] == "accuracy" and "paper.accuracy" not in corecode
    texts = {name for name in corecode if name != "accuracy"}
    assert texts == {f"paper.{name}" for name in ("f1", "em", "bleu1", "bleu2", "rouge_l", "meteor15", "cider")}
    cider = BENCHMARKS["cider"].published_as
    assert cider is not None and {n for n in cider if cider[n] == "no_match"} == {"paper.no_match"}
    assert metric_named("paper.accuracy").en == "Acc. (the paper's reading)"


def row_of(replies: list[str], model: str = "m") -> dict[str, Any]:
    answered = []
    for item, text in zip(ITEMS, replies, strict=True):
        response = Response(text, "stop")
        answer, score = score_reply(item, response)
        answered.append((Trial(item, Request("p", "", (), 8), "paper", (), 0), response, answer, score))
    return extraction(Place(model, "event_cause", "easy", "test", "paper", 0), answered).written()


def test_means_are_summed_exactly() -> None:
    """Ten items with 0.1 have the mean 0.1. Before Python 3.12 `sum` made 0.0999… of them, and other bytes of results.json."""
    score = Score({"f1": 0.1, "em": 0.1})
    answered = [
        (
            Trial(replace(ITEMS[0], id=f"{n}"), Request("p", "", (), 8), "paper", (), 0),
            Response("", "stop"),
            Answer(Status.UNPARSED),
            score,
        )
        for n in range(10)
    ]
    row = extraction(Place("m", "event_cause", "easy", "test", "paper", 0), answered)
    assert (row.f1, row.f1_reply, row.em, row.em_reply) == (0.1, 0.1, 0.1, 0.1)


def test_what_extraction_adds() -> None:
    row = row_of([GOLDS[0], LEAD + GOLDS[1], "抱歉，我无法回答。", GOLDS[3]])
    f1_reply = (1 + 16 / 26 + 0 + 1) / 4  # 8 characters of 8 in 18, and 了 of the refusal is not in its gold
    assert row["f1"] == 0.75 and row["f1_reply"] == pytest.approx(f1_reply, abs=0.02)
    assert row["gain"] == pytest.approx(row["f1"] - row["f1_reply"]) and row["low"] <= row["gain"] <= row["high"]
    assert (row["cut"], row["em"], row["em_reply"]) == (0.25, 0.75, 0.5)
    plain = row_of(list(GOLDS))
    assert (plain["gain"], plain["low"], plain["high"], plain["cut"]) == (0, None, None, 0)
    (sheet,) = sheets_of(of_replies.ANALYSIS, [row, plain | {"model": "n"}])
    assert [r.cells[1] for r in sheet.rows] == [0.25, 0] and sheets_of(of_replies.ANALYSIS, []) == []


@pytest.mark.parametrize(
    ("task", "facts"), [("knowledge_filling", {}), ("event_cause", {"backend": "baseline"}), ("event_cause", {})]
)
def test_choices_baselines_and_cells_without_answers_have_no_row(task: str, facts: dict[str, Any]) -> None:
    assert of_replies.compute(a_run(scored_cell(a_cell(task=task, facts=facts)))) == []


@shared_folder
def run(folder: Path) -> Path:
    """Two models that know every answer: one says nothing else, one leads in."""
    golds = {}
    for task in ("event_cause", "subsequent_event"):
        for item_set in ("easy", "hard"):
            for item in Corpora(bundled("sample")).file(TASKS[task], item_set, "test").items:
                golds[item.id] = item.references[0]
    replies = {
        "brief": lambda request: golds[request.id.split("~")[0]],
        "chatty": lambda request: f"根据对话内容，原因是：{golds[request.id.split('~')[0]]}。",
    }
    evalsuite.run(models=replies, tasks=["event_cause", "subsequent_event"], limit=12, out=folder / "run")
    return folder / "run"


@pytest.mark.slow
def test_a_run_from_replies_to_tables(run: Path, cli: Callable[..., Any]) -> None:
    done = load_results(run)
    found = {(c["model"], c["set"], c["task"]): c["metrics"] for c in cells_of(done)}
    brief, chatty = (found[name, "hard", "event_cause"] for name in ("brief", "chatty"))
    names = ("paper.f1", "paper.em", "paper.bleu1", "paper.rouge_l", "bleu_sacre_zh")
    assert [brief[name]["value"] for name in names] == pytest.approx([1] * 5)
    assert [chatty[name]["value"] for name in names[1:4]] == [0, 0, 0] and chatty["bleu1"]["value"] > 0.9
    assert {row["model"]: row["gain"] > 0.2 for row in content_of(done, "extraction")} == {
        "brief": False,
        "chatty": True,
    }
    assert {(row["model"], row["task"], tuple(row["sets"])) for row in content_of(done, "gaps")} == {
        (name, task, ("easy", "hard")) for name in ("brief", "chatty") for task in ("event_cause", "subsequent_event")
    }
    stdout = cli("show", run, "--tables", "extraction,gaps", COLUMNS="120").stdout
    assert "What extraction adds" in stdout and "EASY / HARD: the gap" in stdout and "paper's average EC F1" in stdout
    before = (run / "results.json").read_bytes()
    cli("score", run)
    assert (run / "results.json").read_bytes() == before


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_says_what_was_scored(browse: Any, run: Path, lang: str) -> None:
    english = lang == "en"
    with browse(run / "page/index.html", query=f"?lang={lang}", viewport={"width": 1280, "height": 900}) as page:
        note = page.locator("#profile")
        assert ("are of answers extracted" if english else "按从回复中抽取的答案计算") in note.inner_text()
        assert (
            page.locator("table[data-set=hard] tbody.paper tr").count() <= 1
        )  # at most the heading of the paper's rows
        page.select_option("[data-keep=metric] select", "paper.bleu1")
        assert ("are of the whole replies" if english else "按整段回复计算") in note.inner_text()
        row = page.locator("table[data-set=hard] tbody.paper tr", has_text="BLOOMZ-7.1B-MT").first
        assert "2.0" in row.inner_text()  # Table 7, event cause
        mine = page.locator("table[data-set=hard] tbody.own tr", has_text="chatty").first
        assert mine.locator("td").first.locator(".num").inner_text() == "0.0"
        for name in ("extraction", "gaps"):
            page.locator(f"table[data-sheet={name}]").first.wait_for()
        text = page.locator("#reference").inner_text()
        assert "501.58" in text and "27,491" in text and "59.4" in text and "80.7" in text


def test_a_run_of_an_older_version_is_named(browse: Any, run: Path, tmp_path: Path) -> None:
    copytree(run, tmp_path / "old")
    path = tmp_path / "old/results.json"
    content = json.loads(path.read_text())
    for key in ("extraction", "gaps"):
        del content[key]
    for cell in content["cells"]:
        for name in [name for name in cell["metrics"] if name in ("paper.f1", "paper.em", "bleu_sacre_zh")]:
            del cell["metrics"][name]
        for metric in cell["metrics"].values():
            metric["signature"] = metric["signature"].replace("|in:reply.1", f"|parser:full-{PARSER_VERSION}")
    path.write_text(json.dumps(content))
    evalsuite.report([tmp_path / "old"], tmp_path / "page")
    with browse(tmp_path / "page/index.html", query="?lang=en") as page:
        page.select_option("[data-keep=metric] select", "paper.bleu1")
        assert "old was scored by an older version" in page.locator("#profile").inner_text()
