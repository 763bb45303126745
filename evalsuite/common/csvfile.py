"""Read CSV files with a header line, with errors that name file, line and column; write cells that spreadsheets do not run."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from evalsuite.common.errors import DataError
from evalsuite.common.files import read_bytes

CsvCells = dict[str, str | None]  # column -> cell; None where the row is too short

# A spreadsheet takes a text that begins with one of these characters for a formula. leaderboard/src/common/files.ts has the same.
_FORMULA = re.compile(r"[=+\-@＝＋－＠\t\r\n]")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?(e[+-]\d+)?")
_HASH_LIKE_NUMBER = re.compile(r"\d+(e\d+)?")


def field(value: object) -> str:
    """A cell of a CSV file: a text that a spreadsheet would run gets an apostrophe before it. Numbers stay.

    >>> field("=1+1"), field("-0.5"), field(-0.5e-7)
    ("'=1+1", '-0.5', '-5e-08')
    """
    text = str(value)
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def hash_field(text: str) -> str:
    """A hash as a cell. One that looks like a number gets an apostrophe: a spreadsheet would keep only 15 of its digits.

    >>> hash_field("12345678e901"), hash_field("0a1b2c3d4e5f")
    ("'12345678e901", '0a1b2c3d4e5f')
    """
    return f"'{text}" if _HASH_LIKE_NUMBER.fullmatch(text) else text


def encoded(rows: Iterable[Iterable[object]]) -> bytes:
    """The content of a CSV file in UTF-8, with a byte order mark, by which Excel recognizes the encoding."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows(map(field, row) for row in rows)
    return text.getvalue().encode("utf-8-sig")


def read_rows(path: Path, columns: Sequence[str] = (), delimiters: str = ",") -> Iterator[tuple[int, CsvCells]]:
    """(line number at the row's end, cells) of each row of a file. For `delimiters` and errors see `parse_rows`."""
    yield from parse_rows(read_bytes(path), path, columns, delimiters)


def read_texts(path: Path, columns: Sequence[str] = ()) -> list[dict[str, str]]:
    """The rows of a file, column -> cell; "" where a row is too short. For errors see `parse_rows`."""
    return [{name: cell or "" for name, cell in cells.items()} for _, cells in read_rows(path, columns)]


def parse_rows(
    raw: bytes, path: Path, columns: Sequence[str] = (), delimiters: str = ","
) -> Iterator[tuple[int, CsvCells]]:
    """(line number at the row's end, cells) of each row of a file's content in UTF-8. `path` is for messages.

    The delimiter is the character of `delimiters` that is most frequent in the header. Raises DataError if the content is not
    CSV in UTF-8, if its header lacks one of `columns`, or if a row has text beyond the last column: a delimiter without quotes
    has shifted its cells.
    """
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"not UTF-8 at byte {error.start}; from a spreadsheet, save it as “CSV UTF-8”", path) from None
    delimiter = max(delimiters, key=text.partition("\n")[0].count)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        head = reader.fieldnames or ()
        for column in columns:
            if column not in head:
                names = ", ".join(head) or "none"
                raise DataError(f"no such column; found {names}", path, 1, column)
        for row in reader:
            beyond = row.get(None) or []
            if any(cell.strip() for cell in beyond):
                cells = len(head) + len(beyond)
                raise DataError(f"the row has {cells} cells, and the header {len(head)}", path, reader.line_num)
            yield reader.line_num, {name: row[name] for name in head}
    except csv.Error as error:
        raise DataError(f"not CSV: {error}", path, reader.line_num) from None
