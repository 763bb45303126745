from __future__ import annotations

from dataclasses import dataclass

from evalsuite.types import Status


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision on one block; `start:end` is a place in the clean text."""

    status: Status
    options: tuple[int, ...] = ()
    rule: str = ""
    start: int = 0
    end: int = 0
