"""Settings whose fields are flags of the command line.

    @dataclass(frozen=True, slots=True)
    class Settings:
        limit: int | None = flag(None, "Only the first N items of each file.", "N")

The command line (cli/options.py) and the README's table (cli/reference.py) are made from these fields.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import TypeVar

from evalsuite.common.errors import ConfigError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Flag:
    """What the command line says of a field."""

    help: str
    example: str = ""  # of a value: "0,1,3,5"
    short: str = ""  # a second name: "-v"
    repeated: bool = False  # may be given more than once; the values are put together
    required: bool = False


def flag(default: T, help: str, example: str = "", *, short: str = "", repeated: bool = False, required: bool = False) -> T:  # fmt: skip
    """A field of a dataclass that is a flag, too; the arguments are those of `Flag`.

    A required flag has a default all the same: __post_init__ says what is missing, to callers from Python as well.
    """
    made: T = field(default=default, metadata={"flag": Flag(help, example, short, repeated, required)})
    return made


def flags(settings: type) -> dict[str, Flag]:
    """The flags of a settings class, by the names of their fields."""
    return {f.name: f.metadata["flag"] for f in fields(settings)}


def check_budget(budget: float | None) -> None:
    """Raises ConfigError unless `budget` is None or a finite number above 0."""
    if budget is not None and not (math.isfinite(budget) and budget > 0):
        raise ConfigError(f"--budget {budget:g}: expected more than 0, and finite")


def check_least(least: int, **numbers: int | None) -> None:
    """Raises ConfigError if a number is less than `least`; None is no limit. The keywords are names of fields."""
    for name, number in numbers.items():
        if number is not None and number < least:
            raise ConfigError(f"--{name.replace('_', '-')}: expected {least} or more")
