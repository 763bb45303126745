"""Chinese CEDAR: explanations of turns, from CORECODE's annotations of causes and consequences.

CORECODE annotates causes and consequences of events; CEDAR explains a response. Here the turn that expresses the consequent
is the response, the turns before it are the history, and the explanation is cause + 导致 + consequent (导致 is the verb of
CORECODE's questions). Left out are:
* clipped items, since the response would be the clipped turn;
* consequents without a matching turn: the turn must contain half of the consequent's character bigrams, its speaker must be
  A or B if the consequent begins with A or B, and it must not be the first turn, which has no history;
* duplicates of an annotation.

There are no explanations rated as invalid, so they are made: the cause of another consequent of the same dialogue, with
this consequent. Causes similar to the true cause or to the consequent are excluded, and so are causes of the true cause,
which are indirect causes. People have not rated these explanations; see docs/cedar.md.
"""

from __future__ import annotations

from collections.abc import Iterable

from evalsuite.benchmarks.cedar.explanation import Explanation, Instance
from evalsuite.common.dialogue import asked_event
from evalsuite.types import Item

TASKS = ("event_cause", "subsequent_event")  # the source tasks in CORECODE
CONNECTIVE = "导致"
EXPRESSED = 0.5  # minimum share of a consequent's character bigrams in its turn
ALIKE = 0.5  # minimum share of the shorter event's character bigrams in the other, for similar events

Cause = tuple[str, str]  # (cause, consequent)


def chinese_instances(items: Iterable[Item]) -> tuple[Instance, ...]:
    """Instances made of the items of event_cause and subsequent_event; items of other tasks are ignored. Raises ValueError for
    items of more than one set or split."""
    causes: dict[tuple[str, ...], dict[Cause, None]] = {}
    files: set[tuple[str, str]] = set()
    for item in items:
        event = asked_event(item.question)
        if event is None or item.task not in TASKS:
            continue
        files.add((f"corecode-{item.set}", item.split))
        answer = item.references[0]
        cause = (answer, event) if item.task == "event_cause" else (event, answer)
        causes.setdefault(item.dialogue, {})[cause] = None
    if len(files) > 1:
        raise ValueError(f"items of several sets or splits: {', '.join(' '.join(file) for file in sorted(files))}")
    instances: list[Instance] = []
    for dialogue, causes_of_dialogue in causes.items():
        by_turn: dict[int, list[Cause]] = {}
        for cause in causes_of_dialogue:
            turn = response_turn(dialogue, cause[1])
            if turn:
                by_turn.setdefault(turn, []).append(cause)
        for turn, expressed in sorted(by_turn.items()):
            valid = [_explanation(antecedent, consequent, True) for antecedent, consequent in expressed]
            wrong = [
                _explanation(other, cause[1], False)
                for cause in expressed
                for other in _wrong_causes(cause, causes_of_dialogue)
            ]
            explanations = tuple(dict.fromkeys((*valid, *wrong)))
            number = len(instances)
            source, split = next(iter(files))
            instances.append(
                Instance(
                    f"cedar/{source}/{split}/{number}", source, split, dialogue[:turn], dialogue[turn], explanations
                )
            )
    return tuple(instances)


def response_turn(dialogue: tuple[str, ...], consequent: str) -> int | None:
    """The index of the turn that expresses the consequent (the earliest on a tie); None if there is none or it is the first."""
    speaker = consequent[:1] if consequent[:1] in ("A", "B") else ""
    shares = {n: _share_of_bigrams(consequent, text) for n, text in enumerate(dialogue) if text.startswith(speaker)}
    turn = max(shares, key=shares.__getitem__, default=0)
    return turn if turn and shares[turn] >= EXPRESSED else None


def _wrong_causes(cause: Cause, all_causes: Iterable[Cause]) -> list[str]:
    """The causes of other consequents that are no cause of this consequent, as the module's docstring describes."""
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


def _bigrams(text: str) -> set[str]:
    letters = "".join(char for char in text if char.isalnum())
    return {letters[n : n + 2] for n in range(len(letters) - 1)}


def _share_of_bigrams(text: str, turn: str) -> float:
    """The share of the text's bigrams that the turn contains."""
    bigrams = _bigrams(text.lstrip("AB"))
    return len(bigrams & _bigrams(turn)) / len(bigrams) if bigrams else 0.0


def _alike(first: str, second: str) -> bool:
    a, b = _bigrams(first), _bigrams(second)
    return bool(a and b) and len(a & b) >= ALIKE * min(len(a), len(b))
