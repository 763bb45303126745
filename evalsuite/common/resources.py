"""Paths of the files that ship with the package: beside it in a checkout, inside it in a wheel."""

from __future__ import annotations

from pathlib import Path

PREFIX = "bundled:"  # "bundled:models/tiny-zh" in models.yaml, "bundled:sample" for --data

_PACKAGE = Path(__file__).parents[1]
_BUNDLE = _PACKAGE / "bundle"  # made by the wheel build (pyproject.toml, force-include)


def bundled(name: str) -> Path:
    """Path of a shipped file or folder: `bundled("prompts")`, `bundled("models.yaml")`."""
    root = _BUNDLE if _BUNDLE.is_dir() else _PACKAGE.parent
    return root / name


def packaged(name: str) -> Path:
    """Path of a data file inside the package: `packaged("benchmarks/corecode/published.csv")`."""
    return _PACKAGE / name


def resolve(path: str | Path, base: Path | None = None) -> Path:
    """The path that a user gave. `bundled:x` is the shipped file x; other relative paths start at `base`, if given."""
    text = str(path)
    if text.startswith(PREFIX):
        return bundled(text.removeprefix(PREFIX))
    given = Path(text).expanduser()
    return given if given.is_absolute() or base is None else base / given
