"""Replies that were cut at their limit: a line below the tables from more than 2 % of a cell."""

from __future__ import annotations

from pathlib import Path

from as_json import a_cell

from evalsuite.analyses.scores import cut, notes
from evalsuite.results.analysis import Results
from evalsuite.results.schema.cell import CellResult
from evalsuite.types import Reading


def results(*cells: CellResult) -> Results:
    return Results(Path(), "0", Reading(), cells, {})


def test_more_than_two_percent_of_a_cell_are_told() -> None:
    many = a_cell(model="a", status={"parsed": 90, "truncated": 10})
    some = a_cell(model="a", set="hard", status={"parsed": 97, "truncated": 3})
    few = a_cell(model="a", task="slot_identification", status={"parsed": 98, "truncated": 2})
    (line,) = cut(results(many, some, few))
    assert line.en.startswith("a: 13 replies were cut") and "easy CKF, 10 %" in line.en and "max_new_tokens" in line.en
    assert line.zh.startswith("a：13 条回复") and line in notes(results(many, some, few))
    assert cut(results(few)) == []


def test_models_have_a_line_each_and_baselines_none() -> None:
    status = {"parsed": 1, "truncated": 1}
    cells = [a_cell(model=name, status=status) for name in ("a", "b")]
    cells.append(a_cell(model="random", status=status, facts={"backend": "baseline"}))
    cells.append(a_cell(model="c", status={}))
    assert [line.en[:2] for line in cut(results(*cells))] == ["a:", "b:"]
