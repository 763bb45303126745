"""Sheets of anchor items: the error by number of items, beside that of random items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from evalsuite.analyses.anchors import ChosenAnchors
from evalsuite.benchmarks.registry import TASKS, benchmark_of
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value
from evalsuite.results.words import asked_words, set_name, titled, with_notes

_LEGEND = Text(
    "误差：未参与选题的模型上的平均绝对误差，以百分点计；方法也在留出这些模型之后才选定。±：新模型得分的 95% 置信区间半宽。随机：同样题数的随机题，及单次"
    "抽题误差的第 5 至第 95 百分位",
    "error: mean absolute error in points, on models that had no part in the choice of items, weights and "
    "method. ±: half width of the "
    "95 % interval of a new model's score. random: as many random items, and the 5th to 95th percentile of single draws",
)
_METHODS = Text(
    "各方法在未参与选题的模型上的误差，以百分点计。更强：由其余模型选题时，最好的四分之一的模型上的误差（选定的方法；随机题）",
    "error of each method on models left out, in points. stronger: on the best quarter of the models, when the "
    "others choose (the chosen method; random items)",
)


def anchor_sheets(chosen: Sequence[ChosenAnchors]) -> Iterator[Sheet]:
    """A sheet for each task and set: the curve, a row per number of items, and the errors of every method."""
    yield from with_notes(map(_curve, chosen), _LEGEND)
    yield from with_notes(map(_methods, chosen), _METHODS)


def _curve(chosen: ChosenAnchors) -> Sheet:
    # Without any error, as where all models have the same outcomes, all bars are empty.
    longest = max(max(point.methods["random"], point.error) for point in chosen.curve) or 1.0
    columns = (
        Column(Text("题数", "items")),
        Column(Text("方法", "method")),
        Column(Text("误差", "error"), kind="percent", digits=2),
        Column("±", kind="percent"),
        Column("", kind="bar"),
    )
    rows = []
    for point in chosen.curve:
        by_chance = Value(point.methods["random"], *point.random)
        rows += [
            Row((str(point.size), point.method, point.error, point.half, point.error / longest)),
            Row(("", Text("随机", "random"), by_chance, None, point.methods["random"] / longest)),
        ]
    note = Text(
        f"{len(chosen.column.items)} 题，{len(chosen.column.models)} 个模型：{'、'.join(chosen.column.models)}",
        f"{len(chosen.column.items)} items, {len(chosen.column.models)} models: {', '.join(chosen.column.models)}",
    )
    return replace(_sheet(chosen, "锚题", "Anchor items"), columns=columns, rows=tuple(rows), notes=(note,))


def _methods(chosen: ChosenAnchors) -> Sheet:
    names = list(chosen.point.methods)
    columns = (
        Column(Text("题数", "items"), kind="count"),
        *(Column(name.partition("-")[0], name.partition("-")[2], "percent", digits=2) for name in names),
        Column(Text("更强", "stronger"), kind="percent", digits=2),
        Column("", Text("随机", "random"), kind="percent", digits=2),
    )
    rows = tuple(
        Row((p.size, *(p.methods[name] for name in names), *map(Value, p.stronger or (None, None))))
        for p in chosen.curve
    )
    return replace(_sheet(chosen, "锚题，各方法", "Anchor items by method"), columns=columns, rows=rows)


def _sheet(chosen: ChosenAnchors, zh: str, en: str) -> Sheet:
    place = chosen.column.place
    task = TASKS[place.task]
    named, asked = set_name(benchmark_of(place.task), place.set), asked_words(place.as_dict())
    title = titled("", f"{zh}：{named.zh} {task.zh}，{asked}", f"{en}: {named.en} {task.en} {place.split}, {place.way}")
    return Sheet("anchors", title, (), (), about=dict(place.without("model")))
