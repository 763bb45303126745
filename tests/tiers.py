"""Parameters of a test that `make test` tries: a few of many that are alike; `make test-thorough` tries the others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def thorough_but(first: int, values: Iterable[Any]) -> list[Any]:
    """All values as parameters of a test, of which only the first few run without the mark `thorough`. A value is a
    tuple if the test has several parameters."""
    return [
        value
        if n < first
        else pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.thorough)
        for n, value in enumerate(values)
    ]
