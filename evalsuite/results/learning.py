"""Learning curves of fine-tuned adapters: score by number of training items, and a check for label shortcuts.

The key "learning" of results.json, from its cells and from positions (robustness.py). A cell of an adapter has
`facts.trained`; a run may hold several sweeps.
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

_ASKED = (
    "data",
    "limit",
    "items",
    "seed",
    "drop_leaked",
    "perturb_version",
)  # keys of facts that define the test items


def section(run: ScoredRun) -> dict[str, Any]:
    """The key "learning" of results.json."""
    return {"learning": learning(run.entries, all_positions(run.outcomes))}


def learning(entries: Sequence[dict[str, Any]], positions: Sequence[dict[str, Any]] = ()) -> list[dict[str, Any]]:
    """A curve for each base model, training pool and place. `entries` are the cells of results.json."""
    by_place = {Place.of(c): c for c in entries}
    positions_at = {Place.of(p): p for p in positions}
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}  # by the base model's place and the pool
    for cell in entries:
        trained = cell["facts"].get("trained")
        if trained and _figure(cell) is not None:
            pool = _trained_on(trained, cell["task"]), trained.get("allow_leak")
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
                "before": _before(by_place.get(base), cells),
                "chance": chances[0] if chances else None,
                "points": _points(cells, positions_at),
            }
        )
    tasks, perturbations = list(TASKS), list(PERTURBATIONS)
    return sorted(rows, key=lambda r: (tasks.index(r["task"]), r["set"], perturbations.index(r["perturb"])))


def _trained_on(trained: dict[str, Any], task: str) -> str:
    """The pool of training items, one curve a pool: the set, the tasks if they are others than `task`, the groups."""
    tasks = [trained["task"]] if trained.get("task", task) != task else []
    groups = ["only " + ",".join(trained["groups"])] if trained.get("groups") else []
    return " ".join((trained["set"], *tasks, *groups))


def _figure(cell: dict[str, Any]) -> dict[str, Any] | None:
    """The cell's first metric with its interval; None if nothing was answered."""
    figure: dict[str, Any] = cell["metrics"][TASKS[cell["task"]].metrics[0]]
    return None if figure["value"] is None else figure


def _before(cell: dict[str, Any] | None, adapters: Iterable[dict[str, Any]]) -> dict[str, Any] | None:
    """The base model's figure; None if there is none on the test items of any adapter."""
    figure = _figure(cell) if cell else None
    if cell is None or figure is None or not any(_items(cell) == _items(other) for other in adapters):
        return None
    return {"value": figure["value"], "low": figure.get("low"), "high": figure.get("high"), "items": cell["items"]}


def _items(cell: dict[str, Any]) -> list[Any]:
    return [cell["facts"].get(name) for name in _ASKED]


def _points(cells: Sequence[dict[str, Any]], positions_at: dict[Place, dict[str, Any]]) -> list[dict[str, Any]]:
    """A point of the curve for each training size: the mean over the adapters of that size, one a seed."""
    by_size: dict[int, list[dict[str, Any]]] = {}
    for cell in cells:
        by_size.setdefault(cell["facts"]["trained"]["size"], []).append(cell)
    points = []
    for size, adapters in sorted(by_size.items()):
        adapters.sort(key=lambda c: (c["facts"]["trained"]["seed"], c["model"]))
        seeds = [_seed(cell) for cell in adapters]
        values = [s["value"] for s in seeds]
        several = len(seeds) > 1
        checks = [
            x for c in adapters if (x := label_check(c["facts"]["trained"], positions_at.get(Place.of(c)))) is not None
        ]
        points.append(
            {
                "size": size,
                "value": mean(values),
                "low": min(values) if several else seeds[0]["low"],
                "high": max(values) if several else seeds[0]["high"],
                "interval": "seeds" if several else "items",  # the range over seeds, or the cell's bootstrap
                "items": adapters[0]["items"],
                "seeds": seeds,
                "labels": _together(checks) if len(checks) == len(adapters) else None,
            }
        )
    return points


def _seed(cell: dict[str, Any]) -> dict[str, Any]:
    figure = _figure(cell) or {}
    numbers = {name: figure.get(name) for name in ("value", "low", "high")}
    return {"seed": cell["facts"]["trained"]["seed"], "model": cell["model"], **numbers}


# --- label shortcuts


def label_check(trained: dict[str, Any], positions: dict[str, Any] | None) -> dict[str, Any] | None:
    """Compare three distributions over option positions: training answers, the adapter's choices, gold.

    None for spans and texts. Labels are compared by position, since perturbed items have other labels; in training they are
    a, b, c, … or 0, 1, 2, … `distance` is the total variation distance between choices and training, `bias` that between
    choices and gold. If gold is distributed as in training, both are small: only shuffled items reveal a shortcut.
    """
    names = next((names for names in _NAMES if set(trained.get("labels") or ()) <= set(names)), ())
    if positions is None or not trained.get("labels") or not names:
        return None
    places = {names.index(name): n for name, n in trained["labels"].items()}
    shown = len(positions["labels"])
    count = max(shown, 1 + max(places))
    labels = positions["labels"] + [f"({names[n]})" for n in range(shown, count)]
    rest = [0] * (count - shown)
    counts, chosen, gold = (
        [places.get(n, 0) for n in range(count)],
        positions["chosen"] + rest,
        positions["gold"] + rest,
    )
    most = counts.index(max(counts))
    return {
        "labels": labels,
        "trained": counts,
        "chosen": chosen,
        "gold": gold,
        "silent": positions["silent"],
        "distance": _distance(chosen, counts),
        "bias": _distance(chosen, gold),
        "most": most,  # position of the most frequent label of training
        "share": chosen[most] / sum(chosen) if sum(chosen) else None,  # of the choices, at that position
        "gold_share": gold[most] / sum(gold) if sum(gold) else None,
    }


_NAMES = (STYLES["lower"](702), [str(n) for n in range(100)])


def _distance(one: Sequence[int], other: Sequence[int]) -> float | None:
    if not sum(one) or not sum(other):
        return None
    return sum(abs(a / sum(one) - b / sum(other)) for a, b in zip(one, other, strict=True)) / 2


def _together(checks: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Pool the checks of several seeds: sum counts, average shares and distances."""
    if not checks:
        return None
    longest = max(checks, key=lambda x: len(x["labels"]))
    pooled: dict[str, Any] = {"labels": longest["labels"]}
    for name in ("trained", "chosen", "gold"):
        padded = ([*x[name], *[0] * (len(longest["labels"]) - len(x[name]))] for x in checks)
        pooled[name] = [sum(column) for column in zip(*padded, strict=True)]
    pooled["silent"] = sum(x["silent"] for x in checks)
    pooled["most"] = pooled["trained"].index(max(pooled["trained"]))
    for name in ("distance", "bias", "share", "gold_share"):
        values = [x[name] for x in checks if x[name] is not None]
        pooled[name] = mean(values) if values else None
    return pooled
