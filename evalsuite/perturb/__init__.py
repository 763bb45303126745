"""Perturbations, Item -> Item: other labels, option order, speakers or script, or fewer turns.

Perturbations are pure functions of an item and a seed; random draws come from `Random(f"{seed}:{purpose}:{item.id}")`. A
perturbed item keeps the original's id, which pairs the two. The order of the options is not stored: `original_choice` draws it
again from the original item and the seed.
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
    Permutation,
    deranged_order,
    kept_order,
    permute,
    reindicate,
    reversed_order,
    rotated_orders,
    shuffled_order,
    shuffled_orders,
)
from evalsuite.perturb.known import dropped_order, no_dialogue, none_of_above
from evalsuite.perturb.text import drop_turns, swap_speakers, taiwan, traditional
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
    return kind.written and not kind.options and "f1" in kind.item_metrics  # answered from the dialogue


@dataclass(frozen=True, slots=True)
class Perturbation:
    """A row of PERTURBATIONS: it puts the options into each of `orders`, then applies `change` to the item.

    `fits`: kind of task -> whether the perturbation applies to it.
    """

    name: str
    short: str  # the Chinese heading; the English one is `name`
    zh: str
    en: str
    fits: Callable[[Kind], bool]
    change: Callable[[Item, int], Item]
    orders: Callable[[Item, int], tuple[Permutation, ...]] = kept_order
    several: bool = False  # makes an item for each of `orders`; the original counts as right only if all of them are
    votes: bool = False  # the answers to the items of one original vote: the metric `vote`
    # It changes the dialogue, which a language must support (`Language.altered`): in English "A" is also an article.
    alters: bool = False
    texts: bool = False  # applies only to tasks whose options are free texts, not names of a closed list
    # It asks the same question with the same options; only such perturbations count for votes and “right under all”.
    same: bool = True
    version: int = 1  # a part of signatures, raised when the name gets another meaning

    @property
    def kinds(self) -> tuple[str, ...]:
        """The names of the kinds of task to which it applies."""
        return tuple(name for name, kind in KINDS.items() if self.fits(kind))

    @property
    def languages(self) -> tuple[str, ...]:
        """The names of the languages to which it applies."""
        return tuple(name for name, language in LANGUAGES.items() if self._speaks(language))

    def _speaks(self, language: Language) -> bool:
        return language.altered or not self.alters

    def applies(self, task: str) -> bool:
        """Whether it applies to the task of that name."""
        t = TASKS[task]
        # Several orders yield right or wrong, no predicted class, so only accuracy is defined for them.
        defined = not self.several or t.metrics[0] == "accuracy"
        defined = defined and not (self.texts and t.option_names)
        return defined and self.fits(t.kind) and self._speaks(benchmark_of(task).language)

    def items(self, item: Item, seed: int = 0) -> tuple[Item, ...]:
        """The perturbed item or items; an item that cannot be perturbed equals the original."""
        return tuple(self.change(permute(item, order), seed) for order in self.orders(item, seed))

    def count(self, item: Item) -> int:
        """The number of items that it makes of an item, or of the same item with its options in another order."""
        return len(self.orders(item, 0)) if self.several else 1

    def original_choice(self, item: Item, choice: int | None, seed: int = 0, rotation: int = 0) -> int | None:
        """The index in the original item of a choice among the perturbed options; `rotation` is the index in `items`."""
        return None if choice is None else self.orders(item, seed)[rotation][choice]


def _unchanged(item: Item, seed: int = 0) -> Item:
    return item


PERTURBATIONS: dict[str, Perturbation] = {
    row.name: row
    for row in (
        Perturbation("none", "未扰动", "不扰动", "the item as it is", _any, _unchanged),
        Perturbation("reindicate", "改标号", "选项标号改为 1、2、3", "options called 1, 2, 3", _listed, reindicate),
        Perturbation(
            "reindicate_upper",
            "改大写标号",
            "选项标号改为 A、B、C",
            "options called A, B, C",
            _listed,
            partial(reindicate, style="upper"),
        ),
        Perturbation(
            "reindicate_circled",
            "改圈码标号",
            "选项标号改为①、②、③",
            "options called ①, ②, ③",
            _listed,
            partial(reindicate, style="circled"),
        ),
        Perturbation(
            "reindicate_stems",
            "改天干标号",
            "选项标号改为甲、乙、丙",
            "options called 甲, 乙, 丙",
            _listed,
            partial(reindicate, style="stems"),
        ),
        Perturbation(
            "shuffle", "打乱顺序", "打乱选项顺序", "options shuffled", _listed, _unchanged, shuffled_order, version=2
        ),
        Perturbation(
            "both",
            "打乱并改标号",
            "打乱选项并改标号",
            "options shuffled, called 1, 2, 3",
            _listed,
            reindicate,
            shuffled_order,
            version=2,
        ),
        Perturbation(
            "derange",
            "换序",
            "打乱选项顺序，必与原顺序不同",
            "options in another order",
            _listed,
            _unchanged,
            deranged_order,
        ),
        Perturbation(
            "derange_both",
            "换序并改标号",
            "打乱选项（必与原顺序不同）并改标号",
            "options in another order, called 1, 2, 3",
            _listed,
            reindicate,
            deranged_order,
        ),
        Perturbation("reverse", "倒序", "选项倒序", "the last option first", _listed, _unchanged, reversed_order),
        Perturbation(
            "circular",
            "轮换",
            "选项轮换，全对才算对",
            "every rotation; right only if all are",
            _single,
            _unchanged,
            rotated_orders,
            several=True,
        ),
        Perturbation(
            "shuffle5",
            "打乱五次",
            "打乱选项顺序五次，全对才算对；另计多数票",
            "options shuffled five times; right only if all are, and by vote",
            _single,
            _unchanged,
            shuffled_orders,
            several=True,
            votes=True,
        ),
        Perturbation(
            "swap_speakers",
            "说话人互换",
            "说话人 A、B 互换",
            "speakers A and B swapped",
            _written,
            swap_speakers,
            alters=True,
        ),
        Perturbation(
            "drop_turns",
            "删两轮",
            "删去与答案无关的两轮",
            "two turns less that the answer does not rest on",
            _free,
            drop_turns,
            alters=True,
        ),
        Perturbation(
            "traditional",
            "繁体",
            "简体改为繁体",
            "simplified to traditional characters",
            _written,
            traditional,
            alters=True,
        ),
        Perturbation(
            "taiwan", "台湾用语", "改为台湾用字用词", "characters and words of Taiwan", _written, taiwan, alters=True
        ),
        Perturbation(
            "no_dialogue", "不给对话", "不给对话", "choices without the dialogue", _listed, no_dialogue, same=False
        ),
        Perturbation(
            "none_of_above",
            "以上都不对",
            "一个选项换为“以上都不对”",
            "none of the above in place of an option",
            _single,
            none_of_above,
            dropped_order,
            texts=True,
            same=False,
        ),
    )
}


# Version 1 of `shuffle` and `both` changed the order of every item.
_FIRST = {"shuffle": "derange", "both": "derange_both"}


def perturbation_of(name: str, version: int | None) -> Perturbation:
    """The perturbation that a cell was asked with; `version` is the cell's fact `perturb_version`, None for the first."""
    return PERTURBATIONS[name if version is not None else _FIRST.get(name, name)]


def perturbation_named(name: str) -> Perturbation:
    """The perturbation of that name. Raises ConfigError, which lists the names."""
    if name not in PERTURBATIONS:
        raise ConfigError(unknown("perturbation", name, PERTURBATIONS))
    return PERTURBATIONS[name]


__all__ = [
    "PERTURBATIONS",
    "Perturbation",
    "perturbation_named",
    "perturbation_of",
    "reindicate",
    "swap_speakers",
    "traditional",
]
