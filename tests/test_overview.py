"""One row per model over a group of benchmarks: means against sums of our own, missing parts, changes, tables, the page's
data."""

from __future__ import annotations

import io
import json
import math
import sqlite3
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from as_json import a_cell, content_of, sheets_of
from rich.console import Console
from run_files import results_json
from shared_fixtures import shared_folder
from stand_ins import stand_in_models

import evalsuite
from evalsuite.analyses import overview as of_groups
from evalsuite.analyses.overview import weights
from evalsuite.analyses.robustness import PerturbationEffect
from evalsuite.analyses.saved import load_results, narrow, results_file
from evalsuite.benchmarks.groups import Ability, Group, groups
from evalsuite.benchmarks.registry import BENCHMARKS, benchmark_of
from evalsuite.cli.tables.terminal import draw
from evalsuite.common.sheet import Value
from evalsuite.results.schema.cell import CellResult
from evalsuite.types import Metric, Place

TASKS = ["knowledge_filling", "event_cause", "cider_dnli", "cider_span_selection"]
GROUP = Group(
    "some",
    "若干",
    "Some",
    ("corecode", "cider", "cedar", "nowhere"),
    (
        Ability("choosing", "选择", "Choosing", ("knowledge_filling", "cider_span_selection/fold2", "charm_time")),
        Ability("texts", "文本", "Texts", ("event_cause/hard",)),
        Ability("nothing", "无", "Nothing", ("charm_time", "cicero_cause")),
    ),
)


@shared_folder
def run(folder: Path) -> Path:
    """Two models on two benchmarks under a perturbation, one in a second wording, too; a third only on some tasks."""
    models = folder / "models.yaml"
    entries = stand_in_models(folder, {"first": "lexical", "second": "majority"}, TASKS, ["none", "shuffle"])
    models.write_text(json.dumps({"models": [*entries, {"name": "third", "backend": "baseline", "path": "random"}]}))
    out = folder / "run"
    some = {"models": models, "out": out, "limit": 6}
    evalsuite.run(model=["first", "second"], tasks=TASKS, perturb=["none", "shuffle"], **some)
    evalsuite.run(model=["third"], tasks=[TASKS[0], *TASKS[2:]], **some)
    evalsuite.run(model=["first"], tasks=TASKS[:2], prompt=["plain"], **some)
    return out


@pytest.fixture(scope="module")
def content(run: Path) -> dict[str, Any]:
    made: dict[str, Any] = results_json(run)
    return made


@pytest.fixture(scope="module")
def group(content: dict[str, Any]) -> dict[str, Any]:
    drops = [PerturbationEffect.model_validate(row) for row in content["robustness"]["drops"]]
    (made,) = of_groups.overview([CellResult.model_validate(c) for c in content["cells"]], drops, [GROUP])
    return made.written()


def row(group: dict[str, Any], model: str, **way: Any) -> dict[str, Any]:
    wanted = {"model": model, "variant": "paper", "shots": 0, "scoring": "generate"} | way
    (found,) = [r for r in group["rows"] if all(r[k] == v for k, v in wanted.items())]
    return dict(found)


def score(found: dict[str, Any], name: str) -> dict[str, Any]:
    return next(dict(s) for s in found["scores"] if s["name"] == name)


@pytest.mark.slow
def test_means_are_those_of_the_cells(content: dict[str, Any], group: dict[str, Any]) -> None:
    """Averages of SQLite: over sets, then over tasks."""
    headline = {"knowledge_filling": "accuracy", "event_cause": "f1", "cider_dnli": "macro_f1", "cider_span_selection": "accuracy"}  # fmt: skip
    table = sqlite3.connect(":memory:")
    table.execute("CREATE TABLE cell (model, benchmark, task, part, value, n)")
    for c in content["cells"]:
        if (c["perturb"], c["variant"]) == ("none", "paper"):
            metric = c["metrics"][headline[c["task"]]]
            benchmark = "cider" if c["task"].startswith("cider") else "corecode"
            values = (c["model"], benchmark, c["task"], c["set"], metric["value"], metric["n"])
            table.execute("INSERT INTO cell VALUES (?, ?, ?, ?, ?, ?)", values)
    by_task = (
        "SELECT model, benchmark, avg(value) AS value, sum(n) AS n FROM cell WHERE {} GROUP BY model, benchmark, task"
    )
    by_benchmark = f"SELECT model, benchmark, avg(value), sum(n) FROM ({by_task.format('1')}) GROUP BY model, benchmark"
    for model, benchmark, value, items in table.execute(by_benchmark).fetchall():
        if model != "third":
            told = score(row(group, model), benchmark)
            assert told["value"] == pytest.approx(value) and (told["items"], told["missing"]) == (items, [])
    chosen = by_task.format("task = 'knowledge_filling' OR (task = 'cider_span_selection' AND part = 'fold2')")
    for model, value in table.execute(f"SELECT model, avg(value) FROM ({chosen}) GROUP BY model").fetchall():
        assert score(row(group, model), "choosing")["value"] == pytest.approx(value)
    third = row(group, "third")
    assert score(third, "corecode")["value"] is None
    assert score(third, "corecode")["missing"] == ["event_cause/easy", "event_cause/hard"]
    assert "nothing" not in [s["name"] for s in third["scores"]]


