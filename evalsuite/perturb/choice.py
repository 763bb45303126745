"""Perturbations of choice items: the names of the labels and the order of the options.

Each function maps an Item and a seed to an Item (`circular`: to several). Unchanged are the id, the dialogue, the
references, the text of the right option, and the question except for label names. Items without options are not changed.
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
# After the ten stems the twelve branches, as Chinese lists do.
_STEMS = "甲乙丙丁戊己庚辛壬癸" + "子丑寅卯辰巳午未申酉戌亥"


def _letters(count: int, first: str) -> list[str]:
    """a … z, then aa, ab, … like the columns of a spreadsheet."""
    names = [chr(ord(first) + n) for n in range(26)]
    return (names + [one + two for one in names for two in names])[:count]


STYLES = {
    "digits": lambda count: [str(n + 1) for n in range(count)],
    "lower": lambda count: _letters(count, "a"),
    "upper": lambda count: _letters(count, "A"),
    "circled": lambda count: list(_CIRCLED[:count]),  # up to ㊿
    "stems": lambda count: list(_STEMS[:count]),  # up to 亥, the 22nd
}


def label_names(item: Item) -> tuple[str, ...]:
    """The labels without brackets and dots: "a" for "(a)", "【a】" and "a."."""
    return tuple(found.group() if (found := _CORE.search(label)) else label for label in item.labels)


def reindicate(item: Item, seed: int = 0, style: str = "digits") -> Item:
    """Rename the labels a, b, c to 1, 2, 3 (or to another of STYLES): the paper's "option re-indicating". Not random.

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
    # Keeps the brackets.
    labels = tuple(label.replace(core, name, 1) for label, core, name in zip(item.labels, old, new, strict=True))
    return replace(item, labels=labels, question=rename_labels(item.question, old, new))


def permute(item: Item, order: Permutation) -> Item:
    """Reorder the options but not the labels; `gold` follows its text."""
    gold = None if item.gold is None else order.index(item.gold)
    return replace(item, options=tuple(item.options[old] for old in order), gold=gold)


def kept_order(item: Item, seed: int = 0) -> tuple[Permutation, ...]:
    return (tuple(range(len(item.options))),)


def shuffled_order(item: Item, seed: int = 0) -> tuple[Permutation, ...]:
    """A random order: all n! orders of n options are equally likely, and one of them is the original."""
    order = list(range(len(item.options)))
    Random(f"{seed}:shuffle:{item.id}").shuffle(order)
    return (tuple(order),)


def deranged_order(item: Item, seed: int = 0) -> tuple[Permutation, ...]:
    """A random order in which the texts differ from the original's; all such orders are equally likely.

    It is `shuffled_order` drawn again until the order changes, so it equals that where one draw is enough. Gold keeps its
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
    """All rotations. Rotation k begins with the option at position k; rotation 0 is the original order."""
    count = len(item.options)
    return tuple(tuple((index + k) % count for index in range(count)) for k in range(count)) or ((),)


def shuffle(item: Item, seed: int = 0) -> Item:
    """Shuffle the options (`shuffled_order`) under the same labels: the paper's "option shuffling".

    Unchanged: labels, question, the set of option texts, the text of the right option; with 1 in n! items also the order.
    """
    return permute(item, shuffled_order(item, seed)[0])


def shuffled_orders(item: Item, seed: int = 0, times: int = 5) -> tuple[Permutation, ...]:
    """`times` random orders, each drawn alone from all n! orders of n options; some may be equal."""
    drawn = []
    for n in range(times):
        order = list(range(len(item.options)))
        Random(f"{seed}:shuffle{times}:{n}:{item.id}").shuffle(order)
        drawn.append(tuple(order))
    return tuple(drawn)


def both(item: Item, seed: int = 0) -> Item:
    """`shuffle`, then `reindicate`. The order equals that of `shuffle` with the same seed, so the two can be compared."""
    return reindicate(shuffle(item, seed))


def derange(item: Item, seed: int = 0) -> Item:
    """Shuffle the options until their order changes (`deranged_order`). All else stays as in `shuffle`."""
    return permute(item, deranged_order(item, seed)[0])


def derange_both(item: Item, seed: int = 0) -> Item:
    """`derange`, then `reindicate`, in the order of `derange` with the same seed."""
    return reindicate(derange(item, seed))


def reverse(item: Item, seed: int = 0) -> Item:
    """Reverse the order of the options. All else stays as in `shuffle`. Applied twice it gives the original."""
    return permute(item, reversed_order(item)[0])


def circular(item: Item, seed: int = 0) -> tuple[Item, ...]:
    """All rotations of the options, the item itself first, with one id: each option is in each position once.

    All else stays as in `shuffle`. An item counts as right only if all rotations are right (CircularEval of MMBench).
    """
    return tuple(permute(item, order) for order in rotated_orders(item))


def shuffle5(item: Item, seed: int = 0) -> tuple[Item, ...]:
    """The item with its options shuffled five times (`shuffled_orders`), with one id: ToMBench's five askings (Chen et al. 2024).

    All else stays as in `shuffle`. Its askings vote, too: the metric `vote`.
    """
    return tuple(permute(item, order) for order in shuffled_orders(item, seed))
