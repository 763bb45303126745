"""The syntactic slots of GLUCOSE's explanations (Appendix A, Table 6) and of its prompted baseline (Appendix C, Table 8).

As regular expressions, so that an engine that can be held to one (vLLM's structured outputs; prefixes allowed on hf) writes
nothing else. Only hard constraints bind; what is said elsewhere in a slot is free, but for the signs of the connective.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from evalsuite.benchmarks.glucose.dimensions import DIMENSIONS, SETS
from evalsuite.types import Item

Slot = tuple[str, ...]

_PLACES = (
    "above", "across from", "at", "below", "far from", "in", "in front of", "inside of", "near", "next to", "on top of",
    "outside of",
)  # fmt: skip
_FEELING: tuple[Slot, ...] = (("feels", "wants", "likes"),)
_PLACE: tuple[Slot, ...] = (("am", "is", "are"), _PLACES)
_OWNING: tuple[Slot, ...] = (("possess(es)",),)
_STATE: tuple[Slot, ...] = (("am", "is", "are", "has", "have", "want", "wants", "need", "needs"),)

# Table 6, hard constraints only: verb, and preposition of places. They bind the side that is not X.
HARD: dict[int, tuple[Slot, ...]] = {
    1: (), 2: _FEELING, 3: _PLACE, 4: _OWNING, 5: _STATE, 6: (), 7: _FEELING, 8: _PLACE, 9: _OWNING, 10: _STATE,
}  # fmt: skip

# What annotations write for these: the tool put (s) behind verbs, and people told stories in the past, too.
_FORMS: dict[str, Slot] = {
    "feels": ("feel(s)", "feels", "feel", "felt"),
    "wants": ("want(s)", "wants", "want", "wanted"),
    "likes": ("like(s)", "likes", "like", "liked"),
    "possess(es)": ("possess(es)", "possesses", "possess", "possessed"),
    "is": ("is", "was"),
    "are": ("are", "were"),
    "has": ("has", "had"),
    "need": ("need(s)", "need", "needed"),
    "want": ("want(s)", "want", "wanted"),
}

_BEFORE, _SHE, _SHE_OR_IT = (
    ("because", "since"),
    ("he", "she", "they", "I", "you", "we"),
    ("he", "she", "they", "it", "I", "you", "we"),
)
_RESULT = (". As a result",)
_WERE, _ON = ("is", "was", "were"), (*_PLACES[:2], "between", *_PLACES[2:])

# Table 8: the slots that the prompted model fills one after the other, behind the story and X, before it writes freely.
# The table's row of dimension 8 has its "between" out of place, behind "we": it stands here with its prepositions.
PROMPTED: dict[int, tuple[Slot, ...]] = {
    1: (_BEFORE,),
    2: (_BEFORE, _SHE, ("feels", "wants", "likes")),
    3: (_BEFORE, _SHE, _WERE, _ON),
    4: (_BEFORE, _SHE_OR_IT, ("has", "have")),
    5: (_BEFORE, _SHE_OR_IT, _STATE[0]),
    6: (("causes", "caused", "results in", ", ", ". This causes", ". As a result"),),
    7: (_RESULT, _SHE, ("feels",)),
    8: (_RESULT, _SHE_OR_IT, _WERE, _ON),
    9: (_RESULT, _SHE_OR_IT, ("has", "have")),
    10: (_RESULT, _SHE_OR_IT, _STATE[0]),
}


def pattern(item: Item, variant: str) -> str:
    """What constrained decoding holds a reply to: the slots of Appendix C behind the template `prompted`, else a whole
    explanation."""
    number = SETS.index(item.set) + 1
    return prompted(number) if variant == "prompted" else statement(number)


def statement(dimension: int) -> str:
    """The regular expression of a whole explanation of that dimension: antecedent >Connective> consequent, on one line.

    >>> import re
    >>> bool(re.fullmatch(statement(4), "Gage possesses a bike >Enables> Gage turned his bike"))
    True
    >>> bool(re.fullmatch(statement(4), "Gage rides a bike >Enables> Gage turned his bike"))
    False
    """
    free = r"[^>\n]+"
    slots = [_any([form for word in slot for form in _FORMS.get(word, (word,))]) for slot in HARD[dimension]]
    bound = rf"[^>\n]+ +{' +'.join(slots)} +[^>\n]+" if slots else free
    connective = rf" >{re.escape(DIMENSIONS[dimension - 1].connective)}> "
    return bound + connective + free if dimension <= 5 else free + connective + bound


def prompted(dimension: int) -> str:
    """The regular expression of what the prompted model writes behind X: the slots, then freely to the sentence's end."""
    return " ".join(_any(slot) for slot in PROMPTED[dimension]) + r" [^.\n]+"


def _any(words: Sequence[str]) -> str:
    # The longest first, for engines that take the first that fits: "in front of" before "in".
    return "(?:" + "|".join(re.escape(word) for word in sorted(dict.fromkeys(words), key=len, reverse=True)) + ")"
