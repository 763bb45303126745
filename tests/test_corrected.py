"""Judges' means corrected by people: the estimate beside the paper's formulas, coverage by simulation, and a run with its
audit."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from as_json import content_of

import evalsuite
from evalsuite.analyses.saved import load_results
from evalsuite.common.errors import DataError
from evalsuite.metrics.ppi import corrected_mean
from evalsuite.review import audit
from evalsuite.review.audit.audit_report import keep_people
from evalsuite.review.audit.sample import SAMPLE, load_sample
from evalsuite.types import Request


def simulated_scores(rng: np.random.Generator, dialogues: int, each: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Dialogues of items, scores by people from 0 to 5, and scores by a judge who is milder than people and makes
    errors."""
    of = np.repeat(np.arange(dialogues), each)
    quality = 2.8 + rng.normal(0, 0.6, dialogues)[of] + rng.normal(0, 1.2, len(of))
    people = np.clip(np.round(quality), 0, 5)
    return of, people, np.clip(np.round(0.6 * quality + 1.8 + rng.normal(0, 0.8, len(of))), 0, 5)


def test_the_estimate_is_the_papers() -> None:
    """Equal weights, a dialogue per item: Angelopoulos et al. 2023, Example 6.1 of the mean, with this λ. Their unlabelled
    items are those that nobody marked, so that their λ is ours times (N - n) / N."""
    rng = np.random.default_rng(0)
    _, people, judge = simulated_scores(rng, 600, 1)
    marked = rng.choice(600, 150, replace=False)
    rest = np.setdiff1d(np.arange(600), marked)
    found = corrected_mean(judge, {int(n): (people[n], 4.0) for n in marked}, list(range(600)), step=0.0)
    tuning = found.tuning * 450 / 600
    y, f, others = people[marked], judge[marked], judge[rest]
    assert found.value == pytest.approx(y.mean() + found.tuning * (judge.mean() - f.mean()))
    assert found.value == pytest.approx(tuning * others.mean() + (y - tuning * f).mean())
    best = np.cov(y, f)[0, 1] / np.var(f, ddof=1)
    assert found.tuning == pytest.approx(best, abs=0.02) and 0 < found.tuning < 1
    half = 1.96 * np.sqrt(np.var(y - found.tuning * f) / 150 + found.tuning**2 * np.var(judge) / 600)
    assert half < (found.high - found.low) / 2 < 1.06 * half  # wider by Student's quantile and the jackknife
    assert found.high - found.low < 0.95 * (
        found.people_high - found.people_low
    )  # the judge makes the interval narrower


def test_weights_undo_the_draw() -> None:
    """All of ten replies of one kind and two of ten of another kind are marked: each kind counts as half."""
    kinds = [0] * 10 + [1] * 10
    marks = {n: (float(kinds[n]), 1.0 if n < 10 else 5.0) for n in (*range(10), 12, 17)}
    found = corrected_mean([3.0] * 20, marks, list(range(20)))
    assert found.people == found.value == pytest.approx(0.5) and found.tuning == 0


def test_a_judge_who_errs_nowhere_in_the_sample_is_not_taken_for_perfect() -> None:
    scores = [float(n % 2) for n in range(200)]
    found = corrected_mean(scores, {n: (scores[n], 10.0) for n in range(20)}, list(range(200)), lowest=0, highest=1)
    assert found.value == 0.5 and found.high - found.low > 0.2
    with pytest.raises(ValueError, match="3 dialogues"):
        corrected_mean(scores, {n: (scores[n], 10.0) for n in range(3)}, list(range(200)))


