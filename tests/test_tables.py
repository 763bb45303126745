"""What the terminal shows of a run: it must fit 80 columns and say what the cells say."""

from __future__ import annotations

from typing import Any

import pytest
from rich.console import Console

from evalsuite.tables import by_scoring

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
    ("two ways", [GENERATED, cell("labels", 0.5)], ["easy CKF 20.0 (60) 50.0 33.3"]),
    ("texts alone", [cell("texts", 0.1, 0.1, 0.2, 0.3, 0.4)], ["easy CKF 10.0 20.0 30.0 40.0 33.3"]),
    (
        "columns in one order, tasks as the paper has them",
        [cell("texts", 0.1, 0.1, 0.2, 0.3, 0.4, task="slot_identification"), cell("labels", 0.6), cell("constrained", 0.5), GENERATED],
        ["easy CKF 20.0 (60) 50.0 60.0 – – – – 33.3", "easy SI – – – 10.0 20.0 30.0 40.0 33.3"],
    ),
    (
        "nothing answered",
        [GENERATED, cell("texts", None, status={"failed": 10})],
        ["easy CKF 20.0 (60) – !10 – !10 – !10 – !10 33.3"],
    ),
    ("a baseline, generated only", [GENERATED, cell("labels", 0.5), cell("generate", 0.3, model="random")], ["easy CKF 20.0 (60) 50.0 33.3"]),
]  # fmt: skip


def printed(cells: list[dict[str, Any]]) -> list[str]:
    console = Console(width=80)
    with console.capture() as capture:
        for table in by_scoring(cells):
            console.print(table)
    return capture.get().splitlines()


@pytest.mark.parametrize(("cells", "lines"), [r[1:] for r in ROWS], ids=[r[0] for r in ROWS])
def test_accuracy_by_scoring(cells: list[dict[str, Any]], lines: list[str]) -> None:
    assert [" ".join(x.split()) for x in printed(cells) if x.startswith(("  easy", "  hard"))] == lines


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
    lines = printed(cells)
    assert max(map(len, lines)) <= 80 and "…" not in "".join(lines)
    assert sum("100.0 (100)" in line for line in lines) == 24
    assert "[red]a-model-with-a-long-name paper 5-shot test: accuracy % by scoring" in " ".join(lines)
