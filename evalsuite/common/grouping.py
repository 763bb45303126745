"""Group values by key, in the order of the keys' first occurrence."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


def by_key(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Key -> its values, from pairs of a key and a value.

    >>> by_key((word[0], word) for word in ("apple", "bean", "avocado"))
    {'a': ['apple', 'avocado'], 'b': ['bean']}
    """
    groups: dict[K, list[V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups
