"""What `evalsuite audit read` shows, in 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from evalsuite.benchmarks.registry import TASKS
from evalsuite.metrics.statistics import Interval
from evalsuite.review.audit.figures import HUMAN, Correct, Ratio, Reader
from evalsuite.review.audit.findings import Audit, published
from evalsuite.review.audit.metrics import Beside
from evalsuite.types import Status

_KINDS = {"choice": "choices", "choices": "sets of choices", "span": "spans", "text": "texts"}


def audit_tables(found: Audit, beside: bool = False) -> Iterator[Table | Text]:
    """Correct outputs, the parser's readings, scores, agreement, judges. `beside`: with the paper's Table 4."""
    yield Text(f"{found.marked} of {len(found.sample.drawn)} outputs marked, by {', '.join(found.annotators)}\n")
    for kind in _KINDS:
        rows = [row for row in found.correct if row.kind == kind]
        if rows:
            yield from _correct(rows, kind, beside and kind == "choice")
    yield from _readers(found.readers)
    if found.confusion:
        yield _confusion(found)
    yield from _scores(found)
    yield from _agreement(found)
    yield from _metrics(found.metrics)
    for note in found.notes:
        yield Text(note, style="yellow")


def _correct(rows: Sequence[Correct], kind: str, beside: bool) -> Iterator[Table | Text]:
    table = _table(
        f"Correct {_KINDS[kind]}" + (" (the paper's Table 4)" if kind == "choice" else ""),
        "model",
        *("n", "raw", "filt.", "act."),
        *("run:\nn", "raw\n%", "filt.\n%", "act.\n%", "95 %"),
    )
    table.collapse_padding = True
    for r in rows:
        counts = (str(x) for x in (r.n, r.raw, r.filtered, r.actual))
        of = r.whole.outputs
        estimate = f"{100 * r.estimate.value:.1f}" + ("" if r.covered == 1 else "*")
        run = (str(of), f"{100 * r.whole.raw / of:.1f}", f"{100 * r.whole.filtered / of:.1f}", estimate)
        table.add_row(Text(r.model), *counts, *run, _span(r.estimate))
    if beside:
        table.add_section()
        for p in published():
            numbers = ("100", str(p["raw_correct"]), str(p["filtered_correct"]), str(p["correct"]))
            table.add_row(Text(p["model"], style="dim"), *(Text(x, style="dim") for x in numbers))
    yield table
    if kind == "choice":
        yield Text(
            "raw: correct as it stands; filt.: once parsed; act.: as people read it. Left: counts of the sample, which "
            "seeks rare replies out; run: all of the run's, act. estimated\n"
        )
    if beside:
        yield Text("dim: the paper's models, 100 outputs each, on other prompts and data\n")
    for r in rows:
        if r.covered < 1:
            yield Text(f"* of {100 * r.covered:.0f} % of the run: no output of the other strata is marked\n")
            break


def _readers(rows: Sequence[Reader]) -> Iterator[Table | Text]:
    if not rows:
        return
    plain = len({r.model for r in rows}) == 1
    table = _table(
        "How well replies are read, estimated for the run",
        "task",
        *("n", "option\nprec. %", "95 %", "recall %", "95 %", "right\nprec. %", "95 %", "recall %", "95 %"),
    )
    table.collapse_padding = True
    for r in rows:
        name = TASKS[r.task].short if r.task else _KINDS[r.kind]
        pairs = (*(r.option or (None, None)), *r.right)
        table.add_row(
            Text(name if plain else f"{r.model} {name}"), str(r.n), *(text for pair in pairs for text in _ratio(pair))
        )
    yield table
    yield Text(
        "option: the parser's option is what the reply says; right: what counts as correct is correct (spans, texts: by "
        "exact match). Precision: of what the parser read; recall: of what people read.\n"
    )


def _ratio(ratio: Ratio | None) -> tuple[str, str]:
    if ratio is None:
        return "", ""
    return (f"{100 * ratio.interval.value:.0f}", _span(ratio.interval)) if ratio.interval else ("–", "")


def _confusion(found: Audit) -> Table:
    table = _table(
        "What replies say, by the parser's status (counts of the sample)",
        "status",
        *("option read", "other option", "no option", "several", "refuses"),
    )
    for status in Status:
        if counts := found.confusion.get(status.value):
            table.add_row(status.value, *(str(counts.get(name, "")) for name in HUMAN))
    return table


def _scores(found: Audit) -> Iterator[Table]:
    if not found.scores:
        return
    several, scales = len({r.model for r in found.scores}) > 1, len({r.scale for r in found.scores}) > 1
    values = sorted({v for r in found.scores for v in r.histogram})
    table = _table("Scores by people; means estimated for the run", "task", "n", "mean", "95 %", *map(str, values))
    for s in found.scores:
        name = " ".join(
            [*([s.model] if several else []), TASKS[s.task].short if s.task else "all", *([s.scale] if scales else [])]
        )
        mean = (f"{s.mean.value:.2f}", f"{s.mean.low:.2f}–{s.mean.high:.2f}")
        table.add_row(Text(name), str(s.n), *mean, *(str(s.histogram.get(v) or "") for v in values))
    yield table


def _agreement(found: Audit) -> Iterator[Table]:
    if found.agreement:
        table = _table("Agreement between annotators", "who", "on", "n", "same %", "kappa", "", "Spearman")
        for a in found.agreement:
            kappa = "–" if a.kappa is None else f"{a.kappa:.3f}"
            rank = "" if a.spearman is None else f"{a.spearman:.3f}"
            same = "" if a.same is None else f"{100 * a.same:.1f}"
            table.add_row(Text(", ".join(a.who)), a.question, str(a.n), same, kappa, a.which, rank)
        yield table
    if found.judges:
        table = _table("Judges beside people", "judge", "of", "n", "kappa", "Spearman", "|Δ|", "bias", "same %")
        for j in found.judges:
            x = j.against
            numbers = (f"{v:.3f}" if v is not None else "–" for v in (x.kappa, x.spearman))
            rest = (f"{x.difference:.2f}", f"{x.bias:+.2f}", f"{100 * (x.same or 0):.1f}")
            table.add_row(Text(j.judge), Text(f"{j.model or 'all'} {j.scale}"), str(x.n), *numbers, *rest)
        yield table


def _metrics(rows: Sequence[Beside]) -> Iterator[Table]:
    """The headlines of each benchmark's short texts, and F1; audit.json has all."""
    texts = [t for t in TASKS.values() if t.kind == "text"]
    shown = {(t.benchmark, metric) for t in texts for metric in (*t.metrics, "f1")}
    kept = [r for r in rows if (r.benchmark, r.metric) in shown and r.spearman is not None]
    if kept:
        table = _table("Metrics beside people", "metric", "scale", "points", "n", "Spearman", "Pearson", "Kendall")
        for r in kept:
            numbers = ("–" if v is None else f"{v:+.3f}" for v in (r.spearman, r.pearson, r.kendall))
            table.add_row(f"{r.benchmark} {r.metric}", r.scale, r.basis, str(r.n), *numbers)
        yield table


def _span(interval: Interval) -> str:
    return f"{100 * interval.low:.0f}–{100 * interval.high:.0f}"


def _table(title: str, first: str, *others: str) -> Table:
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column(first, overflow="fold")
    for name in others:
        table.add_column(name, justify="right")
    return table
