"""Exact match of the answer set over items with one right answer, and over those with several (Tables 9, 14 and 15)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evalsuite.benchmarks.languages import parser_of
from evalsuite.types import Answered, Metric, Part

METRICS = (
    Metric("set_accuracy_single", "全对率（一个答案）", "Exact sets (one right answer)", "one %", is_mean=False),
    Metric(
        "set_accuracy_multiple", "全对率（多个答案）", "Exact sets (several right answers)", "several %", is_mean=False
    ),
)


@dataclass(frozen=True, slots=True)
class ByRightAnswers:
    """Exact match over the items with one right answer and over those with several, as an `Additive`. In [0, 1]; 0 without
    items."""

    statistics: Any  # (N, 4): two 0/1 columns for each of METRICS, "the item counts" and "it counts and is right"

    @classmethod
    def of(cls, right: Sequence[bool], answers: Sequence[int]) -> ByRightAnswers:
        """Build it from two values for each item: whether its answer set is exact, and its number of right answers."""
        import numpy as np

        has_one, exact = np.array(answers) == 1, np.array(right)
        return cls(np.stack([has_one, has_one & exact, ~has_one, ~has_one & exact], axis=1).astype(float))

    def finish(self, sums: Any) -> dict[str, Any]:
        """(..., 4) sums -> metric name -> (...) values."""
        from evalsuite.metrics.counts import ratio

        return {m.name: ratio(sums[..., 2 * n + 1], sums[..., 2 * n]) for n, m in enumerate(METRICS)}


def answers_part(answered: Answered) -> Part:
    """The metrics of a cell of `all_answers`; a metric is left out if the cell has no such items."""
    chosen = [{item.options[n] for n in answer.choices} for item, answer in answered.pairs]
    golds = [{*item.references} for item in answered.items]
    sums = ByRightAnswers.of([a == b for a, b in zip(chosen, golds, strict=True)], [len(gold) for gold in golds])
    names = {m.name: m.name for n, m in enumerate(METRICS) if sums.statistics[:, 2 * n].any()}
    method = f"parser:{parser_of(answered.reading)}"
    # Each metric counts some of the items only, so single items have no values.
    return Part("answers", sums, names, {name: f"{name}|def:cicero|{method}" for name in names}, {})
