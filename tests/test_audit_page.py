"""The audit page in a real browser from file://: ten outputs marked by keyboard, kept, exported and read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from page_checks import HOSTILE_FEW
from run_files import read_jsonl
from shared_fixtures import shared_folder

import evalsuite
from evalsuite.review import audit
from evalsuite.review.audit.sample import Sample, load_sample


@shared_folder
def folder(folder: Path) -> Path:
    """A sample of ten, all of hostile replies: four choices, some with an option (n), three spans, three texts."""
    run = folder / "run"
    tasks = ["knowledge_filling", "slot_identification", "conflict_detection", "event_cause"]
    evalsuite.run(model=["random"], tasks=tasks, limit=5, set="hard", out=run)
    for path, hostile in zip(sorted((run / "records").glob("*.jsonl")), HOSTILE_FEW, strict=False):
        records = read_jsonl(path)
        for record in records:
            record["reply"] = hostile
        path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    return audit.make_sample(run, n=10)[0].parent


@pytest.fixture
def page(folder: Path, browse: Any) -> Iterator[Any]:
    with browse(folder / "index.html", "#name") as tab:
        yield tab


def enter(page: Any, name: str = "林小雨") -> None:
    page.fill("#name", name)
    page.keyboard.press("Enter")
    page.wait_for_selector("#output")


def position(page: Any) -> int:
    return int(page.inner_text("#position").split(" ")[0])


def keys_for(sample: Sample) -> list[str]:
    """The keys to press for each output, in turn: options by letter, by number, none, several; right and wrong, and scores."""
    choices, texts, spans = iter(("b", "1", "N", "S")), iter(("y4", "x0", "y5")), iter("xyx")
    ways = {"choice": choices, "text": texts, "span": spans}
    return [next(ways[d.output.kind.name]) for d in sample.drawn]


def export(page: Any, to: Path) -> list[dict[str, Any]]:
    with page.expect_download() as download:
        page.click("#export")
    download.value.save_as(to)
    return read_jsonl(to)


def test_mark_reload_export_read(page: Any, folder: Path) -> None:
    sample = load_sample(folder / "sample.json")
    enter(page)
    for n, keys in enumerate(keys_for(sample), start=1):
        assert position(page) == n
        for key in keys:
            page.keyboard.press(key)
    assert page.inner_text(".progress strong") == "10 of 10 marked"
    page.reload()
    page.wait_for_selector("#done")
    assert page.inner_text(".progress strong") == "10 of 10 marked"
    file = folder / "exported.jsonl"
    rows = export(page, file)
    assert [row["output"] for row in rows] == [d.output.id for d in sample.drawn]
    assert {row["sample"] for row in rows} == {sample.hash} and all(row["blind"] for row in rows)
    found = audit.summarize_marks([file])
    assert found.annotators == ("林小雨",) and found.marked == 10 and not found.notes
    by_kind = {r.kind: r for r in found.correct}
    said = [row["said"] for row in rows if "said" in row]
    outputs = [d.output for d in sample.drawn if d.output.kind.name == "choice"]
    assert said == [outputs[0].labels[1], outputs[1].labels[0], "none", "several"]
    assert by_kind["choice"].actual == (outputs[0].gold == 1) + (outputs[1].gold == 0)
    assert by_kind["span"].actual == sum(row["right"] for row in rows if "right" in row and "score" not in row)
    assert by_kind["text"].actual == 2
    (scores,) = found.scores
    assert (scores.task, scores.n, scores.histogram) == ("event_cause", 3, {0: 1, 1: 0, 2: 0, 3: 0, 4: 1, 5: 1})


def go_to(page: Any, sample: Sample, kind: str, options: int = 0) -> Any:
    n = next(i for i, d in enumerate(sample.drawn) if d.output.kind.name == kind and len(d.output.options) >= options)
    while position(page) < n + 1:
        page.keyboard.press("ArrowRight")
    return sample.drawn[n].output


def test_options_come_before_commands(page: Any, folder: Path) -> None:
    """n is the option (n) where there is one; j and k step only where they are no options."""
    output = go_to_slots(page, folder)
    assert "(n)" in output.labels
    place = position(page)
    page.keyboard.press("n")
    page.keyboard.press("ArrowLeft")
    assert page.locator(".mark[aria-pressed=true]").inner_text().startswith("(n)")
    page.keyboard.press("N")
    assert position(page) == place  # a mark that is changed stays on screen
    assert page.locator(".mark[aria-pressed=true]").inner_text().startswith("None")
    page.keyboard.press("Backspace")
    assert page.locator(".mark[aria-pressed=true]").inner_text().startswith("(n)")


def go_to_slots(page: Any, folder: Path) -> Any:
    enter(page)
    return go_to(page, load_sample(folder / "sample.json"), "choice", 14)


def test_nothing_on_screen_suggests_a_mark(page: Any, folder: Path) -> None:
    """Gold and the parser's reading are not on screen before the mark, nor after it unless asked for; the reference of a
    text is, once right or wrong is said, for the scores are by it."""
    sample = load_sample(folder / "sample.json")
    enter(page)
    assert page.locator(".pill.gold, #parser").count() == 0
    page.keyboard.press("a")
    page.keyboard.press("ArrowLeft")
    assert page.locator(".pill.gold, #parser").count() == 0
    page.check("input[type=checkbox]")
    assert page.locator(".pill.gold").count() == 1 and page.locator("#parser").count() == 1
    page.keyboard.press("b")  # with gold in view, the mark changes
    output = go_to(page, sample, "text")
    assert page.locator(".reference, .scale").count() == 0
    page.keyboard.press("3")  # a score is not asked for yet
    page.keyboard.press("y")
    assert page.inner_text(".reference") == " / ".join(output.references)
    page.keyboard.press("x")
    page.keyboard.press("3")
    rows = export(page, folder / "seen.jsonl")
    assert [row["blind"] for row in rows] == [False, False]
    assert rows[1]["right"] is False and rows[1]["score"] == 3
    assert "2 of 2 marks were made with the reference in view" in audit.summarize_marks([folder / "seen.jsonl"]).notes


def test_a_key_that_is_held_marks_once(page: Any) -> None:
    """The keyboard repeats a key that is held: the outputs behind this one would get its mark, which nobody gave them."""
    enter(page)
    for _ in range(4):
        page.keyboard.down("b")  # a second down without an up is a repetition of the keyboard
    page.keyboard.up("b")
    assert page.inner_text("#count") == "1 of 10 marked" and position(page) == 2
    for _ in range(3):
        page.keyboard.down("ArrowRight")
    assert position(page) == 5


def test_two_tabs_keep_the_marks_of_both(page: Any, folder: Path) -> None:
    """A page that is open twice: each tab writes all marks that it knows, so it must know those of the other tab."""
    enter(page)
    other = page.context.new_page()
    try:
        other.goto(page.url)
        other.wait_for_selector("#output")
        page.keyboard.press("b")
        other.locator("#count", has_text="1 of 10 marked").wait_for()
        other.keyboard.press("ArrowRight")
        other.keyboard.press("a")
        page.locator("#count", has_text="2 of 10 marked").wait_for()
        page.keyboard.press("c")  # changes the second output's mark, that of the other tab
    finally:
        other.close()
    labels = [d.output.labels for d in load_sample(folder / "sample.json").drawn]
    assert [row["said"] for row in export(page, folder / "both.jsonl")] == [labels[0][1], labels[1][2]]


def test_a_tab_that_is_lent_again_keeps_nothing(folder: Path, browse: Any) -> None:
    """A mark that the test before left would stand first in an export here."""
    for _ in range(2):
        with browse(folder / "index.html", "#name") as page:
            enter(page)
            page.keyboard.press("a")
            assert page.inner_text("#count") == "1 of 10 marked"


def test_names_are_apart_and_files_come_back(page: Any, folder: Path) -> None:
    enter(page, "甲")
    page.keyboard.press("a")
    page.click("#change")
    enter(page, "乙")
    assert page.inner_text(".progress strong") == "0 of 10 marked"
    file = folder / "back.jsonl"
    sample = load_sample(folder / "sample.json")
    first = sample.drawn[0].output
    good = {
        "sample": sample.hash,
        "output": first.id,
        "annotator": "乙",
        "said": first.labels[2],
        "note": HOSTILE_FEW[0],
    }
    bad = [{"annotator": "甲"}, {"sample": "0"}, {"said": "<b>"}, {"output": "x"}]
    file.write_text("".join(json.dumps({**good, **b}) + "\n" for b in [{}, *bad]) + "{\n", encoding="utf-8")
    page.set_input_files("#file", file)
    page.locator("#told", has_text="imported").wait_for()
    assert page.inner_text("#told").startswith("1 marks imported; 5 left out")
    assert page.input_value(".notefield input") == HOSTILE_FEW[0]
    rows = export(page, folder / "again.jsonl")
    assert [(r["annotator"], r["said"], r["note"]) for r in rows] == [("乙", first.labels[2], HOSTILE_FEW[0])]


def test_hostile_replies_are_text(page: Any) -> None:
    """A hostile reply stands there to be read, hidden characters made visible."""
    enter(page)
    seen = []
    for _ in range(10):
        seen.append(page.inner_text(".said"))
        page.keyboard.press("ArrowRight")
    assert "<img src=x onerror=alert(1)>" in seen and "</script><script>alert(2)</script>" in seen
    assert any("U+202E" in text and "U+0000" in text for text in seen)


def test_language_theme_and_keys(page: Any) -> None:
    page.click("#lang")
    assert page.inner_text("h1") == "人工核查"
    enter(page)
    page.keyboard.press("?")
    assert page.locator("dialog[open]").inner_text().startswith("快捷键一览")
    page.keyboard.press("a")  # not while the list is open
    page.keyboard.press("Escape")
    assert page.inner_text(".progress strong") == "已标 0 / 10"
    page.click("#theme")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_digits_fill_three_scales_in_turn(folder: Path, browse: Any) -> None:
    """The CICERO rubric: the digits fill the scales one after the other."""
    page_file, _ = audit.make_sample(
        folder.parent.parent, n=4, tasks=["event_cause"], rubric_name="cicero", name="cicero"
    )
    with browse(page_file, "#name") as page:
        enter(page)
        for key in "y534":
            page.keyboard.press(key)
        assert position(page) == 2
        (row,) = export(page, page_file.parent / "m.jsonl")
    assert [row[name] for name in ("creativity", "contextuality", "fluency")] == [5, 3, 4]
    assert len(audit.summarize_marks([page_file.parent / "m.jsonl"]).scores) == 3


@pytest.mark.parametrize("labels", [("(1)", "(2)", "(3)"), ("(甲)", "(乙)", "(丙)")])
def test_labels_that_are_no_letters(tmp_path: Path, labels: tuple[str, ...], browse: Any) -> None:
    """A key is the label where it is one character on the keyboard, else the option's place."""
    run = tmp_path / "run"
    evalsuite.run(model=["random"], tasks=["knowledge_filling"], limit=2, set="hard", out=run)
    path = next((run / "records").glob("*.jsonl"))
    records = read_jsonl(path)
    for record in records:
        record["gold"] = labels[record["labels"].index(record["gold"])]
        record["labels"] = list(labels)
    path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    page_file, _ = audit.make_sample(run, n=2)
    with browse(page_file, "#name") as page:
        enter(page)
        page.keyboard.press("2")
        page.keyboard.press("c")
        rows = export(page, page_file.parent / "m.jsonl")
    assert [row["said"] for row in rows] == [labels[1], labels[2]]