def test_parts_and_absent_ones(group: dict[str, Any]) -> None:
    columns = {c["name"]: c for c in group["columns"]}
    assert [*columns] == ["corecode", "cider", "choosing", "texts"]
    assert columns["choosing"]["parts"] == [
        "knowledge_filling/easy",
        "knowledge_filling/hard",
        "cider_span_selection/fold2",
    ]
    assert columns["choosing"]["absent"] == ["charm_time"]
    assert "knowledge_generation" in columns["corecode"]["absent"]
    for one in group["rows"]:
        told = {f"{p['task']}/{p['set']}": p["value"] for p in one["parts"]}
        for made in one["scores"]:
            mine = weights(columns[made["name"]]["parts"])
            assert sum(mine.values()) == pytest.approx(1)
            assert {*made["missing"]} == {*mine} - {*told}
            if not made["missing"]:
                assert made["value"] == pytest.approx(sum(told[name] * w for name, w in mine.items()))


def test_another_wording_is_a_row_of_its_own(group: dict[str, Any]) -> None:
    plain = row(group, "first", variant="plain")
    assert score(plain, "corecode")["value"] is not None and score(plain, "cider")["value"] is None
    assert len(score(plain, "cider")["missing"]) == 10 and plain["changes"] == []


def test_changes_are_means_over_tasks(content: dict[str, Any], group: dict[str, Any]) -> None:
    drops = [d for d in content["robustness"]["drops"] if d["perturb"] == "shuffle"]
    (change,) = [c for c in row(group, "first")["changes"] if c["benchmark"] == "cider"]
    mine = [d for d in drops if d["model"] == "first" and d["task"].startswith("cider")]
    assert {d["task"] for d in mine} == {p["task"] for p in change["parts"]}
    by_task = [fmean(d["drop"] for d in mine if d["task"] == task) for task in {d["task"] for d in mine}]
    assert change["value"] == pytest.approx(fmean(by_task)) and change["items"] == sum(d["items"] for d in mine)
    assert row(group, "third")["changes"] == []


# --- by hand


def cell(task: str, item_set: str, value: float | None, half: float | None = 0.1, **more: Any) -> dict[str, Any]:
    metric = {"knowledge_filling": "accuracy", "event_cause": "f1", "cider_dnli": "macro_f1"}.get(task, "accuracy")
    place = Place("m", task, item_set, "test", "paper", 0).as_dict()
    ends: dict[str, Any] = {} if half is None or value is None else {"low": value - half, "high": value + 2 * half}
    found = {"value": value, "n": 10, **ends}
    return place | {"missing": 0, "status": {"parsed": 10}, "metrics": {metric: found}} | more


def overview(
    cells: Sequence[dict[str, Any]], drops: Sequence[dict[str, Any]], groups: list[Group]
) -> list[dict[str, Any]]:
    usual = {
        "dialogues": 7, "base": 0.5, "value": 0.5, "test": "permutation", "p": 0.5, "p_holm": 0.5, "flip_rate": 0.0,
        "right_to_wrong": 0, "wrong_to_right": 0,
    }  # fmt: skip
    changed = [PerturbationEffect.model_validate(usual | row) for row in drops]
    return [group.written() for group in of_groups.overview([a_cell(**cell) for cell in cells], changed, groups)]


BOTH = Group("g", "甲", "G", ("corecode", "cider", "cedar"), ())


