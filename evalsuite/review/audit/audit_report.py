"""Computes the report of `evalsuite audit read` (audit.json) from files of marks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from evalsuite.common import csvfile
from evalsuite.common.errors import ConfigError
from evalsuite.common.files import replace_file
from evalsuite.common.grouping import by_key
from evalsuite.common.jsonl import JsonObject
from evalsuite.common.lock import locked
from evalsuite.metrics.agreement import cohen_kappa, fleiss_kappa, spearman, weighted_kappa
from evalsuite.results.schema.people import FILE, DrawnReply, People
from evalsuite.review.audit import figures
from evalsuite.review.audit.judges import JudgeAgreement, JudgeScores, OutputScale, judge_agreement, judge_scores
from evalsuite.review.audit.marks import Mark, read_marks, sample_hashes
from evalsuite.review.audit.metrics import HumanCorrelation, metric_correlations
from evalsuite.review.audit.outputs import population
from evalsuite.review.audit.rubrics import rubric_named
from evalsuite.review.audit.sample import SAMPLE, Sample, load_sample, run_totals, stated_hash


@dataclass(frozen=True, slots=True)
class AnnotatorAgreement:
    """Agreement of annotators on one question: two annotators, or all of them for Fleiss' kappa."""

    question: str  # "option" | "right" | a scale
    who: tuple[str, ...]
    n: int  # number of outputs that all annotators marked
    same: float  # share of the outputs
    kappa: float | None
    which: str  # the kind of kappa: "Cohen" | "Fleiss" | "quadratic"
    spearman: float | None = None


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """Agreement of one judge with people, for one model and scale."""

    judge: str
    model: str  # "" for all
    scale: str
    against: JudgeAgreement


@dataclass(frozen=True, slots=True)
class Audit:
    """The report of `evalsuite audit read`."""

    sample: Sample
    folder: Path  # the sample's
    run: Path | None  # the run that holds the sample, if it was named
    annotators: tuple[str, ...]
    marked: int  # outputs with at least one mark
    correct: tuple[figures.Correct, ...]
    readers: tuple[figures.ParserRow, ...]
    confusion: dict[str, dict[str, int]]
    scores: tuple[figures.HumanScores, ...]
    agreement: tuple[AnnotatorAgreement, ...]
    judges: tuple[JudgeRow, ...]
    metrics: tuple[HumanCorrelation, ...]
    notes: tuple[str, ...]
    people: Mapping[str, Mapping[str, float]]  # output -> people's score by scale

    def as_json(self) -> JsonObject:
        """The content of audit.json."""
        parts = ("correct", "readers", "scores", "agreement", "judges", "metrics")
        return {
            "format": 1,
            "sample": {
                "name": self.sample.name,
                "hash": self.sample.hash,
                "outputs": len(self.sample.drawn),
                **{name: getattr(self.sample, name) for name in ("seed", "rubric", "suspicious")},
            },
            "annotators": self.annotators,
            "marked": self.marked,
            **{name: [asdict(row) for row in getattr(self, name)] for name in parts},
            "confusion": self.confusion,
            "notes": self.notes,
        }


def summarize_marks(files: Sequence[str | Path], run: str | Path | None = None) -> Audit:
    """Compute the audit report from files of marks. The sample is looked up in `run`, else beside the files.

    With `run`, the parser's current readings are used, so that the same marks measure a changed parser, and the scores of the
    run's judges are compared with people's.
    Raises DataError for a malformed mark, ConfigError if nothing is marked or the sample is not found.
    """
    paths, run = [Path(file) for file in files], Path(run) if run else None
    sample, folder = _find_sample(paths, run)
    notes: tuple[str, ...] = (_SUSPICIOUS,) if sample.suspicious else ()
    if run:
        sample, changes = _reread(sample, run)
        notes += changes
    marks = read_marks(paths, sample)
    if not marks.marks:
        raise ConfigError(
            f"{', '.join(map(str, paths))}: nothing is marked; mark on the page, export the marks and give that file"
        )
    consensuses = figures.consensus(sample, marks.marks)
    annotators = tuple(dict.fromkeys(m.annotator for m in marks.marks))
    return Audit(
        sample=sample,
        folder=folder,
        run=run,
        annotators=annotators,
        marked=len(consensuses),
        correct=figures.correct_rows(sample, consensuses),
        readers=figures.parser_rows(consensuses),
        confusion=figures.confusion(consensuses),
        scores=figures.score_rows(sample, consensuses),
        agreement=tuple(agreements(marks.marks, annotators, [s.name for s in rubric_named(sample.rubric).scales])),
        judges=tuple(_judges(consensuses, judge_scores(run, sample.rubric) if run else {})),
        metrics=tuple(metric_correlations(consensuses)),
        notes=(*notes, *marks.notes),
        people={row.output.id: row.scores for row in consensuses},
    )


_SUSPICIOUS = "the sample is of suspicious items only: every figure speaks for the replies to these, not for the run"


def _find_sample(files: Sequence[Path], run: Path | None) -> tuple[Sample, Path]:
    """The sample of the marks, and its folder."""
    hashes = sample_hashes(files)
    if len(hashes) > 1:
        raise ConfigError(
            f"marks of {len(hashes)} samples ({', '.join(sorted(hashes))}); read the files of each sample separately"
        )
    samples = sorted((run / "audit").glob(f"*/{SAMPLE}")) if run else [f.parent / SAMPLE for f in files]
    for path in samples:
        if path.is_file() and stated_hash(path) in hashes:
            return load_sample(path), path.parent
    for path in samples:
        if path.is_file() and stated_hash(path) is None:
            load_sample(path)  # raises the error of a file that may be the sample
    where = f"in {run}/audit" if run else f"beside them (no {SAMPLE} there)"
    named = f"sample {next(iter(hashes))}" if hashes else "a sample"
    raise ConfigError(f"the marks are of {named}, which is not {where}; give its run with --run RUN")


