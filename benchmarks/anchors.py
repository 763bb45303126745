"""Errors of anchor items as estimates of the scores of models that had no part in choosing them, beside random items.

    python benchmarks/anchors.py [RUN…] [--table FILE.csv…] [--models 6,12,30] [--sizes 25,50,100,200] [--seeds 10]

Outcomes are read from runs or from tables (a row per model, a column per item, values from 0 to 1). Without either, a
two-parameter logistic model with several abilities simulates 200 models. For each seed the script draws the models by which
items are chosen; all other models are new. It prints a line for each number of models and items:

    said      the error that a file of anchor items would state, measured on models left out of the choice
    new       the mean absolute error of the chosen items on new models, in points
    random    the same of random items
    wins      seeds in which the chosen items are better than random ones are on average
    covered   new models whose score is within the stated 95 % interval

--stronger: the best quarter of the models is new; items are chosen by the others.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from evalsuite.analyses.anchors import read_columns
from evalsuite.metrics.anchors import choose, curve
from evalsuite.metrics.counts import Floats

RANDOM = 40  # sets of random items; their mean error is printed


def simulate_outcomes(models: int, items: int, seed: int, abilities: int = 3, noise: bool = False) -> Floats:
    """(models, items) of 1 for right and 0 for wrong answers. `noise`: all items are equally hard, so that no choice is better."""
    rng = np.random.default_rng(seed)
    general = rng.normal(0.3, 1.2, models)
    special_abilities = rng.normal(0, 0.7, (models, abilities))
    kind, hard, slope = rng.integers(abilities, size=items), rng.normal(0, 1.3, items), rng.lognormal(0, 0.4, items)
    if noise:
        special_abilities, hard, slope = special_abilities * 0, hard * 0, slope * 0 + 1
    logit = slope * (general[:, None] + special_abilities[:, kind] - hard)
    return (rng.random((models, items)) < 1 / (1 + np.exp(-logit))).astype(float)


def tables(args: argparse.Namespace) -> Iterator[tuple[str, Floats]]:
    """(name, outcomes) of the runs and tables that the flags name, or simulated ones."""
    if args.runs:
        for column in read_columns(args.runs)[0]:
            yield f"{column.place.task} {column.place.set}", column.table
    for path in args.table:
        with open(path, newline="") as file:
            yield Path(path).stem, np.array([[float(x) for x in row] for row in csv.reader(file)])
    if not args.runs and not args.table:
        yield "simulated", simulate_outcomes(200, 1000, 0)
        yield "noise", simulate_outcomes(200, 1000, 0, noise=True)


def one_seed(
    table: Floats, models: int, sizes: Sequence[int], seed: int, stronger: bool
) -> Iterator[tuple[int, str, float, float, float, float]]:
    """(size, method, promised error, error, random error, covered) for one draw of the models by which items are chosen."""
    rng, top = np.random.default_rng([seed, models]), len(table) // 4 if stronger else 0
    order = rng.permutation(np.argsort(table.mean(axis=1), kind="stable")[: len(table) - top])
    best = np.argsort(table.mean(axis=1), kind="stable")[len(table) - top :]
    seen, new = table[np.sort(order[:models])], table[best if stronger else order[models:]]
    truth = new.mean(axis=1)
    for point in curve(seen, None, sizes, seed):
        off = np.abs(choose(point.method, seen, None, point.size, seed).estimate(new) - truth)
        by_chance = [
            np.abs(choose("random", seen, None, point.size, RANDOM * (seed + 1) + draw).estimate(new) - truth).mean()
            for draw in range(RANDOM)
        ]
        covered = float((off <= point.half).mean())
        yield point.size, point.method, point.error, float(off.mean()), float(np.mean(by_chance)), covered


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="*", metavar="RUN")
    parser.add_argument("--table", action="append", default=[], metavar="FILE.csv")
    parser.add_argument("--models", default="6,12,30")
    parser.add_argument("--sizes", default="25,50,100,200")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--stronger", action="store_true")
    args = parser.parse_args()
    print(
        f"{'outcomes':16}{'of':>7}{'models':>8}{'items':>7}{'said':>8}{'new':>8}{'random':>8}{'wins':>8}{'covered':>9}"
    )
    for name, table in tables(args):
        for models in map(int, args.models.split(",")):
            sizes = [k for k in map(int, args.sizes.split(",")) if 2 * k <= table.shape[1]]
            if models + 2 > len(table) or not sizes:
                continue
            began = time.perf_counter()
            seed_rows = [
                row for seed in range(args.seeds) for row in one_seed(table, models, sizes, seed, args.stronger)
            ]
            for size in sizes:
                rows = [row for row in seed_rows if row[0] == size]
                promised, new, by_chance, covered = np.mean([row[2:] for row in rows], axis=0)
                wins = f"{sum(row[3] < row[4] for row in rows)}/{len(rows)}"
                methods = " ".join(f"{m} {n}" for m, n in Counter(row[1] for row in rows).most_common())
                print(
                    f"{name[:15]:16}{table.shape[1]:7}{models:8}{size:7}{100 * promised:8.2f}{100 * new:8.2f}{100 * by_chance:8.2f}"
                    f"{wins:>8}{covered:9.3f}  {methods}",
                    flush=True,
                )
            print(f"{'':16}{(time.perf_counter() - began) / args.seeds:.1f} s a seed")


if __name__ == "__main__":
    main()
