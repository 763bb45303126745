"""The address is the page's state: back and forward go through all that was chosen, and another tab shows the same."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from everything import everything
from needs import needs
from shared_fixtures import shared_folder

import evalsuite

needs("openai", "openai", "tenacity", "aiolimiter")

run = shared_folder(everything, "run")

# The address and the view: what is chosen, and all words. Read when the page has followed its address, and what it waits for
# itself is there.
VIEW = """async () => {
    const here = () => !document.querySelector("[aria-busy]") && (document.documentElement.dataset.drawn === "all" || document.querySelector("#panes"))
        && (!document.querySelector("#others") || document.querySelector("#others").childElementCount > 1);
    while (!here()) await new Promise(requestAnimationFrame);
    const all = (selector, tell) => [...document.querySelectorAll(selector)].map(tell);
    return [location.hash, JSON.stringify([
        all("#main select", (x) => x.value),
        all("#main input", (x) => x.type === "checkbox" ? x.checked : x.value),
        all("#main [aria-pressed]", (x) => x.getAttribute("aria-pressed")),
        all("#main [aria-sort]", (x) => x.getAttribute("aria-sort")),
        document.getElementById("main").textContent,
    ])];
}"""
PICKERS = "#main label.field:has(select)"


@pytest.fixture(scope="module")
def page_file(run: Path) -> Path:
    return evalsuite.report([run])


@pytest.fixture
def tab(page_file: Path, browse: Any) -> Iterator[Any]:
    with browse(page_file, laid_out=False) as tab:
        yield tab


def address_and_view(tab: Any) -> tuple[str, str]:
    """The page's address, and the texts that the page shows at it."""
    address, view = tab.evaluate(VIEW)
    return address, view


def view_after(tab: Any, how: Callable[[], object]) -> tuple[str, str]:
    """The view after a step in the history. The page's own listener is called before the one here."""
    tab.evaluate("() => { window.moved = new Promise((done) => addEventListener('hashchange', done, { once: true })) }")
    how()
    tab.evaluate("() => window.moved")
    return address_and_view(tab)


def pickers(tab: Any) -> list[str]:
    """The pickers that have something to pick, by the names that focus finds them by."""
    found: list[str] = tab.evaluate(f"""() => [...document.querySelectorAll("{PICKERS}")]
        .filter((x) => x.querySelectorAll("option").length > 1).map((x) => x.dataset.keep)""")
    return found


def pick_another(tab: Any, name: str) -> bool:
    """Pick the first other value of a picker; False if it is there no more."""
    box = tab.locator(f"[data-keep={json.dumps(name)}] select")
    value = box.evaluate("(box) => [...box.options].find((x) => !x.selected)?.value") if box.count() else None
    if value is None:
        return False
    box.select_option(value)
    return True


def choices(tab: Any) -> Iterator[str]:
    """Choose another value of everything that can be chosen on the overview, a step each. Returns the names of the
    choices."""
    for column in (1, 1, 0):  # sorts downwards, upwards, then by name
        tab.locator("table.overview >> nth=0").locator("button.sort").nth(column).click()
        yield f"sort {column}"
    tab.locator("button.sort[data-column]:visible").first.click()
    yield "sort a sheet"
    for key in range(2):
        tab.locator(".modelkeys button").nth(key).click()
        yield f"highlight {key}"
    for name in reversed(pickers(tab)):  # pickers of sections come first: the filters leave fewer of these
        if pick_another(tab, name):
            yield name
    for name in ("intervals", "letters", "published", "adapters", "issues", "corr-paper"):
        box = tab.locator(f"[data-keep={name}] input")
        if box.count():
            box.click()
            yield name


