"""Positions where a line of Chinese may break: between any two characters, except before ，。；：） and after （“."""

from __future__ import annotations

from collections.abc import Iterator

_NEVER_FIRST = frozenset("，。；：、！？）】》」』”’％%)]…—")
_BLANKS = " \N{NO-BREAK SPACE}"
_NEVER_LAST = frozenset("（【《「『“‘([")


def may_break(before: str, after: str) -> bool:
    """Whether a line may break between these two neighbouring characters."""
    if after in _NEVER_FIRST or before in _NEVER_LAST or after in _BLANKS or before == "\N{NO-BREAK SPACE}":
        return False
    return before == " " or is_chinese(before) or is_chinese(after)


def is_chinese(char: str) -> bool:
    """Whether a character is a Chinese one, or a full-width sign."""
    return "\u2e80" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff" or "\uff00" <= char <= "\uffef"


def words(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, word) of the shortest pieces between possible line breaks, as rich's function `words` gives them.

    >>> [word for _, _, word in words("先看 README，再运行。")]
    ['先', '看 ', 'README，', '再', '运', '行。']
    """
    start = 0
    for n in range(1, len(text) + 1):
        if n == len(text) or may_break(text[n - 1], text[n]):
            yield start, n, text[start:n]
            start = n
