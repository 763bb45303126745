"""JSON lines: a file of one object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evalsuite.common.errors import DataError


def read(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line number, object) of a JSONL file. Raises DataError for a missing file and for what is no object."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise DataError(f"cannot read: {error.strerror}", path) from None
    for number, text in enumerate(raw.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not text.strip():
            continue
        try:
            row = json.loads(text)
        except ValueError as error:
            raise DataError(f"not JSON: {error}", path, number) from None
        if not isinstance(row, dict):
            raise DataError(f"expected an object, found {type(row).__name__}", path, number)
        yield number, row
