"""Files of a run: what they are called, and writing them whole or not at all."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path


def safe_name(name: str) -> str:
    """A model's name may hold anything, so odd ones get a hash."""
    safe = re.sub(r"[^\w.-]", "_", name, flags=re.ASCII)[:60]
    return safe if safe == name else f"{safe}-{hashlib.sha256(name.encode()).hexdigest()[:6]}"


def replace_file(path: Path, text: str) -> None:
    """Write whole or not at all."""
    draft = path.with_name(path.name + ".part")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)
