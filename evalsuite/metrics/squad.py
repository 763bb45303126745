"""SQuAD's exact match and word F1 for English spans, and the variants in CIDER's evaluation.

`exact_match` and `f1` equal SQuAD 2.0's official script (Rajpurkar et al. 2018). CIDER's published figures come from its
`train_qa.py`, which first classifies a reply as exact, partial or no match (`match_level`). Its F1 (`paper_f1`) is 0 unless
one text contains the other, so it is never above `f1`.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence

NORMALISATION = "squad.2018"

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)  # ASCII only, as in the script: “ and … stay


def normalise(text: str) -> str:
    """Lowercase, remove punctuation, then articles, and collapse whitespace.

    The order matters: "a.m." becomes "am" and keeps its a, "the-end" becomes "theend".

    >>> normalise("  The  cat's   whiskers! ")
    'cats whiskers'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


def _answers(references: Sequence[str]) -> list[str]:
    """The references that are not empty after `normalise`; without any, the right answer is the empty text."""
    return [reference for reference in references if normalise(reference)] or [""]


def exact_match(text: str, references: Sequence[str]) -> float:
    """1.0 if the answer equals a reference after `normalise`, else 0.0."""
    answer = normalise(text)
    return float(any(answer == normalise(reference) for reference in _answers(references)))


def f1(answer: str, references: Sequence[str]) -> float:
    """F1 in [0, 1] of the two bags of words after `normalise`, the maximum over the references.

    >>> round(f1("missed several buses", ["missed the bus", "several buses"]), 2)
    0.8
    """
    return max(_pair(normalise(answer).split(), normalise(reference).split()) for reference in _answers(references))


def _pair(given: list[str], wanted: list[str]) -> float:
    if not given or not wanted:
        return float(given == wanted)
    common = (Counter(given) & Counter(wanted)).total()
    return 2 * common / (len(given) + len(wanted))


def match_level(text: str, references: Sequence[str]) -> str:
    """The best match with a reference: "exact", "partial" (one text contains the other) or "none".

    As in CIDER's `train_qa.py`: case-sensitive, without surrounding whitespace; an empty reply matches nothing.

    >>> match_level("the bus", ["missed the bus"]), match_level("The bus", ["missed the bus"])
    ('partial', 'none')
    """
    answer = text.strip()
    wanted = [reference.strip() for reference in references]
    if answer in wanted:
        return "exact"
    return "partial" if answer and any(answer in w or w in answer for w in wanted if w) else "none"


def paper_f1(answer: str, references: Sequence[str]) -> float:
    """F1 as in CIDER's Table 5: 0 unless one text contains the other."""
    level = match_level(answer, references)
    return float(level == "exact") if level != "partial" else f1(answer, references)


def span_values(answer: str, references: Sequence[str]) -> dict[str, float]:
    """All metrics of an item, in [0, 1]; for `no_match` lower is better."""
    level = match_level(answer, references)
    return {
        "f1": f1(answer, references),
        "em": exact_match(answer, references),
        "no_match": float(level == "none"),
        "paper.f1": paper_f1(answer, references),
        "paper.em": float(level == "exact"),
    }
