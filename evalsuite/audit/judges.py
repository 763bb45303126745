"""Scores that judges gave the outputs of a run, to hold beside people's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from evalsuite.audit.outputs import output_id, way_of

Place = tuple[str, str]  # an output's id, a scale
Judged = Mapping[str, Mapping[Place, float]]  # by the judge's name


def judged(run: Path, rubric: str) -> Judged:
    """From the lines of RUN/judged/*.jsonl of this rubric. A judge under a control ("blind") is a judge of its own;
    attacks are left out: what was scored there is no longer the model's reply."""
    found: dict[str, dict[Place, float]] = {}
    for path in sorted((run / "judged").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").split("\n"):
            if not line:
                continue
            row = json.loads(line)
            if row["rubric"] != rubric or row["attack"] or not row["scores"]:
                continue
            judge = row["judge"] if row["control"] == "plain" else f"{row['judge']} {row['control']}"
            of = output_id(row["model"], row["item"], row["split"], way_of(row, row["rotation"]), row["candidate"])
            for scale, score in row["scores"].items():
                found.setdefault(judge, {})[of, scale] = float(score)
    return found
