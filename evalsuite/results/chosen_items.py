"""Estimates from the items that a file names (`--items`): the key "estimate" of a cell, and the cell's metrics computed with it.

    anchors   a file of `evalsuite anchors`: the headline is the weighted mean of its items, with an interval from the errors on
              models left out, within 0 … 1. Other metrics have no interval: the items are no random draw
    subset    a list of ids. Nobody knows how they were chosen: the metrics are those of these items alone

Rankings, tests and curves leave out cells of either kind; means over sets and benchmarks leave out those of a list of ids.
"""

from __future__ import annotations

import math

from evalsuite.results.outcomes import CellOutcomes, item_values
from evalsuite.results.schema.cell import CellResult, Estimate


def with_estimate(result: CellResult, outcomes: CellOutcomes, asked: int, whole: bool) -> CellResult:
    """The result with its estimate if `--items` names the items; else the result as it is.

    asked: number of items that were asked, those whose requests failed included.
    whole: whether every request got a reply; otherwise the estimate has no value.
    """
    chosen = result.facts.items
    if chosen is None:
        return result
    anchors = chosen.anchors
    if anchors is None:
        estimate = Estimate(method="subset", asked=asked, of=chosen.of)
        return result.model_copy(update={"estimate": estimate})
    value = low = high = beyond = None
    if whole:
        values = item_values(outcomes).values()
        exact = math.fsum(w * v.value for w, v in zip(anchors.weights, values, strict=True))
        least, most = anchors.seen
        beyond = not least <= exact <= most
        value, low, high = (min(1.0, max(0.0, x)) for x in (exact, exact - anchors.half, exact + anchors.half))
    headline = outcomes.headline
    estimate = Estimate(
        method="anchors",
        chosen=anchors.method,
        asked=asked,
        of=chosen.of,
        metric=headline,
        error=anchors.error,
        models=anchors.models,
        otherwise=chosen.otherwise,
        beyond=beyond,
        value=value,
        low=low,
        high=high,
    )
    none = {"low": None, "high": None, "wilson": None}
    metrics = {
        name: figure.model_copy(update=none | ({"value": value, "low": low, "high": high} if name == headline else {}))
        for name, figure in result.metrics.items()
    }
    # A share of the replies to these items, without weights, says nothing of the others.
    return result.model_copy(update={"estimate": estimate, "metrics": metrics, "accuracy_of_parsed": None})
