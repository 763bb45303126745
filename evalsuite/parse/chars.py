"""Folds characters: width, script variant and case (rules 1 and 2). Each stays one character, so that positions stay the same.
Changes of length are left to `strip`, which keeps an offset map."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import TypeVar

from evalsuite.common.script import simplified_characters

T = TypeVar("T")

# Private-use characters for the meaning of markup; no model's vocabulary contains them.
TURN = "\ue000"  # the end of a chat turn
BOX_OPEN = "\ue001"  # \boxed{, <answer>
BOX_CLOSE = "\ue002"
SENTINELS = TURN + BOX_OPEN + BOX_CLOSE

# Digits and letters that are circled (numbers up to 50), in brackets, with a dot, or white on black.
ENCLOSED = re.compile("[\u2460-\u24ff\u2776-\u2793\u3251-\u325f\u32b1-\u32bf\U0001f110-\U0001f1ff]")


@lru_cache(maxsize=1024)
def inner_character(char: str) -> str:
    """The digit or letter inside an enclosed character, else "" (rule 1).

    >>> inner_character("③"), inner_character("ⓑ"), inner_character("❷"), inner_character("⒊")
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


class _Fold(dict[int, str]):
    """A translation table filled on demand: NFKC and simplified script where the result is one character."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        folded = unicodedata.normalize("NFKC", char)
        if SENTINELS[0] <= char <= SENTINELS[-1] or 0xD800 <= code <= 0xDFFF:
            folded = " "
        elif len(folded) != 1 or ENCLOSED.match(char):
            folded = char
        self[code] = folded = simplified_characters().get(folded, folded) if folded >= "\u2e80" else folded
        return folded


_CANTONESE = re.compile("(?<![关關干维維联聯])係")  # 係 is 是, and in 關係 part of a word
_PLAIN = dict(zip("\r\u2028\u2029\t∶ː꞉–−\u2010\u2011➡⇒⟶➔➜≻‟〝〞ʼ", " \n\n :::----→→→→→>““”’", strict=True)) | {
    "唔": "不",
    "揀": "选",
    "拣": "选",
}
_FOLD = _Fold({ord(char): plain for char, plain in _PLAIN.items()})
_SAME: set[str] = set()  # the characters read so far that folding does not change
_MANY = 64  # above this number of changed characters, one str.translate costs less than a replacement for each


def fold(text: str) -> str:
    """Text in half width, simplified script and plain punctuation, with the same case and length.

    >>> fold("應選：Ｂ")
    '应选:B'
    """
    if "係" in text:
        text = _CANTONESE.sub("是", text)
    unknown = {*text} - _SAME
    changed = {char: folded for char in unknown if (folded := _FOLD[ord(char)]) != char}
    _SAME.update(unknown.difference(changed))
    # A text has few characters that change. str.translate, which looks each character up, costs far more; it is needed where
    # one character becomes another that changes, too.
    if len(changed) > _MANY or not changed.keys().isdisjoint(changed.values()):
        return text.translate(_FOLD)
    for char, folded in changed.items():
        text = text.replace(char, folded)
    return text


def lower(text: str) -> str:
    """Lower case of the same length; str.lower may change the length."""
    low = text.lower()
    return low if len(low) == len(text) else "".join([c.lower() if len(c.lower()) == 1 else c for c in text])


WORD = re.compile(r"[^\W_]")  # a letter or digit: a character for which str.isalnum() is true
_WORDS = re.compile(r"[^\W_]+")


def ends(found: Iterable[T], limit: int) -> list[T]:
    """A list of what was found in a text. Of more than `limit`, it has half from the head and half from the tail: this bounds the
    cost of a long text."""
    all_ = list(found)
    return all_ if len(all_) <= limit else all_[: limit // 2] + all_[-(limit // 2) :]


def bare(text: str) -> str:
    """The text without punctuation and blanks."""
    # Without its blanks an English text has far fewer words to find.
    return text if text.isalnum() else "".join(_WORDS.findall(text.replace(" ", "")))


def key(text: str) -> str:
    """The form in which texts are compared: folded, lower case, squeezed."""
    return bare(lower(fold(text)))
