"""The language of the terminal: Chinese where EVALSUITE_LANG or the locale says so, else English.

Messages are written in English in the code, and exceptions, logs and files keep that English. `translated` turns one
into Chinese when it is printed: zh.json has a row for each, with named fields ("{path}: no such folder", "unknown key
{name!r}"). The value of a field stays as it is, since it may quote data; "{error:zh}" in the Chinese text marks a field
that holds a message itself.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from string import Formatter

_LOCALE = ("LC_ALL", "LC_MESSAGES", "LANG")  # the first that is set counts, as in the C library
_CHINESE = 0x04  # primary language of a Windows LANGID


def chinese() -> bool:
    """Whether the terminal's language is Chinese: EVALSUITE_LANG (zh or en), else the locale, on Windows the system's."""
    setting = os.environ.get("EVALSUITE_LANG", "").lower()
    if setting.startswith(("zh", "en")):
        return setting.startswith("zh")
    named = next((value for name in _LOCALE if (value := os.environ.get(name))), "")
    if named or sys.platform != "win32":
        return named.lower().startswith("zh")
    import ctypes

    return bool(ctypes.windll.kernel32.GetUserDefaultUILanguage() & 0x3FF == _CHINESE)


def translated(text: str) -> str:
    """A message in the terminal's language. A text that is no message of zh.json stays as it is.

    Each line is translated by itself, unless the lines are one message.
    """
    return rows().translated(text) if text and chinese() else text


@cache
def rows() -> MessageRows:
    """The rows of zh.json."""
    import json

    from evalsuite.common.resources import packaged
    from evalsuite.common.yamltext import packaged_yaml

    sections = json.loads(packaged("common/zh.json").read_text(encoding="utf-8"))
    # The messages of annotation rules are kept in rules.yaml, from which the annotation page takes them, too.
    rules = packaged_yaml("authoring/rules.yaml")
    others = sections["others"]
    # Our messages quote those of libraries with a lower-case first letter.
    others |= {english[0].lower() + english[1:]: zh for english, zh in others.items()}
    return MessageRows({**others, **sections["ours"], **dict(rules["messages"].values())})


@dataclass(frozen=True)
class MessageRow:
    """A message: its English template and its Chinese one."""

    english: str
    chinese: str
    headed: bool = False  # a message begins with the name of a file or setting, which both templates leave out

    @cached_property
    def literals(self) -> list[str]:
        return [text for text, *_ in Formatter().parse(self.english) if text]

    @cached_property
    def weight(self) -> int:
        """Number of characters outside of fields. If several rows fit, the one with the highest weight is meant."""
        return sum(map(len, self.literals))

    @cached_property
    def longest(self) -> str:
        return max(self.literals, key=len, default="")

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        expression = ""
        messages = {field for _, field, mark, _ in Formatter().parse(self.chinese) if mark}
        for text, field, _, quoted in Formatter().parse(self.english):
            # A field that holds a message takes as much as it can: the message may contain the words that follow the field.
            value = "['\"].*?['\"]" if quoted else ".*" if field in messages else ".*?"
            expression += re.escape(text) + (f"(?P<{field}>{value})" if field is not None else "")
        return re.compile(expression, re.DOTALL)

    def fits(self, text: str, rows: MessageRows) -> bool:
        """Whether a text is this message. A match that may be by chance does not count."""
        if self.longest not in text or not (match := self.pattern.fullmatch(text)):
            return False
        # Templates of few letters fit many texts by chance. With fewer than _FEW letters, the fields must hold numbers. With
        # fewer than _MANY, the text must have at most _CHANCE times as many characters, or a field must hold a known message.
        letters = sum(char.isalpha() for literal in self.literals for char in literal)
        begins = self.literals[0] if self.english.startswith(self.literals[0]) else ""
        if letters < _FEW and not begins.endswith(": "):
            return all(_NUMBER.fullmatch(value) for value in match.groups())
        sure = letters + 5 * self.english.count("!r}") >= _MANY or begins.endswith(": ")
        return sure or len(text) <= _CHANCE * letters or any(rows.meant(part)[0] for part in self.inner(text))

    def inner(self, text: str) -> list[str]:
        """The values of the fields that hold messages, in a text of this row."""
        match = self.pattern.fullmatch(text)
        fields = Formatter().parse(self.chinese)
        return [match[field] for _, field, mark, _ in fields if match and field and mark]

    def filled(self, text: str, rows: MessageRows) -> str:
        """The Chinese text of a message of this row, with the values of the message's fields."""
        match = self.pattern.fullmatch(text)
        chinese_text = ""
        for words, field, mark, _ in Formatter().parse(self.chinese):
            value = match[field] if match and field else ""
            chinese_text = _joined(chinese_text, words)
            chinese_text = _joined(chinese_text, rows.translated(value)) if mark else chinese_text + value
        return chinese_text


