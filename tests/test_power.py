"""The smallest difference that a comparison finds: closed forms, simulated power, and where it is shown."""

from __future__ import annotations

import math
import re
from pathlib import Path
from random import Random

import numpy as np
import pytest
from as_json import a_cell, a_run, scored_cell, sheets_of
from typer.testing import CliRunner

import evalsuite
from evalsuite.analyses.detectable import ANALYSIS
from evalsuite.cli.app import app
from evalsuite.common.numbers import fixed
from evalsuite.metrics.power import detectable, detectable_ahead
from evalsuite.metrics.statistics import paired_test
from evalsuite.results.comparison_sheets import comparison_sheets
from evalsuite.results.outcomes import CellOutcomes, Outcome
from evalsuite.types import Answer, Cell, Item, Score, Status


def errors(sizes: list[int]) -> float:
    """The number of standard errors: for dialogues of equal sizes the two quantiles of Student's t, else the first d such that c²
    (s² + k d²) = d², d in standard errors s."""
    from scipy.stats import t

    count = len(sizes)
    first = t.ppf(0.975, count - 1)
    if len({*sizes}) > 1:
        square = count * first**2 / (count - 1 + first**2)
        share = np.square(sizes).sum() / sum(sizes) ** 2
        first = math.sqrt(square / (1 - square * share) * (count - 1) / count)
    return float(first + t.ppf(0.8, count - 1))


def test_independent_items_have_the_closed_form() -> None:
    """Bonett and Price (2012): of n items, b and c of which only one model has right, with one more each."""
    n, b, c = 200, 40, 25
    differences = [1.0] * b + [-1.0] * c + [0.0] * (n - b - c)
    only_a, only_b = (b + 1) / (n + 2), (c + 1) / (n + 2)
    error = math.sqrt((only_a + only_b - (only_a - only_b) ** 2) / (n + 2)) * (n + 2) / n
    assert detectable(differences, range(n)) == pytest.approx(errors([1] * n) * error + 1 / n)
    assert detectable(differences[:5], range(5)) is None
    # Equal models: not zero.
    assert detectable([0.0] * 30, range(30)) == pytest.approx(errors([1] * 30) * math.sqrt(2) / 30 + 1 / 30)


@pytest.mark.parametrize("sizes", [[1] * 100, [1, 2, 3, 4, 5] * 20, [40] * 6])
def test_ahead_solves_its_equation(sizes: list[int]) -> None:
    from scipy.optimize import brentq

    n = sum(sizes)
    design = 1 + 0.1 * (np.square(sizes).sum() / n - 1)
    expected = brentq(lambda d: d - errors(sizes) * math.sqrt((0.3 - d * d) * design / n), 0, math.sqrt(0.3))
    found = detectable_ahead(sizes)
    assert found == (pytest.approx(expected + 1 / n, abs=1e-6) if expected < 0.3 else None)


def test_a_dialogue_with_most_items_hides_every_difference() -> None:
    """Flipping its sign alone gives a sum as far from zero: no test of these dialogues can be significant."""
    sizes = [100, *[1] * 12]
    assert detectable_ahead(sizes) is None
    dialogues = [n for n, size in enumerate(sizes) for _ in range(size)]
    assert detectable([1.0] * len(dialogues), dialogues) is None


