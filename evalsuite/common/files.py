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
from typing import BinaryIO

from evalsuite.common.errors import DataError

_LONGEST = 200  # bytes of a name; file systems take 255, and suffixes, ".gz" and drafts need some of them
# Windows reserves names of devices, with any suffix, and drops a dot at the end.
_PLAIN = re.compile(r"(?!(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$))[\w+][\w+.-]*(?<!\.)", re.ASCII | re.IGNORECASE)
_HASHED = re.compile(r"-[0-9a-f]{16}$")


def safe_name(*parts: str) -> str:
    """A file name, without a suffix, for names that may be any text: the parts, joined by dots.

    It is at most 200 bytes of ASCII and no path. Other parts give another name: if a part has a character that is not a
    letter, digit, _ + . or -, if a part after the first has a dot, or if the name is too long or reserved, characters
    become _, and a hash of the parts follows.

    >>> safe_name("qwen2.5-7b", "easy"), safe_name("../x")
    ('qwen2.5-7b.easy', '.._x-ff2f0c4fbda4bbf5')
    """
    name = ".".join(parts)
    plain = all(map(_PLAIN.fullmatch, parts)) and not any("." in part for part in parts[1:])
    if plain and len(name) <= _LONGEST and not _HASHED.search(name):
        return name
    readable = re.sub(r"[^\w+.-]", "_", name, flags=re.ASCII)[: _LONGEST - 18]
    return f"{readable if _PLAIN.match(readable) else f'_{readable}'}-{name_hash(*parts)}"


def name_hash(*parts: str) -> str:
    """16 hexadecimal digits that tell names apart."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


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
