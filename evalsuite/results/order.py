"""The order of models in tables: by mean rank over the columns, as on the page (leaderboard/src/leaderboard/statistics.ts)."""

from __future__ import annotations

from collections.abc import Sequence


def mean_ranks(columns: Sequence[Sequence[float | None]]) -> list[float]:
    """The mean rank of each row over columns in which larger values are better. Tied values share the mean of their ranks, and so
    do rows without a value, which are last. Columns without any value do not count.

    >>> mean_ranks([[0.9, 0.7, None], [0.8, 0.8, 0.1]])
    [1.25, 1.75, 3.0]
    """
    known = [
        [-float("inf") if v is None else round(v, 12) for v in column] for column in columns if {*column} != {None}
    ]
    if not known:
        return [0.0] * (len(columns[0]) if columns else 0)
    ranks = [[1 + sum(w > v for w in column) + (column.count(v) - 1) / 2 for v in column] for column in known]
    return [sum(row) / len(row) for row in zip(*ranks, strict=True)]
