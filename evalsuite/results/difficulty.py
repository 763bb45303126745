"""How hard items are, whether they tell models apart, and which of them look wrong: the key "difficulty" of results.json.

A row is a task, set and way of asking in which at least MODELS models answered every item unperturbed. Baselines are left out
(chance and oracles say nothing about items), adapters (those of a sweep are almost the same model), and models with replies
that failed or are still to be made. An item's value is the task's first metric, the mean of its samples.

Two kinds of items are listed as suspicious, up to LISTED a row, the least probable first:

    all_wrong   every model has value 0. p: the product of the models' shares of such items, as if models failed independently
    negative    weaker models are right and stronger ones wrong: discrimination below 0 with a one-sided p up to LEVEL
                (metrics/classical.py). It is not corrected for the number of items, since the list is for people to look
                through: of sound items, a share of up to LEVEL is listed by chance

p of a right/wrong item cannot be below 1 / C(n, n/2) with n models: none can be "negative" with fewer than six.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

from evalsuite.benchmarks.registry import TASKS
from evalsuite.results.breakdown import figures
from evalsuite.results.outcomes import CellOutcomes, Outcome, ScoredCell, ScoredRun, is_baseline, item_values

if TYPE_CHECKING:
    from evalsuite.metrics.statistics import Floats

# Of two models every correlation is 1 or -1, and the counts say no more than the comparison of the two. Three are the fewest
# of which an item can agree with the others more or less.
MODELS = 3
LISTED = 50
LEVEL = 0.05
RIGHT = 0.5  # a model is right on an item if its value is above
EDGES = (0.0, 0.2, 0.4)  # of bins of discrimination; Ebel (1965) calls items poor below 0.2, very good from 0.4

Row = dict[str, Any]


def section(run: ScoredRun) -> dict[str, Any]:
    """The key "difficulty" of results.json."""
    groups: dict[tuple[tuple[str, Any], ...], list[ScoredCell]] = {}
    for cell in run.cells:
        place, facts = cell.outcomes.cell.place, cell.entry["facts"]
        if place.perturb == "none" and not is_baseline(facts) and not facts.get("trained"):
            groups.setdefault(place.but("model"), []).append(cell)
    return {"difficulty": [row for place, cells in groups.items() if (row := _row(dict(place), cells))]}


def _row(place: Row, cells: Sequence[ScoredCell]) -> Row | None:
    whole = [c for c in cells if not c.entry["missing"] and not c.entry["status"].get("failed")]
    row = difficulty([cell.outcomes for cell in whole])
    kept = {c.entry["model"] for c in whole}
    left_out = [c.entry["model"] for c in cells if c.entry["model"] not in kept]
    return {**place, **row, "left_out": left_out} if row else None


def difficulty(cells: Sequence[CellOutcomes]) -> Row | None:
    """The figures of a row: one cell a model. None with fewer than MODELS, or without an item that all of them answered."""
    import numpy as np

    from evalsuite.metrics.classical import alpha, discriminations

    if len(cells) < MODELS:
        return None
    found = [item_values(cell) for cell in cells]
    items = [item for item in found[0] if all(item in values for values in found)]
    if not items:
        return None
    table: Floats = np.array([[values[item] for item in items] for values in found])
    rights, found_r = (table > RIGHT).sum(axis=0), discriminations(table)
    sources = {o.item: o.source for o in cells[0].outcomes}
    defined = [r for r in found_r if r is not None]
    counts = Counter(rights.tolist())
    suspicious = sorted(_suspicious(cells, items, table, found_r), key=lambda x: (x["p"], -(x["agree"] or 0)))
    kinds = Counter(x["why"] for x in suspicious)
    return {
        "metric": TASKS[cells[0].cell.place.task].item_metrics[0],
        "models": [cell.cell.place.model for cell in cells],
        **figures([(value, sources[item]) for item, value in zip(items, table.mean(axis=0).tolist(), strict=True)]),
        "right": [counts[n] for n in range(len(cells) + 1)],
        "alpha": alpha(table),
        "discrimination": {
            "n": len(defined),
            "mean": round(fmean(defined), 6) if defined else None,
            "bins": [sum(_bin(r) == n for r in defined) for n in range(len(EDGES) + 1)],
        },
        "all_wrong": kinds["all_wrong"],
        "negative": kinds["negative"],
        "suspicious": suspicious[:LISTED],
    }


def _bin(r: float) -> int:
    return sum(r >= edge for edge in EDGES)


def _suspicious(
    cells: Sequence[CellOutcomes], items: Sequence[str], table: Floats, found: Sequence[float | None]
) -> Iterator[Row]:
    from evalsuite.metrics.classical import negative_p, orders_of, rests

    others, orders = rests(table), orders_of(len(cells))
    by_chance = math.prod((table <= 0).mean(axis=1).tolist())
    chosen = [_first_samples(cell) for cell in cells]
    best_first = sorted(range(len(cells)), key=lambda n: -table[n].sum())
    for n, (item, r) in enumerate(zip(items, found, strict=True)):
        values = table[:, n]
        if not values.any():
            why, p = "all_wrong", by_chance
        elif r is not None and r < 0 and (p := negative_p(values, others[:, n], orders)) <= LEVEL:
            why = "negative"
        else:
            continue
        wrong = [m for m in best_first if values[m] <= RIGHT]
        yield {
            "item": item,
            "why": why,
            "right": len(cells) - len(wrong),
            "value": round(float(values.mean()), 6),
            "discrimination": r,
            "p": float(f"{p:.6g}"),
            "agree": _agreeing([outcomes[item] for outcomes in chosen]),
            "reply_of": cells[(wrong or best_first)[0]].cell.place.model,
        }


def _first_samples(cell: CellOutcomes) -> Mapping[str, Outcome]:
    return {o.item: o for o in reversed(cell.outcomes)}


def _agreeing(outcomes: Sequence[Outcome]) -> int | None:
    """Most models that chose the same wrong options, in their first sample; None where there are no options.

    It is what a wrong gold answer looks like: all choose the right one, which the key calls wrong.
    """
    if not any(o.golds for o in outcomes):
        return None
    wrong = Counter(tuple(sorted(o.chosen)) for o in outcomes if o.chosen and {*o.chosen} != {*o.golds})
    return max(wrong.values(), default=0)
