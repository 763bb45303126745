"""The syntactic slots of GLUCOSE's explanations (Appendix A, Table 6) and of its prompted baseline (Appendix C, Table 8).

The slots make regular expressions for constrained decoding. Only the paper's hard constraints are in them; the other parts of
an explanation are free text without ">", which marks the connective.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from evalsuite.benchmarks.glucose.dimensions import DIMENSIONS, SETS
from evalsuite.types import Item

_Slot = tuple[str, ...]
BEFORE = 5  # X is the consequent in dimensions 1 to 5, and the antecedent in 6 to 10
NO_STORY = "_no_story"  # the end of the names of templates that show X alone
_FREE = r"[^>\n]+"

_PLACES = (
    "above",
    "across from",
    "at",
    "below",
    "far from",
    "in",
    "in front of",
    "inside of",
    "near",
    "next to",
    "on top of",
    "outside of",
)
_FEELING: tuple[_Slot, ...] = (("feels", "wants", "likes"),)
_PLACE: tuple[_Slot, ...] = (("am", "is", "are"), _PLACES)
_OWNING: tuple[_Slot, ...] = (("possess(es)",),)
_STATE: tuple[_Slot, ...] = (("am", "is", "are", "has", "have", "want", "wants", "need", "needs"),)

# Table 6, hard constraints only: verbs, and prepositions of places. They apply to the side that is not X, and are the same for
# dimensions 1 to 5 as for 6 to 10.
HARD: dict[int, tuple[_Slot, ...]] = dict(enumerate(2 * ((), _FEELING, _PLACE, _OWNING, _STATE), 1))

# The forms of these words in the annotations: the tool appended (s) to verbs, and some stories are in the past tense.
_FORMS: dict[str, _Slot] = {
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

# Table 8: the slots that the prompted model fills in turn after the story and X, before its free text. In the table's row of
# dimension 8 "between" is misplaced after "we"; here it is among the prepositions.
PROMPTED: dict[int, tuple[_Slot, ...]] = {
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


def pattern(item: Item, wording: str) -> str:
    """The regular expression of a reply under constrained decoding: the slots of Appendix C for `prompted`, one side for
    `one_sided`, else a whole explanation."""
    number = SETS.index(item.set) + 1
    forms = {"prompted": prompted, "one_sided": side}
    return forms.get(wording.removesuffix(NO_STORY), statement)(number)


def statement(dimension: int) -> str:
    """The regular expression of an explanation of that dimension: antecedent >Connective> consequent, on one line.

    >>> import re
    >>> bool(re.fullmatch(statement(4), "Gage possesses a bike >Enables> Gage turned his bike"))
    True
    >>> bool(re.fullmatch(statement(4), "Gage rides a bike >Enables> Gage turned his bike"))
    False
    """
    connective = rf" >{re.escape(DIMENSIONS[dimension - 1].connective)}> "
    return side(dimension) + connective + _FREE if dimension <= BEFORE else _FREE + connective + side(dimension)


def side(dimension: int) -> str:
    """The regular expression of the side that is not X."""
    slots = [_any([form for word in slot for form in _FORMS.get(word, (word,))]) for slot in HARD[dimension]]
    return rf"{_FREE} +{' +'.join(slots)} +{_FREE}" if slots else _FREE


def prompted(dimension: int) -> str:
    """The regular expression of the prompted model's continuation after X: the slots, then free text without a full stop."""
    return " ".join(_any(slot) for slot in PROMPTED[dimension]) + r" [^.\n]+"


def _any(words: Sequence[str]) -> str:
    # The longest first, "in front of" before "in": some engines take the first alternative that matches.
    return "(?:" + "|".join(re.escape(word) for word in sorted(dict.fromkeys(words), key=len, reverse=True)) + ")"
