"""A run's tables on the terminal: they fit 80 columns and agree with the cells."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from as_json import a_cell, sheets_of
from rich.cells import cell_len
from rich.console import Console

from evalsuite.analyses import breakdown, confusion, correlations, means, scores
from evalsuite.analyses.average_ranks import BenchmarkRanks, average_ranks, drawn_ranks
from evalsuite.analyses.scores import by_scoring
from evalsuite.analyses.significance import TaskComparisons, letter_sheets
from evalsuite.benchmarks import registry
from evalsuite.benchmarks.corecode.tasks import TASKS_CORECODE as TASKS
from evalsuite.benchmarks.registry import metric_named
from evalsuite.cli.tables.terminal import draw
from evalsuite.common.sheet import Sheet, Value, english
from evalsuite.metrics.rows import METRICS as SHARED_METRICS
from evalsuite.metrics.rows import TEXT_METRICS
from evalsuite.results.analysis import Results
from evalsuite.types import Reading

TEXTS = ("accuracy", "accuracy_token", "accuracy_sum", "accuracy_char", "accuracy_prior")


def cell(scoring: str, *values: float | None, task: str = "knowledge_filling", **more: Any) -> dict[str, Any]:
    """A cell of results.json, as far as tables read it."""
    metrics = TEXTS if scoring == "texts" else ("accuracy",)
    return {
        "model": "tiny-zh", "task": task, "set": "easy", "split": "test", "variant": "paper", "shots": 0, "scoring": scoring, "perturb": "none",
        "status": {"parsed": 10}, "missing": 0, "chance": 1 / 3,
        "metrics": {name: {"value": value} for name, value in zip(metrics, values, strict=False)},
    } | more  # fmt: skip


GENERATED = cell("generate", 0.2, status={"parsed": 4, "unparsed": 5, "filtered": 1})
ROWS = [
    # cells, the lines of numbers that are shown
    ("one way", [GENERATED], []),
    ("labels alone", [cell("labels", 0.5)], []),
    ("no choices", [{k: v for k, v in cell("generate", 0.5, task="event_cause").items() if k != "chance"}], []),
    ("two ways", [GENERATED, cell("labels", 0.5)], ["EASY CKF 20.0 (60) 50.0 33.3"]),
    ("texts alone", [cell("texts", 0.1, 0.1, 0.2, 0.3, 0.4)], ["EASY CKF 10.0 20.0 30.0 40.0 33.3"]),
    (
        "columns in one order, tasks as the paper has them",
        [cell("texts", 0.1, 0.1, 0.2, 0.3, 0.4, task="slot_identification"), cell("labels", 0.6), cell("constrained", 0.5), GENERATED],
        ["EASY CKF 20.0 (60) 50.0 60.0 – – – – 33.3", "EASY SI – – – 10.0 20.0 30.0 40.0 33.3"],
    ),
    (
        "nothing answered",
        [GENERATED, cell("texts", None, status={"failed": 10})],
        ["EASY CKF 20.0 (60) – !10 – !10 – !10 – !10 33.3"],
    ),
    ("a baseline, generated only", [GENERATED, cell("labels", 0.5), cell("generate", 0.3, model="random")], ["EASY CKF 20.0 (60) 50.0 33.3"]),
]  # fmt: skip


def printed_lines(cells: list[dict[str, Any]]) -> list[str]:
    console = Console(width=80)
    with console.capture() as capture:
        for table in draw(by_scoring([a_cell(**cell) for cell in cells])):
            console.print(table)
    return capture.get().splitlines()


@pytest.mark.parametrize(("cells", "lines"), [r[1:] for r in ROWS], ids=[r[0] for r in ROWS])
def test_accuracy_by_scoring(cells: list[dict[str, Any]], lines: list[str]) -> None:
    assert [" ".join(x.split()) for x in printed_lines(cells) if x.startswith(("  EASY", "  HARD"))] == lines


def test_tables_by_scoring_are_named_by_their_model_and_the_way_where_ways_differ() -> None:
    one_way = [cell(scoring, 0.5, model=model) for model in ("a", "b") for scoring in ("generate", "labels")]
    titles = [english(sheet.title) for sheet in by_scoring([a_cell(**cell) for cell in one_way])]
    assert titles == ["a: accuracy % by scoring", "b: accuracy % by scoring"]
    two_ways = [one | {"shots": shots} for one in one_way[:2] for shots in (0, 5)]
    titles = [english(sheet.title) for sheet in by_scoring([a_cell(**cell) for cell in two_ways])]
    assert titles == [f"a {way} test: accuracy % by scoring" for way in ("paper 0-shot", "paper 5-shot")]


def test_a_mean_over_some_of_the_sets_is_marked_and_not_compared() -> None:
    """Model b was asked two of three folds: its mean is of these, and not the best, though it is higher."""
    asked = [("a", "fold1", 0.5), ("a", "fold2", 0.5), ("a", "fold3", 0.2), ("b", "fold1", 0.6), ("b", "fold2", 0.6)]
    cells = [
        a_cell(**cell("generate", value, model=model, set=fold, task="cider_span_selection", items=10, missing=0))
        for model, fold, value in asked
    ]
    results = Results(Path(), "0", Reading(), tuple(cells), {means.ANALYSIS.key: means.means(cells)})
    (sheet,) = scores.sheets(results)
    shown = {row.cells[0]: row.cells[4] for row in sheet.rows if row.kind != "apart"}
    assert shown == {"a": Value(pytest.approx(0.4)), "b": Value(0.6, flags=("2/3",), compares=False)}
    assert [note.en[:3] for note in sheet.notes] == ["k/m"]  # type: ignore[union-attr]


@pytest.mark.parametrize("items", [10, 3])
def test_no_value_is_the_best_among_values_of_other_items(items: int) -> None:
    """Model b was asked the first three items alone (--limit), or, if it was asked all ten, is the best."""
    asked = [cell("generate", 0.5, model="a"), cell("generate", 1.0, model="b", items=items)]
    cells = [a_cell(**one | {"metrics": {"accuracy": {"value": 0.5, "n": one.get("items", 10)}}}) for one in asked]
    (sheet,) = scores.sheets(Results(Path(), "0", Reading(), tuple(cells), {}))
    assert sheet.columns[1].better == ("more" if items == 10 else "")


def test_models_that_were_asked_on_other_data_are_said_not_to_compare() -> None:
    """Between the two runs into one folder the file of the task changed; a wording of c has a file of its own."""
    asked = [("a", "paper", "0"), ("b", "paper", "0"), ("c", "own", "2")]

    def drawn(data_of_b: str) -> Sheet:
        hashes = [data_of_b if model == "b" else data for model, _, data in asked]
        rows = [cell("generate", 0.5, model=model, variant=variant) for model, variant, _ in asked]
        cells = [a_cell(**row, facts={"data": data}) for row, data in zip(rows, hashes, strict=True)]
        (sheet,) = scores.sheets(Results(Path(), "0", Reading(), tuple(cells), {}))
        return sheet

    changed, same = drawn("1"), drawn("0")
    assert (changed.columns[1].better, same.columns[1].better) == ("", "more")
    assert [english(note) for note in changed.notes] == ["CKF: asked on different data, which do not compare"]
    assert same.notes == ()


def test_metrics_are_correlated_above_and_below_the_diagonal() -> None:
    """ρ of the metrics (1, 2), (1, 3), (2, 3) and τ-b of the same; the paper's metric stands last, whatever its place."""
    entry: dict[str, Any] = PLACE | {
        "task": "event_cause", "set": "easy", "basis": "items", "models": 2, "n": 40, "of": 40,
        "metrics": ["f1", "paper.bleu1", "em"], "spearman": [0.1, 0.2, None], "kendall": [0.4, 0.5, 0.6],
    }  # fmt: skip
    for name in ("scoring", "perturb"):
        del entry[name]
    found = [correlations.MetricCorrelation.model_validate(entry)]
    (sheet,) = correlations.matrices(Results(Path(), "0", Reading(), (), {correlations.ANALYSIS.key: found}))
    assert [row.about for row in sheet.rows] == [{"metric": name} for name in ("f1", "em", "paper.bleu1")]
    figures = [[None if x is None else x.value for x in row.cells[1:]] for row in sheet.rows]
    assert figures == [[None, 0.2, 0.1], [0.5, None, None], [0.4, 0.6, None]]


