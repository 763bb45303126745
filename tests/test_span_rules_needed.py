"""Every row of the table of span rules and every word of its lists is needed: without it a labelled reply is misread."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import pytest
import test_parse_span as tables
from run_files import read_jsonl

from evalsuite.parse.chars import fold, lower
from evalsuite.parse.span import read_span
from evalsuite.parse.spanrules import ALL, BEFORE, ROWS, WORDS, SpanRow, SpanRule, compile_rows

FIXTURES = Path(__file__).parent / "fixtures"


@dataclass(frozen=True)
class Labelled:
    output: str
    dialogue: tuple[str, ...]
    question: str
    cut: bool
    wanted: str  # the span, "" for none
    status: str | None = None

    @property
    def folded_output(self) -> str:
        return lower(fold(self.output))

    def reading_with(self, table: tuple[SpanRule, ...]) -> tuple[bool, set[str]]:
        """Whether the reply is read as labelled, and the rows that matched."""
        answer, used = read_span(self.output, self.dialogue, self.question, self.cut, table)
        return (answer.text or "") == self.wanted and self.status in (None, answer.status), {
            rule.name for rule, _ in used
        }


@lru_cache(maxsize=1)
def labelled_replies() -> list[Labelled]:
    """The labelled replies to Chinese questions, and the rows of tests/test_parse_span.py."""
    found = []
    for path in sorted(FIXTURES.glob("*/spans.jsonl")):
        for row in read_jsonl(path):
            found.append(Labelled(row["output"], tuple(row["dialogue"]), row["question"], row.get("finish") == "length",
                                  row["extracted"], row.get("status")))  # fmt: skip
    for rows in tables.TABLES.values():
        found += [Labelled(output, tables.TALK, question, False, span) for question, output, span in rows]
    for event in ("B哭了", "B的自行车被偷了"):
        for n, asked in enumerate(("的原因是什么？", "导致的后续事件是什么？")):
            question = f"请根据对话内容回答问题：事件“{event}”{asked}"
            found += [Labelled(form.replace("{}", event), tables.WEEPS, question, False, "") for form in tables.ECHOES]
            if event == ("B哭了", "B的自行车被偷了")[n]:
                found += [Labelled(row[0], tables.WEEPS, question, False, row[1 + n]) for row in tables.BECAUSE]
    return found


def unneeded_entries(rows: tuple[SpanRow, ...], words: Mapping[str, str]) -> Iterator[str]:
    """The rows and words without which every labelled reply is read as before."""
    whole = compile_rows(rows, words)
    read = [(reply, *reply.reading_with(whole)) for reply in labelled_replies()]
    uses = [(reply, used) for reply, right, used in read if right]
    for row in rows:
        less = tuple(rule for rule in whole if rule.name != row[0])
        if all(reply.reading_with(less)[0] for reply, used in uses if row[0] in used):
            yield row[0]
    for name, text in words.items():
        concerned = {row[0] for row in rows if f"@{name}" in row[3]}
        for word in text.split():
            fewer = {**words, name: " ".join(other for other in text.split() if other != word)}
            changed = {
                rule.name: rule for rule in compile_rows(tuple(row for row in rows if row[0] in concerned), fewer)
            }
            less = tuple(changed.get(rule.name, rule) for rule in whole)
            having = re.compile(word.replace("_", " "))
            if all(
                reply.reading_with(less)[0]
                for reply, used in uses
                if used & concerned and having.search(reply.folded_output)
            ):
                yield f"@{name}: {word}"


def test_every_row_and_word_is_needed() -> None:
    assert list(unneeded_entries(ROWS, WORDS)) == []


def test_a_row_or_word_that_nothing_needs_is_reported() -> None:
    useless: SpanRow = ("useless", BEFORE, ALL, "羽绒服是", "羽绒服是⟦红的⟧")
    more = WORDS | {"filler": WORDS["filler"] + " 好嘞"}
    assert list(unneeded_entries((*ROWS, useless), more)) == ["useless", "@filler: 好嘞"]


ASKED = {
    "conflict": "请从对话中抽取出在常识上与对话上下文不符的文本。",
    "cause": "导致事件“x开心”的原因是什么？",
    "effect": "事件“B连唱了五首歌”导致的后续事件是什么？",
    "fact": "“桑塔纳”的用途是什么？",
    "kind": "“乒乓球”是一个或一种什么？",
}


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_the_example_of_a_row_is_read_as_marked(row: SpanRow) -> None:
    span = row[4].partition("⟦")[2].partition("⟧")[0]
    reply = Labelled(row[4].replace("⟦", "").replace("⟧", ""), tables.TALK, "", False, span)
    readings = [replace(reply, question=ASKED[kind]).reading_with(compile_rows(ROWS, WORDS)) for kind in row[2]]
    assert any(right and row[0] in used for right, used in readings)
