"""The first screen of the leaderboard: what was found and the table of the harder set, before anybody scrolls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from needs import needs
from shared_fixtures import shared_folder
from tiers import thorough_but

import evalsuite
from evalsuite.types import Request, Response

needs("dev")

MODELS = [f"model-{n}" for n in range(8)]


def answer(n: int) -> Any:
    """A model whose answers depend on the length of the prompt and on n; for items without labels, its text depends
    on n alone."""

    def reply(request: Request) -> Response:
        labels = request.labels
        if request.id.endswith("1"):  # a part of each cell has no answer
            return Response("我不知道。", "stop")
        return Response(
            labels[(len(request.prompt) + n) % len(labels)] if labels else "因为下雨了" * (1 + n % 3), "stop"
        )

    return reply


@shared_folder
def eight(folder: Path) -> Path:
    """A run of eight models on all tasks of both sets, and its page."""
    evalsuite.run({name: answer(n) for n, name in enumerate(MODELS)}, limit=4, out=folder / "run")
    return folder / "run" / "page" / "index.html"


LANGUAGES = pytest.mark.parametrize("lang", thorough_but(1, ["en", "zh"]))


def open_at(eight: Path, browse: Any, lang: str, width: int) -> Any:
    """The page as a reader gets it: what is out of sight is drawn when the browser idles, and laid out when it comes near."""
    query, size = f"?lang={lang}", {"width": width, "height": 800}
    return browse(eight, "html[data-drawn=all]", "", query, viewport=size, laid_out=False, folded=True)


def outermost_edge(tab: Any, selector: str, side: str) -> float:
    found = tab.locator(selector).evaluate_all(f"all => all.map((x) => x.getBoundingClientRect().{side})")
    assert found, selector
    return max(found)


@LANGUAGES
def test_the_first_screen_has_findings_and_the_harder_set(eight: Path, browse: Any, lang: str) -> None:
    with open_at(eight, browse, lang, 1280) as tab:
        sections_below_take_up_room(tab)
        harder_set_stands_on_the_first_screen(tab)
        rows_go_by_mean_rank_in_tables_and_charts(tab)
        folded_sections_say_what_is_inside(tab)
        contents_follow_the_reading(tab)
        contents_of_a_narrow_window_are_a_menu(tab)
        nothing_scrolls_sideways(tab)


def sections_below_take_up_room(tab: Any) -> None:
    """A section that is not laid out yet has an estimated height; without it all sections would be in the window."""
    heights = tab.locator(".part:not(:empty)").evaluate_all("all => all.map((x) => x.offsetHeight)")
    assert len(heights) > 5 and min(heights) > 40


def harder_set_stands_on_the_first_screen(tab: Any) -> None:
    rows = "table.overview[data-set=hard] tbody.own tr:not(.group)"
    assert tab.locator(rows).count() == len(MODELS)
    assert tab.locator("table.overview[data-set=hard] thead th").count() == 9
    assert outermost_edge(tab, f"{rows} td", "bottom") <= 800
    assert outermost_edge(tab, "table.overview[data-set=hard] thead th", "right") <= 1280
    assert outermost_edge(tab, "h1", "bottom") < outermost_edge(tab, "#part-tables", "top")
    box = tab.locator("#sheet-hard")
    assert box.evaluate("x => x.scrollWidth <= x.clientWidth")
    first, second = (outermost_edge(tab, f"table.overview[data-set={name}]", "top") for name in ("hard", "easy"))
    assert first < second
    assert tab.locator(f"{rows} .ci .brief").count() > 30  # marks beside intervals
    number, interval = (tab.locator(f"{rows} .{part}").first.bounding_box() for part in ("num", "ci"))
    assert number["y"] + number["height"] <= interval["y"] + 1  # the interval is below its number


def rows_go_by_mean_rank_in_tables_and_charts(tab: Any) -> None:
    names = [
        tab.locator(f"table.overview[data-set={item_set}] tbody.own th .name").all_inner_texts()
        for item_set in ("hard", "easy")
    ]
    ranked = tab.locator("table.overview[data-set=hard] tbody.own tr:not(.group)").evaluate_all(
        "all => all.map((x) => [...x.querySelectorAll('td .num')].map((y) => Number(y.textContent)))"
    )
    columns = list(zip(*ranked, strict=True))
    means = [sum(sum((w > v) + (w == v) / 2 for w in c) for c, v in zip(columns, row, strict=True)) for row in ranked]
    assert means == sorted(means)
    assert names[0] == names[1]
    panels = tab.locator("#rank-plots figcaption strong").all_inner_texts()
    assert panels == tab.locator("table.overview").evaluate_all(
        "all => all.map((x) => document.getElementById(`set-${x.dataset.set}`).textContent)"
    )  # ranks go by the sets as the tables do
    charts = tab.locator("#charts .panel").evaluate_all(
        "all => all.map((x) => [...x.querySelectorAll('.names .name')].map((y) => y.textContent))"
    )
    assert charts and all(chart == names[0] for chart in charts)


def folded_sections_say_what_is_inside(tab: Any) -> None:
    lines = tab.locator("details.section > summary small").all_text_contents()
    assert lines and all(line.strip() for line in lines)
    assert tab.locator("details.section[open]").count() == 0
    fold = tab.locator("#part-statuses details.section")
    fold.locator("summary").first.focus()
    tab.keyboard.press("Enter")
    tab.wait_for_function("() => location.hash.includes('section-statuses')")
    assert fold.locator("table").first.is_visible()


def contents_follow_the_reading(tab: Any) -> None:
    groups = tab.locator("#contents [role=group]").evaluate_all("all => all.map((x) => x.ariaLabel)")
    assert len(groups) == len(set(groups)) >= 3
    assert tab.locator("#contents button").first.is_visible()
    link = tab.locator("[data-section=part-slices]")
    link.click()
    tab.wait_for_selector("[data-section=part-slices][aria-current=true]")
    assert tab.locator("#part-slices details.section").evaluate("x => x.open")
    assert tab.locator("#contents [aria-current]").count() == 1


def contents_of_a_narrow_window_are_a_menu(tab: Any) -> None:
    tab.set_viewport_size({"width": 800, "height": 800})
    assert not tab.locator("#contents button").first.is_visible()
    tab.click("#contents summary")
    tab.locator("[data-section=part-ranks]").click()
    tab.wait_for_selector("[data-section=part-ranks][aria-current=true]", state="attached")
    assert not tab.locator("#contents").evaluate("x => x.open")
    assert 0 <= outermost_edge(tab, "#ranks", "top") < 200


def nothing_scrolls_sideways(tab: Any) -> None:
    """Assert that nothing scrolls sideways but tables of more than twelve columns."""
    tab.evaluate("document.querySelectorAll('details.section').forEach((x) => { x.open = true; })")
    wide = """all => all.filter((x) => x.scrollWidth > x.clientWidth)
        .filter((x) => (x.querySelector("tbody tr:not(.group)")?.children.length ?? 0) <= 12).map((x) => x.id)"""
    for width in (1024, 1280):
        tab.set_viewport_size({"width": width, "height": 800})
        assert tab.locator(".scroll, .sections").evaluate_all(wide) == [], width


@LANGUAGES
def test_a_phone_shows_a_score_without_scrolling(eight: Path, browse: Any, lang: str) -> None:
    with open_at(eight, browse, lang, 390) as tab:
        number = tab.locator("table.overview[data-set=hard] .num").first.bounding_box()
        assert number["y"] + number["height"] <= 700
        assert tab.evaluate("document.documentElement.scrollWidth") == 390
        assert not tab.locator("#pickers").evaluate("x => x.open")
