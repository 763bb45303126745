"""Precision, recall and F1 of classes over a corpus, for tasks whose classes differ in size.

The definitions are those of scikit-learn's `precision_recall_fscore_support` with zero_division=0. Macro means are over the
classes that occur in gold or in answers. An item without a choice lowers the recall of its class and no precision, like a
label outside of scikit-learn's `labels`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from evalsuite.metrics.counts import Floats, ratio


@dataclass(frozen=True, slots=True)
class Classes:
    """Counts of N items as an `Additive`. The columns of `statistics`: 1, then right, wrongly chosen and missed, each by class.

    >>> classes = Classes.of([0, 1, 1, None], [0, 0, 1, 1], 2, positive=0)
    >>> {name: round(float(value), 3) for name, value in classes.finish(classes.statistics.sum(axis=0)).items()}
    {'accuracy': 0.5, 'macro_precision': 0.75, 'macro_recall': 0.5, 'macro_f1': 0.583, 'weighted_f1': 0.583, \
'precision': 1.0, 'recall': 0.5}
    """

    statistics: Floats = field(repr=False)
    positive: int | None  # the class whose own precision and recall are reported

    @classmethod
    def of(
        cls, choices: Sequence[int | None], golds: Sequence[int], classes: int, positive: int | None = None
    ) -> Classes:
        """Build it from choices (None: no choice) and golds, both class indices below `classes`."""
        if len(choices) != len(golds):
            raise ValueError(f"{len(choices)} choices for {len(golds)} gold indices")
        rows = np.zeros((len(golds), 1 + 3 * classes))
        rows[:, 0] = 1
        right, chosen, missed = (rows[:, 1 + n * classes : 1 + (n + 1) * classes] for n in range(3))
        for n, (choice, gold) in enumerate(zip(choices, golds, strict=True)):
            if choice == gold:
                right[n, gold] = 1
                continue
            missed[n, gold] = 1
            if choice is not None:
                chosen[n, choice] = 1
        return cls(rows, positive)

    @classmethod
    def of_texts(cls, answers: Sequence[str | None], right: Sequence[str], positive: str | None = None) -> Classes:
        """Build it from option texts, for items whose options are in different orders.

        >>> classes = Classes.of_texts(["causes", None], ["causes", "is a"])
        >>> float(classes.finish(classes.statistics.sum(axis=0))["accuracy"])
        0.5
        """
        names = sorted({*right, *(text for text in answers if text is not None), *([positive] if positive else [])})
        number = {name: n for n, name in enumerate(names)}
        choices = [None if text is None else number[text] for text in answers]
        return cls.of(choices, [number[text] for text in right], len(names), number.get(positive) if positive else None)

    def finish(self, sums: Floats) -> dict[str, Floats]:
        """(..., 1 + 3 * classes) sums -> metric name -> (...) values in [0, 1]."""
        right, chosen, missed = np.split(np.asarray(sums, dtype=float)[..., 1:], 3, axis=-1)
        support = right + missed
        occurs = (support + chosen) > 0
        precision, recall = ratio(right, right + chosen), ratio(right, support)
        f1 = ratio(2 * right, 2 * right + chosen + missed)

        def macro(values: Floats) -> Floats:
            return ratio((values * occurs).sum(axis=-1), occurs.sum(axis=-1))

        metrics = {
            "accuracy": ratio(right.sum(axis=-1), sums[..., 0]),
            "macro_precision": macro(precision),
            "macro_recall": macro(recall),
            "macro_f1": macro(f1),
            "weighted_f1": ratio((f1 * support).sum(axis=-1), support.sum(axis=-1)),
        }
        if self.positive is not None:
            metrics |= {"precision": precision[..., self.positive], "recall": recall[..., self.positive]}
        return metrics
