"""Accuracy against tokens on the page: points where results.json has them, their table, the evidence behind them, and nothing
where nobody counted."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from page_checks import no_sideways_scrolling, percent_text
from run_files import results_json
from shared_fixtures import shared_folder

import evalsuite
from evalsuite.backends.registry import BACKENDS
from evalsuite.types import SCORINGS, Likelihood, Request, Response

TASKS = ["domain_identification", "slot_identification"]
LEFT, RIGHT, EDGE, START, TOP, BOTTOM = 32, 428, 46, 72, 12, 268  # as in charts/sheet_scatter.ts


def brief_model(request: Request) -> Response:
    """A model that writes a label, or compares labels."""
    if request.scoring == "labels":
        found = tuple(Likelihood(-1.0 - n, 1) for n in range(len(request.labels)))
        return Response("", "labels", 90, likelihoods=found)
    return Response(request.labels[0], "stop", len(request.prompt), 3 + len(request.prompt) % 4)


def thinker(request: Request) -> Response:
    """A model that thinks before it writes a label; its endpoint counts the thinking."""
    new = 400 + len(request.prompt) % 100
    return Response(request.labels[1], "stop", len(request.prompt), new, reasoning="想一想", thinking_tokens=new - 5)


@shared_folder
def run(folder: Path) -> Path:
    """A run of two models in two wordings, one of them also scored by likelihood, and of a baseline, which has no counts of
    tokens."""
    out = folder / "run"
    asked: dict[str, Any] = {"tasks": TASKS, "limit": 8, "out": out}
    evalsuite.run(model=["random"], **asked)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(BACKENDS, "scripted", replace(BACKENDS["scripted"], scorings=SCORINGS))
        evalsuite.run({"thinker": thinker}, prompt=["paper", "plain"], **asked)
        evalsuite.run({"brief": brief_model}, prompt=["paper", "plain"], scoring=["generate", "labels"], **asked)
    evalsuite.report([out])
    return out


@pytest.fixture(scope="module")
def cells(run: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = results_json(run)["cells"]
    return found


@pytest.fixture
def page(run: Path, browse: Any) -> Iterator[Any]:
    with browse(run / "page" / "index.html") as tab:
        yield tab


def choose(page: Any, task: str, item_set: str = "hard") -> None:
    page.select_option("[data-keep=tokens-task] select", task)
    page.select_option("[data-keep=tokens-set] select", item_set)


def spots(page: Any, model: str) -> list[Any]:
    found: list[Any] = page.locator(f"#tokens-charts [data-model={model}] .spot").all()
    return found


def centre(spot: Any) -> tuple[float, float]:
    hit = spot.locator(".hit")
    return float(hit.get_attribute("cx")), float(hit.get_attribute("cy"))


def test_the_section_has_the_figures_of_results_json(page: Any, cells: list[dict[str, Any]]) -> None:
    for item_set in ("easy", "hard"):
        points_stand_at_tokens_and_accuracy(page, cells, item_set)
    table_has_the_figures(page, cells)
    assert no_sideways_scrolling(page)


def points_stand_at_tokens_and_accuracy(page: Any, cells: list[dict[str, Any]], item_set: str) -> None:
    """Points stand as results.json says: across on a scale of powers, up as the ticks; likelihoods at the edge, not joined."""
    choose(page, TASKS[0], item_set)
    mine = [c for c in cells if (c["task"], c["set"]) == (TASKS[0], item_set) and c["model"] != "random"]
    written = [c for c in mine if "tokens" in c]
    assert len(written) == 4 and len(mine) == 6
    means = [c["tokens"]["mean"] for c in written]
    steps = [first * 10**power for power in range(4) for first in (1, 2, 5)]
    low, high = max(s for s in steps if s <= min(means)), min(s for s in steps if s >= max(means))
    ticks = [
        float(x) for x in page.locator("#tokens-charts .plot text[text-anchor=end]").all_text_contents() if x.isdigit()
    ]
    for model in ("brief", "thinker"):
        own = sorted((c for c in written if c["model"] == model), key=lambda c: c["tokens"]["mean"])
        path = page.locator(f"#tokens-charts [data-model={model}] .path").get_attribute("points").split()
        assert len(path) == 2  # the written ones are joined
        told = {spot.get_attribute("aria-label"): centre(spot) for spot in spots(page, model)}
        assert len(told) == (4 if model == "brief" else 2)
        for c in own:
            ((words, (x, y)),) = [(w, at) for w, at in told.items() if f" {c['variant']} 0 shots generated:" in w]
            metric = c["metrics"]["accuracy"]
            assert f": {percent_text(metric['value'])} %" in words and "tokens of a reply" in words
            assert x == pytest.approx(START + (RIGHT - 10 - START) * math.log(c["tokens"]["mean"] / low) / math.log(high / low), abs=0.5)  # fmt: skip
            assert y == pytest.approx(BOTTOM - (BOTTOM - TOP) * (100 * metric["value"] - min(ticks)) / (max(ticks) - min(ticks)), abs=0.5)  # fmt: skip
        assert {x for w, (x, _) in told.items() if "nothing written" in w} == ({EDGE} if model == "brief" else set())
    assert page.locator("#tokens-charts [data-model=random]").count() == 0
    assert "ways left out whose tokens nobody counted, such as baselines: 1" in page.inner_text("#tokens")


def table_has_the_figures(page: Any, cells: list[dict[str, Any]]) -> None:
    choose(page, TASKS[0])
    page.click("#tokens summary")
    rows = page.locator("#sheet-tokens_by_way tbody tr")
    rows.first.wait_for()
    assert rows.count() == 6
    for row in rows.all():
        model, variant, _, scoring, score, mean, median, p90, thinking, prompt, total = row.locator(
            "th, td"
        ).all_inner_texts()
        scoring = {"generated": "generate"}.get(scoring, scoring)
        (c,) = [
            c for c in cells if (c["task"], c["set"], c["model"], c["variant"], c["scoring"]) == (TASKS[0], "hard", model, variant, scoring)
        ]  # fmt: skip
        assert score.startswith(percent_text(c["metrics"]["accuracy"]["value"]))
        if (spent := c.get("tokens")) is None:
            assert {mean, median, p90, thinking, prompt, total} == {"–"}
            continue
        assert float(mean) == pytest.approx(spent["mean"], abs=0.051) and float(p90) == pytest.approx(
            spent["p90"], abs=0.5
        )
        assert float(median) == pytest.approx(spent["median"], abs=0.5)
        assert thinking == f"{100 * spent['thinking']:.0f}" and total == f"{spent['total']:,}"
    assert page.locator("#sheet-tokens_by_way thead th").count() == 11


def test_the_mean_over_tasks(page: Any, cells: list[dict[str, Any]]) -> None:
    """The mean is shown at first, has no interval, links to no item, and names ways in both languages."""
    assert page.input_value("[data-keep=tokens-task] select") == "mean"
    label = spots(page, "thinker")[0].get_attribute("aria-label")
    variant = "paper" if " paper " in label else "plain"
    mine = [c for c in cells if (c["model"], c["variant"], c["set"]) == ("thinker", variant, "hard")]
    assert f": {percent_text(sum(c['metrics']['accuracy']['value'] for c in mine) / 2)} %, " in label
    assert page.locator("#tokens-charts .whisker").count() == 0
    assert page.locator("#tokens-charts .spot[role=button]").count() == 0
    assert page.locator("#tokens-charts .spot").count() == 6
    page.click("#lang")
    assert "准确率与所用词元" in page.inner_text("#tokens h2")
    assert "对数坐标" in page.inner_text("#tokens-charts")


def test_a_point_opens_its_evidence_by_keyboard(page: Any) -> None:
    """The cell tells what its replies took, and a reply what it took itself."""
    choose(page, TASKS[0])
    spots(page, "brief")[-1].focus()
    page.keyboard.press("ArrowDown")  # the arrow leads to the next model's line
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert label.startswith("thinker, ")
    assert page.inner_text("#tokens-charts .readout") == label
    page.keyboard.press("Enter")
    page.wait_for_selector("#panes")
    facts = page.inner_text(".cellhead dl")
    assert "Tokens a reply" in facts and "p90" in facts and "Thinking 99 %" in facts
    page.locator(".rows .row").first.click()
    page.wait_for_selector(".reasoning")
    text = page.inner_text("#detail .two")
    assert "generated" in text and "of them thinking" in text and "≈" not in text


def test_nothing_where_nobody_counted(tmp_path: Path, browse: Any) -> None:
    evalsuite.run(model=["random", "lexical"], tasks=TASKS[:1], limit=3, out=tmp_path)
    evalsuite.report([tmp_path])
    with browse(tmp_path / "page" / "index.html") as tab:
        assert tab.locator("#part-tokens > *").count() == 0
        assert "Accuracy against tokens" not in tab.inner_text("#sections")
