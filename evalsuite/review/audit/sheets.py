"""The report of `evalsuite audit read` as sheets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evalsuite.benchmarks.kinds import KINDS
from evalsuite.benchmarks.registry import BENCHMARKS, TASKS
from evalsuite.common.sheet import CellValue, Column, Row, Sheet, Text, Value
from evalsuite.review.audit.audit_report import Audit
from evalsuite.review.audit.figures import HUMAN, Correct, ParserRow, Ratio
from evalsuite.review.audit.metrics import HumanCorrelation
from evalsuite.types import Kind, Status

_N = Column("n", kind="count")
_SPAN = Column("95 %", kind="percent", digits=0, interval="alone")


def audit_sheets(audit: Audit, beside: bool = False) -> Iterator[Sheet | str]:
    """Tables of correct outputs, parser precision and recall, scores, agreement, judges and metrics, then the notes.

    beside: adds the rows of the paper's Table 4.
    """
    yield f"{audit.marked} of {len(audit.sample.drawn)} outputs marked, by {', '.join(audit.annotators)}"
    for kind in KINDS.values():
        if rows := [row for row in audit.correct if row.kind == kind.name]:
            yield _correct(rows, kind, beside and kind.single)
    yield from _readers(audit.readers)
    if audit.confusion:
        yield _confusion(audit)
    yield from _scores(audit)
    yield from _agreement(audit)
    yield from _judges(audit)
    yield from _metrics(audit.metrics)
    yield from audit.notes


def _correct(rows: Sequence[Correct], kind: Kind, beside: bool) -> Sheet:
    lines = []
    for r in rows:
        of, at = r.whole.outputs, r.estimate
        estimate = Value(at.value, asides=() if r.covered == 1 else ("*",))
        run = (r.whole.raw / of, r.whole.filtered / of, estimate, Value(None, at.low, at.high))
        lines.append(Row((r.model, r.n, r.raw, r.filtered, r.actual, of, *run)))
    notes = []
    if beside:
        for p in (row for benchmark in BENCHMARKS.values() if benchmark.audited for row in benchmark.audited()):
            counts = (100, p["raw_correct"], p["filtered_correct"], p["correct"])
            lines.append(Row((p["model"], *counts, *[None] * 5), "apart"))
    if kind.single:
        notes.append(
            "raw: correct as it stands; filt.: once parsed; act.: as people read it. Left: counts of the sample, "
            "which seeks rare replies out; run: all of the run's, act. estimated"
        )
    if beside:
        notes.append("last rows: the paper's models, 100 outputs each, on other prompts and data")
    if shares := [r.covered for r in rows if r.covered < 1]:
        share = ", ".join(f"{100 * covered:.0f} %" for covered in shares)  # in the order of the rows
        notes.append(f"* of {share} of the run: no output of the other strata is marked")
    heads = ("raw", "filt.", "act.")
    columns = (
        Column("model"),
        _N,
        *(Column(head, kind="count") for head in heads),
        Column("run:", "n", "count"),
        *(Column(head, "%", "percent", better="more") for head in heads),
        _SPAN,
    )
    table = Text("（论文表 4）", " (the paper's Table 4)") if kind.single else Text("", "")
    title = Text(f"正确的{kind.zh}{table.zh}", f"Correct {kind.en}{table.en}")
    return Sheet("correct", title, columns, tuple(lines), tuple(notes))


def _readers(rows: Sequence[ParserRow]) -> Iterator[Sheet]:
    if not rows:
        return
    plain = len({r.model for r in rows}) == 1
    lines = []
    for r in rows:
        name = TASKS[r.task].short if r.task else KINDS[r.kind].en
        who = "" if plain else f"{r.model} "
        pairs = (*(r.option or (None, None)), *r.right)
        cells = (cell for pair in pairs for cell in _ratio(pair))
        lines.append(Row((who + name, r.n, *cells)))
    columns = [Column("task"), _N]
    for what in ("option", "right"):
        columns += [Column(what, "prec. %", "percent", digits=0), _SPAN]
        columns += [Column("recall %", kind="percent", digits=0), _SPAN]
    note = (
        "option: the parser's option is what the reply says; right: what counts as correct is correct (spans, texts: by "
        "exact match). Precision: of what the parser read; recall: of what people read."
    )
    title = "How well replies are read, estimated for the run"
    yield Sheet("readers", title, tuple(columns), tuple(lines), (note,))


def _ratio(ratio: Ratio | None) -> tuple[CellValue, CellValue]:
    if ratio is None:
        return None, None
    interval = ratio.interval
    return (interval.value, Value(None, interval.low, interval.high)) if interval else (Value(None), None)


def _confusion(audit: Audit) -> Sheet:
    rows = [
        Row((status.value, *(counts.get(name) for name in HUMAN)))
        for status in Status
        if (counts := audit.confusion.get(status.value))
    ]
    heads = ("option read", "other option", "no option", "several", "refuses")
    title = "What replies say, by the parser's status (counts of the sample)"
    columns = (Column("status"), *(Column(head, kind="count") for head in heads))
    return Sheet("replies", title, columns, tuple(rows))


def _scores(audit: Audit) -> Iterator[Sheet]:
    if not audit.scores:
        return
    several, scales = len({r.model for r in audit.scores}) > 1, len({r.scale for r in audit.scores}) > 1
    values = sorted({v for r in audit.scores for v in r.histogram})
    rows = []
    for s in audit.scores:
        task = TASKS[s.task].short if s.task else "all"
        before, after = f"{s.model} " if several else "", f" {s.scale}" if scales else ""
        tally = (s.histogram.get(v) or None for v in values)
        rows.append(Row((f"{before}{task}{after}", s.n, s.mean.value, Value(None, s.mean.low, s.mean.high), *tally)))
    columns = (
        Column("task"),
        _N,
        Column("mean", kind="number"),
        Column("95 %", kind="number", interval="alone"),
        *(Column(str(v), kind="count") for v in values),
    )
    title = "Scores by people; means estimated for the run"
    yield Sheet("scores", title, columns, tuple(rows))


def _agreement(audit: Audit) -> Iterator[Sheet]:
    if audit.agreement:
        rows = tuple(
            Row((", ".join(a.who), a.question, a.n, a.same, Value(a.kappa), a.which, a.spearman))
            for a in audit.agreement
        )
        columns = (
            Column("who"),
            Column("on", align="right"),
            _N,
            Column("same %", kind="percent"),
            Column("kappa", kind="number", digits=3),
            Column("", align="right"),
            Column("Spearman", kind="number", digits=3),
        )
        yield Sheet("agreement", "Agreement between annotators", columns, rows)


def _judges(audit: Audit) -> Iterator[Sheet]:
    if audit.judges:
        rows = []
        for j in audit.judges:
            x = j.against
            numbers = (x.n, Value(x.kappa), Value(x.spearman), x.difference, x.bias, x.same)
            rows.append(Row((j.judge, f"{j.model or 'all'} {j.scale}", *numbers)))
        columns = (
            Column("judge"),
            Column("of", align="right"),
            _N,
            Column("kappa", kind="number", digits=3),
            Column("Spearman", kind="number", digits=3),
            Column("|Δ|", kind="number"),
            Column("bias", kind="number", signed=True),
            Column("same %", kind="percent"),
        )
        yield Sheet("judges", "Judges beside people", columns, tuple(rows))


def _metrics(rows: Sequence[HumanCorrelation]) -> Iterator[Sheet]:
    """Headline metrics of each benchmark's short texts, and F1; audit.json has all metrics."""
    texts = [t for t in TASKS.values() if t.kind.rated]
    shown = {(t.benchmark, metric) for t in texts for metric in (*t.metrics, "f1")}
    lines = tuple(
        Row((f"{r.benchmark} {r.metric}", r.scale, r.basis, r.n, *map(Value, (r.spearman, r.pearson, r.kendall))))
        for r in rows
        if (r.benchmark, r.metric) in shown and r.spearman is not None
    )
    if lines:
        columns = (
            Column("metric"),
            Column("scale", align="right"),
            Column("points", align="right"),
            _N,
            *(Column(name, kind="number", digits=3, signed=True) for name in ("Spearman", "Pearson", "Kendall")),
        )
        yield Sheet("metrics", "Metrics beside people", columns, lines)