def _joined(before: str, after: str) -> str:
    """Join two texts, with a blank between Chinese and a word of another script."""
    if before.endswith(" ") and before[-2:-1] > "\u2e80" < after[:1]:
        return before[:-1] + after
    if after.startswith(" ") and before[-1:] > "\u2e80" < after[1:2]:
        return before + after[1:]
    if before[-1:].isalpha() and before[-1:] > "\u2e80" and after[:1].isascii() and after[:1].strip(" \n,.;:%)"):
        return f"{before} {after}"
    return before + after


_FEW, _MANY, _CHANCE = 5, 15, 6
_NUMBER = re.compile(r"[-+±]?[\d.,]+( ?[kMGT]?B| bytes)?")
_HEAD = re.compile(r"\{(\w+)\}(?::\{line\})?: ")


class MessageRows:
    """Rows by their English templates.

    >>> rows = MessageRows({"{path}: no such folder": "{path}：没有这个目录", "problem: {error}": "问题：{error:zh}"})
    >>> rows.translated("problem: runs/a: no such folder")
    '问题：runs/a：没有这个目录'
    >>> rows.translated("something else")
    'something else'
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        message_rows = [_without_head(english, zh) for english, zh in texts.items()]
        self._plain = {"".join(row.literals): row for row in message_rows if not row.pattern.groups}
        self._names = [row for row in message_rows if row.english in _NAMES]
        self._rows = sorted((row for row in message_rows if row.pattern.groups), key=lambda row: -row.weight)

    def translated(self, text: str) -> str:
        """The Chinese text of a message; the text itself if it is none. Several lines are several messages."""
        if "\n" in text and text not in self._plain:
            return "\n".join(map(self.translated, text.split("\n")))
        _, head, row, message = self.meant(text)
        if row is None:
            return text
        parts = [self._head(part) for part in head.split(": ")] if head else []
        return "：".join([*parts, row.filled(message, self)])

    def meant(self, text: str) -> tuple[int, str, MessageRow | None, str]:
        """(score, head, row, rest): the row that fits a text best, None if none does. `rest` is the part that the row fits, and
        `head` the names before it, such as "a.jsonl:3: field 'answer'".

        The score is the number of characters outside of fields, with those of the messages that the fields hold.
        """
        best: tuple[int, str, MessageRow | None, str] = (0, "", None, text)
        parts = text.split(": ")
        for n in range(min(len(parts), _HEADS)):
            message = ": ".join(parts[n:])
            for row in self._fitting(message):
                score = row.weight + sum(self.meant(part)[0] for part in row.inner(message))
                if score > best[0] or (score == best[0] and row.headed):
                    best = score, ": ".join(parts[:n]), row, message
        return best

    def _fitting(self, text: str) -> Iterable[MessageRow]:
        if plain := self._plain.get(text):
            return (plain,)
        return (row for row in self._rows if row.fits(text, self))

    def _head(self, part: str) -> str:
        row = next((row for row in self._names if row.pattern.fullmatch(part)), None)
        return row.filled(part, self) if row else part


_HEADS = 6  # the most names before a message: file, line, field, model
# English templates of the names before a message.
_NAMES = "field {name!r}", "model {name}", "A number alone", "{cores} cores", "{cores} cores and {memory} GB of memory"


def _without_head(english: str, chinese: str) -> MessageRow:
    """A row without its first field, if that field only names the file or setting that the message is about."""
    head = _HEAD.match(english)
    if (
        head
        and chinese.startswith(before := f"{head[0][:-2]}：")
        and f"{{{head[1]}" not in (remainder := chinese[len(before) :])
    ):
        return MessageRow(english[head.end() :], remainder, headed=True)
    return MessageRow(english, chinese)
