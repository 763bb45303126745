"""Precision, recall and F1 of classes: by hand, against scikit-learn where it is installed, and resampled."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from tiers import thorough_but

from evalsuite.metrics.classes import Classes
from evalsuite.metrics.statistics import bootstrap


def values(choices: list[int | None], golds: list[int], classes: int, positive: int | None = None) -> dict[str, float]:
    found = Classes.of(choices, golds, classes, positive)
    return {name: float(value) for name, value in found.finish(found.statistics.sum(axis=0)).items()}


BY_HAND = [
    # choices, golds, classes, positive -> what is wanted
    # Class 0: 2 chosen, 1 right, 2 are: p 1/2, r 1/2, F1 1/2. Class 1: 3 chosen, 2 right, 3 are: 2/3 each.
    ([0, 1, 0, 1, 1], [0, 0, 1, 1, 1], 2, 0, {
        "accuracy": 3 / 5, "macro_precision": 7 / 12, "macro_recall": 7 / 12, "macro_f1": 7 / 12,
        "weighted_f1": (2 * 1 / 2 + 3 * 2 / 3) / 5, "precision": 1 / 2, "recall": 1 / 2,
    }),
    # No reply chose a class: it is missed, and chosen by nobody.
    ([None, 1], [0, 1], 2, 0, {"accuracy": 1 / 2, "precision": 0, "recall": 0, "macro_f1": 1 / 2, "macro_precision": 1 / 2}),
    # Two of 31 classes occur: the mean is over two.
    ([4, 4], [4, 7], 31, None, {"macro_recall": 1 / 2, "macro_precision": 1 / 4, "macro_f1": 1 / 3}),
    # A class that is only chosen counts among them, too.
    ([9, 4], [4, 4], 31, None, {"macro_recall": 1 / 4, "macro_precision": 1 / 2, "macro_f1": 1 / 3, "weighted_f1": 2 / 3}),
    # Everything called false where one in nine is true, as in CIDER's tests.
    ([1] * 9, [0] + [1] * 8, 2, 0, {
        "accuracy": 8 / 9, "macro_f1": (0 + 16 / 17) / 2, "weighted_f1": 8 / 9 * 16 / 17, "precision": 0, "recall": 0,
    }),
]  # fmt: skip


@pytest.mark.parametrize(("choices", "golds", "classes", "positive", "wanted"), BY_HAND)
def test_by_hand(
    choices: list[int | None], golds: list[int], classes: int, positive: int | None, wanted: dict[str, float]
) -> None:
    found = values(choices, golds, classes, positive)
    assert {name: found[name] for name in wanted} == pytest.approx(wanted)
    assert ("recall" in found) == (positive is not None)


@pytest.mark.slow
@pytest.mark.parametrize("classes", thorough_but(1, [3, 2, 31]))
def test_equal_to_scikit_learn(classes: int) -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="needs evalsuite[dev]")
    rng = Random(classes)
    for _ in range(100):
        golds = [rng.randrange(classes) for _ in range(rng.randint(1, 60))]
        choices = [rng.choice([rng.randrange(classes), gold, None]) for gold in golds]
        occur = sorted({*golds, *(c for c in choices if c is not None)})
        said = [-1 if c is None else c for c in choices]
        theirs = {
            f"macro_{name}": value
            for name, value in zip(
                ("precision", "recall", "f1"),
                metrics.precision_recall_fscore_support(golds, said, labels=occur, average="macro", zero_division=0),
                strict=False,
            )
        }
        theirs["weighted_f1"] = metrics.f1_score(golds, said, labels=occur, average="weighted", zero_division=0)
        theirs["precision"] = metrics.precision_score(golds, said, labels=[0], average="macro", zero_division=0)
        theirs["recall"] = metrics.recall_score(golds, said, labels=[0], average="macro", zero_division=0)
        theirs["accuracy"] = metrics.accuracy_score(golds, said)
        assert values(choices, golds, classes, 0) == pytest.approx(theirs, abs=1e-12)


def test_resampling_counts_gives_what_resampling_items_gives() -> None:
    golds = [0, 1, 1, 2, 2, 2]
    choices: list[int | None] = [0, 1, 2, 2, None, 0]
    scores = Classes.of(choices, golds, 3, 0)
    drawn = np.array([[0, 0, 3, 4, 5, 5], [1, 1, 1, 1, 1, 1]])
    sums = scores.statistics[drawn].sum(axis=1)
    for n, rows in enumerate(drawn):
        whole = values([choices[i] for i in rows], [golds[i] for i in rows], 3, 0)
        assert {name: float(value[n]) for name, value in scores.finish(sums).items()} == pytest.approx(whole)
    interval = bootstrap(scores, None, Random(0))["macro_f1"]
    assert interval.low < interval.value < interval.high


def test_texts_are_classes_wherever_they_stand() -> None:
    said, right = ["yes", None, "no", "no"], ["yes", "yes", "yes", "no"]
    by_text = Classes.of_texts(said, right, "yes")
    by_number = Classes.of([1, None, 0, 0], [1, 1, 1, 0], 2, 1)
    assert by_text.positive == 1 and np.array_equal(by_text.statistics, by_number.statistics)
    unseen = Classes.of_texts(["no"], ["no"], "yes")  # the positive class is there even if nothing is of it
    assert float(unseen.finish(unseen.statistics.sum(axis=0))["recall"]) == 0


def test_lengths_must_agree() -> None:
    with pytest.raises(ValueError, match="1 choices for 2"):
        Classes.of([0], [0, 1], 2)
