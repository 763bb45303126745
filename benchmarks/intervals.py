"""Coverage of 95 % intervals of a mean over few dialogues, and of a mean over tasks: python benchmarks/intervals.py

Answers are simulated: a model is right in 0.3, 0.6 or 0.9 of 5 to 9 items per dialogue, whose correlation is 0 or 0.2
(beta-binomial). A row of the first table is the mean over these six cases: coverage and width of percentiles over resampled
dialogues, and of `few_dialogues`.

The second table is about the mean over eight tasks with 1 to 3 items in each dialogue, at the same shares of right answers. Its
column "correlation" is that of two items of a dialogue, of one task or of two. It has coverage and width if tasks are taken as
independent, and if a dialogue counts once (`weighted_sum`).
"""

from __future__ import annotations

import argparse

import numpy as np

from evalsuite.metrics.statistics import (
    RESAMPLED,
    Means,
    Summand,
    bootstrap,
    few_dialogues,
    influences,
    weighted_sum,
)

TASKS = 8


def draw_answers(rng: np.random.Generator, dialogues: int, share: float, alike: float) -> tuple[list[float], list[int]]:
    """For each item, 1 (right) or 0 (wrong), and the number of its dialogue."""
    odds = 1 / alike - 1 if alike else 0.0
    shares = rng.beta(share * odds, (1 - share) * odds, dialogues) if alike else np.full(dialogues, share)
    items = [(float(rng.random() < p), d) for d, p in enumerate(shares) for _ in range(rng.integers(5, 10))]
    return [value for value, _ in items], [dialogue for _, dialogue in items]


def means_over_tasks(
    rng: np.random.Generator, dialogues: int, share: float, alike: float
) -> list[tuple[float, float, float]]:
    """(low, high, width) of the interval of a mean over tasks: with independent tasks, and with a dialogue that counts once."""
    odds = 1 / alike - 1 if alike else 0.0
    shares = rng.beta(share * odds, (1 - share) * odds, dialogues) if alike else np.full(dialogues, share)
    apart, shared = [], []
    for _ in range(TASKS):
        clusters = np.repeat(np.arange(dialogues), rng.integers(1, 4, dialogues))
        means = Means.of({"x": (rng.random(len(clusters)) < shares[clusters]).astype(float)})
        if dialogues < RESAMPLED:
            interval = few_dialogues(means.statistics[:, 1], clusters.tolist())
        else:
            interval = bootstrap(means, clusters.tolist(), rng, 300)["x"]
            if interval.low == interval.high:
                interval = few_dialogues(means.statistics[:, 1], clusters.tolist())
        moves = influences(means, clusters.tolist())["x"]
        sizes = np.bincount(clusters) / len(clusters)
        of = {n: (float(move), float(size)) for n, (move, size) in enumerate(zip(moves, sizes, strict=True))}
        apart.append(Summand(1 / TASKS, interval.value, interval.low, interval.high, {}))
        shared.append(Summand(1 / TASKS, interval.value, interval.low, interval.high, of))
    return [(i.low, i.high, i.high - i.low) for i in map(weighted_sum, (apart, shared))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=300)
    repetitions = parser.parse_args().repetitions
    rng = np.random.default_rng(1)
    print("dialogues  percentiles: held, width   few_dialogues: held, width")
    for dialogues in (2, 3, 5, 8, 12, 20, 29):
        rows = []
        for share in (0.3, 0.6, 0.9):
            for alike in (0.0, 0.2):
                for _ in range(repetitions):
                    values, clusters = draw_answers(rng, dialogues, share, alike)
                    both_intervals = (
                        bootstrap(Means.of({"x": values}), clusters, rng, 300)["x"],
                        few_dialogues(values, clusters),
                    )
                    rows.append([x for i in both_intervals for x in (i.low <= share <= i.high, i.high - i.low)])
        old, old_width, new, new_width = np.mean(rows, axis=0)
        print(f"{dialogues:9d}  {100 * old:17.1f} {old_width:7.2f}  {100 * new:20.1f} {new_width:7.2f}")
    print("\ndialogues  correlation  independent tasks: held, width   a dialogue once: held, width")
    for dialogues in (5, 12, 40, 150):
        for alike in (0.0, 0.05, 0.2):
            rows = []
            for share in (0.3, 0.6, 0.9):
                for _ in range(repetitions):
                    both = means_over_tasks(rng, dialogues, share, alike)
                    rows.append([x for low, high, width in both for x in (low <= share <= high, width)])
            old, old_width, new, new_width = np.mean(rows, axis=0)
            print(
                f"{dialogues:9d}  {alike:11.2f}  {100 * old:23.1f} {old_width:7.2f}  {100 * new:22.1f} {new_width:7.2f}"
            )


if __name__ == "__main__":
    main()
