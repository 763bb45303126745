"""Every row of the table of span rules and every word of its lists is needed: without it a labelled reply is misread."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pytest
import test_parse_span as tables

from evalsuite.parse.span import read_span
from evalsuite.parse.spanrules import ALL, BEFORE, ROWS, WORDS, Row, Rule, compiled

FIXTURES = Path(__file__).parent / "fixtures"


@dataclass(frozen=True)
class Labelled:
    output: str
    dialogue: tuple[str, ...]
    question: str
    cut: bool
    wanted: str  # the span, "" for none
    status: str | None = None

    def right(self, table: tuple[Rule, ...], used: set[str] | None = None) -> bool:
        answer = read_span(self.output, self.dialogue, self.question, self.cut, table, used)
        return (answer.text or "") == self.wanted and self.status in (None, answer.status)


@lru_cache(maxsize=1)
def labelled() -> list[Labelled]:
    """The labelled replies to Chinese questions, and the rows of tests/test_parse_span.py."""
    found = []
    for path in sorted(FIXTURES.glob("*/spans.jsonl")):
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            found.append(Labelled(row["output"], tuple(row["dialogue"]), row["question"], row.get("finish") == "length",
                                  row["extracted"], row.get("status")))  # fmt: skip
    for rows in tables.TABLES.values():
        found += [Labelled(output, tables.TALK, question, False, span) for question, output, span in rows]
    return found


def unneeded(rows: tuple[Row, ...], words: Mapping[str, str]) -> Iterator[str]:
    """The rows and words without which every labelled reply is read as before."""
    whole = compiled(rows, words)
    uses: list[tuple[Labelled, set[str]]] = []
    for reply in labelled():
        used: set[str] = set()
        if reply.right(whole, used):
            uses.append((reply, used))
    for row in rows:
        less = tuple(rule for rule in whole if rule.name != row[0])
        if all(reply.right(less) for reply, used in uses if row[0] in used):
            yield row[0]
    for name, text in words.items():
        concerned = {row[0] for row in rows if f"@{name}" in row[3]}
        for word in text.split(" "):
            fewer = {**words, name: " ".join(other for other in text.split(" ") if other != word)}
            changed = {rule.name: rule for rule in compiled(tuple(row for row in rows if row[0] in concerned), fewer)}
            less = tuple(changed.get(rule.name, rule) for rule in whole)
            having = re.compile(word.replace("\\ ", " "))
            if all(reply.right(less) for reply, used in uses if used & concerned and having.search(reply.folded)):
                yield f"@{name}: {word}"


@pytest.mark.slow
def test_every_row_and_word_is_needed() -> None:
    assert list(unneeded(ROWS, WORDS)) == []


def test_a_row_that_nothing_needs_is_reported() -> None:
    useless: Row = ("useless", BEFORE, ALL, "羽绒服是", "羽绒服是⟦红的⟧")
    assert "useless" in unneeded((*ROWS, useless), {})
