"""Perturbations that remove information from choices: the dialogue, or an option, which may be the right one."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from evalsuite.benchmarks.registry import benchmark_of
from evalsuite.perturb.choice import Permutation
from evalsuite.types import Item

NONE_OF_ABOVE = {"zh": "以上都不对", "en": "None of the above"}  # language -> text of the new option
_OTHERS = ("以上", "都不", "没有一", "of the above", "of these")  # words of options that refer to the other options


def no_dialogue(item: Item, seed: int = 0) -> Item:
    """Leave the dialogue out of a choice: items still answered rightly did not need it.

    Unchanged: the question, the options, gold.
    """
    return replace(item, dialogue=())


def dropped_order(item: Item, seed: int = 0) -> tuple[Permutation, ...]:
    """The order with a random option last, which `none_of_above` replaces; the original order if no option may be replaced."""
    order = list(range(len(item.options)))
    if _has_replaceable_option(item):
        order.append(order.pop(Random(f"{seed}:none_of_above:{item.id}").randrange(len(order))))
    return (tuple(order),)


def _has_replaceable_option(item: Item) -> bool:
    return item.gold is not None and not any(word in option for option in item.options for word in _OTHERS)


def none_of_above(item: Item, seed: int = 0) -> Item:
    """Replace the last option by “none of the above”, which is right if that option was (WiCkeD, Elhady et al. 2025).

    Unchanged: the labels, the dialogue, the question, the other options. An item with an option that refers to the others is
    not changed.
    """
    if item.gold is None or not _has_replaceable_option(item):
        return item
    options = (*item.options[:-1], NONE_OF_ABOVE[benchmark_of(item.task).language.name])
    return replace(item, options=options, references=(options[item.gold],))
