"""Files of a checkout that are made from its other files: `make generated` writes them, and a test names the stale ones.

`python -m tools.generated`, in the checkout's root, writes all but the pages' scripts, which need Node: leaderboard/types.mjs and
build.mjs.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from evalsuite.authoring import read_annotations, write_task_files
from evalsuite.common.files import replace_file
from tools.generated import reference
from tools.generated.schemas import schema_files

ROOT = Path(__file__).parents[2]
FOLDERS = ("schema", "docs/reference", "sample/data")  # have generated files only
_TYPES = "leaderboard/src/types"


def texts(root: Path = ROOT) -> Iterator[tuple[str, str]]:
    """(path, content) of the files that Python makes."""
    for name, text in schema_files():
        yield f"schema/{name}", text
    yield from reference.whole_pages().items()
    for page in reference.PARTS:
        yield page, reference.with_part(page, _text(root / page))
    with tempfile.TemporaryDirectory() as folder:
        write_task_files(read_annotations(root / "sample/annotations.jsonl"), Path(folder))
        for path in sorted(Path(folder).rglob("*.jsonl")):
            yield f"sample/{path.relative_to(folder).as_posix()}", path.read_text(encoding="utf-8")


def stale(root: Path = ROOT) -> list[str]:
    """Paths of generated files that are out of date, missing, or no longer generated."""
    generated = dict(texts(root))
    old = [name for name, text in generated.items() if not (root / name).is_file() or _text(root / name) != text]
    there = {p.relative_to(root).as_posix() for folder in FOLDERS for p in (root / folder).rglob("*") if p.is_file()}
    return sorted([*old, *(there - generated.keys()), *_stale_scripts(root)])


def _stale_scripts(root: Path) -> Iterator[str]:
    """Stale files of the pages' scripts, found without Node: types have the hash of their schema, dist/ that of its sources."""
    for path in sorted((root / _TYPES).glob("*.ts")):
        schema = hashlib.sha256((root / f"schema/{path.stem}.schema.json").read_bytes()).hexdigest()
        if f"({schema[:16]})" not in _text(path).partition("\n")[0]:
            yield f"{_TYPES}/{path.name}"
    home, sources = root / "leaderboard", hashlib.sha256()
    files = [p.relative_to(home).as_posix() for p in (home / "src").rglob("*") if p.suffix in (".ts", ".json")]
    for name in sorted(files):
        sources.update(f"{name}\n".encode() + (home / name).read_bytes())
    if _text(home / "dist/SOURCES.sha256").strip() != sources.hexdigest():
        yield "leaderboard/dist"


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def write(root: Path = ROOT) -> None:
    """Write the files that Python generates. schema/ is written first, since pages are made from it."""
    for name, text in texts(root):
        replace_file(root / name, text)
