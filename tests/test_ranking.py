"""Significance groups, average ranks, metric correlations: against published figures, scipy, and by their own logic."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from as_json import a_cell, a_run, rated_cells_of, scored_cell, sheets_of
from rich.console import Console
from run_files import results_json
from shared_fixtures import shared_folder
from stand_ins import stand_in_models

import evalsuite
from evalsuite.analyses import average_ranks, significance
from evalsuite.analyses import correlations as metric_correlations
from evalsuite.analyses.average_ranks import drawn_ranks
from evalsuite.analyses.saved import load_results, narrow
from evalsuite.analyses.significance import ItemScores, ModelScores, letter_sheets
from evalsuite.benchmarks.kinds import KINDS
from evalsuite.benchmarks.registry import TASKS, metric_named
from evalsuite.cli.tables.terminal import draw
from evalsuite.common.sheet import english
from evalsuite.metrics import statistics as stats
from evalsuite.results.analysis import ScoredCell
from evalsuite.results.schema.cell import CellResult
from evalsuite.types import Metric, Place

# --- letters

PIEPHO_3 = [("1", "7"), ("1", "8"), ("2", "4"), ("2", "5"), ("3", "5")]  # example 3 of Piepho (2004)

# (models from best to worst, pairs that differ, letters, source)
LETTERS = [
    ("abc", [], {"a": "a", "b": "a", "c": "a"}, "nobody differs"),
    ("abc", ["ab", "ac", "bc"], {"a": "a", "b": "b", "c": "c"}, "all differ"),
    ("ABC", ["BC"], {"A": "ab", "B": "a", "C": "b"}, "multcompView's manual, dif3"),
    ("abcd", ["ab", "ac", "bd"], {"a": "a", "b": "b", "c": "bc", "d": "ac"}, "multcompView's manual, dif4"),
    # PlantGrowth, Tukey's test as R's manual has it: only trt2 and trt1 differ.
    (("trt2", "ctrl", "trt1"), [("trt2", "trt1")], {"trt2": "a", "ctrl": "ab", "trt1": "b"}, "PlantGrowth"),
]  # fmt: skip


@pytest.mark.parametrize(("ranked", "differ", "expected", "source"), LETTERS)
def test_letters_are_those_of_the_literature(
    ranked: Iterable[str], differ: Any, expected: dict[str, str], source: str
) -> None:
    assert significance.letters(list(ranked), [tuple(pair) for pair in differ]) == expected, source


@pytest.mark.parametrize("seed", range(30))
def test_letters_say_what_differs_and_nothing_else(seed: int) -> None:
    rng = Random(seed)
    models = [f"m{n}" for n in range(rng.randint(2, 9))]
    pairs = list(combinations(models, 2))
    differ = PIEPHO_3 if seed == 0 else [p for p in pairs if rng.random() < rng.choice((0.1, 0.4, 0.8))]
    models = list("12345678") if seed == 0 else models
    found = significance.letters(models, differ)
    assert [*found] == models
    for a, b in combinations(found, 2):
        assert bool(set(found[a]) & set(found[b])) == ((a, b) not in differ)
    assert all(found.values())
    if seed == 0:
        assert len(set("".join(found.values()))) <= 6  # Piepho needs six letters


# --- the tests


def test_pairwise_is_the_paired_test_of_each_two() -> None:
    rng = np.random.default_rng(5)
    values, clusters = rng.random((4, 30)) + np.arange(4)[:, None] * 0.1, [n // 3 for n in range(30)]
    p, name = stats.pairwise(values, clusters, Random("x"))
    assert name == "permutation"
    for a, b in combinations(range(4), 2):
        found = stats.paired_test(values[a], values[b], clusters, Random("y"), 1)
        moves = (values[a] - values[b]).reshape(10, 3).sum(axis=1)
        signs = 1 - 2 * np.random.default_rng(Random("x").getrandbits(128)).integers(
            0, 2, (stats.family_draws(6), 10), dtype=np.int8
        ).astype(float)
        as_far = np.count_nonzero(np.abs(signs @ moves) >= abs(moves.sum()) - 1e-12)
        expected = (as_far + 1) / (stats.family_draws(6) + 1)
        assert p[a, b] == p[b, a] == expected
        assert found.p == pytest.approx(expected, abs=0.02)


def test_pairwise_is_mcnemars_where_items_are_independent() -> None:
    values = (np.random.default_rng(2).random((5, 40)) < np.array([0.2, 0.4, 0.5, 0.7, 0.9])[:, None]).astype(float)
    p, name = stats.pairwise(values, list(range(40)), Random(1))
    assert name == "McNemar"
    for a, b in combinations(range(5), 2):
        assert p[a, b] == pytest.approx(stats.mcnemar([v > 0 for v in values[a]], [v > 0 for v in values[b]]))
    assert p[0, 0] == 1.0


# --- groups

PLACE = Place("", "knowledge_filling", "easy", "test", "paper", 0)


def cell(model: str, values: Iterable[float], **more: Any) -> ModelScores:
    """A cell with two items per dialogue."""
    return ModelScores(
        replace(PLACE, model=model),
        tuple(ItemScores(n, n // 2, (v,)) for n, v in enumerate(values)),
        more.pop("whole", True),
        **more,
    )


def test_groups_by_hand() -> None:
    good, bad = [1.0] * 40, [0.0] * 36 + [1.0] * 4
    other = ModelScores(replace(PLACE, model="other"), tuple(ItemScores(-n, n, (1.0,)) for n in range(40)), True)
    cells = [cell("bad", bad), cell("good", good), cell("same", good), cell("part", good[:30], whole=False), other]
    (found,) = significance.task_comparisons(cells)
    assert found.letters == {"good": "a", "same": "a", "bad": "b"}
    assert (found.best, found.not_worse) == ("good", ["same"])
    assert found.left_out == {"part": "incomplete", "other": "other items"}
    assert (found.metric, found.items, found.dialogues, found.test) == ("accuracy", 40, 20, "permutation")
    assert significance.task_comparisons(list(reversed(cells))) == [
        found.model_copy(update={"left_out": dict(reversed(found.left_out.items()))})
    ]
    assert significance.task_comparisons(cells[:1]) == []


def test_twenty_models_can_still_differ() -> None:
    """Holm multiplies by 190: with a thousand permutations nothing could be significant."""
    cells = [cell(f"m{n:02}", [float(i % 20 < n) for i in range(60)]) for n in range(20)]
    (found,) = significance.task_comparisons(cells)
    assert not set(found.letters["m19"]) & set(found.letters["m00"])


def test_columns_in_which_no_test_can_tell_are_named() -> None:
    """Five dialogues: p is 2 / 2**5 at least, though one model has all right and the other none."""
    for dialogues, told in ((5, True), (6, False)):
        cells = [cell(model, [right] * 2 * dialogues) for model, right in (("a", 1.0), ("b", 0.0))]
        (entry,) = significance.task_comparisons(cells)
        (sheet,) = letter_sheets([entry])
        notes = [english(note) for note in sheet.notes]
        assert notes[0] == "paired permutation test over dialogues, Holm's correction within a column"
        assert (
            notes[1:]
            == [
                f"too few dialogues to tell any two models apart: {TASKS[PLACE.task].short} (p by Holm is at least 0.062)"
            ]
            * told
        )
        assert bool(entry.not_worse) == told


def test_a_table_of_some_models_says_whether_the_tests_of_all_can_tell(tmp_path: Path) -> None:
    """Holm's correction is over all six pairs of four models, though two of them are shown."""
    replies = {name: (lambda request, name=name: f"({name})") for name in "abcd"}
    done = evalsuite.run(
        replies, tasks=["knowledge_filling"], set="easy", baselines=[], limit=56, out=tmp_path, data="bundled:sample"
    )
    (whole,) = significance.group_sheets(done)
    (some,) = significance.group_sheets(narrow(done, {"model": ["a", "b"]}))
    assert [row.cells[0] for row in some.rows] == ["a", "b"] and some.rows == whole.rows[:2]
    assert any("too few dialogues" in english(note) for note in whole.notes)
    assert some.notes == whole.notes


