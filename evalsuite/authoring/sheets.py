"""The reports of `evalsuite build agree` and `evalsuite build stats` as sheets."""

from __future__ import annotations

from collections.abc import Iterator

from evalsuite.authoring.agree import AgreementReport
from evalsuite.authoring.inspection import QualityReport
from evalsuite.authoring.stats import Stats
from evalsuite.authoring.stats_page import grouped, summary, table1_heads, table1_rows
from evalsuite.benchmarks.corecode.reference import INSPECTORS, REVIEWERS
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value

_N = Column("n", kind="count")


def agreement_sheets(report: AgreementReport, most: int) -> Iterator[Sheet | str]:
    """Kappa per step, mean kappa per pair, and the first `most` disagreements."""
    yield ", ".join(f"{name}: {n} dialogues" for name, n in report.annotators.items())
    columns = (
        Column("who"),
        Column("step"),
        _N,
        Column("same %", kind="percent"),
        Column("kappa", kind="number", digits=3),
        Column("F1 %", kind="percent", digits=0),
    )
    rows = tuple(Row((", ".join(s.who), s.step, s.n, s.same, Value(s.kappa), Value(s.f1))) for s in report.steps)
    yield Sheet("agreement", "Agreement step by step", columns, rows)
    for a, b, value in report.means:
        yield (
            f"{a}, {b}: mean kappa over the steps {100 * value:.1f} % "
            f"(the paper: reviewers {100 * REVIEWERS:.1f}, inspectors {100 * INSPECTORS:.1f})"
        )
    if report.disagreements:
        count = len(report.disagreements)
        title = f"{count} disagreements" + (f", the first {most}; --out writes all" if count > most else "")
        heads = ("dialogue", "step", "about", "one", "other")
        lines = tuple(
            Row((d.dialogue, d.step, d.about, *(x or "–" for x in d.said))) for d in report.disagreements[:most]
        )
        yield Sheet("disagreements", title, tuple(map(Column, heads)), lines)
    yield from report.notes


def quality_sheets(report: QualityReport, most: int) -> Iterator[Sheet | str]:
    """Agreement, then the inspectors' verdicts on each annotator, then who qualifies."""
    if report.agreement:
        yield from agreement_sheets(report.agreement, most)
    if report.inspected:
        share = (Column(f"{name} %", kind="percent") for name in ("accepted", "returned", "revised"))
        columns = (Column("annotator"), _N, Column("inspected", kind="count"), *share, Column("was returned for"))
        rows = tuple(
            Row(
                (
                    i.annotator,
                    i.annotations,
                    i.inspected,
                    *(x / i.inspected for x in (i.accepted, i.returned, i.revised)),
                    ", ".join(f"{reason} {n}" for reason, n in i.reasons.items()) or "–",
                )
            )
            for i in report.inspected
        )
        yield Sheet("inspection", "Inspectors' verdicts", columns, rows)
    if report.qualified:
        counts = (Column(name, kind="count") for name in ("gold items", "right", "more"))
        columns = (Column("annotator"), *counts, Column("right %", kind="percent"), Column(""))
        rows = tuple(
            Row(
                (
                    q.annotator,
                    q.items,
                    q.right,
                    q.more,
                    q.share,
                    Value("qualifies" if q.qualifies else "does not qualify", tone="" if q.qualifies else "strong"),
                )
            )
            for q in report.qualified
        )
        title = f"Annotators on gold items; {100 * report.qualify:g} % qualifies"
        yield Sheet("qualification", title, columns, rows)


def stats_sheets(stats: Stats) -> Iterator[Sheet | str]:
    """Table 1, bars of domains and slots, the artefact checks of each task and set, and a summary line each."""
    if stats.table1:
        columns = (Column(""), *(Column(head, kind="count") for head in table1_heads(stats)))
        rows = tuple(Row((name, *values)) for name, values in table1_rows(stats))
        notes = [f"over the dialogues shown whole; knowledge counted in {stats.source or '–'}"]
        if stats.total:
            notes.append("Total, as in the paper: counts are summed, all else is the mean of the sets' figures")
        yield Sheet("table1", "As in the paper's Table 1", columns, rows, tuple(notes))
    for item_set in dict.fromkeys(s.set for s in stats.spread):
        domains = [(zh, en, n) for (zh, en), n in stats.domains(item_set).items()]
        yield _bars("domains", f"{item_set.upper()}: annotations by domain", domains)
        slots = [(s.slot_zh, s.slot, s.count) for s in stats.spread if s.set == item_set]
        yield _bars("slots", f"{item_set.upper()}: annotations by slot", slots)
    for (task, item_set), scores in grouped(stats):
        columns = (
            Column("check"),
            Column("%", kind="percent"),
            Column("interval", kind="percent", interval="alone"),
            Column("chance", kind="percent"),
            Column("verdict"),
        )
        rows = tuple(
            Row(
                (
                    f.check,
                    f.value,
                    Value(None, f.low, f.high),
                    f.chance,
                    Value(f.verdict, tone="strong" if f.above else "quiet"),
                )
            )
            for f in scores
        )
        named, which, items = TASKS[task], item_set.upper(), scores[0].items
        title = Text(
            f"{which}：{named.zh}，{stats.split}，{items} 题", f"{which}: {named.en}, {stats.split}, {items} items"
        )
        yield Sheet("checks", title, columns, rows)
    if stats.findings:
        yield "What can be had without reading the dialogue"
        for above, line in summary(stats):
            yield ("! " if above else "  ") + line


def _bars(name: str, title: str, rows: list[tuple[str, str, int]]) -> Sheet:
    most = max(n for *_, n in rows)
    columns = (Column("中文"), Column("English"), Column("n", kind="number", digits=0), Column("", kind="bar"))
    return Sheet(name, title, columns, tuple(Row((zh, en, f"{n:,}", n / most)) for zh, en, n in rows))
