"""Compare two models on the same items: difference, interval, significance test, and the items that flipped.

The test is McNemar's exact test for accuracy where every item has a dialogue of its own; otherwise a paired permutation test
over dialogues, since McNemar assumes independent items. The interval agrees with the test. p-values are corrected by Holm
over the tasks and sets that were asked in the same way (split, wording, shots, scoring, perturbation): a family, which
other ways of asking do not change.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from random import Random
from statistics import fmean

from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.errors import ConfigError, unknown
from evalsuite.metrics.statistics import holm, paired_test
from evalsuite.perturb import PERTURBATIONS
from evalsuite.results.estimates import stops
from evalsuite.results.saved import reading_of
from evalsuite.results.scoring import per_item, read_answer, score_answer, score_cell
from evalsuite.results.store import Store, open_store
from evalsuite.types import PLACE, Answer, Cell, Item, Reading, Response

log = logging.getLogger(__name__)

FAMILY = tuple(
    name for name in PLACE if name not in ("model", "task", "set")
)  # rows that are alike in these parts of their place are corrected together


@dataclass(frozen=True, slots=True)
class Flip:
    """An item on which the scores of the two models differ by 0.5 or more; of several samples their means."""

    item: Item
    a: str  # A's reply, of several samples the first
    b: str
    a_score: float
    b_score: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """A minus B in `metric`, on the items of one task and set that both answered."""

    task: str
    set: str
    split: str
    variant: str
    shots: int
    scoring: str
    perturb: str
    metric: str
    items: int
    dialogues: int
    a: float
    b: float
    difference: float
    low: float
    high: float
    p: float
    test: str
    differ: int  # dialogues on which the models differ; with fewer than FEWEST, p cannot be below 0.05
    p_holm: float  # within the row's family: all tasks and sets asked in the same way
    flips: tuple[Flip, ...]


def compare(run: str | Path, a: str, b: str) -> tuple[Comparison, ...]:
    """Compare two models of a run on every task's first metric.

    Raises ConfigError if the run lacks a model, or if the two share no answered item.
    """
    with open_store(Path(run)) as store:
        reading = reading_of(Path(run))
        cells = store.cells()
        for name in (a, b):
            if name not in {c.place.model for c in cells}:
                raise ConfigError(unknown("model of this run", name, sorted({c.place.model for c in cells})))
        of_b = {c.place.but("model"): c for c in cells if c.place.model == b}
        if stopped := [c for c in cells if c.place.model in (a, b) and _stopped(store, c)]:
            log.warning("%d cells of the two are estimates and are left out: their tests would not hold", len(stopped))
        cells = [c for c in cells if c not in stopped]
        of_b = {place: c for place, c in of_b.items() if c not in stopped}
        pairs = [(c, of_b[c.place.but("model")]) for c in cells if c.place.model == a and c.place.but("model") in of_b]
        rows = [row for one, other in pairs if (row := _row(store, one, other, reading))]
    if not rows:
        raise ConfigError(
            f"{a} and {b} share no answered item in {run}; ask both the same items, in the same wording and with as many shots"
        )
    return tuple(_corrected(rows))


def _stopped(store: Store, cell: Cell) -> bool:
    """Whether a cell is an estimate, on whose items no test of a fixed number holds, or from items that were chosen."""
    if "anchors" in (cell.facts.get("items") or {}):
        return True
    return stops(cell.facts) and any(said is None for _, _, said in store.read(cell))


def _corrected(rows: Sequence[Comparison]) -> list[Comparison]:
    """The rows with p-values corrected within each family."""
    families: dict[tuple[object, ...], dict[str, float]] = {}
    for n, row in enumerate(rows):
        families.setdefault(tuple(getattr(row, name) for name in FAMILY), {})[str(n)] = row.p
    corrected = {n: p for family in families.values() for n, p in holm(family).items()}
    return [replace(row, p_holm=corrected[str(n)]) for n, row in enumerate(rows)]


def _row(store: Store, one: Cell, two: Cell, reading: Reading) -> Comparison | None:
    sides = [_answered(store, one, reading), _answered(store, two, reading)]
    shared = {
        name: rows[0][0] for name, rows in sides[0].items() if name in sides[1] and sides[1][name][0][0] == rows[0][0]
    }
    if not shared:
        return None
    metric = TASKS[one.place.task].item_metrics[0]
    rotations = PERTURBATIONS[one.place.perturb].several
    scored, values = [], []
    for side in sides:
        rows = [row for name in shared for row in side[name]]
        items, responses, samples, answers = zip(*rows, strict=True)
        scored.append(score_cell(items, responses, reading, answers, rotations, samples=samples))
        scores = (score_answer(item, answer, said).values[metric] for item, said, _, answer in rows)
        values.append([fmean(islice(scores, len(side[name]))) for name in shared])
    purpose = f"compare:{one.place.name}:{two.place.model}"
    # Rotations and samples of an item are one value.
    ours, theirs = (dict(zip([i.id for i in side.items], per_item(side)[metric], strict=True)) for side in scored)
    kept = [name for name in ours if name in theirs]
    clusters = dict(zip(ours, scored[0].clusters, strict=True))
    binary = metric == "accuracy" and not rotations and not any(side.spread for side in scored)
    test = paired_test(
        [ours[name] for name in kept],
        [theirs[name] for name in kept],
        [clusters[name] for name in kept],
        Random(purpose),
        binary,
    )
    flips = [
        Flip(item, sides[0][name][0][1].text, sides[1][name][0][1].text, x, y)
        for (name, item), x, y in zip(shared.items(), *values, strict=True)
        if abs(x - y) >= 0.5
    ]
    means = [side.value(metric) for side in scored]
    place = one.place
    return Comparison(
        place.task, place.set, place.split, place.variant, place.shots, place.scoring, place.perturb, metric, len(scored[0].items), test.clusters, means[0], means[1], test.value, test.low,
        test.high, test.p, test.test, test.differ, test.p, tuple(sorted(flips, key=lambda f: f.b_score - f.a_score)),
    )  # fmt: skip


def _answered(store: Store, cell: Cell, reading: Reading) -> dict[str, list[tuple[Item, Response, int, Answer]]]:
    """Id of item and rotation -> (item, reply, sample, answer), of the requests that did not fail."""
    found: dict[str, list[tuple[Item, Response, int, Answer]]] = {}
    for _, trial, response in store.read(cell):
        if response is not None and response.error is None:
            answer = read_answer(trial.item, response, reading, trial.request.answer_after)
            row = (trial.item, response, trial.request.sample, answer)
            found.setdefault(f"{trial.item.id}#{trial.rotation}", []).append(row)
    return found
