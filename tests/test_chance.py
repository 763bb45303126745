"""The test of models against chance: its level for models that know nothing, its power for others, and rows by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations

import numpy as np
import pytest
from as_json import a_cell, a_run, scored_cell
from tiers import thorough_but

from evalsuite.analyses.chance import Chance, compute
from evalsuite.metrics.chance import better_than_shuffled
from evalsuite.results.outcomes import CellOutcomes, Outcome
from evalsuite.types import Answer, Cell, Item, Place, Score, Status

Choices = list[int | None]
ONE = np.random.default_rng


def p_of(
    chosen: Sequence[int | None], golds: Sequence[int], options: int, dialogues: Sequence[int], seed: int = 0
) -> float:
    told = [[[choice] for choice in chosen]], [[gold] for gold in golds], [options] * len(golds)
    return better_than_shuffled(*told, dialogues, ONE(seed), 1)[0].p


def test_p_is_the_share_of_orders_by_hand() -> None:
    """p is the share of all orders of five right options in which the studentized sum is as great."""
    chosen, golds = [0, 1, 2, 0, 1], [0, 1, 2, 1, 1]

    def studentized(order: Sequence[int]) -> float:
        fits = []
        for choice, gold in zip(chosen, order, strict=True):
            said = [(choice == k) - chosen.count(k) / 5 for k in range(3)]
            fits.append(sum(said[k] * ((gold == k) - golds.count(k) / 5) for k in range(3)))
        return sum(fits) / sum(fit * fit for fit in fits) ** 0.5

    every = [studentized(order) for order in permutations(golds)]
    share = sum(value >= studentized(golds) - 1e-9 for value in every) / len(every)
    assert p_of(chosen, golds, 3, range(5)) == pytest.approx(share, abs=0.02)


def test_the_share_of_a_shuffled_order() -> None:
    """(a) to three items and (b) to one, right are two of each: 0.75 · 0.5 + 0.25 · 0.5."""
    (found,) = better_than_shuffled([[[0], [0], [0], [1]]], [[0], [1], [0], [1]], [2] * 4, range(4), ONE(0), 1)
    assert (found.right, found.shuffled) == (0.75, 0.5)


def test_silence_and_constants_are_no_knowledge() -> None:
    golds = [0, 1, 2] * 20
    for chosen in ([None] * 60, [1] * 60):
        assert p_of(chosen, golds, 3, range(60)) == 1.0
    half: Choices = [gold if n % 2 else None for n, gold in enumerate(golds)]
    assert p_of(half, golds, 3, range(60)) < 0.001  # the model is right wherever it answers


@pytest.mark.slow
def test_choices_stay_among_items_with_as_many_options() -> None:
    """A uniform guess is right in half of items with two options and a tenth of those with ten: it shows nothing."""
    rng, alarms = ONE(1), 0
    for seed in range(200):
        options = [2] * 40 + [10] * 40
        chosen = [[int(rng.integers(n))] for n in options]
        golds = [[int(rng.integers(n))] for n in options]
        alarms += better_than_shuffled([chosen], golds, options, range(80), ONE(seed), 1)[0].p < 0.05
    assert alarms / 200 <= 0.09


def test_samples_of_an_item_are_shuffled_together() -> None:
    golds = [n % 3 for n in range(60)]
    chosen: list[list[Choices]] = [[[gold, (gold + n) % 3, None] for n, gold in enumerate(golds)]]
    (found,) = better_than_shuffled(chosen, [[g] for g in golds], [3] * 60, range(60), ONE(0), 1)
    assert found.right == pytest.approx(4 / 9) and found.p < 0.001


def uniform(rng: np.random.Generator, dialogues: np.ndarray) -> np.ndarray:
    return rng.integers(0, 3, len(dialogues))


def one_a_dialogue(rng: np.random.Generator, dialogues: np.ndarray) -> np.ndarray:
    return rng.integers(0, 3, dialogues.max() + 1)[dialogues]


def by_preference(rng: np.random.Generator, dialogues: np.ndarray) -> np.ndarray:
    return rng.choice(3, len(dialogues), p=rng.dirichlet([3, 3, 3]))


@pytest.mark.slow
@pytest.mark.parametrize("guess", thorough_but(1, [uniform, one_a_dialogue, by_preference]))
@pytest.mark.parametrize("repeats", [0.0, 0.8])
def test_models_that_know_nothing_are_not_above_chance(
    guess: Callable[[np.random.Generator, np.ndarray], np.ndarray], repeats: float
) -> None:
    """Dialogues of one to six items, one option right in half of them, and in a share of items the dialogue's own."""
    rng, alarms = ONE(2), 0
    for seed in range(200):
        dialogues = np.repeat(np.arange(25), rng.integers(1, 7, 25))
        own, shared = (rng.choice(3, size, p=[0.5, 0.3, 0.2]) for size in (len(dialogues), 25))
        golds = np.where(rng.random(len(dialogues)) < repeats, shared[dialogues], own)
        alarms += p_of(guess(rng, dialogues).tolist(), golds.tolist(), 3, dialogues.tolist(), seed) < 0.05
    assert alarms / 200 <= 0.09


