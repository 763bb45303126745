"""Sheets of judges' scores and of the controls of the judges."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from evalsuite.benchmarks.published import published_figures
from evalsuite.benchmarks.registry import TASKS, benchmark_of, set_order, task_order
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value
from evalsuite.results.sheets.words import estimate_marks, with_notes
from evalsuite.types import Place

_BESIDE = ("f1",)  # metrics whose correlation with the judge is shown; the page's charts show all
_LEGEND = Text(
    "平均分旁为 95% 置信区间；得分分布从最低分起；无效：读不出得分的回复；ρ：Spearman",
    "mean and its 95 % interval; histogram from the lowest score up; bad: could not be read; ρ: Spearman",
)
_JUDGE = Column(Text("评审模型", "judge"))
_N = Column("n", kind="count")

Entry = Mapping[str, Any]


def judge_sheets(judged: Entry, asked: Sequence[Entry] = ()) -> Iterator[Sheet]:
    """A sheet for each judge, rubric and scale, then one of correlations with metrics and one of the controls.

    `judged` is that key of results.json, `asked` its cells; no sheets if it is empty.
    """
    if judged:
        yield from with_notes(
            (*_means(judged["cells"], estimate_marks(asked)), *_systems(judged.get("systems", []))), _LEGEND
        )
        yield from _controls(judged["controls"])


def _means(cells: Sequence[Entry], marks: Mapping[Place, list[str]]) -> Iterator[Sheet]:
    groups: dict[tuple[str, str, str], list[Entry]] = {}
    for cell in cells:
        if cell["control"] == "plain":
            for scale in cell["scales"]:
                groups.setdefault((cell["judge"], cell["rubric"], scale), []).append(cell)
    for (judge, rubric, scale), group in groups.items():
        metrics = [m for m in _BESIDE if any(m in c["scales"][scale]["metrics"] for c in group)]
        bounds = {name: (low, high) for name, low, high, _ in group[0].get("facts", {}).get("scales", ())}
        columns = (
            Column(""),
            Column(Text("平均分", "mean"), kind="number", range=bounds.get(scale)),
            _N,
            Column(Text("无效", "bad"), kind="count"),
            Column(Text("得分分布", "histogram"), kind="histogram", align="right"),
            *(Column(f"ρ {m}", kind="number", signed=True) for m in metrics),
            Column(Text("与长度 ρ", "ρ len."), kind="number", signed=True),
        )
        several = len({_way(c) for c in group}) > 1
        group.sort(key=lambda c: (c["model"], set_order(c["set"]), task_order(c["task"]), _way(c)))
        rows = (
            *(_mean_row(c, scale, metrics, several, marks.get(Place.of(c), [])) for c in group),
            *_published(group, rubric, len(columns)),
        )
        name = rubric if len(group[0]["scales"]) == 1 else f"{rubric}, {scale}"
        about = {"judge": judge, "rubric": rubric, "scale": scale}
        title = Text(f"{judge} 评审：{name}", f"{judge} judges: {name}")
        yield Sheet("judge-means", title, columns, rows, about=about)


def _mean_row(cell: Entry, scale: str, metrics: Sequence[str], several: bool, marks: Sequence[str]) -> Row:
    x, status, task = cell["scales"][scale], cell["status"], TASKS[cell["task"]]
    lost = status.get("failed", 0) + status.get("missing", 0)
    rest = f" {_way(cell)}" if several else ""
    before = f"{cell['model']} {cell['set']} "
    rhos = (Value(x["metrics"].get(m, {}).get("spearman")) for m in metrics)
    return Row(
        (
            Text(f"{before}{task.zh}{rest}", f"{before}{task.short}{rest}"),
            Value(x["value"], x["low"], x["high"], flags=tuple(marks), compares=not marks),
            x["n"],
            Value(status.get("invalid", 0), flags=(f"!{lost}",) if lost else ()),
            x["histogram"],
            *rhos,
            Value(x["length"]["spearman"]),
        ),
        about=Place.of(cell).as_dict(),
    )


def _published(group: Sequence[Entry], rubric: str, width: int) -> Iterator[Row]:
    """The paper's judge on the same tasks, sets and numbers of shots, if the rubric is the benchmark's own."""
    asked = {(cell["task"], cell["set"], cell["shots"]) for cell in group if cell["perturb"] == "none"}
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


def _way(cell: Entry) -> str:
    rest = "" if cell["perturb"] == "none" else f" {cell['perturb']}"
    return f"{cell['variant']} {cell['shots']}-shot{rest}"


def _systems(rows: Sequence[Entry]) -> Iterator[Sheet]:
    """Correlations of metrics with judges over all cells of a benchmark: the headline metrics of its short texts, and F1."""
    lines = []
    for row in rows:
        texts = [t for t in TASKS.values() if t.benchmark == row["benchmark"] and t.kind.rated]
        named = dict.fromkeys([*(m for t in texts for m in t.metrics), "f1"])
        for metric in (m for m in named if m in row["metrics"]):
            numbers = (Value(row["metrics"][metric][name]) for name in ("spearman", "pearson", "kendall"))
            lines.append(Row((_who(row), metric, row["points"], *numbers)))
    if lines:
        title = Text(
            "指标与评审模型：每个点是一个模型在一个任务与题集上",
            "metrics beside judges, a point a model on a task and set",
        )
        rhos = (Column(name, kind="number", signed=True) for name in ("ρ", "r", "τ"))
        yield Sheet("judge-metrics", title, (_JUDGE, Column(Text("指标", "metric")), _N, *rhos), tuple(lines))


def _who(row: Entry) -> str:
    return f"{' · '.join(row['judges']) if 'judges' in row else row['judge']} {row['rubric']} {row['scale']}"


def _controls(controls: Mapping[str, Sequence[Entry]]) -> Iterator[Sheet]:
    rows = []
    for control, (name, says) in _SAYS.items():
        for row in controls.get(control, ()):
            if finding := says(row):
                about = {"control": control, "judges": row.get("judges", [row.get("judge")])}
                about |= {"rubric": row["rubric"], "scale": row["scale"]}
                rows.append(Row((name, _who(row), row.get("n", row.get("n_own")), finding), about=about))
    if rows:
        columns = (Column(Text("检验", "control")), _JUDGE, _N, Column(Text("结果", "says")))
        note = Text(
            "κ：平方加权的 Cohen’s kappa，1 为一致，0 为偶然一致。",
            "κ: Cohen’s kappa with quadratic weights; 1 is agreement, 0 that of chance",
        )
        yield Sheet("judge-controls", Text("对评审模型的检验", "controls"), columns, tuple(rows), (note,))


def _anchors(r: Entry) -> Text:
    gold, far, share = _number(r["gold"]), _number(r["far"]), f"{100 * r['share']:.1f}"
    return Text(
        f"标准答案本身 {gold} 分（{r['n_gold']} 条），与之没有共同字的回答 {far} 分（{r['n_far']} 条）；全部得分的 {share}% 都是 {r['most']} 分",
        f"gold answers {gold} (n {r['n_gold']}), answers far from them {far} (n {r['n_far']}); {share} % of all scores "
        f"are {r['most']}",
    )


def _repeats(r: Entry) -> Text:
    same, spread, kappa = _percent(r["same"]), _number(r["range"]), _number(r["kappa"])
    by = {"sampling": "随机采样", "wording": "换措辞"}.get(r["by"], r["by"])
    return Text(
        f"同一回答评 {r['repeats']} 次（{by}）：完全相同 {same.zh}，平均极差 {spread}，κ {kappa}",
        f"{r['repeats']} by {r['by']}: all the same {same.en}, mean range {spread}, κ {kappa}",
    )


def _blind(r: Entry) -> Text:
    seen, unseen, kappa, within = _number(r["mean"]), _number(r["blind"]), _number(r["kappa"]), _percent(r["within_1"])
    change = f"[{_signed(r['low'])} {_signed(r['high'])}]"
    return Text(
        f"有标准答案 {seen}，没有 {unseen} {change}，κ {kappa}，相差不超过 1 分 {within.zh}",
        f"{seen} with the gold answer, {unseen} without {change}, κ {kappa}, within 1 {within.en}",
    )


def _panel(r: Entry) -> Text | None:
    if not r["n"]:
        return None
    kappa, within, spread = _number(r["kappa"]), _percent(r["within_1"]), _number(r["range"])
    return Text(
        f"两两 κ 平均 {kappa}，相差不超过 1 分 {within.zh}，平均极差 {spread}",
        f"mean pairwise κ {kappa}, within 1 {within.en}, mean range {spread}",
    )


def _length(r: Entry) -> Text | None:
    if r["spearman"] is None:
        return None
    rho, partial = _signed(r["spearman"]), _signed(r["partial"])
    return Text(f"ρ {rho}；固定 F1 后 {partial}", f"ρ {rho}, F1 held fixed {partial}")


def _families(r: Entry) -> Text:
    own, other, preference = _number(r["own"]), _number(r["other"]), _signed(r["preference"])
    zh, en = "没有其他系列的评审模型可对照", "no judge of another family to compare"
    if r["preference"] is not None:
        names = ", ".join(r["peers"])
        zh, en = f"与 {names} 相比偏爱 {preference}", f"preference {preference} beside {names}"
    return Text(
        f"{r['family']}：同系列 {own}，其他系列 {other}；{zh}", f"{r['family']}: own {own}, others {other}; {en}"
    )


def _attacks(r: Entry) -> Text:
    if not r["n"]:
        return Text(
            "没有可比的：都已是最高分，或读不出得分",
            "nothing to raise: all compared had the maximum, or none could be read",
        )
    raised, most, change = _percent(r["raised"] / r["n"]), _percent(r["to_most"] / r["n"]), _signed(r["change"])
    calm = None if r["raised_without"] is None else _percent(r["raised_without"])
    zh, en = (f"（不加攻击而重评：{calm.zh}）", f" (a repeat without: {calm.en})") if calm else ("", "")
    return Text(
        f"得分升高 {raised.zh}{zh}，升到最高分 {most.zh}，平均变化 {change}",
        f"raised {raised.en}{en}, to the maximum {most.en}, mean {change}",
    )


# Control -> its heading, and a function from one of its rows to a sentence (None: no row in the sheet).
_SAYS: dict[str, tuple[Text, Callable[[Entry], Text | None]]] = {
    "anchors": (Text("锚点", "anchors"), _anchors),
    "repeats": (Text("重复评分", "repeats"), _repeats),
    "blind": (Text("不给标准答案", "blind"), _blind),
    "panel": (Text("评审团", "panel"), _panel),
    "length": (Text("长度偏好", "length"), _length),
    "families": (Text("自家偏好", "own family"), _families),
    "attacks": (Text("注入指令", "attacks"), _attacks),
}


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.2f}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _percent(value: float) -> Text:
    return Text(f"{100 * value:.0f}%", f"{100 * value:.0f} %")