@pytest.mark.parametrize("count, most", [(13, 20), (20, 10), (60, 4), (150, 2)])
def test_four_in_five_comparisons_find_it(count: int, most: int) -> None:
    """Dialogues of up to `most` items with differences of their own; the mean difference is the one called detectable."""
    rng = np.random.default_rng(17 + count)

    def draw(mean: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        dialogues = np.repeat(np.arange(count), rng.integers(1, most + 1, count))
        lean = mean / 0.4 + rng.uniform(-0.4, 0.4, count)[dialogues]
        differ = rng.random(len(dialogues)) < 0.4
        a = rng.random(len(dialogues)) < (1 + lean) / 2
        return (differ & a).astype(float), (differ & ~a).astype(float), dialogues

    ones = [draw(0.0) for _ in range(60)]
    aim = float(np.mean([detectable(a - b, d.tolist()) for a, b, d in ones]))
    found = [
        paired_test(a, b, d.tolist(), Random(n), 1).p < 0.05
        for n, (a, b, d) in enumerate(draw(aim) for _ in range(400))
    ]
    assert 0.8 - 2 * 0.02 <= np.mean(found) <= 0.9  # two standard deviations of the simulation


def a_model(name: str, values: list[float], dialogues: list[int], **facts: object):
    task = "knowledge_filling"
    outcomes = []
    for n, (value, dialogue) in enumerate(zip(values, dialogues, strict=True)):
        item = Item(
            f"corecode/easy/test/{task}/{n}",
            task,
            "easy",
            "test",
            (f"A: {dialogue}",),
            "？",
            ("甲", "乙"),
            ("(a)", "(b)"),
            0,
            ("甲",),
        )
        outcomes.append(
            Outcome(item, 0, 0, dialogue, value, Answer(Status.PARSED, int(1 - value)), Score({"accuracy": value}))
        )
    result = a_cell(model=name, facts=facts)
    return scored_cell(
        result, CellOutcomes(Cell(result.place, result.facts.written()), ("(a)", "(b)"), tuple(outcomes))
    )


def test_a_row_has_all_pairs_of_models() -> None:
    rng = np.random.default_rng(3)
    values = rng.integers(0, 2, (3, 40)).astype(float)
    dialogues = (np.arange(40) // 3).tolist()
    cells = [a_model(f"m{n}", own.tolist(), dialogues) for n, own in enumerate(values)]
    chance = a_model("random", [0.0] * 40, dialogues, backend="baseline")
    (row,) = a_run(*cells, chance).of(ANALYSIS) or []
    pairs = [detectable(values[i] - values[j], dialogues) for i, j in ((0, 1), (0, 2), (1, 2))]
    assert (row.models, row.items, row.dialogues) == (3, 40, 14)
    assert (row.median, row.largest) == (np.median(pairs), max(pairs))  # type: ignore[type-var]
    (sheet,) = sheets_of(ANALYSIS, [row.written()])
    assert sheet.rows[0].cells[-2:] == (row.median, row.largest)
    assert (
        sheet.finding and f"missed: {fixed(100 * (row.median or 0), 1)} (EASY CKF: 40 items of 14" in sheet.finding.en
    )
    assert a_run(cells[0], chance).of(ANALYSIS) is None
    few = [a_model(f"m{n}", own.tolist(), [n // 10 for n in range(40)]) for n, own in enumerate(values)]
    (row,) = a_run(*few).of(ANALYSIS) or []
    assert row.median is None and row.largest is None
    (sheet,) = sheets_of(ANALYSIS, [row.written()])
    assert sheet.finding and sheet.finding.en == "Fewer than 6 dialogues: no difference can be found."


def test_compare_and_preview_say_it(tmp_path: Path) -> None:
    evalsuite.run(model=["random", "lexical"], tasks=["CKF"], set="easy", shots=[0], limit=30, out=tmp_path)
    (row,) = evalsuite.compare(tmp_path, "random", "lexical")
    (*_, sheet) = [x for x in comparison_sheets([row], 0) if hasattr(x, "notes")]
    said = next(note.en for note in sheet.notes if "80 % chance" in note.en or "Fewer than 6" in note.en)
    assert (f"{100 * row.detectable:.1f}." in said) if row.detectable else ("Fewer than 6" in said)
    result = CliRunner().invoke(app, ["preview", "--model", "lexical", "--tasks", "CKF", "--set", "easy", "--cost"])
    assert result.exit_code == 0 and "Differences that can be found" in result.output
    few = CliRunner().invoke(
        app, ["preview", "--model", "lexical", "--tasks", "CKF", "--set", "easy", "--limit", "1", "--cost"]
    )
    assert re.search(r"EASY CKF +1 +1 +–", few.output)
