"""The Chinese edges of ConceptNet, read once into an SQLite index beside the assertions file, looked up by head and tail.

The official file (conceptnet-assertions-5.7.0.csv, plain or .gz) has one edge per line in tab-separated fields: URI,
relation, start, end, JSON of source and weight. Terms look like /c/zh/吃飯/v: language, words joined by _, and optionally
part of speech and sense, which are dropped, so that the verb and the noun 吃飯 are one term. ConceptNet mixes traditional
and simplified Chinese, and the paper does not say how it handled this; `simplified` makes terms and dialogues simplified.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import sqlite3
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import closing, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from evalsuite.common.errors import ConfigError, DataError
from evalsuite.common.files import remove
from evalsuite.common.script import converter, simplified_characters

_VERSION = 1  # the version of the index format
_CHINESE = b"/c/zh/"
_SCHEMA = """
DROP TABLE IF EXISTS edges; DROP TABLE IF EXISTS source;
CREATE TABLE edges (head TEXT, tail TEXT, relation TEXT, PRIMARY KEY (head, tail, relation)) WITHOUT ROWID;
CREATE TABLE source (version INTEGER, size INTEGER, modified INTEGER, sha256 TEXT, lines INTEGER);
"""
_STEP = 20_000  # lines between two reports of progress


class Triple(NamedTuple):
    """(e1, r, e2) of the paper: 厨房, UsedFor, 做饭."""

    head: str
    relation: str
    tail: str


class KnowledgeIndex:
    """The index that `build_index` wrote, opened read-only."""

    def __init__(self, index: Path) -> None:
        self._db = _read_only(index)

    def links(self, heads: Collection[str], tails: Collection[str]) -> list[Triple]:
        """All triples from one of `heads` to one of `tails`, sorted.

        Pairs are looked up one by one: listing the edges of a hub (人 has tens of thousands) would be slow.
        """
        rows = self._db.execute(
            "SELECT e.head, e.relation, e.tail FROM json_each(?1) h CROSS JOIN json_each(?2) t"
            " CROSS JOIN edges e ON e.head = h.value AND e.tail = t.value",
            (json.dumps([*heads]), json.dumps([*tails])),
        )
        return sorted(Triple(*row) for row in rows)


def simplified(text: str) -> str:
    """Simplified characters (OpenCC t2s, no change of vocabulary) in lower case, for comparing terms and dialogues.

    >>> simplified("卡拉OK和電腦")
    '卡拉ok和电脑'
    """
    if not simplified_characters().keys().isdisjoint(text):  # texts without traditional characters skip the converter
        text = converter("t2s").convert(text)
    return text.lower()


@lru_cache(maxsize=1 << 17)  # neighbouring lines share terms
def term_text(uri: bytes) -> str:
    """The text of a term's URI, simplified, without spaces.

    >>> term_text("/c/zh/看_電影/v".encode())
    '看电影'
    """
    return simplified(uri.split(b"/", 4)[3].decode().replace("_", ""))


def index_path(file: Path) -> Path:
    return file.with_name(file.name + ".sqlite")


def build_index(
    file: Path, index: Path | None = None, progress: Callable[[int], None] = lambda read: None
) -> tuple[Path, str]:
    """Build the index of an assertions file, unless it exists for the same content; returns its path and the file's SHA-256.

    `progress` is called with the number of bytes read since its last call. Indexing is one transaction: a killed process
    leaves no partial index, and a second process waits. Memory is bounded: edges are sorted in a temporary file
    (SQLITE_TMPDIR, else /var/tmp). Raises DataError for a malformed file, ConfigError if the index cannot be written.
    """
    index = index or index_path(file)
    try:
        stat = file.stat()
    except OSError as error:
        raise DataError(f"cannot read: {error.strerror}", file) from None
    now = (_VERSION, stat.st_size, stat.st_mtime_ns)
    if index.exists():
        with suppress(sqlite3.Error), closing(_read_only(index)) as db:  # the folder may be read-only
            if (source := _source(db)) and source[:3] == now:
                return index, str(source[3])
    try:
        with closing(sqlite3.connect(index, isolation_level=None, timeout=24 * 3600)) as db:  # closing rolls back
            db.executescript("PRAGMA cache_size = -65536; PRAGMA temp_store = FILE; BEGIN IMMEDIATE")
            with file.open("rb") as raw:
                digest = hashlib.file_digest(raw, "sha256").hexdigest()
            if (source := _source(db)) and (source[0], source[3]) == (_VERSION, digest):  # new mtime, same content
                db.execute("UPDATE source SET modified = ?", (stat.st_mtime_ns,))
            else:
                lines = _fill(db, file, progress)
                db.execute("INSERT INTO source VALUES (?, ?, ?, ?, ?)", (*now, digest, lines))
            db.execute("COMMIT")
    except sqlite3.Error as error:
        raise ConfigError(f"{index}: cannot write the index here ({error}); name another file with --index") from None
    finally:
        if index.exists() and not index.stat().st_size:
            remove(index.parent, [index.name])
    return index, digest


def _read_only(index: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{index.resolve().as_uri()}?mode=ro", uri=True)


def _source(db: sqlite3.Connection) -> tuple[Any, ...] | None:
    try:
        row: tuple[Any, ...] | None = db.execute("SELECT * FROM source").fetchone()
    except sqlite3.OperationalError:  # a new file
        return None
    return row


def _fill(db: sqlite3.Connection, file: Path, progress: Callable[[int], None]) -> int:
    """Read all edges into the table, sorted first, since random inserts would be slow; returns the number of lines."""
    for statement in _SCHEMA.split(";"):  # executescript would commit the transaction
        db.execute(statement)
    db.execute("CREATE TEMP TABLE unsorted (head TEXT, tail TEXT, relation TEXT)")
    reading = _Reading(file, progress)
    db.executemany("INSERT INTO unsorted VALUES (?, ?, ?)", reading)
    db.execute("INSERT INTO edges SELECT DISTINCT head, tail, relation FROM unsorted ORDER BY 1, 2, 3")
    db.execute("DROP TABLE unsorted")
    if not db.execute("SELECT 1 FROM edges").fetchone():
        raise DataError(f"{reading.lines} lines, none with a Chinese edge (both ends /c/zh/…)", file)
    return reading.lines


class _Reading:
    """Iterates over the Chinese edges of a file as (head, tail, relation), and counts the lines."""

    def __init__(self, file: Path, progress: Callable[[int], None]) -> None:
        self._file, self._progress, self.lines = file, progress, 0

    def __iter__(self) -> Iterator[tuple[str, str, str]]:
        try:
            with self._file.open("rb") as raw:
                if self._file.suffix == ".gz":
                    with gzip.GzipFile(fileobj=raw) as lines:
                        yield from self._edges(lines, raw)
                else:
                    yield from self._edges(raw, raw)
        except (OSError, EOFError, zlib.error) as error:
            raise DataError(f"cannot read on ({error}); is the file complete?", self._file, self.lines + 1) from None
        except UnicodeDecodeError as error:
            raise DataError(f"not UTF-8: {error}", self._file, self.lines) from None

    def _edges(self, lines: Iterable[bytes], raw: BinaryIO) -> Iterator[tuple[str, str, str]]:
        """The edges of an opened file. `raw` is the file itself, whose position measures progress, also for compressed files."""
        reported = 0
        for line in lines:
            self.lines += 1
            if self.lines % _STEP == 0:
                self._progress(raw.tell() - reported)
                reported = raw.tell()
            fields = line.split(b"\t", 4)
            if len(fields) < 5:
                message = f"expected 5 tab-separated fields, as in ConceptNet's assertions file, found {len(fields)}"
                raise DataError(message, self._file, self.lines)
            _, relation, start, end, _ = fields
            if start.startswith(_CHINESE) and end.startswith(_CHINESE):
                head, tail = term_text(start), term_text(end)
                if head and tail and head != tail:  # skips self-links such as 電腦, Synonym, 电脑
                    yield head, tail, relation.decode().removeprefix("/r/")
        self._progress(raw.tell() - reported)