def _reread(sample: Sample, run: Path) -> tuple[Sample, tuple[str, ...]]:
    """The sample with the run's current parser readings, and notes. Its weights stay, since they describe how it was drawn."""
    outputs = population(run)
    now = {o.id: o for o in outputs}
    gone = sum(d.output.id not in now for d in sample.drawn)
    fresh = tuple(replace(d, output=now.get(d.output.id, d.output)) for d in sample.drawn)
    models = {w.model for w in sample.whole}
    totals = run_totals([o for o in outputs if o.model in models and o.task in sample.tasks])
    sizes = [sorted((w.model, w.kind, w.outputs) for w in ws) for ws in (totals, sample.whole)]
    notes = []
    if gone:
        notes.append(
            f"{gone} outputs of the sample are no longer in {run}: their readings are those of when it was drawn"
        )
    if sample.suspicious:  # other items may look suspicious by now
        totals = sample.whole
    elif sizes[0] != sizes[1]:  # for example, cells were added since
        notes.append(f"{run} holds other outputs than when the sample was drawn: the totals are those of that time")
        totals = sample.whole
    return replace(sample, drawn=fresh, whole=totals), tuple(notes)


def agreements(marks: Sequence[Mark], annotators: Sequence[str], scales: Sequence[str]) -> Iterator[AnnotatorAgreement]:
    """Agreement per question and pair of annotators; for three or more also Fleiss' kappa over the outputs that all marked."""
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
                yield AnnotatorAgreement(
                    question, pair, len(shared), same, weighted_kappa(x, y), "quadratic", spearman(x, y)
                )
            else:
                yield AnnotatorAgreement(question, pair, len(shared), same, cohen_kappa(x, y), "Cohen")
        if len(annotators) > 2:
            shared = [o for o in values[annotators[0]] if all(o in values[name] for name in annotators)]
            rows = [[values[name][o] for name in annotators] for o in shared]
            if rows:
                same = sum(len(set(row)) == 1 for row in rows) / len(rows)
                yield AnnotatorAgreement(question, tuple(annotators), len(rows), same, fleiss_kappa(rows), "Fleiss")


def keep_people(audit: Audit) -> Path | None:
    """Write people's scores beside their sample in the run, where `evalsuite score` finds them; None if nobody gave scores, or no
    run was named."""
    sample, rubric = audit.sample, rubric_named(audit.sample.rubric)
    if not audit.run or not any(audit.people.values()):
        return None
    outputs = by_key((whole.model, whole.outputs) for whole in sample.whole)
    people = People(
        name=sample.name,
        rubric=sample.rubric,
        scales={scale.name: [scale.low, scale.high] for scale in rubric.scales},
        suspicious=sample.suspicious,
        annotators=list(audit.annotators),
        tasks=list(sample.tasks),
        outputs={model: sum(counts) for model, counts in outputs.items()},
        drawn=[
            DrawnReply(output=d.output.id, weight=d.weight, scores=dict(audit.people.get(d.output.id, {})))
            for d in sample.drawn
        ],
    )
    with locked(audit.run):
        replace_file(audit.folder / FILE, people.model_dump_json(indent=1) + "\n")
    return audit.folder / FILE


def _judges(consensuses: Sequence[figures.Consensus], judges: JudgeScores) -> Iterator[JudgeRow]:
    human: dict[OutputScale, float] = {
        (v.output.id, scale): score for v in consensuses for scale, score in v.scores.items()
    }
    model_of = {v.output.id: v.output.model for v in consensuses}
    models = list(dict.fromkeys(model_of[output] for output, _ in human))
    for judge, scores in judges.items():
        for scale in dict.fromkeys(scale for _, scale in human):
            for model in ["", *models] if len(models) > 1 else models:
                of_model = {
                    key: score for key, score in human.items() if key[1] == scale and model in ("", model_of[key[0]])
                }
                if agreement := judge_agreement(scores, of_model):
                    yield JudgeRow(judge, model, scale, agreement)


def write_audit(audit: Audit, out: Path | None = None, table: Path | None = None) -> Path:
    """Write the report as JSON to `out`, which is returned; without it, beside the sample. If `table` is given, write the counts
    of correct outputs there as CSV."""
    with locked(audit.run) if audit.run and not out else nullcontext():
        out = out or audit.folder / "audit.json"
        replace_file(out, json.dumps(audit.as_json(), ensure_ascii=False, indent=1) + "\n")
    if table:
        rows: list[tuple[object, ...]] = [_COLUMNS]
        for row in audit.correct:
            w, e = row.whole, row.estimate
            counts = (row.n, row.raw, row.filtered, row.actual, w.outputs, w.raw, w.filtered)
            rows.append((row.model, row.kind, *counts, *(f"{x:.4f}" for x in (e.value, e.low, e.high))))
        replace_file(table, csvfile.encoded(rows))
    return out


_COLUMNS = (
    *("model", "kind", "n", "raw_correct", "filtered_correct", "correct"),
    *("run_outputs", "run_raw_correct", "run_filtered_correct", "run_correct", "low", "high"),
)
