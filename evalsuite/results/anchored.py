"""The key "estimate" of a cell of which `--items` asks only a part, and what it makes of the cell's metrics.

    anchors   a file of `evalsuite anchors`: the headline is the weighted mean of its items, with an interval as wide as the errors
              on models left out make it, within 0 … 1. Other metrics have no interval: the items are no random draw
    subset    a list of ids. Nobody knows how they were chosen: the metrics are those of these items alone

Such cells take part in no comparison: rankings, means, curves and the page's other analyses leave them out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from evalsuite.benchmarks.registry import TASKS
from evalsuite.results.outcomes import CellOutcomes

Metrics = Mapping[str, dict[str, Any]]


def anchored(outcomes: CellOutcomes, metrics: Metrics, whole: bool) -> dict[str, Any]:
    """The keys of a cell's entry that are not as usual: "estimate", "metrics"; none where all items are asked.

    Unless `whole`, which is that every request has a reply, the headline has no value.
    """
    picked = outcomes.cell.facts.get("items")
    if picked is None:
        return {}
    values = _item_values(outcomes)
    anchors = picked.get("anchors")
    if anchors is None:
        return {"estimate": {"method": "subset", "asked": len(values), "of": picked["of"]}}
    metric, low, high = TASKS[outcomes.cell.place.task].metrics[0], None, None
    told: dict[str, Any] = {
        "method": "anchors",
        "chosen": anchors["method"],
        "asked": len(anchors["weights"]),
        "of": picked["of"],
        "metric": metric,
        "error": anchors["error"],
        "models": anchors["models"],
        "otherwise": picked.get("otherwise", []),
    }
    value = None
    if whole:
        value = math.fsum(w * v for w, v in zip(anchors["weights"], values.values(), strict=True))
        least, most = anchors["seen"]
        told["beyond"] = not least <= value <= most
        value, low, high = (min(1.0, max(0.0, x)) for x in (value, value - anchors["half"], value + anchors["half"]))
    found = {"value": value, "low": low, "high": high}
    made = {
        name: {k: v for k, v in row.items() if k not in ("low", "high", "wilson")} | (found if name == metric else {})
        for name, row in metrics.items()
    }
    # A share of the replies to these items, without weights, says nothing of the others.
    unweighted = {"accuracy_of_parsed": None} if TASKS[outcomes.cell.place.task].kind.single else {}
    return {"estimate": {**told, **found}, "metrics": made, **unweighted}


def _item_values(outcomes: CellOutcomes) -> dict[str, float]:
    """Item -> its value, in order: the mean of its samples, of each the lowest of the item's rotations."""
    found: dict[str, dict[int, list[float]]] = {}
    for outcome in outcomes.outcomes:
        found.setdefault(outcome.item, {}).setdefault(outcome.sample, []).append(outcome.value)
    return {item: math.fsum(map(min, samples.values())) / len(samples) for item, samples in found.items()}
