"""By length, distance and options, and what gets mixed up, on the leaderboard page in a real browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from shared_fixtures import made_once
from test_page import HOSTILE, no_sideways_scrolling

import evalsuite
from evalsuite.analyses.breakdown import bin_name
from evalsuite.analyses.confusion import Confusion, confusions

TASKS = ["domain_identification", "slot_identification", "knowledge_filling", "event_cause"]
SVG = "{http://www.w3.org/2000/svg}"


@made_once
def run(folder: Path) -> Path:
    """Eight models that answer at random or by words; one has a hostile name, and an option is hostile too."""
    models = ["  - {name: lexical, backend: baseline, path: lexical}\n"]
    models += [f"  - {{name: m{n}, backend: baseline, path: random}}\n" for n in range(7)]
    (folder / "models.yaml").write_text("models:\n" + "".join(models))
    run = folder / "run"
    evalsuite.run(models=folder / "models.yaml", tasks=TASKS, perturb=["none", "shuffle"], limit=60, out=run)
    results = json.loads((run / "results.json").read_text())
    for entry in (*results["cells"], *results["breakdowns"], *results["confusions"]):
        if entry["model"] == "m6":
            entry["model"] = HOSTILE[0]
    for entry in results["confusions"]:
        if entry["model"] == HOSTILE[0]:
            entry["names"][-1] = [HOSTILE[1], HOSTILE[2]]
    (run / "results.json").write_text(json.dumps(results))
    evalsuite.report([run])
    return run


@pytest.fixture(scope="module")
def results(run: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((run / "results.json").read_text())
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


@pytest.mark.slow
def test_every_group_is_drawn_with_its_numbers(page: Any, results: dict[str, Any]) -> None:
    page.locator("#breakdown .numbers > summary").click()
    for task in TASKS:
        pick(page, "slice-task", task)
        see_groups(page, results, task)


def see_groups(page: Any, results: dict[str, Any], task: str) -> None:
    drawn = page.locator("#breakdown figure[data-by=turns] .series")
    names = [drawn.nth(n).get_attribute("data-series") for n in range(drawn.count())]
    model = next(name for name in names if name != HOSTILE[0])
    told = entry(results, "breakdowns", model, task)
    for by in ("turns", "distance", "options"):
        bins = told.get(by, [])
        known = [b for b in bins if b["low"] is not None]
        panel = page.locator(f"#breakdown figure[data-by={by}]")
        if len(known) < (2 if by == "options" else 1):
            assert panel.count() == 0
            continue
        spots = panel.locator(f".series[data-series={model}] .spot")
        assert spots.count() == len(bins)
        for n, b in enumerate(bins):
            name = bin_name(b["low"], b["high"]).replace("-", "–")
            said = spots.nth(n).get_attribute("aria-label")
            assert said.startswith(f"{model}, {name}: {100 * b['value']:.1f} %"), said
            assert f"({100 * b['interval'][0]:.1f}–{100 * b['interval'][1]:.1f})" in said
            assert f"{b['n']} items, {b['dialogues']} dialogues" in said
    rows = page.locator("#breakdown tbody[data-by=turns] tr:not(.group)")
    assert rows.count() == len([b for b in told["turns"] if b["low"] is not None])


def test_up_to_six_models_and_which(page: Any) -> None:
    boxes = page.locator("#breakdown .picker input")
    assert boxes.count() == 8
    assert page.locator("#breakdown .picker input:checked").count() == 6
    assert page.locator("#breakdown .picker input:disabled").count() == 2
    series = page.locator("#breakdown figure[data-by=turns] .series")
    looks = {series.nth(n).get_attribute("data-series"): series.nth(n).get_attribute("class") for n in range(6)}
    assert len(set(looks.values())) == 6
    first, *rest = looks
    page.locator("#breakdown .picker label", has_text=first).locator("input").uncheck()
    assert page.locator("#breakdown .picker input:disabled").count() == 0
    left = {series.nth(n).get_attribute("data-series"): series.nth(n).get_attribute("class") for n in range(5)}
    assert left == {name: looks[name] for name in rest}  # the others keep their colours
    for _ in rest:
        page.locator("#breakdown .picker input:checked").first.click()
    assert page.locator("#breakdown .picker input:checked").count() == series.count() == 0
    page.locator("#breakdown .picker button").click()
    assert series.count() == 6


def test_points_are_reached_by_keyboard(page: Any) -> None:
    panel = page.locator("#breakdown figure[data-by=turns]")
    assert panel.locator(".spot[tabindex='0']").count() == 1
    panel.locator(".spot[tabindex='0']").focus()
    here = "document.activeElement.dataset.bin + document.activeElement.parentNode.dataset.series"
    start = page.evaluate(here)
    page.keyboard.press("ArrowRight")
    right = page.evaluate(here)
    assert right != start and panel.locator(".readout").inner_text().strip()
    page.keyboard.press("ArrowDown")
    assert page.evaluate(here) not in (start, right)
    page.keyboard.press("Enter")
    page.wait_for_selector("#rows")


@pytest.mark.parametrize("task", ["domain_identification", "slot_identification"])
def test_the_matrix(page: Any, results: dict[str, Any], task: str) -> None:
    told = entry(results, "confusions", "lexical", task)
    pick(page, "mix-task", task)
    pick(page, "mix-model", "0\tlexical")
    names = [english for _, english in told["names"]]
    if page.locator("[data-keep=mix-names]").count():
        assert page.locator("#confusion .square .frame").count() <= 15 < len(names)
        pick(page, "mix-names", "all")
    offered = {(g, o) for offer in told["offers"] for g, _ in offer["gold"] for o in offer["options"]}
    squares = page.locator("#confusion .square")
    silent = len({g for g, _ in [pair for offer in told["offers"] for pair in offer["gold"]]}) * bool(told["silent"])
    assert squares.count() == len(offered) + silent
    of = {g: sum(n for offer in told["offers"] for gold, n in offer["gold"] if gold == g) for g, _ in offered}
    chosen = {(g, c): n for g, c, n in told["pairs"]}
    drawn = page.evaluate(
        "[...document.querySelectorAll('#confusion .square')].map((x) => [x.dataset.gold + '>' + x.dataset.name,"
        " [x.querySelector('text').textContent, x.querySelector('title').textContent, !!x.querySelector('.frame')]])"
    )
    shown = dict(drawn)
    for g, c in offered:
        text, title, framed = shown[f"{names[g]}>{names[c]}"]
        times = chosen.get((g, c), 0)
        assert float(text.strip("<")) == pytest.approx(100 * times / of[g], abs=1.0)
        assert f"{times} of {of[g]} replies" in title and framed == (g == c)
    items = page.locator("#confusion .largest li").all_inner_texts()
    for (gold, name, count, times), line in zip(confusions(Confusion.model_validate(told)), items, strict=False):
        assert (
            line.startswith(f"“{names[gold]}” taken for “{names[name]}”: {count} times") and f" {times} items" in line
        )
    assert len(items) == min(5, len(confusions(Confusion.model_validate(told))))


def test_a_perturbation_and_languages(page: Any) -> None:
    pick(page, "perturb", "shuffle")
    assert page.locator("#breakdown").count() == page.locator("#confusion").count() == 1
    page.locator("#lang").click()
    assert "正确答案" in page.locator("#confusion svg.matrix").text_content()
    assert page.locator("#confusion .square[data-gold='后续事件']").count() > 0


def test_hostile_names_are_text(page: Any) -> None:
    pick(page, "mix-model", f"0\t{HOSTILE[0]}")
    assert HOSTILE[0] in page.locator("#breakdown .picker").inner_text()
    if page.locator("[data-keep=mix-names]").count():
        pick(page, "mix-names", "all")
    page.locator("#lang").click()
    assert HOSTILE[1] in page.locator("#confusion svg.matrix").text_content()
    assert page.locator("#breakdown img, #confusion img, #confusion script").count() == 0


def test_nothing_runs_out_of_the_page(page: Any) -> None:
    assert no_sideways_scrolling(page)


def test_charts_are_saved(page: Any) -> None:
    for name in ("breakdown-charts", "confusion-matrix"):
        save_chart(page, name)


def save_chart(page: Any, name: str) -> None:
    with page.expect_download() as download:
        page.locator(f"[data-save='{name}.svg']").click()
    tree = ElementTree.parse(download.value.path())
    assert len(tree.findall(f".//{SVG}text")) >= 20
    with page.expect_download() as download:
        page.locator(f"[data-save='{name}.png']").click()
    assert Path(download.value.path()).read_bytes().startswith(b"\x89PNG")


def test_runs_of_before_there_were_any(tmp_path: Path, run: Path, results: dict[str, Any], browse: Any) -> None:
    old = tmp_path / "old"
    (old / "records").mkdir(parents=True)
    for path in (run / "records").iterdir():
        (old / "records" / path.name).write_bytes(path.read_bytes())
    kept = {k: v for k, v in results.items() if k not in ("breakdowns", "confusions")}
    (old / "results.json").write_text(json.dumps(kept))
    with browse(evalsuite.report([old])) as tab:
        assert tab.locator("#breakdown, #confusion").count() == 0 < tab.locator("#robustness").count()
