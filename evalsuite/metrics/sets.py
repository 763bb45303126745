"""Sets of answers: exact match of the whole set, and precision, recall and F1 of single answers.

The definitions are those of CICERO v2's official src/evaluate.py. Micro metrics pool the answers of all items; macro F1 is
computed from mean precision and mean recall. An item without an answer counts as one wrong answer, which lowers precision.
Answers are compared as sets of texts, so options with equal texts are interchangeable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evalsuite.metrics.counts import Floats, ratio

COLUMNS = ("n", "exact", "right", "said", "gold", "precision", "recall")


def count_answers(chosen: Sequence[str], gold: Sequence[str]) -> tuple[int, int, int]:
    """Numbers of (right, given, gold) answers of one item; given is at least 1.

    >>> count_answers(["rain", "snow"], ["rain", "hail", "sleet"])
    (1, 2, 3)
    """
    return len({*chosen} & {*gold}), max(1, len({*chosen})), len({*gold})


@dataclass(frozen=True, slots=True)
class SetScores:
    """Metrics of the answer sets of N items, as an `Additive`. All in [0, 1]."""

    statistics: Floats  # (N, 7) rows, see COLUMNS

    @classmethod
    def of(cls, chosen: Sequence[Sequence[str]], gold: Sequence[Sequence[str]]) -> SetScores:
        """Build it from the chosen and the right texts of each item. Raises ValueError for no items or an item without right
        answer."""
        if len(chosen) != len(gold) or not gold or not all(gold):
            raise ValueError(f"{len(chosen)} sets of answers for {len(gold)} items, each with one right answer or more")
        rows = []
        for answers, right in zip(chosen, gold, strict=True):
            hit, named, asked = count_answers(answers, right)
            rows.append((1, {*answers} == {*right}, hit, named, asked, hit / named, hit / asked))
        return cls(np.array(rows, dtype=float))

    @property
    def corpus(self) -> dict[str, float]:
        """The metrics of all items."""
        return {name: float(value) for name, value in self.finish(self.statistics.sum(axis=0)).items()}

    def finish(self, sums: Floats) -> dict[str, Floats]:
        """(..., 7) sums -> metric name -> (...) values."""
        n, exact, right, given, gold, precision, recall = (sums[..., i] for i in range(len(COLUMNS)))
        return {
            "set_accuracy": ratio(exact, n),
            "answer_precision": ratio(right, given),
            "answer_recall": ratio(right, gold),
            "answer_f1": ratio(2 * right, given + gold),
            "macro_precision": ratio(precision, n),
            "macro_recall": ratio(recall, n),
            "macro_f1": ratio(2 * precision * recall, n * (precision + recall)),
        }
