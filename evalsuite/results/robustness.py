"""Robustness of models: drops under perturbation, choices by position, spread over wordings and shots.

Pure functions of the per-item outcomes and the entries of cells; their output stands in results.json under "robustness".
Perturbed items keep the ids of their originals: cells are compared item by item, over the items answered in both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any

from evalsuite.benchmarks.registry import TASKS
from evalsuite.perturb import PERTURBATIONS, Perturbation
from evalsuite.results.outcomes import CellOutcomes, Outcome, ScoredRun
from evalsuite.types import Place

FLIP = 0.5  # from where on a difference counts as a flip; for right and wrong it is 1


def section(run: ScoredRun) -> dict[str, Any]:
    return {"robustness": robustness(run.outcomes, run.entries)}


def robustness(cells: Sequence[CellOutcomes], entries: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What results.json holds under "robustness"; `entries` are its cells."""
    order = list(PERTURBATIONS)
    cells = sorted(cells, key=lambda c: order.index(c.cell.place.perturb))  # as everywhere; the store goes by name
    return {
        "drops": drops(cells),
        "positions": all_positions(cells),
        "wordings": [_wording(*group) for group in _alike(entries, "variant")],
        "shots": [{**place, "values": values} for place, values in _alike(entries, "shots")],
    }


# --- perturbed beside not perturbed


def drops(cells: Sequence[CellOutcomes]) -> list[dict[str, Any]]:
    """A row for each perturbed cell whose unperturbed one is there; p-values corrected by Holm over a model's rows."""
    from evalsuite.metrics.statistics import holm  # with numpy, which is not to be loaded with the package

    bases = {c.cell.place.but("perturb"): c for c in cells if c.cell.place.perturb == "none"}
    rows = []
    for c in cells:
        base = bases.get(c.cell.place.but("perturb"))
        # The same ids of another file are other items.
        if base and c is not base and base.cell.facts["data"] == c.cell.facts["data"] and (row := _drop(base, c)):
            rows.append(row)
    for model in dict.fromkeys(row["model"] for row in rows):
        mine = {str(n): row["p"] for n, row in enumerate(rows) if row["model"] == model}
        for n, p in holm(mine).items():
            rows[int(n)]["p_holm"] = p
    return rows


def _drop(base: CellOutcomes, other: CellOutcomes) -> dict[str, Any] | None:
    from evalsuite.metrics.statistics import Means, paired_test

    change = PERTURBATIONS[other.cell.place.perturb]
    theirs: dict[str, list[Outcome]] = {}
    for outcome in other.outcomes:
        theirs.setdefault(outcome.item, []).append(outcome)
    if change.several:  # an item some rotation of which failed is left out, as in its cell's accuracy
        whole = {o.item: len(o.original.options) for o in base.outcomes if o.original}
        theirs = {item: found for item, found in theirs.items() if len(found) == whole.get(item)}
    pairs = [(mine, theirs[mine.item]) for mine in base.outcomes if mine.item in theirs]
    if not pairs:
        return None
    metric = TASKS[base.cell.place.task].item_metrics[0]
    before, after = [mine.value for mine, _ in pairs], [min(o.value for o in found) for _, found in pairs]
    clusters = [mine.source for mine, _ in pairs]
    place = other.cell.place
    # The purpose names no model: two models with the same replies get the same interval.
    purpose = f"robustness:{place.task}:{place.set}:{place.split}:{place.perturb}"
    a, b = Means.of({metric: after}), Means.of({metric: before})
    found = paired_test(a, b, metric, clusters, Random(purpose), (after, before) if metric == "accuracy" else None)
    changes = [y - x for x, y in zip(before, after, strict=True)]
    row = {
        **place.as_dict(),
        "metric": metric,
        "items": len(pairs),
        "dialogues": found.clusters,
        "base": sum(before) / len(before),
        "value": sum(after) / len(after),
        "drop": found.value,  # value less base: negative where it got worse
        "low": found.low,
        "high": found.high,
        "test": found.test,
        "p": found.p,
        "flip_rate": sum(abs(x) >= FLIP for x in changes) / len(changes),
        "right_to_wrong": sum(x <= -FLIP for x in changes),
        "wrong_to_right": sum(x >= FLIP for x in changes),
    }
    return row | (_choices(pairs, change, other.cell.facts["seed"]) if other.labels else {})


def _choices(pairs: Sequence[tuple[Outcome, list[Outcome]]], change: Perturbation, seed: int) -> dict[str, Any]:
    """Whether the same option (or options) was chosen, wherever it stood and whatever it was called."""
    same = []
    for mine, theirs in pairs:
        assert mine.original is not None
        options, orders = mine.original.options, change.orders(mine.original, seed)
        back = {frozenset(options[orders[o.rotation][n]] for n in o.chosen) for o in theirs}
        if change.several:  # a rotation without an answer is no agreement
            same.append(len(back) == 1 and all(back))
        elif mine.chosen and all(back):
            same.append(back == {frozenset(options[n] for n in mine.chosen)})
    share = sum(same) / len(same) if same else None
    return {"consistency": share} if change.several else {"same_choice": share, "parsed_in_both": len(same)}


# --- where gold stands, and what the model chooses


def all_positions(cells: Iterable[CellOutcomes]) -> list[dict[str, Any]]:
    """Of every cell whose items list options. Of a probe the valid explanation always stands first: nothing is chosen."""
    return [positions(c) for c in cells if c.labels and TASKS[c.cell.place.task].kind.written]


def positions(found: CellOutcomes) -> dict[str, Any]:
    """By position: how often gold stands there, is right there, and how often the model chose it (rotations one by one).

    `bias` is the total variation distance between the chosen positions and gold's: 0 if both are spread alike, 0.67 for
    a model that says (b) to everything where gold is spread evenly over three.
    """
    count = len(found.labels)
    gold, right, chosen = [0] * count, [0] * count, [0] * count
    for o in found.outcomes:
        for n in o.golds:
            gold[n] += 1
            right[n] += n in o.chosen
        for n in o.chosen:
            chosen[n] += 1
    bias = None
    if sum(gold) and sum(chosen):
        bias = sum(abs(c / sum(chosen) - g / sum(gold)) for c, g in zip(chosen, gold, strict=True)) / 2
    return {
        **found.cell.place.as_dict(),
        "labels": list(found.labels),
        "gold": gold,
        "right": right,
        "chosen": chosen,
        "silent": sum(not o.chosen for o in found.outcomes),
        "bias": bias,
    }


# --- wordings and shots


def _alike(entries: Iterable[dict[str, Any]], name: str) -> Iterator[tuple[dict[str, Any], dict[str, float]]]:
    """Cells that differ in `name` alone, where there are several: what they share, and their values by it."""
    groups: dict[tuple[tuple[str, Any], ...], dict[str, float]] = {}
    for entry in entries:
        value = entry["metrics"][TASKS[entry["task"]].metrics[0]]["value"]
        if value is not None:
            groups.setdefault(Place.of(entry).but(name), {})[entry[name]] = value
    for place, values in groups.items():
        if len(values) > 1:
            by_name = {str(key): values[key] for key in sorted(values)}
            shared = dict(place)
            yield {**shared, "metric": TASKS[shared["task"]].metrics[0]}, by_name


def _wording(place: dict[str, Any], values: dict[str, float]) -> dict[str, Any]:
    worst = min(values, key=lambda name: values[name])
    return {
        **place,
        "values": values,
        "mean": sum(values.values()) / len(values),
        "spread": max(values.values()) - values[worst],
        "worst": worst,
    }
