"""The published figures: arithmetic that they have to obey, each with a table that is not among them."""

from __future__ import annotations

import csv
from collections import Counter

import pytest

from evalsuite.benchmarks.cicero.tasks import TASKS_CICERO
from evalsuite.common.resources import packaged

with packaged("benchmarks/cicero/published.csv").open(encoding="utf-8", newline="") as file:
    ROWS = list(csv.DictReader(file))
GROUPS = ("cause", "subsequent_event", "prerequisite", "motivation", "reaction")
TEST = dict(zip(GROUPS, (3071, 4050, 1396, 1401, 980), strict=True))  # Table 3, inferences in the test split


def values(source: str, model: str, subset: str) -> dict[str, float]:
    return {
        row["group"]: float(row["value"])
        for row in ROWS
        if (row["source"], row["model"], row["subset"]) == (source, model, subset)
    }


def test_every_row_is_of_a_task() -> None:
    assert Counter(row["source"] for row in ROWS) == {"Table 4": 120, "Table 5": 40, "Table 8": 24, "Table 9": 36}
    assert len({tuple(row.values()) for row in ROWS}) == len(ROWS)
    assert {row["task"] for row in ROWS} == set(TASKS_CICERO)
    assert all(
        row["metric"] in (*TASKS_CICERO[row["task"]].metrics, "semsim") and 0 <= float(row["value"]) <= 1
        for row in ROWS
    )


def share(model: str) -> dict[str, float]:
    """Of each inference type, the share of items with one right answer that Table 9's three rows imply."""
    both, one, several = (values("Table 9", model, s) for s in ("all", "one right answer", "several right answers"))
    return {g: (both[g] - several[g]) / (one[g] - several[g]) for g in GROUPS}


def test_both_models_of_table_9_imply_the_same_items() -> None:
    assert share("T5") == pytest.approx(share("Unified QA"), abs=5e-4)


@pytest.mark.parametrize("model", ["T5", "Unified QA"])
def test_the_averages_of_table_9_are_those_of_its_items(model: str) -> None:
    found = values("Table 9", model, "all")
    assert sum(TEST[g] * found[g] for g in GROUPS) / sum(TEST.values()) == pytest.approx(found["avg"], abs=1e-4)


@pytest.mark.parametrize("subset", ["one right answer", "several right answers"])
@pytest.mark.parametrize("model", ["T5", "Unified QA"])
def test_so_are_those_of_its_parts(model: str, subset: str) -> None:
    one = share(model)
    weight = {g: TEST[g] * (one[g] if subset == "one right answer" else 1 - one[g]) for g in GROUPS}
    found = values("Table 9", model, subset)
    assert sum(weight[g] * found[g] for g in GROUPS) / sum(weight.values()) == pytest.approx(found["avg"], abs=1.5e-4)


@pytest.mark.parametrize("model", ["RoBERTa", "ELECTRA", "T5", "Unified QA"])
def test_the_averages_of_table_8_are_those_of_its_items(model: str) -> None:
    one, found = share("T5"), values("Table 8", model, "one right answer")
    weight = {g: TEST[g] * one[g] for g in GROUPS}
    assert sum(weight[g] * found[g] for g in GROUPS) / sum(weight.values()) == pytest.approx(found["avg"], abs=1.5e-4)
