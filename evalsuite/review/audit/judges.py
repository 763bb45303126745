"""Compare the scores of judge models with people's scores on the same outputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evalsuite.common import jsonl
from evalsuite.metrics.agreement import spearman, weighted_kappa
from evalsuite.results.outputs import output_id, way_of
from evalsuite.types import Place

OutputScale = tuple[str, str]  # (output id, name of the scale)
JudgeScores = Mapping[str, Mapping[OutputScale, float]]  # judge -> scores


def judge_scores(run: Path, rubric: str) -> JudgeScores:
    """Read scores on a rubric (or its English version NAME_en) from RUN/judged/*.jsonl.

    A judge under a control, such as "blind", and with the English version counts as another judge, named "JUDGE blind" or
    "JUDGE (en)". Attacks are left out, since they score a changed reply.
    """
    by_judge: dict[str, dict[OutputScale, float]] = {}
    for path in sorted((run / "judged").glob("*.jsonl")):
        for _, row in jsonl.read_objects(path):
            if row["rubric"] not in (rubric, f"{rubric}_en") or row["attack"] or not row["scores"]:
                continue
            judge = row["judge"] if row["control"] == "plain" else f"{row['judge']} {row['control']}"
            judge += " (en)" if row["rubric"] != rubric else ""
            output = output_id(
                row["model"], row["item"], row["split"], way_of(Place.of(row), row["rotation"]), row["candidate"]
            )
            for scale, score in row["scores"].items():
                by_judge.setdefault(judge, {})[output, scale] = float(score)
    return by_judge


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """Agreement of a judge with people on the outputs that both scored."""

    n: int
    kappa: float | None  # quadratic weights; None if it is undefined
    spearman: float | None
    difference: float  # mean absolute
    bias: float  # mean of judge - human
    same: float  # share of equal scores


def judge_agreement(scores: Mapping[OutputScale, float], human: Mapping[OutputScale, float]) -> JudgeAgreement | None:
    """Compare a judge's scores with human scores on their common keys; None if they have none."""
    shared = [key for key in human if key in scores]
    a, b = [scores[key] for key in shared], [human[key] for key in shared]
    n = len(shared)
    if not n:
        return None
    gaps = [x - y for x, y in zip(a, b, strict=True)]
    return JudgeAgreement(
        n, weighted_kappa(a, b), spearman(a, b), sum(map(abs, gaps)) / n, sum(gaps) / n, sum(g == 0 for g in gaps) / n
    )
