"""Robustness: drops under perturbation, choices by option position, spread over prompt wordings and shots.

The key "robustness" of results.json, from the outcomes of single items and from the cells. A perturbed item keeps the id of
its original, so that cells are compared item by item, over the items answered in both.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any

from evalsuite.benchmarks.registry import TASKS
from evalsuite.perturb import PERTURBATIONS, Perturbation, perturbation_of
from evalsuite.results.outcomes import CellOutcomes, Outcome, ScoredRun
from evalsuite.types import Place

FLIP = 0.5  # the least change of an item's score that counts as a flip; between right and wrong it is 1


def section(run: ScoredRun) -> dict[str, Any]:
    """The key "robustness" of results.json."""
    return {"robustness": robustness(run.outcomes, run.entries)}


def robustness(cells: Sequence[CellOutcomes], entries: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The content of "robustness"; `entries` are the cells of results.json."""
    order = list(PERTURBATIONS)
    cells = sorted(cells, key=lambda c: order.index(c.cell.place.perturb))
    return {
        "drops": drops(cells),
        "positions": all_positions(cells),
        "wordings": [_wording(*group) for group in _alike(entries, "variant")],
        "shots": [{**place, "values": values} for place, values in _alike(entries, "shots")],
    }


# --- drops under perturbation


def drops(cells: Sequence[CellOutcomes]) -> list[dict[str, Any]]:
    """A row for each perturbed cell whose unperturbed cell exists; p-values corrected by Holm over a model's rows, a family."""
    from evalsuite.metrics.statistics import within_families

    bases = {c.cell.place.but("perturb"): c for c in cells if c.cell.place.perturb == "none"}
    pairs = [(base, c) for c in cells if (base := bases.get(c.cell.place.but("perturb"))) and c is not base]
    # Equal ids denote the same item only within the same data file.
    pairs = [(base, c) for base, c in pairs if base.cell.facts["data"] == c.cell.facts["data"]]
    sizes = Counter(c.cell.place.model for _, c in pairs)
    rows = [row for base, c in pairs if (row := _drop(base, c, sizes[c.cell.place.model]))]
    for row, found in zip(rows, within_families([(r["model"], r["p"], r["least_p"]) for r in rows]), strict=True):
        row |= {"p_holm": found.p, "least_p_holm": found.least, "family": found.family}
    return rows


def _drop(base: CellOutcomes, other: CellOutcomes, family: int) -> dict[str, Any] | None:
    """The row of a perturbed cell, one of `family`; None if no item was answered in both."""
    from evalsuite.metrics.statistics import paired_test

    change = perturbation_of(other.cell.place.perturb, other.cell.facts)
    perturbed: dict[tuple[str, int], list[Outcome]] = {}  # by item and sample; several if its options were rotated
    for outcome in other.outcomes:
        perturbed.setdefault((outcome.item, outcome.sample), []).append(outcome)
    if change.several:  # leave items out that have a failed rotation, as the accuracy of their cell does
        whole = {o.item: len(o.original.options) for o in base.outcomes if o.original}
        perturbed = {name: outcomes for name, outcomes in perturbed.items() if len(outcomes) == whole.get(name[0])}
    names = [(plain.item, plain.sample) for plain in base.outcomes]
    pairs = [(plain, perturbed[name]) for plain, name in zip(base.outcomes, names, strict=True) if name in perturbed]
    if not pairs:
        return None
    metric = TASKS[base.cell.place.task].item_metrics[0]
    before, after = [plain.value for plain, _ in pairs], [min(o.value for o in outcomes) for _, outcomes in pairs]
    clusters = [plain.source for plain, _ in pairs]
    place = other.cell.place
    # The seed names no model: two models with the same replies get the same interval.
    purpose = f"robustness:{place.task}:{place.set}:{place.split}:{place.perturb}"
    test = paired_test(after, before, clusters, Random(purpose), family, binary=metric == "accuracy")
    changes = [y - x for x, y in zip(before, after, strict=True)]
    row = {
        **place.as_dict(),
        "metric": metric,
        "items": len({plain.item for plain, _ in pairs}),
        "dialogues": test.clusters,
        "base": math.fsum(before) / len(before),
        "value": math.fsum(after) / len(after),
        "drop": test.value,  # value - base: negative if the perturbation lowers the score
        "low": test.low,
        "high": test.high,
        "test": test.test,
        "p": test.p,
        "differ": test.differ,
        "least_p": test.least,
        "flip_rate": sum(abs(x) >= FLIP for x in changes) / len(changes),
        "right_to_wrong": sum(x <= -FLIP for x in changes),
        "wrong_to_right": sum(x >= FLIP for x in changes),
    }
    return row | (_choices(pairs, change, other.cell.facts["seed"]) if other.labels else {})


def _choices(pairs: Sequence[tuple[Outcome, list[Outcome]]], change: Perturbation, seed: int) -> dict[str, Any]:
    """How often the same options were chosen before and after, whatever their position and label."""
    same = []
    for plain, perturbed in pairs:
        assert plain.original is not None
        options, orders = plain.original.options, change.orders(plain.original, seed)
        chosen = {frozenset(options[orders[o.rotation][n]] for n in o.chosen) for o in perturbed}
        if change.several:  # an item with an unanswered rotation is not consistent
            same.append(len(chosen) == 1 and all(chosen))
        elif plain.chosen and all(chosen):
            same.append(chosen == {frozenset(options[n] for n in plain.chosen)})
    share = sum(same) / len(same) if same else None
    return {"consistency": share} if change.several else {"same_choice": share, "parsed_in_both": len(same)}


# --- choices by position


def all_positions(cells: Iterable[CellOutcomes]) -> list[dict[str, Any]]:
    """`positions` of every cell whose items list options. Probes are left out: their valid explanation is always first."""
    return [positions(c) for c in cells if c.labels and TASKS[c.cell.place.task].kind.written]


def positions(cell: CellOutcomes) -> dict[str, Any]:
    """Counts by option position: gold, right choices, all choices. Every rotation counts.

    `bias` is the total variation distance between the distributions of choices and gold: 0 if they are equal, 0.67 for a
    model that always answers (b) where gold is uniform over three options.
    """
    count = len(cell.labels)
    gold, right, chosen = [0] * count, [0] * count, [0] * count
    for o in cell.outcomes:
        for n in o.golds:
            gold[n] += 1
            right[n] += n in o.chosen
        for n in o.chosen:
            chosen[n] += 1
    bias = None
    if sum(gold) and sum(chosen):
        bias = math.fsum(abs(c / sum(chosen) - g / sum(gold)) for c, g in zip(chosen, gold, strict=True)) / 2
    return {
        **cell.cell.place.as_dict(),
        "labels": list(cell.labels),
        "gold": gold,
        "right": right,
        "chosen": chosen,
        "silent": sum(not o.chosen for o in cell.outcomes),
        "bias": bias,
    }


# --- wordings and shots


def _alike(entries: Iterable[dict[str, Any]], name: str) -> Iterator[tuple[dict[str, Any], dict[str, float]]]:
    """Groups of two or more cells that differ only in the part `name` of their place: what they share, value by that part."""
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
        "mean": math.fsum(values.values()) / len(values),
        "spread": max(values.values()) - values[worst],
        "worst": worst,
    }
