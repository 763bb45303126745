"""Checks by which CORECODE's Tables 2, 6 and 7 show how the paper tokenised answers.

    python benchmarks/paper_profile.py evalsuite/benchmarks/corecode/published.csv

The csv has the columns source, set, task, model, shots, metric, value. docs/metrics.md says what follows from it.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROUNDING = 0.0005  # the tables have three decimals
CLEAR = 0.02  # ratios of smaller values are imprecise, since the tables are rounded
PublishedRow = dict[str, float]


@dataclass(frozen=True)
class Claim:
    """A statement, and the number of rows for which it holds."""

    text: str
    holds: int
    rows: int
    detail: str


def read(path: Path) -> dict[str, PublishedRow]:
    """The rows of generation tasks, which have a CIDEr, without averages: name -> metric -> value."""
    rows: dict[str, PublishedRow] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            item_set = line.get("set") or line["split"]  # the name of the column in earlier copies of the figures
            name = " ".join((line["source"], item_set, *(line[key] for key in ("task", "model", "shots"))))
            if line["model"] != "Average":
                rows.setdefault(name, {})[line["metric"]] = float(line["value"])
    return {name: row for name, row in rows.items() if "cider" in row}


def is_near(row: PublishedRow, left: str, right: str, factor: float = 1.0, slack: float = 0.0) -> bool:
    """Whether left = factor * right, within rounding and a slack in units of `right`."""
    return abs(row[left] - factor * row[right]) <= ROUNDING + factor * (ROUNDING + slack) + 1e-12


def claims(rows: Iterable[PublishedRow]) -> list[Claim]:
    """The claims that the published rows support, each with the number of rows for which it holds."""
    rows = list(rows)
    exact = [row for row in rows if row["em"] >= CLEAR]
    ratios = sorted(row["cider"] / row["em"] for row in exact)
    by_rouge = sorted(row["cider"] / row["rouge_l"] for row in rows if row["rouge_l"] >= CLEAR)
    two = [row["bleu2"] for row in rows if "bleu2" in row]
    # The mean of METEOR 2005 (nltk) on units of which an answer has two or more: an exact match is worth 1 - 0.5/2³.
    floor = [row["meteor"] + ROUNDING < 0.9375 * (row["em"] - ROUNDING) for row in exact]

    def median(values: list[float]) -> float:
        return values[len(values) // 2]

    def count(test: list[bool], text: str, detail: str) -> Claim:
        return Claim(text, sum(test), len(test), detail)

    return [
        count([value == 0 for value in two], "BLEU-2 is 0.000", f"largest {max(two):.3f}"),
        count(
            [is_near(row, "bleu1", "em", slack=0.005) for row in rows],
            "BLEU-1 is EM, to 0.005",
            f"largest gap {max(abs(row['bleu1'] - row['em']) for row in rows):.3f}",
        ),
        count(
            [is_near(row, "rouge_l", "em", slack=0.005) for row in rows],
            "ROUGE-L is EM, to 0.005",
            f"largest gap {max(abs(row['rouge_l'] - row['em']) for row in rows):.3f}",
        ),
        count(
            [is_near(row, "cider", "em", 2.5, slack=0.005) for row in rows],
            "CIDEr is 2.5 EM, to 2.5 · 0.005",
            f"CIDEr/EM where EM >= {CLEAR}: {ratios[0]:.2f} to {ratios[-1]:.2f}, median {median(ratios):.2f}",
        ),
        count(
            [is_near(row, "cider", "rouge_l", 2.5, slack=0.001) for row in rows],
            "CIDEr is 2.5 ROUGE-L, to 2.5 · 0.001",
            f"CIDEr/ROUGE-L where that is >= {CLEAR}: "
            f"{by_rouge[0]:.2f} to {by_rouge[-1]:.2f}, median {median(by_rouge):.2f}",
        ),
        count(
            [row["f1"] > row["bleu1"] + 0.02 for row in rows],
            "F1 is above BLEU-1 by more than 0.02",
            "so F1 sees units that BLEU does not",
        ),
        count(
            [row["meteor"] > 0.5 * row["em"] + 0.02 for row in rows],
            "METEOR is above 0.5 EM by more than 0.02",
            "a METEOR 2005 of one-token answers would be 0.5 EM",
        ),
        count(
            floor,
            f"METEOR is below 0.9375 EM (of the rows with EM >= {CLEAR})",
            "a mean of METEOR 2005 on small units cannot be; METEOR 1.5's pooled score can",
        ),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", type=Path)
    rows = read(parser.parse_args().csv)
    for claim in claims(rows.values()):
        print(f"{claim.holds:4} of {claim.rows:3} rows: {claim.text}; {claim.detail}")
    print("\nRows in which CIDEr is not 2.5 ROUGE-L (answers with blanks in them do that):")
    for name, row in rows.items():
        if not is_near(row, "cider", "rouge_l", 2.5, slack=0.001):
            print(f"  {name:55} " + "  ".join(f"{key} {row[key]:.3f}" for key in ("em", "bleu1", "rouge_l", "cider")))


if __name__ == "__main__":
    main()
