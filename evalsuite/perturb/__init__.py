"""Item -> the same item put otherwise: other labels, another order, other speakers, fewer turns, another script.

Pure functions of an item and a seed; whatever is drawn comes from `Random(f"{seed}:{purpose}:{item.id}")`. A perturbed
item keeps the id of its original, so the two are paired by it; and which option was which is never stored: it follows
from the original and the seed (`original_choice`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from evalsuite.benchmarks.registry import TASKS, benchmark_of
from evalsuite.common.errors import ConfigError, unknown
from evalsuite.perturb.choice import (
    Order,
    both,
    circular,
    kept_order,
    reindicate,
    reverse,
    reversed_order,
    rotated_orders,
    shuffle,
    shuffled_order,
)
from evalsuite.perturb.text import drop_turns, swap_speakers, traditional
from evalsuite.types import Item

_CHOICE, _LISTED, _FREE = ("choice",), ("choice", "choices"), ("span", "text")
_ALL = (*_LISTED, *_FREE)
_ANY = (*_ALL, "probe")


@dataclass(frozen=True, slots=True)
class Perturbation:
    """`kinds` are the kinds of task it makes sense for; `orders` says, for each item it makes, where its options were."""

    name: str
    zh: str
    en: str
    kinds: tuple[str, ...]
    function: Callable[[Item, int], Item | tuple[Item, ...]]
    orders: Callable[[Item, int], tuple[Order, ...]] = kept_order
    several: bool = False  # makes as many items as there are options, of which all must be right
    languages: tuple[str, ...] = ("zh", "en")  # in English "A" is a word before it is a speaker

    def applies(self, task: str) -> bool:
        t = TASKS[task]
        # An item that counts as right only if all its rotations are has no class of which F1 could be told.
        told = not self.several or t.metrics[0] == "accuracy"
        return told and t.kind in self.kinds and benchmark_of(task).language in self.languages

    def items(self, item: Item, seed: int = 0) -> tuple[Item, ...]:
        """What it makes of an item: one, or several. Equal to the item where there is nothing to perturb."""
        made = self.function(item, seed)
        return made if isinstance(made, tuple) else (made,)

    def changes(self, item: Item, seed: int = 0) -> bool:
        """Whether anything was perturbed at all: `drop_turns` finds nothing to drop in some dialogues."""
        return any(made != item for made in self.items(item, seed))

    def original_choice(self, item: Item, choice: int | None, seed: int = 0, variant: int = 0) -> int | None:
        """Which of the original item's options a choice among the perturbed ones is; `variant` counts `items`."""
        return None if choice is None else self.orders(item, seed)[variant][choice]


def _unchanged(item: Item, seed: int = 0) -> Item:
    return item


PERTURBATIONS: dict[str, Perturbation] = {
    row.name: row
    for row in (
        Perturbation("none", "不扰动", "the item as it is", _ANY, _unchanged),
        Perturbation("reindicate", "选项标号改为1、2、3", "options called 1, 2, 3", _LISTED, reindicate),
        Perturbation("reindicate_upper", "选项标号改为A、B、C", "options called A, B, C", _LISTED, partial(reindicate, style="upper")),
        Perturbation("reindicate_circled", "选项标号改为①、②、③", "options called ①, ②, ③", _LISTED, partial(reindicate, style="circled")),
        Perturbation("reindicate_stems", "选项标号改为甲、乙、丙", "options called 甲, 乙, 丙", _LISTED, partial(reindicate, style="stems")),
        Perturbation("shuffle", "打乱选项顺序", "options in another order", _LISTED, shuffle, shuffled_order),
        Perturbation("both", "打乱选项并改标号", "options in another order, called 1, 2, 3", _LISTED, both, shuffled_order),
        Perturbation("reverse", "选项倒序", "the last option first", _LISTED, reverse, reversed_order),
        Perturbation("circular", "选项轮换，全对才算对", "every rotation; right only if all are", _CHOICE, circular, rotated_orders, True),
        Perturbation("swap_speakers", "说话人A、B互换", "speakers A and B swapped", _ALL, swap_speakers, languages=("zh",)),
        Perturbation("drop_turns", "删去与答案无关的两轮", "two turns less that the answer does not rest on", _FREE, drop_turns, languages=("zh",)),
        Perturbation("traditional", "简体改为繁体", "simplified to traditional characters", _ALL, traditional, languages=("zh",)),
    )
}  # fmt: skip


def perturbation(name: str) -> Perturbation:
    if name not in PERTURBATIONS:
        raise ConfigError(unknown("perturbation", name, PERTURBATIONS))
    return PERTURBATIONS[name]


__all__ = ["PERTURBATIONS", "Perturbation", "both", "circular", "drop_turns", "perturbation", "reindicate", "reverse", "shuffle",
           "swap_speakers", "traditional"]  # fmt: skip
