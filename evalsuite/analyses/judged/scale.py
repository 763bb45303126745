"""The scale that a judge scores on, and the prompt that asks again after an unreadable reply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

# The status of a judge's opinion on one candidate. empty: the candidate has no text, and gets the lowest scores; invalid: the
# judge's replies state no valid score; failed: its request failed; missing: it was not asked yet.
JudgeStatus = Literal["scored", "empty", "invalid", "failed", "missing"]


@dataclass(frozen=True, slots=True)
class JudgeScale:
    """A scale of a rubric: whole numbers from `low` to `high`, both inclusive."""

    name: str
    low: int
    high: int
    zh: str = ""
    words: Mapping[str, int] = field(default_factory=dict)  # the judge writes one of these for a score: "[正确]"

    @property
    def values(self) -> range:
        return range(self.low, self.high + 1)


def again(prompt: str, reminder: str, attempt: int) -> str:
    """The prompt of an attempt, counted from 1. Each differs: at temperature 0 an equal prompt would get an equal reply."""
    count = f" (attempt {attempt})" if reminder.isascii() else f"（第{attempt}次）"
    return prompt if attempt == 1 else f"{prompt}\n\n{reminder}{count if attempt > 2 else ''}"
