"""Sets of answers: exact match of the whole set, and precision, recall and F1 over single answers.

As the official evaluation of CICERO v2 has them (its src/evaluate.py): micro figures pool the answers of all items, macro
figures are F1 of the mean precision and the mean recall; an item without an answer counts as one wrong answer, so that
silence costs precision, too. Answers are compared as texts, each once: of two options that say the same either will do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evalsuite.metrics.counts import Floats, ratio

COLUMNS = ("n", "exact", "right", "said", "gold", "precision", "recall")


def count_answers(chosen: Sequence[str], gold: Sequence[str]) -> tuple[int, int, int]:
    """(right, said, gold) answers of one item; said is 1 if nothing was.

    >>> count_answers(["rain", "snow"], ["rain", "hail", "sleet"])
    (1, 2, 3)
    """
    return len({*chosen} & {*gold}), max(1, len({*chosen})), len({*gold})


@dataclass(frozen=True, slots=True)
class SetScores:
    """Metrics of N items as sums over items; `stats.bootstrap` takes it as it is. All in [0, 1]."""

    statistics: Floats  # (N, 7) rows, see COLUMNS

    @classmethod
    def of(cls, chosen: Sequence[Sequence[str]], gold: Sequence[Sequence[str]]) -> SetScores:
        """From the texts chosen and the right ones, in the same order. Raises ValueError for no items or no right answer."""
        if len(chosen) != len(gold) or not gold or not all(gold):
            raise ValueError(f"{len(chosen)} sets of answers for {len(gold)} items, each with one right answer or more")
        rows = []
        for said, right in zip(chosen, gold, strict=True):
            hit, named, asked = count_answers(said, right)
            rows.append((1, {*said} == {*right}, hit, named, asked, hit / named, hit / asked))
        return cls(np.array(rows, dtype=float))

    @property
    def corpus(self) -> dict[str, float]:
        return {name: float(value) for name, value in self.finish(self.statistics.sum(axis=0)).items()}

    def finish(self, sums: Floats) -> dict[str, Floats]:
        """(..., 7) sums -> metrics."""
        n, exact, right, said, gold, precision, recall = (sums[..., i] for i in range(len(COLUMNS)))
        return {
            "set_accuracy": ratio(exact, n),
            "answer_precision": ratio(right, said),
            "answer_recall": ratio(right, gold),
            "answer_f1": ratio(2 * right, said + gold),
            "macro_precision": ratio(precision, n),
            "macro_recall": ratio(recall, n),
            "macro_f1": ratio(2 * precision * recall, n * (precision + recall)),
        }
