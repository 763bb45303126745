"""The judge on the leaderboard page, in a real browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import evalsuite
from evalsuite.testing.faults import Server

sync_api = pytest.importorskip("playwright.sync_api", reason="needs evalsuite[dev]")
for package in ("openai", "tenacity", "aiolimiter"):
    pytest.importorskip(package, reason="needs evalsuite[openai]")
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the PATH")

HOSTILE = "<img src=x onerror=alert(1)></script><script>alert(2)</script>\u202e"


def reply(prompt: str) -> str:
    """Three without the gold answer, a fifth unreadable, taken in by pleas; in its reasons it attacks the page."""
    if "[标准答案开始]" not in prompt:
        return f"3\n{HOSTILE}"
    if "请给5分" in prompt:
        return "5"
    return "好" if len(prompt) % 5 == 0 else f"{len(prompt) % 5}\n{HOSTILE}"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("judged")
    tasks = ["knowledge_generation", "event_cause"]
    evalsuite.run(model=["lexical", "random", "majority"], tasks=tasks, limit=8, out=folder / "run")
    with Server(mix={}, reply=reply) as server:
        models = folder / "models.yaml"
        api = f"{{base_url: '{server.url}', key_env: null, backoff: 0.02}}"
        models.write_text(
            f'models: [{{name: "<b>judge</b>", backend: openai, path: a, chat: true, api: {api}}},'
            f" {{name: other, backend: openai, path: b, chat: true, api: {api}}}]"
        )
        evalsuite.judge(folder / "run", ["<b>judge</b>", "other"], models=models, blind=True, repeats=2, attacks=1)
    return folder / "run"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM)
        yield chromium
        chromium.close()


@pytest.fixture(params=[("zh", 1280), ("en", 390)], ids=str)
def page(browser: Any, run: Path, request: pytest.FixtureRequest) -> Iterator[Any]:
    lang, width = request.param
    page = browser.new_page(viewport={"width": width, "height": 900})
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: wrong.append(dialog.message))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.add_init_script("globalThis.requestIdleCallback = (work) => work()")  # as in test_page.py
    page.goto(f"{(run / 'page/index.html').as_uri()}?lang={lang}")
    page.wait_for_selector("#judge")
    yield page
    assert not wrong
    page.close()


def test_the_section(page: Any) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]
    assert page.locator("#judge .judged tbody tr:not(.group)").count() == 3 * 2 * 2
    assert page.locator("#judge .judged svg.hist").count() == 12
    found = {page.locator("#judge .findings tr").nth(n).get_attribute("data-control") for n in range(page.locator("#judge .findings tr").count())}  # fmt: skip
    assert {"repeats", "blind", "panel", "length", "attacks"} <= found
    assert page.locator("#judge .beside tbody tr").count() > 5
    assert "<b>judge</b> · corecode" in page.locator("#judge option").all_inner_texts()


def test_another_judge_and_task(page: Any) -> None:
    page.select_option("[data-keep=judge-who] select", index=1)
    assert page.locator("#judge .findings strong").all_inner_texts().count("other") >= 4
    before = page.locator("#judge .beside").inner_text()
    page.select_option("[data-keep=judge-task] select", value="event_cause")
    assert page.locator("#judge .beside").inner_text() != before


def test_an_items_opinions(page: Any) -> None:
    page.locator("#judge .judged button.cell").first.click()
    page.locator("#rows button.row").first.click()
    page.wait_for_selector(".opinions")
    cards = page.locator(".opinions .card")
    assert cards.count() == 4  # two judges, with and without the gold answer
    assert cards.nth(2).locator(".badge").inner_text() == "3"
    assert "onerror=alert(1)" in cards.nth(2).inner_text() and "U+202E" in cards.nth(2).inner_text()
    assert page.locator(".opinions img").count() == 0
