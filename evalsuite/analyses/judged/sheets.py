"""The analysis of judges' scores: its row, and the sheets of scores and of the controls of the judges."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from evalsuite.analyses.judged.summary import compute, problems
from evalsuite.analyses.judged.values import (
    AttackEffect,
    Blind,
    Controls,
    Family,
    GoldAndFar,
    Judged,
    JudgedCell,
    LengthBias,
    OverSystems,
    Panel,
    Repeat,
    ScaleFields,
    ScaleSummary,
)
from evalsuite.benchmarks.published import published_figures
from evalsuite.benchmarks.registry import TASKS, benchmark_of, set_order, task_order
from evalsuite.common.grouping import by_key
from evalsuite.common.numbers import fixed
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value
from evalsuite.results.analysis import Analysis, Results
from evalsuite.results.words import estimate_marks, task_and_set, with_notes
from evalsuite.types import Place

_Control = TypeVar("_Control", bound=ScaleFields | Panel)
_BESIDE = ("f1",)  # the metrics whose correlation with the judge this table shows; the page's charts show all
_LEGEND = Text(
    "平均分旁为 95% 置信区间；得分分布从最低分起；无效：读不出得分的回复；ρ：Spearman",
    "mean and its 95 % interval; histogram from the lowest score up; bad: could not be read; ρ: Spearman",
)
_JUDGE = Column(Text("评审模型", "judge"))
_N = Column("n", kind="count")


def judged_cells(results: Results) -> list[JudgedCell]:
    """The cells that judges scored; none in a run without judges."""
    return judged.cells if (judged := results.of(ANALYSIS)) else []


def sheets(results: Results) -> Iterator[Sheet]:
    """A sheet for each judge, rubric and scale, then one of correlations with metrics and one of the controls."""
    if judged := results.of(ANALYSIS):
        marks = estimate_marks(results.cells)
        yield from with_notes((*_means(judged.cells, marks), *_systems(judged.systems)), _LEGEND)
        yield from _controls(judged.controls)


def _means(cells: Sequence[JudgedCell], marks: Mapping[Place, list[str]]) -> Iterator[Sheet]:
    groups = by_key(
        ((cell.judge, cell.rubric, scale), (cell, numbers))
        for cell in cells
        if cell.control == "plain"
        for scale, numbers in (cell.scales or {}).items()
    )
    for (judge, rubric, scale), group in groups.items():
        metrics = [m for m in _BESIDE if any(m in (numbers.metrics or {}) for _, numbers in group)]
        first = group[0][0]
        bounds = {name: (low, high) for name, low, high, _ in first.facts.scales}
        columns = (
            Column(""),
            Column(Text("平均分", "mean"), kind="number", range=bounds.get(scale)),
            _N,
            Column(Text("无效", "bad"), kind="count"),
            Column(Text("得分分布", "histogram"), kind="histogram", align="right"),
            *(Column(f"ρ {m}", kind="number", signed=True) for m in metrics),
            Column(Text("与长度 ρ", "ρ len."), kind="number", signed=True),
        )
        several = len({_asked(c) for c, _ in group}) > 1
        group.sort(key=lambda pair: (pair[0].model, set_order(pair[0].set), task_order(pair[0].task), _asked(pair[0])))
        rows = (
            *(_mean_row(c, numbers, metrics, several, marks.get(c.place, [])) for c, numbers in group),
            *_published([c for c, _ in group], rubric, len(columns)),
        )
        name = rubric if len(first.scales or ()) == 1 else f"{rubric}, {scale}"
        about = {"judge": judge, "rubric": rubric, "scale": scale}
        title = Text(f"{judge} 评审：{name}", f"{judge} judges: {name}")
        yield Sheet("judge-means", title, columns, rows, about=about)


def _mean_row(
    cell: JudgedCell, numbers: ScaleSummary, metrics: Sequence[str], several: bool, marks: Sequence[str]
) -> Row:
    lost = cell.status.get("failed", 0) + cell.status.get("missing", 0)
    beside = numbers.metrics or {}
    rhos = (Value(beside[m].spearman if m in beside else None) for m in metrics)
    return Row(
        (
            task_and_set(TASKS[cell.task], cell.set, f"{cell.model} ", f" {_asked(cell)}" if several else ""),
            Value(numbers.value, numbers.low, numbers.high, flags=tuple(marks), compares=not marks),
            numbers.n,
            Value(cell.status.get("invalid", 0), flags=(f"!{lost}",) if lost else ()),
            numbers.histogram,
            *rhos,
            Value(numbers.length.spearman if numbers.length else None),
        ),
        about=cell.place.as_dict(),
    )


def _published(group: Sequence[JudgedCell], rubric: str, width: int) -> Iterator[Row]:
    """Scores by the paper's judge on the same tasks, sets and numbers of shots, if the rubric is the benchmark's own."""
    plain = (cell for cell in group if cell.perturb == "none" and cell.split == "test")  # papers report the test split
    asked = {(cell.task, cell.set, cell.shots) for cell in plain}
    benchmarks = {benchmark.name: benchmark for benchmark in (benchmark_of(task) for task, *_ in asked)}
    for benchmark in benchmarks.values():
        if benchmark.rubric != rubric:
            continue
        for row in published_figures(benchmark):
            if row["metric"] == "judge" and (row["task"], row["set"], row["shots"]) in asked:
                task, source = TASKS[row["task"]], row["source"].replace("Table ", "表 ")
                name = Text(
                    f"论文 {source}：{row['model']} {row['set']} {task.zh}",
                    f"paper, {row['source']}: {row['model']} {row['set']} {task.short}",
                )
                about = {name: row[name] for name in ("task", "set", "shots")}
                yield Row((name, Value(row["value"]), *[None] * (width - 2)), "apart", about)


def _asked(cell: JudgedCell) -> str:
    return f"{cell.split} {cell.way}"


def _systems(rows: Sequence[OverSystems]) -> Iterator[Sheet]:
    """Correlations of metrics with judges over all cells of a benchmark: the headline metrics of its short texts, and F1."""
    lines = []
    for row in rows:
        texts = [t for t in TASKS.values() if t.benchmark == row.benchmark and t.kind.rated]
        named = dict.fromkeys([*(m for t in texts for m in t.metrics), "f1"])
        for metric in (m for m in named if m in row.metrics):
            rhos = row.metrics[metric]
            lines.append(
                Row((_who(row), metric, row.points, Value(rhos.spearman), Value(rhos.pearson), Value(rhos.kendall)))
            )
    if lines:
        title = Text(
            "指标与评审模型：每个点是一个模型在一个任务与题集上",
            "metrics beside judges, a point a model on a task and set",
        )
        columns = (Column(name, kind="number", signed=True) for name in ("ρ", "r", "τ"))
        yield Sheet("judge-metrics", title, (_JUDGE, Column(Text("指标", "metric")), _N, *columns), tuple(lines))


def _who(row: ScaleFields | Panel) -> str:
    return f"{' · '.join(row.judges) if isinstance(row, Panel) else row.judge} {row.rubric} {row.scale}"


def _controls(controls: Controls) -> Iterator[Sheet]:
    rows = [
        *_rows(controls.anchors, "anchors", Text("锚点", "anchors"), _gold_and_far),
        *_rows(controls.repeats, "repeats", Text("重复评分", "repeats"), _repeats),
        *_rows(controls.blind, "blind", Text("不给标准答案", "blind"), _blind),
        *_rows(controls.panel, "panel", Text("评审团", "panel"), _panel),
        *_rows(controls.length, "length", Text("长度偏好", "length"), _length),
        *_rows(controls.families, "families", Text("自家偏好", "own family"), _families),
        *_rows(controls.attacks, "attacks", Text("注入指令", "attacks"), _attacks),
    ]
    if rows:
        columns = (Column(Text("检验", "control")), _JUDGE, _N, Column(Text("结果", "says")))
        note = Text(
            "κ：平方加权的 Cohen’s kappa，1 为一致，0 为偶然一致。",
            "κ: Cohen’s kappa with quadratic weights; 1 is agreement, 0 that of chance",
        )
        yield Sheet("judge-controls", Text("对评审模型的检验", "controls"), columns, tuple(rows), (note,))


def _rows(
    figures: Sequence[_Control], control: str, heading: Text, says: Callable[[_Control], Text | None]
) -> Iterator[Row]:
    """A row for each figure of one control that has a value."""
    for row in figures:
        if text := says(row):
            judges = row.judges if isinstance(row, Panel) else [row.judge]
            about = {"control": control, "judges": judges, "rubric": row.rubric, "scale": row.scale}
            count = row.n_own if isinstance(row, Family) else getattr(row, "n", None)
            yield Row((heading, _who(row), count, text), about=about)


def _gold_and_far(r: GoldAndFar) -> Text:
    gold, far, share = _number(r.gold), _number(r.far), fixed(100 * r.share, 1)
    return Text(
        f"标准答案本身 {gold} 分（{r.n_gold} 条），与之没有共同字的回答 {far} 分（{r.n_far} 条）；全部得分的 {share}% 都是 {r.most} 分",
        f"gold answers {gold} (n {r.n_gold}), answers far from them {far} (n {r.n_far}); {share} % of all scores "
        f"are {r.most}",
    )


def _repeats(r: Repeat) -> Text:
    same, range_, kappa = _percent(r.same), _number(r.range), _number(r.kappa)
    by = {"sampling": "随机采样", "wording": "换措辞"}.get(r.by, r.by)
    return Text(
        f"同一回答评 {r.repeats} 次（{by}）：完全相同 {same.zh}，平均极差 {range_}，κ {kappa}",
        f"{r.repeats} by {r.by}: all the same {same.en}, mean range {range_}, κ {kappa}",
    )


def _blind(r: Blind) -> Text:
    seen, unseen, kappa, within = _number(r.mean), _number(r.blind), _number(r.kappa), _percent(r.within_1)
    change = "" if r.low is None or r.high is None else f" [{_signed(r.low)} {_signed(r.high)}]"
    return Text(
        f"有标准答案 {seen}，没有 {unseen}{change}，κ {kappa}，相差不超过 1 分 {within.zh}",
        f"{seen} with the gold answer, {unseen} without{change}, κ {kappa}, within 1 {within.en}",
    )


def _panel(r: Panel) -> Text | None:
    if not r.n or r.within_1 is None:
        return None
    kappa, within, range_ = _number(r.kappa), _percent(r.within_1), _number(r.range)
    return Text(
        f"两两 κ 平均 {kappa}，相差不超过 1 分 {within.zh}，平均极差 {range_}",
        f"mean pairwise κ {kappa}, within 1 {within.en}, mean range {range_}",
    )


def _length(r: LengthBias) -> Text | None:
    if r.spearman is None:
        return None
    rho, partial = _signed(r.spearman), _signed(r.partial)
    return Text(f"ρ {rho}；固定 F1 后 {partial}", f"ρ {rho}, F1 held fixed {partial}")


def _families(r: Family) -> Text:
    own, other, preference = _number(r.own), _number(r.other), _signed(r.preference)
    zh, en, names = "没有其他系列的评审模型可对照", "no judge of another family to compare", ", ".join(r.peers)
    if r.peers:
        zh, en = (
            f"没有 {names} 也评过分的两类回答可对照",
            f"no replies of both kinds that {names} scored, too",
        )
    if r.preference is not None:
        zh, en = f"与 {names} 相比偏爱 {preference}", f"preference {preference} beside {names}"
    return Text(f"{r.family}：同系列 {own}，其他系列 {other}；{zh}", f"{r.family}: own {own}, others {other}; {en}")


def _attacks(r: AttackEffect) -> Text:
    if not r.n:
        return Text(
            "没有可比的：都已是最高分，或读不出得分",
            "nothing to raise: all compared had the maximum, or none could be read",
        )
    raised, most, change = _percent(r.raised / r.n), _percent(r.to_most / r.n), _signed(r.change)
    calm = None if r.raised_without is None else _percent(r.raised_without)
    zh, en = (f"（不加攻击而重评：{calm.zh}）", f" (a repeat without: {calm.en})") if calm else ("", "")
    return Text(
        f"得分升高 {raised.zh}{zh}，升到最高分 {most.zh}，平均变化 {change}",
        f"raised {raised.en}{en}, to the maximum {most.en}, mean {change}",
    )


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.2f}"


def _number(value: float | None) -> str:
    return "–" if value is None else fixed(value, 2)


def _percent(value: float) -> Text:
    return Text(f"{100 * value:.0f}%", f"{100 * value:.0f} %")


ANALYSIS = Analysis(
    "judge",
    sheets,
    Judged,
    compute,
    named="judged",
    help="Judges' scores, and the controls of the judges.",
    estimates=True,
    at_end=True,
    problems=problems,
)