def visit_again(tab: Any, been: list[tuple[str, str]]) -> None:
    """Go back through the visited addresses and forward again, and compare each page with the first visit. A few
    large steps are enough: each draws a page anew."""
    last = len(been) - 1
    back, forward = (range(last, -1, -step) for step in (max(1, last // 6), max(1, last // 3)))
    for here, there in pairwise([*back, 0, *reversed(forward), last]):
        if here != there:
            step = f"() => history.go({there - here})"
            assert view_after(tab, lambda step=step: tab.evaluate(step)) == been[there], (
                f"place {there}: {been[there][0]}"
            )


@pytest.mark.thorough
def test_choices_of_the_overview(tab: Any, page_file: Path, browse: Any) -> None:
    """Every picker, box, order and highlight is a step; each step's address shows in a new tab what it showed here."""
    been, done = [address_and_view(tab)], []
    for name in choices(tab):
        been.append(address_and_view(tab))
        done.append(name)
        assert been[-1][0] != been[-2][0], f"{name} is not in the address"
    assert len(done) > 20, done
    visit_again(tab, been)
    for address, shown in been[:: len(been) // 3] + been[-1:]:
        with browse(page_file, query=address, laid_out=False) as other:
            assert address_and_view(other) == (address, shown), address


def test_back_goes_from_an_item_to_its_list(tab: Any, page_file: Path, browse: Any) -> None:
    """A person goes to a cell, filters its items, opens an item and the next one: back skips from item to list, not through all
    that were read."""
    been = [address_and_view(tab)]

    def step(do: Callable[[], object]) -> None:
        view_after(tab, do)
        been.append(address_and_view(tab))

    step(tab.locator("button.cell").first.click)
    tab.click(".seg button[data-value=wrong]")  # a step without a hashchange: the page draws what it chose itself
    been.append(address_and_view(tab))
    tab.click(".seg button[data-value=all]")
    been.append(address_and_view(tab))
    step(tab.locator(".rows .row").first.click)
    view_after(tab, lambda: tab.keyboard.press("ArrowRight"))  # in place of the item before
    been[-1] = address_and_view(tab)
    assert "2 of " in tab.inner_text(".stepper")
    step(tab.locator("#others .card button").first.click)
    step(tab.locator("#back").click)
    assert been[-1][1] == been[0][1]  # the overview as it was left
    visit_again(tab, been)
    for address, shown in been[1:]:
        with browse(page_file, drawn="#panes, table.overview", query=address, laid_out=False) as other:
            assert address_and_view(other) == (address, shown), address


@pytest.mark.thorough
def test_an_address_may_name_the_language(tab: Any, page_file: Path, browse: Any) -> None:
    """The language is the reader's, and stays through the history; an address may name one, which then stays there."""
    english, been = address_and_view(tab), [address_and_view(tab)]
    pick_another(tab, "only-set")
    been.append(address_and_view(tab))
    tab.click("#lang")
    chinese = address_and_view(tab)
    assert chinese[0] == been[-1][0] and chinese[1] != been[-1][1] and "易" not in english[1]
    address, _ = view_after(tab, tab.go_back)
    assert address == been[0][0] and tab.evaluate("document.documentElement.lang") == "zh-CN"
    assert view_after(tab, tab.go_forward) == chinese
    tab.reload()
    assert address_and_view(tab) == chinese
    tab.click("#lang")
    assert address_and_view(tab) == been[-1]
    with browse(page_file, query="#lang=zh&" + been[-1][0][1:]) as other:
        assert address_and_view(other)[1] == chinese[1]
        other.locator("table.overview button.sort").nth(1).click()
        assert "lang=zh" in address_and_view(other)[0]
        view_after(other, lambda: other.click("#lang"))
        assert "lang=en" in address_and_view(other)[0]
        assert other.evaluate("document.documentElement.lang") == "en"


@pytest.mark.thorough
def test_an_address_of_what_is_not_here(page_file: Path, browse: Any) -> None:
    """Parts of an address that the page does not have are left out; for a cell, the page says so."""
    with browse(page_file) as plain:
        _, usual = address_and_view(plain)
    with browse(page_file, query="#set=v9&tasks=none&shots=x&sort=none&size=9T&highlight=0:nobody&prompt=%25") as other:
        assert address_and_view(other)[1] == usual
    with browse(page_file, query="#run=0&model=nobody&set=easy") as other:
        assert other.locator("#gone").count() == 1


@pytest.mark.thorough
def test_letter_keys_can_be_turned_off(tab: Any) -> None:
    """J and K do nothing while single-key shortcuts are off, after a reload, too; arrows and Escape still work."""
    view_after(tab, tab.locator("button.cell").first.click)
    view_after(tab, tab.locator(".rows .row").first.click)

    def place() -> str:
        address_and_view(tab)
        return str(tab.inner_text("#detail .stepper [role=status]"))

    def press(key: str) -> str:
        view_after(tab, lambda: tab.keyboard.press(key))
        return place()

    first = place()
    second = press("j")
    assert second != first and press("k") == first
    tab.click("#letterkeys")
    assert tab.get_attribute("#letterkeys", "aria-pressed") == "false"
    for _ in range(2):
        tab.locator("#detail").focus()
        tab.keyboard.press("j")
        tab.keyboard.press("k")
        assert place() == first
        assert press("ArrowRight") == second and press("ArrowLeft") == first
        tab.reload()
        tab.wait_for_selector("#panes")
        assert tab.get_attribute("#letterkeys", "aria-pressed") == "false"
    tab.click("#letterkeys")
    tab.locator("#detail").focus()
    assert press("j") == second
    view_after(tab, lambda: tab.keyboard.press("Escape"))
    assert tab.locator("#detail .stepper").count() == 0