def test_all_options_that_are_said(tmp_path: Path, browse: Any) -> None:
    """Each of several right options is marked, or taken back, by itself; the next reply comes when asked for."""
    evalsuite.run(model=["random"], tasks=["cicero_all_answers"], set="v1", limit=2, out=tmp_path / "run")
    path, sample = audit.make_sample(tmp_path / "run", n=2)
    first, second = (d.output for d in sample.drawn)
    with browse(path, "#name") as page:
        enter(page)
        for key in "021":
            page.keyboard.press(key)
        assert position(page) == 1 and page.locator("main [aria-pressed=true]").count() == 3
        page.keyboard.press("1")
        assert page.locator("main [aria-pressed=true]").all_inner_texts()[0].startswith(first.labels[0])
        # The buttons "none" and "refuses": several options are asked for here.
        assert page.locator(".others button").count() == 2
        page.keyboard.press("ArrowRight")
        page.keyboard.press("n")
        page.locator("label:has-text('Show the answer') input").check()
        assert page.locator(".pill.gold").count() == len(second.golds)
        rows = export(page, tmp_path / "marks.jsonl")
        page.set_input_files("#file", tmp_path / "marks.jsonl")
        page.wait_for_function("() => document.getElementById('told').textContent.includes('2')")
    assert [row["said"] for row in rows] == [[first.labels[0], first.labels[2]], "none"]
    found = audit.summarize_marks([tmp_path / "marks.jsonl"], run=tmp_path / "run")
    assert found.marked == 2 and found.correct[0].actual == (first.golds == (0, 2))


def focused_id(page: Any) -> str:
    found: str = page.evaluate("document.activeElement.id")
    return found


def test_who_moves_by_tab_stays_there(page: Any) -> None:
    """A page is drawn anew at every mark and step: who presses buttons by keyboard does not begin at its top again."""
    enter(page)
    page.focus("#next")
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert position(page) == 3 and focused_id(page) == "next"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    for _ in range(20):
        page.keyboard.press("Tab")
        if focused_id(page).startswith("say-0-"):
            break
    page.keyboard.press("Enter")
    assert position(page) == 2 and focused_id(page) == "output"  # the next one, from its beginning
    page.focus("input[type=checkbox]")
    page.keyboard.press("Space")
    assert page.is_checked("input[type=checkbox]") and position(page) == 2
    page.keyboard.press("b")  # keys mark although the box has the focus
    assert page.inner_text("#count") == "2 of 10 marked"
