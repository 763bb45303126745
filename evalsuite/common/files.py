"""Files: what a run's are called, reading them whole, and writing them whole or not at all."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from evalsuite.common.errors import DataError


def safe_name(name: str) -> str:
    """A model's name may hold anything, so odd ones get a hash."""
    safe = re.sub(r"[^\w.-]", "_", name, flags=re.ASCII)[:60]
    return safe if safe == name else f"{safe}-{hashlib.sha256(name.encode()).hexdigest()[:6]}"


def replace_file(path: Path, content: str | bytes) -> None:
    """Write whole or not at all; text as UTF-8."""
    with replacing(path) as draft:
        draft.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write, which takes the place of `path` when the block ends. If it raises, `path` stays as it was."""
    draft = draft_of(path)
    try:
        with draft.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # or a power cut could leave the new name with no content
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def draft_of(path: Path) -> Path:
    """Where to write what is to take the place of `path`: hidden beside it, under a name that no other draft has."""
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")


def read_bytes(path: Path, missing: str = "") -> bytes:
    """The whole file. Raises DataError; `missing` is what it says if there is no such file."""
    try:
        return path.read_bytes()
    except OSError as error:
        absent = isinstance(error, FileNotFoundError) and missing
        raise DataError(absent or f"cannot read: {error.strerror}", path) from None
