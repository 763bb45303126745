"""SQuAD's exact match and F1 of words for English spans, and what CIDER's evaluation makes of them.

`exact_match` and `f1` give what SQuAD 2.0's official script gives (Rajpurkar et al. 2018). CIDER's published figures come
from its `train_qa.py`, which first sorts replies into equal, overlapping and neither (`match_level`): with it go `no_match`, and
`paper_f1`, which is 0 wherever neither text contains the other, even where words are shared. So "paper" is at most F1.
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
    """Lower case, without punctuation and then articles, blanks collapsed.

    The order decides: "a.m." becomes "am" and keeps its a, "the-end" becomes "theend".

    >>> normalise("  The  cat's   whiskers! ")
    'cats whiskers'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


def _answers(references: Sequence[str]) -> list[str]:
    """References of which nothing is left are no answers; without any, the right answer is to give none."""
    return [reference for reference in references if normalise(reference)] or [""]


def exact_match(said: str, references: Sequence[str]) -> float:
    """1.0 if equal to a reference after `normalise`, else 0.0."""
    answer = normalise(said)
    return float(any(answer == normalise(reference) for reference in _answers(references)))


def f1(said: str, references: Sequence[str]) -> float:
    """F1 in [0, 1] of the two bags of words after `normalise`, the best over the references.

    >>> round(f1("missed several buses", ["missed the bus", "several buses"]), 2)
    0.8
    """
    return max(_pair(normalise(said).split(), normalise(reference).split()) for reference in _answers(references))


def _pair(said: list[str], wanted: list[str]) -> float:
    if not said or not wanted:
        return float(said == wanted)
    common = (Counter(said) & Counter(wanted)).total()
    return 2 * common / (len(said) + len(wanted))


def match_level(said: str, references: Sequence[str]) -> str:
    """ "exact", "partial" (one text contains the other) or "none", the best over the references, on the bare strings.

    From CIDER's `train_qa.py`: case counts, blanks at the ends do not, and an empty reply matches nothing.

    >>> match_level("the bus", ["missed the bus"]), match_level("The bus", ["missed the bus"])
    ('partial', 'none')
    """
    answer = said.strip()
    wanted = [reference.strip() for reference in references]
    if answer in wanted:
        return "exact"
    return "partial" if answer and any(answer in w or w in answer for w in wanted if w) else "none"


def paper_f1(said: str, references: Sequence[str]) -> float:
    """F1 as CIDER's Table 5 has it: 0 where neither text contains the other."""
    found = match_level(said, references)
    return float(found == "exact") if found != "partial" else f1(said, references)


def span_values(said: str, references: Sequence[str]) -> dict[str, float]:
    """All of an item's metrics in [0, 1]; of `no_match` less is better."""
    found = match_level(said, references)
    return {
        "f1": f1(said, references),
        "em": exact_match(said, references),
        "no_match": float(found == "none"),
        "paper.f1": paper_f1(said, references),
        "paper.em": float(found == "exact"),
    }