def test_a_table_of_every_column_fits_80() -> None:
    cells = [
        cell(scoring, *[1.0] * 5, task=task, set=item_set, model=model, shots=shots, status={"unparsed": 10})
        for scoring in ("generate", "constrained", "labels", "texts")
        for task in ("knowledge_filling", "domain_identification", "slot_identification")
        for item_set in ("easy", "hard")
        for model in ("tiny-zh", "[red]a-model-with-a-long-name")
        for shots in (0, 5)
    ]
    cells = [c | {"status": {"parsed": 10}} if c["scoring"] != "generate" else c for c in cells]
    lines = printed_lines(cells)
    assert max(map(len, lines)) <= 80 and "…" not in "".join(lines)
    assert sum("100.0 (100)" in line for line in lines) == 24
    assert "[red]a-model-with-a-long-name paper 5-shot test: accuracy % by scoring" in " ".join(lines)


# --- over all tasks at once

PLACE = {"split": "test", "variant": "paper", "shots": 0, "scoring": "generate", "perturb": "none"}
NAMES = ["[red]a-model-with-a-long-name", "tiny-zh", "模型"]
BINS = [{"low": n, "high": n + 1, "n": 1000, "dialogues": 9, "value": 1.0, "interval": [0.5, 1.0]} for n in range(8)]
METRICS = ["f1", "em", "f1_token", "bleu1", "paper.cider", "chrf"]
BREAKDOWNS = [
    PLACE | {"set": "easy", "task": t.name, "model": m, "metric": t.metrics[0], "turns": BINS, "distance": BINS[:2]}
    for t in TASKS.values() for m in NAMES
]  # fmt: skip
CONFUSED = PLACE | {
    "set": "hard", "task": "slot_identification", "model": NAMES[0], "names": [["由…制成", "made of something with a long name"], ["是…的一部分", "part of"]],
    "pairs": [[0, 0, 5], [0, 1, 3]], "silent": [[1, 2]], "offers": [{"options": [0, 1], "gold": [[0, 8], [1, 2]]}],
}  # fmt: skip
GROUPS = [
    PLACE | {"set": "easy", "task": t.name, "metric": t.metrics[0], "letters": dict.fromkeys(NAMES[:2], "abcd"), "left_out": {NAMES[2]: "other items"},
            "items": 9, "dialogues": 9, "test": "permutation", "best": NAMES[0], "not_worse": [NAMES[1]]}
    for t in TASKS.values()
]  # fmt: skip
CORRELATED = [
    {k: v for k, v in PLACE.items() if k not in ("scoring", "perturb")}
    | {"set": s, "task": t.name, "basis": basis, "models": 5, "n": 2000, "of": 2000, "metrics": METRICS, "spearman": [-0.5] * 14 + [None], "kendall": [None] * 15}
    for basis in ("items", "models") for t in TASKS.values() if t.kind.name != "choice" for s in ("easy", "hard")
]  # fmt: skip


