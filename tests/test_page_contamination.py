"""Signs on the page that a model has read a file: a table, and a mark on the scores of the same file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from page_checks import no_sideways_scrolling
from shared_fixtures import shared_folder

import evalsuite
from evalsuite.analyses.contamination import keep_rows


@shared_folder
def run(folder: Path) -> Path:
    """Two models on two tasks of the sample; one shows a sign on one of them."""
    out = folder / "run"
    tasks = ["knowledge_filling", "slot_identification"]
    evalsuite.run(
        {"reader": lambda request: "(a)", "other": lambda request: "(b)"}, tasks=tasks, set="easy", limit=6, out=out
    )
    row = {
        "fingerprint": "f", "set": "easy", "split": "test", "test": "order", "form": "raw", "n": 9, "left_out": 0, "units": 9,
        "tokens": 9, "expected": 0.5, "figures": {}, "checks": {}, "why": "", "reference": None, "listed": [], "task": tasks[0],
    }  # fmt: skip
    keep_rows(
        out,
        [
            row | {"model": "reader", "value": 1.0, "p": 0.0001},
            row | {"model": "reader", "task": tasks[1], "value": 0.5, "p": 0.6},
            row | {"model": "other", "value": 0.5, "p": None, "why": "not left to chance"},
        ],
    )
    evalsuite.score(out)
    evalsuite.report([out])
    return out


@pytest.fixture
def page(run: Path, browse: Any) -> Iterator[Any]:
    with browse(run / "page" / "index.html") as tab:
        yield tab


def test_the_table_and_its_words(page: Any) -> None:
    section = page.locator("#contamination")
    text = section.inner_text()
    assert "Signs of having been read" in text and "not judged: not by chance" in text and "a sign" in text
    assert "unlikely (corrected p <0.001) if the model had never read the file in this order" in text
    assert "no sign does not prove" in text
    page.set_viewport_size({"width": 400, "height": 800})
    assert no_sideways_scrolling(page)


def test_the_score_that_it_may_have_raised_is_marked_and_no_other(page: Any) -> None:
    marked = page.get_by_text("signs of reading", exact=True)
    assert marked.count() == 1
    assert "reader" in marked.locator("xpath=ancestor::tr").inner_text()
    assert "how it was read" in (
        marked.get_attribute("title") or marked.locator("xpath=..").get_attribute("title") or ""
    )
