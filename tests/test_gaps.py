"""The gap between EASY and HARD: rows by hand, the family of Holm's correction, the sheet, and the papers' other figures."""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from typing import Any

import pytest
from as_json import a_cell, a_run, scored_cell, sheets_of

from evalsuite.analyses import gaps
from evalsuite.analyses.judged import sheets as of_judges
from evalsuite.authoring.stats import Stats
from evalsuite.authoring.stats_page import table1_heads, table1_rows
from evalsuite.benchmarks.check import Table1
from evalsuite.benchmarks.corecode.reference import reference_sheets, table1, table8
from evalsuite.benchmarks.published import published_figures
from evalsuite.benchmarks.registry import BENCHMARKS
from evalsuite.common.sheet import english
from evalsuite.metrics.statistics import holm
from evalsuite.results.analysis import ScoredCell
from evalsuite.results.outcomes import CellOutcomes, Outcome
from evalsuite.types import Answer, Cell, Item, Place, Score, Status

TASK = "knowledge_filling"


def cell(item_set: str, values: list[float], task: str = TASK, model: str = "m", **more: Any) -> CellOutcomes:
    place = replace(Place(model, task, item_set, "test", "paper", 0), **more)
    outcomes = tuple(
        Outcome(
            Item(f"{n}", task, item_set, "test", (f"A: {item_set} {n}",), ""),
            0,
            0,
            n,
            value,
            Answer(Status.PARSED),
            Score(),
        )
        for n, value in enumerate(values)
    )
    return CellOutcomes(Cell(place, {}), (), outcomes)


def entry(outcomes: CellOutcomes, half: float | None = 0.1) -> ScoredCell:
    values = [o.value for o in outcomes.outcomes]
    value = sum(values) / len(values)
    low, high = (None, None) if half is None else (value - half, value + half)
    metric = "accuracy" if outcomes.place.task == TASK else "f1"
    figure = {"value": value, "low": low, "high": high}
    return scored_cell(a_cell(**outcomes.place.as_dict(), metrics={metric: figure}), outcomes)


def rows(*cells: CellOutcomes, half: float | None = 0.1) -> list[dict[str, Any]]:
    return [row.written() for row in gaps.compute(a_run(*(entry(c, half) for c in cells)))]


EASY, HARD = [1.0] * 30 + [0.0] * 10, [1.0] * 10 + [0.0] * 30


def test_a_gap_by_hand() -> None:
    (row,) = rows(cell("hard", HARD), cell("easy", EASY))
    assert (row["sets"], row["values"], row["items"], row["dialogues"]) == (
        ["easy", "hard"],
        [0.75, 0.25],
        [40, 40],
        [40, 40],
    )
    assert row["gap"] == 0.5 and row["p"] < 0.01 and row["p_holm"] == row["p"] and row["least_p"] < 1e-9
    assert row["low"] == pytest.approx(0.5 - 0.1 * 2**0.5) and row["high"] == pytest.approx(0.5 + 0.1 * 2**0.5)
    (none,) = rows(cell("easy", EASY), cell("hard", HARD), half=None)
    assert (none["low"], none["high"]) == (None, None)


def test_a_dialogue_of_both_sets_is_one() -> None:
    """Ten dialogues, of which each has one item in each set, and the same answers in both but for one: the sets are almost
    equal, which ten other dialogues with these answers would not show."""
    right = [1.0] * 5 + [0.0] * 5
    easy, hard = cell("easy", [1.0] * 6 + [0.0] * 4), cell("hard", right)
    (apart,) = rows(easy, hard)
    shared = replace(
        hard,
        outcomes=tuple(
            replace(there, item=replace(there.item, dialogue=here.item.dialogue))
            for here, there in zip(easy.outcomes, hard.outcomes, strict=True)
        ),
    )
    (joint,) = rows(easy, shared)
    # The nine dialogues that are not right all in one set of ten; the one dialogue that differs, in one of two directions.
    assert apart["least_p"] == pytest.approx(math.comb(10, 9) / math.comb(20, 9)) and joint["least_p"] == 1 / 2
    assert joint["gap"] == apart["gap"] == pytest.approx(0.1) and joint["dialogues"] == [10, 10]
    assert joint["p"] == 1.0


