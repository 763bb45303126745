"""Lines of JSON: the one reader of files with an object a line. Every error names file, line and field.

Only "\\n" ends a line: a JSON string may hold U+2028 and its like, at which str.splitlines() would cut. A byte order mark at
the beginning and blank lines are passed over.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from evalsuite.common.errors import DataError

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

    Model = TypeVar("Model", bound=BaseModel)

SAID = r"\S"  # Field(pattern=SAID): a string that is not blank


def read(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line number from 1, object) of each line, one line at a time. Raises DataError."""
    try:
        with path.open("rb") as file:
            for number, text in lines(file):
                yield number, parse(text, path, number)
    except OSError as error:
        raise DataError(f"cannot read: {error.strerror}", path) from None


def lines(file: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """(line number from 1, line) of an open file (or io.BytesIO) where the line is not blank."""
    for number, text in enumerate(file, 1):
        if number == 1:
            text = text.removeprefix(b"\xef\xbb\xbf")
        if text.strip():
            yield number, text


def parse(text: bytes | str, path: Path, line: int | None = None) -> dict[str, Any]:
    """One object, strictly: no name twice, no half characters. Raises DataError."""
    try:
        whole = text.decode("utf-8-sig") if isinstance(text, bytes) else text
        value = json.loads(whole, object_pairs_hook=_once)
        # Half a character (a lone surrogate) is no text. In what was bytes it can only be an escape: few lines have any.
        if isinstance(text, str) or "\\ud" in whole or "\\uD" in whole:
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


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Readers differ in which of two values they take."""
    found = dict(pairs)
    if len(found) < len(pairs):
        name = next(n for k, (n, _) in enumerate(pairs) if n in dict(pairs[:k]))
        raise ValueError(f"{name!a} stands twice in one object")
    return found


# --- formats, as pydantic models


class Fault(ValueError):
    """What a model's validator raises to name a field: `raise Fault("expected one of …", "answer")`."""

    def __init__(self, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


def valid(model: type[Model], text: bytes, path: Path, line: int | None = None) -> Model:
    """The line as a pydantic model. Raises DataError for what is wrong first."""
    from pydantic import ValidationError

    try:
        return model.model_validate_json(text.removesuffix(b"\n"))
    except ValidationError as error:
        if error.errors()[0]["type"] == "json_invalid":
            parse(text, path, line)  # says better what is wrong
        raise first_fault(error, path, line) from None


def first_fault(error: ValidationError, path: Path, line: int | None = None) -> DataError:
    """What a model says is wrong, as an error with file, line and field."""
    first = error.errors()[0]
    cause = first.get("ctx", {}).get("error")
    field = cause.field if isinstance(cause, Fault) else None
    shown = json.dumps(first["input"], ensure_ascii=False, default=str)[:60]
    if isinstance(cause, ValueError):
        message = str(cause)
    elif first["type"] == "too_short":
        message = f"expected at least {first['ctx']['min_length']}, found {shown}"
    elif first["type"] == "greater_than_equal":
        message = f"expected {first['ctx']['ge']} or more, found {shown}"
    elif first["type"] in _EXPECTED:
        message = f"expected {_EXPECTED[first['type']]}, found {shown}"
    else:
        message = _MESSAGES.get(first["type"]) or f"{first['msg'][0].lower()}{first['msg'][1:]}, found {shown}"
    return DataError(message, path, line, place(first["loc"]) + (field or "") or None)


_EXPECTED = {
    "model_type": "an object", "int_type": "a whole number", "string_type": "a string", "list_type": "a list",
    "tuple_type": "a list", "bool_type": "true or false",
}  # fmt: skip
_MESSAGES = {"missing": "missing", "string_pattern_mismatch": "is blank"}


def place(loc: Sequence[int | str]) -> str:
    """
    >>> place(("annotations", 0, "slot"))
    'annotations[0].slot'
    """
    return "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in loc).lstrip(".")
