"""Accuracy over choices. An item without a choice (unparsed, refused, …) is not right; an item without a reply (the
request failed) is no item: leave it out before coming here."""

from __future__ import annotations

from collections.abc import Sequence


def correct(choices: Sequence[int | None], golds: Sequence[int]) -> list[bool]:
    """Which of the items are right; both are indices into the item's options."""
    if len(choices) != len(golds):
        raise ValueError(f"{len(choices)} choices for {len(golds)} gold indices")
    return [choice is not None and choice == gold for choice, gold in zip(choices, golds, strict=True)]


def accuracy(choices: Sequence[int | None], golds: Sequence[int]) -> float:
    """Share of right choices, in [0, 1]; of no items at all it is an error.

    >>> accuracy([0, None, 2, 1], [0, 1, 2, 2])
    0.5
    """
    right = correct(choices, golds)
    if not right:
        raise ValueError("accuracy of no items")
    return sum(right) / len(right)
