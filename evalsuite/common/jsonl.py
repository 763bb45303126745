"""Read JSON Lines files: one object on each line. Every error names file, line and field.

Only "\\n" ends a line: JSON strings may contain U+2028 and other characters at which str.splitlines() would split. A byte
order mark at the beginning and blank lines are skipped.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from evalsuite.common.errors import DataError

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

PydanticModel = TypeVar("PydanticModel", bound="BaseModel")
JsonObject = dict[str, Any]

DEPTH = 100  # the most levels of a JSON object, since code walks it recursively
WIDTH = 10_000  # the most names in one object, since pydantic makes an error of every unknown name
_MARK = b"\xef\xbb\xbf"  # the byte order mark, with which a file may begin
_SURROGATE = re.compile(rb"\\u[dD]")  # the escapes of surrogates, and of some other characters
NOT_BLANK = r"\S"  # Field(pattern=NOT_BLANK): a string that is not blank


def read_objects(path: Path, *, surrogates: bool = False) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line number from 1, object) for each line. Raises DataError for a file or line that cannot be read.

    `surrogates`: keep lone surrogates, which replies of models may contain, instead of refusing their line.
    """
    try:
        with path.open("rb") as file:
            for number, text in numbered_lines(file):
                yield number, parse_object(text, path, number, surrogates=surrogates)
    except OSError as error:
        raise DataError(f"cannot read: {error.strerror}", path) from None


def numbered_lines(file: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield (line number from 1, line) for each line of an open binary file (or io.BytesIO) that is not blank."""
    for number, text in enumerate(file, 1):
        if number == 1:
            text = text.removeprefix(_MARK)
        if text.strip():
            yield number, text


def parse_object(text: bytes, path: Path, line: int | None = None, *, surrogates: bool = False) -> dict[str, Any]:
    """Parse one JSON object. Raises DataError, also for repeated names and (unless `surrogates`) for lone surrogates,
    both of which json.loads accepts."""
    try:
        value = _DECODER.decode(text.removeprefix(_MARK).decode())
        if text.count(b"{") + text.count(b"[") > DEPTH and _is_deep(value):
            raise DataError(f"is nested more than {DEPTH} deep", path, line)
        # A lone surrogate is half a character. In UTF-8 it can only come from an escape, which few lines have.
        if not surrogates and _SURROGATE.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeDecodeError as error:
        raise DataError(f"not UTF-8 at byte {error.start}", path, line) from None
    except UnicodeEncodeError as error:
        half = error.object[error.start : error.end]
        raise DataError(f"not JSON: holds half a character ({half!a}): surrogates come in pairs", path, line) from None
    except (ValueError, RecursionError) as error:
        raise DataError(f"not JSON: {error}", path, line) from None
    if not isinstance(value, dict):
        raise DataError(f"expected an object, found {type(value).__name__}", path, line)
    return value


def load_json(text: str | bytes) -> Any:
    """`json.loads`, but a name that occurs twice in one object is a ValueError: parsers disagree on which value counts."""
    return json.loads(text, object_pairs_hook=_unique_names)


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(DEPTH + 1):
        lists = (each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list))
        level = [inner for values in lists for inner in values]
    return bool(level)


def _unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(members := dict(pairs)) == len(pairs):
        return members
    ((name, _),) = Counter(name for name, _ in pairs).most_common(1)
    raise ValueError(f"{name!a} stands twice in one object")


def _bounded(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(members := dict(pairs)) == len(pairs) <= WIDTH:  # called for every object of every line
        return members
    if len(pairs) > WIDTH:
        raise ValueError(f"an object with more than {WIDTH:,} names")
    return _unique_names(pairs)


_DECODER = json.JSONDecoder(object_pairs_hook=_bounded)


# --- lines as pydantic models


class Fault(ValueError):
    """An error of a pydantic model's validator that names the field at fault: `raise Fault("expected one of …", "answer")`."""

    def __init__(self, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


def parse_model(model: type[PydanticModel], text: bytes, path: Path, line: int | None = None) -> PydanticModel:
    """The value of a line, as a pydantic model. Raises DataError for the first fault."""
    from pydantic import ValidationError

    parse_object(text, path, line)  # refuses repeated names, which pydantic accepts
    try:
        return model.model_validate_json(text.removesuffix(b"\n"))
    except ValidationError as error:
        raise first_fault(error, path, line) from None


def first_fault(error: ValidationError, path: Path, line: int | None = None) -> DataError:
    """The first fault of a pydantic error as a DataError with file, line and field."""
    first = error.errors()[0]
    cause = first.get("ctx", {}).get("error")
    field = cause.field if isinstance(cause, Fault) else None
    shown = _excerpt(first["input"])
    if isinstance(cause, ValueError):
        message = str(cause)
    elif first["type"] == "too_short":
        message = f"expected at least {first['ctx']['min_length']}, found {shown}"
    elif first["type"] == "greater_than_equal":
        message = f"expected {first['ctx']['ge']} or more, found {shown}"
    elif first["type"] == "string_pattern_mismatch":
        pattern = first["ctx"]["pattern"]
        message = "is blank" if pattern == NOT_BLANK else f"expected a text that matches {pattern}, found {shown}"
    elif first["type"] in _EXPECTED:
        message = f"expected {_EXPECTED[first['type']]}, found {shown}"
    elif first["type"] == "missing":
        message = "missing"
    else:
        message = f"{first['msg'][0].lower()}{first['msg'][1:]}, found {shown}"
    return DataError(message, path, line, field_path(first["loc"]) + (field or "") or None)


def _excerpt(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)[:60]
    except (ValueError, RecursionError):  # an integer of more than 4,300 digits, or nested too deep
        return f"{type(value).__name__} too large to show"


_EXPECTED = {
    "model_type": "an object",
    "int_type": "a whole number",
    "string_type": "a string",
    "list_type": "a list",
    "tuple_type": "a list",
    "bool_type": "true or false",
}


def field_path(loc: Sequence[int | str]) -> str:
    """A pydantic location as a path.

    >>> field_path(("annotations", 0, "slot"))
    'annotations[0].slot'
    """
    return "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in loc).lstrip(".")
