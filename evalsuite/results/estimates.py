"""The key "estimate" of a cell of which only a part of the items is asked, with `--items`.

    anchors   the weighted mean of a file's items (`evalsuite anchors`). Its interval is the value ± the half width that errors
              on models left out gave, within 0 … 1
    subset    items of a list. Nobody knows how they were chosen, so that they estimate nothing

Such cells take part in no comparison: rankings, means, curves and the page's other analyses leave them out.
"""

from __future__ import annotations

import math
from typing import Any

from evalsuite.benchmarks.registry import TASKS
from evalsuite.results.outcomes import CellOutcomes


def estimate_of(outcomes: CellOutcomes, whole: bool) -> dict[str, Any] | None:
    """The estimate of a cell's headline; None where all items are asked. Its value is None unless `whole`: every request has
    a reply."""
    picked = outcomes.cell.facts.get("items")
    if picked is None:
        return None
    anchors = picked.get("anchors")
    values = _item_values(outcomes)
    told: dict[str, Any] = {"of": picked["of"], "asked": len(values), "value": None, "low": None, "high": None}
    if anchors is None:
        return {**told, "method": "subset"}
    told |= {
        "asked": len(anchors["weights"]),
        "method": f"anchors: {anchors['method']}",
        "metric": TASKS[outcomes.cell.place.task].metrics[0],
        "error": anchors["error"],
        "models": anchors["models"],
        **({"otherwise": picked["otherwise"]} if picked.get("otherwise") else {}),
    }
    if whole:
        value = math.fsum(w * v for w, v in zip(anchors["weights"], values.values(), strict=True))
        low, high = anchors["seen"]
        told |= {
            "value": min(1.0, max(0.0, value)),
            "low": min(1.0, max(0.0, value - anchors["half"])),
            "high": max(0.0, min(1.0, value + anchors["half"])),
            **({} if low <= value <= high else {"beyond": True}),
        }
    return told


def _item_values(outcomes: CellOutcomes) -> dict[str, float]:
    """Item -> its value, in order: the mean of its samples, of each the lowest of the item's rotations."""
    found: dict[str, dict[int, list[float]]] = {}
    for outcome in outcomes.outcomes:
        found.setdefault(outcome.item, {}).setdefault(outcome.sample, []).append(outcome.value)
    return {item: math.fsum(map(min, samples.values())) / len(samples) for item, samples in found.items()}
