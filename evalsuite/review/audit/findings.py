"""Marks -> figures."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from evalsuite.common.errors import ConfigError
from evalsuite.common.resources import packaged
from evalsuite.metrics.agreement import cohen, fleiss, spearman, weighted_kappa
from evalsuite.review.audit import figures
from evalsuite.review.audit.judges import Against, Judged, Place, human_against, judged
from evalsuite.review.audit.marks import Mark, read_marks, sample_hashes
from evalsuite.review.audit.metrics import Beside, beside
from evalsuite.review.audit.outputs import population
from evalsuite.review.audit.rubrics import rubric
from evalsuite.review.audit.sample import SAMPLE, Sample, load, whole


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far annotators agree on one question; `who` are two, or all of them for Fleiss' kappa."""

    question: str  # "option" | "right" | a scale
    who: tuple[str, ...]
    n: int  # outputs that all of them marked
    same: float | None
    kappa: float | None
    which: str  # "Cohen" | "Fleiss" | "quadratic"
    spearman: float | None = None


@dataclass(frozen=True, slots=True)
class JudgeRow:
    judge: str
    model: str  # "" for all
    scale: str
    against: Against


@dataclass(frozen=True, slots=True)
class Audit:
    """All that `evalsuite audit read` tells."""

    sample: Sample
    annotators: tuple[str, ...]
    marked: int  # outputs that someone marked
    correct: tuple[figures.Correct, ...]
    readers: tuple[figures.Reader, ...]
    confusion: dict[str, dict[str, int]]
    scores: tuple[figures.Scores, ...]
    agreement: tuple[Agreement, ...]
    judges: tuple[JudgeRow, ...]
    metrics: tuple[Beside, ...]
    notes: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        sample = {"name": self.sample.name, "hash": self.sample.hash, "outputs": len(self.sample.drawn)}
        # Their intervals stand beside the estimates.
        parts = ("correct", "readers", "scores", "agreement", "judges", "metrics")
        return {
            "format": 1,
            "sample": {**sample, "seed": self.sample.seed, "rubric": self.sample.rubric},
            "annotators": self.annotators,
            "marked": self.marked,
            **{name: [asdict(row) for row in getattr(self, name)] for name in parts},
            "confusion": self.confusion,
            "notes": self.notes,
        }


def read(files: Sequence[str | Path], run: str | Path | None = None, judges: Judged | None = None) -> Audit:
    """Figures from marks. The sample is found in the run, or beside a file of marks.

    With `run`, the parser's readings are those that the run has now: after a fix of the parser the same marks tell what it
    has changed. `judges`: scores to hold beside people's; if not given, those of the run's judges.
    """
    paths = [Path(file) for file in files]
    sample = _sample(paths, Path(run) if run else None)
    notes: tuple[str, ...] = ()
    if run:
        sample, notes = _as_now(sample, Path(run))
        judges = judges if judges is not None else judged(Path(run), sample.rubric)
    marks = read_marks(paths, sample)
    if not marks.marks:
        raise ConfigError(f"{', '.join(map(str, paths))}: nothing is marked")
    found = figures.verdicts(sample, marks.marks)
    annotators = tuple(dict.fromkeys(m.annotator for m in marks.marks))
    return Audit(
        sample,
        annotators,
        len(found),
        figures.correct(sample, found),
        figures.readers(found),
        figures.confusion(found),
        figures.scores(sample, found),
        tuple(agreements(marks.marks, annotators, [s.name for s in rubric(sample.rubric).scales])),
        tuple(_judges(found, judges or {})),
        tuple(beside(found)),
        (*notes, *marks.notes),
    )


def _sample(files: Sequence[Path], run: Path | None) -> Sample:
    hashes = sample_hashes(files)
    if len(hashes) > 1:
        raise ConfigError(f"marks of {len(hashes)} samples ({', '.join(sorted(hashes))}); read each by itself")
    places = sorted((run / "audit").glob(f"*/{SAMPLE}")) if run else [f.parent / SAMPLE for f in files]
    for path in places:
        if path.is_file() and (sample := load(path)).hash in hashes:
            return sample
    where = f"in {run}/audit" if run else f"beside them (no {SAMPLE} there)"
    named = f"sample {next(iter(hashes))}" if hashes else "a sample"
    raise ConfigError(f"the marks are of {named}, which is not {where}; give its run with --run RUN")