def test_a_model_that_knows_half_is_above_chance() -> None:
    rng = ONE(3)
    golds = rng.integers(0, 3, 90)
    chosen = np.where(rng.random(90) < 0.4, golds, 1)
    assert p_of(chosen.tolist(), golds.tolist(), 3, (np.arange(90) // 3).tolist()) < 0.01


def outcomes(model: str, chosen: Sequence[int | None], task: str = "knowledge_filling", **facts: str) -> CellOutcomes:
    rows = []
    for n, choice in enumerate(chosen):
        item = Item(f"{n}", task, "easy", "test", (), "", ("x", "y", "z"), ("(a)", "(b)", "(c)"), n % 2, ("x",))
        answer = Answer(Status.UNPARSED if choice is None else Status.PARSED, choice)
        rows.append(Outcome(item, 0, 0, n // 2, float(choice == n % 2), answer, Score()))
    return CellOutcomes(Cell(Place(model, task, "easy", "test", "paper", 0), facts), item.labels, tuple(rows))


def chance(*cells: CellOutcomes) -> list[Chance]:
    return compute(a_run(*(scored_cell(a_cell(model=cell.cell.place.model), cell) for cell in cells)))


def test_models_of_a_task_share_their_shuffles() -> None:
    """The models of one task share their shuffles, and each has the p that it has alone; baselines have no row."""
    right, always = [n % 2 for n in range(20)], [1] * 20
    rows = chance(outcomes("a", right), outcomes("b", always), outcomes("random", always, backend="baseline"))
    assert [(row.model, row.accuracy, row.shuffled) for row in rows] == [("a", 1.0, 0.5), ("b", 0.5, 0.5)]
    first = rows[0]
    assert (first.items, first.dialogues, first.constant, first.label) == (20, 10, 0.5, "(a)")
    assert first.chance == pytest.approx(1 / 3) and first.p < 0.01 and rows[1].p == 1.0
    assert chance(outcomes("a", right))[0].p == first.p


def test_a_probe_has_no_constant_answer() -> None:
    """The order in which a probe's options are shuffled for the test is not one that a model sees: nobody could say "always (a)"."""
    rows = []
    for n in range(9):
        options = ("right", "wrong")
        item = Item(f"{n}", "cedar_inference_probing", "sample", "test", (), "", options, ("(a)", "(b)"), 0, ("right",))
        rows.append(Outcome(item, 0, 0, n, 1.0, Answer(Status.PARSED, 0), Score()))
    cell = CellOutcomes(
        Cell(Place("m", "cedar_inference_probing", "sample", "test", "paper", 0), {}), ("(a)", "(b)"), tuple(rows)
    )
    (row,) = chance(cell)
    assert (row.chance, row.constant, row.label, row.constant_beats_guesses) == (0.5, 0.5, "", False)
