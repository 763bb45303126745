"""Two models on the same items: what differs, by how much, with what certainty, and which items flipped.

The difference and its interval come from a paired bootstrap over dialogues; the test is McNemar's exact one for
accuracy where every item has a dialogue of its own, and a paired permutation over dialogues otherwise (items of one
dialogue go right and wrong together, which McNemar does not allow for). p-values are corrected by Holm over all rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.errors import ConfigError, unknown
from evalsuite.metrics.statistics import holm, paired_test
from evalsuite.perturb import PERTURBATIONS
from evalsuite.results.journey import open_store, reading_of
from evalsuite.results.scoring import read_answer, score_answer, score_cell
from evalsuite.results.store import Store
from evalsuite.types import Cell, Item, Reading, Response


@dataclass(frozen=True, slots=True)
class Flip:
    """An item that one model has right (or better) and the other not."""

    item: Item
    a: str  # the replies
    b: str
    a_score: float
    b_score: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """One task and set in one wording: A less B in `metric`, on the items both answered."""

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
    p_holm: float
    flips: tuple[Flip, ...]


def compare(run: str | Path, a: str, b: str) -> tuple[Comparison, ...]:
    """Compare two models of a run on every task's first metric. Raises ConfigError if there is nothing to compare."""
    with open_store(Path(run)) as store:
        reading = reading_of(Path(run))
        cells = store.cells()
        for name in (a, b):
            if name not in {c.place.model for c in cells}:
                raise ConfigError(unknown("model of this run", name, sorted({c.place.model for c in cells})))
        of_b = {c.place.but("model"): c for c in cells if c.place.model == b}
        pairs = [(c, of_b[c.place.but("model")]) for c in cells if c.place.model == a and c.place.but("model") in of_b]
        rows = [row for one, other in pairs if (row := _row(store, one, other, reading))]
    if not rows:
        raise ConfigError(f"{a} and {b} share no answered item in {run}")
    corrected = holm({str(n): row.p for n, row in enumerate(rows)})
    return tuple(replace(row, p_holm=corrected[str(n)]) for n, row in enumerate(rows))


def _row(store: Store, one: Cell, two: Cell, reading: Reading) -> Comparison | None:
    theirs = dict(_answered(store, two))
    shared = [
        (item, response, theirs[name][1])
        for name, (item, response) in _answered(store, one)
        if name in theirs and theirs[name][0] == item
    ]
    if not shared:
        return None
    items = [item for item, _, _ in shared]
    metric = TASKS[one.place.task].item_metrics[0]
    replies = [[mine for _, mine, _ in shared], [other for _, _, other in shared]]
    answers = [[read_answer(i, r, reading) for i, r in zip(items, side, strict=True)] for side in replies]
    several = PERTURBATIONS[one.place.perturb].several
    scored = [score_cell(items, side, reading, read, several) for side, read in zip(replies, answers, strict=True)]
    part = scored[0].part(metric)
    purpose = f"compare:{one.place.name}:{two.place.model}"
    values = [
        [score_answer(i, a, r).values[metric] for i, a, r in zip(items, read, side, strict=True)]
        for read, side in zip(answers, replies, strict=True)
    ]
    right = (values[0], values[1]) if metric == "accuracy" and not several else None
    found = paired_test(
        part.sums, scored[1].part(metric).sums, part.names[metric], scored[0].clusters, Random(purpose), right
    )
    flips = [
        Flip(item, mine.text, other.text, x, y)
        for (item, mine, other), x, y in zip(shared, *values, strict=True)
        if abs(x - y) >= 0.5
    ]
    means = [side.value(metric) for side in scored]  # of rotations, as of all else, by item
    place = one.place
    return Comparison(
        place.task, place.set, place.split, place.variant, place.shots, place.scoring, place.perturb, metric, len(scored[0].items), found.clusters, means[0], means[1], found.value, found.low,
        found.high, found.p, found.test, found.p, tuple(sorted(flips, key=lambda f: f.b_score - f.a_score)),
    )  # fmt: skip


def _answered(store: Store, cell: Cell) -> Iterator[tuple[str, tuple[Item, Response]]]:
    for _, trial, response in store.read(cell):
        if response is not None and response.error is None:
            yield f"{trial.item.id}#{trial.rotation}", (trial.item, response)
