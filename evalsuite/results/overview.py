"""One row a model over all benchmarks of a group (benchmarks/groups.yaml): the key "groups" of results.json.

A row has means by benchmark and by ability, and mean changes under perturbation by benchmark. A part is a task's headline
metric on one set, brought to 0 … 1 by its metric's highest value; metrics without one, and those of which less is better, are
left out. A task's figure is the mean of its sets; a benchmark's or an ability's is the mean of its tasks: every task weighs the
same. Every part must be there: a model that was not asked one, or of whose requests there none was answered, has no mean, and
the row says what is missing. Parts of which no model of the run has a figure are absent: they are missing to none, but named.

Intervals take the parts as independent: half widths h of k equal parts give sqrt(sum of h²) / k, as in means.py. That holds
between benchmarks and between sets, which share no dialogue. Tasks of CORECODE and of C3 share dialogues, and a model that
misreads one may fail in several tasks: there the true interval may be wider, at most by the factor sqrt(k), if all k parts rose
and fell together.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalsuite.benchmarks import groups as named_groups
from evalsuite.benchmarks.groups import Group
from evalsuite.benchmarks.registry import BENCHMARKS, TASKS, metric_named, set_order, takes_shots, task_order
from evalsuite.perturb import PERTURBATIONS
from evalsuite.results.outcomes import is_subset
from evalsuite.types import Place, Status

Entry = dict[str, Any]
Parts = dict[tuple[str, str], Entry]  # by task and set


def section(content: Mapping[str, Any]) -> dict[str, Any]:
    """The key "groups" of results.json, from its other keys."""
    return {"groups": overview(content["cells"], content["robustness"]["drops"], named_groups.groups().values())}


def overview(cells: Sequence[Entry], drops: Sequence[Entry], groups: Iterable[Group]) -> list[Entry]:
    """An entry for each group and split with cells of at least two of the group's benchmarks.

    `cells` and `drops` are those of results.json, the latter under "robustness".
    """
    found = []
    for group in groups:
        mine = [c for c in cells if TASKS[c["task"]].benchmark in group.benchmarks and not is_subset(c)]
        for split in dict.fromkeys(c["split"] for c in mine):
            plain = [c for c in mine if c["split"] == split and c.get("perturb", "none") == "none"]
            if len({TASKS[c["task"]].benchmark for c in plain}) > 1:
                changed = [d for d in drops if d["split"] == split and TASKS[d["task"]].benchmark in group.benchmarks]
                found.append(_entry(group, split, plain, changed))
    return found


def _entry(group: Group, split: str, cells: Sequence[Entry], drops: Sequence[Entry]) -> Entry:
    left_out = {c["task"] for c in cells if not _scale(TASKS[c["task"]].metrics[0])}
    cells = [c for c in cells if c["task"] not in left_out]
    drops = [d for d in drops if _scale(d["metric"])]
    told = {(c["task"], c["set"]) for c in cells if _part(c)["value"] is not None}
    asked = sorted(told, key=_part_order)
    columns = [made for made in _columns(group, asked, left_out) if made["parts"]]
    changed = _changed(group, drops)
    at, drop_at = {Place.of(c): c for c in cells}, {Place.of(d): d for d in drops}
    rows = [_row(way, columns, changed, at, drop_at) for way in _ways(cells)]
    return {
        "name": group.name,
        "zh": group.zh,
        "en": group.en,
        "split": split,
        "columns": columns,
        "left_out": sorted(left_out, key=task_order),
        "rows": rows,
    }


def _scale(metric: str) -> float:
    """The highest value of a metric; 0 for one that is no score between 0 and that."""
    row = metric_named(metric)
    return 0.0 if row.lower or not row.top else row.top


def _part_order(part: tuple[str, str]) -> tuple[int, tuple[int, str]]:
    return task_order(part[0]), set_order(part[1])


def part_name(part: tuple[str, str]) -> str:
    """Task and set as groups.yaml writes them."""
    return "/".join(part)


# --- columns


def _columns(group: Group, asked: Sequence[tuple[str, str]], left_out: set[str]) -> Iterable[Entry]:
    """The benchmarks and abilities with the parts of which some model has a figure, and those of which none has."""
    for name in group.benchmarks:
        if name in BENCHMARKS:
            own = BENCHMARKS[name]
            parts = [part for part in asked if TASKS[part[0]].benchmark == name]
            absent = [t.name for t in own.tasks if t.name not in left_out | {task for task, _ in parts}]
            yield _column("benchmark", name, own.title, own.title, parts, absent)
    for ability in group.abilities:
        parts = [part for part in asked if ability.has(*part)]
        there = {*map(part_name, parts), *(task for task, _ in parts)}
        absent = [name for name in ability.tasks if name not in there | left_out]
        yield _column("ability", ability.name, ability.zh, ability.en, parts, absent)


def _column(kind: str, name: str, zh: str, en: str, parts: Sequence[tuple[str, str]], absent: Sequence[str]) -> Entry:
    return {"kind": kind, "name": name, "zh": zh, "en": en, "parts": [*map(part_name, parts)], "absent": [*absent]}


def _changed(group: Group, drops: Sequence[Entry]) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """The parts that some model was asked under a perturbation, by perturbation and benchmark."""
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for perturb in PERTURBATIONS:
        for name in group.benchmarks:
            places = (
                (d["task"], d["set"]) for d in drops if d["perturb"] == perturb and TASKS[d["task"]].benchmark == name
            )
            if parts := sorted({*places}, key=_part_order):
                found[perturb, name] = parts
    return found


# --- rows


@dataclass(frozen=True, slots=True)
class _Way:
    """A model and how it is asked."""

    model: str
    split: str
    variant: str
    shots: int
    scoring: str

    def place(self, task: str, item_set: str, perturb: str = "none") -> Place:
        """Where the figure of a task on a set is. A task that knows no such scoring is asked by generating, a probe by
        likelihood, and what is never asked with shots without, as a run does (evaluation/plan.py)."""
        row = TASKS[task]
        shots = self.shots if takes_shots(row) else 0
        scoring = self.scoring if self.scoring in row.scorings else row.scorings[0]
        return Place(self.model, task, item_set, self.split, self.variant, shots, scoring, perturb)


def _ways(cells: Sequence[Entry]) -> list[_Way]:
    """A row for each model and way of asking, less those that only hold what other rows of the model hold, too."""
    ways = dict.fromkeys(
        _Way(p.model, p.split, p.variant, p.shots, p.scoring) for p in map(Place.of, cells) if p.scoring != "nll"
    )
    asked = {Place.of(c) for c in cells}
    held = {way: {p for c in cells if (p := way.place(c["task"], c["set"])) in asked} for way in ways}
    return [way for way in ways if not any(held[way] < held[other] for other in ways if other.model == way.model)]


def _row(
    way: _Way,
    columns: Sequence[Entry],
    changed: Mapping[tuple[str, str], Sequence[tuple[str, str]]],
    at: Mapping[Place, Entry],
    drop_at: Mapping[Place, Entry],
) -> Entry:
    parts: Parts = {}
    for name in dict.fromkeys(name for column in columns for name in column["parts"]):
        task, item_set = name.split("/")
        if cell := at.get(way.place(task, item_set)):
            parts[task, item_set] = _part(cell)
    changes = []
    for (perturb, benchmark), wanted in changed.items():
        there = {(t, s): _change(d) for t, s in wanted if (d := drop_at.get(way.place(t, s, perturb)))}
        if there:
            names = [*map(part_name, wanted)]
            changes.append(
                {"perturb": perturb, "benchmark": benchmark, **_mean(there, names), "parts": [*there.values()]}
            )
    return {
        "model": way.model,
        "split": way.split,
        "variant": way.variant,
        "shots": way.shots,
        "scoring": way.scoring,
        "perturb": "none",
        "parts": [*parts.values()],
        "scores": [
            {"kind": c["kind"], "name": c["name"], **_mean(parts, c["parts"]), "chance": _chance(parts, c["parts"])}
            for c in columns
        ],
        "changes": changes,
    }


def _part(cell: Entry) -> Entry:
    """The headline of a cell, brought to 0 … 1."""
    metric = TASKS[cell["task"]].metrics[0]
    found, top = cell["metrics"].get(metric, {}), _scale(metric)
    return {
        **_asked(cell),
        "metric": metric,
        **{end: _over(found.get(end), top) for end in ("value", "low", "high")},
        "items": found.get("n", 0),
        "lost": (0 if "estimate" in cell else cell["missing"]) + cell["status"].get(Status.FAILED.value, 0),
        **({"estimated": True} if "estimate" in cell else {}),
        "chance": cell.get("chance") if metric_named(metric).share else None,
    }


def _change(drop: Entry) -> Entry:
    """The change of a perturbed cell, brought to 0 … 1."""
    top = _scale(drop["metric"])
    return {
        **_asked(drop),
        "metric": drop["metric"],
        "value": _over(drop["drop"], top),
        "low": _over(drop["low"], top),
        "high": _over(drop["high"], top),
        "items": drop["items"],
    }


def _asked(row: Entry) -> Entry:
    """What of a part's place its row does not tell."""
    place = Place.of(row)
    return {"task": place.task, "set": place.set, "shots": place.shots, "scoring": place.scoring}


