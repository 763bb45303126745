"""Exact match and character F1 of one answer, in plain Python.

Answer and references get the same light normalisation (`NORMALISATION` in signatures): zero-width characters are removed,
then whitespace and punctuation at both ends. The inside of the answer is not changed: no case folding, no width folding, no
mapping of simplified and traditional characters. `#%&@+-` are kept because they carry meaning in "C#", "70%" and "-5".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

NORMALISATION = "outer-punct.1"

# Invisible: soft hyphen, zero-width space/joiners, direction marks, word joiner, byte order mark.
_ZERO_WIDTH = dict.fromkeys([0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2065), 0xFEFF])
_PUNCTUATION = "。，、；：？！…—·～“”‘’「」『』《》〈〉【】〔〕（）［］｛｝﹏．" + ".,;:?!\"'`()[]{}<>*~_"
# All characters of str.isspace(): str.strip() with an argument strips no others than the argument's.
_SPACE = "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f"
_OUTER = _PUNCTUATION + _SPACE + "\u205f\u3000"


@lru_cache(maxsize=65536)
def normalise(text: str) -> str:
    """The form in which answers are compared. From a text of punctuation only, just whitespace is stripped.

    >>> normalise(" 《流浪地球》。\\u200b")
    '流浪地球'
    """
    if not text.isascii():
        text = text.translate(_ZERO_WIDTH)
    return text.strip(_OUTER) or text.strip()


def exact_match(hyp: str, refs: Sequence[str]) -> float:
    """1.0 if the answer equals a reference after `normalise`, else 0.0 (SQuAD's EM without its rules for English).

    >>> exact_match("科幻片。", ["恐怖片", "科幻片"])
    1.0
    """
    answer = normalise(hyp)
    return float(any(answer == normalise(ref) for ref in refs))


def char_f1(hyp: str, refs: Sequence[str]) -> float:
    """F1 in [0, 1] of the two bags of characters without whitespace, the maximum over the references.

    SQuAD's F1 (Rajpurkar et al. 2016) on characters in place of words, as in CMRC 2018. Two empty texts score 1.0, an empty
    and a non-empty one 0.0.

    >>> round(char_f1("很好看", ["好看"]), 3)
    0.8
    """
    answer = normalise(hyp)
    bag: Mapping[str, int] | None = None
    best = 0.0
    for ref in refs:
        gold = normalise(ref)
        if gold == answer:
            return 1.0
        if bag is None:
            bag = _bag(answer)
            size = sum(bag.values())
        counts = _bag(gold)
        common = sum(min(n, bag.get(char, 0)) for char, n in counts.items())
        if common:
            best = max(best, 2 * common / (size + sum(counts.values())))
    return best


@lru_cache(maxsize=4096)  # references recur, and an answer is scored by several metrics
def _bag(text: str) -> Mapping[str, int]:
    counts = Counter(text)
    for char in [char for char in counts if char.isspace()]:
        del counts[char]
    return counts
