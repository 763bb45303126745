"""Learning curves of sweeps: score by number of training items, and whether an adapter repeats the labels of training.

Pure functions of the entries of cells and of robustness.positions; their output stands in results.json under "learning".
Cells of adapters have `facts.trained`; a folder may hold those of several sweeps.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import mean
from typing import Any

from evalsuite.benchmarks.registry import TASKS
from evalsuite.perturb import PERTURBATIONS
from evalsuite.perturb.choice import STYLES
from evalsuite.results.outcomes import ScoredRun
from evalsuite.results.robustness import all_positions
from evalsuite.types import Place

POOL = ("set", "allow_leak")  # of facts.trained: what else the training items hang on; other pools are other curves
_ASKED = ("data", "limit", "seed", "drop_leaked")  # facts that say which items were asked


def section(run: ScoredRun) -> dict[str, Any]:
    return {"learning": learning(run.entries, all_positions(run.outcomes))}


def learning(entries: Sequence[dict[str, Any]], positions: Sequence[dict[str, Any]] = ()) -> list[dict[str, Any]]:
    """A row for each base model, way of training and place; `entries` are results.json's cells."""
    at = {Place.of(c): c for c in entries}
    said = {Place.of(p): p for p in positions}
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}  # by the base model's place, and the pool
    for cell in entries:
        trained = cell["facts"].get("trained")
        if trained and _figure(cell) is not None:
            pool = (trained.get(name) for name in POOL)
            groups.setdefault((replace(Place.of(cell), model=trained["base"]), *pool), []).append(cell)
    rows = []
    for (base, trained_on, allow_leak), cells in groups.items():
        chances = [c["chance"] for c in cells if "chance" in c]
        rows.append(
            {
                "base": base.model,
                "trained_on": trained_on,
                "allow_leak": allow_leak,
                **dict(base.but("model")),
                "metric": TASKS[cells[0]["task"]].metrics[0],
                "before": _before(at.get(base), cells),
                "chance": chances[0] if chances else None,
                "points": _points(cells, said),
            }
        )
    order = (list(TASKS), list(PERTURBATIONS))
    return sorted(rows, key=lambda r: (order[0].index(r["task"]), r["set"], order[1].index(r["perturb"])))


def _figure(cell: dict[str, Any]) -> dict[str, Any] | None:
    found: dict[str, Any] = cell["metrics"][TASKS[cell["task"]].metrics[0]]
    return None if found["value"] is None else found


def _before(cell: dict[str, Any] | None, beside: Iterable[dict[str, Any]]) -> dict[str, Any] | None:
    """The base model's figure; None if it was not asked, or about other items than all the adapters were."""
    found = _figure(cell) if cell else None
    if cell is None or found is None or not any(_items(cell) == _items(other) for other in beside):
        return None
    return {"value": found["value"], "low": found.get("low"), "high": found.get("high"), "items": cell["items"]}


def _items(cell: dict[str, Any]) -> list[Any]:
    return [cell["facts"].get(name) for name in _ASKED]


def _points(cells: Sequence[dict[str, Any]], said: dict[Place, dict[str, Any]]) -> list[dict[str, Any]]:
    by_size: dict[int, list[dict[str, Any]]] = {}
    for cell in cells:
        by_size.setdefault(cell["facts"]["trained"]["size"], []).append(cell)
    points = []
    for size, of in sorted(by_size.items()):
        of = sorted(of, key=lambda c: (c["facts"]["trained"]["seed"], c["model"]))
        seeds = [_seed(cell) for cell in of]
        values = [s["value"] for s in seeds]
        several = len(seeds) > 1
        checks = [x for c in of if (x := label_check(c["facts"]["trained"], said.get(Place.of(c))))]
        points.append(
            {
                "size": size,
                "value": mean(values),
                "low": min(values) if several else seeds[0]["low"],
                "high": max(values) if several else seeds[0]["high"],
                "interval": "seeds" if several else "items",  # lowest and highest seed, or the cell's own bootstrap
                "items": of[0]["items"],
                "seeds": seeds,
                "labels": _together(checks) if len(checks) == len(of) else None,
            }
        )
    return points


def _seed(cell: dict[str, Any]) -> dict[str, Any]:
    found = _figure(cell) or {}
    numbers = {name: found.get(name) for name in ("value", "low", "high")}
    return {"seed": cell["facts"]["trained"]["seed"], "model": cell["model"], **numbers}


# --- does it say what training said?


def label_check(trained: dict[str, Any], said: dict[str, Any] | None) -> dict[str, Any] | None:
    """Answers by place of their label: in training, chosen by the adapter, gold. None for spans and texts.

    Labels are compared by place, as perturbed items call them otherwise; in training they are a, b, c, … or 0, 1, 2, …
    `distance` is the total variation distance between chosen and training, `bias` that between chosen and gold. Both
    are small where gold is spread as in training: only shuffled items tell a shortcut from a right answer.
    """
    names = next((names for names in _NAMES if set(trained.get("labels") or ()) <= set(names)), ())
    if said is None or not trained.get("labels") or not names:
        return None
    places = {names.index(name): n for name, n in trained["labels"].items()}
    count = max(len(said["labels"]), 1 + max(places))
    labels = said["labels"] + [f"({names[n]})" for n in range(len(said["labels"]), count)]
    rest = [0] * (count - len(said["labels"]))
    counts, chosen, gold = [places.get(n, 0) for n in range(count)], said["chosen"] + rest, said["gold"] + rest
    most = counts.index(max(counts))
    return {
        "labels": labels,
        "trained": counts,
        "chosen": chosen,
        "gold": gold,
        "silent": said["silent"],
        "distance": _distance(chosen, counts),
        "bias": _distance(chosen, gold),
        "most": most,  # the place of the label most frequent in training
        "share": chosen[most] / sum(chosen) if sum(chosen) else None,  # of the answers, on that label
        "gold_share": gold[most] / sum(gold) if sum(gold) else None,
    }


_NAMES = (STYLES["lower"](702), [str(n) for n in range(100)])


def _distance(one: Sequence[int], other: Sequence[int]) -> float | None:
    if not sum(one) or not sum(other):
        return None
    return sum(abs(a / sum(one) - b / sum(other)) for a, b in zip(one, other, strict=True)) / 2


def _together(checks: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Several seeds: counts summed up, shares and distances averaged, each against its own training."""
    if not checks:
        return None
    longest = max(checks, key=lambda x: len(x["labels"]))
    found: dict[str, Any] = {"labels": longest["labels"]}
    for name in ("trained", "chosen", "gold"):
        padded = ([*x[name], *[0] * (len(longest["labels"]) - len(x[name]))] for x in checks)
        found[name] = [sum(column) for column in zip(*padded, strict=True)]
    found["silent"] = sum(x["silent"] for x in checks)
    found["most"] = found["trained"].index(max(found["trained"]))
    for name in ("distance", "bias", "share", "gold_share"):
        there = [x[name] for x in checks if x[name] is not None]
        found[name] = mean(there) if there else None
    return found
