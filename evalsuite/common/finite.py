"""Checks for NaN and infinity, which JSON does not allow, and no setting or result may be."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evalsuite.common.errors import DataError


def finite_json(value: Any, file: Path, **style: Any) -> str:
    """The JSON text of a file, with Chinese unescaped. `style`: arguments of json.dumps.

    Raises DataError, which names file and field, for NaN and infinity.
    """
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, **style)
    except ValueError:
        if where := not_finite(value):
            raise DataError("not a finite number", file, field=where) from None
        raise


def is_finite(value: Any) -> bool:
    """Whether a JSON value has no NaN or infinity. JSON's encoder searches, since it is written in C."""
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        return False
    return True


def not_finite(value: Any) -> str:
    """The path of the first NaN or infinity in a JSON value, such as "cells[0].metrics.f1"; "" if there is none.

    If the value itself is NaN or infinity, its text, such as "nan".

    >>> not_finite({"cells": [{"f1": 0.5}, {"f1": float("nan")}]})
    'cells[1].f1'
    """
    path = next(_paths(value), None)
    return "" if path is None else path.removeprefix(".") or str(value)


def without_nan(value: Any) -> Any:
    """The JSON value with null for NaN and infinity."""
    if isinstance(value, dict):
        return {k: without_nan(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _paths(value: Any, path: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for k, v in value.items():
            yield from _paths(v, f"{path}.{k}")
    elif isinstance(value, list | tuple):
        for n, v in enumerate(value):
            yield from _paths(v, f"{path}[{n}]")
    elif isinstance(value, float) and not math.isfinite(value):
        yield path
