"""The n-gram counts that all n-gram metrics share, so that texts are tokenised and counted once.

A `TokenTable` holds N hypotheses and their R references (R >= N) under one tokenisation. Texts are numbered 0..N-1 (hypotheses)
and N..N+R-1 (references, grouped by item). All data are flat integer arrays and the work is sorting them, so time is
O(T log T) and memory O(T) for T tokens.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Numbers = NDArray[Any]  # integers or floats


@dataclass(frozen=True, slots=True)
class Grams:
    """The n-grams of one order: E rows, one for each distinct n-gram of each text, sorted by text, then n-gram."""

    text: Ints  # (E,) number of the text
    gram: Ints  # (E,) number of the n-gram, 0..size-1
    count: Ints  # (E,) its frequency in the text
    size: int  # distinct n-grams over all texts
    hyp_rows: int  # rows [0, hyp_rows) are of hypotheses, the rest of references
    in_hyp: Ints  # (E - hyp_rows,) for each row of a reference: the row of its n-gram in the item's hypothesis, or -1

    def matched(self) -> tuple[Ints, Ints]:
        """Row numbers (hypothesis, reference) of shared n-grams, both (M,), in the order of the reference rows."""
        shared = np.flatnonzero(self.in_hyp >= 0)
        return self.in_hyp[shared], shared + self.hyp_rows


class TokenTable:
    """Tokenised hypotheses and references as integers. `references[i]` are the references of item i, one or more."""

    def __init__(self, hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[Sequence[str]]]) -> None:
        self.n = len(hypotheses)
        per_item = np.array([len(refs) for refs in references], dtype=np.int64)
        self.ref_item: Ints = np.repeat(np.arange(self.n), per_item)  # (R,) the item of each reference
        self.first_ref: Ints = np.cumsum(per_item) - per_item  # (N,) each item's first reference
        self.per_item: Ints = per_item
        texts = [*hypotheses, *(ref for refs in references for ref in refs)]
        vocabulary: dict[str, int] = {}
        number = vocabulary.setdefault
        self.tokens: Ints = np.array(
            [number(token, len(vocabulary)) for text in texts for token in text], dtype=np.int64
        )  # (T,) all texts, concatenated
        self.vocabulary = list(vocabulary)
        self.length: Ints = np.array([len(text) for text in texts], dtype=np.int64)  # (N + R,) in tokens
        self.start: Ints = np.cumsum(self.length) - self.length
        self.text_of: Ints = np.repeat(np.arange(len(texts)), self.length)  # (T,)
        self._number: dict[int, tuple[Ints, int]] = {}
        self._grams: dict[int, Grams] = {}
        self._overlap: dict[int, Ints] = {}
        self._lcs: Ints | None = None

    @property
    def hyp_length(self) -> Ints:
        """(N,) tokens of each hypothesis."""
        return self.length[: self.n]

    @property
    def ref_length(self) -> Ints:
        """(R,) tokens of each reference."""
        return self.length[self.n :]

    def texts(self) -> list[list[str]]:
        """The tokens of each text, hypotheses first."""
        words = [self.vocabulary[number] for number in self.tokens.tolist()]
        spans = zip(self.start.tolist(), self.length.tolist(), strict=True)
        return [words[start : start + length] for start, length in spans]

    def best(self, values: Floats) -> Floats:
        """(R,) values of pairs -> (N,) the maximum over each item's references."""
        return np.maximum.reduceat(values, self.first_ref) if self.n else values

    def of_best(self, rows: Ints, scores: Floats) -> Ints:
        """(R, columns) rows of pairs and their (R,) scores -> (N, columns) each item's first row with the best score."""
        pairs = np.arange(len(rows))
        is_best = scores == self.best(scores)[self.ref_item]
        return rows[np.minimum.reduceat(np.where(is_best, pairs, len(pairs)), self.first_ref)]

    def _positions(self, order: int) -> Ints:
        """The positions at which n-grams of that order start."""
        end = (self.start + self.length)[self.text_of]
        return np.flatnonzero(np.arange(len(self.tokens)) + order <= end)

    def _numbered(self, order: int) -> tuple[Ints, int]:
        """(T,) the number of the n-gram that starts at each position (0 if none does), and the number of n-grams.

        An n-gram is the pair (number of its first n-1 tokens, last token). Sorting renumbers the pairs from 0, so that, unlike
        with hashes, there are no collisions.
        """
        if order == 1:
            return self.tokens, len(self.vocabulary)
        if order not in self._number:
            at = self._positions(order)
            shorter = self._numbered(order - 1)[0]
            pair = shorter[at] * len(self.vocabulary) + self.tokens[at + order - 1]
            different, numbers = np.unique(pair, return_inverse=True)
            result = np.zeros_like(self.tokens)
            result[at] = numbers
            self._number[order] = result, len(different)
        return self._number[order]

    def grams(self, order: int) -> Grams:
        """Counts of all n-grams of that order."""
        if order not in self._grams:
            numbers, size = self._numbered(order)
            at = self._positions(order)
            key, count = np.unique(self.text_of[at] * max(size, 1) + numbers[at], return_counts=True)
            text, gram = np.divmod(key, max(size, 1))
            hyp_rows = int(np.searchsorted(text, self.n))
            wanted = self.ref_item[text[hyp_rows:] - self.n] * max(size, 1) + gram[hyp_rows:]
            self._grams[order] = Grams(text, gram, count, size, hyp_rows, find(key[:hyp_rows], wanted))
        return self._grams[order]

    def sum_by_ref(self, rows: Ints, values: Numbers, order: int) -> Floats:
        """(R,) sum of `values` for each reference. `rows` are the rows of `grams(order)` to which the values belong."""
        pair = self.grams(order).text[rows] - self.n
        sums: Numbers = np.bincount(pair, weights=values, minlength=len(self.ref_item))
        return sums.astype(float)

    def overlap(self, order: int) -> Ints:
        """(R,) shared n-grams of hypothesis and reference, with clipped counts."""
        if order not in self._overlap:
            grams = self.grams(order)
            hyp, ref = grams.matched()
            shared = np.minimum(grams.count[hyp], grams.count[ref])
            self._overlap[order] = self.sum_by_ref(ref, shared, order).astype(np.int64)
        return self._overlap[order]

    def total(self, order: int) -> Ints:
        """(N + R,) number of n-grams of each text, with repetition."""
        return np.maximum(self.length - order + 1, 0)

    def lcs(self) -> Ints:
        """(R,) length of the longest common subsequence of hypothesis and reference, in tokens."""
        if self._lcs is None:
            shared = self.overlap(1)
            result = np.minimum(shared, 1)  # right for 0 and 1 shared tokens
            tokens, start, length = self.tokens.tolist(), self.start.tolist(), self.length.tolist()
            ref_item = self.ref_item.tolist()
            for pair in np.flatnonzero(shared > 1).tolist():
                item, text = ref_item[pair], self.n + pair
                hyp = tokens[start[item] : start[item] + length[item]]
                ref = tokens[start[text] : start[text] + length[text]]
                result[pair] = len(ref) if hyp == ref else lcs_length(hyp, ref)
            self._lcs = result
        return self._lcs


def find(keys: Ints, wanted: Ints) -> Ints:
    """(M,) the index of each wanted number in the sorted `keys`; -1 for a missing number."""
    index = np.searchsorted(keys, wanted)
    there = index < len(keys)
    there[there] = keys[index[there]] == wanted[there]
    return np.where(there, index, -1)


def lcs_length(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """The length of the longest common subsequence.

    Bit-parallel (Hyyrö 2004): a row of the dynamic programme is one Python integer.

    >>> lcs_length("今天下雨", "天要下雨了")
    3
    """
    where: dict[Hashable, int] = {}
    for i, token in enumerate(b):
        where[token] = where.get(token, 0) | 1 << i
    full = row = (1 << len(b)) - 1
    for token in a:
        match = row & where.get(token, 0)
        if match:
            row = ((row + match) | (row - match)) & full
    return len(b) - row.bit_count()


def ratio(numerator: Numbers | float, denominator: Numbers | float) -> Floats:
    """Elementwise division, 0 where the denominator is 0."""
    top, bottom = np.broadcast_arrays(np.asarray(numerator, dtype=float), np.asarray(denominator, dtype=float))
    result: Floats = np.divide(top, bottom, out=np.zeros(top.shape), where=bottom != 0)
    return result
