"""Chinese CEDAR: CORECODE's annotations of causes and consequences as explanations of a turn.

CORECODE says what led to an event, and what an event led to; CEDAR asks what led to a response. So the turn that tells
the consequent is the response, what comes before it is the history, and the explanation is cause + 导致 + consequent
(导致 is the word of CORECODE's own questions). Left out:
* clipped items: the turn that would be the response is what was clipped;
* consequents that no turn tells: the turn has to hold half of their pairs of neighbouring characters, and to be spoken
  by A or B if they begin with one; the first turn has no history;
* the word for word same annotation again.

Nobody rated these explanations wrong, so the invalid ones are made: the cause of another consequent of the same
dialogue before this consequent. Not taken are causes that resemble its own cause or itself, and those that led to its own
cause, which would be causes of it, too. They are not rated by people either; see docs/cedar.md.
"""

from __future__ import annotations

from collections.abc import Iterable

from evalsuite.benchmarks.cedar.explanation import Explanation, Instance
from evalsuite.common.dialogue import asked_event
from evalsuite.types import Item

TASKS = ("event_cause", "subsequent_event")  # whose annotations they are
CONNECTIVE = "导致"
TOLD = 0.5  # share of a consequent's character pairs that its turn has to hold
ALIKE = 0.5  # share of the shorter one's character pairs from which two events are taken as one

Cause = tuple[str, str]  # cause, consequent


def chinese_instances(items: Iterable[Item]) -> tuple[Instance, ...]:
    """From the items of event_cause and subsequent_event, of one set and split (else ValueError); others are passed over."""
    causes: dict[tuple[str, ...], dict[Cause, None]] = {}
    places: set[tuple[str, str]] = set()
    for item in items:
        asked = asked_event(item.question)
        if asked is None or item.task not in TASKS:
            continue
        places.add((f"corecode-{item.set}", item.split))
        answer = item.references[0]
        cause = (answer, asked) if item.task == "event_cause" else (asked, answer)
        causes.setdefault(item.dialogue, {})[cause] = None
    if len(places) > 1:
        raise ValueError(f"items of several sets or splits: {', '.join(' '.join(place) for place in sorted(places))}")
    made: list[Instance] = []
    for dialogue, found in causes.items():
        by_turn: dict[int, list[Cause]] = {}
        for cause in found:
            turn = response_turn(dialogue, cause[1])
            if turn:
                by_turn.setdefault(turn, []).append(cause)
        for turn, mine in sorted(by_turn.items()):
            valid = [_explanation(antecedent, consequent, True) for antecedent, consequent in mine]
            wrong = [_explanation(other, cause[1], False) for cause in mine for other in _wrong(cause, found)]
            explanations = tuple(dict.fromkeys((*valid, *wrong)))
            number = len(made)
            source, split = next(iter(places))
            made.append(
                Instance(
                    f"cedar/{source}/{split}/{number}", source, split, dialogue[:turn], dialogue[turn], explanations
                )
            )
    return tuple(made)


def response_turn(dialogue: tuple[str, ...], consequent: str) -> int | None:
    """The turn that tells the consequent, the earliest of equals; None if none does, or if it is the first."""
    speaker = consequent[:1] if consequent[:1] in ("A", "B") else ""
    share, turn = max(
        ((_held(consequent, text), -n) for n, text in enumerate(dialogue) if text.startswith(speaker)),
        default=(0.0, 0),
    )
    return -turn if share >= TOLD and turn else None


def _wrong(cause: Cause, all_causes: Iterable[Cause]) -> list[str]:
    antecedent, consequent = cause
    return [
        other
        for other, led_to in all_causes
        if not any(
            _alike(*two)
            for two in ((other, antecedent), (other, consequent), (led_to, antecedent), (led_to, consequent))
        )
    ]


def _explanation(antecedent: str, consequent: str, valid: bool) -> Explanation:
    return Explanation("event", antecedent.rstrip("。"), CONNECTIVE, consequent.rstrip("。"), valid, "zh")


def _pairs(text: str) -> set[str]:
    said = "".join(char for char in text if char.isalnum())
    return {said[n : n + 2] for n in range(len(said) - 1)}


def _held(text: str, turn: str) -> float:
    mine = _pairs(text.lstrip("AB"))
    return len(mine & _pairs(turn)) / len(mine) if mine else 0.0


def _alike(one: str, other: str) -> bool:
    a, b = _pairs(one), _pairs(other)
    return bool(a and b) and len(a & b) >= ALIKE * min(len(a), len(b))
