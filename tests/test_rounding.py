"""A number is the same on the page, in the terminal, and in CSV, LaTeX and Markdown: also where it lies between two."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from needs import needs
from rich.console import Console
from run_files import results_json
from shared_fixtures import shared_folder

import evalsuite
from evalsuite.analyses.saved import load_results
from evalsuite.analyses.table import sheets
from evalsuite.cli.tables.export import export
from evalsuite.cli.tables.terminal import draw
from evalsuite.common.numbers import fixed
from evalsuite.common.sheet import Column, Value, spell

needs("dev")

# Halves that a double holds, and some that it does not: 0.0835 is a little less, 0.2865 a little more.
TIES = {0.9125: "91.3", 0.8125: "81.3", 0.3125: "31.3", 0.0625: "6.3", 0.0835: "8.4", 0.2865: "28.7"}
MODELS = ("random", "majority", "lexical")


@shared_folder
def run(folder: Path) -> Path:
    """Three models on two sets, whose accuracies are halves of the last digit."""
    out = folder / "run"
    evalsuite.run(model=list(MODELS), tasks=["knowledge_filling"], limit=2, out=out)
    results = results_json(out)
    for cell, value in zip(results["cells"], TIES, strict=True):
        cell["metrics"]["accuracy"] |= {"value": value}
        cell["facts"] |= {"backend": "hf", "tags": []}
    (out / "results.json").write_text(json.dumps(results))
    evalsuite.report([out])
    return out


def test_ties_go_away_from_zero() -> None:
    assert {value: fixed(100 * value, 1) for value in TIES} == TIES
    assert [fixed(-100 * value, 1) for value in TIES] == [f"-{text}" for text in TIES.values()]
    assert fixed(0.125, 2, "+") == "+0.13"


def test_an_interval_that_ends_beside_zero_says_on_which_side() -> None:
    column = Column("change", kind="percent", signed=True)
    ends = [(-0.0031, 0.071), (-0.08, 0.0004), (-0.0002, 0.0), (0.002, 0.4)]
    told = [spell(Value(0.01, low, high), column)[1][0] for low, high in ends]
    assert told == [" -0.3 … +7", " -8 … 0", " 0 … 0", " +0.2 … +40"]


@pytest.mark.parametrize("form", ["csv", "latex", "markdown"])
def test_files_round_alike(run: Path, form: str) -> None:
    text = export([*sheets(load_results(run), ["results"])], form)
    assert {number for number in re.findall(r"\d+\.\d", text) if number in TIES.values()} == set(TIES.values())
    assert not {"91.2", "81.2", "31.2", "6.2", "8.3", "28.6"} & set(re.findall(r"\d+\.\d", text))


def test_the_terminal_rounds_alike(run: Path) -> None:
    console = Console(file=io.StringIO(), width=120, record=True)
    for table in draw(sheets(load_results(run), ["results"])):
        console.print(table)
    assert set(TIES.values()) <= set(re.findall(r"\d+\.\d", console.export_text()))


def test_the_page_rounds_alike(run: Path, browse: Any) -> None:
    with browse(run / "page" / "index.html") as page:
        texts = page.locator("table.overview tbody.own .num").all_inner_texts()
        assert {text for text in texts if text != "–"} == set(TIES.values())
