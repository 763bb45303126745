"""The entries of a benchmark's official files, byte for byte, as a model may have read them.

Entries are the lines of a JSONL file, the elements of a JSON list, or the rows of a CSV or TSV file without its header. If they
are numbered in their order ("id": 0, 1, 2 …, or a first column), the numbers are kept apart: in another order of entries they
stay where they are, since any model expects 6 after 5.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from pathlib import Path
from random import Random
from statistics import fmean, pstdev

from evalsuite.benchmarks.corpus import File
from evalsuite.common.errors import DataError
from evalsuite.common.files import read_text
from evalsuite.types import Item

# A key that may number the entries, such as "id", "question_id" or "INDEX". The group ends at the first digit of its value.
_COUNTING_KEY = re.compile(r'("(?:[^"]*(?:[^"a-z]|\\n))?(?:id|idx|index)"\s*:\s*"?)\d', re.IGNORECASE)
_FIRST_CELL = re.compile(r'\A"?(\d+)"?[,\t]')
_TABLES = (".csv", ".tsv", ".txt")


@dataclass(frozen=True, slots=True)
class FileEntry:
    """An entry of an official file: the text before its running number, the number, and the text after it."""

    head: str
    number: str
    tail: str
    context: Hashable  # equal for entries of one dialogue
    items: tuple[Item, ...] = ()  # the items that come from the entry; () if unknown

    @property
    def text(self) -> str:
        return self.head + self.number + self.tail

    def numbered(self, number: str) -> str:
        """The entry's text with another running number."""
        return self.head + number + self.tail


@dataclass(frozen=True, slots=True)
class Entries:
    """The entries of a file in its order."""

    entries: tuple[FileEntry, ...]
    between: str  # the characters between two entries
    numbered: bool  # entries have running numbers, which stay in place

    def join(self, entries: Sequence[FileEntry]) -> str:
        """The text of some entries, in this order, as in the file. Their running numbers ascend in every order."""
        numbers = sorted((e.number for e in entries), key=lambda number: int(number or 0))
        return self.between.join(e.numbered(number) for e, number in zip(entries, numbers, strict=True))

    def numbered_like(self, other: Entries, rng: Random) -> Entries:
        """A copy with numbers drawn from those of another file, if both have running numbers, since numbers (100 … 499 beside
        0 … 99) must not distinguish the entries of the two files."""
        if not (self.numbered and other.numbered):
            return self
        numbers = [entry.number for entry in other.entries]
        return replace(self, entries=tuple(replace(e, number=rng.choice(numbers)) for e in self.entries))


Unit = tuple[FileEntry, ...]  # consecutive entries of one dialogue, which stay together
Shard = tuple[Unit, ...]


def read_entries(file: File, limit: int | None = None) -> Entries:
    """The first `limit` entries of an official file. Raises DataError if it cannot be read."""
    texts, between = _split(file.path)
    spans = _running_numbers(texts, file.path.suffix in _TABLES)
    entries = []
    for text, (start, end), items in zip(texts, spans or [(0, 0)] * len(texts), _items(file, len(texts)), strict=True):
        context = items[0].context if items else text
        entries.append(FileEntry(text[:start], text[start:end], text[end:], context, items))
    return Entries(tuple(entries[:limit]), between, bool(spans))


def _running_numbers(texts: Sequence[str], of_table: bool) -> list[tuple[int, int]]:
    """(start, end) of the running number in each text: the first number of one key, or first cell, that ascends; else []."""
    keys = dict.fromkeys(match[1] for text in texts[:1] for match in _COUNTING_KEY.finditer(text))
    patterns = [_FIRST_CELL] if of_table else [re.compile(rf"{re.escape(key)}(\d+)(?![\w.-])") for key in keys]
    for pattern in patterns:
        numbers = [match for text in texts if (match := pattern.search(text))]
        if len(numbers) == len(texts) and all(int(a[1]) < int(b[1]) for a, b in pairwise(numbers)):
            return [match.span(1) for match in numbers]
    return []


def _items(file: File, count: int) -> list[tuple[Item, ...]]:
    """The items of each of `count` entries: one each, or those of one dialogue; () for all if neither fits."""
    if len(file.items) == count:
        return [(item,) for item in file.items]
    documents = [tuple(items) for _, items in groupby(file.items, lambda item: item.context)]
    return documents if len(documents) == count else [()] * count


