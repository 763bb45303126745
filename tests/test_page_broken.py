"""Pages of runs that are not as they should be: old, empty, failed, of another version, or with texts of a megabyte."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from everything import change, change_records
from run_files import results_json
from shared_fixtures import shared_folder
from tiers import thorough_but

import evalsuite
from evalsuite.common.errors import ConfigError, DataError

TASKS = ["domain_identification", "conflict_detection"]
NONSENSE = re.compile(r"undefined|NaN|\[object|Infinity|\bnull\b")


@shared_folder
def base(folder: Path) -> Path:
    run = folder / "run"
    evalsuite.run(model=["random", "lexical"], tasks=TASKS, perturb=["none", "shuffle"], limit=3, out=run)
    return run


@pytest.fixture
def run(base: Path, tmp_path: Path) -> Path:
    shutil.copytree(base, tmp_path / "run")
    return tmp_path / "run"


def keep_oldest_keys(run: Path, results: dict[str, Any]) -> None:
    """Results with less than any version wrote: without scorings, perturbations, errors, breakdowns …"""
    for name in [name for name in results if name not in ("format", "cells")]:
        del results[name]
    results["cells"] = [cell for cell in results["cells"] if cell["perturb"] == "none"]
    for cell in results["cells"]:
        for name in ("scoring", "perturb", "missing", "errors", "shots_dropped", "chance", "accuracy_of_parsed"):
            cell.pop(name, None)
        cell["facts"] = {}
        for metric in cell["metrics"].values():
            for name in ("low", "high", "wilson"):
                metric.pop(name, None)
        change_records(run / cell["records"], drop_later_fields)


def drop_later_fields(records: list[dict[str, Any]]) -> None:
    for record in records:
        for name in ("scoring", "perturb", "rotation", "reasoning", "likelihoods"):
            del record[name]


def keep_places(run: Path, results: dict[str, Any]) -> None:
    """Cells with nothing but their places."""
    for cell in results["cells"]:
        for name in (
            "missing",
            "status",
            "metrics",
            "errors",
            "facts",
            "chance",
            "accuracy_of_parsed",
            "shots_dropped",
        ):
            cell.pop(name, None)


def drop_cells(run: Path, results: dict[str, Any]) -> None:
    results.clear()
    results["cells"] = []


def fail_requests(run: Path, results: dict[str, Any]) -> None:
    """Cells whose requests all failed."""

    def fail(records: list[dict[str, Any]]) -> None:
        for record in records:
            record |= {"reply": None, "error": "timed out", "scores": {}, "finish": "error"}
            record["answer"] |= {"status": "failed", "choice": None, "text": None, "start": None, "end": None}

    for cell in results["cells"]:
        change_records(run / cell["records"], fail)
        cell["status"], cell["errors"] = {"failed": cell["items"]}, {"timed out": cell["items"]}
        none = {"value": None, "low": None, "high": None, "n": 0}
        cell["metrics"] = {name: {**none, "signature": name} for name in cell["metrics"]}
    for name in ("robustness", "breakdowns", "confusions"):
        results.pop(name, None)


def drop_items(run: Path, results: dict[str, Any]) -> None:
    """Cells without items."""
    fail_requests(run, results)
    for cell in results["cells"]:
        cell |= {"items": 0, "status": {}, "errors": {}}
        cell.pop("chance", None)
        (run / cell["records"]).write_text("")


def add_unknown_names(run: Path, results: dict[str, Any]) -> None:
    """Tasks, sets, perturbations, statuses and metrics of a version to come."""
    for cell, name in zip(results["cells"][:5], ("task", "set", "perturb", "scoring", "split"), strict=True):
        cell[name] = "unheard_of"
    for cell in results["cells"]:
        cell["metrics"]["unheard_of"] = {"value": 0.5, "low": 0.4, "high": 0.6, "n": 3, "signature": "?"}
        cell["status"] = {"parsed": cell["items"] - 1, "unheard_of": 1}
        change_records(run / cell["records"], lambda records: records[0]["answer"].update(status="unheard_of"))
    for rows in results["robustness"].values():
        rows += [{**row, name: "unheard_of"} for row in rows[:2] for name in ("task", "set", "perturb", "metric", "model") if name in row]  # fmt: skip
    for name in ("breakdowns", "confusions"):
        results[name] += [{**results[name][0], "task": "unheard_of"}]


@pytest.mark.parametrize("broken", [keep_oldest_keys, keep_places, drop_cells])
def test_results_in_another_form_are_refused_until_they_are_scored(
    run: Path, broken: Callable[[Path, dict[str, Any]], None]
) -> None:
    before = (run / "results.json").read_bytes()
    change(run, lambda results: broken(run, results))
    with pytest.raises(ConfigError, match=r"results\.json: field '[^']+': .*; `evalsuite score .*` writes it anew"):
        evalsuite.report([run])
    evalsuite.score(run)
    assert (run / "results.json").read_bytes() == before
    assert evalsuite.report([run]).exists()


def test_results_of_a_later_version_are_refused(run: Path) -> None:
    change(run, lambda results: add_unknown_names(run, results))
    with pytest.raises(ConfigError, match=r"results\.json: field 'cells\[0\]\.task': unknown task"):
        evalsuite.report([run])


@pytest.mark.parametrize("broken", thorough_but(1, [drop_items, fail_requests]))
def test_a_page_of_a_broken_run_opens(run: Path, broken: Callable[[Path, dict[str, Any]], None], browse: Any) -> None:
    change(run, lambda results: broken(run, results))
    cells = results_json(run)["cells"]
    with browse(evalsuite.report([run])) as tab:
        tab.wait_for_selector("html[data-drawn=all]")
        for _ in "en", "zh":
            tab.evaluate("document.querySelectorAll('details').forEach((x) => { x.open = true; })")
            assert not NONSENSE.findall(tab.inner_text("body"))
            tab.click("#lang")
        assert bool(cells) == (tab.locator("button.cell").count() > 0)
        assert bool(cells) != ("evalsuite run" in tab.inner_text("#part-tables"))  # the page says what to do
        for cell in cells:
            keys = {"run": 0, "model": cell["model"], "set": cell["set"], "task": cell["task"], "split": cell["split"], "prompt": cell["variant"], "shots": cell["shots"]}  # fmt: skip
            keys |= {"scoring": cell.get("scoring", "generate"), "perturb": cell.get("perturb", "none")}
            tab.evaluate("keys => { location.hash = new URLSearchParams(keys); }", keys)
            tab.wait_for_function("name => document.querySelector('.cellhead .lead')?.innerText.includes(name)", arg=cell["model"])  # fmt: skip
            if tab.locator("#rows .row").count():
                tab.click("#rows .row >> nth=0")
                tab.wait_for_selector("#others .card, #others .muted")
            assert not NONSENSE.findall(tab.inner_text("body"))


@pytest.mark.thorough
def test_texts_of_a_megabyte_open(run: Path, browse: Any) -> None:
    """Every text of an item and an error have a million characters, a name a thousand: the page opens, and its cell and items
    have addresses."""
    long = "一<b>\u202e" * 100_000 + "\0"

    def grow(records: list[dict[str, Any]]) -> None:
        records[0] |= {"reply": long, "question": long, "options": [long] * len(records[0]["options"])}
        records[0]["dialogue"][0] = long
        records[0]["answer"] |= {"rule": long, "start": 0, "end": 350_000}
        records[1] |= {"error": long, "reply": None}

    def name(results: dict[str, Any]) -> None:
        for rows in (results["cells"], *results["robustness"].values(), results["breakdowns"], results["confusions"]):
            rows[:] = [
                row for row in rows if row["perturb"] == "none" and row["task"] == TASKS[0] and row["set"] == "easy"
            ]
            for row in [row for row in rows if row["model"] == "lexical"]:
                row["model"] = long[:1000]
        cell = next(c for c in results["cells"] if c["model"] == long[:1000])
        cell["errors"] = {long: 1}
        change_records(run / cell["records"], grow)

    change(run, name)
    with browse(evalsuite.report([run])) as tab:
        tab.wait_for_selector("html[data-drawn=all]")
        assert len(tab.inner_text("body")) < 100_000
        tab.locator("table[data-set=easy] tr", has_text="一").locator("button.cell").first.click()
        tab.wait_for_selector("#panes")
        tab.click("#rows .row >> nth=0")
        tab.wait_for_selector("#others .card")
        assert "U+202E" in tab.inner_text(".two pre.reply") and tab.locator("#main b:not(.share b)").count() == 0
        link = tab.url
        assert len(link) < 2000
        tab.goto("about:blank")
        tab.goto(link)
        tab.wait_for_selector("#others .card")
        tab.keyboard.press("j")
        tab.wait_for_selector("#detail .notice code")


def test_half_a_character_in_a_record_is_named(run: Path) -> None:
    """The error names the record's line. A run writes no lone surrogates itself, since its store keeps them as escapes."""
    cell = results_json(run)["cells"][0]
    change_records(run / cell["records"], lambda records: records[1].update(reply="\ud83d"))
    with pytest.raises(DataError, match=r"records/.*jsonl:2: not JSON: .*surrogates"):
        evalsuite.report([run])
