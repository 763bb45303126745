"""The notation of numbers on the terminal and in CSV, LaTeX and Markdown; the page's is the same (common/numbers.ts)."""

from __future__ import annotations

# The factor exceeds 1 by more than the error of a few operations on doubles, and by less than any printed digit.
_TIES_AWAY_FROM_ZERO = 1 + 2**-40


def fixed(value: float, digits: int, sign: str = "") -> str:
    """A number with `digits` decimals. Halves are rounded away from zero, also if their double is slightly below the half.

    >>> fixed(91.25, 1), fixed(8.35, 1), fixed(-0.125, 2, "+"), f"{91.25:.1f}", f"{8.35:.1f}"
    ('91.3', '8.4', '-0.13', '91.2', '8.3')
    """
    return f"{value * _TIES_AWAY_FROM_ZERO:{sign}.{digits}f}"


def p_words(p: float) -> str:
    """A p-value as it is printed, which is never 0.

    >>> p_words(0.0123), p_words(0.0009), p_words(0.0)
    ('0.012', '<0.001', '<0.001')
    """
    return "<0.001" if p < 0.001 else fixed(p, 3)
