"""Scores of single items, and comparisons with control items.

An item's likelihood says little by itself: some texts are likely for any model. It becomes evidence beside control items of
the same kind: items that nobody could have read, or items of another split, if chance decided which split an item went to. A
model that saw neither cannot distinguish official from control items, so that the p-value of `compare` is exact. A model that
saw both looks like one that saw none. Without control items there is no p-value.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean, variance

from evalsuite.backends.base import TextPair
from evalsuite.common.grouping import by_key
from evalsuite.exposure.arrangements import POWER
from evalsuite.exposure.exact import differ_p, greater_p
from evalsuite.exposure.likelihoods import LikelihoodScores
from evalsuite.exposure.texts import Entries
from evalsuite.perturb.text import swap_speakers
from evalsuite.types import Item

# With a smaller p-value of the checks, chance did not decide which items are official. It is smaller than that of arrangements,
# since a small difference in length between two splits hardly changes a mean over tokens.
SUSPECT = 0.001
PromptAndReply = Callable[[Item], tuple[str, str]]  # an item's prompt and its right reply


@dataclass(frozen=True, slots=True)
class ProbeText:
    """A text of an item to score, or two texts: as published, and with other names."""

    item: str  # id of the item, or its position in the file
    context: Hashable  # the text's dialogue; texts of one dialogue count as one value, their mean
    pairs: tuple[TextPair, ...]


@dataclass(frozen=True, slots=True)
class ControlComparison:
    """Values of official items beside those of control items."""

    value: float | None  # mean over official dialogues; None without any
    control: float | None  # mean over control dialogues; None without control
    p: float | None  # p-value, one-sided, that official values are no higher; None without control
    dialogues: tuple[int, int]
    detectable: (
        float | None
    )  # difference that a test of this size detects with a power of 0.8 at p < 0.05; None if unknown


def raw_texts(entries: Entries) -> list[ProbeText]:
    """Entries of a file, byte for byte, after the characters that separate entries in the file. (No token that begins a text
    stands before them: there was none when a model read the file, and after such a token some models recall nothing.)"""
    return [
        ProbeText(entry.items[0].id if entry.items else str(n), entry.context, ((entries.between, entry.text),))
        for n, entry in enumerate(entries.entries)
    ]


def prompt_texts(items: Sequence[Item], prompt_of: PromptAndReply) -> list[ProbeText]:
    """Items as prompts with the right reply."""
    return [ProbeText(item.id, item.context, (("", "".join(prompt_of(item))),)) for item in items]


def renamed_texts(items: Sequence[Item], prompt_of: PromptAndReply) -> list[ProbeText]:
    """Items as published and with the speakers A and B swapped. Items that the swap does not change are left out."""
    swapped = ((item, swap_speakers(item)) for item in items)
    return [
        ProbeText(item.id, item.context, tuple(("", "".join(prompt_of(shown))) for shown in (item, other)))
        for item, other in swapped
        if other != item
    ]


def kept_apart(official: Sequence[ProbeText], control: Sequence[ProbeText]) -> tuple[list[ProbeText], list[ProbeText]]:
    """The official and the control texts, without those of dialogues that both have."""
    both = {text.context for text in official} & {text.context for text in control}
    official_only, control_only = (
        [text for text in texts if text.context not in both] for texts in (official, control)
    )
    return official_only, control_only


def drawn(texts: Sequence[ProbeText], most: int, seed: int) -> list[ProbeText]:
    """A random choice of at most `most` of the texts, in their order."""
    if len(texts) <= most:
        return list(texts)
    return [texts[n] for n in sorted(Random(f"{seed}:items").sample(range(len(texts)), most))]


def by_dialogue(texts: Sequence[ProbeText], values: Sequence[float]) -> list[float]:
    """The mean value of each dialogue."""
    by_context = by_key((text.context, value) for text, value in zip(texts, values, strict=True))
    return [fmean(rows) for rows in by_context.values()]


def compare(
    official: Sequence[ProbeText],
    values: Sequence[float],
    control: Sequence[ProbeText],
    control_values: Sequence[float],
    rng: Random,
) -> ControlComparison:
    """Values of official texts beside those of control texts."""
    means, control_means = by_dialogue(official, values), by_dialogue(control, control_values)
    sizes = (len(means), len(control_means))
    detectable = None
    if min(sizes) > 1:
        detectable = POWER * (variance(means) / sizes[0] + variance(control_means) / sizes[1]) ** 0.5
    return ControlComparison(
        fmean(means) if means else None,
        fmean(control_means) if control_means else None,
        greater_p(means, control_means, rng) if min(sizes) else None,
        sizes,
        detectable,
    )


def checks(official: Sequence[ProbeText], control: Sequence[ProbeText], rng: Random) -> Mapping[str, float]:
    """Clue by which official and control texts may differ without a model -> its two-sided p-value."""
    if not official or not control:
        return {}
    words = Counter(char for text in (*official, *control) for char in text.pairs[0][1])
    total = sum(words.values())
    usual = {char: math.log(count / total) for char, count in words.items()}
    measures: dict[str, Callable[[str], float]] = {
        "length": lambda text: math.log(1 + len(text)),
        "frequency of characters": lambda text: fmean(usual[char] for char in text) if text else 0.0,
    }
    p_values = {}
    for name, measure in measures.items():
        official_means, control_means = (
            by_dialogue(texts, [measure(x.pairs[0][1]) for x in texts]) for texts in (official, control)
        )
        p_values[name] = differ_p(official_means, control_means, rng)
    return p_values


# --- scores of a text, from the scores of its pairs


def mean(scores: Sequence[LikelihoodScores]) -> float:
    return scores[0].mean


def mink(scores: Sequence[LikelihoodScores]) -> float:
    return scores[0].mink


def minkpp(scores: Sequence[LikelihoodScores]) -> float:
    """Min-K++ of a text, which engines have that give the likelihoods of the whole vocabulary; else 0."""
    return scores[0].minkpp or 0.0


def renamed(scores: Sequence[LikelihoodScores]) -> float:
    """The mean log-probability of a token of the published text less that of the text with swapped names."""
    return scores[0].mean - scores[1].mean
