"""The first screen of the leaderboard: what was found and the table of the harder set, before anybody scrolls."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from needs import needs
from shared_fixtures import made_once

import evalsuite
from evalsuite.types import Request, Response

needs("dev")

MODELS = [f"model-{n}" for n in range(8)]


def answer(n: int) -> Any:
    """A model that is right the less often, the larger n is: it writes the n-th label after the first."""

    def reply(request: Request) -> Response:
        labels = request.labels
        return Response(
            labels[(len(request.prompt) + n) % len(labels)] if labels else "因为下雨了" * (1 + n % 3), "stop"
        )

    return reply


@made_once
def eight(folder: Path) -> Path:
    """A run of eight models on all tasks of both sets, and its page."""
    evalsuite.run({name: answer(n) for n, name in enumerate(MODELS)}, limit=6, out=folder / "run")
    return folder / "run" / "page" / "index.html"


@pytest.fixture(params=["en", "zh"])
def lang(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def open_at(eight: Path, browse: Any, lang: str) -> Iterator[Any]:
    def opened(width: int, height: int) -> Any:
        size = {"width": width, "height": height}
        return browse(eight, "html[data-drawn=all]", query=f"?lang={lang}", viewport=size, laid_out=False, folded=True)

    return opened


def edge(tab: Any, selector: str, side: str) -> float:
    found = tab.locator(selector).evaluate_all(f"all => all.map((x) => x.getBoundingClientRect().{side})")
    assert found, selector
    return max(found)


def test_the_harder_set_stands_on_the_first_screen(open_at: Any) -> None:
    with open_at(1280, 800) as tab:
        rows = "table.overview[data-set=hard] tbody.own tr:not(.group)"
        assert tab.locator(rows).count() == len(MODELS)
        assert tab.locator("table.overview[data-set=hard] thead th").count() == 9
        assert edge(tab, f"{rows} td", "bottom") <= 800
        assert edge(tab, "table.overview[data-set=hard] thead th", "right") <= 1280
        assert edge(tab, "h1", "bottom") < edge(tab, "#part-tables", "top")
        box = tab.locator("#sheet-hard")
        assert box.evaluate("x => x.scrollWidth <= x.clientWidth")
        first, second = (edge(tab, f"table.overview[data-set={name}]", "top") for name in ("hard", "easy"))
        assert first < second
        number, interval = (tab.locator(f"{rows} .{part}").first.bounding_box() for part in ("num", "ci"))
        assert number["y"] + number["height"] <= interval["y"] + 1  # the interval is below its number


def test_a_phone_shows_a_score_without_scrolling(open_at: Any) -> None:
    with open_at(390, 800) as tab:
        number = tab.locator("table.overview[data-set=hard] .num").first.bounding_box()
        assert number["y"] + number["height"] <= 700
        assert tab.evaluate("document.documentElement.scrollWidth") == 390
        assert not tab.locator("#pickers").evaluate("x => x.open")


@pytest.mark.parametrize("width", [1024, 1280])
def test_nothing_scrolls_sideways(open_at: Any, width: int) -> None:
    """But tables of more than twelve columns."""
    with open_at(width, 800) as tab:
        tab.evaluate("document.querySelectorAll('details.section').forEach((x) => { x.open = true; })")
        wide = """all => all.filter((x) => x.scrollWidth > x.clientWidth)
            .filter((x) => (x.querySelector("tbody tr:not(.group)")?.children.length ?? 0) <= 12).map((x) => x.id)"""
        assert tab.locator(".scroll, .sections").evaluate_all(wide) == []


def test_rows_go_by_mean_rank_in_tables_and_charts(open_at: Any) -> None:
    with open_at(1280, 800) as tab:
        names = [
            tab.locator(f"table.overview[data-set={item_set}] tbody.own th .name").all_inner_texts()
            for item_set in ("hard", "easy")
        ]
        ranked = tab.locator("table.overview[data-set=hard] tbody.own tr:not(.group)").evaluate_all(
            "all => all.map((x) => [...x.querySelectorAll('td .num')].map((y) => Number(y.textContent)))"
        )
        columns = list(zip(*ranked, strict=True))
        means = [
            sum(sum((w > v) + (w == v) / 2 for w in c) for c, v in zip(columns, row, strict=True)) for row in ranked
        ]
        assert means == sorted(means)
        assert names[0] == names[1]
        charts = tab.locator("#charts .panel").evaluate_all(
            "all => all.map((x) => [...x.querySelectorAll('.names .name')].map((y) => y.textContent))"
        )
        assert charts and all(chart == names[0] for chart in charts)


def test_the_contents_follow_the_reading(open_at: Any) -> None:
    with open_at(1280, 800) as tab:
        groups = tab.locator("#contents [role=group]").evaluate_all("all => all.map((x) => x.ariaLabel)")
        assert len(groups) == len(set(groups)) >= 3
        assert tab.locator("#contents button").first.is_visible()
        link = tab.locator("[data-section=part-slices]")
        link.click()
        tab.wait_for_selector("[data-section=part-slices][aria-current=true]")
        assert tab.locator("#part-slices details.section").evaluate("x => x.open")
        assert tab.locator("#contents [aria-current]").count() == 1
    with open_at(800, 800) as tab:
        assert not tab.locator("#contents button").first.is_visible()
        tab.click("#contents summary")
        tab.locator("[data-section=part-ranks]").click()
        tab.wait_for_selector("[data-section=part-ranks][aria-current=true]", state="attached")
        assert not tab.locator("#contents").evaluate("x => x.open")
        assert 0 <= edge(tab, "#ranks", "top") < 200


def test_a_folded_section_says_what_is_inside(open_at: Any) -> None:
    with open_at(1280, 800) as tab:
        lines = tab.locator("details.section > summary small").all_text_contents()
        assert lines and all(line.strip() for line in lines)
        assert tab.locator("details.section[open]").count() == 0
        fold = tab.locator("#part-statuses details.section")
        fold.locator("summary").first.focus()
        tab.keyboard.press("Enter")
        tab.wait_for_function("() => location.hash.includes('section-statuses')")
        assert fold.locator("table").first.is_visible()