def test_the_interval_of_a_gap_counts_shared_dialogues_once() -> None:
    """Forty dialogues with the same answers in both sets but for ten: the gap varies less than of two samples."""
    values = [1.0] * 20 + [0.0] * 20
    easy, hard = cell("easy", [1.0] * 30 + [0.0] * 10), cell("hard", values)
    there = tuple(
        replace(b, item=replace(b.item, dialogue=a.item.dialogue))
        for a, b in zip(easy.outcomes, hard.outcomes, strict=True)
    )
    (apart,), (joint,) = rows(easy, hard), rows(easy, replace(hard, outcomes=there))
    # The correlation of two lists of right and wrong answers, by hand: (1/2 - 3/4 · 1/2) / √(3/16 · 1/4).
    rho = (1 / 2 - 3 / 8) / (3 / 64) ** 0.5
    assert apart["high"] - apart["gap"] == pytest.approx(0.1 * 2**0.5)
    assert joint["high"] - joint["gap"] == pytest.approx(0.1 * (2 - 2 * rho) ** 0.5)
    assert joint["p"] < apart["p"]


def test_the_samples_of_an_item_are_one_value() -> None:
    one = cell("easy", EASY)
    twice = replace(
        one, outcomes=tuple(replace(o, sample=n, value=v) for o in one.outcomes for n, v in enumerate((o.value, 0.0)))
    )
    one_value = scored_cell(entry(one).result, twice)
    (row,) = [row.written() for row in gaps.compute(a_run(one_value, entry(cell("hard", HARD))))]
    assert row["items"] == [40, 40] and row["gap"] == pytest.approx(0.375 - 0.25)


def test_the_interval_agrees_with_the_test() -> None:
    (same,) = rows(cell("easy", EASY), cell("hard", [1.0] * 28 + [0.0] * 12), half=0.01)
    assert same["p"] > 0.05 and same["low"] <= 0 <= same["high"]


def test_what_has_no_gap() -> None:
    assert rows(cell("easy", EASY)) == []
    assert rows(cell("easy", EASY, perturb="shuffle"), cell("hard", HARD, perturb="shuffle")) == []
    assert rows(cell("easy", EASY, shots=1), cell("hard", HARD)) == []
    assert rows(cell("v1", EASY, "cicero_cause"), cell("v2", HARD, "cicero_cause")) == []


def test_a_family_is_a_models_tasks_asked_in_one_way() -> None:
    both = [
        cell(s, v, t, m)
        for m in ("m", "n")
        for t in (TASK, "event_cause")
        for s, v in (("easy", EASY), ("hard", EASY[:24]))
    ]
    found = rows(*both, cell("easy", EASY, shots=1), cell("hard", EASY[:24], shots=1))
    assert len(found) == 5
    for row in found:
        family = [r for r in found if (r["model"], r["shots"]) == (row["model"], row["shots"])]
        corrected = holm({n: r["p"] for n, r in enumerate(family)})
        assert row["p_holm"] == pytest.approx(corrected[family.index(row)])
        assert len(family) == 1 or row["p_holm"] > row["p"] or row["p"] == max(r["p"] for r in family)
    assert [r["p_holm"] == r["p"] for r in found if r["shots"] == 1] == [True]


def test_the_sheet_and_the_papers_averages() -> None:
    few = rows(cell("easy", [1.0, 1.0], "event_cause"), cell("hard", [0.0, 0.0], "event_cause"))
    (sheet,) = sheets_of(gaps.ANALYSIS, few + rows(cell("easy", EASY), cell("hard", HARD)))
    names = [english(row.cells[0]) for row in sheet.rows]  # type: ignore[arg-type]
    assert names == ["m", "CKF acc %", "EC f1 %", "paper's average EC F1"]
    flags = [getattr(row.cells[-1], "asides", None) for row in sheet.rows]
    assert flags == [None, ("*",), ("?",), None]
    assert sheet.rows[-1].cells[1:3] == (0.156, 0.150)  # Table 7
    # The paper's averages are of the test split.
    dev = rows(*(cell(level, [1.0, 0.0], "event_cause", split="dev") for level in ("easy", "hard")))
    (sheet,) = sheets_of(gaps.ANALYSIS, dev)
    assert [english(row.cells[0]) for row in sheet.rows] == ["m", "EC f1 %"]  # type: ignore[arg-type]
    assert sheets_of(gaps.ANALYSIS, []) == []
    by = [
        row for name in ("lexical", "m") for row in rows(cell("easy", EASY, model=name), cell("hard", HARD, model=name))
    ]
    (sheet,) = sheets_of(gaps.ANALYSIS, by, [a_cell(model="lexical", facts={"backend": "baseline"})])
    assert [row.cells[0] for row in sheet.rows if row.kind == "group"] == ["m", "lexical"]  # baselines last


