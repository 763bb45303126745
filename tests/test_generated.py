"""Generated files are those that `make generated` writes."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tools import generated
from tools.generated import reference


def test_nothing_generated_is_stale() -> None:
    assert generated.stale() == [], "run make generated"


CHANGES: list[tuple[str, Callable[[Path], object]]] = [
    ("schema/record.schema.json", lambda p: p.write_text(p.read_text("utf-8").replace("item", "thing", 1), "utf-8")),
    ("schema/old.schema.json", lambda p: p.write_text("{}", "utf-8")),
    ("docs/commands.md", lambda p: p.unlink()),
    ("docs/frames.md", lambda p: p.write_text(p.read_text("utf-8").replace("| `records` |", "| `lines` |"), "utf-8")),
    ("leaderboard/dist", lambda p: (p / "SOURCES.sha256").write_text("0" * 64, "utf-8")),
]


def test_stale_files_are_named(tmp_path: Path) -> None:
    """The check names files that were changed, that are missing and that no rule makes; files of types by their schema."""
    for folder in ("schema", "docs", "sample", "leaderboard/src", "leaderboard/dist"):
        shutil.copytree(generated.ROOT / folder, tmp_path / folder)
    for name, change in CHANGES:
        change(tmp_path / name)
    assert generated.stale(tmp_path) == sorted([*(name for name, _ in CHANGES), "leaderboard/src/types/record.ts"])


def test_a_page_without_its_markers() -> None:
    with pytest.raises(ValueError, match=r"parsing\.md"):
        reference.with_part("docs/parsing.md", "nothing")
