"""Declare the fields of a settings class as command-line flags.

    @dataclass(frozen=True, slots=True)
    class Settings:
        limit: int | None = flag(None, "Only the first N items of each file.", "N")

cli/options.py builds the command line from these fields.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from evalsuite.common.errors import ConfigError, unknown
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


def flag(
    default: T, help: str, example: str = "", *, short: str = "", repeated: bool = False, required: bool = False
) -> T:
    """A dataclass field that is also a command-line flag. For the arguments see `Flag`.

    A required flag has a default, too: the settings' __post_init__ reports a missing value, also to callers from Python.
    """
    dataclass_field: T = field(default=default, metadata={"flag": Flag(help, example, short, repeated, required)})
    return dataclass_field


def benchmark_flag() -> Sequence[str | Path]:
    """The field `benchmark` of a settings class: benchmark files, whose tasks are known from then on."""
    return flag(
        (),
        "A benchmark of yours: a YAML file that says where its data are and how a row becomes a question "
        "(docs/benchmark_file.md); may be given more than once. Without --tasks, all its tasks.",
        "FILE",
        repeated=True,
    )


def data_flag() -> Sequence[str | Path]:
    """The field `data` of a settings class: folders of official data."""
    return flag(
        (),
        "Folder of official data; may be given more than once: tasks are looked for in all; default: EVALSUITE_DATA, "
        "else the bundled sample (bundled:sample).",
        "DIR",
        repeated=True,
    )


def prompts_flag() -> str | Path:
    """The field `prompts` of a settings class: a folder of prompt templates."""
    return flag(
        "bundled:prompts", "A folder with prompt templates of yours, beside those that ship (docs/prompts.md).", "DIR"
    )


def max_concurrency_flag() -> int | None:
    """The field `max_concurrency` of a settings class."""
    return flag(None, "Concurrent requests to an endpoint; default: max_concurrency in models.yaml.", "N")


def verbose_flag() -> bool:
    """The field `verbose` of a settings class."""
    return flag(False, "Print the log.", short="-v")


def flags(settings: type) -> dict[str, Flag]:
    """The flags of a settings class, by field name."""
    return {f.name: f.metadata["flag"] for f in fields(settings)}


def from_keywords(settings: type[T], keywords: Mapping[str, Any]) -> T:
    """Build a settings class from the keywords of a Python call. Where a field is a sequence, a single value becomes a sequence
    of one; where it is a text, a list is joined by commas. Raises ConfigError for an unknown keyword and for a value of another
    type.

    >>> from evalsuite.evaluation.settings import Settings
    >>> from_keywords(Settings, {"tasks": "SI", "shots": 5, "set": ["easy", "hard"]}).tasks
    ('slot_identification',)
    """
    from pydantic import TypeAdapter, ValidationError  # late: `--help` needs none

    hints = get_type_hints(settings)
    known = [f.name for f in fields(settings)]  # type: ignore[arg-type]
    values = {}
    for name, value in keywords.items():
        if name not in known:
            raise ConfigError(unknown("keyword", name, known))
        hint = hints[name]
        several = get_origin(hint) is Sequence
        if several and value is None:
            continue
        if several and isinstance(value, str | Path | int | float):
            value = (value,)
        elif not several and str in (hint, *get_args(hint)) and isinstance(value, list | tuple):
            value = ",".join(map(str, value))
        try:
            values[name] = TypeAdapter(hint).validate_python(value)
        except ValidationError as error:
            detail = error.errors()[0]["msg"]
            raise ConfigError(f"keyword {name}={value!r}: {detail[0].lower()}{detail[1:]}") from None
    return settings(**values)


def dashed(field: str) -> str:
    """The name of a field's flag, behind "--": "max_new_tokens" -> "max-new-tokens"."""
    return field.replace("_", "-")


def check_budget(budget: float | None) -> None:
    """Raise ConfigError unless `budget` is None or a finite number above 0."""
    if budget is not None and not (math.isfinite(budget) and budget > 0):
        raise ConfigError(f"--budget {budget:g}: expected more than 0, and finite")


def check_folder(**folders: str | Path) -> None:
    """Raise ConfigError if a folder is not there. The keywords are field names."""
    for name, folder in folders.items():
        if not resolve(folder).is_dir():
            raise ConfigError(f"--{dashed(name)} {folder}: no such folder")


def folders(value: str | Path | Sequence[str | Path] | None) -> tuple[str | Path, ...]:
    """The folders of a flag that may be given several times. A caller from Python may give a single folder, or None."""
    return () if value is None else (value,) if isinstance(value, str | Path) else tuple(value)


def check_least(least: int, **numbers: int | None) -> None:
    """Raise ConfigError if a number is less than `least`. The keywords are field names; None passes."""
    for name, number in numbers.items():
        if number is not None and number < least:
            raise ConfigError(f"--{dashed(name)}: expected {least} or more")
