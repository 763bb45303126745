"""The published figures: arithmetic that they have to obey, each with a table that is not among them."""

from __future__ import annotations

import csv
from collections import Counter

import pytest

from evalsuite.benchmarks.cicero import BENCHMARK
from evalsuite.benchmarks.cicero.reference import human, reference_sheets, selection
from evalsuite.benchmarks.cicero.tasks import TASKS_CICERO
from evalsuite.common.resources import packaged

with packaged("benchmarks/cicero/published.csv").open(encoding="utf-8", newline="") as file:
    ROWS = list(csv.DictReader(file))
GROUPS = ("cause", "subsequent_event", "prerequisite", "motivation", "reaction")
ALL, ONE, SEVERAL = "set_accuracy", "set_accuracy_single", "set_accuracy_multiple"
TEST = dict(zip(GROUPS, (3071, 4050, 1396, 1401, 980), strict=True))  # Table 3, inferences in the test split


def values(source: str, model: str, metric: str) -> dict[str, float]:
    return {
        row["group"]: float(row["value"])
        for row in ROWS
        if (row["source"], row["model"], row["metric"]) == (source, model, metric)
    }


def test_every_row_is_of_a_task() -> None:
    assert BENCHMARK.published_as is not None
    assert Counter(row["source"] for row in ROWS) == {
        "Table 4": 120,
        "Table 5": 40,
        "Table 10": 168,
        "Table 11": 56,
        "Table 8": 24,
        "Table 9": 36,
    }
    assert len({tuple(row.values()) for row in ROWS}) == len(ROWS)
    assert {row["task"] for row in ROWS} == set(TASKS_CICERO)
    assert all(row["metric"] in BENCHMARK.published_as.values() and 0 <= float(row["value"]) <= 1 for row in ROWS)


def test_meteor_stands_beside_the_one_that_is_like_the_jar() -> None:
    assert BENCHMARK.published_as is not None
    assert {ours for ours, theirs in BENCHMARK.published_as.items() if theirs == "meteor"} == {"paper.meteor15"}


def test_bart_and_comet_have_rows_in_every_task_of_generation() -> None:
    rows = [row for row in ROWS if row["source"] == "Table 10" and row["metric"] == "bleu1"]
    assert Counter(row["task"] for row in rows) == {name: 8 for name in (*GROUPS, "clipped_subsequent_event")}
    found = {(row["task"], row["model"], row["tuned"]): row["value"] for row in rows}
    assert found["reaction", "COMET", "yes"] == "0.3338" and found["motivation", "BART", "no"] == "0.1072"


def test_table_14_has_tables_8_and_9() -> None:
    for metric, source, trained, tested in (
        ("accuracy", "Table 8", "one", "one"),
        (ALL, "Table 9", "both", "both"),
        (ONE, "Table 9", "both", "one"),
        (SEVERAL, "Table 9", "both", "several"),
    ):
        rows = [row for row in selection(14) if (row["trained"], row["evaluated"]) == (trained, tested)]
        assert rows
        for row in rows:
            figures = {name: float(row[name]) / 100 for name in (*GROUPS, "avg")}
            assert figures == pytest.approx(values(source, row["model"], metric), abs=1e-9)


def test_the_other_tables_are_sheets() -> None:
    assert [len(sheet.rows) for sheet in reference_sheets()] == [9, 12, 12]
    assert [row["creativity"] for row in human()][:3] == ["4.7", "3.8", "3.6"]


def test_the_averages_of_table_15_are_those_of_its_items() -> None:
    rows = [row for row in selection(15) if row["evaluated"] == "both"]
    assert len(rows) == 2
    for row in rows:
        mean = (
            TEST["subsequent_event"] * float(row["subsequent_event"]) + TEST["motivation"] * float(row["motivation"])
        ) / (TEST["subsequent_event"] + TEST["motivation"])
        assert mean == pytest.approx(float(row["avg"]), abs=0.02)


def share(model: str) -> dict[str, float]:
    """Inference type -> the share of items with one right answer that Table 9's three rows imply."""
    both, one, several = (values("Table 9", model, s) for s in (ALL, ONE, SEVERAL))
    return {g: (both[g] - several[g]) / (one[g] - several[g]) for g in GROUPS}


def test_both_models_of_table_9_imply_the_same_items() -> None:
    assert share("T5") == pytest.approx(share("Unified QA"), abs=5e-4)


@pytest.mark.parametrize("model", ["T5", "Unified QA"])
def test_the_averages_of_table_9_are_those_of_its_items(model: str) -> None:
    found = values("Table 9", model, ALL)
    assert sum(TEST[g] * found[g] for g in GROUPS) / sum(TEST.values()) == pytest.approx(found["avg"], abs=1e-4)


@pytest.mark.parametrize("metric", [ONE, SEVERAL])
@pytest.mark.parametrize("model", ["T5", "Unified QA"])
def test_the_averages_of_table_9_are_those_of_its_parts(model: str, metric: str) -> None:
    one = share(model)
    weight = {g: TEST[g] * (one[g] if metric == ONE else 1 - one[g]) for g in GROUPS}
    found = values("Table 9", model, metric)
    assert sum(weight[g] * found[g] for g in GROUPS) / sum(weight.values()) == pytest.approx(found["avg"], abs=1.5e-4)


@pytest.mark.parametrize("model", ["RoBERTa", "ELECTRA", "T5", "Unified QA"])
def test_the_averages_of_table_8_are_those_of_its_items(model: str) -> None:
    one, found = share("T5"), values("Table 8", model, "accuracy")
    weight = {g: TEST[g] * one[g] for g in GROUPS}
    assert sum(weight[g] * found[g] for g in GROUPS) / sum(weight.values()) == pytest.approx(found["avg"], abs=1.5e-4)
