"""The leaderboard page, in a real browser from file://: what a reader does, and what hostile replies must not do."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import evalsuite

sync_api = pytest.importorskip("playwright.sync_api", reason="needs evalsuite[dev]")
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the PATH")

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "b\u202e)a(\u0000\u0007\u200b",
    "{{constructor.constructor('alert(3)')()}}",
    '"><svg onload=alert(4)>',
]


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of three baselines, one of them given a hostile name and hostile replies."""
    run = tmp_path_factory.mktemp("page") / "run"
    evalsuite.run(model=["random", "majority", "lexical"], limit=12, out=run)
    results = json.loads((run / "results.json").read_text())
    for cell in results["cells"]:
        if cell["model"] != "lexical":
            continue
        cell["model"] = HOSTILE[0]
        cell["facts"].update(backend="hf", tags=[])  # so that it stands among the models, not the baselines
        path = run / cell["records"]
        records = [json.loads(line) for line in path.read_text().splitlines()]
        for n, record in enumerate(records[: len(HOSTILE)]):
            record["reply"] = HOSTILE[n]
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
    (run / "results.json").write_text(json.dumps(results))
    return evalsuite.report([run])


@pytest.fixture
def page(page_file: Path) -> Iterator[Any]:
    """A browser page that fails the test on any dialog, script error, console message or network request."""
    noise: list[str] = []
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_context(
            locale="en-US", viewport={"width": 1280, "height": 900}, accept_downloads=True
        ).new_page()
        tab.on("console", lambda message: noise.append(message.text))
        tab.on("pageerror", lambda error: noise.append(str(error)))
        tab.on("dialog", lambda dialog: (noise.append(dialog.message), dialog.dismiss()))
        tab.on("request", lambda r: None if r.url.startswith(("file:", "data:", "blob:")) else noise.append(r.url))
        tab.goto(page_file.as_uri())
        tab.wait_for_selector("table.overview")
        yield tab
        browser.close()
    assert not noise


def test_overview(page: Any) -> None:
    assert page.inner_text("h1") == "CORECODE leaderboard"
    for item_set in ("easy", "hard"):
        table = page.inner_text(f"table[data-set={item_set}]")
        assert "random" in table and "majority" in table and HOSTILE[0] in table
    assert "ChatGLM-6B" in page.inner_text("table[data-set=hard] tbody.paper")
    page.click("[data-keep=published]")
    assert page.locator("tbody.paper").count() == 0
    heading = "table[data-set=hard] button[data-sort=domain_identification]"
    for order in ("descending", "ascending"):
        page.click(heading)
        assert page.locator(heading).locator("xpath=ancestor::th").get_attribute("aria-sort") == order


def test_language_and_theme(page: Any) -> None:
    page.click("#lang")
    assert page.inner_text("h1").startswith("CORECODE 评测榜")
    page.click("#theme")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_export(page: Any) -> None:
    with page.expect_download() as download:
        page.click("#csv")
    rows = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8-sig"))))
    assert {"random", "majority"} <= {row["model"] for row in rows}
    assert any(row["signature"].startswith("accuracy|parser:full") for row in rows)


def test_evidence_and_hostile_replies(page: Any) -> None:
    row = page.locator("table[data-set=hard] tbody.own tr", has_text="<img")
    row.locator("button.cell").first.click()
    page.wait_for_selector("#panes")
    for number, reply in enumerate(HOSTILE):
        page.keyboard.press("j")
        page.wait_for_function("n => location.hash.endsWith('%2F' + n)", arg=number)
        shown = page.inner_text("pre.reply >> nth=0")
        if "\u202e" in reply:
            assert "\u202e" not in shown and "U+202E" in shown and "U+0000" in shown
        else:
            assert shown == reply
    assert page.locator(".chat").count() == 1
    assert page.locator("#main img, #main svg[onload]").count() == 0
    link = page.url
    page.click(".detail summary")
    assert "候选选项" in page.inner_text(".promptbox pre")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.wait_for_selector("table.overview")
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector(".chat")


def test_what_was_read_is_highlighted(page: Any) -> None:
    row = page.locator("table[data-set=easy] tbody tr", has_text="random").first
    row.locator("button.cell").first.click()
    page.wait_for_selector("#panes")
    page.click(".rows .row >> nth=0")
    page.wait_for_selector(".chat")
    assert page.inner_text(".two mark.read").strip("()") in "abc"


@pytest.mark.parametrize("width", [390, 1280, 1920])
def test_no_sideways_scrolling(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
