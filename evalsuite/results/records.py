"""Records of a run or a submission: one JSON object a line in records/, judged/ and second/*.jsonl, plain or gzip'd.

Submissions are not trusted: only paths of the format are accepted, links are not followed, and lines, files and compression
ratios have limits.
"""

from __future__ import annotations

import gzip
import os
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast

from pydantic import ValidationError

from evalsuite.common.errors import ConfigError, DataError, nearest
from evalsuite.common.files import safe_name
from evalsuite.common.jsonl import JsonObject, PydanticModel, first_fault, parse_model, parse_object
from evalsuite.common.plainfile import open_plain, read_json
from evalsuite.results.schema.cell import ReadingFields
from evalsuite.results.schema.record import RecordFields, ReplyName
from evalsuite.types import Cell, Place, Reading, context_of

LineFields = TypeVar("LineFields", bound=ReplyName)
LINE = 2**24  # the most bytes of a line: a reply of 1 MB, fully escaped, and its prompt
FILE = 2**30  # the most bytes of a file, unpacked
COUNT = 1_000_000  # the most lines of a file
# A file larger than FREE bytes may not unpack to more than RATIO times its packed size (text: about 10 times).
RATIO, FREE = 300, 2**26

_PATH = re.compile(r"(records|judged|second)/[^/\\\x00-\x1f]+\.jsonl")


def file_name(cell: Cell) -> str:
    """The name of a cell's file of records. It is for people: programs take it from results.json."""
    return f"{safe_name(*name_parts(cell.place))}.jsonl"


def name_parts(place: Place) -> tuple[str, ...]:
    """The parts of a place as parts of a file's name; the way comes last, in the words of `Place.way`."""
    way = place.way.removeprefix(place.variant).split()
    return (place.model, place.set, place.split, place.task, place.variant, *way)


def is_records_file(path: Any) -> bool:
    """Whether this is a path that results.json may name: "records/….jsonl", or in judged/ or second/."""
    return isinstance(path, str) and _PATH.fullmatch(path) is not None


def require_folder(run: Path) -> None:
    """Raise ConfigError if there is no such folder; its message names the folder beside it with the most similar name."""
    if run.is_dir():
        return
    if run.exists():
        raise ConfigError(f"{run}: is a file; name a run's folder")
    beside = [path.name for path in run.parent.iterdir() if path.is_dir()] if run.parent.is_dir() else []
    near = nearest(run.name, beside)
    hint = f" Did you mean {run.parent / near}?" if near else ""
    raise ConfigError(f"{run}: no such folder.{hint} `evalsuite run --out {run}` makes one")


def find_results(folder: Path) -> Path:
    """results.json of a run or a submission. Raises ConfigError if there is none."""
    require_folder(folder)
    path = folder / "results.json"
    if not path.exists():
        raise ConfigError(f"{folder}: no results.json; `evalsuite score {folder}` writes it from a run's store")
    return path


def read_results(folder: Path) -> JsonObject:
    """The content of results.json of a run or a submission.

    Raises ConfigError if there is none, DataError if it cannot be read or is not of evalsuite.
    """
    path = find_results(folder)
    content = read_json(folder, path.name)
    cells = content.get("cells")
    if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
        raise DataError("is not of evalsuite: it has no cells", path)
    return content


def reading_of(run: Path) -> Reading:
    """The reading that results.json was last written with; the default one if there is no such file."""
    path = run / "results.json"
    if not path.exists():
        return Reading()
    try:
        fields = ReadingFields.model_validate(read_json(run, path.name).get("reading"))
    except ValidationError as error:
        raise ConfigError(f"{first_fault(error, path)}: no results of evalsuite") from None
    return Reading(fields.parser, fields.extract)


def context(record: RecordFields) -> tuple[str, ...]:
    """The `Item.context` of a record's item: the unit of intervals and tests."""
    return context_of(record["dialogue"], record["question"], record["options"])


def entry_name(record: ReplyName) -> str:
    """The name of a reply within a cell: its item, with its rotation and its sample if they are not the first."""
    return reply_name(str(record["item"]), record.get("rotation", 0), record.get("sample", 0))


def reply_name(item: str, rotation: int, sample: int) -> str:
    """The name of a reply within a cell, by its parts.

    >>> reply_name("c3/d/test/c3/7", 2, 0)
    'c3/d/test/c3/7~2'
    """
    return item + (f"~{rotation}" if rotation else "") + (f"~sample{sample}" if sample else "")


def records_file(folder: Path, name: str) -> Path:
    """The file at a path that results.json names ("records/….jsonl"), or the same with .gz.

    Raises DataError if the path is not of this form, or if there is no such file, or both.
    """
    if not is_records_file(name):
        raise DataError(f"{name!a}: expected records/NAME.jsonl, or one in judged/ or second/", folder)
    files = [p for p in (folder / name, folder / f"{name}.gz") if os.path.lexists(p)]
    if len(files) == 2:
        raise DataError("is there plain and as .gz: leave one", files[0])
    if not files:
        raise DataError("no such file; `evalsuite score` writes a run's records anew", folder / name)
    (file,) = files
    return file


def numbered_lines(folder: Path, path: Path) -> Iterator[tuple[int, bytes]]:
    """(number from 1, line) of each line that is not blank, of a file in `folder`.

    Raises DataError if the file is a link or no plain file (`open_plain`), broken, or beyond a limit.
    """
    number = size = 0
    try:
        with open_plain(folder, path.relative_to(folder).as_posix()) as raw:
            most = min(FILE, max(FREE, RATIO * os.fstat(raw.fileno()).st_size))
            file = cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if path.suffix == ".gz" else raw
            while text := file.readline(LINE + 1):
                number += 1
                size += len(text)
                if len(text) > LINE:
                    raise DataError(f"is longer than {LINE >> 20} MiB", path, number)
                if size > most or number > COUNT:
                    raise DataError(
                        f"unpacks to more than {most >> 20} MiB, or more than {COUNT:,} lines", path, number
                    )
                if text.strip():
                    yield number, text
    except (OSError, EOFError, zlib.error) as error:  # gzip's own errors are of these kinds
        raise DataError(f"cannot be read: {error}", path, number + 1) from None


def rows_of(model: type[PydanticModel], folder: Path, name: str) -> Iterator[PydanticModel]:
    """The records in a file that results.json names, as values, one at a time. Raises DataError, with file, line and field."""
    path = records_file(folder, name)
    for number, text in numbered_lines(folder, path):
        yield parse_model(model, text, path, number)


def read_records(folder: Path, name: str) -> Iterator[RecordFields]:
    """The records in a file of records/ that results.json names, one at a time, as any version wrote them.

    Raises DataError, with file and line, for a line that is not a JSON object.
    """
    return read_lines(RecordFields, folder, name)


def read_lines(form: type[LineFields], folder: Path, name: str) -> Iterator[LineFields]:
    """The lines of a file that results.json names, typed as `form` but not validated. For errors see `read_records`."""
    path = records_file(folder, name)
    for number, text in numbered_lines(folder, path):
        yield cast(LineFields, parse_object(text, path, number))
