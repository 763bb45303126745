"""Files: what a run's are called, reading them whole, and writing them whole or not at all."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from evalsuite.common.errors import DataError


def safe_name(name: str) -> str:
    """A model's name may hold anything, so odd ones get a hash."""
    safe = re.sub(r"[^\w.-]", "_", name, flags=re.ASCII)[:60]
    return safe if safe == name else f"{safe}-{hashlib.sha256(name.encode()).hexdigest()[:6]}"


def replace_file(path: Path, text: str) -> None:
    """Write whole or not at all."""
    draft = path.with_name(path.name + ".part")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)


def read_bytes(path: Path, missing: str = "") -> bytes:
    """The whole file. Raises DataError; `missing` is what it says if there is no such file."""
    try:
        return path.read_bytes()
    except OSError as error:
        absent = isinstance(error, FileNotFoundError) and missing
        raise DataError(absent or f"cannot read: {error.strerror}", path) from None
