"""METEOR for Chinese without Java, WordNet or downloads: exact matches only.

Chinese has no inflection to stem, and METEOR's synonyms and paraphrases are English. What remains is the alignment of equal
tokens, the F measure weighted towards recall, and the fragmentation penalty.

Banerjee & Lavie (2005): F = 10PR/(R+9P), penalty 0.5·(chunks/matches)³, with nltk's alignment (from the end, each token to
the last free equal one). It equals nltk's meteor_score with an identity stemmer and an empty WordNet. Tokens are lowercased,
as in nltk. An item's score is the maximum over the references; a corpus' is the mean.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evalsuite.metrics.counts import Floats, Ints, TokenTable, find, ratio

ALPHA, BETA, GAMMA = 0.9, 3.0, 0.5


class Alignment(NamedTuple):
    """Matches between the tokens of each hypothesis and a reference."""

    matches: Ints  # (R,) aligned tokens
    chunks: Ints  # (R,) runs of matches that are adjacent and in the same order on both sides


def meteor(table: TokenTable) -> Floats:
    """(N,) METEOR of each item in [0, 1)."""
    matches, chunks = align(table)
    precision = ratio(matches, table.hyp_length[table.ref_item])
    recall = ratio(matches, table.ref_length)
    mean = ratio(precision * recall, ALPHA * precision + (1 - ALPHA) * recall)
    return table.best(mean * (1 - GAMMA * ratio(chunks, matches) ** BETA))


def align(table: TokenTable) -> Alignment:
    """nltk's greedy alignment for all pairs of hypothesis and reference.

    "From the end, each token to the last free equal one" pairs a word's k-th last position in the hypothesis with its
    k-th last position in the reference, which is a join on (item, word, k).
    """
    word = lowercased(table)[table.tokens]
    rank = _rank_from_end(table.text_of * max(len(table.vocabulary), 1) + word)
    position = np.arange(len(word)) - table.start[table.text_of]
    split = int(np.searchsorted(table.text_of, table.n))
    ref_text = table.text_of[split:] - table.n
    ranks = int(rank.max(initial=0)) + 1
    words = int(word.max(initial=0)) + 1
    hyp_key = (table.text_of[:split] * words + word[:split]) * ranks + rank[:split]
    ref_key = (table.ref_item[ref_text] * words + word[split:]) * ranks + rank[split:]
    order = np.argsort(hyp_key)
    at = find(hyp_key[order], ref_key)
    matched = at >= 0
    pair, ref_position = ref_text[matched], position[split:][matched]
    hyp_position = position[order[at[matched]]]
    pairs = len(table.ref_item)
    matches = np.bincount(pair, minlength=pairs)
    by_hyp = np.argsort(pair * (int(table.length.max(initial=0)) + 1) + hyp_position)
    pair, hyp_position, ref_position = pair[by_hyp], hyp_position[by_hyp], ref_position[by_hyp]
    goes_on = (np.diff(pair) == 0) & (np.diff(hyp_position) == 1) & (np.diff(ref_position) == 1)
    return Alignment(matches, matches - np.bincount(pair[1:][goes_on], minlength=pairs))


def lowercased(table: TokenTable) -> Ints:
    """(V,) the number of each word's lowercase form."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(word.lower(), len(numbers)) for word in table.vocabulary], dtype=np.int64)


def _rank_from_end(key: Ints) -> Ints:
    """The number of equal keys after each position. Equal keys must be in one text."""
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    last = np.searchsorted(ordered, ordered, side="right") - 1
    rank = np.empty_like(key)
    rank[order] = last - np.arange(len(key))
    return rank
