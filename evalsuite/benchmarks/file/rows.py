"""The rows of a data file: JSONL, JSON, CSV, TSV, Parquet, or a folder that `datasets` saved.

No link below the data folder is followed, and no file larger than LARGEST is read.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any

from evalsuite.benchmarks.corpus import parse_json, parse_list
from evalsuite.common.errors import ConfigError, DataError
from evalsuite.common.jsonl import numbered_lines, parse_object
from evalsuite.common.plainfile import read_plain

LARGEST = 2**30  # the most bytes of a file, packed or unpacked
MOST = 2_000_000  # the most rows of a file
LONGEST = 10_000_000  # the most characters of a text; no prompt has more
SAVED = "state.json"  # the file that lists the data files of a folder that `datasets` saved
FORMATS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    ".txt": "tsv",
    ".parquet": "parquet",
}


@dataclass(frozen=True, slots=True)
class DataRow:
    """A row with its position for messages: a line number, or in formats without lines the index from 0, as "[3]"."""

    value: Any  # a mapping of columns; in JSON any value
    line: int | None = None
    index: str = ""


@dataclass(frozen=True, slots=True)
class DataRows:
    """The rows of a file or folder, and its bytes."""

    path: Path
    raw: tuple[bytes, ...]  # the content of the file, or of the files of a folder
    rows: tuple[DataRow, ...]


def read_rows(root: Path, path: str, encoding: str = "utf-8") -> DataRows:
    """Read the file at a relative path in a folder. `encoding`: that of CSV and TSV.

    Raises DataError, with file and line, if the file is missing or broken."""
    named = root / path
    parts: list[bytes] = []
    if named.is_dir():
        parts = _saved_files(root, path)
        data_rows = _numbered(_streams(parts, named))
    elif shards := _shards(path):
        data_rows = _numbered(chain.from_iterable(_read_shard(root, shard, parts) for shard in shards))
    else:
        suffix = PurePosixPath(path).suffix
        if suffix not in FORMATS:
            raise DataError(
                "expected a .jsonl, .json, .csv, .tsv or .parquet file, or a folder saved by `datasets`", named
            )
        parts = [read_plain(root, path, LARGEST)]
        kind = FORMATS[suffix]
        data_rows = _table(parts[0], named, kind, encoding) if kind in _DELIMITERS else _READERS[kind](parts[0], named)
    rows: list[DataRow] = []
    try:
        for row in data_rows:
            rows.append(row)
            if len(rows) > MOST:
                raise DataError(f"has more than {MOST:,} rows", named)
    except _TooLong:
        raise DataError(f"row {len(rows) + 1} has a text of more than {LONGEST:,} characters", named) from None
    return DataRows(named, tuple(parts), tuple(rows))


def _shards(path: str) -> list[str]:
    """All Parquet files of a series if the path is that of its first, such as test-00000-of-00002.parquet; else []."""
    first = re.fullmatch(r"(.*-)00000-of-(\d{5})\.parquet", path)
    return [f"{first[1]}{n:05}-of-{first[2]}.parquet" for n in range(int(first[2]))] if first else []


def _read_shard(root: Path, path: str, parts: list[bytes]) -> Iterator[Any]:
    """The rows of a Parquet file of a series. The file's content is appended to `parts`."""
    parts.append(read_plain(root, path, LARGEST))
    if sum(map(len, parts)) > LARGEST:
        raise DataError(f"is larger than {LARGEST:,} bytes with the files before it", root / path)
    return _parquet_rows(parts[-1], root / path)


def _jsonl(raw: bytes, path: Path) -> Iterator[DataRow]:
    for line, text in numbered_lines(io.BytesIO(raw)):
        yield DataRow(plain(parse_object(text, path, line)), line)


def _json(raw: bytes, path: Path) -> Iterator[DataRow]:
    """The elements of a list, or of the only list of an object ({"version": "1.1", "data": […]}), or the objects of an object,
    with their names in the column `key`. A file with an object on each line is read as JSONL."""
    if not raw.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        yield from _numbered(parse_list(raw, path))
        return
    try:
        whole = parse_json(raw, path)
    except DataError as error:
        if "Extra data" not in error.message:
            raise
        yield from _jsonl(raw, path)
        return
    lists = [(name, value) for name, value in whole.items() if isinstance(value, list)]
    if len(lists) == 1:
        (name, elements), *_ = lists
        for n, value in enumerate(elements):
            yield DataRow(plain(value), None, f"{name}[{n}]")
        return
    if not all(isinstance(value, dict) for value in whole.values()):
        raise DataError("expected a list of rows, an object with one list, or an object of named rows", path)
    for name, value in whole.items():
        yield DataRow(plain({"key": name, **value}), None, f"[{name!r}]")


