"""Robustness in detail: every change with its test, choices by option position, wordings, shots."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from evalsuite.analyses.robustness import ANALYSIS as ROBUSTNESS
from evalsuite.analyses.robustness import (
    PerturbationEffect,
    PositionCounts,
    Robustness,
    ShotValues,
    Wordings,
    common_base,
    fraction,
)
from evalsuite.benchmarks.registry import TASKS, benchmark_of, metric_named, set_order, task_order
from evalsuite.common.grouping import by_key
from evalsuite.common.numbers import fixed
from evalsuite.common.sheet import CellValue, Chart, Column, Row, Sheet, Text, Value
from evalsuite.perturb import PERTURBATIONS
from evalsuite.results.analysis import Analysis, Results
from evalsuite.results.schema.cell import CellResult
from evalsuite.results.words import set_title, too_few, with_distinct_titles
from evalsuite.types import Place

_MODEL = Column(Text("模型", "model"))
_DROPS = Text(
    "只比较两边都作答的题。* 按该模型全部扰动行作 Holm 校正后 p < 0.05；区间只就该行而言。? 有差异的对话太少，校正后的 p 不可能低于 0.05，"
    "无法判断。“翻转”：由对变错（✓→✕）或由错变对（✕→✓）的题所占比例；抽取与生成任务为得分变化不小于 0.5 者。",
    "On items answered in both. * p < 0.05 after Holm's correction over all perturbed rows of the model; the interval is of the "
    "row alone. ? So few dialogues differ that this p cannot be below 0.05: too few to tell. Flips: items that went from right "
    "to wrong (✓→✕) or back (✕→✓); for spans and texts, whose score moved by 0.5 or more.",
)
_SAME_CHOICE = Text(
    "“选择不变”：两边都读出选项的题中，所选仍是原来那个选项的比例，不论对错。",
    "Same choice: where an option was read in both, how often it is the same original option, right or wrong.",
)
_ALONE = ("task", "set")  # one task and one set are shown at a time
R = TypeVar("R", PerturbationEffect, PositionCounts, Wordings, ShotValues)


def sheets(results: Results) -> Iterator[Sheet]:
    """Sheets for each task, set and way: changes at a glance, changes with their tests, choices by position. Then sheets for each
    task and way, over sets: wordings, shots."""
    if robustness := results.of(ROBUSTNESS):
        yield from with_distinct_titles(_sheets(robustness, results))


def _sheets(robustness: Robustness, results: Results) -> Iterator[Sheet]:
    drops = _groups(robustness.drops, "model", "perturb")
    yield from map(_changes, drops)
    yield from map(_drops, drops)
    yield from map(_positions, _groups(robustness.positions, "model"))
    cells = {cell.place: cell for cell in results.cells}
    yield from map(_wordings, _groups(robustness.wordings, "model", "set"))
    yield from (_shots(rows, cells) for rows in _groups(robustness.shots, "model", "set"))


def _groups(rows: Iterable[R], *names: str) -> list[list[R]]:
    """Groups of rows that differ only in `names`, sorted by task and set."""
    groups = by_key((row.without(*names), row) for row in rows)
    return sorted(groups.values(), key=lambda rows: (task_order(rows[0].task), set_order(rows[0].set)))


def _title(
    zh: str, en: str, row: PerturbationEffect | PositionCounts | Wordings | ShotValues, of_set: str = ""
) -> Text:
    task = TASKS[row.task]
    name = set_title(benchmark_of(row.task), of_set)
    where = Text(f" · {name.zh}" * bool(of_set), f" · {name.en}" * bool(of_set))
    return Text(f"{zh} · {task.zh}{where.zh}", f"{en} · {task.en}{where.en}")


def _metric(name: str) -> Text:
    row = metric_named(name)
    return Text(f"{row.zh} %", f"{row.en or row.zh} %")


# --- changes


def _changes(rows: Sequence[PerturbationEffect]) -> Sheet:
    """A row per model, the one that loses most on average first; a column per perturbation."""
    kinds = dict.fromkeys(row.perturb for row in rows)
    largest = max(0.01, *(abs(row.change) for row in rows))
    columns = [
        Column(kind, _kind(kind), "percent", signed=True, shade=largest, about={"perturb": kind}) for kind in kinds
    ]
    models = by_key((row.model, row) for row in rows)
    lines = []
    for model, of_model in sorted(
        models.items(), key=lambda model_rows: sum(row.change for row in model_rows[1]) / len(model_rows[1])
    ):
        by_kind = {row.perturb: row for row in of_model}
        cells = (_change(by_kind[kind]) if kind in by_kind else Value(None) for kind in kinds)
        lines.append(Row((model, common_base(of_model), *cells), about={"model": model}))
    title = _title("变化一览", "Changes at a glance", rows[0], rows[0].set)
    about = dict(rows[0].without("model", "perturb"))
    return Sheet(
        "changes", title, (_MODEL, _unperturbed(rows), *columns), tuple(lines), about=about, compares=("perturb",)
    )


def _unperturbed(rows: Sequence[PerturbationEffect]) -> Column:
    return Column(Text("不扰动", "as they are"), _metric(rows[0].metric), "percent", about={"perturb": "none"})


def _kind(name: str) -> Text:
    return Text(PERTURBATIONS[name].zh, PERTURBATIONS[name].en)


def _change(row: PerturbationEffect, low: float | None = None, high: float | None = None) -> Value:
    sure = row.p_holm < 0.05
    sign = " *" if sure else " ?" if too_few(row.least_p_holm, row.least_p, row.differ) and low is not None else ""
    return Value(row.change, low, high, (sign,) if sign else (), "strong" if sure else "")


def _drops(rows: Sequence[PerturbationEffect]) -> Sheet:
    """A block per perturbation: a row per model with its value before and after, the change with its test, and what flipped."""
    choices = any(row.same_choice is not None or row.consistency is not None for row in rows)
    columns = [
        _MODEL,
        _unperturbed(rows),
        Column(Text("扰动后", "perturbed"), "%", "percent"),
        Column(Text("变化", "change"), Text("百分点，95% 区间", "points, 95 % interval"), "percent", signed=True),
        Column("p", Text("Holm", "Holm"), "p"),
        Column(Text("题数", "items"), Text("（对话）", "(dialogues)"), "count"),
        Column(Text("翻转", "flips"), "%", "percent"),
        *((Column(Text("选择不变", "same choice"), "%", "percent"),) if choices else ()),
    ]
    lines = []
    for kind, of_kind in by_key((row.perturb, row) for row in rows).items():
        words = _kind(kind)
        heading = Text(f"{words.zh}（{kind}）", f"{kind} · {words.en}")
        lines.append(Row((heading, *(None for _ in columns[1:])), "group"))
        lines += [Row(_effect(row, choices), about={"model": row.model, "perturb": kind}) for row in of_kind]
    title = _title("扰动前后", "Under perturbation", rows[0], rows[0].set)
    notes = (_DROPS, _SAME_CHOICE) if choices else (_DROPS,)
    chart = Chart("lines", up=(1, 2), pick=_ALONE, ends=3)
    about = dict(rows[0].without("model", "perturb"))
    return Sheet("drops", title, tuple(columns), tuple(lines), notes, about, chart, ("perturb",))


def _effect(row: PerturbationEffect, choices: bool) -> tuple[CellValue, ...]:
    low, high = (None if end is None else min(1.0, max(0.0, row.base + end)) for end in (row.low, row.high))
    after = Value(row.value, low, high)
    change = _change(row, row.low, row.high)
    if not change.tone:
        change = replace(change, tone="quiet")
    flips = Value(row.flip_rate, asides=(f" ✓→✕ {row.right_to_wrong} · ✕→✓ {row.wrong_to_right}",))
    same = row.same_choice if row.consistency is None else row.consistency
    all_alike = (Text(" 各轮换一致", " in all rotations"),) if row.consistency is not None else ()
    cells = (row.model, row.base, after, change, row.p_holm, Value(row.items, asides=(f" ({row.dialogues})",)), flips)
    return (*cells, Value(same, asides=all_alike)) if choices else cells


# --- positions


def _positions(rows: Sequence[PositionCounts]) -> Sheet:
    """A block per model: a row per option position, with the shares of choices and of gold there."""
    lines = []
    for row in rows:
        about = {"model": row.model}
        lines.append(Row((_bias(row), None, None, None), "group", about))
        most = row.chosen.index(max(row.chosen)) if sum(row.chosen) else None
        for n, (label, chosen, gold, right) in enumerate(zip(row.labels, row.chosen, row.gold, row.right, strict=True)):
            share = Value(fraction(chosen, row.chosen), tone="strong" if n == most else "")
            there = Value(right / gold if gold else None, asides=(f" /{gold}",))
            lines.append(Row((label, share, fraction(gold, row.gold), there), about=about))
    columns = (
        Column(Text("选项", "option")),
        Column(Text("所选", "chosen"), "%", "percent"),
        Column(Text("正确", "gold"), "%", "percent"),
        Column(Text("该处准确率", "right there"), "%", "percent"),
    )
    title = _title("按选项位置", "By position", rows[0], rows[0].set)
    chart = Chart("bars", up=(1, 2), pick=_ALONE)
    return Sheet("positions", title, columns, tuple(lines), about=dict(rows[0].without("model")), chart=chart)


def _bias(row: PositionCounts) -> Value:
    """The model's name, with its bias, the option that it chose most often, and how many replies have no answer."""
    asides = []
    if row.bias is not None:
        label, bias = row.labels[row.chosen.index(max(row.chosen))], f"{fixed(100 * row.bias, 1)} %"
        share = f"{fixed(100 * max(row.chosen) / sum(row.chosen), 1)} %"
        asides.append(Text(f" 偏差 {bias} · 最常选 {label}：{share}", f" bias {bias} · mostly {label}: {share}"))
    if row.silent:
        asides.append(Text(f" · {row.silent} 条没有可用的答案", f" · {row.silent} without an answer that counts"))
    return Value(row.model, asides=tuple(asides))


