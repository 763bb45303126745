"""The API keys of this process, which nothing that leaves it may show.

Whoever reads a models.yaml names the keys of all its endpoints (`keep_secret`). `hide` masks them in what the terminal and logs
show (terminal.safe) and in what the store keeps (results/store.py), from which records, results.json and submissions are made.
The set of keys is the process's, like the environment that the keys come from, and the terminal.
"""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode
from collections.abc import Iterator
from urllib.parse import quote, quote_plus

MASK = "***"
_LEAST = 8  # characters; a shorter key is no secret (Ollama's "ollama")
_BEGIN = 4  # characters of a key that are masked at the end of a text that may have been cut there

_spellings: set[str] = set()


def keep_secret(key: str) -> None:
    """Mask `key` in every text from now on, also where it is URL-encoded, JSON- or HTML-escaped, or within base64."""
    if len(key) >= _LEAST:
        _spellings.update(_ways_to_spell(key))


def hide(text: str, cut: bool = False) -> str:
    """`text` with `***` for every key, and for every beginning of a key of at least 8 characters.

    `cut`: the text may end within a key, so at its end a beginning of 4 characters is masked, too.
    """
    for key in _spellings:
        if key[:_BEGIN] in text:
            text = _mask(text, key, cut)
    return text


def hidden_start(text: str, most: int) -> str:
    """The first `most` characters of a foreign text, whose keys are masked before it is cut."""
    return hide(text, cut=True)[:most]


def _mask(text: str, key: str, cut: bool) -> str:
    pieces, done = [], 0
    at = text.find(key[:_BEGIN])
    while at >= 0:
        end = at
        while end - at < len(key) and text[end : end + 1] == key[end - at]:
            end += 1
        if end - at >= _LEAST or (cut and end == len(text)):
            pieces += [text[done:at], MASK]
            done = end
        at = text.find(key[:_BEGIN], max(done, at + 1))
    return "".join([*pieces, text[done:]])


def _ways_to_spell(key: str) -> Iterator[str]:
    escaped = json.dumps(key)[1:-1]
    for text in (key, quote(key, safe=""), quote(key), quote_plus(key)):
        yield text
        yield re.sub("%..", lambda match: match[0].lower(), text)
    yield from (escaped, escaped.replace("/", "\\/"), html.escape(key), repr(key)[1:-1])
    # In base64 of a longer text, such as "user:key", a key is spelled in one of three ways: by its place modulo 3.
    for before in range(3):
        code = b64encode(bytes(before) + key.encode()).decode()
        whole = code[-(-before * 4 // 3) : (before + len(key.encode())) * 4 // 3]
        yield from (whole, whole.replace("+", "-").replace("/", "_"))
