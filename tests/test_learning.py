"""Learning curves and the label check from cells made by hand, with numbers worked out by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from as_json import a_cell, sheets_of
from rich.console import Console

from evalsuite.analyses import learning as of_adapters
from evalsuite.analyses.learning_details import sheets as details
from evalsuite.analyses.robustness import PositionCounts
from evalsuite.cli.tables.terminal import draw
from evalsuite.results.analysis import Results
from evalsuite.results.schema.cell import AdapterTraining
from evalsuite.types import Reading

PLACE = {"task": "slot_identification", "set": "easy", "split": "test", "variant": "paper", "shots": 0, "scoring": "generate", "perturb": "none"}  # fmt: skip
LABELS = {"a": 2, "b": 6, "c": 2}


def base(value: float | None = 0.5, data: str = "d", **more: Any) -> dict[str, Any]:
    low, high = (None, None) if value is None else (value - 0.1, value + 0.1)
    accuracy = {"value": value, "low": low, "high": high}
    facts = {"data": data, "limit": None, "seed": 0, "drop_leaked": False}
    return {"model": "m", **PLACE, "items": 10, "chance": 0.25, "metrics": {"accuracy": accuracy, "paper.accuracy": {"value": 0.0}}, "facts": facts} | more  # fmt: skip


def adapter(size: int, seed: int, value: float | None, trained: dict[str, Any] | None = None, **more: Any) -> Any:
    cell = base(value, **more)
    made = {"base": "m", "task": cell["task"], "size": size, "seed": seed, "set": "both", "allow_leak": False, "labels": LABELS} | (trained or {})  # fmt: skip
    return cell | {"model": f"m+{size}-s{seed}", "facts": {**cell["facts"], "trained": made}}


def label_counts(model: str, chosen: list[int], gold: list[int], silent: int = 0, **more: Any) -> dict[str, Any]:
    return {"model": model, **PLACE, "labels": ["(a)", "(b)", "(c)", "(d)"], "chosen": chosen, "gold": gold, "right": [0] * 4, "silent": silent, "bias": 0.0} | more  # fmt: skip


def learning(cells: list[dict[str, Any]], positions: list[dict[str, Any]] | None = None) -> list[dict[str, Any]]:
    places = [PositionCounts.model_validate(row) for row in positions or ()]
    return [row.written() for row in of_adapters.learning([a_cell(**cell) for cell in cells], places)]


def label_check(trained: dict[str, Any], positions: dict[str, Any] | None) -> dict[str, Any] | None:
    usual = {"base": "m", "task": "t", "size": 1, "seed": 0, "set": "both", "allow_leak": False, "labels": {}}
    found = of_adapters.label_check(
        AdapterTraining.model_validate(usual | trained), positions and PositionCounts.model_validate(positions)
    )
    return found and found.written()


def test_one_seed_has_its_cells_own_interval() -> None:
    (row,) = learning([base(), adapter(8, 1, 0.75), adapter(4, 1, 0.25)])
    assert {name: row[name] for name in PLACE} == PLACE
    assert (row["base"], row["trained_on"], row["metric"], row["chance"]) == ("m", "both", "accuracy", 0.25)
    assert row["before"] == {"value": 0.5, "low": 0.4, "high": 0.6, "items": 10}
    assert [p["size"] for p in row["points"]] == [4, 8]
    point = row["points"][1]
    assert (point["value"], point["low"], point["high"], point["interval"]) == (0.75, 0.65, 0.85, "items")
    assert point["seeds"] == [{"seed": 1, "model": "m+8-s1", "value": 0.75, "low": 0.65, "high": 0.85}]


def test_several_seeds_have_their_mean_and_range() -> None:
    (row,) = learning([adapter(8, 2, 0.25), adapter(8, 1, 0.75), adapter(8, 3, 0.5), adapter(4, 1, 0.5)])
    one, several = row["points"]
    assert (several["value"], several["low"], several["high"], several["interval"]) == (0.5, 0.25, 0.75, "seeds")
    assert [(x["seed"], x["value"]) for x in several["seeds"]] == [(1, 0.75), (2, 0.25), (3, 0.5)]
    assert one["interval"] == "items"
    assert row["before"] is None  # the base was not asked


def test_every_seed_has_a_row() -> None:
    """Two adapters of size 8 and one of size 4, asked as they are: a row for each, in order, about its model."""
    curves = of_adapters.learning([a_cell(**adapter(8, 2, 0.25)), a_cell(**adapter(8, 1, 0.75)), a_cell(**adapter(4, 1, 0.5))], [])  # fmt: skip
    results = Results(Path(), "0", Reading(), (), {of_adapters.ANALYSIS.key: curves})
    (sheet,) = (sheet for sheet in details(results) if sheet.name == "seeds")
    shown = [(*row.cells[:2], row.cells[2].value, row.about) for row in sheet.rows]  # type: ignore[union-attr]
    assert shown == [(4, 1, 0.5, {"model": "m+4-s1"}), (8, 1, 0.75, {"model": "m+8-s1"}), (8, 2, 0.25, {"model": "m+8-s2"})]  # fmt: skip
    assert sheet.about["pool"] == "m" and sheet.about["set"] == "easy" and "perturb" not in sheet.about
    single = of_adapters.learning([a_cell(**adapter(size, 1, 0.5)) for size in (4, 8)], [])
    results = Results(Path(), "0", Reading(), (), {of_adapters.ANALYSIS.key: single})
    assert "seeds" not in {sheet.name for sheet in details(results)}


ROWS = [
    # cells asked beside an adapter of size 4, the rows: (trained_on, set, perturb, has a base, sizes)
    ("nothing", [], [("both", "easy", "none", False, [4])]),
    ("the base", [base()], [("both", "easy", "none", True, [4])]),
    ("the base, other data", [base(data="e")], [("both", "easy", "none", False, [4])]),
    ("the base, failed", [base(None)], [("both", "easy", "none", False, [4])]),
    ("the base, another set", [base(set="hard")], [("both", "easy", "none", False, [4])]),
    ("another sweep's size", [adapter(20, 1, 0.9)], [("both", "easy", "none", False, [4, 20])]),
    ("a failed adapter", [adapter(20, 1, None)], [("both", "easy", "none", False, [4])]),
    (
        "one trained on another set",
        [adapter(20, 1, 0.9, {"set": "easy"})],
        [("both", "easy", "none", False, [4]), ("easy", "easy", "none", False, [20])],
    ),
    (
        "other seeds with other settings",
        [
            adapter(4, 2, 0.9, {"settings": {"rank": 64}}),
            adapter(4, 3, 0.7, {"settings": {"rank": 64, "prompt": "plain"}}),
        ],
        [
            ("both prompt default rank 64", "easy", "none", False, [4]),
            ("both prompt default rank default", "easy", "none", False, [4]),
            ("both prompt plain rank 64", "easy", "none", False, [4]),
        ],
    ),
    (
        "other test items",
        [adapter(4, 2, 0.9, items=5), adapter(8, 1, 0.9)],
        [
            ("both test requests 10", "easy", "none", False, [4, 8]),
            ("both test requests 5", "easy", "none", False, [4]),
        ],
    ),
    (
        "perturbed, in the order of perturbations",
        [base(perturb="both"), adapter(4, 1, 0.3, perturb="both"), adapter(4, 1, 0.1, perturb="shuffle")],
        [("both", "easy", kind, kind == "both", [4]) for kind in ("none", "shuffle", "both")],
    ),
]


@pytest.mark.parametrize(("beside", "rows"), [r[1:] for r in ROWS], ids=[r[0] for r in ROWS])
def test_what_stands_on_one_curve(beside: list[Any], rows: list[Any]) -> None:
    found = learning([*beside, adapter(4, 1, 0.5)])
    assert [
        (r["trained_on"], r["set"], r["perturb"], r["before"] is not None, [p["size"] for p in r["points"]])
        for r in sorted(found, key=lambda r: r["trained_on"])
    ] == rows


def test_no_adapters_no_rows() -> None:
    assert learning([base(), base(set="hard")], [label_counts("m", [1, 1, 1, 1], [1, 1, 1, 1])]) == []


CHECKS = [
    # chosen, gold; distance to training (.2 .6 .2 0), to gold, share on (b)
    ("training's own", [2, 6, 2, 0], [2, 6, 2, 0], 0.0, 0.0, 0.6),
    ("only b", [0, 10, 0, 0], [2, 3, 2, 3], 0.4, 0.7, 1.0),
    ("gold's", [1, 1, 1, 1], [1, 1, 1, 1], 0.35, 0.0, 0.25),
    ("nothing", [0, 0, 0, 0], [1, 1, 1, 1], None, None, None),
]


@pytest.mark.parametrize(("chosen", "gold", "distance", "bias", "share"), [r[1:] for r in CHECKS], ids=[r[0] for r in CHECKS])  # fmt: skip
def test_label_checks_compare_chosen_with_trained_labels(
    chosen: list[int], gold: list[int], distance: float | None, bias: float | None, share: float | None
) -> None:
    for labels in (["(a)", "(b)", "(c)", "(d)"], ["(1)", "(2)", "(3)", "(4)"]):  # other labels, the same positions
        check = label_check({"labels": LABELS}, label_counts("x", chosen, gold, labels=labels))
        assert check is not None and check["labels"] == labels
        assert (check["trained"], check["most"]) == ([2, 6, 2, 0], 1)
        wanted = tuple(x if x is None else pytest.approx(x) for x in (distance, bias, share))
        assert (check["distance"], check["bias"], check["share"]) == wanted
        assert check["gold_share"] == gold[1] / sum(gold)


def test_label_check_where_training_had_more_options() -> None:
    check = label_check({"labels": {"b": 1, "f": 3}}, label_counts("x", [4, 0, 0, 0], [1, 1, 1, 1]))
    assert check is not None
    assert check["labels"] == ["(a)", "(b)", "(c)", "(d)", "(e)", "(f)"] and check["trained"] == [0, 1, 0, 0, 0, 3]
    assert (check["distance"], check["most"], check["share"]) == (1.0, 5, 0.0)


@pytest.mark.parametrize("trained", [{}, {"labels": {}}, {"labels": {"甲": 3}}])
def test_without_labels_or_positions_there_is_no_label_check(trained: dict[str, Any]) -> None:
    assert label_check(trained, label_counts("x", [1, 1, 1, 1], [1, 1, 1, 1])) is None
    assert label_check({"labels": LABELS}, None) is None


def test_label_checks_of_several_seeds() -> None:
    cells = [adapter(10, 1, 0.5), adapter(10, 2, 0.5, {"labels": {"a": 4}})]
    answers = [
        label_counts("m+10-s1", [0, 10, 0, 0], [5, 5, 0, 0], 1),
        label_counts("m+10-s2", [6, 2, 2, 0], [5, 5, 0, 0], 2),
    ]
    (row,) = learning(cells, answers)
    found = row["points"][0]["labels"]
    assert (found["trained"], found["chosen"], found["gold"]) == ([6, 6, 2, 0], [6, 12, 2, 0], [10, 10, 0, 0])
    assert found["silent"] == 3
    # The mean of each adapter's distance to its own training.
    assert found["distance"] == pytest.approx((0.4 + 0.4) / 2)
    # The first adapter's most frequent label is (b), that of both together (a).
    assert (found["most"], found["share"], found["gold_share"]) == (0, pytest.approx((0.0 + 0.6) / 2), 0.5)
    (row,) = learning(cells, answers[:1])
    assert row["points"][0]["labels"] is None


def test_the_tables_say_it_in_80_columns() -> None:
    kinds = ["none", "reindicate", "shuffle", "both", "traditional"]
    cells = [c(perturb=kind) for kind in kinds for c in (base, lambda perturb: adapter(10000, 1, 1.0, perturb=perturb))]
    cells += [adapter(10000, 2, 0.0, perturb=kind) for kind in kinds]
    answers = [label_counts(f"m+10000-s{n}", [0, 10, 0, 0], [2, 3, 2, 3], perturb="shuffle") for n in (1, 2)]
    console = Console(width=80)
    with console.capture() as capture:
        for table in draw(sheets_of(of_adapters.ANALYSIS, learning(cells, answers))):
            console.print(table)
    lines = capture.get().splitlines()
    shown = [" ".join(line.split()) for line in lines]
    assert max(map(len, lines)) <= 80 and "…" not in capture.get()
    assert "m on slot_identification easy: accuracy %" in shown
    assert "0 (base)" + 5 * " 50.0 40–60" in shown and "10000" + 5 * " 50.0 0–100" in shown
    assert "chance" + 5 * " 25.0" in shown and "Beside each figure: mean and range over seeds" in shown
    assert "EASY SI 10000 (b) 60.0 100.0 30.0 40.0 70.0" in shown
