"""Item -> the same item put otherwise: other labels, another order, other speakers, fewer turns, another script.

Pure functions of an item and a seed; whatever is drawn comes from `Random(f"{seed}:{purpose}:{item.id}")`. A perturbed
item keeps the id of its original, so the two are paired by it; and which option was which is never stored: it follows
from the original and the seed (`original_choice`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from evalsuite.benchmarks.kinds import KINDS
from evalsuite.benchmarks.languages import LANGUAGES
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
from evalsuite.types import Item, Kind, Language


def _any(kind: Kind) -> bool:
    return True


def _written(kind: Kind) -> bool:
    return kind.written


def _listed(kind: Kind) -> bool:
    return kind.written and kind.options


def _single(kind: Kind) -> bool:
    return kind.written and kind.single


def _free(kind: Kind) -> bool:
    return kind.written and not kind.options


@dataclass(frozen=True, slots=True)
class Perturbation:
    """`fits` says for which kinds of task it makes sense; `orders`, for each item it makes, where its options were."""

    name: str
    zh: str
    en: str
    fits: Callable[[Kind], bool]
    function: Callable[[Item, int], Item | tuple[Item, ...]]
    orders: Callable[[Item, int], tuple[Order, ...]] = kept_order
    several: bool = False  # makes as many items as there are options, of which all must be right
    alters: bool = (
        False  # the dialogue, as is done in some languages only: in English "A" is a word before it is a speaker
    )

    @property
    def kinds(self) -> tuple[str, ...]:
        """The names of the kinds of task it makes sense for."""
        return tuple(name for name, kind in KINDS.items() if self.fits(kind))

    @property
    def languages(self) -> tuple[str, ...]:
        """The names of the languages it is made for."""
        return tuple(name for name, language in LANGUAGES.items() if self._speaks(language))

    def _speaks(self, language: Language) -> bool:
        return language.altered or not self.alters

    def applies(self, task: str) -> bool:
        t = TASKS[task]
        # An item that counts as right only if all its rotations are has no class of which F1 could be told.
        told = not self.several or t.metrics[0] == "accuracy"
        return told and self.fits(t.kind) and self._speaks(benchmark_of(task).language)

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
        Perturbation("none", "不扰动", "the item as it is", _any, _unchanged),
        Perturbation("reindicate", "选项标号改为1、2、3", "options called 1, 2, 3", _listed, reindicate),
        Perturbation("reindicate_upper", "选项标号改为A、B、C", "options called A, B, C", _listed, partial(reindicate, style="upper")),
        Perturbation("reindicate_circled", "选项标号改为①、②、③", "options called ①, ②, ③", _listed, partial(reindicate, style="circled")),
        Perturbation("reindicate_stems", "选项标号改为甲、乙、丙", "options called 甲, 乙, 丙", _listed, partial(reindicate, style="stems")),
        Perturbation("shuffle", "打乱选项顺序", "options in another order", _listed, shuffle, shuffled_order),
        Perturbation("both", "打乱选项并改标号", "options in another order, called 1, 2, 3", _listed, both, shuffled_order),
        Perturbation("reverse", "选项倒序", "the last option first", _listed, reverse, reversed_order),
        Perturbation("circular", "选项轮换，全对才算对", "every rotation; right only if all are", _single, circular, rotated_orders, True),
        Perturbation("swap_speakers", "说话人A、B互换", "speakers A and B swapped", _written, swap_speakers, alters=True),
        Perturbation("drop_turns", "删去与答案无关的两轮", "two turns less that the answer does not rest on", _free, drop_turns, alters=True),
        Perturbation("traditional", "简体改为繁体", "simplified to traditional characters", _written, traditional, alters=True),
    )
}  # fmt: skip


def perturbation_named(name: str) -> Perturbation:
    if name not in PERTURBATIONS:
        raise ConfigError(unknown("perturbation", name, PERTURBATIONS))
    return PERTURBATIONS[name]


__all__ = ["PERTURBATIONS", "Perturbation", "both", "circular", "drop_turns", "perturbation_named", "reindicate", "reverse", "shuffle",
           "swap_speakers", "traditional"]  # fmt: skip
