"""Folds characters: width, script variant and case, each character to one character (rules 1 and 2).

Folding keeps the length, so positions in the folded text are positions in the raw text. Changes of length (tokens,
markup, circled digits) happen in `strip`, which keeps an offset map.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from importlib import resources
from typing import TypeVar

T = TypeVar("T")

# Private-use characters for the meaning of markup; no model's vocabulary contains them.
TURN = "\ue000"  # the end of a chat turn
BOX_OPEN = "\ue001"  # \boxed{, <answer>
BOX_CLOSE = "\ue002"
SENTINELS = TURN + BOX_OPEN + BOX_CLOSE

# Circled (up to 50), in brackets, with a dot, negative.
ENCLOSED = re.compile("[\u2460-\u24ff\u2776-\u2793\u3251-\u325f\u32b1-\u32bf\U0001f110-\U0001f1ff]")


@lru_cache(maxsize=1024)
def enclosed(char: str) -> str:
    """The digit or letter inside an enclosed character, else "" (rule 1).

    >>> enclosed("③"), enclosed("ⓑ"), enclosed("❷"), enclosed("⒊")
    ('3', 'b', '2', '3')
    """
    inner = unicodedata.normalize("NFKC", char).strip("().〔〕")
    if inner == char:
        number = unicodedata.numeric(char, -1)
        if number >= 0:
            return str(int(number))
        words = unicodedata.name(char, "").split()
        inner = words[-1] if words and len(words[-1]) == 1 else ""
    return inner if len(inner) <= 2 and inner.isascii() and inner.isalnum() else ""


@lru_cache(maxsize=1)
def _simplified() -> dict[str, str]:
    """Traditional -> simplified, from the table of opencc-python-reimplemented (read once, about 4 ms)."""
    table: dict[str, str] = {}
    try:
        file = resources.files("opencc") / "dictionary" / "TSCharacters.txt"
        lines = file.read_text(encoding="utf-8").splitlines()
    except (ModuleNotFoundError, OSError):  # without the table simplified text is still read
        return table
    for line in lines:
        traditional, _, simplified = line.partition("\t")
        if len(traditional) == 1 and simplified:
            table[traditional] = simplified[0]
    return table


class _Fold(dict[int, str]):
    """A translation table filled on demand: NFKC and simplified script where the result is one character."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        if SENTINELS[0] <= char <= SENTINELS[-1] or 0xD800 <= code <= 0xDFFF:
            folded = " "
        else:
            folded = unicodedata.normalize("NFKC", char)
            if len(folded) != 1 or ENCLOSED.match(char):
                folded = char
            if folded >= "\u2e80":
                folded = _simplified().get(folded, folded)
            folded = _PLAIN.get(folded, folded)
        self[code] = folded
        return folded


_PLAIN = {
    "\r": "\n", "\u2028": "\n", "\u2029": "\n", "\t": " ", "\u00a0": " ",
    "\u3002": "。", "\uff61": "。", "\u2024": ".", "\ufe52": ".",
    "\u2236": ":", "\u02d0": ":", "\ua789": ":", "\u2013": "-", "\u2212": "-", "\u2010": "-", "\u2011": "-",
    "➡": "→", "⇒": "→", "⟶": "→", "➔": "→", "➜": "→",
    "\u201f": "“", "\u301d": "“", "\u301e": "”", "\u02bc": "’",
}  # fmt: skip
_FOLD = _Fold()


def fold(text: str) -> str:
    """Text in half width, simplified script and plain punctuation, with the same case and length.

    >>> fold("應選：Ｂ")
    '应选:B'
    """
    return text.translate(_FOLD)


def lower(text: str) -> str:
    """Lower case of the same length; str.lower may change the length."""
    low = text.lower()
    return low if len(low) == len(text) else "".join([c.lower() if len(c.lower()) == 1 else c for c in text])


WORD = re.compile(r"[^\W_]")  # a letter or digit
_WORDS = re.compile(r"[^\W_]+")


def squeeze(text: str) -> tuple[str, list[int], list[int]]:
    """The text without punctuation and blanks; for each run of it, its start in the result and its start in the text.

    >>> squeeze("a, bc")
    ('abc', [0, 1], [0, 3])
    """
    parts: list[str] = []
    here: list[int] = []
    there: list[int] = []
    length = 0
    for run in _WORDS.finditer(text):
        here.append(length)
        there.append(run.start())
        parts.append(run.group())
        length += run.end() - run.start()
    return "".join(parts), here, there


def ends(found: Iterable[T], limit: int) -> list[T]:
    """What was found; if more than `limit`, half from the head and half from the tail, to bound the cost."""
    all_ = list(found)
    return all_ if len(all_) <= limit else all_[: limit // 2] + all_[-(limit // 2) :]


def bare(text: str) -> str:
    """The text without punctuation and blanks."""
    return "".join(_WORDS.findall(text))


def key(text: str) -> str:
    """The form in which texts are compared: folded, lower case, squeezed."""
    return bare(lower(fold(text)))
