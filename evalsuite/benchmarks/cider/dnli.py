"""CIDER's dialogue-level NLI: true hypotheses of a dialogue, and false ones made from them (paper, section 5.2).

The official files of this task are not public. The positives are the annotated triplets. The negatives are drawn by the paper's
rules, so that they have the distribution of the paper's negatives, without being equal to them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, cycle, islice
from random import Random

from evalsuite.benchmarks.cider.relations import RELATIONS

CLASSES = ("entailment", "contradiction")  # the options of items; entailment is the positive class
NEGATIVES = {"train": 2, "test": 8}  # negatives for each positive (section 5.2.1)


@dataclass(frozen=True, slots=True)
class Triplet:
    """`head` is in `relation` to `tail`. `origin` is the index of the annotation in its dialogue."""

    head: str
    relation: str
    tail: str
    origin: int = 0

    @property
    def meaning(self) -> tuple[str, str, str]:
        """A key that is equal for equivalent triplets: without case, whitespace and, if symmetric, direction."""
        head, tail = (" ".join(span.casefold().split()) for span in (self.head, self.tail))
        if RELATIONS[self.relation].symmetric and head > tail:
            head, tail = tail, head
        return head, self.relation, tail


Strategy = Callable[[Triplet, Sequence[Triplet], Random], "Triplet | None"]


def _reverse(true: Triplet, valid: Sequence[Triplet], rng: Random) -> Triplet | None:
    if RELATIONS[true.relation].symmetric:
        return None
    return replace(true, head=true.tail, tail=true.head)


def _relation(true: Triplet, valid: Sequence[Triplet], rng: Random) -> Triplet | None:
    return replace(true, relation=rng.choice([name for name in RELATIONS if name != true.relation]))


def _span(true: Triplet, valid: Sequence[Triplet], rng: Random) -> Triplet | None:
    spans_of_true = {true.head, true.tail}
    spans = sorted({span for other in valid for span in (other.head, other.tail)} - spans_of_true)
    if not spans:
        return None
    other = rng.choice(spans)
    return replace(true, head=other) if rng.random() < 0.5 else replace(true, tail=other)


def _combination(true: Triplet, valid: Sequence[Triplet], rng: Random) -> Triplet | None:
    """Apply two or three of the other strategies. A triplet is not reversed if its old or its new relation is symmetric."""
    strategies = rng.sample((_relation, _span, _reverse), rng.choice((2, 3)))
    if _reverse in strategies and RELATIONS[true.relation].symmetric:
        return None
    triplet: Triplet | None = true
    # The relation is replaced first, since the new one decides whether the triplet can be reversed.
    for strategy in (_relation, _span, _reverse):
        if strategy in strategies and triplet is not None:
            triplet = strategy(triplet, valid, rng)
    return triplet


STRATEGIES: dict[str, Strategy] = {
    "reverse": _reverse,
    "relation": _relation,
    "span": _span,
    "combination": _combination,
}


def negatives(
    true: Triplet, valid: Sequence[Triplet], count: int, rng: Random, taken: Sequence[Triplet] = ()
) -> list[tuple[str, Triplet]]:
    """(strategy, triplet) of `count` false triplets made from a true one. The strategies take turns.

    No result is equivalent to a triplet in `valid` (all true triplets of the dialogue) or `taken` or to another result, and none
    relates a span to itself. A strategy that does not apply is skipped: a symmetric relation cannot be reversed, a dialogue with
    one triplet has no other spans. There are fewer than `count` results only if no more can be made.
    """
    order = list(STRATEGIES)
    rng.shuffle(order)
    seen = {triplet.meaning for triplet in chain(valid, taken)}
    false: list[tuple[str, Triplet]] = []
    for name in islice(cycle(order), 100 * count):
        if len(false) == count:
            break
        candidate = STRATEGIES[name](true, valid, rng)
        if candidate is None or candidate.meaning in seen or candidate.meaning[0] == candidate.meaning[2]:
            continue
        seen.add(candidate.meaning)
        false.append((name, candidate))
    return false
