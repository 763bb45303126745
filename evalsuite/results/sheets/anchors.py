"""Sheets of anchor items: the error by number of items, beside that of random items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value
from evalsuite.results.anchors import Chosen
from evalsuite.results.sheets.words import titled

_LEGEND = Text(
    "误差：未参与选题的模型上的平均绝对误差，以百分点计。最优：在每次留出的模型之外重新挑选方法；其区间为新模型的 95 % 区间半宽。随机：同样题数的"
    "随机题，及单次抽题误差的 5–95 百分位。更强：由其余模型选题，用于最好的四分之一的模型",
    "Mean absolute errors in points, on models that had no part in the choice. best: the method, too, is chosen without them; ±: half "
    "width of the 95 % interval of a new model; random: as many random items, and the 5th to 95th percentile of single draws; "
    "stronger: on the best quarter of the models, when the others choose: of the best method, and of random items",
)


def anchor_sheets(found: Sequence[Chosen]) -> Iterator[Sheet]:
    """A sheet for each task and set: a row a number of items."""
    for n, one in enumerate(found):
        yield _sheet(one, last=n == len(found) - 1)


def _sheet(one: Chosen, last: bool) -> Sheet:
    place, column = one.column.place, one.column
    methods = [name for name in one.point.methods if name != "random"]
    longest = max(max(point.methods["random"], point.error) for point in one.curve)
    columns = (
        Column(Text("题数", "items"), kind="count"),
        Column(Text("最优", "best")),
        Column("", Text("误差", "error"), "percent", digits=2),
        Column("", "±", "percent"),
        Column("", kind="bar"),
        Column(Text("随机", "random"), Text("误差", "error"), "percent", digits=2),
        Column("", kind="bar"),
        *(Column(name, Text("误差", "error"), "percent", digits=2) for name in methods),
        Column(Text("更强", "stronger"), Text("误差", "error"), "percent", digits=2),
        Column("", Text("随机", "random"), "percent", digits=2),
    )
    rows = tuple(
        Row(
            (
                p.size,
                p.method,
                Value(p.error),
                Value(p.half),
                p.error / longest if longest else None,
                Value(p.methods["random"], *p.random),
                p.methods["random"] / longest if longest else None,
                *(Value(p.methods[name]) for name in methods),
                *(map(Value, p.stronger) if p.stronger else (Value(None), Value(None))),
            )
        )
        for p in one.curve
    )
    task = TASKS[place.task]
    asked = f"{place.set} {place.split}, {place.way}"
    title = titled("", f"锚题：{task.zh} {asked}", f"Anchor items: {task.en} {asked}")
    of = Text(
        f"{len(column.items)} 题，{len(column.models)} 个模型：{'、'.join(column.models)}",
        f"{len(column.items)} items, {len(column.models)} models: {', '.join(column.models)}",
    )
    return Sheet("anchors", title, columns, rows, (of, _LEGEND) if last else (of,), about=dict(place.but("model")))