@pytest.mark.parametrize(("dialogues", "each", "marked"), [(300, 1, 60), (60, 4, 40)])
def test_intervals_cover_the_mean_of_people(dialogues: int, each: int, marked: int) -> None:
    """The intervals cover the mean that people would give to endless dialogues. The drawn half of the sample is of the replies
    that people like."""
    _, people, _ = simulated_scores(np.random.default_rng(1), 100_000, 1)
    truth, rng, reps, hits, widths = people.mean(), np.random.default_rng(2), 300, 0, []
    for _ in range(reps):
        of, people, judge = simulated_scores(rng, dialogues, each)
        likes = people > 2
        marks = {}
        for stratum in (np.flatnonzero(likes), np.flatnonzero(~likes)):
            for n in rng.choice(stratum, marked // 2, replace=False):
                marks[int(n)] = float(people[n]), len(stratum) / (marked // 2)
        found = corrected_mean(judge, marks, of.tolist(), lowest=0, highest=5)
        hits += found.low <= truth <= found.high
        widths.append((found.high - found.low) / (found.people_high - found.people_low))
    assert hits / reps >= 0.94 - 2 * 0.014  # two standard deviations of the simulation
    assert np.mean(widths) < 0.95


# --- in a run


def uniform_number(*parts: object) -> float:
    return int(hashlib.sha256(repr(parts).encode()).hexdigest()[:8], 16) / 2**32


def judge(request: Request) -> str:
    return f"{min(5, 2 + int(4 * uniform_number(request.prompt)))}\n理由"


def person(output: str) -> int:
    return int(5 * uniform_number("person", output))


@pytest.fixture(scope="module")
def judged_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A judged run; a person has marked a sample of its replies."""
    out = tmp_path_factory.mktemp("corrected") / "run"
    evalsuite.run({"m": lambda request: request.id}, tasks=["knowledge_generation"], set="easy", limit=120, out=out)
    evalsuite.judge(out, "j", models={"j": judge})
    audit.make_sample(out, n=50)
    mark_sample(out)
    evalsuite.score(out)
    return out


def mark_sample(out: Path, left_out: int = 0) -> None:
    """A person marks the sample, all but the first ones."""
    found = load_sample(next((out / "audit").glob(f"*/{SAMPLE}")))
    marks = out / "marks.jsonl"
    rows = [
        {"sample": found.hash, "output": d.output.id, "annotator": "a", "right": "n", "score": person(d.output.id)}
        for d in found.drawn[left_out:]
    ]
    marks.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert keep_people(audit.summarize_marks([marks], out))


@pytest.mark.slow
def test_a_run_with_its_audit(judged_run: Path, cli: Callable[..., Any]) -> None:
    sample = load_sample(next((judged_run / "audit").glob(f"*/{SAMPLE}")))
    weights = np.array([d.weight for d in sample.drawn])
    scores = np.array([person(d.output.id) for d in sample.drawn])
    results = load_results(judged_run)
    (row,), (cell,) = content_of(results, "corrected"), content_of(results, "judged")["cells"]
    assert row["people"]["value"] == pytest.approx(weights @ scores / weights.sum())
    assert (row["drawn"], row["marked"], row["refused"]) == (50, 50, None)
    assert row["raw"]["value"] == cell["scales"]["score"]["value"]
    assert row["corrected"]["low"] < row["corrected"]["value"] < row["corrected"]["high"] < row["raw"]["value"]
    assert "Judge corrected by people: j, corecode score" in cli("show", judged_run).stdout


@pytest.mark.slow
def test_corrections_that_the_sample_does_not_allow_are_refused(
    judged_run: Path, tmp_path: Path, cli: Callable[..., Any]
) -> None:
    out = tmp_path / "run"
    shutil.copytree(judged_run, out)
    file = next((out / "audit").glob("*/people.json"))
    people = json.loads(file.read_text("utf-8"))

    def row() -> dict[str, Any]:
        return dict(content_of(evalsuite.score(out), "corrected")[0])

    def refusal(**changed: Any) -> str:
        file.write_text(json.dumps({**people, **changed}), encoding="utf-8")
        return str(row()["refused"])

    assert refusal(drawn=people["drawn"][:4]) == "few"
    assert refusal(suspicious=True) == "suspicious"
    assert refusal(outputs={"m": 119}) == "changed"
    assert "the run's replies have changed since the draw" in cli("show", out, COLUMNS="220").stdout
    mark_sample(out, left_out=3)  # the replies that people choose to mark are no random part
    found = row()
    assert found["refused"] == "unmarked" and found["corrected"]["value"] is found["people"]["value"] is None
    assert found["raw"]["value"] is not None and (found["drawn"], found["marked"]) == (50, 47)
    file.write_text("{}", encoding="utf-8")
    with pytest.raises(DataError, match=r"people\.json"):
        evalsuite.score(out)
