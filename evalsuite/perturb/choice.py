"""Perturbations of choice items: the names of the labels and the order of the options.

`reindicate` renames the labels. The functions …_order(s) give orders of the options, which `permute` applies. The id, the
dialogue, the references, the text of the right option, and the question except for label names stay. Items without options are
not changed.
"""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

from evalsuite.common.errors import ConfigError, unknown
from evalsuite.perturb.question import rename_labels
from evalsuite.types import Item

Permutation = tuple[int, ...]  # new position -> old position

_CORE = re.compile(r"\w+")
_CIRCLED = "".join(chr(c) for c in (*range(0x2460, 0x2474), *range(0x3251, 0x3260), *range(0x32B1, 0x32C0)))
# The ten heavenly stems, then the twelve earthly branches.
_STEMS = "甲乙丙丁戊己庚辛壬癸" + "子丑寅卯辰巳午未申酉戌亥"


def _letters(count: int, first: str) -> list[str]:
    """The first `count` of a … z, aa, ab …, like the columns of a spreadsheet. `first`: "a" or "A"."""
    names = [chr(ord(first) + n) for n in range(26)]
    return (names + [left + right for left in names for right in names])[:count]


STYLES = {
    "digits": lambda count: [str(n + 1) for n in range(count)],
    "lower": lambda count: _letters(count, "a"),
    "upper": lambda count: _letters(count, "A"),
    "circled": lambda count: list(_CIRCLED[:count]),  # up to ㊿
    "stems": lambda count: list(_STEMS[:count]),  # up to 亥, the 22nd
}


def label_names(item: Item) -> tuple[str, ...]:
    """The labels without brackets and dots: "a" for "(a)", "【a】" and "a."."""
    return tuple(core.group() if (core := _CORE.search(label)) else label for label in item.labels)


def reindicate(item: Item, seed: int = 0, style: str = "digits") -> Item:
    """Rename the labels a, b, c to 1, 2, 3, or in another of STYLES: the paper's "option re-indicating".

    Unchanged: the order and texts of the options, the gold index, the labels' brackets, and the question except for label
    names. Raises ConfigError for an unknown style, or more options than it has names (50 circled, 22 stems, 702 letters).
    """
    if style not in STYLES:
        raise ConfigError(unknown("label style", style, STYLES))
    new, old = STYLES[style](len(item.labels)), label_names(item)
    if len(new) < len(old):
        raise ConfigError(
            f"{item.id} has {len(old)} options, but there are only {len(new)} labels of style {style}: use digits"
        )
    labels = tuple(label.replace(core, name, 1) for label, core, name in zip(item.labels, old, new, strict=True))
    return replace(item, labels=labels, question=rename_labels(item.question, old, new))


def permute(item: Item, order: Permutation) -> Item:
    """Reorder the options but not the labels; `gold` follows its text."""
    gold = None if item.gold is None else order.index(item.gold)
    return replace(item, options=tuple(item.options[old] for old in order), gold=gold)


def kept_order(item: Item, seed: int = 0) -> tuple[Permutation, ...]:
    return (tuple(range(len(item.options))),)


def shuffled_order(item: Item, seed: int = 0) -> tuple[Permutation, ...]:
    """A random order, as in the paper's "option shuffling": all n! orders of n options, the original among them, are equally
    likely."""
    return (_shuffled(item, f"{seed}:shuffle"),)


def _shuffled(item: Item, draw: str) -> Permutation:
    order = list(range(len(item.options)))
    Random(f"{draw}:{item.id}").shuffle(order)
    return tuple(order)


def deranged_order(item: Item, seed: int = 0) -> tuple[Permutation, ...]:
    """A random order in which the texts differ from the original's; all such orders are equally likely.

    It is `shuffled_order`, drawn again until the order changes, so both are equal if the first draw changes it. Gold keeps its
    position less often than by chance: with three options in 1 of 5 items instead of 1 of 3.
    """
    order = list(range(len(item.options)))
    rng = Random(f"{seed}:shuffle:{item.id}")
    while len(set(item.options)) > 1 and tuple(item.options[old] for old in order) == item.options:
        rng.shuffle(order)
    return (tuple(order),)


def reversed_order(item: Item, seed: int = 0) -> tuple[Permutation, ...]:
    return (tuple(reversed(range(len(item.options)))),)


def rotated_orders(item: Item, seed: int = 0) -> tuple[Permutation, ...]:
    """All rotations, the original order first: each option is in each position once (CircularEval of MMBench, Liu et al.
    2023). Rotation k begins with the option at position k."""
    count = len(item.options)
    return tuple(tuple((index + k) % count for index in range(count)) for k in range(count)) or ((),)


def shuffled_orders(item: Item, seed: int = 0) -> tuple[Permutation, ...]:
    """Five random orders, drawn independently from all n! orders of n options, so that some may be equal: ToMBench's five
    askings (Chen et al. 2024)."""
    return tuple(_shuffled(item, f"{seed}:shuffle5:{n}") for n in range(5))
