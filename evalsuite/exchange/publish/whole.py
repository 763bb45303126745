"""Which cells of a run are whole: only their figures can stand for a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalsuite.types import Status


def lacks(cell: Mapping[str, Any]) -> str:
    """Why a cell's figures are not those of all items; empty if they are."""
    failed = cell["status"].get(Status.FAILED.value, 0)
    facts = cell["facts"]
    reasons = (
        (cell["missing"], f"{cell['missing']} of {cell['items']} requests not asked yet"),
        (failed, f"{failed} of {cell['items']} requests failed"),
        (facts.get("limit"), f"only the first {facts.get('limit')} items (--limit)"),
        (facts.get("skipped_lines"), f"{facts.get('skipped_lines')} broken lines of the data skipped"),
        (cell.get("estimate"), "an estimate"),
    )
    return "; ".join(text for holds, text in reasons if holds)