def test_adapters_are_a_family_of_their_own() -> None:
    cells = [cell(name, [1.0] * 8, adapter=name.startswith("lora")) for name in ("a", "b", "lora1", "lora2")]
    without, within = significance.task_comparisons(cells)
    assert without.adapters is None and set(without.letters) == {"a", "b"}
    assert within.adapters and len(within.letters) == 4


@pytest.mark.parametrize("kind", ["right or wrong", "graded"])
def test_false_alarms_are_as_rare_as_promised(kind: str) -> None:
    """Five equal models on 20 dialogues of three items each, whose items go together: some letter differs in at most
    5 % of the columns. 300 columns: more than 8.5 % would be chance once in 500."""
    rng = np.random.default_rng(7)
    alarms = 0
    for _ in range(300):
        # The dialogue tells on a model.
        hard = np.repeat(rng.normal(size=(5, 20)), 3, axis=1) + rng.normal(size=(5, 60))
        values = (hard > 0).astype(float) if kind == "right or wrong" else 1 / (1 + np.exp(-hard))
        p, _ = stats.pairwise(values, [n // 3 for n in range(60)], Random(int(rng.integers(1 << 30))))
        pairs = {f"{a} {b}": float(p[a, b]) for a, b in combinations(range(5), 2)}
        alarms += min(stats.holm(pairs).values()) < 0.05
    assert alarms / 300 < 0.085


def test_rated_reads_a_cell() -> None:
    entry = a_cell(task="slot_identification", perturb="circular")
    talk = (("A: 今天怎么回来得这么晚？", "B: 别提了，地铁坏在半路上，等了四十分钟。"), ("A: 你好。",))
    rows = [significance.RecordScores("x", f"x{n}", talk[0], {"accuracy": float(n > 0)}, 0) for n in range(2)]
    rows += [significance.RecordScores("y", f"y{n}", talk[n], {"accuracy": 1.0}, 0) for n in (0, 0)]
    found = significance.model_scores(entry, rows, "0\tm")
    assert found is not None and (found.model, found.whole) == ("0\tm", True)
    assert [v.values for v in found.values] == [(0.0,), (1.0,)]  # all rotations of an item have to be right
    assert found.values[0].dialogue == found.values[1].dialogue
    assert found.values[0].item == ("x", "x0", "x1")
    samples = [*rows, *(significance.RecordScores("x", f"x{n}", talk[0], {"accuracy": 1.0}, 1) for n in range(2))]
    sampled = significance.model_scores(entry, samples)
    # The mean of an item's samples.
    assert sampled is not None and [v.values for v in sampled.values] == [(0.5,), (1.0,)]
    assert [v.item for v in sampled.values] == [v.item for v in found.values]
    assert (
        significance.model_scores(a_cell(task="slot_identification", perturb="circular", missing=1), rows).whole
        is False
    )  # type: ignore[union-attr]
    assert (
        significance.model_scores(
            a_cell(task="slot_identification", perturb="circular", facts={"backend": "baseline"}), rows
        )
        is None
    )


def test_higher_is_better_in_all_metrics_that_significance_groups_compare() -> None:
    """The letters begin with the highest mean, as `not_worse` does."""
    assert not [name for kind in KINDS.values() for name in kind.item_metrics if metric_named(name).lower_is_better]


# --- average ranks

# Demšar (2006), Table 6: AUC of C4.5 with m and cf tuned or not, on 14 data sets. He ranks voting's two 0.975 2 and 3.
DEMSAR = {
    "C4.5": [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1.0, 0.940, 0.619, 0.972, 0.957],
    "m": [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1.0, 0.962, 0.666, 0.981, 0.978],
    "cf": [0.771, 0.590, 0.968, 0.654, 0.886, 0.916, 0.609, 0.563, 0.866, 1.0, 0.965, 0.614, 0.9751, 0.946],
    "m+cf": [0.798, 0.569, 0.967, 0.657, 0.898, 0.931, 0.685, 0.625, 0.875, 1.0, 0.962, 0.669, 0.975, 0.970],
}


def test_average_ranks_are_demsars() -> None:
    found = average_ranks.average_ranks(DEMSAR)
    assert found.mean == pytest.approx({"C4.5": 3.143, "m": 2.0, "cf": 2.893, "m+cf": 1.964}, abs=5e-4)
    assert found.critical_difference == pytest.approx(1.25, abs=0.02)
    # His 9.28 is without the correction for ties: four models at mushroom, two at iris, lung and primary tumor.
    assert found.statistic == pytest.approx(9.28 / (1 - (60 + 3 * 6) / (14 * 60)), abs=0.01)
    assert found.range["m+cf"] == (1.0, 4.0)


# Demšar's Table 5, 0.05.
@pytest.mark.parametrize(("models", "q"), [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (8, 3.031), (10, 3.164)])
def test_critical_values_are_demsars(models: int, q: float) -> None:
    assert average_ranks.nemenyi(models) == pytest.approx(q, abs=1e-3)


def test_critical_values_go_up_to_the_number_of_models() -> None:
    assert average_ranks.critical_values(5) == pytest.approx({"3": 2.343, "4": 2.569, "5": 2.728}, abs=1e-3)  # Table 5
    assert average_ranks.critical_values(32) == {
        str(models): round(average_ranks.nemenyi(models), 6) for models in range(3, 33)
    }


def test_there_is_no_test_over_items_of_too_few_dialogues() -> None:
    """Values from too few dialogues have no interval: Friedman's test would be sure of what one dialogue says."""
    tasks = [name for name in TASKS][:5]

    def cells(low: float | None) -> list[CellResult]:
        values = {"a": 0.9, "b": 0.5, "c": 0.1}
        return [
            a_cell(model=m, task=x, metrics={TASKS[x].metrics[0]: {"value": v, "low": low, "high": low and 1.0}})
            for m, v in values.items()
            for x in tasks
        ]

    (row,) = average_ranks.ranks_of(cells(0.05))
    sure = row.ranks
    assert sure.p is not None and sure.p < 0.05 and not sure.few
    (row,) = average_ranks.ranks_of(cells(None))
    none = row.ranks
    assert none.mean == sure.mean and none.few and (none.p, none.critical_difference) == (None, None)
    (sheet,) = drawn_ranks([row])
    (note,) = sheet.notes
    assert "Friedman" not in english(note) and "too few dialogues" in english(note)


def test_ranks_are_of_models_that_did_every_task() -> None:
    def entry(model: str, task: str, value: float, **more: Any) -> CellResult:
        return a_cell(model=model, task=task, metrics={TASKS[task].metrics[0]: {"value": value}}, **more)

    trained = {
        "base": "a",
        "task": "knowledge_filling",
        "size": 8,
        "seed": 0,
        "set": "both",
        "allow_leak": False,
        "labels": {},
    }

    filling, cause = "knowledge_filling", "event_cause"
    entries = [
        entry("a", filling, 0.9), entry("a", cause, 0.2), entry("b", filling, 0.5), entry("b", cause, 0.2),
        entry("half", filling, 1.0), entry("late", filling, 1.0), entry("late", cause, 1.0, missing=3),
        entry("lost", filling, 1.0, status={"failed": 1}), entry("lost", cause, 1.0),
        entry("chance", filling, 1.0, facts={"tags": ["baseline"]}), entry("chance", cause, 1.0, facts={"tags": ["baseline"]}),
        entry("a+8", filling, 1.0, facts={"trained": trained}), entry("a+8", cause, 1.0, facts={"trained": trained}),
    ]  # fmt: skip
    ((benchmark, place, ranks, left_out, _),) = average_ranks.ranks_of(entries)
    assert benchmark == "corecode"
    assert ranks.mean == {"a": 1.25, "b": 1.75} and ranks.columns == 2  # ranks 1 and 2, then a tie
    assert (
        left_out == dict.fromkeys(["half", "late", "lost"], "incomplete")
        and "task" not in dict(place)
        and dict(place)["set"] == "easy"
    )
    assert list(average_ranks.ranks_of(entries[::2][:2])) == []  # one task has no mean rank
    assert list(average_ranks.ranks_of(entries[:2])) == []  # one model has no rank


def _headlines(values: dict[str, dict[str, float]], **place: Any) -> list[CellResult]:
    """Cells from model -> task -> headline."""
    return [
        a_cell(model=model, task=task, metrics={TASKS[task].metrics[0]: {"value": value}}, **place)
        for model, by_task in values.items()
        for task, value in by_task.items()
    ]


def test_benchmarks_that_share_a_sets_name_are_ranked_apart() -> None:
    """A benchmark of a user's may have a set "easy", too: each has ranks and groups of its own."""
    ours, theirs = ("knowledge_filling", "event_cause"), ("charm_time", "charm_sequence")
    scores = {
        "a": {**dict.fromkeys(ours, 0.9), **dict.fromkeys(theirs, 0.1)},
        "b": dict.fromkeys((*ours, *theirs), 0.5),
    }
    rows = list(average_ranks.ranks_of([*_headlines(scores), *_headlines({"c": dict.fromkeys(theirs, 0.7)})]))
    assert [(row.benchmark, row.ranks.columns) for row in rows] == [("corecode", 2), ("charm", 2)]
    assert [row.ranks.mean for row in rows] == [{"a": 1.0, "b": 2.0}, {"a": 3.0, "b": 2.0, "c": 1.0}]
    assert [row.left_out for row in rows] == [{}, {}]
    values = tuple(ItemScores(n, n, (float(n % 2), 0.0)) for n in range(6))
    cells = [
        ModelScores(Place(model, task, "easy", "test", "paper", 0), values, True)
        for model in "ab"
        for task in (*ours, *theirs)
    ]
    sheets = list(letter_sheets(significance.task_comparisons(cells)))
    assert [len(sheet.columns) for sheet in sheets] == [3, 3]


FEWER = {"limit": 5}
LISTED = {"items": {"sha256": "1" * 64, "of": 10}}
SUBSET = {"method": "subset", "asked": 5, "of": 10}


@pytest.mark.parametrize("facts", [FEWER, {"drop_leaked": True}, {"data": "f"}])
def test_tasks_of_which_models_were_asked_other_items_do_not_count(facts: dict[str, Any]) -> None:
    tasks = ("knowledge_filling", "event_cause", "slot_identification")
    cells = _headlines({"a": dict.fromkeys(tasks, 0.9), "b": dict.fromkeys(tasks[:2], 0.5)})
    (row,) = average_ranks.ranks_of([*cells, *_headlines({"b": {tasks[2]: 1.0}}, facts=facts)])
    assert (row.ranks.mean, row.ranks.columns) == ({"a": 1.0, "b": 2.0}, 2)
    assert (row.left_out, row.unlike) == ({}, ["slot_identification"])
    (sheet,) = drawn_ranks([row])
    assert "not counted, not all models were asked the same items: SI" in english(sheet.notes[0])


def test_nobody_is_ranked_where_no_two_models_were_asked_the_same() -> None:
    """The table names every model with the reason."""
    tasks = ("knowledge_filling", "event_cause")
    whole = _headlines({"a": dict.fromkeys(tasks, 0.9), "b": dict.fromkeys(tasks, 0.5)})
    part = _headlines({"c": dict.fromkeys(tasks, 1.0)}, facts=FEWER)
    lacking = _headlines({"d": dict.fromkeys(tasks, 1.0)}, missing=1)
    (row,) = average_ranks.ranks_of([*whole, *part, *lacking])
    assert row.ranks.mean == {} and row.unlike == [*tasks]
    assert row.left_out == {**dict.fromkeys("abc", "other items"), "d": "incomplete"}
    (sheet,) = drawn_ranks([row])
    shown = [(line.cells[0], english(line.cells[1])) for line in sheet.rows]  # type: ignore[arg-type]
    assert shown == [*[(model, "other items") for model in "abc"], ("d", "incomplete")]


def test_a_list_of_items_leaves_out_its_own_model_alone() -> None:
    tasks = ("knowledge_filling", "event_cause")
    whole = _headlines({"a": dict.fromkeys(tasks, 0.9), "b": dict.fromkeys(tasks, 0.5)})
    (row,) = average_ranks.ranks_of(
        [*whole, *_headlines({"c": dict.fromkeys(tasks, 1.0)}, facts=LISTED, estimate=SUBSET)]
    )
    assert (row.ranks.mean, row.left_out, row.unlike) == ({"a": 1.0, "b": 2.0}, {"c": "incomplete"}, [])


def test_of_a_metric_of_which_less_is_better_the_lowest_value_ranks_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(average_ranks, "metric_named", lambda name: Metric(name, name, lower_is_better=True))
    tasks = ("knowledge_filling", "event_cause")
    (row,) = average_ranks.ranks_of(_headlines({"a": dict.fromkeys(tasks, 0.2), "b": dict.fromkeys(tasks, 0.8)}))
    assert row.ranks.mean == {"a": 1.0, "b": 2.0}


def test_friedman_is_scipys() -> None:
    scipy = pytest.importorskip("scipy.stats", reason="needs evalsuite[dev]")
    values = np.random.default_rng(3).integers(0, 6, (6, 8)).astype(float)
    found = average_ranks.average_ranks({str(n): row for n, row in enumerate(values)})
    theirs = scipy.friedmanchisquare(*values)
    assert (found.statistic, found.p) == pytest.approx((theirs.statistic, theirs.pvalue))


def test_ranks_load_no_scipy_stats() -> None:
    """`evalsuite show` makes them each time, and scipy.stats takes long to load."""
    code = (
        "import sys; from evalsuite.analyses.average_ranks import average_ranks;"
        "found = average_ranks({n: [0.5, 0.25 * i, 0.1, 0.2, 0.3] for i, n in enumerate('abc')});"
        "sys.exit('scipy.stats' in sys.modules or found.p is None)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(("models", "columns", "tested"), [(2, 8, False), (3, 4, False), (3, 5, True)])
def test_too_little_to_test(models: int, columns: int, tested: bool) -> None:
    found = average_ranks.average_ranks({str(n): [0.5] * columns for n in range(models)})
    assert (found.p == 1.0) == tested and (found.critical_difference is not None) == tested
    assert set(found.mean.values()) == {(models + 1) / 2}


# --- metric correlations


def test_between_is_scipys() -> None:
    scipy = pytest.importorskip("scipy.stats", reason="needs evalsuite[dev]")
    table = np.vstack([np.random.default_rng(1).integers(0, 5, (4, 50)), np.ones((1, 50))]).astype(float)
    spearman, kendall = metric_correlations.rank_correlations(table)
    for n, (i, j) in enumerate(combinations(range(5), 2)):
        if j == 4:
            assert spearman[n] is kendall[n] is None
        else:
            assert spearman[n] == pytest.approx(scipy.spearmanr(table[i], table[j])[0], abs=1e-4)
            assert kendall[n] == pytest.approx(scipy.kendalltau(table[i], table[j])[0], abs=1e-4)


def test_three_points_are_enough() -> None:
    # Ranks 1 2 3 and 1 3 2: Σd² = 2, ρ = 1 - 6·2/(3·8); two pairs agree, one does not.
    assert metric_correlations.rank_correlations(np.array([[1, 2, 3], [1, 3, 2]])) == ([0.5], [0.3333])
    assert metric_correlations.rank_correlations(np.array([[1, 2], [1, 2]])) == ([None], [None])


def test_five_models_are_points_too() -> None:
    place = replace(PLACE, task="event_cause")
    points = metric_correlations.Points(place, ("f1", "em"), np.array([[0.1, 0.2, 0.3], [0, 0, 1]], dtype=np.float32))

    def model(name: str, f1: float | None, em: float, **more: Any) -> ScoredCell:
        figures = {"f1": {"value": f1}, "em": {"value": em}}
        return scored_cell(a_cell(model=name, task="event_cause", metrics=figures, **more))

    def correlations(*cells: ScoredCell) -> list[dict[str, Any]]:
        first, *rest = cells
        return [row.written() for row in metric_correlations.compute(a_run(replace(first, points=points), *rest))]

    five = [model(f"m{n}", n / 10, (n + 1) % 5 / 10) for n in range(5)]  # ranks 1 2 3 4 5 and 2 3 4 5 1
    ignored = [
        model("chance", 0.9, 0.0, facts={"backend": "baseline"}),
        model("broken", 0.9, 0.0, status={"failed": 1}),
        model("unfinished", 0.9, 0.0, missing=2),
        model("moved", 0.9, 0.0, perturb="traditional"),
        model("elsewhere", 0.9, 0.0, set="hard"),
    ]
    items, models = correlations(*five, *ignored)
    assert (items["basis"], items["n"], models["basis"], models["n"], models["metrics"]) == ("items", 3, "models", 5, ["f1", "em"])  # fmt: skip
    # Σd² = 4·1 + 16: ρ = 1 - 6·20/(5·24); of ten pairs the four with the last model disagree.
    assert (models["spearman"], models["kendall"]) == ([0.0], [0.2])
    assert [e["basis"] for e in correlations(*five[1:], *ignored)] == ["items"]
    # A model that was asked under constrained decoding, too, counts once.
    assert [e["basis"] for e in correlations(*five[1:], model("m4", 0.9, 0.0, scoring="constrained"))] == ["items"]


def test_many_items_are_sampled() -> None:
    place = replace(PLACE, task="event_cause")
    values = np.random.default_rng(0).random((2, 1500)).astype(np.float32)
    cells = [metric_correlations.Points(place, ("f1", "em"), np.vstack([values[0], values[0]])) for _ in range(2)]
    cell = scored_cell(a_cell(task="event_cause"))
    (found,) = metric_correlations.compute(a_run(*(replace(cell, points=points) for points in cells)))
    assert (found.n, found.of, found.models) == (metric_correlations.SAMPLE, 3000, 2)
    assert found.spearman == found.kendall == [1.0]


# --- a run


@shared_folder
def run(folder: Path) -> Path:
    """Five of the baselines that ship, four of which pass for models."""
    entries = stand_in_models(folder, {n: n for n in ("random", "majority", "lexical", "oracle")}, ["corecode"])
    entries.append({"name": "chance", "backend": "baseline", "path": "random", "tags": ["baseline"]})
    (folder / "models.yaml").write_text(json.dumps({"models": entries}))
    evalsuite.run(models=folder / "models.yaml", limit=20, out=folder / "run")
    return folder / "run"


@pytest.mark.thorough
def test_groups_and_ranks_of_a_run(run: Path) -> None:
    results = results_json(run)
    found = significance.task_comparisons(rated_cells_of(run))
    assert {(e.set, e.task) for e in found} == {(c["set"], c["task"]) for c in results["cells"]}
    for entry in found:
        assert entry.best == "oracle" and not entry.left_out and "chance" not in entry.letters
        cells = {c["model"]: c["metrics"] for c in results["cells"] if (c["set"], c["task"]) == (entry.set, entry.task)}
        values = [cells[model][entry.metric]["value"] for model in entry.letters]
        assert values == sorted(values, reverse=True)
    assert any(set(e.letters["oracle"]).isdisjoint(e.letters["random"]) for e in found)
    cells = load_results(run).cells
    for _, place, ranks, left_out, _ in average_ranks.ranks_of(cells):
        assert dict(place)["set"] in ("easy", "hard") and ranks.mean["oracle"] == 1.0 and not left_out
    correlated = results["metric_correlations"]
    assert len(correlated) == 2 * 5 and all(e["basis"] == "items" and e["models"] == 4 for e in correlated)
    pairs = dict(zip(combinations(correlated[0]["metrics"], 2), correlated[0]["spearman"], strict=True))
    assert pairs["f1", "em"] > 0.5
    console = Console(width=120, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    for tables in (
        letter_sheets(found),
        drawn_ranks(average_ranks.ranks_of(cells)),
        sheets_of(metric_correlations.ANALYSIS, correlated),
    ):  # fmt: skip
        for table in draw(tables):
            console.print(table)
    text = console.export_text()
    assert "oracle" in text and "mean rank over 8 tasks" in text and "Spearman" in text


def test_the_tests_of_all_columns_are_named() -> None:
    by_task: Any = {name: SimpleNamespace(test=name) for name in ("McNemar", "permutation")}
    both = "paired permutation test over dialogues or McNemar's test, Holm's correction within a column"
    assert significance._tests(by_task).en == both
    assert significance._tests({"one": by_task["McNemar"]}).zh == "McNemar 检验，每列内经 Holm 校正"
