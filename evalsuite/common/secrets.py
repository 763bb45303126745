"""The API keys of this process, which no output may show.

Code that reads a models.yaml registers the keys of all its endpoints (`keep_secret`). `hide` masks them in all texts of the
terminal and of logs (terminal.safe), and in the replies and errors of the store (results/store.py), from which records,
results.json and submissions are made. The keys are in a variable of this module: they belong to the process, as its environment
does.
"""

from __future__ import annotations

import html
import re
from base64 import b64encode
from collections.abc import Iterator

MASK = "***"
# Beginnings of the keys of well-known services. Such keys are masked even if no setting names them.
_BEGINS = ("sk-", "gsk_", "xai-", "hf_", "AIza")
_KEYLIKE = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(_BEGINS)})[A-Za-z0-9_-]{{17,}}")
_RANDOM = 16  # characters: a key has a part without hyphens of this length or more; the words of a name are shorter
_LEAST = 8  # characters; a shorter key is no secret (Ollama's "ollama")
_BEGIN = 4  # characters of a key that are masked in a text that may have been cut

_spellings: dict[str, _Spelling] = {}


def keep_secret(key: str) -> None:
    """Mask `key` in every text from now on, also where it is URL-encoded, JSON- or HTML-escaped, or within base64."""
    if len(key) >= _LEAST and key not in _spellings:
        _spellings[key] = _Spelling(key)
        for code in _base64_parts(key.encode()):
            _spellings[code] = _Spelling(code, base64=True)


def hide(text: str, cut: bool = False) -> str:
    """`text` with `***` for every key, for the first 8 or more characters of a key, and for words that look like a key.

    `cut`: the text, or a text in it, may have been cut, so that the first 4 or more characters of a key are masked.
    """
    if any(begin in text for begin in _BEGINS):
        text = _KEYLIKE.sub(lambda m: MASK if max(map(len, m[0].split("-"))) >= _RANDOM else m[0], text)
    spans = sorted(span for key in _spellings.values() for span in key.spans(text, cut))
    pieces, done = [], 0
    for start, end in spans:
        if start >= done:
            pieces += [text[done:start], MASK]
        done = max(done, end)
    return "".join([*pieces, text[done:]])


def hidden_start(text: str, most: int) -> str:
    """The first `most` characters of a foreign text, whose keys are masked before it is cut."""
    return hide(text, cut=True)[:most]


class _Spelling:
    """Finds one text in which any character may be escaped."""

    def __init__(self, text: str, base64: bool = False) -> None:
        self._begin = text[:_BEGIN]
        units = [_unit(char, base64) for char in text]
        self._units = [re.compile(unit) for unit in units]
        self._search = re.compile("".join(units[:_BEGIN]))

    def spans(self, text: str, cut: bool) -> Iterator[tuple[int, int]]:
        """(start, end) of every occurrence of the whole text or of a beginning of it."""
        # The search below is slow, and few texts need it.
        if self._begin not in text and not _ESCAPE.search(text):
            return
        at = 0
        while match := self._search.search(text, at):
            count, end = _BEGIN, match.end()
            while count < len(self._units) and (more := self._units[count].match(text, end)):
                count, end = count + 1, more.end()
            if cut or count >= _LEAST:
                yield match.start(), end
                at = end
            else:
                at = match.start() + 1


_ESCAPE = re.compile(r"[%\\&]")


def _unit(char: str, base64: bool) -> str:
    """A pattern for one character: itself, or escaped for an address, JSON, Python or HTML."""
    code = ord(char)
    forms = [
        re.escape(char),
        rf"\\{re.escape(char)}",
        rf"(?i:%{code:02x}|\\u{code:04x}|\\x{code:02x}|&\#x{code:x};)",
        f"&#{code};",
    ]
    if (escaped := html.escape(char)) != char:
        forms.append(escaped)
    if other := {" ": r"\+", "+": "-", "/": "_"}.get(char if base64 or char == " " else ""):
        forms.append(other)
    return f"(?:{'|'.join(forms)})"


def _base64_parts(key: bytes) -> Iterator[str]:
    """The three forms of a key within base64 of a longer text, such as "user:key": one for each offset modulo 3. Characters that
    depend on the text around the key are left out."""
    for before in range(3):
        code = b64encode(bytes(before) + key).decode()
        yield code[-(-before * 4 // 3) : (before + len(key)) * 4 // 3]
