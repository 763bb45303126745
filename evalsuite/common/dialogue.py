"""What several stages need to know of a dialogue or of the question about it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise


def asked_event(question: str) -> str | None:
    """What the question asks about: all between its first “ and its last ”, as events nest quotes.

    >>> asked_event("事件“梅西赢得“人球合一”的美誉”的原因是什么？")
    '梅西赢得“人球合一”的美誉'
    """
    start, end = question.find("“"), question.rfind("”")
    return question[start + 1 : end] if 0 <= start < end else None


def same_source(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two dialogues come from one: equal, one clipped from the other, or equal but for a phrase (a mask, a conflict).

    Half of the aligned turns equal is taken as one source: chance meetings share a greeting or two, not more.
    """
    a, b = "\n".join(one), "\n".join(other)
    if a.startswith(b) or b.startswith(a):
        return True
    shared = sum(x == y for x, y in zip(one, other, strict=False))
    return 2 * shared >= min(len(one), len(other))


# Characters of two neighbouring turns that chance does not repeat: greetings and farewells are shorter. What a Chinese
# character says takes three letters or more in English.
_WINDOW, _LETTERS_WINDOW = 24, 90
_CHINESE = re.compile("[\u4e00-\u9fff]")
_SENTENCE_END = re.compile(r"(?<=[.?!])\s+")


def sources(dialogues: Sequence[Sequence[str]]) -> list[int]:
    """The source of each dialogue as a number, the same for those that come from one: masked, altered and clipped too.

    Two dialogues are taken as one source if they share two neighbouring turns of 24 characters or more together (90 in
    English; of a context that is one turn, as CIDER's, its sentences count); very short ones only if they are equal. Linear
    in the text, where `same_source` compares pairs.

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
    for n, told in enumerate(dialogues):
        turns = [turn.strip("*") for turn in told]  # which sentence GLUCOSE asks about does not make it another story
        least = _WINDOW if any(map(_CHINESE.search, turns)) else _LETTERS_WINDOW
        parts = turns if len(turns) > 1 else _SENTENCE_END.split(turns[0]) if turns else ()
        windows: list[object] = [pair for pair in pairwise(parts) if len(pair[0]) + len(pair[1]) >= least]
        for window in (*windows, tuple(turns)):
            other = find(seen.setdefault(window, n))
            mine = find(n)
            parent[max(other, mine)] = min(other, mine)
    return [find(n) for n in range(len(dialogues))]
