"""Files: names of a run's files, reading with errors that name the file, atomic writing."""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from evalsuite.common.errors import DataError


def safe_name(name: str) -> str:
    """A file name for a model's name: characters other than letters, digits, _ . - become _, and a hash keeps it unique."""
    safe = re.sub(r"[^\w.-]", "_", name, flags=re.ASCII)[:60]
    return safe if safe == name else f"{safe}-{hashlib.sha256(name.encode()).hexdigest()[:6]}"


def replace_file(path: Path, content: str | bytes) -> None:
    """Write a file atomically: completely or not at all. Text is encoded as UTF-8."""
    with replacing(path) as draft:
        draft.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a draft file that replaces `path` when the block ends. If the block raises, `path` is not changed."""
    draft = draft_of(path)
    try:
        with draft.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # or a power failure could leave an empty file
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def cache_folder() -> Path | None:
    """The user's folder for caches of evalsuite, made if need be; None if there is none that only the user can write to."""
    try:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "evalsuite"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        state = folder.stat()
    except (OSError, RuntimeError):  # RuntimeError: no home
        return None
    own = state.st_uid == os.getuid() and not state.st_mode & 0o022
    return folder if own and os.access(folder, os.W_OK) else None


def draft_of(path: Path) -> Path:
    """The path of a draft that will replace `path`: a hidden file in the same folder, with a unique name."""
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")


def read_bytes(path: Path, missing: str = "") -> bytes:
    """The content of a file. Raises DataError if it cannot be read, with the message `missing` if it does not exist."""
    try:
        return path.read_bytes()
    except OSError as error:
        absent = isinstance(error, FileNotFoundError) and missing
        raise DataError(absent or f"cannot read: {error.strerror}", path) from None


def read_text(path: Path, missing: str = "") -> str:
    """The text of a UTF-8 file. Raises DataError as `read_bytes` does, and for other encodings."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"not UTF-8 at byte {error.start}: save it as UTF-8", path) from None
    except OSError as error:
        absent = isinstance(error, FileNotFoundError) and missing
        raise DataError(absent or f"cannot read: {error.strerror}", path) from None


def read_json(path: Path) -> Any:
    """The value of a JSON file. Raises DataError if it cannot be read, or is broken, incomplete or nested too deep."""
    try:
        return json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise DataError(f"not JSON, or not whole: {error}", path) from None
