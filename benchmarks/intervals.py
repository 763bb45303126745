"""Coverage of 95 % intervals of a mean over few dialogues: python benchmarks/intervals.py

Answers are drawn: a model is right in 0.3, 0.6 or 0.9 of 5 to 9 items per dialogue, correlated by 0 or 0.2 (beta-binomial).
A row is the mean over these six: coverage and width of percentiles over resampled dialogues, and of `few_dialogues`.
"""

from __future__ import annotations

import argparse

import numpy as np

from evalsuite.metrics.statistics import Means, bootstrap, few_dialogues


def draw_answers(rng: np.random.Generator, dialogues: int, share: float, alike: float) -> tuple[list[float], list[int]]:
    """Right (1) and wrong (0), and the dialogue of each item."""
    odds = 1 / alike - 1 if alike else 0.0
    shares = rng.beta(share * odds, (1 - share) * odds, dialogues) if alike else np.full(dialogues, share)
    items = [(float(rng.random() < p), d) for d, p in enumerate(shares) for _ in range(rng.integers(5, 10))]
    return [value for value, _ in items], [dialogue for _, dialogue in items]


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
                    found = bootstrap(Means.of({"x": values}), clusters, rng, 300)["x"], few_dialogues(values, clusters)
                    rows.append([x for i in found for x in (i.low <= share <= i.high, i.high - i.low)])
        old, old_width, new, new_width = np.mean(rows, axis=0)
        print(f"{dialogues:9d}  {100 * old:17.1f} {old_width:7.2f}  {100 * new:20.1f} {new_width:7.2f}")


if __name__ == "__main__":
    main()
