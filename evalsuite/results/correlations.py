"""Rank correlations between every two metrics of spans and texts, per item and over models.

Stands in results.json under "metric_correlations", an entry a task, set and wording:

    basis "items"    each item of each model as a point, by what an item has of the metric (sentence BLEU for BLEU); of
                     more than SAMPLE points so many drawn by a seed, for Kendall's τ looks at all pairs
    basis "models"   each model's cell as a point, by the metric itself; five models or more

Baselines and perturbed items are left out: oracles and random spans would make all metrics look alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from itertools import combinations
from typing import TYPE_CHECKING, Any

from evalsuite.benchmarks.registry import TASKS
from evalsuite.results.judged.summary import MODELS
from evalsuite.results.outcomes import Points, ScoredRun
from evalsuite.results.scoring import Scored, per_item
from evalsuite.types import Cell, Place

if TYPE_CHECKING:
    from evalsuite.metrics.statistics import Floats

SAMPLE = 2000
_OVER = ("model", "scoring", "perturb")  # what an entry is over, or has always alike


def points(cell: Cell, scored: Scored) -> Points | None:
    """None for what is no text (choices and probes have metrics of one kind), and for what is left out."""
    import numpy as np

    if TASKS[cell.place.task].kind.options or cell.place.perturb != "none" or _baseline(cell.facts):
        return None
    found = per_item(scored)
    values = np.array(list(found.values()), dtype=np.float32)
    return Points(cell.place, tuple(found), values)


def section(run: ScoredRun) -> dict[str, Any]:
    cells = [cell.points for cell in run.cells if cell.points]
    return {"metric_correlations": metric_correlations(cells, run.entries)}


def metric_correlations(cells: Sequence[Points], entries: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """`entries` are results.json's cells."""
    by_place: dict[tuple[tuple[str, Any], ...], list[Points]] = {}
    for cell in cells:
        by_place.setdefault(cell.place.but(*_OVER), []).append(cell)
    found = []
    for place, mine in by_place.items():
        told = dict(place)
        found.append({**told, "basis": "items", **_over_items(mine)})
        found += [{**told, "basis": "models", **over} for over in _over_models(place, entries)]
    order = list(TASKS)
    return sorted(found, key=lambda e: (order.index(e["task"]), e["set"]))


def _over_items(cells: Sequence[Points]) -> dict[str, Any]:
    import numpy as np

    names = [name for name in cells[0].names if all(name in c.names for c in cells)]
    table = np.concatenate([c.values[[c.names.index(name) for name in names]] for c in cells], axis=1)
    count = table.shape[1]
    if count > SAMPLE:
        table = table[:, np.random.default_rng(0).choice(count, SAMPLE, replace=False)]
    return {"models": len(cells), "n": table.shape[1], "of": count, "metrics": names, **between(table)}


def _over_models(place: tuple[tuple[str, Any], ...], entries: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    import numpy as np

    mine = [e["metrics"] for e in entries if Place.of(e).but(*_OVER) == place and _plain(e)]
    if len(mine) >= MODELS:
        names = [n for n in mine[0] if all(m.get(n, {}).get("value") is not None for m in mine)]
        table = np.array([[m[name]["value"] for m in mine] for name in names])
        yield {"models": len(mine), "n": len(mine), "of": len(mine), "metrics": names, **between(table)}


def _plain(entry: Mapping[str, Any]) -> bool:
    whole = not entry["missing"] and not entry["status"].get("failed")
    return whole and entry["perturb"] == "none" and not _baseline(entry["facts"])


def _baseline(facts: Mapping[str, Any]) -> bool:
    return facts.get("backend") == "baseline" or "baseline" in facts.get("tags", ())


def between(table: Floats) -> dict[str, list[float | None]]:
    """(M, N) values of M metrics -> Spearman's ρ and Kendall's τ-b of every two, in the order of `combinations`.

    None where one of the two never changes, or of fewer than three points.

    >>> import numpy as np
    >>> between(np.array([[1, 2, 3, 4], [1, 2, 4, 3], [5, 5, 5, 5]]))["kendall"]
    [0.6667, None, None]
    """
    import numpy as np

    stats = import_module("scipy.stats")
    pairs = list(combinations(range(len(table)), 2))
    if table.shape[1] < 3:
        return {"spearman": [None] * len(pairs), "kendall": [None] * len(pairs)}
    moves = np.ptp(table, axis=1) > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        rho = np.corrcoef(stats.rankdata(table, axis=1))
    known = [bool(moves[i] and moves[j]) for i, j in pairs]
    tau = [stats.kendalltau(table[i], table[j])[0] if ok else None for (i, j), ok in zip(pairs, known, strict=True)]
    return {
        "spearman": [round(float(rho[i, j]), 4) if ok else None for (i, j), ok in zip(pairs, known, strict=True)],
        "kendall": [None if t is None else round(float(t), 4) for t in tau],
    }
