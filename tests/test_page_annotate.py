"""The annotation page in a real browser from file://: a two-dialogue benchmark made by keys and clicks, exported, checked,
built and evaluated; the page's rules beside Python's; proposals; hostile texts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from page_checks import HOSTILE_FEW, violations
from run_files import read_jsonl, results_json
from tiers import thorough_but

import evalsuite
from evalsuite.authoring import annotation_page, read_annotations, write_task_files
from evalsuite.authoring.annotations import check_dialogues, rule_problems
from evalsuite.results.schema.annotation import AnnotatedDialogue

DIALOGUES = [
    {"id": "1", "dialogue": ["A: 您好，我买的充电宝充不进电了。", "B: 您好，请问是摔过还是进过水？", "A: 昨天掉进洗脸池里了。", "B: 那是进水了，我给您寄一个新的，三天到。"]},
    {"id": "2", "dialogue": ["A: 我的快递怎么还没到？", "B: 最近下大雪，高速封了，路上会慢两天。", "A: 好的，谢谢。"]},
]  # fmt: skip


def build_benchmark(
    folder: Path, rows: list[dict[str, Any]], annotator: str = "", item_set: str = "easy", inspect: bool = False
) -> Path:
    source = folder / "dialogues.jsonl"
    source.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows), encoding="utf-8")
    return annotation_page.write_annotation_page(
        annotation_page.load_dialogues(source, item_set), folder / "page.html", annotator, inspect
    )


@pytest.fixture
def tab(tmp_path: Path, browse: Any) -> Iterator[Any]:
    with browse(build_benchmark(tmp_path, DIALOGUES), "#name") as tab:
        tab.fill("#name", "林小雨")
        tab.keyboard.press("Enter")
        tab.wait_for_selector("#output")
        yield tab


def export(tab: Any, to: Path) -> Path:
    with tab.expect_download() as download:
        tab.click("#export")
    assert download.value.suggested_filename == "page.林小雨.jsonl"
    download.value.save_as(to)
    return to


def drag(tab: Any, turn: int, text: str) -> None:
    """Drag the mouse over characters of a text."""
    tab.locator(f"[data-turn='{turn}']").scroll_into_view_if_needed()
    x0, x1, y = tab.evaluate(
        """([turn, text]) => {
            const piece = [...document.querySelectorAll(`[data-turn="${turn}"] [data-at]`)].find((x) => x.textContent.includes(text));
            const range = document.createRange(), at = piece.textContent.indexOf(text);
            range.setStart(piece.firstChild, at);
            range.setEnd(piece.firstChild, at + text.length);
            const box = range.getBoundingClientRect();
            return [box.left + 1, box.right - 1, (box.top + box.bottom) / 2];
        }""",
        [turn, text],
    )
    tab.mouse.move(x0, y)
    tab.mouse.down()
    tab.mouse.move(x1, y, steps=4)
    tab.mouse.up()


def codes(tab: Any, field: str) -> list[str]:
    found: list[str] = tab.locator(f"#w-{field} [data-code]").evaluate_all("all => all.map((x) => x.dataset.code)")
    return found


def annotate_by_keys(tab: Any) -> None:
    """Annotate the first dialogue without the mouse: a cause, its evidence picked with the arrow keys."""
    press, write = tab.keyboard.press, tab.keyboard.insert_text
    for key in "n2":
        press(key)
    write("A的充电宝充不进电")
    press("Enter")
    for key in "21":  # cause, event cause
        press(key)
    write("A的充电宝进了水")
    press("Enter")
    press("ArrowDown")
    press("ArrowDown")
    press("End")  # 昨天掉进洗脸池里了。
    press("Shift+ArrowLeft")
    press("Enter")
    press("p")
    for _ in range(3):  # 掉
        press("ArrowRight")
    for _ in range(4):
        press("Shift+ArrowRight")
    press("Enter")
    assert tab.input_value("#in-phrase") == "掉进洗脸池"
    assert tab.input_value("#in-conflict1") == "掉进洗脸池" and codes(tab, "conflict1") == ["unchanged"]
    tab.fill("#in-conflict1", "掉进被窝")
    press("Enter")
    write("一直锁在抽屉没动过")
    press("Enter")


def test_a_benchmark_by_hand(tab: Any, tmp_path: Path) -> None:
    annotate_by_keys(tab)
    assert tab.inner_text("#count") == "1 of 2 finished"
    tab.keyboard.press("j")
    tab.click("#add")
    tab.click("#step-dimension [data-name=Event]")
    drag(tab, 1, "路上会慢")
    tab.fill("#in-instance", "B说高速封了")
    tab.click("#step-domain [data-name=Cause]")
    tab.click("#step-slot [data-name='Event Cause']")
    tab.fill("#in-value", "最近下大雪")
    tab.click("#in-evidence")
    tab.click("[data-turn='1'] >> xpath=../button")  # the whole turn
    tab.click("#step-phrase label")
    drag(tab, 1, "下大雪")
    assert tab.input_value("#in-phrase") == "下大雪"
    tab.fill("#in-conflict1", "出太阳")
    tab.fill("#in-conflict2", "人人都在家里看电视")
    assert "出太阳" in tab.inner_text("#preview-conflict1") and tab.inner_text("#count") == "2 of 2 finished"
    tab.reload()  # a reload keeps all of it
    tab.wait_for_selector("#output")
    assert tab.inner_text("#count") == "2 of 2 finished"
    file = export(tab, tmp_path / "mine.jsonl")
    dialogues, wrong = check_dialogues(file)
    assert not wrong and [d.annotator for d in dialogues] == ["林小雨"] * 2
    (one,), (two,) = (d.annotations for d in dialogues)
    assert (one.domain, one.slot, one.evidence) == ("原因", "事件原因", ["昨天掉进洗脸池里了"])
    assert (one.phrase, one.conflict1, one.conflict2) == ("掉进洗脸池", "掉进被窝", "一直锁在抽屉没动过")
    assert two.evidence == ["最近下大雪，高速封了，路上会慢两天。"] and two.annotator == "林小雨"
    bench = tmp_path / "bench"
    write_task_files(read_annotations(file), bench, shares=(0.5, 0.0))
    results = evalsuite.run(model=["lexical", "random"], tasks=["knowledge_filling", "event_cause"], data=bench, set="easy", out=tmp_path / "run")  # fmt: skip
    assert not results.problems
    cells = results_json(tmp_path / "run")["cells"]
    assert {(c["model"], c["items"]) for c in cells} == {("lexical", 1), ("random", 1)}


BASE = {
    "dimension": "事件", "instance": "A的充电宝充不进电", "domain": "原因", "slot": "事件原因", "value": "A的充电宝进了水",
    "evidence": ["昨天掉进洗脸池里了"], "phrase": "掉进洗脸池", "conflict1": "掉进被窝", "conflict2": "一直锁在抽屉没动过",
}  # fmt: skip
BROKEN: list[dict[str, Any]] = [
    {}, {"dimension": "物体"}, {"domain": "属性"}, {"slot": "频率"}, {"slot": ""}, {"value": ""}, {"value": " 进水 "}, {"value": "x进了水"},
    {"value": "开心"}, {"value": "昨天晚上"}, {"value": "洗脸池里"}, {"value": "湿滑的"}, {"value": "桥塌了"}, {"value": "A的充电宝充不进电"},
    {"evidence": ["不在这里"]}, {"evidence": ["您好", "昨天掉进洗脸池里了"]}, {"evidence": ["B: 那是进水了"]}, {"phrase": "掉进水池"}, {"phrase": "，"},
    {"phrase": "进", "evidence": ["昨天掉进洗脸池里了"], "conflict1": "出", "conflict2": "不进去"}, {"phrase": "进", "evidence": ["充不进电", "昨天掉进洗脸池里了"]},
    {"conflict1": "掉进洗脸池"}, {"conflict1": "飞到天花板上去了"}, {"conflict2": "掉进洗脸池"}, {"conflict2": "掉进被窝"}, {"conflict2": "掉进脸盆"},
    {"conflict1": "掉进 washing machine"}, {"phrase": "𠮷", "conflict1": ""}, {"proposed": True, "proposer": "m"}, {"instance": "B" * 300},
]  # fmt: skip


# field -> what is wrong with it.
TOLD = """() => Object.fromEntries([...document.querySelectorAll("[id^='w-']")].map((x) =>
    [x.id.slice(2), [...x.querySelectorAll("[data-code]")].map((y) => y.textContent)]).filter(([, texts]) => texts.length))"""


@pytest.mark.parametrize("item_set", thorough_but(1, ["easy", "hard"]))
def test_the_page_has_the_rules_of_check(tmp_path: Path, item_set: str, browse: Any) -> None:
    """Field for field and word for word, for every kind of mistake."""
    row = {**DIALOGUES[0], "set": item_set, "annotations": [BASE | change for change in BROKEN]}
    ours: dict[tuple[int, str], list[str]] = {}
    for p in rule_problems(AnnotatedDialogue.model_validate(row)):
        n, _, field = p.field.removeprefix("annotations[").partition("]")
        ours.setdefault((int(n), field.lstrip(".").split("[")[0] or "whole"), []).append(p.message)
    theirs: dict[tuple[int, str], list[str]] = {}
    with browse(build_benchmark(tmp_path, [row], "林小雨"), "#output") as tab:
        assert int(tab.inner_text("#wrongs").split()[0]) == sum(map(len, ours.values()))
        for n in range(len(BROKEN)):
            tab.click(f"[data-of='{n}']")
            for field, texts in tab.evaluate(TOLD).items():
                theirs[n, field] = texts
    assert theirs == {place: texts for place, texts in ours.items() if place[1] != "proposed"}
    assert {n for n, _ in ours} >= set(range(1, len(BROKEN) - 1)) - {12, 19}


def test_nothing_undo_and_import(tab: Any, tmp_path: Path) -> None:
    tab.keyboard.press("0")
    assert tab.inner_text("#count") == "1 of 2 finished"
    tab.keyboard.press("n")
    tab.keyboard.press("u")
    tab.keyboard.press("u")
    assert tab.inner_text("#count") == "0 of 2 finished"
    lines = [
        {**DIALOGUES[1], "set": "easy", "annotations": [], "nothing": True},
        {"id": "1", "dialogue": ["A: 别的。"], "annotations": []},
        {**DIALOGUES[0], "annotations": [{"slot": 5}]},
        {**DIALOGUES[0], "annotations": [BASE | {"conflict2": HOSTILE_FEW[0]}]},
    ]
    file = tmp_path / "in.jsonl"
    file.write_text("".join(json.dumps(x) + "\n" for x in lines) + "{\n", encoding="utf-8")
    tab.set_input_files("#file", file)
    tab.locator("#told", has_text="imported").wait_for()
    assert tab.inner_text("#told").startswith("2 dialogues imported; 3 lines left out")
    assert tab.inner_text("#count") == "2 of 2 finished"
    tab.click("[data-of='0']")
    assert tab.input_value("#in-conflict2") == HOSTILE_FEW[0] and HOSTILE_FEW[0] in tab.inner_text("#preview-conflict2")
    rows = read_jsonl(export(tab, tmp_path / "out.jsonl"))
    assert rows[0]["annotations"][0] == BASE | {"conflict2": HOSTILE_FEW[0]} and rows[1]["nothing"] is True


def test_proposals_are_shown_until_accepted_edited_or_rejected(tmp_path: Path, browse: Any) -> None:
    proposed = {"proposed": True, "proposer": "gpt"}
    three = [BASE | proposed | {"value": v} for v in ("A的充电宝进了水", "A摔了充电宝", "B不肯修")]
    with browse(build_benchmark(tmp_path, [{**DIALOGUES[0], "annotations": three}], "林小雨"), "#output") as tab:
        assert "gpt" in tab.inner_text("#proposal") and tab.inner_text("#count") == "0 of 1 finished"
        tab.keyboard.press("y")
        assert tab.locator("[data-of='1'][aria-pressed=true]").count() == 1
        tab.fill("#in-value", "A把充电宝摔了")
        tab.keyboard.press("Escape")
        tab.keyboard.press("]")
        tab.keyboard.press("x")
        assert tab.inner_text("#count") == "1 of 1 finished"
        file = export(tab, tmp_path / "mine.jsonl")
    (dialogue,), wrong = check_dialogues(file)
    assert not wrong
    assert [(k.value, k.proposer, k.annotator) for k in dialogue.annotations] == [("A的充电宝进了水", "gpt", "林小雨"), ("A把充电宝摔了", "gpt", "林小雨")]  # fmt: skip


@pytest.mark.thorough
def test_an_inspector_returns_and_the_annotator_revises(tmp_path: Path, browse: Any) -> None:
    """The inspector gives all four verdicts by keys and clicks, and a reload keeps them. The annotator sees the reasons and
    revises; the count of returned annotations follows."""
    done = BASE | {"annotator": "林小雨"}
    four = [done | {"value": v} for v in ("A的充电宝进了水", "A摔了充电宝", "B不肯修", "电池坏了")]
    rows = [{**DIALOGUES[0], "annotations": four, "annotator": "林小雨"}]
    source = tmp_path / "林小雨.jsonl"
    source.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    page = annotation_page.write_annotation_page(
        annotation_page.load_dialogues(source), tmp_path / "page.html", "周明", inspect=True
    )
    with browse(page, "#output") as tab:
        assert tab.inner_text("#count") == "0 of 1 finished" and tab.locator("#remove").count() == 0
        for key in "yrs":  # accepts the first; returns the second for its slot
            tab.keyboard.press(key)
        tab.keyboard.insert_text("后果，不是原因")
        tab.keyboard.press("Escape")
        tab.keyboard.press("]")
        tab.fill("#in-value", "B不肯修充电宝")
        tab.keyboard.press("Escape")
        for key in "]xr":  # x would remove an annotation, which an inspector must not
            tab.keyboard.press(key)
        tab.click("[data-reason=knowledge]")
        tab.reload()
        tab.wait_for_selector("#output")
        assert tab.inner_text("#count") == "1 of 1 finished"
        assert tab.locator(".found .pill").all_inner_texts() == ["accepted", "returned", "revised", "returned"]
        with tab.expect_download() as download:
            tab.click("#export")
        inspected = tmp_path / download.value.suggested_filename
        download.value.save_as(inspected)
    (dialogue,), wrong = check_dialogues(inspected)
    assert not wrong and dialogue.annotator == "林小雨"
    assert [(k.verdict, k.reason, k.note) for k in dialogue.annotations] == [
        ("accepted", "", ""), ("returned", "slot", "后果，不是原因"), ("revised", "", ""), ("returned", "knowledge", ""),
    ]  # fmt: skip
    assert {(k.annotator, k.inspector) for k in dialogue.annotations} == {("林小雨", "周明")}
    page = annotation_page.write_annotation_page(
        annotation_page.load_dialogues(inspected), tmp_path / "page.html", "林小雨"
    )
    with browse(page, "#output") as tab:
        assert tab.inner_text("#count") == "0 of 1 finished"
        tab.click("[data-of='1']")
        assert tab.inner_text("#verdict") == "Returned by 周明. Returned for: Slot 后果，不是原因"
        tab.click("#step-slot [data-name='Event Cause'] >> xpath=following-sibling::button[1]")
        assert tab.locator("#verdict").count() == 0
        tab.click("[data-of='3']")
        tab.keyboard.press("x")
        assert tab.inner_text("#count") == "1 of 1 finished"
        (mended,), _ = check_dialogues(export(tab, tmp_path / "again.jsonl"))
    assert [(k.verdict, k.reason, k.inspector) for k in mended.annotations] == [
        ("accepted", "", "周明"), ("revised", "slot", ""), ("revised", "", "周明"),
    ]  # fmt: skip


def test_hostile_dialogues_are_text(tmp_path: Path, browse: Any) -> None:
    """Markup is shown; a span is counted in the text as it is, not in the marks that stand for hidden characters."""
    turns = [f"A: {text}" for text in HOSTILE_FEW] + ["B: 一\u200b二三四"]
    with browse(build_benchmark(tmp_path, [{"id": "<b>", "dialogue": turns}], "林小雨"), "#output") as tab:
        assert "<img src=x onerror=alert(1)>" in tab.inner_text("#turns")
        tab.keyboard.press("n")
        tab.keyboard.press("1")
        tab.keyboard.press("Escape")
        tab.keyboard.press("p")
        tab.locator(f"[data-turn='{len(turns) - 1}']").focus()
        for key in ("ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", "Enter"):
            tab.keyboard.press(key)
        assert tab.input_value("#in-phrase") == "一\u200b二"


@pytest.mark.thorough
@pytest.mark.parametrize(("lang", "theme", "width"), [("en", "light", 1280), ("zh", "dark", 390)])
def test_axe_finds_no_fault(tmp_path: Path, lang: str, theme: str, width: int, browse: Any) -> None:
    """WCAG 2.0 to 2.2, A and AA; with problems in view, a proposal or an inspector's verdict, and the list of keys."""
    pytest.importorskip("axe_playwright_python", reason="needs evalsuite[dev]")

    inspect = lang == "zh"
    more = {"verdict": "returned", "reason": "slot", "note": "后果"} if inspect else {"proposed": True}
    rows = [{**DIALOGUES[0], "annotations": [BASE | {"conflict1": "掉进洗脸池"} | more]}]
    file = build_benchmark(tmp_path, rows, inspect=inspect)
    with browse(file, "#name", bypass_csp=True, viewport={"width": width, "height": 900}) as tab:
        tab.goto(f"{file.as_uri()}?lang={lang}&theme={theme}")
        tab.wait_for_selector("#name")
        assert violations(tab, drawn=inspect) == []
        tab.fill("#name", "林小雨")
        tab.keyboard.press("Enter")
        tab.wait_for_selector("#output")
        assert violations(tab, drawn=inspect) == []
        assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
        tab.click("#keys")
        assert violations(tab) == []


