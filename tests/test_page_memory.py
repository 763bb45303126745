"""Memorization against reasoning on the page: a point per model and task where results.json has it, and the evidence behind."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from page_checks import no_sideways_scrolling
from run_files import results_json
from shared_fixtures import shared_folder

import evalsuite
from evalsuite.common.resources import bundled
from evalsuite.types import Request


@shared_folder
def run(folder: Path) -> Path:
    """One model that says an option's letter and knows nothing, one that knows every second fact; on the sample."""
    out = folder / "run"
    facts = {
        row["id"]: row["target"]
        for path in (bundled("sample") / "charm/data/CHARM/memorization").glob("*.json")
        for row in json.loads(path.read_text(encoding="utf-8"))["examples"]
    }

    def knows_some_facts(request: Request) -> str:
        fact = facts.get(request.id.rpartition("/")[2])
        if fact is None:
            return "所以答案是(A)。"
        return fact if hash(len(request.prompt)) % 2 else "这个我说不好。"

    ignorant = {"ignorant": lambda request: "这个我说不好。" if "memory" in request.id else "所以答案是(B)。"}
    evalsuite.run({"knowing": knows_some_facts, **ignorant}, tasks=["charm"], set="chinese", out=out)
    return out


@pytest.fixture
def page(run: Path, browse: Any) -> Iterator[Any]:
    with browse(run / "page" / "index.html") as tab:
        yield tab


def test_a_point_says_what_results_json_says_and_opens_its_evidence(run: Path, page: Any) -> None:
    rows = results_json(run)["memory"]["tasks"]
    row = next(r for r in rows if (r["model"], r["task"]) == ("knowing", "charm_sport"))
    panel = page.locator("#memory-charts [data-panel^='CHINESE Sp']")
    spot = panel.locator("[data-model=knowing] .spot")
    words = spot.get_attribute("aria-label")
    assert f"facts known {100 * row['facts']['value']:.1f} %" in words
    assert f": {100 * row['all']['value']:.1f} % (" in words
    assert panel.locator(".spot").count() == 2
    spot.focus()
    page.keyboard.press("Enter")
    assert "charm_sport" in page.url
    assert "knowing" in page.url


def test_its_tables_stand_there_and_nowhere_else(page: Any) -> None:
    assert page.locator("#memory table").count() >= 2
    assert "FRMM" in page.locator("#memory").inner_text()
    assert page.locator("#sheets").count() == 0 or "FRMM" not in page.locator("#sheets").inner_text()
    page.set_viewport_size({"width": 400, "height": 800})
    assert no_sideways_scrolling(page)