def group_of(*cells: dict[str, Any], drops: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    (made,) = overview(cells, drops or [], [BOTH])
    return made


EASY, HARD = cell("knowledge_filling", "easy", 0.9, chance=0.5), cell("knowledge_filling", "hard", 0.5, chance=0.25)
CAUSE, FOLD = cell("event_cause", "easy", 0.1, 0.2), cell("cider_dnli", "fold1", 0.25)


def test_an_interval_by_hand() -> None:
    told = score(group_of(EASY, HARD, CAUSE, FOLD)["rows"][0], "corecode")
    assert told["value"] == pytest.approx(float(Fraction(9 + 5, 40) + Fraction(1, 20)))
    # A half width of 0.1 (above 0.2) weighs 1/4 twice, one of 0.2 (0.4) weighs 1/2.
    half = math.sqrt(2 * (0.1 / 4) ** 2 + (0.2 / 2) ** 2)
    assert (told["low"], told["high"]) == (pytest.approx(told["value"] - half), pytest.approx(told["value"] + 2 * half))
    assert told["chance"] is None  # F1 has no level of chance
    assert score(group_of(EASY, HARD, FOLD)["rows"][0], "corecode")["chance"] == 0.375
    no_interval = group_of(EASY, cell("knowledge_filling", "hard", 0.5, None), FOLD)["rows"][0]
    assert (score(no_interval, "corecode")["value"], score(no_interval, "corecode")["low"]) == (
        pytest.approx(0.7),
        None,
    )


def test_one_benchmark_has_no_group() -> None:
    assert overview([EASY, HARD, CAUSE], [], [BOTH]) == []
    assert overview([EASY, FOLD], [], [Group("h", "", "", ("corecode", "cicero"), ())]) == []
    assert overview([EASY, FOLD | {"split": "dev"}], [], [BOTH]) == []
    assert overview([EASY, FOLD | {"perturb": "shuffle"}], [], [BOTH]) == []


def test_what_has_no_figure() -> None:
    """A part without a figure of one model is missing; of all models, absent. Requests without a reply are counted."""
    other = {"model": "n"}
    made = group_of(EASY, HARD | {"metrics": {}}, FOLD, EASY | other, HARD | other | {"missing": 3, "status": {"failed": 2}}, FOLD | other)  # fmt: skip
    mine, theirs = (next(r for r in made["rows"] if r["model"] == name) for name in "mn")
    assert (score(mine, "corecode")["value"], score(mine, "corecode")["missing"]) == (None, ["knowledge_filling/hard"])
    assert score(theirs, "corecode")["value"] == pytest.approx(0.7)
    assert [p["lost"] for p in theirs["parts"]] == [0, 5, 0]
    alone = group_of(EASY, HARD | {"metrics": {}}, FOLD)
    assert score(alone["rows"][0], "corecode")["value"] == pytest.approx(0.9)


def test_metrics_are_brought_to_their_highest_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """Metrics with the highest value 10, and with none, as no task's headline has them so far."""
    rows = {"accuracy": Metric("accuracy", "", maximum=10.0), "macro_f1": Metric("macro_f1", "", maximum=None)}
    monkeypatch.setattr("evalsuite.analyses.overview.metric_named", lambda name: rows.get(name) or Metric(name, ""))
    made = group_of(EASY, CAUSE, FOLD, cell("cider_span_selection", "fold1", 2.0, 1.0))
    assert made["left_out"] == ["cider_dnli"] and [c["parts"] for c in made["columns"]][1] == [
        "cider_span_selection/fold1"
    ]
    told = score(made["rows"][0], "cider")
    assert (told["value"], told["low"], told["high"]) == (0.2, pytest.approx(0.1), pytest.approx(0.4))
    assert score(made["rows"][0], "corecode")["value"] == pytest.approx((0.09 + 0.1) / 2)


def test_tasks_stand_as_they_can_be_asked() -> None:
    """Spans know no likelihood of labels, and probes neither shots nor another scoring: they stand in every row."""
    labels = [c | {"scoring": "labels"} for c in (EASY, HARD)]
    made = group_of(*labels, EASY, HARD, CAUSE, FOLD)
    (by_labels,) = [r for r in made["rows"] if r["scoring"] == "labels"]
    assert {(p["task"], p["scoring"]) for p in by_labels["parts"]} >= {("knowledge_filling", "labels"), ("event_cause", "generate")}  # fmt: skip
    assert score(by_labels, "corecode")["value"] is not None
    spans = cell("cider_span_extraction", "fold1", 0.5)
    spans["metrics"] = {"f1": spans["metrics"]["accuracy"]}
    only = group_of(*labels, CAUSE, spans)["rows"]  # the rows by generation are contained in those by labels
    assert [r["scoring"] for r in only] == ["labels"]
    probe = cell("cedar_inference_probing", "s", 0.5, scoring="nll")
    probe["metrics"] = {"accuracy_logical": probe["metrics"]["accuracy"]}
    (shots,) = group_of(*(c | {"shots": 5} for c in (EASY, HARD, CAUSE, FOLD)), probe)["rows"]
    assert shots["shots"] == 5 and score(shots, "cedar")["value"] == 0.5
    assert (shots["parts"][-1]["shots"], shots["parts"][-1]["scoring"]) == (0, "nll")


def test_changes_equal_those_by_hand() -> None:
    def drop(task: str, item_set: str, value: float, model: str = "m") -> dict[str, Any]:
        place = Place(model, task, item_set, "test", "paper", 0, perturb="shuffle").as_dict()
        return place | {"metric": "accuracy", "drop": value, "low": value - 0.1, "high": value + 0.1, "items": 7}

    drops = [drop("knowledge_filling", "easy", -0.2), drop("knowledge_filling", "hard", -0.4)]
    cells = [EASY, HARD, FOLD, *(c | {"model": "n"} for c in (EASY, HARD, FOLD))]
    made = group_of(*cells, drops=[*drops, drop("knowledge_filling", "easy", 0.0, "n")])
    (mine,), (theirs,) = (r["changes"] for r in made["rows"])
    assert (mine["value"], mine["items"]) == (pytest.approx(-0.3), 14)
    assert mine["low"] == pytest.approx(-0.3 - 0.1 / math.sqrt(2))
    assert (theirs["value"], theirs["missing"], len(theirs["parts"])) == (None, ["knowledge_filling/hard"], 1)
    shown = next(sheet for sheet in sheets_of(of_groups.ANALYSIS, [made]) if "perturb" in sheet.rows[0].about)
    first, second = (row.cells[-1] for row in shown.rows)
    assert isinstance(first, Value) and isinstance(second, Value)
    assert (first.value, first.low, first.high) == (mine["value"], mine["low"], mine["high"]) and not first.flags
    assert second.value is None and second.flags


# --- what is made of it


def test_results_json_has_the_key(content: dict[str, Any], group: dict[str, Any]) -> None:
    assert content["groups"] == []  # the run has only one benchmark of the groups of the suite
    results_file().model_validate(content | {"groups": [group]})


def test_tables_fit_a_terminal(group: dict[str, Any]) -> None:
    text = io.StringIO()
    Console(file=text, width=80).print(*draw(sheets_of(of_groups.ANALYSIS, [group])))
    lines = text.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    found = row(group, "first")
    shown = next(line for line in lines if line.split()[:2] == ["first", "paper"])
    assert f"{100 * score(found, 'corecode')['value']:.1f}" in shown
    assert any("third" in line and "2/4" in line for line in lines)
    assert any("not asked: TU" in line for line in lines)
    assert any("shuffle" in line for line in lines)


def test_tasks_that_nobody_was_asked_stand_by_their_names(group: dict[str, Any]) -> None:
    columns = [c | {"absent": ["charm_time", "cmmlu_exam/ethnology"]} for c in group["columns"]]
    first = next(iter(sheets_of(of_groups.ANALYSIS, [group | {"columns": columns}])))
    note = first.notes[0]
    assert "not asked: TU, CMMLU (ethnology)" in note.en and "尚未提问：时间理解、常识与文化试题（民族学）" in note.zh


def test_narrowed_results_have_no_mean_over_other_parts(
    content: dict[str, Any], group: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "results.json").write_text(json.dumps(content | {"groups": [group]}))
    done = load_results(tmp_path)
    (left,) = content_of(narrow(done, {"model": ["second"]}), "groups")
    assert [r["model"] for r in left["rows"]] == ["second"] and left["rows"][0] == row(group, "second")
    # Its means would be over other parts.
    assert content_of(narrow(done, {"task": ["knowledge_filling"]}), "groups") == []
    assert content_of(narrow(done, {"perturb": ["shuffle"]}), "groups") == []


def test_the_groups_name_tasks_and_sets_that_there_are() -> None:
    for group in groups().values():
        assert {*group.benchmarks} <= {*BENCHMARKS}
        for ability in group.abilities:
            for task, _, item_set in (name.partition("/") for name in ability.tasks):
                assert benchmark_of(task).name in group.benchmarks
                assert not item_set or item_set in benchmark_of(task).sets


def test_a_group_of_which_nothing_was_answered_has_no_table() -> None:
    nothing = {"value": None, "low": None, "high": None, "n": 0}
    cells = [
        a_cell(task=task, set=item_set, status={"failed": 10}, metrics={metric: nothing})
        for task, item_set, metric in (("knowledge_filling", "easy", "accuracy"), ("cider_dnli", "fold1", "macro_f1"))
    ]
    found = of_groups.overview(cells, [], [GROUP])
    assert [group.columns for group in found] == [[]]
    assert sheets_of(of_groups.ANALYSIS, [group.written() for group in found], cells) == []