# --- wordings and shots


def _wordings(rows: Sequence[Wordings]) -> Sheet:
    """A block per set: a row per model, the one with the largest spread first; a column per wording."""
    names = sorted({name for row in rows for name in row.values})
    lines = []
    for item_set, of_set in by_key((row.set, row) for row in rows).items():
        lines.append(Row((item_set, *(None for _ in names), None, None, None), "group", {"set": item_set}))
        for row in sorted(of_set, key=lambda row: -row.spread):
            cells = (row.values.get(name) for name in names)
            about = {"model": row.model, "set": item_set}
            lines.append(Row((row.model, *cells, row.mean, row.spread, row.worst), about=about))
    columns = (
        _MODEL,
        *(Column(name, kind="percent", about={"variant": name}) for name in names),
        Column(Text("平均", "mean"), kind="percent"),
        Column(Text("极差", "spread"), kind="percent"),
        Column(Text("最差", "worst"), align="right"),
    )
    title = _title("按提示词", "By prompt wording", rows[0])
    chart = Chart("dots", up=tuple(range(1, len(names) + 1)), pick=("task",), title=_metric(rows[0].metric))
    about = dict(rows[0].without("model", "set"))
    return Sheet("wordings", title, columns, tuple(lines), about=about, chart=chart, compares=("variant",))


