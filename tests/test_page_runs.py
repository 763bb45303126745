"""The page of two runs and of several benchmarks: charts and tables of both runs, and what its sentences count."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from run_files import results_json
from shared_fixtures import shared_folder

import evalsuite

TASKS = ["slot_identification", "cider_dnli", "cicero_cause"]


@shared_folder
def runs(folder: Path) -> Path:
    """A run in two wordings, of three benchmarks, one without choices, with choices scored by labels, too; and a run of one task."""
    for name, models, tasks in (("first", ["lexical", "random"], TASKS), ("second", ["oracle", "majority"], TASKS[:1])):
        asked: dict[str, Any] = {"model": models, "tasks": tasks, "limit": 4, "out": folder / name}
        evalsuite.run(**asked, prompt=["plain"])
        evalsuite.run(**asked, perturb=["none", "shuffle"])
    results = results_json(folder / "first")
    choices = [c for c in results["cells"] if c["task"] != "cicero_cause" and c["perturb"] == "none"]
    results["cells"] += [{**c, "scoring": "labels"} for c in choices]
    (folder / "first" / "results.json").write_text(json.dumps(results))
    return folder


@pytest.fixture
def page(runs: Path, browse: Any) -> Iterator[Any]:
    with browse(evalsuite.report([runs / "first", runs / "second"], runs / "page"), query="?lang=en") as tab:
        yield tab


def test_charts_and_tables_of_two_runs(runs: Path, page: Any) -> None:
    for name in ("positions", "wordings", "drops"):
        box = page.locator(f"#{name}-charts")
        assert box.count() == 1 and box.locator("figure").count() > 1, name  # a picture that is saved holds all of them
    with page.expect_download() as download:
        page.click("[data-save='wordings-charts.svg']")
    saved = Path(download.value.path()).read_text(encoding="utf-8")
    names = ("lexical", "random", "oracle", "majority")
    assert [saved.count(f">{name}</text>") > 0 for name in names] == [True] * 4
    # The panels of all runs have the same axis.
    axes = page.locator("#drops-charts figure svg").evaluate_all(
        "all => all.map((x) => [...x.querySelectorAll('text[text-anchor=end]')].map((y) => y.textContent).join())"
    )
    assert len(axes) == 2 and len(set(axes)) == 1, axes
    lines = page.locator("#robustness > .note:has(.data)").all_inner_texts()
    assert [*dict.fromkeys(lines)] == ["Run first", "Run second"]


def test_sentences_count_models_without_baselines(page: Any) -> None:
    facts = page.inner_text("#about .facts")
    assert "Models\n0\nbaselines: 4" in facts.replace("\n\n", "\n"), facts
    page.evaluate("location.hash = 'find=lexical'")
    page.wait_for_selector(".filters [role=status]", state="attached")
    assert page.text_content(".filters [role=status]") == "1 of 4 models and baselines"


def test_scorings_are_compared_on_sets_and_by_a_metric_that_choices_have(runs: Path, page: Any) -> None:
    offered = page.locator("[data-keep=way-set] option").evaluate_all("all => all.map((x) => x.value)")
    sets = {c["set"] for c in results_json(runs / "first")["cells"] if c["scoring"] == "labels"}
    assert set(offered) == sets and page.locator("#byscoring tbody:not(.chance) tr").count() > 0
    page.evaluate("location.hash = 'benchmark=cider'")
    page.wait_for_function("() => document.querySelectorAll('[data-keep=way-set] option').length === 5")
    (cell,) = [
        c
        for c in results_json(runs / "first")["cells"]
        if [c[k] for k in ("model", "task", "set", "scoring", "perturb", "variant")]
        == ["lexical", "cider_dnli", "fold5", "labels", "none", "paper"]
    ]
    row = page.locator("#byscoring tbody tr").filter(has_text="lexical").inner_text()
    assert (
        f"{100 * cell['metrics']['accuracy']['value']:.1f}" in row.split()
        and cell["metrics"]["accuracy"] != cell["metrics"]["macro_f1"]
    ), row


def test_one_set_needs_no_choice_of_sets(page: Any) -> None:
    assert page.locator("#status [data-keep=status-set]").count() == 1
    page.evaluate("location.hash = 'set=hard'")
    page.wait_for_function("() => !document.querySelector('#status [data-keep=status-set]')")
    assert page.locator("#status [data-keep=status-model]").count() == 1
