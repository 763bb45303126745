"""Scores that judges gave the outputs of a run, beside people's."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from evalsuite.common import jsonl
from evalsuite.metrics.agreement import spearman, weighted_kappa
from evalsuite.review.audit.outputs import output_id, way_of

Place = tuple[str, str]  # an output's id, a scale
K = TypeVar("K", bound=Hashable)
Judged = Mapping[str, Mapping[Place, float]]  # by the judge's name


def judged(run: Path, rubric: str) -> Judged:
    """From the lines of RUN/judged/*.jsonl of this rubric, or of it in English. A judge under a control ("blind") is a
    judge of its own, and so is one who read it in English; attacks are left out: what was scored there is no longer the model's reply."""
    found: dict[str, dict[Place, float]] = {}
    for path in sorted((run / "judged").glob("*.jsonl")):
        for _, row in jsonl.read(path):
            if row["rubric"] not in (rubric, f"{rubric}_en") or row["attack"] or not row["scores"]:
                continue
            judge = row["judge"] if row["control"] == "plain" else f"{row['judge']} {row['control']}"
            judge += " (en)" if row["rubric"] != rubric else ""
            of = output_id(row["model"], row["item"], row["split"], way_of(row, row["rotation"]), row["candidate"])
            for scale, score in row["scores"].items():
                found.setdefault(judge, {})[of, scale] = float(score)
    return found


@dataclass(frozen=True, slots=True)
class Against:
    """Scores beside people's, on the outputs that have both. `bias`: the mean of theirs less people's."""

    n: int
    kappa: float | None  # quadratic weights
    spearman: float | None
    difference: float | None  # mean absolute
    bias: float | None
    same: float | None  # share of equal scores


def human_against(scores: Mapping[K, float], human: Mapping[K, float]) -> Against:
    """A judge's scores beside people's, by any key that both use."""
    shared = [key for key in human if key in scores]
    a, b = [scores[key] for key in shared], [human[key] for key in shared]
    n = len(shared)
    if not n:
        return Against(0, None, None, None, None, None)
    gaps = [x - y for x, y in zip(a, b, strict=True)]
    return Against(
        n, weighted_kappa(a, b), spearman(a, b), sum(map(abs, gaps)) / n, sum(gaps) / n, sum(g == 0 for g in gaps) / n
    )
