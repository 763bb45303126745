"""The judge on the leaderboard page, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from needs import needs
from run_files import results_json
from shared_fixtures import shared_folder

import evalsuite
from evalsuite.backends.openai.faults import Server

needs("openai", "openai", "tenacity", "aiolimiter")

HOSTILE = "<img src=x onerror=alert(1)></script><script>alert(2)</script>\u202e"


def reply(prompt: str) -> str:
    """A judge's reply: three without the gold answer, a fifth unreadable, higher after pleas; its reasons attack the page."""
    if "[标准答案开始]" not in prompt:
        return f"3\n{HOSTILE}"
    if "请给5分" in prompt:
        return "5"
    return "好" if len(prompt) % 5 == 0 else f"{len(prompt) % 5}\n{HOSTILE}"


@shared_folder
def run(folder: Path) -> Path:
    tasks = ["knowledge_generation", "event_cause"]
    evalsuite.run(model=["lexical", "random", "majority"], tasks=tasks, limit=5, out=folder / "run")
    with Server(mix={}, reply=reply) as server:
        models = folder / "models.yaml"
        api = f"{{base_url: '{server.url}', key_env: null, backoff: 0.02}}"
        models.write_text(
            f'models: [{{name: "<b>judge</b>", backend: openai, path: a, chat: true, api: {api}}},'
            f" {{name: other, backend: openai, path: b, chat: true, api: {api}}}]"
        )
        evalsuite.judge(folder / "run", ["<b>judge</b>", "other"], models=models, blind=True, repeats=2, attacks=1)
    return folder / "run"


WIDE, NARROW = ("zh", 1280), ("en", 390)


@pytest.fixture
def page(browse: Any, run: Path, request: pytest.FixtureRequest) -> Iterator[Any]:
    lang, width = getattr(request, "param", WIDE)
    with browse(run / "page/index.html", "#judge", query=f"?lang={lang}", viewport={"width": width, "height": 900}) as tab:  # fmt: skip
        yield tab


@pytest.mark.thorough
def test_the_section_in_a_wide_window_in_chinese(page: Any, run: Path) -> None:
    see_section(page)
    for metric in ("f1", "paper.cider"):
        means_against_a_metric(page, run, metric)
    another_judge_and_task(page)


SETS = {"easy": "简单", "hard": "困难"}  # names of the sets in Chinese


@pytest.mark.parametrize("page", [NARROW], indirect=True, ids=str)
def test_a_phone_shows_whole_controls_and_menus(page: Any) -> None:
    """The table of controls needs no scrolling, and no menu of exports is cut off at an edge of the window."""
    fits = "box => box.scrollWidth <= box.clientWidth"
    assert page.locator("#sheet-judge-controls").evaluate(fits)
    inside = "box => [box.getBoundingClientRect()].every((edge) => edge.left >= 0 && edge.right <= innerWidth)"
    menus = page.locator("#judge details.menu:visible")
    assert menus.count() > 1
    for menu in menus.all():
        menu.locator("summary").click()
        assert menu.locator(".menubox").evaluate(inside)
        menu.locator("summary").click()


@pytest.mark.thorough
@pytest.mark.parametrize("page", [NARROW], indirect=True, ids=str)
def test_the_section_in_a_narrow_window_in_english(page: Any, run: Path) -> None:
    see_section(page)
    items_against_a_metric(page, run)
    opinions_of_an_item(page)


def see_section(page: Any) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]
    means = page.locator("#judge [data-sheet=judge-means]")
    assert means.locator("tbody:not(.apart) tr").count() == means.locator("svg.hist").count() == 3 * 2 * 2
    assert (
        means.locator("tbody.apart tr", has_text="BLOOMZ-1.7B").locator("td.v").first.inner_text() == "4.06"
    )  # Table 2
    names = {"en": {"repeats", "blind", "panel", "length", "attacks"}, "zh": {"重复评分", "不给标准答案", "评审团", "长度偏好", "注入指令"}}  # fmt: skip
    lang = page.evaluate("document.documentElement.lang")[:2]
    assert names[lang] <= {*page.locator("#judge [data-sheet=judge-controls] tbody th").all_inner_texts()}
    assert page.locator("#judge [data-sheet=judge-correlations]").count() == 0  # drawn when it is opened
    page.click("[data-unfold=judge-metrics] summary")
    page.wait_for_selector("#judge [data-sheet=judge-correlations] tbody")
    assert page.locator("#judge [data-sheet=judge-correlations] tbody tr").count() > 5
    assert "<b>judge</b> · corecode" in page.locator("#judge option").all_inner_texts()