def ranks() -> Iterator[Sheet]:
    """Ranks are computed when they are drawn: they need scipy, which takes long to load."""
    found = average_ranks({n: [0.5, 0.25 * i, 0.1, 0.2, 0.3] for i, n in enumerate(NAMES)})
    yield from drawn_ranks(
        [BenchmarkRanks("corecode", (("set", "hard"), *PLACE.items()), found, {NAMES[0]: "incomplete"}, [])]
    )


WIDE = [
    # sheets, what must be there to read
    ("breakdowns", sheets_of(breakdown.ANALYSIS, BREAKDOWNS), ["EASY, test paper 0-shot: by turns of the dialogue", "CKF acc %", "CKF acc %", "by turns to the answer"]),
    ("confusions", sheets_of(confusion.ANALYSIS, [CONFUSED]), ["SI HARD, test paper 0-shot: taken for another", "part of", " 3 8 38", "no answer that counts 2 10"]),
    ("groups", letter_sheets(map(TaskComparisons.model_validate, GROUPS)), ["abcd abcd", "models that share a letter"]),
    ("ranks", ranks(), ["HARD, test, paper 0-shot: mean rank over 5 tasks", "Friedman χ² = ", " incomplete "]),
    ("correlations", sheets_of(correlations.ANALYSIS, CORRELATED), ["per item: test, paper 0-shot", "over models: test", "chrf -0.50", "n 2000"]),
]  # fmt: skip


@pytest.mark.parametrize(("sheets", "told"), [r[1:] for r in WIDE], ids=[r[0] for r in WIDE])
def test_tables_of_all_tasks_fit_80(sheets: Iterator[Sheet], told: list[str]) -> None:
    console = Console(width=80, markup=False)
    with console.capture() as capture:
        for table in draw(sheets):
            console.print(table)
    lines = capture.get().splitlines()
    text = " ".join(" ".join(lines).split())
    assert max(map(cell_len, lines)) <= 80
    assert not [x for x in told if " ".join(x.split()) not in text]
    assert "…" not in text.replace("由…", "").replace("是…", "")


def test_headings_of_the_tasks_metrics() -> None:
    found = {name: metric_named(name).heading for t in registry.TASKS.values() for name in t.metrics[:1]}
    assert found == {
        "accuracy": "acc %", "blend": "held %", "f1": "f1 %", "set_accuracy": "set acc %", "contains": "holds %", "sacrebleu": "BLEU", "accuracy_logical": "logical %",
        "bleu2": "BLEU-2 %", "macro_f1": "Macro F1 %",
    }  # fmt: skip


def test_shares_are_shown_times_100_and_nats_and_cider_are_not() -> None:
    metrics = {**SHARED_METRICS, **TEXT_METRICS}
    assert {name for name, metric in metrics.items() if not metric.percent} == {"delta_nll", "cider", "cider_plain"}
    assert {name: metric.maximum for name, metric in metrics.items() if metric.maximum != 1} == {"delta_nll": None, "cider": 10, "cider_plain": 10}  # fmt: skip
    assert [name for name, metric in metrics.items() if metric.lower_is_better] == ["paper.parts", "no_match"]
