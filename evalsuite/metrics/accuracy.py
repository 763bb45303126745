"""Accuracy of choices. An item without a choice (unparsed, refused, …) counts as wrong. Items without a reply (the request
failed) must be left out by the caller."""

from __future__ import annotations

from collections.abc import Sequence


def correct(choices: Sequence[int | None], golds: Sequence[int]) -> list[bool]:
    """(N,) whether each choice is right. Choices and golds are indices into the items' options. Raises ValueError if their
    numbers differ."""
    if len(choices) != len(golds):
        raise ValueError(f"{len(choices)} choices for {len(golds)} gold indices")
    return [choice is not None and choice == gold for choice, gold in zip(choices, golds, strict=True)]


def accuracy(choices: Sequence[int | None], golds: Sequence[int]) -> float:
    """Share of right choices, in [0, 1]. Raises ValueError if there are no items.

    >>> accuracy([0, None, 2, 1], [0, 1, 2, 2])
    0.5
    """
    right = correct(choices, golds)
    if not right:
        raise ValueError("accuracy of no items")
    return sum(right) / len(right)
