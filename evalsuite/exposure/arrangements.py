"""Texts in the published arrangement and in others: the order of items in a file, the order of an item's options.

If chance decided which arrangement was published, a model that never read the file cannot know it. If something else decided,
such as sorting by topic or a fixed order of options, every model finds the published arrangement likelier, and the test says
nothing. `Arrangements.check` looks for signs of this in the texts, without a model.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from random import Random
from statistics import NormalDist, fmean, pvariance

from evalsuite.backends.base import TextPair
from evalsuite.benchmarks.check import chi_square_p
from evalsuite.exposure.exact import above, stratified_p
from evalsuite.exposure.texts import Entries, Unit, arranged, orders, shards
from evalsuite.perturb.choice import permute
from evalsuite.types import Item

# The true difference, in standard errors, that has p < 0.05 (one-sided) in 4 of 5 cases.
POWER = NormalDist().inv_cdf(0.95) + NormalDist().inv_cdf(0.8)
SUSPECT = 0.01  # an arrangement with a smaller p-value of `check` was not left to chance


@dataclass(frozen=True, slots=True)
class Arrangements:
    """Strata with the texts of their arrangements, the published one first."""

    strata: tuple[tuple[TextPair, ...], ...]
    items: int  # number of entries or items in the strata
    left_out: int  # number of entries or items in no stratum
    checks: Mapping[
        str, float
    ]  # clue by which published arrangements may differ from others without a model -> p-value

    @property
    def pairs(self) -> list[TextPair]:
        """The texts of all strata in order."""
        return [pair for stratum in self.strata for pair in stratum]

    @property
    def check(self) -> float:
        """The p-value of the hypothesis that published arrangements differ from others by no clue: the smallest of `checks`,
        corrected for their number (Bonferroni)."""
        return min(1.0, len(self.checks) * min(self.checks.values(), default=1.0))

    @property
    def chance(self) -> bool:
        """Whether the published arrangement was left to chance, as far as the texts show it."""
        return self.check >= SUSPECT


@dataclass(frozen=True, slots=True)
class ArrangementTest:
    """The result of a test of arrangements."""

    p: float
    higher: float  # number of pairs of the published arrangement and another in which the published one is likelier
    pairs: float  # number of all such pairs
    strata: int
    gain: float  # mean log-probability of the published arrangement of a stratum less that of the others, in nats
    detectable: float  # gain that a test of this size detects with a power of 0.8 at p < 0.05


def exact_test(arrangements: Arrangements, logprobs: Sequence[float], rng: Random) -> ArrangementTest:
    """Test whether published arrangements are likelier than others. `logprobs`: for each of `Arrangements.pairs` the text's
    log-probability in nats, or its excess over that of a reference model."""
    values_left, values = iter(logprobs), list[list[float]]()
    for stratum in arrangements.strata:
        values.append([next(values_left) for _ in stratum])
    gain = fmean(row[0] - fmean(row[1:]) for row in values) if values else 0.0
    # By chance, the first value less the mean of the others has (n / (n - 1))² times the variance of the n values.
    spread = math.fsum(pvariance(row) * (len(row) / (len(row) - 1)) ** 2 for row in values) ** 0.5 / max(1, len(values))
    return ArrangementTest(stratified_p(values, rng), *above(values), len(values), gain, POWER * spread)


# --- the items of a file


def order_of_items(
    entries: Entries, count: Callable[[str], int], room: int, others: int, seed: int, most: int | None = None
) -> Arrangements:
    """Shards of at most `room` tokens with their dialogues in the published order and in up to `others` different orders (Oren et
    al. 2023). `count`: counts the tokens of a text. `most`: the most shards, drawn at random from all."""
    rng = Random(f"{seed}:order of items")
    chosen = shards(entries, count, room)
    if most is not None and len(chosen) > most:
        chosen = [chosen[n] for n in sorted(rng.sample(range(len(chosen)), most))]
    strata, alike = list[tuple[TextPair, ...]](), list[list[list[float]]]()
    for shard in chosen:
        drawn = orders(len(shard), others, rng)
        strata.append(tuple((entries.between, arranged(entries, shard, order)) for order in drawn))
        alike.append(_likenesses(shard, orders(len(shard), _UNREAD, rng)))
    used = sum(len(unit) for shard in chosen for unit in shard)
    checks = {name: stratified_p([rows[n] for rows in alike], rng, _DRAWS) for n, name in enumerate(_CLUES)}
    return Arrangements(tuple(strata), used, len(entries.entries) - used, checks)


_CLUES = ("similar neighbours", "neighbours of similar length", "longer entries later", "longer entries earlier")
_UNREAD = 19  # the most other orders that the checks compare: more than a model reads, since they need no model
_DRAWS = 9_999


def _likenesses(shard: Sequence[Unit], drawn: Sequence[Sequence[int]]) -> list[list[float]]:
    """For each of _CLUES, its value for each order. The clues about neighbours have equal values for an order and its reverse, so
    also for both orders of two units; the clues about rising lengths do not."""
    texts = ["".join(entry.head + entry.tail for entry in unit) for unit in shard]
    grams = [{*map("".join, pairwise(text))} for text in texts]
    near = {
        (a, b): len(grams[a] & grams[b]) / max(1, len(grams[a] | grams[b]))
        for a, b in combinations(range(len(texts)), 2)
    }
    words = [math.fsum(near[min(a, b), max(a, b)] for a, b in pairwise(order)) for order in drawn]
    lengths = [-math.fsum(abs(len(texts[a]) - len(texts[b])) for a, b in pairwise(order)) for order in drawn]
    rise = [math.fsum(position * len(texts[n]) for position, n in enumerate(order)) for order in drawn]
    return [words, lengths, rise, [-x for x in rise]]


# --- the options of an item


def order_of_options(
    items: Sequence[Item], prompt_of: Callable[[Item], tuple[str, str]], others: int, seed: int
) -> Arrangements:
    """Items with their options in the published order and in up to `others` different orders, each followed by the right reply in
    that order. `prompt_of`: gives an item's prompt and right reply."""
    strata, fixed, usable = list[tuple[TextPair, ...]](), list[list[float]](), list[Item]()
    before = _precedences(items)
    rng = Random(f"{seed}:order of options")
    for item in items:
        if len({*item.options}) < len(item.options) or len(item.options) < 2 or len(item.golds) != 1:
            continue
        drawn = orders(len(item.options), others, Random(f"{seed}:options:{item.id}"))
        strata.append(tuple(("", "".join(prompt_of(permute(item, order)))) for order in drawn))
        fixed.append([_usual(item, order, before) for order in drawn])
        usable.append(item)
    lengths = [_rising(item, others, seed) for item in usable]
    checks = {
        "the same options in the same order": stratified_p(fixed, rng, _DRAWS),
        "longer options later": stratified_p(lengths, rng, _DRAWS),
        "longer options earlier": stratified_p([[-x for x in row] for row in lengths], rng, _DRAWS),
        "places of the right option": _positions(usable),
    }
    return Arrangements(tuple(strata), len(usable), len(items) - len(usable), checks)


