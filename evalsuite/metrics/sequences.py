"""Confidence sequences of the mean of a finite list of values in [0, 1], asked in a random stratified order.

The quantity is the mean of N fixed, unknown values x, which asking the whole list would give. Items are asked in blocks, each a
random draw without replacement from every stratum. `bounds` gives an interval after every block. The chance that any of these
intervals misses the mean is at most 5 %, for any rule of stopping. Nothing is assumed about the values: items of a dialogue may
depend on one another, since only the order is random.

Proof. Before a block let stratum h have R_h items left with mean μ_h, of R in all, and let the block draw c_h >= 1 of
them, of c in all. Choose, from what was seen before, centres a_h in [0, 1] and bets λ_h = λ (R_h / c_h) / (R / c) below
1. The block's factor is the product of (1 + λ_h (x - a_h)) exp(-λ_h (μ_h - a_h)) over its items. Its expectation is at
most 1: a draw without replacement has no larger expectation of a product of positive functions than one with
replacement (Hoeffding 1963, Theorem 4, for the convex function exp of the sum of their logarithms), and with
replacement each factor has the expectation (1 + λ_h (μ_h - a_h)) exp(-λ_h (μ_h - a_h)) <= 1. So the products of all
blocks' factors are a supermartingale that starts at 1, and exceed 2 / α at some time with a chance of at most α / 2
(Ville 1939). Since Σ c_h λ_h μ_h = λ (c / R) Σ R_h μ_h, and the last sum is N times the mean less the sum of what was
seen, the products depend on the mean alone, not on the unknown means of the strata: solving for the mean gives its
lower bound, and 1 - x its upper one. The factors lie above those of empirical Bernstein sequences (Howard, Ramdas,
McAuliffe & Sekhon 2021; without replacement: Waudby-Smith & Ramdas 2020), which replace log(1 + y) by a smaller bound.

Bets are chosen so that the interval is narrowest when its half width is the wanted `margin`; other bets would be as valid.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from evalsuite.common.grouping import by_key
from evalsuite.metrics.counts import Floats, Ints

_SHARE = 1 / 8  # the smallest share of the items that makes a stratum of its own; smaller ones are merged
_MOST = 0.97  # the largest bet
_FARTHEST = 0.3  # the largest difference of two models for which bets are made
_HALVINGS = 40  # steps of the bisection in `_mixed`


@dataclass(frozen=True, slots=True)
class Order:
    """Items in the order of asking, with the block and the stratum of each."""

    items: Ints
    blocks: Ints
    strata: Ints

    @property
    def ends(self) -> Ints:
        """The number of items asked after each block."""
        return np.flatnonzero(np.diff(self.blocks, append=-1)) + 1


def order_of(names: Sequence[str], strata: Sequence[Hashable], seed: str) -> Order:
    """The order in which items are asked. A hash of seed and name sorts the items of a stratum; each block takes the next
    items of every stratum, in proportion to its size.

    >>> order_of(list("abcdefgh"), [1, 1, 1, 1, 2, 2, 2, 2], "0").strata.tolist()
    [0, 1, 0, 1, 0, 1, 0, 1]
    """
    strata_items = by_key((stratum, n) for n, stratum in enumerate(strata)).values()
    rare = [n for members in strata_items if len(members) < _SHARE * len(names) for n in members]
    large = [members for members in strata_items if len(members) >= _SHARE * len(names)]
    if rare and large and len(rare) < _SHARE * len(names):
        large[-1] = [*large[-1], *rare]
    elif rare:
        large.append(rare)
    priority = [blake2b(f"{seed}:{name}".encode(), digest_size=16).digest() for name in names]
    blocks = min(map(len, large), default=0)  # each block draws one item or more from every stratum
    rows = []
    for stratum, members in enumerate(large):
        members.sort(key=lambda n: priority[n])
        rows += [(k * blocks // len(members), stratum, n) for k, n in enumerate(members)]
    table = np.array(sorted(rows, key=lambda row: row[:2]), dtype=np.int64).reshape(-1, 3)
    return Order(table[:, 2], table[:, 0], table[:, 1])


def bounds(low: Floats, high: Floats, order: Order, margin: float, level: float = 0.95) -> tuple[Floats, Floats]:
    """Lower and upper bound of the mean of all items after each completely asked block.

    Once the interval is as narrow as `margin` demands, only known values move the bounds.

    low, high: (n,) the lowest and highest value that each of the first n items may have, in the order of asking: equal
    if the value is known, 0 and 1 if its request failed.
    """
    alpha = (1 - level) / 2
    lower = _lower(np.asarray(low, dtype=float), order, margin, alpha)
    upper = 1 - _lower(1 - np.asarray(high, dtype=float), order, margin, alpha)
    if (enough := upper - lower <= 2 * margin).any():  # asking ends there: further intervals could only miss the mean
        first = int(np.argmax(enough))
        lower[first:] = np.maximum(lower[first], _known(low, order)[first:])
        upper[first:] = np.minimum(upper[first], 1 - _known(1 - np.asarray(high), order)[first:])
    # The intersection of intervals may become empty if one misses the mean.
    upper = np.clip(upper, 0, 1)
    lower = np.clip(lower, 0, upper)
    return lower, upper


def _known(x: Floats, order: Order) -> Floats:
    """(blocks,) the lowest possible mean, if all unknown values were 0."""
    ends = order.ends
    return np.asarray(np.cumsum(x)[ends[ends <= len(x)] - 1] / len(order.items), dtype=float)


def difference(one: Floats, two: Floats, order: Order, margin: float, level: float = 0.95) -> tuple[Floats, Floats]:
    """Lower and upper bound of the mean of one - two over all items, after each block that was completely asked of both models.
    With probability `level` all these bounds hold.

    one, two: (n, 2) the lowest and highest value of each item, in the order of asking. Models may differ by a little or
    a lot, so there are bets for several differences, from `margin` upwards. The mean of their products is a supermartingale, too.
    """
    count = min(len(one), len(two))
    low, high = (one[:count, end] - two[:count, 1 - end] for end in (0, 1))
    alpha = (1 - level) / 2
    distances = [margin / 2 * 2**k for k in range(int(math.log2(max(1.0, _FARTHEST / margin))) + 1)]
    lower = _mixed((1 + low) / 2, order, distances, alpha)
    upper = _mixed((1 - high) / 2, order, distances, alpha)
    return 2 * lower - 1, 1 - 2 * upper


def _mixed(x: Floats, order: Order, margins: Sequence[float], alpha: float) -> Floats:
    """Combine bets of several margins into `_lower`'s bound: the mean at which their mean product is 1 / α, by bisection."""
    bets = [products(x, order, margin) for margin in margins]
    known = _known(x, order)
    evidence, slope = (np.stack([one[n] for one in bets]) for n in (0, 1))
    below, above = np.full(len(known), -1.0), np.ones(len(known))
    for _ in range(_HALVINGS):
        middle = (below + above) / 2
        grown = np.logaddexp.reduce(evidence - slope * middle, axis=0) - math.log(len(margins))
        refuted = grown >= -math.log(alpha)
        below, above = np.where(refuted, middle, below), np.where(refuted, above, middle)
    return np.asarray(np.maximum.accumulate(np.maximum(below, known)), dtype=float)


