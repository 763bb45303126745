"""Perturbations of choice items: what the options are called, and in which order they stand.

Each takes an Item and a seed and returns an Item (`circular`: all of them). The id, the dialogue, the references, the
text of the right option and everything in the question but label names stay. An item without options comes back as it is.
"""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

from evalsuite.common.errors import ConfigError, unknown
from evalsuite.perturb.question import rename_labels
from evalsuite.types import Item

Order = tuple[int, ...]  # at each new place, the old place of what stands there

_CORE = re.compile(r"\w+")
_CIRCLED = "".join(chr(c) for c in (*range(0x2460, 0x2474), *range(0x3251, 0x3260), *range(0x32B1, 0x32C0)))
_STEMS = (
    "甲乙丙丁戊己庚辛壬癸" + "子丑寅卯辰巳午未申酉戌亥"
)  # after the ten stems the twelve branches, as Chinese lists do


def _letters(count: int, first: str) -> list[str]:
    """a … z, then aa, ab, … as columns of a sheet."""
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
    """The labels without whatever brackets or dots they have: "a" of "(a)", "【a】" and "a."."""
    return tuple(found.group() if (found := _CORE.search(label)) else label for label in item.labels)


def reindicate(item: Item, seed: int = 0, style: str = "digits") -> Item:
    """Options called 1, 2, 3 (or as `style` says) for a, b, c, as the paper's "option re-indicating"; nothing is drawn.

    Unchanged: the order and texts of the options, the gold index, the labels' brackets, and all of the question but the
    names of labels. Raises ConfigError for more options than the style has names (50 circled, 22 stems, 702 letters).
    """
    if style not in STYLES:
        raise ConfigError(unknown("label style", style, STYLES))
    new, old = STYLES[style](len(item.labels)), label_names(item)
    if len(new) < len(old):
        raise ConfigError(
            f"{item.id} has {len(old)} options, but there are only {len(new)} labels of style {style}: use digits"
        )
    labels = tuple(
        label.replace(core, name, 1) for label, core, name in zip(item.labels, old, new, strict=True)
    )  # keeps the brackets
    return replace(item, labels=labels, question=rename_labels(item.question, old, new))


def permute(item: Item, order: Order) -> Item:
    """The options in that order under the labels in theirs; gold follows its text."""
    gold = None if item.gold is None else order.index(item.gold)
    return replace(item, options=tuple(item.options[old] for old in order), gold=gold)


def kept_order(item: Item, seed: int = 0) -> tuple[Order, ...]:
    return (tuple(range(len(item.options))),)


def shuffled_order(item: Item, seed: int = 0) -> tuple[Order, ...]:
    """All orders that show the options otherwise than before are equally likely; the old one is never drawn.

    A plain shuffle would leave 1 item in 6 (of three options) or in 2 (of two) as it was: such items cannot flip, and would
    make a model look more robust than it is. The cost: gold stays in its place less often than by chance (1 in 5, not 1 in
    3, of three options; with fifteen there is no difference to speak of).
    """
    order = list(range(len(item.options)))
    rng = Random(f"{seed}:shuffle:{item.id}")
    while len(set(item.options)) > 1 and tuple(item.options[old] for old in order) == item.options:
        rng.shuffle(order)
    return (tuple(order),)


def reversed_order(item: Item, seed: int = 0) -> tuple[Order, ...]:
    return (tuple(reversed(range(len(item.options)))),)


def rotated_orders(item: Item, seed: int = 0) -> tuple[Order, ...]:
    """Every rotation, the first of them none at all: in rotation k the option at place k comes first."""
    count = len(item.options)
    return tuple(tuple((place + k) % count for place in range(count)) for k in range(count)) or ((),)


def shuffle(item: Item, seed: int = 0) -> Item:
    """The options in a random other order (`shuffled_order`) under the same labels: the paper's "option shuffling".

    Unchanged: labels, question, the set of option texts, the text that is gold.
    """
    return permute(item, shuffled_order(item, seed)[0])


def both(item: Item, seed: int = 0) -> Item:
    """`shuffle`, then `reindicate`: the order is that of `shuffle` with the same seed, so that the two compare."""
    return reindicate(shuffle(item, seed))


def reverse(item: Item, seed: int = 0) -> Item:
    """The last option first. Unchanged: what `shuffle` leaves; done twice, everything."""
    return permute(item, reversed_order(item)[0])


def circular(item: Item, seed: int = 0) -> tuple[Item, ...]:
    """Every rotation, the item itself first; all have its id. Each option stands in each place once.

    Unchanged in each: what `shuffle` leaves. An item counts as right only if it is right in all (MMBench's CircularEval).
    """
    return tuple(permute(item, order) for order in rotated_orders(item))