def _precedences(items: Sequence[Item]) -> Counter[tuple[str, str]]:
    """(option text, other text) -> the number of items in which the first stands before the other."""
    return Counter(pair for item in items for pair in combinations(item.options, 2))


def _usual(item: Item, order: Sequence[int], before: Counter[tuple[str, str]]) -> float:
    """The agreement of an order with the order of the same options in other items; higher is more usual."""
    published = {*combinations(item.options, 2)}
    texts = [item.options[n] for n in order]
    return math.fsum(
        (before[a, b] - ((a, b) in published)) - (before[b, a] - ((b, a) in published))
        for a, b in combinations(texts, 2)
    )


def _rising(item: Item, others: int, seed: int) -> list[float]:
    """The tendency of options to get longer, in the published order and in others; higher is a stronger rise."""
    lengths = [len(option) for option in item.options]
    drawn = orders(len(lengths), others, Random(f"{seed}:lengths:{item.id}"))
    return [math.fsum(position * lengths[n] for position, n in enumerate(order)) for order in drawn]


def _positions(items: Sequence[Item]) -> float:
    """The p-value of the hypothesis that the right option was equally likely at each position."""
    sizes = Counter(len(item.options) for item in items)
    if not sizes:
        return 1.0
    counts = Counter(item.golds[0] for item in items)
    return chi_square_p(counts, {p: sum(n / size for size, n in sizes.items() if size > p) for p in range(max(sizes))})
