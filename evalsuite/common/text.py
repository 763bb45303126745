"""Escape the characters that UTF-8 cannot encode."""

from __future__ import annotations


def escape_surrogates(text: str) -> str:
    r"""`text` with every lone surrogate (half a character, from broken JSON) as a backslash escape.

    >>> escape_surrogates("\ud83d!")
    '\\ud83d!'
    """
    return text.encode("utf-8", "backslashreplace").decode()