def test_a_phrase_that_stands_several_times_is_the_one_in_its_evidence(tmp_path: Path, browse: Any) -> None:
    one = BASE | {"phrase": "进", "evidence": ["昨天掉进洗脸池里了"], "conflict1": "出", "conflict2": "不进去"}
    with browse(
        build_benchmark(tmp_path, [{**DIALOGUES[0], "set": "easy", "annotations": [one]}], "林小雨"), "#output"
    ) as tab:
        tab.click("[data-of='0']")
        assert tab.inner_text("#preview-conflict1") == "A: 昨天掉出洗脸池里了。"
        assert tab.locator("mark.phrase").all_text_contents() == ["进"]
        assert tab.locator("[data-turn='2'] mark.phrase").count() == 1


def test_no_click_is_lost_after_typing(tmp_path: Path, browse: Any) -> None:
    """A field is left by the click itself: what is pressed then must not be drawn anew under the pointer. Undo is there at
    once."""
    rows = [{**DIALOGUES[0], "annotations": [BASE]}]
    with browse(build_benchmark(tmp_path, rows, "林小雨"), "#output") as tab:
        assert tab.is_disabled("#undo")
        tab.focus("#in-value")
        tab.keyboard.press("End")
        tab.keyboard.type("了 ")
        file = export(tab, tmp_path / "mine.jsonl")
        assert json.loads(file.read_text(encoding="utf-8"))["annotations"][0]["value"] == BASE["value"] + "了"
        assert tab.input_value("#in-value") == BASE["value"] + "了"
        tab.click("#undo")
        assert tab.input_value("#in-value") == BASE["value"]
        tab.focus("#in-value")
        tab.keyboard.type(" ")
        tab.click("#add")
        assert tab.locator(".found li").count() == 2


def test_keys_pick_whole_characters(tmp_path: Path, browse: Any) -> None:
    with browse(build_benchmark(tmp_path, [{"id": "1", "dialogue": ["A: 𠮷野家"]}], "林小雨"), "#output") as tab:
        for key in ("n", "1", "Escape", "p", "ArrowRight", "Enter"):
            tab.keyboard.press(key)
        assert tab.input_value("#in-phrase") == "𠮷"


def test_evidence_is_taken_back_span_by_span(tmp_path: Path, browse: Any) -> None:
    rows = [{**DIALOGUES[0], "annotations": [BASE | {"evidence": []}]}]
    with browse(build_benchmark(tmp_path, rows, "林小雨"), "#output") as tab:
        for text in ("掉进洗脸池", "进水了"):
            tab.fill("#in-evidence", text)
            tab.keyboard.press("Enter")
        tab.keyboard.press("Escape")
        tab.keyboard.press("u")
        assert tab.locator(".chips li .data").all_inner_texts() == ["掉进洗脸池"]
