"""Metric signatures in sacreBLEU's style: metric, references, tokenisation with version, definition, our version.

The same texts scored under the same signature give the same number.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version


@cache
def package_version() -> str:
    """The version of evalsuite, or "source" if it is not installed."""
    try:
        return version("evalsuite")
    except PackageNotFoundError:
        return "source"


def signature(metric: str, references: str, **fields: str) -> str:
    """The signature `metric|nrefs:…|key:value|…|version:…`.

    >>> signature("em", "1", norm="outer-punct.1").split("|")[:3]
    ['em', 'nrefs:1', 'norm:outer-punct.1']
    """
    parts = [metric, f"nrefs:{references}", *(f"{key}:{value}" for key, value in fields.items())]
    return "|".join([*parts, f"version:{package_version()}"])


def count_references(references: Sequence[Sequence[str]]) -> str:
    """The number of references of an item if all items have the same, else "var", as in sacreBLEU."""
    numbers = {len(refs) for refs in references}
    return str(numbers.pop()) if len(numbers) == 1 else "var"
