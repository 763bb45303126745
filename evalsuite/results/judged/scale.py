"""The scale that a judge scores on, and the prompt that asks once more for a score that could not be read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scale:
    """Whole numbers from `low` to `high`."""

    name: str
    low: int
    high: int
    zh: str = ""

    @property
    def values(self) -> range:
        return range(self.low, self.high + 1)


def again(prompt: str, reminder: str, attempt: int) -> str:
    """The prompt of an attempt, from 1. At temperature 0 the same prompt would bring the same reply: so each is another."""
    count = f" (attempt {attempt})" if reminder.isascii() else f"（第{attempt}次）"
    return prompt if attempt == 1 else f"{prompt}\n\n{reminder}{count if attempt > 2 else ''}"
