"""Texts that cannot be stored or sent as they are."""

from __future__ import annotations


def escape_surrogates(text: str) -> str:
    r"""`text` with every lone surrogate (half a character, as broken JSON may carry) as its escape: UTF-8 has none.

    >>> escape_surrogates("\ud83d!")
    '\\ud83d!'
    """
    return text.encode("utf-8", "backslashreplace").decode()
