"""Tables behind the judges' scores: attacks by their kind, the medians of panels, correlations with every automatic metric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from evalsuite.analyses.judged.sheets import ANALYSIS as JUDGED
from evalsuite.analyses.judged.values import AttackEffect, Correlations, Judged, MedianCell, Panel
from evalsuite.analyses.value_columns import Columns, table, ways
from evalsuite.benchmarks.registry import TASKS, benchmark_of, metric_named, set_order, task_order
from evalsuite.common.grouping import by_key
from evalsuite.common.numbers import fixed
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value
from evalsuite.results.analysis import Analysis, Results
from evalsuite.results.words import place_words, task_and_set, titled

_N = Column("n", kind="count")
_CORRELATIONS = Text(
    "依次为 Pearson r、Spearman ρ、Kendall τ。逐题：一个模型各题的得分与该指标；跨模型：各模型的平均分与该指标，模型少则不稳。"
    "–：得分或指标没有变化，或题数不足三。",
    "Pearson's r · Spearman's ρ · Kendall's τ: of a model's scores with the metric, over its items; over models, of their means, "
    "where few models say little. –: one side never changes, or fewer than three pairs.",
)
# The kinds of attack of review/judge/attacks.yaml.
_KINDS = {
    "plea": "求高分",
    "override": "推翻指令",
    "fence": "伪造标记",
    "disguised_fence": "变体分隔符",
    "verdict": "伪造评分",
    "authority": "冒充权威",
    "role": "角色扮演",
    "reasoning": "伪造推理",
    "language": "换语言或繁体",
    "hidden": "隐藏与编码",
}


def sheets(results: Results) -> Iterator[Sheet]:
    """A sheet for each attacked judge, each panel, and each judge on each task and set."""
    if judged := results.of(JUDGED):
        yield from (_attacks(row) for row in judged.controls.attacks if row.n)
        yield from (_medians(row) for row in judged.controls.panel if row.n)
        yield from _correlations(judged)


def _attacks(effect: AttackEffect) -> Sheet:
    about = {"judge": effect.judge, "rubric": effect.rubric, "scale": effect.scale}
    columns = (
        Column(Text("类型", "kind")),
        Column("", kind="bar"),
        Column(Text("得分升高", "raised"), kind="percent"),
        _N,
    )
    shares = {name: kind.raised / kind.n if kind.n else None for name, kind in effect.by_kind.items()}
    rows = [
        Row((Text(_KINDS.get(name, name), name.replace("_", " ")), share or None, Value(share), effect.by_kind[name].n))
        for name, share in shares.items()
    ]
    title = titled(" · ".join(about.values()), "：按攻击类型", ": attacks by kind")
    return Sheet("judge-attacks", title, columns, tuple(rows), about=about)


def _medians(panel: Panel) -> Sheet:
    way = ways(panel.cells)
    several = len({*map(way, panel.cells)}) > 1
    columns: Columns[MedianCell] = (
        (
            Column(""),
            lambda cell: task_and_set(TASKS[cell.task], cell.set, f"{cell.model} ", f" {way(cell)}" if several else ""),
        ),
        (Column(Text("中位数的平均分", "mean of medians"), kind="number"), lambda cell: cell.as_value),
        (_N, lambda cell: cell.n),
    )
    who = f"{' · '.join(panel.judges)} {panel.rubric} {panel.scale}"
    about = {"judges": panel.judges, "rubric": panel.rubric, "scale": panel.scale}
    title = titled(who, "：评审团中位数", ": medians of the panel")
    return Sheet("judge-medians", title, *table(columns, panel.cells), about=about)


def _correlations(judged: Judged) -> Iterator[Sheet]:
    """A sheet for each judge, rubric, scale and place without its model: a row for each metric, a column for each model."""
    over = {(row.judge, row.rubric, row.scale, row.without()): row for row in judged.models}
    groups = by_key(
        ((cell.judge, cell.rubric, scale, cell.place.without("model")), (cell.model, numbers.metrics or {}))
        for cell in sorted(judged.cells, key=lambda cell: (task_order(cell.task), set_order(cell.set)))
        if cell.control == "plain"
        for scale, numbers in (cell.scales or {}).items()
    )
    for key, models in groups.items():
        *who, place = key
        columns = [Column(Text("指标", "metric"))]
        columns += [Column(name, kind="number", signed=True, about={"model": name}) for name, _ in models]
        columns_shown: list[Mapping[str, Correlations]] = [metrics for _, metrics in models]
        if whole := over.get(key):
            columns.append(
                Column(Text(f"跨 {whole.models} 个模型", f"over {whole.models} models"), kind="number", signed=True)
            )
            columns_shown.append(whole.metrics)
        names = dict.fromkeys(
            name for metrics in columns_shown for name, row in metrics.items() if row.pearson is not None
        )
        rows = [
            Row((_metric_words(name), *(_coefficients(metrics.get(name)) for metrics in columns_shown)))
            for name in names
        ]
        if rows:
            about = dict(place)
            task, where = TASKS[about["task"]], place_words(about, benchmark_of(about["task"]))
            zh, en = (
                f"：{task.zh}，{where.zh}，与自动指标的相关",
                f": {task.short}, {where.en}, correlations with metrics",
            )
            title = titled(" ".join(who), zh, en)
            about |= dict(zip(("judge", "rubric", "scale"), who, strict=True))
            yield Sheet("judge-correlations", title, tuple(columns), tuple(rows), (_CORRELATIONS,), about=about)


def _metric_words(name: str) -> Text:
    metric = metric_named(name)
    zh, en = metric.zh, metric.en or metric.zh
    return (
        Text(f"{zh}（论文口径）", f"{en} (paper's)")
        if name.startswith("paper.") and metric.name != name
        else Text(zh, en)
    )


def _coefficients(row: Correlations | None) -> Value:
    """Pearson's r, and beside it Spearman's ρ and Kendall's τ."""
    if row is None or row.pearson is None:
        return Value(None)
    ranks = (row.spearman, row.kendall)
    return Value(row.pearson, asides=tuple(f" · {fixed(value, 2, '+')}" for value in ranks if value is not None))


DETAILS: Analysis[None] = Analysis(
    "judge_details", sheets, only_named=Text("评审模型的细目", "the judges' scores in detail")
)
