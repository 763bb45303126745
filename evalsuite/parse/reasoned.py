"""Where the answer begins in a reply that reasons first (chain of thought): after its last 答案：, or as its last line."""

from __future__ import annotations

import re

from evalsuite.parse.chars import WORD, fold
from evalsuite.parse.strip import after_thinking

_MARKUP = r"[\s*_#`\"“”：:]*"
_CUE = re.compile(rf"答案(?=[\s*_]*[是为:：应])(?:应该?)?[是为]?{_MARKUP}|(?<![a-z])answer(?=[\s*_]*(?:is\b|:))(?:[\s*_]*is\b)?{_MARKUP}", re.IGNORECASE)  # fmt: skip


def conclusion(raw: str, answer_after: str) -> int | None:
    """The offset in the raw reply at which its answer begins: behind the last `answer_after` ("答案："), or behind the last
    words of that kind (所以答案是, the answer is). None if it has neither outside of its thinking.

    >>> conclusion("A说下雨了，所以答案是：没带伞", "答案：")
    12
    """
    text = fold(raw)  # keeps offsets
    literal = re.compile(re.escape(fold(answer_after).strip()) or "(?!)", re.IGNORECASE)
    for pattern in (literal, _CUE):
        ends = [m.end() for start, end in after_thinking(text)[0] for m in pattern.finditer(text, start, end)]
        if ends:
            return ends[-1]
    return None


def last_line(raw: str) -> int:
    """The offset of the last line of a reply that says something; 0 if none does."""
    return max((m.start() for m in re.finditer(r"[^\n]+", raw) if WORD.search(m.group())), default=0)
