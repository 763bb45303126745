"""Breakdowns by length, distance and options, and confusions, on the leaderboard page in a real browser."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from page_checks import HOSTILE_FEW, no_sideways_scrolling
from run_files import results_json
from shared_fixtures import shared_folder

import evalsuite
from evalsuite.analyses.breakdown import bin_name
from evalsuite.analyses.confusion import Confusion, confusions
from evalsuite.common.numbers import fixed

TASKS = ["domain_identification", "slot_identification", "knowledge_filling", "event_cause"]
BY = {
    "turns": "By turns of the dialogue",
    "distance": "By turns to the answer",
    "options": "By number of options",
}
SVG = "{http://www.w3.org/2000/svg}"


@shared_folder
def run(folder: Path) -> Path:
    """Eight models that answer at random or by the words of the dialogue. One model has a hostile name, and one
    option is hostile."""
    models = ["  - {name: words, backend: baseline, path: lexical}\n"]
    models += [f"  - {{name: m{n}, backend: baseline, path: random}}\n" for n in range(7)]
    (folder / "models.yaml").write_text("models:\n" + "".join(models))
    run = folder / "run"
    evalsuite.run(models=folder / "models.yaml", tasks=TASKS, perturb=["none", "shuffle"], limit=24, out=run)
    results = results_json(run)
    for entry in (*results["cells"], *results["breakdowns"], *results["confusions"]):
        if entry["model"] == "m6":
            entry["model"] = HOSTILE_FEW[0]
    for entry in results["confusions"]:
        if entry["model"] == HOSTILE_FEW[0]:
            entry["names"][-1] = [HOSTILE_FEW[1], HOSTILE_FEW[2]]
    results["calibration"] = [
        calibration_row(model, variant) for model in ("m0", "m1") for variant in ("paper", "confidence")
    ]
    results["detectable"] = [DETECTABLE]
    (run / "results.json").write_text(json.dumps(results))
    evalsuite.report([run])
    return run


PLACE = {"task": TASKS[0], "set": "hard", "split": "test", "shots": 0, "scoring": "generate", "perturb": "none"}
DETECTABLE = {
    **PLACE, "variant": "paper", "metric": "accuracy", "models": 2, "items": 60, "dialogues": 20, "median": 0.141, "largest": 0.16,
}  # fmt: skip


def calibration_row(model: str, variant: str) -> dict[str, Any]:
    """A row of stated confidence: 40 items in three bins."""
    figure = {"value": 0.6, "low": 0.5, "high": 0.7}
    bins = [
        {
            "low": n / 10,
            "high": (n + 1) / 10,
            "n": 10 + n,
            "confidence": n / 10 + 0.05,
            "accuracy": {**figure, "value": 0.1 * n},
        }
        for n in (2, 5, 8)
    ]
    return {
        **PLACE, "model": model, "variant": variant, "items": 45, "answered": 60, "dialogues": 20, "by": "stated", "accuracy": figure,
        "confidence": {**figure, "value": 0.81}, "ece": figure, "brier": figure, "brier_uniform": 0.25, "bins": bins,
        "curve": [{"coverage": n / 10, "accuracy": figure} for n in range(1, 11)], "aurc": 0.2,
    }  # fmt: skip


@pytest.fixture(scope="module")
def results(run: Path) -> dict[str, Any]:
    found: dict[str, Any] = results_json(run)
    return found


@pytest.fixture
def page(run: Path, browse: Any) -> Iterator[Any]:
    with browse(run / "page" / "index.html") as tab:
        tab.wait_for_selector("#breakdown")
        yield tab


def entry(results: dict[str, Any], key: str, model: str, task: str, set: str = "hard") -> dict[str, Any]:
    wanted = {"model": model, "task": task, "set": set, "perturb": "none"}
    (found,) = [e for e in results[key] if all(e[k] == v for k, v in wanted.items())]
    return found  # type: ignore[no-any-return]


def pick(page: Any, keep: str, value: str) -> None:
    page.select_option(f"[data-keep={keep}] select", value=value)


@pytest.mark.thorough
def test_breakdowns_have_the_values_of_results_json(page: Any, results: dict[str, Any]) -> None:
    up_to_six_models_and_which(page)
    for task in reversed(TASKS):
        pick(page, "breakdown-task", task)
        see_groups(page, results, task)
    assert no_sideways_scrolling(page)
    save_chart(page, "breakdown-charts")
    points_are_reached_by_keyboard(page)


def test_the_set_is_named_where_the_picked_task_leaves_one(page: Any) -> None:
    """In the hard set, no property divides the items of knowledge filling: the easy set is shown."""
    pick(page, "breakdown-task", "knowledge_filling")
    assert page.locator("[data-keep=breakdown-set] option").evaluate_all("all => all.map((x) => x.value)") == ["easy"]


def test_confusions_have_the_counts_of_results_json(page: Any, results: dict[str, Any]) -> None:
    for task in ("domain_identification", "slot_identification"):
        see_matrix(page, results, task)
    save_chart(page, "confusion-charts")
    hostile_names_are_text(page)
    of_a_perturbation_in_chinese(page)


def bins_of(results: dict[str, Any], task: str, by: str, item_set: str) -> set[tuple[int | None, int | None]]:
    wanted = {"task": task, "set": item_set, "perturb": "none"}
    entries = [e for e in results["breakdowns"] if all(e[k] == v for k, v in wanted.items())]
    return {(b["low"], b["high"]) for e in entries for b in e.get(by) or ()}


def see_groups(page: Any, results: dict[str, Any], task: str) -> None:
    drawn = page.locator("#breakdown figure[data-panel]").first.locator(".series")
    names = [drawn.nth(n).get_attribute("data-series") for n in range(drawn.count())]
    model = next(name for name in names if name != HOSTILE_FEW[0])
    # If no property divides the items of the hard set, the page shows the easy set, and its picker says so.
    divided = [s for s in ("easy", "hard") if any(len(bins_of(results, task, by, s)) > 1 for by in BY)]
    assert page.locator("[data-keep=breakdown-set] select").input_value() == divided[-1]
    told = entry(results, "breakdowns", model, task, divided[-1])
    for by, title in BY.items():
        bins = told.get(by, [])
        panel = page.locator(f"#breakdown figure[data-panel='{title}']")
        if len(bins_of(results, task, by, divided[-1])) < 2:
            assert panel.count() == 0
            continue
        spots = panel.locator(f".series[data-series={model}] .spot")
        assert spots.count() == len(bins)
        for b, said in zip(bins, spots.evaluate_all("all => all.map((x) => x.ariaLabel)"), strict=True):
            assert said.startswith(f"{model}, {bin_name(b['low'], b['high'])}: {100 * b['value']:.1f} %"), said
            interval = b["interval"]
            assert not interval or f"({100 * interval[0]:.1f}–{100 * interval[1]:.1f})" in said
        if by == "options":
            assert panel.locator(".chance").count() == len(bins)
    if page.locator("[data-unfold=tables-breakdown]:not([open])").count():
        page.click("[data-unfold=tables-breakdown] > summary")
    table = page.locator("[data-unfold=tables-breakdown] table").first
    first = next(by for by in BY if len(bins_of(results, task, by, divided[-1])) > 1)
    heads = [bin_name(b["low"], b["high"]) for b in told[first]]
    assert [x for x in table.locator("thead th").all_inner_texts() if x in heads] == heads


def up_to_six_models_and_which(page: Any) -> None:
    keys = page.locator("#breakdown .modelkeys span > button")
    assert keys.count() == 8 and "The best 6 of 8 models" in page.inner_text("#breakdown")
    marks = keys.locator("svg").evaluate_all("all => all.map((x) => x.getAttribute('class'))")
    assert len(marks) == len(set(marks)) == 8  # eight models, eight colours
    series = page.locator(f"#breakdown figure[data-panel='{BY['turns']}'] .series")
    looks = {series.nth(n).get_attribute("data-series"): series.nth(n).get_attribute("class") for n in range(6)}
    assert len(set(looks.values())) == 6
    first, second, *_ = (name for name in looks if name != HOSTILE_FEW[0])
    for name in (first, second):
        keys.filter(has_text=name).click()
    drawn = {series.nth(n).get_attribute("data-series"): series.nth(n).get_attribute("class") for n in range(2)}
    assert drawn == {name: looks[name] for name in (first, second)}  # the models keep their colours
    assert series.count() == 2 and "highlight=" in page.url and "The best 6" not in page.inner_text("#breakdown")
    page.click("#breakdown .modelkeys .link")
    assert series.count() == 6


def test_three_questions_are_answered_where_sections_are_closed(page: Any, results: dict[str, Any]) -> None:
    links = page.locator("[data-section]").all_inner_texts()
    assert {"Is the set large enough?", "Is it sure when it is right?", "Votes over several askings"} <= {*links}
    closed = page.locator("#part-sized .section > summary, #part-calibrated .section > summary").all_inner_texts()
    assert "14.1 (HARD DI: 60 items of 20 dialogues)" in closed[0], closed
    assert "m0 is 81.0 % sure and 60.0 % right" in closed[1]
    page.click("[data-section=part-calibrated]")  # one click opens it
    # Both wordings are shown, whichever is picked on the page.
    assert page.locator("#calibration figure[data-panel]").count() == 2 and "75 %" in page.inner_text(
        "#calibration table >> nth=0"
    )
    spots = page.locator("#calibration figure >> nth=0").locator(".series[data-series=m0] .spot")
    said = [spots.nth(n).get_attribute("aria-label") for n in range(spots.count())]
    assert [x.split(" (")[0] for x in said] == [f"m0, sure {25 + 30 * n}.0 %: {20 + 30 * n}.0 %" for n in range(3)]
    assert page.locator("#calibration figure >> nth=0").locator("line.chance").count() == 1  # the diagonal
    page.click("[data-section=part-voted]")
    votes = next(v for v in results["votes"] if v["model"] == "words" and (v["task"], v["set"]) == (TASKS[0], "hard"))
    pick(page, "votes-model", "0:words")
    pick(page, "votes-task", TASKS[0])
    for name, key in (("vote", "vote"), ("once", "once"), ("always", "always")):
        spots = page.locator(f"#votes figure >> nth=0 >> .series[data-series={name}] .spot")
        values = [spots.nth(n).get_attribute("aria-label").split(": ")[1].split(" ")[0] for n in range(spots.count())]
        assert values == [fixed(100 * point[key]["value"], 1) for point in votes["points"]]


def points_are_reached_by_keyboard(page: Any) -> None:
    panel = page.locator("#breakdown figure[data-panel]").first
    assert panel.locator(".spot[tabindex='0']").count() == 1
    panel.locator(".spot[tabindex='0']").focus()
    here = "document.activeElement.ariaLabel"
    start = page.evaluate(here)
    page.keyboard.press("ArrowRight")
    right = page.evaluate(here)
    assert right != start and panel.locator(".readout").inner_text().strip()
    page.keyboard.press("ArrowDown")
    assert page.evaluate(here) not in (start, right)
    page.keyboard.press("Enter")
    page.wait_for_selector("#rows")


def see_matrix(page: Any, results: dict[str, Any], task: str) -> None:
    told = entry(results, "confusions", "words", task)
    pick(page, "confusion-model", "0:words")
    pick(page, "confusion-task", task)
    names = [english for _, english in told["names"]]
    if page.locator("[data-keep=confusion-names]").count():
        assert page.locator("#confusion .square .frame").count() <= 15 < len(names)
        pick(page, "confusion-names", "all")
    offered: Counter[tuple[int, int]] = Counter()
    for offer in told["offers"]:
        for g, n in offer["gold"]:
            offered.update({(g, o): n for o in offer["options"]})
    chosen = {(g, c): n for g, c, n in told["pairs"]}
    drawn = page.evaluate(
        "[...document.querySelectorAll('#confusion .square')].map((x) => [x.dataset.row + '>' + x.dataset.name,"
        " [x.querySelector('text').textContent, x.querySelector('title').textContent, !!x.querySelector('.frame')]])"
    )
    shown = dict(drawn)
    wanted = {**chosen, **{(g, g): chosen.get((g, g), 0) for g, _ in offered}}
    assert len(shown) == len(wanted) + len(told["silent"])
    for (g, c), times in wanted.items():
        text, title, framed = shown[f"{names[g]}>{names[c]}"]
        of = offered[g, c]
        assert text == ("<1" if 0 < times / of < 0.005 else fixed(100 * times / of, 0))
        assert f"times {times}, of {of}" in title and framed == (g == c)
    lines = [x.split("\t") for x in page.locator("#sheet-confusions tbody tr:not(.group)").all_inner_texts()]
    for (gold, name, count, times), line in zip(confusions(Confusion.model_validate(told)), lines, strict=False):
        assert [x.strip() for x in line[:4]] == [names[gold], names[name], str(count), str(times)]
    assert len(lines) >= min(5, len(confusions(Confusion.model_validate(told))))


def of_a_perturbation_in_chinese(page: Any) -> None:
    pick(page, "perturb", "shuffle")
    assert page.locator("#breakdown").count() == page.locator("#confusion").count() == 1
    pick(page, "confusion-task", "slot_identification")
    assert "正确答案" in page.locator("#confusion svg.matrix").text_content()
    assert page.locator("#confusion .square[data-row='后续事件']").count() > 0


def hostile_names_are_text(page: Any) -> None:
    pick(page, "confusion-task", "domain_identification")
    pick(page, "confusion-model", f"0:{HOSTILE_FEW[0]}")
    assert page.locator("#breakdown .modelkeys button").evaluate_all(
        "(all, x) => all.some(b => b.title === x)", HOSTILE_FEW[0]
    )
    if page.locator("[data-keep=confusion-names]").count():
        pick(page, "confusion-names", "all")
    page.locator("#lang").click()
    assert HOSTILE_FEW[1] in page.locator("#confusion svg.matrix").text_content()
    assert page.locator("#breakdown img, #confusion img, #confusion script").count() == 0


def save_chart(page: Any, name: str) -> None:
    with page.expect_download() as download:
        page.locator(f"[data-save='{name}.svg']").click()
    tree = ElementTree.parse(download.value.path())
    assert len(tree.findall(f".//{SVG}text")) >= 20
    with page.expect_download() as download:
        page.locator(f"[data-save='{name}.png']").click()
    assert Path(download.value.path()).read_bytes().startswith(b"\x89PNG")


@pytest.mark.thorough
def test_a_run_without_breakdowns_has_no_section(
    tmp_path: Path, run: Path, results: dict[str, Any], browse: Any
) -> None:
    old = tmp_path / "old"
    (old / "records").mkdir(parents=True)
    for path in (run / "records").iterdir():
        (old / "records" / path.name).write_bytes(path.read_bytes())
    kept = {k: v for k, v in results.items() if k not in ("breakdowns", "confusions")}
    (old / "results.json").write_text(json.dumps(kept))
    with browse(evalsuite.report([old])) as tab:
        assert tab.locator("#breakdown, #confusion").count() == 0 < tab.locator("#robustness").count()
