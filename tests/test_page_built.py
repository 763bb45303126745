"""The pages' scripts are built from their sources, and committed: nobody needs Node to run them."""

import hashlib
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "leaderboard"


def test_the_scripts_are_built_from_these_sources() -> None:
    sources = hashlib.sha256()
    names = [p.relative_to(FOLDER).as_posix() for p in (FOLDER / "src").rglob("*") if p.suffix in (".ts", ".json")]
    for name in sorted(names):
        sources.update(f"{name}\n".encode() + (FOLDER / name).read_bytes())
    assert (FOLDER / "dist" / "SOURCES.sha256").read_text().strip() == sources.hexdigest(), "run make page"
