"""Replies that are a part of an explanation, and their completion to "antecedent >connective> consequent".

one_sided  the paper's 1S-LM (section 6.2.1): the reply is the side that is not X; the other side is X itself.
prompted   its PT-LM (section 6.1): the reply goes on after X, in the words of Table 8. The word for the connective
           ("because", ". As a result") is removed, the rest up to the end of the sentence is the side that is not X, and
           its verb gets the annotations' form ("has" becomes "possess(es)" in dimension 4).

The paper does not say how the words of its PT-LM became explanations: this is Table 8 read backwards.
"""

from __future__ import annotations

import re

from evalsuite.benchmarks.glucose.dimensions import DIMENSIONS, SETS, Dimension
from evalsuite.benchmarks.glucose.slots import BEFORE, NO_STORY, PROMPTED
from evalsuite.types import Form, Item

# Verb in a sentence -> verb in annotations, for the dimensions whose verbs are slots.
_FEELS = {"feels": "feel(s)", "wants": "want(s)", "likes": "like(s)"}
_HAS = {"has": "possess(es)", "have": "possess(es)"}
_NEEDS = {"want": "want(s)", "wants": "want(s)", "need": "need(s)", "needs": "need(s)"}
_VERBS = {2: _FEELS, 7: _FEELS, 4: _HAS, 9: _HAS, 5: _NEEDS, 10: _NEEDS}


def _dimension(item: Item) -> Dimension:
    return DIMENSIONS[SETS.index(item.set)]


def _x(item: Item) -> str:
    """The sentence X without its full stop."""
    marked = next(turn for turn in item.dialogue if turn.startswith("*"))
    return marked.strip("*").strip().rstrip(".!?")


def _explanation(item: Item, side: str) -> str:
    """The explanation made of X and the other side, in the order of the dimension."""
    dimension = _dimension(item)
    ends = (side, _x(item)) if dimension.number <= BEFORE else (_x(item), side)
    return f" >{dimension.connective}> ".join(ends)


def _side(item: Item) -> str:
    """The side of the first reference that is not X; the whole reference if it has no connective."""
    sides = item.references[0].split(f">{_dimension(item).connective}>")
    return sides[0 if _dimension(item).number <= BEFORE else -1].strip()


def _is_whole(item: Item, reply: str) -> bool:
    return f">{_dimension(item).connective}>" in reply


def _of_side(item: Item, reply: str) -> str:
    """The explanation made of a reply that is the side other than X. A reply that is a whole explanation stays."""
    side = reply.strip().rstrip(".!?")
    return side if not side or _is_whole(item, side) else _explanation(item, side)


def _of_continuation(item: Item, reply: str) -> str:
    """The explanation made of a reply that continues after X.

    >>> item = Item("", "", "d4", "", ("*Gage turned his bike.*",), "")
    >>> _of_continuation(item, "because he has a bike. He fell.")
    'he possess(es) a bike >Enables> Gage turned his bike'
    """
    if _is_whole(item, reply):
        return reply.strip()
    number = _dimension(item).number
    openings = sorted(filter(None, (word.strip(" .,") for word in PROMPTED[number][0])), key=len, reverse=True)
    continuation = re.sub(rf"^[\s.,]*(?:(?:{'|'.join(openings)})(?=\W|$))?[\s,]*", "", reply, flags=re.IGNORECASE)
    side = re.split(r"[.!?](?=\s|$)|\n", continuation, maxsplit=1)[0].strip()
    verbs = _VERBS.get(number, {})
    if verbs:  # the first of these verbs is that of the slot
        side = re.sub(rf"\b(?:{'|'.join(verbs)})\b", lambda verb: verbs[verb[0]], side, count=1)
    return _explanation(item, side) if side else ""


def _continuation(item: Item) -> str:
    """The first reference as a continuation of X."""
    number = _dimension(item).number
    words = {annotated: plain for plain, annotated in reversed(_VERBS.get(number, {}).items())}
    side = re.sub(r"\S+\(e?s\)", lambda verb: words.get(verb[0], verb[0]), _side(item), count=1)
    return f"{PROMPTED[number][0][0]} {side}"


_ONE_SIDED, _PROMPTED = Form(_side, _of_side), Form(_continuation, _of_continuation)
FORMS = {
    name + end: form for name, form in (("one_sided", _ONE_SIDED), ("prompted", _PROMPTED)) for end in ("", NO_STORY)
}
