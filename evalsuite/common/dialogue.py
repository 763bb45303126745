"""Properties of dialogues and questions that several stages use: the event asked about, dialogues with one source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise


def asked_event(question: str) -> str | None:
    """The event that a question quotes, between its first “ and its last ” (events contain quotes); None if it has none.

    >>> asked_event("事件“梅西赢得“人球合一”的美誉”的原因是什么？")
    '梅西赢得“人球合一”的美誉'
    """
    start, end = question.find("“"), question.rfind("”")
    return question[start + 1 : end] if 0 <= start < end else None


def same_source(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two dialogues are versions of one dialogue: equal, one clipped, or a phrase changed (a mask, a conflict).

    The criterion is that at least half of the aligned turns are equal: unrelated dialogues share a greeting or two at most.
    """
    a, b = "\n".join(one), "\n".join(other)
    if a.startswith(b) or b.startswith(a):
        return True
    shared = sum(x == y for x, y in zip(one, other, strict=False))
    return 2 * shared >= min(len(one), len(other))


# Minimum length of two neighbouring turns that identify a dialogue: greetings and farewells are shorter. English needs
# three letters or more for the content of one Chinese character.
_WINDOW, _LETTERS_WINDOW = 24, 90
_CHINESE = re.compile("[\u4e00-\u9fff]")
_SENTENCE_END = re.compile(r"(?<=[.?!])\s+")


def sources(dialogues: Sequence[Sequence[str]]) -> list[int]:
    """The source of each dialogue as a number. Masked, altered and clipped versions of one dialogue get the same number.

    Dialogues have one source if they share two neighbouring turns with 24 characters or more in total (90 in English), or
    if they are equal. In a context of a single turn, as in CIDER, sentences take the place of turns. The time is linear in
    the text; `same_source` compares pairs.

    >>> whole = ["A: 今天怎么回来得这么晚？", "B: 别提了，地铁坏在半路上，等了四十分钟。", "A: 快吃饭吧。"]
    >>> sources([whole, ["A: 你好。"], [*whole[:2], "A: 快[MASK]吧。"]])
    [0, 1, 0]
    """
    parent = list(range(len(dialogues)))

    def find(n: int) -> int:
        while parent[n] != n:
            parent[n] = parent[parent[n]]
            n = parent[n]
        return n

    seen: dict[object, int] = {}
    for n, dialogue in enumerate(dialogues):
        turns = [turn.strip("*") for turn in dialogue]  # GLUCOSE marks the sentence it asks about with asterisks
        least = _WINDOW if any(map(_CHINESE.search, turns)) else _LETTERS_WINDOW
        parts = turns if len(turns) > 1 else _SENTENCE_END.split(turns[0]) if turns else ()
        windows: list[object] = [pair for pair in pairwise(parts) if len(pair[0]) + len(pair[1]) >= least]
        for window in (*windows, tuple(turns)):
            roots = find(seen.setdefault(window, n)), find(n)
            parent[max(roots)] = min(roots)
    return [find(n) for n in range(len(dialogues))]
