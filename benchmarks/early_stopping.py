"""Simulate early stopping on the outcomes of finished runs: coverage of the intervals, and how many items are asked.

    python benchmarks/early_stopping.py RUN… --margin 3 --repetitions 2000 --seed 0

Each complete cell of the runs is a list of outcomes. A repetition reads the list in a new random order, looks at the interval
after every block, and stops when it is narrow enough. For comparison, the script does the same with an interval for a fixed
number of items (normal, with the correction for a finite list) at each item from the 30th on, and computes the number of items
that this interval needs if the variance is known before ("oracle").
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np

from evalsuite.benchmarks.registry import TASKS
from evalsuite.metrics.sequences import Order, bounds
from evalsuite.results.estimates import asking_of, estimated_metric, item_range
from evalsuite.results.scoring import score_reply
from evalsuite.results.store import open_store

_Z = NormalDist().inv_cdf(0.975)
_LOOKS_FROM = 30
_SMALL = 1e-9


@dataclass(frozen=True)
class Outcomes:
    """The values of a cell's items, in the order of asking."""

    name: str
    model: str
    benchmark: str
    values: Any  # (N,)
    order: Order


def outcomes(run: Path) -> Iterator[Outcomes]:
    """The cells of a run in which every request has a reply."""
    with open_store(run) as store:
        for cell in store.cells():
            task = TASKS[cell.place.task]
            trials, values = [], []
            for _, trial, response in store.read(cell):
                if response is None or response.error is not None:
                    break
                score = score_reply(trial.item, response, answer_after=trial.request.answer_after)[1]
                trials.append(trial)
                values.append((trial.request.sample, score.values[estimated_metric(task)]))
            else:
                asking = asking_of(cell, trials)
                item_values = [item_range(values[n] for n in indices)[0] for indices in asking.trials]
                yield Outcomes(cell.place.name, cell.place.model, task.benchmark, np.array(item_values), asking.order)


def simulate(cell: Outcomes, margin: float, repetitions: int, seed: int) -> dict[str, Any]:
    """The numbers of items asked, and the shares of repetitions whose interval misses the mean."""
    values, order, total = cell.values, cell.order, len(cell.values)
    rng = np.random.default_rng([seed, *cell.name.encode()])
    strata = [np.flatnonzero(order.strata == s) for s in np.unique(order.strata)]
    mean, ends = float(values.mean()), order.ends
    asked_counts, missed, missed_at_stop, fixed_asked, fixed_missed = [], 0, 0, [], 0
    for _ in range(repetitions):
        drawn = values.copy()
        for members in strata:
            drawn[members] = rng.permutation(values[members])
        low, high = bounds(drawn, drawn, order, margin)
        wrong = (low > mean + _SMALL) | (high < mean - _SMALL)
        stop = int(np.argmax(high - low <= 2 * margin + _SMALL))
        asked_counts.append(int(ends[stop]))
        missed += bool(wrong.any())
        missed_at_stop += bool(wrong[stop])
        n, wrong_fixed = _fixed(rng.permutation(values), margin, mean)
        fixed_asked.append(n)
        fixed_missed += wrong_fixed
    within = sum(float(values[m].var()) * len(m) for m in strata) / total
    alone = _Z**2 * within / margin**2
    return {
        "cell": cell.name,
        "benchmark": cell.benchmark,
        "model": cell.model,
        "items": total,
        "mean": mean,
        "asked": float(np.mean(asked_counts)),
        "missed": missed / repetitions,  # at any look
        "missed_at_stop": missed_at_stop / repetitions,
        "oracle": math.ceil(alone * total / (total + alone)),
        "fixed_asked": float(np.mean(fixed_asked)),
        "fixed_missed": fixed_missed / repetitions,
    }


def _fixed(drawn: Any, margin: float, mean: float) -> tuple[int, bool]:
    """The number of items at which the interval for a fixed number is first narrow enough, and whether it then misses the mean."""
    total = len(drawn)
    n = np.arange(1, total + 1)
    means = np.cumsum(drawn) / n
    variance = np.maximum(np.cumsum(drawn**2) / n - means**2, 0.0)
    half = _Z * np.sqrt(variance / n * (total - n) / max(total - 1, 1))
    enough = (half <= margin) & (n >= min(_LOOKS_FROM, total))
    stop = int(np.argmax(enough))
    return stop + 1, bool(abs(means[stop] - mean) > half[stop] + _SMALL)


def summary(rows: list[dict[str, Any]], name: str) -> str:
    items = sum(row["items"] for row in rows)

    def share(key: str) -> str:
        return f"{100 * sum(row[key] for row in rows) / items:5.1f} %"

    worst, mean = max(row["missed"] for row in rows), sum(row["missed"] for row in rows) / len(rows)
    fixed = max(row["fixed_missed"] for row in rows)
    return (
        f"{name:24} {len(rows):4} cells {items:7,} items  asked {share('asked')}  oracle {share('oracle')}  "
        f"missed at any look: worst cell {100 * worst:4.1f} %, mean {100 * mean:4.2f} %  |  fixed: asked {share('fixed_asked')}, "
        f"missed where it stops: worst {100 * fixed:4.1f} %"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    parser.add_argument("--margin", type=float, default=3.0, help="points")
    parser.add_argument("--repetitions", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--least", type=int, default=1, help="leave out cells of fewer items")
    parser.add_argument("--json", type=Path, help="also write the rows there")
    given = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for run in given.runs:
        for cell in outcomes(run):
            if len(cell.values) >= given.least:
                rows.append({"run": run.name, **simulate(cell, given.margin / 100, given.repetitions, given.seed)})
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1, ensure_ascii=False))
    for model in dict.fromkeys(row["model"] for row in rows):
        for benchmark in dict.fromkeys(row["benchmark"] for row in rows):
            if of_both := [row for row in rows if (row["model"], row["benchmark"]) == (model, benchmark)]:
                print(summary(of_both, f"{model} {benchmark}"))
    print(summary(rows, "all"))


if __name__ == "__main__":
    main()
