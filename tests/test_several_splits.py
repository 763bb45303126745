"""Two splits, two wordings and a perturbation in one run: every table keeps them apart."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from as_json import a_cell, sheets_of
from shared_fixtures import shared_folder

import evalsuite
from evalsuite.analyses import aspects, contamination, learning, learning_details, means, scores
from evalsuite.analyses.findings.journey import of_run
from evalsuite.analyses.judged import details
from evalsuite.analyses.judged.values import MedianCell, Panel
from evalsuite.analyses.saved import load_results
from evalsuite.analyses.table import TABLES, sheets
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.sheet import Row, Sheet, Value, english, spell
from evalsuite.results.analysis import Results
from evalsuite.results.schema.cell import CellResult
from evalsuite.types import Place, Reading, Request


def first_label(request: Request) -> str:
    return request.labels[0] if request.labels else "是"


def second_label(request: Request) -> str:
    return request.labels[1] if request.labels else "不是"


# Each run makes its page, which costs more than a second.
pytestmark = pytest.mark.slow


@shared_folder
def run(folder: Path) -> Path:
    """The test split, then the dev split, of which more items are asked."""
    for split, limit in (("test", 3), ("dev", 4)):
        evalsuite.run(
            {"first": first_label, "second": second_label},
            tasks=["CKF", "EC", "C3"],
            split=split,
            limit=limit,
            prompt=["paper", "plain"],
            perturb=["none", "shuffle"],
            out=folder / "run",
        )
    return folder / "run"


@pytest.fixture(scope="module")
def results(run: Path) -> Results:
    return load_results(run)


def test_the_results_have_a_table_for_each_split(results: Results) -> None:
    """Every figure of the run stands once, below the title of its own split."""
    cells = {(c.model, c.task, c.set, c.split, c.way): c.headline.value for c in results.cells}
    shown = {}
    for sheet in scores.sheets(results):
        split = sheet.about["split"]
        assert f", {split}" in english(sheet.title)
        for row in sheet.rows:
            for column, cell in zip(sheet.columns, row.cells, strict=True):
                if row.about and "task" in column.about and isinstance(cell, Value) and cell.value is not None:
                    place = {**sheet.about, **row.about, **column.about}
                    way = Place(**place).way
                    shown[place["model"], place["task"], place["set"], split, way] = cell.value
    assert shown == cells
    sizes = {sheet.about["split"]: row_of(sheet, "n")[1] for sheet in scores.sheets(results)}
    assert sizes == {"test": "3", "dev": "4"}


def row_of(sheet: Sheet, label: str) -> tuple[Any, ...]:
    return next(row.cells for row in sheet.rows if words(row.cells[0], sheet, 0) == label)


def words(cell: Any, sheet: Sheet, column: int) -> str:
    return "".join(word for word, _ in spell(cell, sheet.columns[column]))


def labels(sheet: Sheet) -> list[str]:
    """The labels of rows, with the heading of their group; identical items of a list may be repeated in a group."""
    keys = [n for n, column in enumerate(sheet.columns) if column.key or n == 0]

    def label(row: Row) -> str:
        return " | ".join(words(row.cells[n], sheet, n) for n in keys)

    found, heading = [], ""
    for row in sheet.rows:
        heading = label(row) if row.kind == "group" else heading
        found.append(f"{heading}: {label(row)}")
    return found


# A row is a bin of one model's probabilities, or a name that another was taken for.
_REPEATS = ("reliability", "confusions")


def test_no_two_tables_and_no_two_rows_are_called_alike(results: Results) -> None:
    for name in TABLES:
        made = list(sheets(results, [name]))
        titles = Counter((sheet.name, english(sheet.title)) for sheet in made)
        assert [title for title, times in titles.items() if times > 1] == [], name
        for sheet in made if name not in _REPEATS else ():
            assert [label for label, times in Counter(labels(sheet)).items() if times > 1] == [], english(sheet.title)


def test_findings_name_their_split(results: Results) -> None:
    """Both splits have as many cells: the test split decides."""
    about_one = [one for one in of_run(results) if one.about in ("best", "chance", "benchmarks")]
    assert {one.about for one in about_one} >= {"best", "chance"}
    assert all(" test" in one.en or "(test" in one.en for one in about_one), about_one
    assert all("测试集" in one.zh for one in about_one)


# --- rows made by hand: two splits that differ in nothing else

PLACE: dict[str, Any] = {
    "task": "knowledge_filling",
    "set": "easy",
    "variant": "paper",
    "shots": 0,
    "scoring": "generate",
    "perturb": "none",
}
MEAN: dict[str, Any] = {"value": 0.5, "low": 0.2, "high": 0.8}


def test_groups_over_tasks_are_those_of_one_split() -> None:
    """The sizes and the level of chance below a table are those of its rows."""
    shared = {name: value for name, value in PLACE.items() if name != "task"}
    row = {"model": "m", **shared, "set": "fold1", "benchmark": "cider", "tasks": ["cider_dnli"]}
    group = {"name": "Causal", "dialogues": 4, "value": 0.5, "interval": [0.2, 0.8]}
    rows = [
        {**row, "split": split, "groups": [{**group, "n": n, "chance": chance}]}
        for split, n, chance in (("test", 9, 0.25), ("dev", 4, 0.5))
    ]
    test, dev = sheets_of(aspects.ANALYSIS, rows)
    assert english(test.title).endswith(" · test") and english(dev.title).endswith(" · dev")
    assert [sheet.rows[-1].cells[-1] for sheet in (test, dev)] == [Value(0.25), Value(0.5)]
    assert "n: Causal 9" in english(test.notes[0]).replace("causal", "Causal")


def test_label_shortcuts_are_those_of_one_split() -> None:
    check = {
        "labels": ["(a)", "(b)"], "trained": [3, 1], "chosen": [2, 2], "gold": [1, 3], "silent": 0, "distance": 0.25,
        "bias": 0.25, "most": 0, "share": 0.5, "gold_share": 0.25,
    }  # fmt: skip
    point = {
        "size": 8,
        "interval": "items",
        "items": 4,
        "seeds": [{"seed": 0, "model": "a", **MEAN}],
        "labels": check,
        **MEAN,
    }
    curve = {
        **PLACE, "base": "m", "trained_on": "both", "allow_leak": False, "metric": "accuracy", "before": None, "chance": 0.5,
        "points": [point],
    }  # fmt: skip
    content = [{**curve, "split": split} for split in ("test", "dev")]
    (table,) = (sheet for sheet in sheets_of(learning.ANALYSIS, content) if sheet.name == "labels")
    assert labels(table) == [": EASY CKF split test", ": EASY CKF split dev"]
    made = Results(Path(), "0", Reading(), (), {learning.ANALYSIS.key: [learning.Curve(**row) for row in content]})
    shares = [sheet for sheet in learning_details.sheets(made) if sheet.name == "label_shares"]
    assert [english(sheet.title).split(" · ")[-1] for sheet in shares] == ["test", "dev"]
    assert [len(sheet.rows) for sheet in shares] == [3, 3]  # a heading, and a row for each label


def test_medians_of_a_panel_name_their_split() -> None:
    cells = [MedianCell(model="m", **PLACE, split=split, n=4, **MEAN) for split in ("test", "dev")]
    panel = Panel(judges=["a", "b"], rubric="r", scale="s", n=8, pairs=[], cells=cells)
    assert [label[2:] for label in labels(details._medians(panel))] == [
        "m EASY CKF test paper 0-shot",
        "m EASY CKF dev paper 0-shot",
    ]


def test_means_over_sets_are_those_of_one_split() -> None:
    """The mean beside the dimensions is that of the same split."""
    headline = TASKS["cider_dnli"].metrics[0]
    values = {("test", "fold1"): 0.2, ("test", "fold2"): 0.4, ("dev", "fold1"): 0.7, ("dev", "fold2"): 0.9}
    cells = [
        a_cell(
            task="cider_dnli",
            set=item_set,
            split=split,
            metrics={headline: {"value": value, "low": None, "high": None}},
        )
        for (split, item_set), value in values.items()
    ]
    made = Results(Path(), "0", Reading(), tuple(cells), {means.ANALYSIS.key: means.means(cells)})
    shown = {sheet.about["split"]: [cell.value for cell in row_of(sheet, "m")[1:]] for sheet in scores.sheets(made)}
    assert shown == {"test": [0.2, 0.4, pytest.approx(0.3)], "dev": [0.7, 0.9, pytest.approx(0.8)]}


def test_a_score_beside_a_test_of_contamination_names_its_way() -> None:
    """A model that was asked in two ways has two scores on a file."""
    row = {
        **PLACE, "model": "m", "fingerprint": "f", "split": "test", "form": "raw", "n": 9, "left_out": 0, "units": 9, "tokens": 9,
        "expected": 0.5, "figures": {}, "checks": {}, "why": "", "reference": None, "listed": [], "test": "order", "value": 0.5,
        "p": 0.6, "p_holm": 0.6,
    }  # fmt: skip
    test = contamination.ExposureTest(**{name: row[name] for name in contamination.ExposureTest.model_fields})
    figure = {"accuracy": {"value": 0.5, "low": None, "high": None}}
    one, other = a_cell(metrics=figure), a_cell(variant="plain", metrics=figure)
    for cells, shown in (((one,), "acc 50.0"), ((one, other), "acc 50.0 paper 0-shot")):
        (sheet,) = sheets_of(contamination.ANALYSIS, [test.written() | {"p_holm": 0.6}], cells)
        assert sheet.rows[1].cells[-2] == shown


# --- requests and items


def circular(n: int, task: str = "knowledge_filling", **more: Any) -> CellResult:
    """A cell of `n` items, each asked in twelve orders."""
    figure = {"value": 0.5, "low": 0.2, "high": 0.8, "n": n}
    headline = {TASKS[task].metrics[0]: figure}
    return a_cell(task=task, perturb="circular", items=12 * n, status={"parsed": 12 * n}, metrics=headline, **more)


def test_items_are_not_counted_once_a_request() -> None:
    assert (
        repr(circular(12))
        == "CellResult(m/easy/test/knowledge_filling/paper/0-shot/circular): accuracy 0.5 of 12 items"
    )
    (mean,) = means.means(circular(n, "cider_dnli", set=fold) for n, fold in ((12, "fold1"), (8, "fold2")))
    assert mean.items == 20
    trained = {
        "base": "m",
        "task": "knowledge_filling",
        "size": 8,
        "seed": 0,
        "set": "both",
        "allow_leak": False,
        "labels": {},
    }
    (curve,) = learning.learning([circular(12), circular(12, model="m+8", facts={"trained": trained})])
    assert curve.before and (curve.before.items, curve.points[0].items) == (12, 12)
