"""What several stages need to know of a dialogue or of the question about it."""

from __future__ import annotations

from collections.abc import Sequence


def event(question: str) -> str | None:
    """What the question asks about: all between its first “ and its last ”, as events nest quotes.

    >>> event("事件“梅西赢得“人球合一”的美誉”的原因是什么？")
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