def _table(raw: bytes, path: Path, kind: str, encoding: str) -> Iterator[DataRow]:
    try:
        text = raw.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise DataError(
            f"not {encoding.upper()} at byte {error.start}: from a spreadsheet, save it as “CSV UTF-8”, or name the encoding "
            "in the benchmark file, such as encoding: gb18030",
            path,
        ) from None
    csv.field_size_limit(LONGEST)  # the default is 131,072 characters, fewer than a long document has
    source, delimiter = io.StringIO(text, newline=""), _DELIMITERS[kind]
    reader = csv.reader(source, strict=True)
    if delimiter == "\t":  # in TSV a quote is an ordinary character
        reader = csv.reader(source, delimiter="\t", quoting=csv.QUOTE_NONE)
    try:
        head = next(reader, [])
        if len({*head}) < len(head):
            raise DataError(f"two columns have one name: {', '.join(head)}", path, 1)
        for cells in reader:
            if not cells:
                continue
            if len(cells) != len(head):
                if delimiter == "," and len(cells) > len(head):
                    raise DataError(
                        f"the row has {len(cells)} cells, and the header {len(head)}: a text with a comma in it needs quotes",
                        path,
                        reader.line_num,
                    )
                raise DataError(f"the row has {len(cells)} cells, and the header {len(head)}", path, reader.line_num)
            yield DataRow({name: cell or None for name, cell in zip(head, cells, strict=True)}, reader.line_num)
    except csv.Error as error:
        raise DataError(f"not CSV: {error}", path, reader.line_num) from None


def _arrow(path: Path) -> Any:
    try:
        import pyarrow
        import pyarrow.ipc
        import pyarrow.parquet
    except ImportError:
        raise ConfigError(f"{path}: reading it needs pyarrow: pip install 'evalsuite[frames]'") from None
    return pyarrow


def _parquet(raw: bytes, path: Path) -> Iterator[DataRow]:
    return _numbered(_parquet_rows(raw, path))


def _parquet_rows(raw: bytes, path: Path) -> Iterator[Any]:
    arrow = _arrow(path)
    try:
        file = arrow.parquet.ParquetFile(io.BytesIO(raw))
        groups = (file.metadata.row_group(n) for n in range(file.metadata.num_row_groups))
        if sum(group.total_byte_size for group in groups) > LARGEST or file.metadata.num_rows > MOST:
            raise DataError(f"is larger than {LARGEST:,} bytes unpacked, or has more than {MOST:,} rows", path)
        for batch in file.iter_batches(batch_size=10_000):
            yield from batch.to_pylist()
    except (arrow.ArrowException, OSError, ValueError) as error:
        raise DataError(f"not Parquet: {str(error)[:200]}", path) from None


def _saved_files(root: Path, path: str) -> list[bytes]:
    """The Arrow files of a folder that `datasets.save_to_disk` wrote for one split."""
    named = root / path
    try:
        state = parse_object(read_plain(root, f"{path}/{SAVED}", 2**20), named / SAVED)
        names = [str(file["filename"]) for file in state["_data_files"]]
    except (LookupError, TypeError):
        raise DataError("lists no data files", named / SAVED) from None
    except DataError as error:
        hint = "; of several splits, name one: FOLDER/train" if (named / "dataset_dict.json").is_file() else ""
        raise DataError(f"is no folder of one split saved by `datasets`: {error.message}{hint}", named) from None
    parts: list[bytes] = []
    for name in names:
        parts.append(read_plain(root, f"{path}/{name}", LARGEST))
        if sum(map(len, parts)) > LARGEST:
            raise DataError(f"is larger than {LARGEST:,} bytes", named)
    return parts


def _streams(parts: list[bytes], path: Path) -> Iterator[Any]:
    arrow = _arrow(path)
    try:
        for raw in parts:
            for batch in arrow.ipc.open_stream(raw):
                yield from batch.to_pylist()
    except (arrow.ArrowException, OSError, ValueError) as error:
        raise DataError(f"not Arrow: {str(error)[:200]}", path) from None


def _numbered(values: Iterable[Any]) -> Iterator[DataRow]:
    """The rows of a file, or of all files of a series, with their index."""
    for n, value in enumerate(values):
        yield DataRow(plain(value), None, f"[{n}]")


class _TooLong(Exception):
    """A row has a text of more than LONGEST characters."""


def plain(value: Any) -> Any:
    """The value as JSON has it: NaN becomes None, and values of other types become texts."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, bytes):  # texts of Parquet files whose writer did not mark them as such
        value = value.decode("utf-8", "backslashreplace")
    if isinstance(value, str) and len(value) > LONGEST:
        raise _TooLong
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return str(value)


_READERS = {"jsonl": _jsonl, "json": _json, "parquet": _parquet}
_DELIMITERS = {"csv": ",", "tsv": "\t"}