def _shots(rows: Sequence[ShotValues], cells: Mapping[Place, CellResult]) -> Sheet:
    """A block per set: a row per model, a column per number of shots, and the change from the fewest shots to the most."""
    numbers = sorted({int(number) for row in rows for number in row.values})
    lines = []
    for item_set, of_set in by_key((row.set, row) for row in rows).items():
        lines.append(Row((item_set, *(None for _ in numbers), None), "group", {"set": item_set}))
        for row in of_set:
            figures = [_with_interval(row, number, cells) for number in numbers]
            asked = [row.values[str(number)] for number in numbers if str(number) in row.values]
            lines.append(Row((row.model, *figures, asked[-1] - asked[0]), about={"model": row.model, "set": item_set}))
    columns = (
        _MODEL,
        *(Column(str(number), kind="percent", about={"shots": number}) for number in numbers),
        Column(Text("变化", "change"), kind="percent", signed=True),
    )
    title = _title("按示例数", "By number of shots", rows[0])
    last = len(numbers) + 1
    chart = Chart("lines", up=tuple(range(1, last)), pick=("task",), title=Text("示例数", "shots"), ends=last)
    about = dict(rows[0].without("model", "set"))
    return Sheet("shots", title, columns, tuple(lines), about=about, chart=chart, compares=("shots",))


def _with_interval(row: ShotValues, shots: int, cells: Mapping[Place, CellResult]) -> Value:
    if str(shots) not in row.values:
        return Value(None)
    cell = cells.get(Place(**{**row.coordinates(), "shots": shots}))
    # The interval is of the cell's own items, which may be more.
    own = cell is not None and cell.headline.value == row.values[str(shots)]
    interval = (cell.headline.low, cell.headline.high) if cell and own else (None, None)
    return Value(row.values[str(shots)], *interval)


DETAILS: Analysis[None] = Analysis(
    "robustness_details",
    sheets,
    only_named=Text(
        "每项变化及其检验、每个位置、提示词与示例数",
        "each change with its test, each position, wording and number of shots",
    ),
)
