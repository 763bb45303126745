"""Every word that the reader of choices knows is needed: without it, a labelled reply is read wrongly."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import pytest
from labelled import Row, choices, is_right

from evalsuite.parse import lexicon, read, tape
from evalsuite.parse.chars import key, lower
from evalsuite.parse.lexicon import CUES, DECLINES, LEXICON, MEANINGS, expand, meanings, phrases
from evalsuite.parse.strip import strip


class Word(NamedTuple):
    """A word, or an alternative of a bracket, that is taken out; `left` are the entries without it."""

    name: str
    left: str


def words(entries: str) -> Iterator[Word]:
    """Each word and each alternative of a bracket in entries, which are separated by blanks."""
    for found in re.finditer(r"\S+", entries):
        entry, parts = found.group(), re.split(r"[()]", found.group())
        for at, part in enumerate(parts):
            alternatives = part.split("|")
            for n, word in enumerate(alternatives if at % 2 else alternatives[: len(parts) == 1]):
                rest = "|".join(alternatives[:n] + alternatives[n + 1 :])
                left = "".join(f"({p})" if i % 2 else p for i, p in enumerate([*parts[:at], rest, *parts[at + 1 :]]))
                name = f"{word!r} of {entry!r}" if at % 2 else repr(word)
                yield Word(
                    name, entries[: found.start()] + (left if len(alternatives) > 1 else "") + entries[found.end() :]
                )


@lru_cache(maxsize=1)
def read_rightly() -> list[tuple[Row, str, str]]:
    """Each labelled reply that is read as labelled, shortest first; its clean text; the keys of its raw text and options."""
    rows = sorted((row for row in choices() if is_right(row)), key=lambda row: len(row["output"]))
    return [
        (row, lower(strip(row["output"]).text), " ".join(map(key, (row["output"], *row["options"].values()))))
        for row in rows
    ]


def first_misread(rows: Iterable[Row]) -> Row | None:
    """The first of the replies that is now read wrongly."""
    read.read_one.cache_clear()
    return next((row for row in rows if not is_right(row)), None)


@pytest.fixture(autouse=True)
def _read_before() -> None:
    """Read the labelled replies while the words are whole; a test that takes a word out would remember them without it."""
    read_rightly()


# Cue words --------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def replies_with_cues() -> list[tuple[Row, frozenset[str]]]:
    """Each reply with the cue words that occur in it."""
    known = {word for entries in CUES.values() for word in expand(entries)}
    return [(row, frozenset(word for word in known if word in text)) for row, text, _ in read_rightly()]


def needs_cue(monkeypatch: pytest.MonkeyPatch, table: dict[str, str]) -> Row | None:
    """The first reply read wrongly with this table of cue words, of the replies with a word whose class changes."""
    before, after = class_by_word(CUES), class_by_word(table)
    changed = {word for word in before.keys() | after.keys() if before.get(word) != after.get(word)}
    rows = [(row, found) for row, found in replies_with_cues() if not changed.isdisjoint(found)]
    # A scanner of only the words that occur in these replies reads them like a scanner of all words.
    occur = frozenset[str]().union(*(found for _, found in rows))
    few = {kind: " ".join(w.replace(" ", "_") for w in expand(listed) if w in occur) for kind, listed in table.items()}
    made = tape.make_scanner({**few, "~": few["~"] + " 〇 zz"})
    monkeypatch.setattr(tape, "scanner", lambda: made)
    try:
        return first_misread(row for row, _ in rows)
    finally:
        monkeypatch.undo()


def class_by_word(table: dict[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for kind, listed in table.items():
        for word in expand(listed):
            found.setdefault(word, kind)
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("kind", CUES)
def test_a_labelled_reply_needs_each_cue_word(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    idle = [word.name for word in words(CUES[kind]) if needs_cue(monkeypatch, {**CUES, kind: word.left}) is None]
    assert not idle, f"no labelled reply needs these cue words of class {kind!r}, they can go: {', '.join(idle)}"


@pytest.mark.thorough
@pytest.mark.parametrize(("kind", "useless"), [("C", "拍板"), ("+", "(最|更)妙"), ("=", "(应该|应当)是")])
def test_a_useless_cue_word_is_found(kind: str, useless: str, monkeypatch: pytest.MonkeyPatch) -> None:
    added = {**CUES, kind: f"{CUES[kind]} {useless}"}
    monkeypatch.setattr("test_words_needed.CUES", added)
    idle = [
        w.name
        for w in words(added[kind])
        if useless in w.name and needs_cue(monkeypatch, {**added, kind: w.left}) is None
    ]
    assert len(idle) == max(1, useless.count("|") + 1), idle


# Words of the same meaning ----------------------------------------------------------------------------------------


def needs_meaning(monkeypatch: pytest.MonkeyPatch, lines: str) -> Row | None:
    before, after = meanings(MEANINGS), meanings(lines)
    changed = [word for word in before if before[word] != after.get(word)]
    monkeypatch.setattr(lexicon, "_meanings", lambda: after)
    try:
        return first_misread(row for row, _, keys in read_rightly() if any(word in keys for word in changed))
    finally:
        monkeypatch.undo()
        first_misread(())


@pytest.mark.thorough
def test_a_labelled_reply_needs_each_word_of_the_same_meaning(monkeypatch: pytest.MonkeyPatch) -> None:
    idle = [
        word.name
        for word in words(MEANINGS)
        if word.name != repr("/") and needs_meaning(monkeypatch, word.left) is None
    ]
    assert not idle, f"no labelled reply needs these words of MEANINGS, they can go: {', '.join(idle)}"


@pytest.mark.thorough
@pytest.mark.parametrize("name", [name for name, listed in LEXICON.items() if isinstance(listed, tuple)])
def test_a_labelled_reply_needs_each_ending_and_beginning(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def needs(left: Sequence[str], word: str) -> Row | None:
        with monkeypatch.context() as patch:
            patch.setitem(LEXICON, name, tuple(left))
            row = first_misread(row for row, _, keys in read_rightly() if word in keys)
        first_misread(())
        return row

    listed = LEXICON[name]
    idle = [word for word in listed if needs([other for other in listed if other != word], word) is None]
    assert not idle, f"no labelled reply needs these words of LEXICON[{name!r}], they can go: {', '.join(idle)}"


# Phrases that decline ---------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_a_labelled_reply_needs_each_phrase_that_declines(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [row for row, text, _ in read_rightly() if DECLINES.search(text)]

    def needs(left: str) -> Row | None:
        with monkeypatch.context() as patch:
            patch.setattr(read, "DECLINES", phrases(left))
            return first_misread(rows)

    idle = [word.name for word in words(lexicon._DECLINES) if needs(word.left) is None]
    assert not idle, f"no labelled reply needs these phrases of DECLINES, they can go: {', '.join(idle)}"


def test_the_words_of_entries() -> None:
    assert [*words("a (b|c)d")] == [
        Word("'a'", " (b|c)d"),
        Word("'b' of '(b|c)d'", "a (c)d"),
        Word("'c' of '(b|c)d'", "a (b)d"),
    ]
    assert [word.left for word in words("(|x)y")] == ["(x)y", "()y"]
