"""Level and power of families of 1 to 500 paired tests after Holm's correction: python benchmarks/significance.py

A row compares two models on 60 dialogues. The differences of "graded" scores, such as F1, are normal; those of "right or wrong"
ones are differences of two sums of three answers. The level is the share of families without differences that have a significant
row: at most 5 % is right. The power is the share of significant rows in families where one model is better on all rows by
`--better`. Both are also measured with a thousand flips for every family, as in earlier versions.
"""

from __future__ import annotations

import argparse
from random import Random
from time import process_time

import numpy as np

from evalsuite.metrics.counts import Floats
from evalsuite.metrics.statistics import holm, sign_flips

DIALOGUES = 60
KINDS = ("graded", "right or wrong")


def moves(rng: np.random.Generator, kind: str, better: float) -> Floats:
    """(DIALOGUES,) differences of two models; one is better by `better` on average."""
    if kind == "graded":
        return rng.normal(better, 0.5, DIALOGUES)
    share = rng.beta(1, 1, DIALOGUES) * (1 - better)  # one share a dialogue: a dialogue is hard for both models
    return (rng.binomial(3, share + better) - rng.binomial(3, share)).astype(float)


def thousand(differences: Floats, rng: np.random.Generator) -> float:
    """The p-value by 1,000 random flips."""
    flips = (1.0 - 2 * rng.integers(0, 2, (1000, len(differences)), dtype=np.int8)) @ differences
    return (int(np.count_nonzero(np.abs(flips) >= abs(differences.sum()) - 1e-9)) + 1) / 1001


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--families", type=int, default=200, help="without differences; a tenth as many with one")
    parser.add_argument(
        "--better", type=float, default=0.35, help="how much better a model is, in points of a dialogue"
    )
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rng = np.random.default_rng(given.seed)
    print("                        level, %               power, %          ms a test")
    print("rows  scores            now  1,000 flips       now  1,000 flips  now")
    for rows in (1, 10, 50, 51, 122, 250, 500):
        for kind in KINDS:
            alarms, powers, spent = np.zeros(2), np.zeros(2), 0.0
            few = max(1, given.families // 10)
            for better, families in ((0.0, given.families), (given.better, few)):
                for _ in range(families):
                    table = [moves(rng, kind, better) for _ in range(rows)]
                    start = process_time()
                    now = [sign_flips(row, Random(int(rng.integers(1 << 62))), rows) for row in table]
                    spent += process_time() - start
                    for n, p in enumerate((now, [thousand(row, rng) for row in table])):
                        sure = sum(value < 0.05 for value in holm(dict(enumerate(p))).values())
                        if better:
                            powers[n] += sure / rows
                        else:
                            alarms[n] += sure > 0
            level, power = 100 * alarms / given.families, 100 * powers / few
            cost = 1000 * spent / (given.families + few) / rows
            print(
                f"{rows:4d}  {kind:14s} {level[0]:6.1f} {level[1]:12.1f} {power[0]:9.1f} {power[1]:12.1f} {cost:4.1f}"
            )


if __name__ == "__main__":
    main()