def _split(path: Path) -> tuple[list[str], str]:
    """(the texts of a file's entries, the separator between two)."""
    if path.is_dir() or path.suffix == ".parquet":
        raise DataError("is no text: `evalsuite contamination` tests files of JSONL, JSON, CSV or TSV", path)
    text = read_text(path)
    if path.suffix in _TABLES:
        return _table_rows(text, path.suffix == ".csv"), "\n"
    begin = _list_in(text, path) if path.suffix == ".json" else -1
    if begin < 0:
        # not splitlines(), which also splits at U+2028, a character that JSON strings may contain
        return [line for line in text.split("\n") if line.strip()], "\n"
    decoder, spans, at = json.JSONDecoder(), list[tuple[int, int]](), begin + 1
    while True:
        blank = _BLANK.match(text, at)
        at = blank.end() if blank else at
        if at >= len(text) or text[at] == "]":
            break
        try:
            _, end = decoder.raw_decode(text, at)
        except ValueError as error:
            raise DataError(f"not JSON: {error}", path) from None
        spans.append((at, end))
        at = end
    between = text[spans[0][1] : spans[1][0]] if len(spans) > 1 else "\n"
    return [text[start:end] for start, end in spans], between


_BLANK = re.compile(r"[\s,]*")


def _table_rows(text: str, quoted: bool) -> list[str]:
    """The rows under the header, which would stand first in the published order alone. Quoted cells may hold ends of lines."""
    rows = lines = text.split("\n")
    if quoted:
        rows, start = [], 0
        reader = csv.reader(f"{line}\n" for line in lines)
        for _ in reader:
            rows.append("\n".join(lines[start : reader.line_num]))
            start = reader.line_num
    return [row for row in rows[1:] if row.strip()]


def _list_in(text: str, path: Path) -> int:
    """The offset of the list of entries: the whole file, or the longest list under a key of its object; -1 without a list."""
    start = len(text) - len(text.lstrip("\ufeff \t\r\n"))
    if text[start : start + 1] == "[":
        return start
    try:
        whole = json.loads(text)
    except ValueError:
        return -1  # JSON Lines
    lists = {key: value for key, value in whole.items() if isinstance(value, list)} if isinstance(whole, dict) else {}
    if not lists:
        return -1
    key = max(lists, key=lambda name: len(lists[name]))
    opening = re.search(rf"{re.escape(json.dumps(key, ensure_ascii=False))}\s*:\s*\[", text)
    return opening.end() - 1 if opening else -1


def units(entries: Sequence[FileEntry]) -> list[Unit]:
    """The entries in order; consecutive entries of one dialogue form a unit."""
    return [tuple(same) for _, same in groupby(entries, lambda entry: entry.context)]


def shards(entries: Entries, count: Callable[[str], int], room: int) -> list[Shard]:
    """Shards of consecutive units, the same number of two or more in each. Shards of more than `room` tokens are left out.

    The order of the units in a shard decides neither the number of units nor which shards are left out, so that the orders are
    exchangeable. Shards that are filled up would be wrong: each would begin with a unit that was too long for the one before.
    """
    whole = units(entries.entries)
    sizes = [count(entries.join(unit) + entries.between) for unit in whole]
    size = _units_of_shard(sizes, room)
    ranges = [range(start, start + size) for start in range(0, len(whole) - size + 1, size)]
    return [tuple(whole[n] for n in shard) for shard in ranges if sum(sizes[n] for n in shard) <= room]


def _units_of_shard(sizes: Sequence[int], room: int) -> int:
    """The largest number of units for which about nine in ten shards have at most `room` tokens."""
    middle, spread = (fmean(sizes), pstdev(sizes)) if sizes else (0.0, 0.0)
    number = 2
    while number < len(sizes) and (number + 1) * middle + _NINE_IN_TEN * spread * (number + 1) ** 0.5 <= room:
        number += 1
    return number


_NINE_IN_TEN = 1.28  # standard deviations above the mean below which nine in ten values of a normal distribution lie


def orders(count: int, others: int, rng: Random) -> list[tuple[int, ...]]:
    """The published order of `count` elements, then up to `others` different orders, drawn at random.

    >>> orders(2, 5, Random(0))
    [(0, 1), (1, 0)]
    """
    first = tuple(range(count))
    drawn = {first: None}
    most = 1
    for n in range(2, count + 1):
        most = min(others + 1, most * n)
    while len(drawn) < most:
        drawn[tuple(rng.sample(first, count))] = None
    return list(drawn)


def arranged(entries: Entries, shard: Shard, order: Sequence[int]) -> str:
    """A shard's text with its units in another order."""
    return entries.join([entry for n in order for entry in shard[n]])
