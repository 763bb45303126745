"""Whether the page can be used by all: axe (WCAG 2.0 to 2.2, A and AA, and good practice), keyboard, contrast, zoom."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from everything import everything
from needs import needs
from page_checks import THIN, unfold, violations
from shared_fixtures import shared_folder
from tiers import thorough_but

import evalsuite
from evalsuite.review import audit

needs("dev", "axe_playwright_python")
needs("openai", "openai", "tenacity", "aiolimiter")

CELL = "run=0&model=lexical&set=hard&task=domain_identification&split=test&prompt=paper&shots=0&scoring=generate"
WAYS = [("en", "light", 1280), ("zh", "dark", 390)]
FOCUSABLE = "button:not(:disabled), a[href], select, input:not(:disabled), summary, [tabindex='0']"


run = shared_folder(everything, "run")


@pytest.fixture(scope="module")
def tab(run: Path, browse: Any) -> Iterator[Any]:
    """One tab for all tests. The policy of the page, which would keep axe out too, is off; others test that it holds."""
    with browse(evalsuite.report([run]), bypass_csp=True) as tab:
        yield tab


@pytest.fixture
def visit(run: Path, tab: Any) -> Any:
    def go(lang: str = "en", theme: str = "light", width: int = 1280, at: str = "", page: str = "page") -> Any:
        tab.set_viewport_size({"width": width, "height": 900})
        tab.goto("about:blank")
        tab.goto(f"{(run / page / 'index.html').as_uri()}?lang={lang}&theme={theme}#{at}")
        tab.wait_for_selector("#panes, html[data-drawn=all], #name, #output")
        return tab

    return go


def open_item(tab: Any) -> None:
    tab.click(".rows .row >> nth=0")
    tab.wait_for_selector("#others .card")


@pytest.mark.thorough
@pytest.mark.parametrize(("lang", "theme", "width"), WAYS)
def test_axe_finds_no_fault_in_the_overview(visit: Any, lang: str, theme: str, width: int) -> None:
    tab = visit(lang, theme, width)
    sections = "#ranks, #robustness, #drops-charts, #wordings-charts, #shots-charts, #breakdown, #confusion, #learning, #judge, #correlations, #tokens"
    assert tab.locator(sections).count() == 11, "something is not drawn that should be tested"
    if lang == "en":
        without_motion(tab)
    unfold(tab)
    no_sideways_scrolling_when_zoomed(tab)
    assert tab.evaluate(Path(__file__).with_name("contrast.js").read_text(encoding="utf-8")) == []
    if lang == "en":
        focus_is_seen(tab)
        nothing_by_colour_alone(tab)
    tab.evaluate(THIN)
    assert violations(tab, drawn=theme == "dark") == []


@pytest.mark.parametrize(("lang", "theme", "width"), thorough_but(1, WAYS))
def test_axe_finds_no_fault_in_items(visit: Any, lang: str, theme: str, width: int) -> None:
    tab = visit(lang, theme, width, CELL)
    unfold(tab)
    no_sideways_scrolling_when_zoomed(tab)
    assert violations(tab, drawn=theme == "dark") == []
    open_item(tab)
    unfold(tab)
    no_sideways_scrolling_when_zoomed(tab)
    focus_is_seen(tab)
    assert violations(tab, drawn=theme == "dark") == []


@pytest.mark.thorough
@pytest.mark.parametrize(("lang", "theme", "width"), WAYS)
def test_axe_finds_no_fault_in_the_audit_page(run: Path, visit: Any, lang: str, theme: str, width: int) -> None:
    page = audit.make_sample(run, n=6, models=["random"])[0].parent
    tab = visit(lang, theme, width, page=str(page.relative_to(run)))
    tab.evaluate("localStorage.clear()")
    tab.reload()
    tab.wait_for_selector("#name")
    drawn = theme == "dark"
    assert violations(tab, drawn=drawn) == []
    tab.fill("#name", "林小雨")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#output")
    tab.click(".stepper .check input")
    for _ in range(4):  # choices, spans, texts
        tab.click(".marks .mark >> nth=0")
        assert violations(tab, drawn=drawn) == []
        tab.click("#next", force=True)
    tab.click("#keys")
    assert violations(tab, drawn=drawn) == []
    tab.keyboard.press("Escape")


def call_on_focused(tab: Any, what: str = "matches", *args: str) -> Any:
    return tab.evaluate("([what, args]) => document.activeElement[what](...args)", [what, args])


@pytest.mark.thorough
def test_the_keyboard_is_enough(visit: Any) -> None:
    """A person goes from the top of the page to an item and back by keys alone."""
    tab = visit()
    tab.keyboard.press("Tab")
    assert call_on_focused(tab, "matches", "#skip") and tab.locator("#skip").bounding_box()["y"] >= 0
    tab.keyboard.press("Enter")
    assert call_on_focused(tab, "matches", "#main")
    for _ in range(60):
        if call_on_focused(tab, "matches", "table.overview[data-set=hard] [data-sort=event_cause]"):
            break
        tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")
    assert tab.locator("th[aria-sort=descending]").count() == 2
    assert call_on_focused(tab, "matches", "[data-sort=event_cause]"), "focus is lost where the table is drawn anew"
    tab.locator("details.menu > summary").first.focus()
    tab.keyboard.press("Enter")
    assert tab.locator("details.menu[open]").count() == 1
    tab.keyboard.press("Tab")
    assert call_on_focused(tab, "matches", ".menubox *")
    tab.keyboard.press("Escape")
    assert tab.locator("details.menu[open]").count() == 0 and call_on_focused(tab, "matches", "details.menu > summary")
    for chart in ("#charts", "#drops-charts", "#wordings-charts", "#shots-charts", "#breakdown-charts", "#judge-scatter", "#curves_by_set-charts"):  # fmt: skip
        go_through(tab, chart)


def go_through(tab: Any, chart: str) -> None:
    tab.locator(f"{chart} .spot[tabindex='0']").first.focus()
    first = call_on_focused(tab, "getAttribute", "aria-label")
    tab.keyboard.press("ArrowRight")
    assert (
        call_on_focused(tab, "matches", f"{chart} .spot")
        and call_on_focused(tab, "getAttribute", "aria-label") != first
    )
    assert tab.evaluate("getComputedStyle(document.activeElement.querySelector('.hit')).stroke") != "none"
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#panes")
    tab.keyboard.press("Escape")
    tab.wait_for_selector("table.overview")


def test_arrows_scroll_a_table_that_has_the_focus(visit: Any) -> None:
    tab = visit(at=CELL)
    tab.click("#metrics > summary")
    tab.locator("#metrics .scroll").focus()
    tab.keyboard.press("ArrowRight")
    assert "item=" not in tab.url
    tab.locator("#cellname").focus()
    tab.keyboard.press("ArrowRight")
    tab.wait_for_selector(".chat")
    assert "item=" in tab.url


def focus_is_seen(tab: Any) -> None:
    unseen = tab.evaluate(
        """(all) => [...document.querySelectorAll(all)].filter((x) => x.getClientRects().length).filter((x) => {
            x.focus({ focusVisible: true, preventScroll: true });
            const look = getComputedStyle(x), hit = x.matches(".spot") && getComputedStyle(x.querySelector(".hit")).stroke;
            return document.activeElement !== x || !(hit ? hit !== "none" : look.outlineStyle === "solid" && parseFloat(look.outlineWidth) >= 2);
        }).map((x) => x.outerHTML.slice(0, 150))""",
        FOCUSABLE,
    )
    assert unseen == []


def without_motion(tab: Any) -> None:
    moving = """[...document.querySelectorAll("*")].filter((x) => { const s = getComputedStyle(x);
        return s.animationName !== "none" || s.transitionDuration.split(",").some((v) => parseFloat(v) > 0) || s.scrollBehavior === "smooth"; }).length"""
    assert tab.evaluate(moving) > 0, "there is nothing to turn off: the test tells nothing"
    tab.emulate_media(reduced_motion="reduce")
    assert tab.evaluate(moving) == 0
    tab.emulate_media(reduced_motion="no-preference")


def nothing_by_colour_alone(tab: Any) -> None:
    assert tab.locator(".stack:not([aria-label])").count() == tab.locator(".legend i:not([aria-hidden])").count() == 0
    assert all(text.strip() for text in tab.locator(".legend > span").all_inner_texts())
    for rank, look in (("best", "parseInt(getComputedStyle(x).fontWeight) > 700"), ("second", "getComputedStyle(x.querySelector('.num')).borderBottomStyle === 'solid'")):  # fmt: skip
        cells = tab.locator(f"table.overview button.{rank}")
        assert cells.count() and cells.evaluate_all(f"all => all.every((x) => {look})")
        assert all(rank in label for label in cells.evaluate_all("all => all.map((x) => x.ariaLabel)"))
    assert tab.locator("td.heat").count() == tab.locator("td.heat", has_text="0").count()
    for chart in ("#drops-charts", "#shots-charts", "#breakdown-charts", "#curves_by_set-charts"):
        panels = tab.evaluate(
            """(chart) => [...document.querySelectorAll(chart + " .panel")].map((panel) =>
            [...panel.querySelectorAll(".series:has(.spot)")].map((x) => {
                const mark = x.querySelector(".mark"), corners = mark.getAttribute("points")?.split(" ").map((p) => p.split(",").map(Number));
                return [mark.localName, mark.matches(".hollow"), corners?.length, corners && corners[0][0] === corners[2]?.[0], x.querySelector(".path")?.getAttribute("stroke-dasharray")].join();
            }))""",
            chart,
        )
        assert panels and all(len(set(looks)) == len(looks) for looks in panels)


def no_sideways_scrolling_when_zoomed(tab: Any) -> None:
    """A window of 1280 pixels at 200 and 400 %."""
    size = tab.viewport_size
    for width in (640, 320):
        tab.set_viewport_size({"width": width, "height": 900})
        assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
    tab.set_viewport_size(size)
