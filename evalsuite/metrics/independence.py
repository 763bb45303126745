"""FRMM and MIB, CHARM's measures of reasoning apart from memory (Sun et al. 2024, Appendix I).

    FRMM   "Filtering Reasoning questions based on Mono-LLM-Memorization": a model's accuracy on the questions that it retains,
           that is, of which it knows all facts
    MIB    "Memorization-Independent Battles": for each pair of models the difference of their accuracies on the questions that
           both retain; a model's mean over its battles

Both equal the output of the authors' `analyze_mem_indep_rea.py` on the same outcomes, oddities included:

- A question that rests on no fact is retained by every model, even by one that knows nothing.
- Accuracies are in percent, and rounded to two decimals (halves to the even one) before they are subtracted.
- The mean over battles divides by the number of models, not of opponents: a model's battle against itself counts as 0. A pair
  that retains no common question is skipped.
- Ranks follow the means before they are rounded. Models that tie share a rank here. The authors' script lists tied models as
  its sort leaves them, which differs between processors; it compares two such lists, and may then stop with an error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import combinations

import numpy as np


@dataclass(frozen=True, slots=True)
class Solved:
    """The answers of one model: question -> whether its answer is right, and the questions all of whose facts it knows."""

    right: Mapping[str, bool]
    retained: Set[str]


@dataclass(frozen=True, slots=True)
class Mono:
    """One model's FRMM. Accuracies are in percent. Without questions, accuracy and rank are None."""

    items: int
    accuracy: float | None
    rank: int | None
    retained: int
    retained_accuracy: float | None
    retained_rank: int | None


@dataclass(frozen=True, slots=True)
class Battle:
    """The number of questions that both models retain, and the first model's accuracy on them less the second's, in percentage
    points; None without questions."""

    items: int
    margin: float | None


@dataclass(frozen=True, slots=True)
class Battles:
    """One model's MIB: its battles by opponent, their mean and its rank."""

    against: Mapping[str, Battle]
    mean: float
    rank: int


def frmm(models: Mapping[str, Solved]) -> dict[str, Mono]:
    """FRMM of each model.

    >>> frmm({"m": Solved({"a": True, "b": False, "c": True}, {"a", "b"})})["m"].retained_accuracy
    50.0
    """
    whole = {model: _accuracy(solved, solved.right.keys()) for model, solved in models.items()}
    retained = {model: solved.right.keys() & solved.retained for model, solved in models.items()}
    left = {model: _accuracy(solved, retained[model]) for model, solved in models.items()}
    ranks, ranks_left = _ranks(whole), _ranks(left)
    return {
        model: Mono(len(solved.right), whole[model], ranks[model], len(retained[model]), left[model], ranks_left[model])
        for model, solved in models.items()
    }


def mib(models: Mapping[str, Solved]) -> dict[str, Battles]:
    """MIB of each of two or more models.

    >>> one, two = Solved({"a": True, "b": True}, {"a", "b"}), Solved({"a": False, "b": True}, {"a"})
    >>> mib({"one": one, "two": two})["one"].mean
    50.0
    """
    against: dict[str, dict[str, Battle]] = {model: {} for model in models}
    for one, two in combinations(models, 2):
        both = [models[one], models[two]]
        shared = set.intersection(*({*solved.right} & solved.retained for solved in both))
        first, second = (_accuracy(solved, shared) for solved in both)
        margin = None if first is None or second is None else first - second
        against[one][two] = Battle(len(shared), margin)
        against[two][one] = Battle(len(shared), None if margin is None else -margin)
    means = {
        model: _mean([0.0 if model == other else against[model][other].margin for other in models]) for model in models
    }
    ranks = _ranks(means)
    return {
        model: Battles(
            {other: Battle(b.items, None if b.margin is None else _round(b.margin)) for other, b in battles.items()},
            _round(means[model]),
            ranks[model] or 0,
        )
        for model, battles in against.items()
    }


def _accuracy(solved: Solved, items: Set[str]) -> float | None:
    return _round(sum(solved.right[item] for item in items) / len(items) * 100) if items else None


def _mean(margins: Sequence[float | None]) -> float:
    """The mean of the known margins. They are summed by NumPy with zeros for the unknown ones, as pandas does: another order of
    summation may change the last bit, and with it a rank."""
    defined = [margin for margin in margins if margin is not None]
    row = np.array([0.0 if margin is None else margin for margin in margins])
    return float(row.sum() / len(defined))


def _round(value: float) -> float:
    """Round as pandas does; the last decimal may differ from `round`'s."""
    return float(np.round(value, 2)) + 0.0  # no -0.0


def _ranks(values: Mapping[str, float | None]) -> dict[str, int | None]:
    """Name -> rank, 1 for the highest value. Names that tie share the best of their ranks."""
    above = [value for value in values.values() if value is not None]
    return {
        model: None if value is None else 1 + sum(other > value for other in above) for model, value in values.items()
    }
