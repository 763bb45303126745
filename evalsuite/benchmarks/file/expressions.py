"""A field of a benchmark file on a row of data: the name of a column, or a Jinja expression in {{ }}.

An expression may come with other people's data, so it runs in the sandbox of templates, with fewer passes through loops.
"""

from __future__ import annotations

import json
from ast import literal_eval
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from jinja2 import TemplateSyntaxError, Undefined, meta

from evalsuite.common.errors import ConfigError, unknown
from evalsuite.common.templates import Endless, sandbox

PASSES = 10_000  # the most passes of loops and calls that an expression may take on one row
LONGEST = 1_000_000  # the most characters of a text that an expression gives
_TOO_LONG = f"gives more than {LONGEST:,} characters"


class ExpressionError(ValueError):
    """A row lacks a column, or an expression fails on it."""


class RowField:
    """A compiled field. A column and a single expression may have any value; a text with expressions in it has a text."""

    def __init__(self, text: str) -> None:
        """Raises ConfigError if the text is neither a column's name nor valid Jinja."""
        self.text = text
        if "{%" in text:
            raise ConfigError(
                f"{text!r}: expected the name of a column, or expressions in {{{{ }}}}, and no statements"
            )
        self.column = "" if "{{" in text else text
        self._environment = sandbox(PASSES, _shown)
        try:
            self._expression = None if self.column else self._single(text.strip())
            self._template = self._environment.from_string("" if self._expression else text)
        except TemplateSyntaxError as error:
            raise ConfigError(f"{text!r}: no Jinja expression: {error.message}") from None
        except RecursionError:
            raise ConfigError("nested too deep for Jinja") from None

    def _single(self, text: str) -> Any:
        """The compiled expression if the text is a single one in {{ }}; else None."""
        if not (text.startswith("{{") and text.endswith("}}")):
            return None
        try:
            return self._environment.compile_expression(text[2:-2], undefined_to_none=False)
        except TemplateSyntaxError:
            return None  # several expressions in a text, such as {{ a }} and {{ b }}

    @property
    def names(self) -> set[str]:
        """The variables that the expressions read."""
        return set() if self.column else meta.find_undeclared_variables(self._environment.parse(self.text))

    def value(self, row: Any, more: Mapping[str, Any]) -> Any:
        """The value on a row; None for an empty cell. `more`: variables beside its columns. Raises ExpressionError."""
        columns = row if isinstance(row, Mapping) else {}
        if self.column:
            if self.column not in columns:
                raise ExpressionError(
                    unknown("column", self.column, list(columns)) if columns else "the row has no columns"
                )
            return columns[self.column]
        self._environment.spent = 0
        variables = {**columns, **more, "row": row}
        try:
            result = self._expression(variables) if self._expression else self._rendered(variables)
            if isinstance(result, Undefined):
                result._fail_with_undefined_error()
        except Exception as error:  # an expression may raise anything
            kind = "" if isinstance(error, Endless) else f"{type(error).__name__}: "
            raise ExpressionError(f"{self.text}: {kind}{str(error)[:200]}") from None
        if isinstance(result, str) and len(result) > LONGEST:
            raise ExpressionError(f"{self.text}: {_TOO_LONG}")
        return result

    def _rendered(self, variables: Mapping[str, Any]) -> str:
        """The text with its expressions filled in. Raises Endless when it becomes too long."""
        chunks, size = [], 0
        for chunk in self._template.generate(variables):
            chunks.append(chunk)
            size += len(chunk)
            if size > LONGEST:
                raise Endless(_TOO_LONG)
        return "".join(chunks)


def _shown(value: Any) -> Any:
    """A value within a text: an empty cell is no word, and a whole number that the data have as a float has no .0."""
    return text_of(value) if value is None or isinstance(value, float) else value


def text_of(value: Any) -> str:
    """A value as a text: true and false as in YAML, whole floats without .0, None as "".

    >>> text_of(True), text_of(3.0), text_of(None)
    ('true', '3', '')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, Mapping) or (isinstance(value, Sequence) and not isinstance(value, str)):
        raise ExpressionError("expected a text, found a list or a mapping")
    return str(value)


def listed(value: Any) -> Any:
    """The list in a text that is JSON or a Python literal, as in cells of tables; any other value is returned unchanged.

    >>> listed('["甲", "乙"]'), listed("['甲', '乙']"), listed("[甲]"), listed(3)
    (['甲', '乙'], ['甲', '乙'], '[甲]', 3)
    """
    if isinstance(value, str) and len(value) < 100_000 and value.startswith("[") and value.rstrip().endswith("]"):
        for read in (json.loads, literal_eval):
            with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
                values = read(value)
                return values if isinstance(values, list) else value
    return value


def texts_of(value: Any) -> list[str]:
    """The texts that are not blank of a text, a list of texts, or a list of lists of texts."""
    values = value if isinstance(value, list) else [value]
    flat = (inner for each in values for inner in (each if isinstance(each, list) else [each]))
    return [text for each in flat if (text := text_of(each)).strip()]