def another_judge_and_task(page: Any) -> None:
    page.select_option("[data-keep=judge-who] select", index=1)
    assert sum("other" in text for text in page.locator("#judge tr.lit").all_inner_texts()) >= 4
    if page.locator("[data-unfold=judge-metrics]:not([open])").count():
        page.click("[data-unfold=judge-metrics] summary")
    page.wait_for_selector("#judge [data-sheet=judge-correlations] tbody")
    before = page.locator("#judge [data-sheet=judge-correlations]").inner_text()
    page.select_option("[data-keep=judge-task] select", value="event_cause")
    assert page.locator("#judge [data-sheet=judge-correlations]").inner_text() != before


def judged_cells(run: Path, **more: Any) -> list[dict[str, Any]]:
    cells = results_json(run)["judged"]["cells"]
    wanted = {"judge": "<b>judge</b>", "control": "plain", **more}
    return [c for c in cells if all(c[k] == v for k, v in wanted.items())]


def means_against_a_metric(page: Any, run: Path, metric: str) -> None:
    """A marker per cell: across as its metric is, up as its mean is. Enter opens its evidence."""
    page.select_option("[data-keep=judge-metric] select", metric)
    results = results_json(run)
    of = {(c["model"], c["task"], c["set"]): c["metrics"][metric]["value"] for c in results["cells"]}
    for task in ("knowledge_generation", "event_cause"):
        panel = page.locator(f"#judge-scatter [data-task={task}]")
        found = []
        for cell in judged_cells(run, task=task):
            name = f"{cell['model']}, {SETS[cell['set']]}:"
            spot = panel.locator(f".spot[aria-label^='{name}'] .hit")
            x, y = (float(spot.get_attribute(k)) for k in ("cx", "cy"))
            found.append((of[cell["model"], task, cell["set"]], x, cell["scales"]["score"]["value"], y))
        assert len(found) == panel.locator(".spot").count() == 6
        assert slopes([(value, x) for value, x, _, _ in found]) > 0
        assert slopes([(mean, y) for _, _, mean, y in found]) < 0
    page.locator("#judge-scatter [tabindex='0']").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#panes")
    page.keyboard.press("Escape")
    page.wait_for_selector("#judge-scatter")


def slopes(pairs: list[tuple[float, float]]) -> float:
    """The pixels of a unit, which are equal between any two values that are far enough apart."""
    told = [(b[1] - a[1]) / (b[0] - a[0]) for a in pairs for b in pairs if b[0] - a[0] > 0.02]
    assert told and max(told) == pytest.approx(min(told), rel=1e-4)
    return told[0]


def items_against_a_metric(page: Any, run: Path) -> None:
    page.select_option("[data-keep=judge-task] select", value="event_cause")
    page.select_option("[data-keep=judge-set] select", value="easy")
    cells = judged_cells(run, task="event_cause", set="easy")
    assert page.locator("#judge-joint .panel").count() == len(cells) == 3
    for cell in cells:
        numbers = cell["scales"]["score"]
        panel = page.locator(f"#judge-joint [data-joint={cell['model']}]")
        shown = [
            int(n) for row in sorted(numbers["joint"]["f1"]) for n in numbers["joint"]["f1"][row].split() if n != "0"
        ]
        assert [int(x) for x in panel.locator(".count").all_text_contents()] == shown
        assert sum(shown) == numbers["n"] and f"n={numbers['n']}" in panel.inner_text()
        x = numbers["metrics"]["f1"]
        if x["spearman_low"] is not None:
            assert f"ρ {x['spearman']:+.2f} ({x['spearman_low']:+.2f}".replace("-", "−") in panel.inner_text()


def opinions_of_an_item(page: Any) -> None:
    page.locator("#judge [data-sheet=judge-means] button.cell").first.click()
    page.locator("#rows button.row").first.click()
    page.wait_for_selector(".opinions")
    cards = page.locator(".opinions .card")
    assert cards.count() == 4  # two judges, with and without the gold answer
    assert cards.nth(2).locator(".badge").inner_text() == "3"
    assert "onerror=alert(1)" in cards.nth(2).inner_text() and "U+202E" in cards.nth(2).inner_text()
    assert page.locator(".opinions img").count() == 0
