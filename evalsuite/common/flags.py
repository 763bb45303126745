"""Declare the fields of a settings class as command-line flags.

    @dataclass(frozen=True, slots=True)
    class Settings:
        limit: int | None = flag(None, "Only the first N items of each file.", "N")

cli/options.py builds the command line from these fields.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TypeVar

from evalsuite.common.errors import ConfigError
from evalsuite.common.resources import resolve

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Flag:
    """The command-line description of a field."""

    help: str
    example: str = ""  # an example value: "0,1,3,5"
    short: str = ""  # the short name: "-v"
    repeated: bool = False  # may be given several times; the values are concatenated
    required: bool = False


def flag(default: T, help: str, example: str = "", *, short: str = "", repeated: bool = False, required: bool = False) -> T:  # fmt: skip
    """A dataclass field that is also a command-line flag. For the arguments see `Flag`.

    A required flag has a default, too, so that the settings' __post_init__ reports a missing value to Python callers.
    """
    made: T = field(default=default, metadata={"flag": Flag(help, example, short, repeated, required)})
    return made


def flags(settings: type) -> dict[str, Flag]:
    """The flags of a settings class, by field name."""
    return {f.name: f.metadata["flag"] for f in fields(settings)}


def check_budget(budget: float | None) -> None:
    """Raise ConfigError unless `budget` is None or a finite number above 0."""
    if budget is not None and not (math.isfinite(budget) and budget > 0):
        raise ConfigError(f"--budget {budget:g}: expected more than 0, and finite")


def check_folder(**folders: str | Path) -> None:
    """Raise ConfigError if a folder is not there. The keywords are field names."""
    for name, folder in folders.items():
        if not resolve(folder).is_dir():
            raise ConfigError(f"--{name.replace('_', '-')} {folder}: no such folder")


def folders(given: str | Path | Sequence[str | Path] | None) -> tuple[str | Path, ...]:
    """The folders of a flag that may be given several times; a caller from Python may give one alone, or None."""
    return () if given is None else (given,) if isinstance(given, str | Path) else tuple(given)


def check_least(least: int, **numbers: int | None) -> None:
    """Raise ConfigError if a number is less than `least`. The keywords are field names; None passes."""
    for name, number in numbers.items():
        if number is not None and number < least:
            raise ConfigError(f"--{name.replace('_', '-')}: expected {least} or more")