def _as_now(sample: Sample, run: Path) -> tuple[Sample, tuple[str, ...]]:
    """The same sample with what the run's parser reads now. The weights stay: they are how it was drawn."""
    outputs = population(run)
    now = {o.id: o for o in outputs}
    gone = sum(d.output.id not in now for d in sample.drawn)
    fresh = tuple(replace(d, output=now.get(d.output.id, d.output)) for d in sample.drawn)
    models = {w.model for w in sample.whole}
    totals = whole([o for o in outputs if o.model in models and o.task in sample.tasks])
    sizes = [sorted((w.model, w.kind, w.outputs) for w in ws) for ws in (totals, sample.whole)]
    notes = []
    if gone:
        notes.append(
            f"{gone} outputs of the sample are no longer in {run}: what the parser read of them is as it was then"
        )
    if sizes[0] != sizes[1]:  # cells were added, say: estimates are for those of then
        notes.append(f"{run} holds other outputs than when the sample was drawn: its totals are those of then")
        totals = sample.whole
    return replace(sample, drawn=fresh, whole=totals), tuple(notes)


def agreements(marks: Sequence[Mark], annotators: Sequence[str], scales: Sequence[str]) -> Iterator[Agreement]:
    """Each question and pair of annotators; of three or more, Fleiss' over what all of them marked, too."""
    for question in ("option", "right", *scales):
        values: dict[str, dict[str, Any]] = {name: {} for name in annotators}
        for m in marks:
            value = m.scores.get(question) if question in scales else m.said if question == "option" else m.right
            if value is not None and not (question == "right" and m.said is not None):
                values[m.annotator][m.output] = value
        for pair in combinations(annotators, 2):
            a, b = (values[name] for name in pair)
            shared = [output for output in a if output in b]
            if not shared:
                continue
            x, y = [a[o] for o in shared], [b[o] for o in shared]
            same = sum(p == q for p, q in zip(x, y, strict=True)) / len(shared)
            if question in scales:
                yield Agreement(question, pair, len(shared), same, weighted_kappa(x, y), "quadratic", spearman(x, y))
            else:
                yield Agreement(question, pair, len(shared), same, cohen(x, y), "Cohen")
        if len(annotators) > 2:
            shared = [o for o in values[annotators[0]] if all(o in values[name] for name in annotators)]
            rows = [[values[name][o] for name in annotators] for o in shared]
            if rows:
                same = sum(len(set(row)) == 1 for row in rows) / len(rows)
                yield Agreement(question, tuple(annotators), len(rows), same, fleiss(rows), "Fleiss")


def _judges(found: Sequence[figures.Verdict], judges: Judged) -> Iterator[JudgeRow]:
    human: dict[Place, float] = {(v.output.id, scale): score for v in found for scale, score in v.scores.items()}
    model_of = {v.output.id: v.output.model for v in found}
    models = list(dict.fromkeys(model_of[of] for of, _ in human))
    for judge, scores in judges.items():
        for scale in dict.fromkeys(scale for _, scale in human):
            for model in ["", *models] if len(models) > 1 else models:
                mine = {p: s for p, s in human.items() if p[1] == scale and model in ("", model_of[p[0]])}
                if (row := human_against(scores, mine)).n:
                    yield JudgeRow(judge, model, scale, row)


def published() -> list[dict[str, Any]]:
    """The paper's Table 4, of 100 outputs a model."""
    with packaged("benchmarks/corecode/filter_audit.csv").open(encoding="utf-8", newline="") as file:
        return [
            {"model": row["model"], **{k: int(row[k]) for k in ("raw_correct", "filtered_correct", "correct")}}
            for row in csv.DictReader(file)
        ]


def write(audit: Audit, out: Path, table: Path | None = None) -> None:
    """audit.json, and the counts as CSV."""
    out.write_text(json.dumps(audit.as_json(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    if table:
        with table.open("w", encoding="utf-8-sig", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(_COLUMNS)
            for row in audit.correct:
                w, e = row.whole, row.estimate
                counts = (row.n, row.raw, row.filtered, row.actual, w.outputs, w.raw, w.filtered)
                writer.writerow([row.model, row.kind, *counts, *(f"{x:.4f}" for x in (e.value, e.low, e.high))])


_COLUMNS = (
    *("model", "kind", "n", "raw_correct", "filtered_correct", "correct"),
    *("run_outputs", "run_raw_correct", "run_filtered_correct", "run_correct", "low", "high"),
)
