"""What `evalsuite audit read` shows, as sheets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evalsuite.benchmarks.kinds import KINDS
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.sheet import Cell, Column, Row, Sheet, Text, Value
from evalsuite.review.audit.figures import HUMAN, Correct, Ratio, Reader
from evalsuite.review.audit.findings import Audit, published
from evalsuite.review.audit.metrics import Beside
from evalsuite.types import Kind, Status

_N = Column("n", kind="count")
_SPAN = Column("95 %", kind="percent", digits=0, interval="alone")


def audit_sheets(found: Audit, beside: bool = False) -> Iterator[Sheet | str]:
    """Correct outputs, the parser's readings, scores, agreement, judges. `beside`: with the paper's Table 4."""
    yield f"{found.marked} of {len(found.sample.drawn)} outputs marked, by {', '.join(found.annotators)}"
    for kind in KINDS.values():
        if rows := [row for row in found.correct if row.kind == kind.name]:
            yield _correct(rows, kind, beside and kind.single)
    yield from _readers(found.readers)
    if found.confusion:
        yield _confusion(found)
    yield from _scores(found)
    yield from _agreement(found)
    yield from _judges(found)
    yield from _metrics(found.metrics)
    yield from found.notes


def _correct(rows: Sequence[Correct], kind: Kind, beside: bool) -> Sheet:
    lines = []
    for r in rows:
        of, at = r.whole.outputs, r.estimate
        estimate = Value(at.value, asides=() if r.covered == 1 else ("*",))
        run = (r.whole.raw / of, r.whole.filtered / of, estimate, Value(None, at.low, at.high))
        lines.append(Row((r.model, r.n, r.raw, r.filtered, r.actual, of, *run)))
    notes = []
    if beside:
        for p in published():
            counts = (100, p["raw_correct"], p["filtered_correct"], p["correct"])
            lines.append(Row((p["model"], *counts, *[None] * 5), "apart"))
    if kind.single:
        notes.append(
            Text(
                "原始：照回复原样即正确；过滤：解析之后；实际：按人的理解。左边为样本中的数目（样本偏重少见的回复）；全部：整个运行，其中“实际”为估计",
                "raw: correct as it stands; filt.: once parsed; act.: as people read it. Left: counts of the sample, "
                "which seeks rare replies out; run: all of the run's, act. estimated",
            )
        )
    if beside:
        notes.append(
            Text(
                "末几行为论文中的模型，各 100 个输出，提示与数据均不同",
                "last rows: the paper's models, 100 outputs each, on other prompts and data",
            )
        )
    if part := next((r for r in rows if r.covered < 1), None):
        share = f"{100 * part.covered:.0f} %"
        notes.append(
            Text(
                f"* 只覆盖运行的 {share}：其余各层没有标注",
                f"* of {share} of the run: no output of the other strata is marked",
            )
        )
    raw, filtered, actual = Text("原始", "raw"), Text("过滤", "filt."), Text("实际", "act.")
    columns = (
        Column(Text("模型", "model")),
        _N,
        *(Column(head, kind="count") for head in (raw, filtered, actual)),
        Column(Text("全部：", "run:"), "n", "count"),
        *(Column(head, "%", "percent", better="more") for head in (raw, filtered, actual)),
        _SPAN,
    )
    zh, en = ("（论文表 4）", " (the paper's Table 4)") if kind.single else ("", "")
    title = Text(f"正确的{kind.zh}{zh}", f"Correct {kind.en}{en}")
    return Sheet("correct", title, columns, tuple(lines), tuple(notes))


def _readers(rows: Sequence[Reader]) -> Iterator[Sheet]:
    if not rows:
        return
    plain = len({r.model for r in rows}) == 1
    lines = []
    for r in rows:
        name = Text(TASKS[r.task].zh, TASKS[r.task].short) if r.task else Text(KINDS[r.kind].zh, KINDS[r.kind].en)
        who = "" if plain else f"{r.model} "
        pairs = (*(r.option or (None, None)), *r.right)
        cells = (cell for pair in pairs for cell in _ratio(pair))
        lines.append(Row((Text(who + name.zh, who + name.en), r.n, *cells)))
    precision, recall = Text("精确率 %", "prec. %"), Text("召回率 %", "recall %")
    pairs_of = (Text("选项", "option"), Text("正误", "right"))
    columns = [Column(Text("任务", "task")), _N]
    for what in pairs_of:
        columns += [Column(what, precision, "percent", digits=0), _SPAN]
        columns += [Column(recall, kind="percent", digits=0), _SPAN]
    note = Text(
        "选项：解析出的选项是否就是回复所说；正误：计为正确的是否正确（片段与短文本按完全匹配）。精确率：占解析器读出的；召回率：占人读出的。",
        "option: the parser's option is what the reply says; right: what counts as correct is correct (spans, texts: by "
        "exact match). Precision: of what the parser read; recall: of what people read.",
    )
    title = Text("解析回复的质量，按整个运行估计", "How well replies are read, estimated for the run")
    yield Sheet("readers", title, tuple(columns), tuple(lines), (note,))


def _ratio(ratio: Ratio | None) -> tuple[Cell, Cell]:
    if ratio is None:
        return None, None
    found = ratio.interval
    return (found.value, Value(None, found.low, found.high)) if found else (Value(None), None)


def _confusion(found: Audit) -> Sheet:
    rows = [
        Row((status.value, *(counts.get(name) for name in HUMAN)))
        for status in Status
        if (counts := found.confusion.get(status.value))
    ]
    heads = (
        Text("读出的选项", "option read"),
        Text("另一选项", "other option"),
        Text("没有选项", "no option"),
        Text("多个选项", "several"),
        Text("拒答", "refuses"),
    )
    title = Text(
        "回复实际所说，按解析器的状态（样本中的数目）",
        "What replies say, by the parser's status (counts of the sample)",
    )
    columns = (Column(Text("状态", "status")), *(Column(head, kind="count") for head in heads))
    return Sheet("replies", title, columns, tuple(rows))


def _scores(found: Audit) -> Iterator[Sheet]:
    if not found.scores:
        return
    several, scales = len({r.model for r in found.scores}) > 1, len({r.scale for r in found.scores}) > 1
    values = sorted({v for r in found.scores for v in r.histogram})
    rows = []
    for s in found.scores:
        task = Text(TASKS[s.task].zh, TASKS[s.task].short) if s.task else Text("全部", "all")
        before, after = f"{s.model} " if several else "", f" {s.scale}" if scales else ""
        name = Text(f"{before}{task.zh}{after}", f"{before}{task.en}{after}")
        tally = (s.histogram.get(v) or None for v in values)
        rows.append(Row((name, s.n, s.mean.value, Value(None, s.mean.low, s.mean.high), *tally)))
    columns = (
        Column(Text("任务", "task")),
        _N,
        Column(Text("平均", "mean"), kind="number"),
        Column("95 %", kind="number", interval="alone"),
        *(Column(str(v), kind="count") for v in values),
    )
    title = Text("人的评分；平均分按整个运行估计", "Scores by people; means estimated for the run")
    yield Sheet("scores", title, columns, tuple(rows))


def _agreement(found: Audit) -> Iterator[Sheet]:
    if found.agreement:
        rows = tuple(
            Row((", ".join(a.who), a.question, a.n, a.same, Value(a.kappa), a.which, a.spearman))
            for a in found.agreement
        )
        columns = (
            Column(Text("标注者", "who")),
            Column(Text("问题", "on"), align="right"),
            _N,
            Column(Text("相同 %", "same %"), kind="percent"),
            Column("kappa", kind="number", digits=3),
            Column("", align="right"),
            Column("Spearman", kind="number", digits=3),
        )
        yield Sheet("agreement", Text("标注者之间的一致", "Agreement between annotators"), columns, rows)


def _judges(found: Audit) -> Iterator[Sheet]:
    if found.judges:
        rows = []
        for j in found.judges:
            x = j.against
            numbers = (x.n, Value(x.kappa), Value(x.spearman), x.difference, x.bias, x.same or 0.0)
            rows.append(
                Row((j.judge, Text(f"{j.model or '全部'} {j.scale}", f"{j.model or 'all'} {j.scale}"), *numbers))
            )
        columns = (
            Column(Text("评审", "judge")),
            Column(Text("所评", "of"), align="right"),
            _N,
            Column("kappa", kind="number", digits=3),
            Column("Spearman", kind="number", digits=3),
            Column("|Δ|", kind="number"),
            Column(Text("偏差", "bias"), kind="number", signed=True),
            Column(Text("相同 %", "same %"), kind="percent"),
        )
        yield Sheet("judges", Text("评审与人", "Judges beside people"), columns, tuple(rows))


def _metrics(rows: Sequence[Beside]) -> Iterator[Sheet]:
    """The headlines of each benchmark's short texts, and F1; audit.json has all."""
    texts = [t for t in TASKS.values() if t.kind.rated]
    shown = {(t.benchmark, metric) for t in texts for metric in (*t.metrics, "f1")}
    kept = tuple(
        Row((f"{r.benchmark} {r.metric}", r.scale, r.basis, r.n, *map(Value, (r.spearman, r.pearson, r.kendall))))
        for r in rows
        if (r.benchmark, r.metric) in shown and r.spearman is not None
    )
    if kept:
        columns = (
            Column(Text("指标", "metric")),
            Column(Text("量表", "scale"), align="right"),
            Column(Text("数据点", "points"), align="right"),
            _N,
            *(Column(name, kind="number", digits=3, signed=True) for name in ("Spearman", "Pearson", "Kendall")),
        )
        yield Sheet("metrics", Text("指标与人", "Metrics beside people"), columns, kept)