def _lower(x: Floats, order: Order, margin: float, alpha: float) -> Floats:
    """(blocks,) lower bounds: the highest mean refuted so far, or the mean of the known values if that is higher."""
    evidence, slope = products(x, order, margin)
    refuted = (evidence + math.log(alpha)) / slope
    return np.asarray(np.maximum.accumulate(np.maximum(refuted, _known(x, order))), dtype=float)


def products(x: Floats, order: Order, margin: float) -> tuple[Floats, Floats]:
    """(blocks,) a and (blocks,) -b, such that a + b m is the logarithm of the product of all factors up to a block, if m is the
    mean of all items."""
    total = len(order.items)
    ends = order.ends
    ends = ends[ends <= len(x)]
    count = len(ends)
    if not count:
        return np.zeros(0), np.zeros(0)
    x = x[: ends[-1]]
    block, stratum = order.blocks[: len(x)], order.strata[: len(x)]
    strata = int(order.strata.max()) + 1
    sizes = np.bincount(order.strata, minlength=strata)
    drawn = np.zeros((count, strata))
    sums = np.zeros((count, strata))
    np.add.at(drawn, (block, stratum), 1.0)
    np.add.at(sums, (block, stratum), x)
    drawn_before, sums_before = np.cumsum(drawn, axis=0) - drawn, np.cumsum(sums, axis=0) - sums
    asked, gained = drawn_before.sum(axis=1), sums_before.sum(axis=1)
    overall = (0.5 + gained) / (1 + asked)
    centres = (overall[:, None] + sums_before) / (1 + drawn_before)
    off = x - centres[block, stratum]
    squares = np.bincount(block, off * off, minlength=count)
    variance = (0.25 + np.cumsum(squares) - squares) / (1 + asked)
    left, size = total - asked, drawn.sum(axis=1)
    # λ_h for λ = 1, as in the module's docstring.
    shares = (sizes - drawn_before) / drawn / (left / size)[:, None]
    bet = np.minimum(margin * total / left / variance, _MOST / shares.max(axis=1))
    bets = (bet[:, None] * shares)[block, stratum]
    grown = np.bincount(block, np.log1p(bets * off) + bets * centres[block, stratum], minlength=count)
    per_item = bet * size / left
    return np.cumsum(grown + per_item * gained), total * np.cumsum(per_item)
