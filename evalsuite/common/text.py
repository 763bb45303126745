"""Characters that UTF-8 cannot encode."""

from __future__ import annotations


def escape_surrogates(text: str) -> str:
    r"""`text` with every lone surrogate (half a character, from broken JSON) as a backslash escape.

    >>> escape_surrogates("\ud83d!")
    '\\ud83d!'
    """
    return text.encode("utf-8", "backslashreplace").decode()


def path_text(path: object) -> str:
    r"""A path as text for files. Under a locale without Chinese, Python has the bytes of a Chinese name as surrogates: they are
    decoded as UTF-8, the encoding of nearly all file systems, or else escaped.

    >>> path_text("\udce8\udcbf\udc90/a"), path_text("\udcff")
    ('运/a', '\\udcff')
    """
    text = str(path)
    try:
        return text.encode("utf-8", "surrogateescape").decode()
    except UnicodeError:
        return escape_surrogates(text)
