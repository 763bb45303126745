"""Rank correlations between every two metrics of spans and texts: the key "metric_correlations" of results.json.

An entry is a task, set and wording with one basis:

    "items"    a point is an item of a model, by the item's own value (sentence BLEU for BLEU). Of more points than SAMPLE,
               a seeded sample is used, since Kendall's τ takes time quadratic in their number
    "models"   a point is a model, by its cell's metric; needs five models

Baselines and perturbed items are left out: oracles and random answers correlate all metrics.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from itertools import combinations
from typing import TYPE_CHECKING, Any

from evalsuite.benchmarks.registry import TASKS
from evalsuite.results.judged.summary import MODELS
from evalsuite.results.outcomes import Points, ScoredRun, is_baseline
from evalsuite.results.scoring import Scored, per_item
from evalsuite.types import Cell, Place

if TYPE_CHECKING:
    from evalsuite.metrics.statistics import Floats

SAMPLE = 2000
# Left out: a metric of the table with another tokenisation, or of the replies. Kendall's τ takes most of the time.
_ALIKE = ("bleu_sacre_zh", "paper.f1", "paper.em")
_OVER = ("model", "scoring", "perturb")  # parts of a place that an entry pools (model) or that never vary


def points(cell: Cell, scored: Scored) -> Points | None:
    """The metrics of a cell's items; None for choices, probes, baselines, perturbed items and a single metric."""
    import numpy as np

    if TASKS[cell.place.task].kind.options or cell.place.perturb != "none" or is_baseline(cell.facts):
        return None
    columns = {name: values for name, values in per_item(scored).items() if name not in _ALIKE}
    if len(columns) < 2:  # nothing to correlate, as of tasks scored by a rule alone
        return None
    if len(columns) < 2:  # nothing to correlate, as of tasks scored by a rule alone
        return None
    return Points(cell.place, tuple(columns), np.array(list(columns.values()), dtype=np.float32))


def section(run: ScoredRun) -> dict[str, Any]:
    """The key "metric_correlations" of results.json."""
    cells = [cell.points for cell in run.cells if cell.points]
    return {"metric_correlations": metric_correlations(cells, run.entries)}


def metric_correlations(cells: Sequence[Points], entries: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Entries of both bases, by task and set. `entries` are the cells of results.json."""
    by_place: dict[tuple[tuple[str, Any], ...], list[Points]] = {}
    for cell in cells:
        by_place.setdefault(cell.place.but(*_OVER), []).append(cell)
    rows = []
    for place, group in by_place.items():
        rows.append({**dict(place), "basis": "items", **_over_items(group)})
        rows += [{**dict(place), "basis": "models", **over} for over in _over_models(place, entries)]
    order = list(TASKS)
    return sorted(rows, key=lambda e: (order.index(e["task"]), e["set"]))


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

    models = [e["metrics"] for e in entries if Place.of(e).but(*_OVER) == place and _plain(e)]
    if (count := len(models)) >= MODELS:
        shared = [n for n in models[0] if all(m.get(n, {}).get("value") is not None for m in models)]
        names = [n for n in shared if n not in _ALIKE]
        table = np.array([[m[name]["value"] for m in models] for name in names])
        yield {"models": count, "n": count, "of": count, "metrics": names, **between(table)}


def _plain(entry: Mapping[str, Any]) -> bool:
    whole = not entry["missing"] and not entry["status"].get("failed")
    return whole and entry["perturb"] == "none" and not is_baseline(entry["facts"])


def between(table: Floats) -> dict[str, list[float | None]]:
    """Spearman's ρ and Kendall's τ-b of every two rows of `table`, which is (metrics, points); in `combinations` order.

    None if one of the two rows is constant, or with fewer than three points.

    >>> import numpy as np
    >>> between(np.array([[1, 2, 3, 4], [1, 2, 4, 3], [5, 5, 5, 5]]))["kendall"]
    [0.6667, None, None]
    """
    import numpy as np

    pairs = list(combinations(range(len(table)), 2))
    if table.shape[1] < 3:
        return {"spearman": [None] * len(pairs), "kendall": [None] * len(pairs)}
    varies = np.ptp(table, axis=1) > 0
    ranks = import_module("scipy.stats").rankdata(table, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = {"spearman": np.corrcoef(ranks), "kendall": _kendall(ranks)}
    return {
        name: [round(float(values[i, j]), 4) if varies[i] and varies[j] else None for i, j in pairs]
        for name, values in found.items()
    }


def _kendall(ranks: Floats) -> Floats:
    """τ-b of every two rows of `ranks`, (metrics, metrics): scipy's kendalltau without its tests of significance."""
    import numpy as np

    agree = np.zeros((len(ranks), len(ranks)))  # pairs of points that two metrics order alike, less those they do not
    for n in range(1, ranks.shape[1]):
        order = np.sign(ranks[:, n:] - ranks[:, n - 1 : n])
        agree += order @ order.T
    ordered = np.sqrt(agree.diagonal())
    return agree / ordered[:, None] / ordered