def test_table_1_beside_data_of_ones_own() -> None:
    own = tuple(Table1(name, 3, (20, 10, 15.0), (900, 100, 400.0), 20.0) for name in ("easy", "mine", "hard"))
    found = Stats("", own, {}, (), "test", ())
    assert table1_heads(found) == ["EASY", "MINE", "HARD", "Total", "paper EASY", "paper HARD", "paper TOTAL"]
    lines = dict(table1_rows(found))
    assert lines["dialogues"][-3:] == ["9,700", "10,000", "19,700"]
    assert lines["Avg. characters per dialogue"][-3:] == ["538.98", "464.18", "501.58"]
    assert {*lines} == {*table1("easy")} == {*table1("hard")} and table1("mine") == {}


def test_the_papers_tables_add_up() -> None:
    *sources, total = table8()
    for column in list(total)[1:]:
        assert sum(int(row[column]) for row in sources) == int(total[column])
    easy, hard, whole = (table1(name) for name in ("easy", "hard", "total"))
    for name in (
        "dialogues",
        "annotated instances (triplets)",
        "annotated entities",
        "annotated events",
        "conflict phrases",
    ):
        first, second, both = (int(column[name].replace(",", "")) for column in (easy, hard, whole))
        assert first + second == both
    assert [sheet.name for sheet in reference_sheets()] == [
        "paper-table1",
        "paper-table8",
        "paper-kappas",
        "paper-table4",
    ]


def test_the_printed_figures_under_shuffling() -> None:
    found = [row for row in published_figures(BENCHMARKS["corecode"]) if "perturb" in row]
    assert [(row["perturb"], row["task"], row["value"]) for row in found] == [
        ("shuffle", "slot_identification", value) for value in (0.072, 0.073, 0.074, 0.075, 0.077)
    ]


def judged_cell(task: str, item_set: str, rubric: str) -> dict[str, Any]:
    scale = {"value": 3.0, "low": 2.0, "high": 4.0, "n": 5, "histogram": {}, "metrics": {}, "length": {"spearman": None, "partial": None}}  # fmt: skip
    facts = {
        "template": "0" * 64, "scales": [["score", 0, 5, "分"]], "reminder": "", "attempts": 1, "limit": None, "seed": 0,
        "fingerprint": "f", "backend": "hf", "chat": True, "sampling": {}, "max_new_tokens": 8, "repeats_by": "wording",
        "family": "", "of_family": "",
    }  # fmt: skip
    place = Place("m", task, item_set, "test", "paper", 0).as_dict()
    return {
        **place, "judge": "j", "rubric": rubric, "control": "plain", "items": 5, "status": {}, "asked_again": 0, "errors": {},
        "scales": {"score": scale}, "signature": "", "records": "judged/x.jsonl", "facts": facts,
    }  # fmt: skip


NO_CONTROLS: dict[str, list[Any]] = {
    key: [] for key in ("anchors", "repeats", "blind", "panel", "length", "families", "attacks")
}
JUDGED = [
    # task, set, rubric -> rows of the paper
    ("knowledge_generation", "hard", "corecode", 12),
    ("knowledge_generation", "easy", "corecode", 0),
    ("event_cause", "hard", "corecode", 0),
    ("knowledge_generation", "hard", "own", 0),
]


@pytest.mark.parametrize(("task", "item_set", "rubric", "count"), JUDGED)
def test_the_papers_judge_beside_ours(task: str, item_set: str, rubric: str, count: int) -> None:
    sheet = sheets_of(
        of_judges.ANALYSIS, {"cells": [judged_cell(task, item_set, rubric)], "models": [], "controls": NO_CONTROLS}
    )[0]
    apart = [row for row in sheet.rows if row.kind == "apart"]
    with open(str(BENCHMARKS["corecode"].published), encoding="utf-8") as file:
        judge = [row for row in csv.DictReader(file) if row["metric"] == "judge" and row["shots"] == "0"]
    assert len(apart) == (len(judge) if count else 0)
    assert not count or english(apart[0].cells[0]).startswith("paper, Table 2: GLM-10B")  # type: ignore[arg-type]
