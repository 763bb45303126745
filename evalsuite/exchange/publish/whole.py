"""The reason why a cell's figures do not cover all items: cards leave such cells out, trackers get a remark."""

from __future__ import annotations

from evalsuite.results.schema.cell import CellResult


def why_partial(cell: CellResult) -> str:
    """The reason why a cell's figures do not cover all items; "" if they do."""
    facts = cell.facts
    reasons = (
        (cell.missing, f"{cell.missing} of {cell.items} requests not asked yet"),
        (cell.failed, f"{cell.failed} of {cell.items} requests failed"),
        (facts.limit, f"only the first {facts.limit} items (--limit)"),
        (facts.skipped_lines, f"{facts.skipped_lines} broken lines of the data skipped"),
        (cell.is_estimate, "an estimate"),
    )
    return "; ".join(text for holds, text in reasons if holds)