def _over(value: float | None, top: float) -> float | None:
    return None if value is None else value / top


# --- means


def weights(parts: Iterable[str]) -> dict[str, float]:
    """The weight of each part: every task the same, and of a task every set.

    >>> weights(["a/easy", "a/hard", "b/test"])
    {'a/easy': 0.25, 'a/hard': 0.25, 'b/test': 0.5}
    """
    sets: dict[str, list[str]] = {}
    for part in parts:
        sets.setdefault(part.split("/")[0], []).append(part)
    return {part: 1 / (len(sets) * len(own)) for own in sets.values() for part in own}


def _mean(parts: Parts, wanted: Sequence[str]) -> Entry:
    """The weighted mean of the wanted parts, if all are there; their half widths as those of independent values."""
    found = {name: part for part_of, part in parts.items() if (name := part_name(part_of)) in wanted}
    missing = [name for name in wanted if name not in found or found[name]["value"] is None]
    told: Entry = {"value": None, "low": None, "high": None}
    if not missing:
        weighed = [(weight, found[name]) for name, weight in weights(wanted).items()]
        value = math.fsum(w * part["value"] for w, part in weighed)
        told["value"] = value
        stopped = any("estimated" in part for _, part in weighed)  # their intervals do not add up so
        if not stopped and all(part[end] is not None for _, part in weighed for end in ("low", "high")):
            low, high = (
                math.sqrt(math.fsum((w * (part[end] - part["value"])) ** 2 for w, part in weighed))
                for end in ("low", "high")
            )
            told |= {"low": value - low, "high": value + high}
    items = sum(part["items"] for part in found.values())
    return {**told, "items": items, "missing": missing}


def _chance(parts: Parts, wanted: Sequence[str]) -> float | None:
    """The mean of guessing, where every part has a level of it."""
    levels = {part_name(part_of): part["chance"] for part_of, part in parts.items()}
    if any(levels.get(name) is None for name in wanted):
        return None
    return math.fsum(weight * levels[name] for name, weight in weights(wanted).items())
