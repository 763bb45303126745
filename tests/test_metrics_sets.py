"""Sets of answers. Expected values of the first table: the official loop (CICERO v2, src/evaluate.py) on the same sets."""

from __future__ import annotations

from random import Random

import pytest

from evalsuite.metrics.sets import SetScores
from evalsuite.metrics.statistics import bootstrap

SETS = [
    # chosen, right
    (("a", "b"), ("a", "b")),
    (("c",), ("a", "c")),
    (("b", "c", "d"), ("b", "e")),
    ((), ("a", "d")),
    (("e",), ("a", "b", "c")),
]
OFFICIAL = {
    "set_accuracy": 1 / 5,
    "answer_precision": 4 / 8,  # answers: 2 + 1 + 3 + 1 (silence is a wrong answer) + 1
    "answer_recall": 4 / 11,
    "answer_f1": 8 / 19,
    "macro_precision": (1 + 1 + 1 / 3 + 0 + 0) / 5,
    "macro_recall": (1 + 1 / 2 + 1 / 2 + 0 + 0) / 5,
    "macro_f1": 2 * (7 / 15) * (2 / 5) / (7 / 15 + 2 / 5),
}


def scores() -> SetScores:
    return SetScores.of([said for said, _ in SETS], [right for _, right in SETS])


def test_equals_the_official_evaluation() -> None:
    assert scores().corpus == pytest.approx(OFFICIAL)


def test_the_order_and_repeats_do_not_matter() -> None:
    assert SetScores.of([["b", "a", "b"]], [["a", "b"]]).corpus["set_accuracy"] == 1


def test_nothing_right_is_zero_everywhere() -> None:
    assert set(SetScores.of([["b"]], [["a"]]).corpus.values()) == {0.0}


@pytest.mark.parametrize(("chosen", "gold"), [([], []), ([["a"]], [[]]), ([["a"], ["b"]], [["a"]])])
def test_items_without_a_right_answer_are_an_error(chosen: list[list[str]], gold: list[list[str]]) -> None:
    with pytest.raises(ValueError, match="one right answer or more"):
        SetScores.of(chosen, gold)


def test_the_bootstrap_takes_them() -> None:
    interval = bootstrap(scores(), (0, 1, 2, 3, 4), Random(1), 200)["answer_f1"]
    assert interval.value == pytest.approx(8 / 19)
    assert interval.low <= interval.value <= interval.high
