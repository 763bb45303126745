"""The sheets of accuracy by group over the tasks of a benchmark: CHARM's aspects of Chinese culture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evalsuite.benchmarks.registry import BENCHMARKS, TASKS, task_order
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value
from evalsuite.results.sheets.words import titled, way, with_notes

_LEGEND = Text(
    "各方面跨任务合计，每题权重相同；95% 置信区间按上下文聚类（Wilson，有效题数）。随机水平：各题选项数倒数的平均。",
    "Pooled over tasks, every item with the same weight; 95 % intervals by contexts (Wilson's, effective number of items). "
    "chance: mean of 1 / number of options.",
)


def aspect_sheets(rows: Sequence[Mapping[str, Any]]) -> Iterator[Sheet]:
    """A sheet for each benchmark and set: a row a model and way, a column a group. `rows` are "aspects" of results.json."""
    places: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        places.setdefault((row["benchmark"], row["set"]), []).append(row)
    yield from with_notes((_sheet(*place, mine) for place, mine in places.items()), _LEGEND)


def _sheet(benchmark: str, item_set: str, rows: Sequence[Mapping[str, Any]]) -> Sheet:
    found = BENCHMARKS[benchmark]
    names = list(dict.fromkeys(group["name"] for row in rows for group in row["groups"]))
    names.sort(key=lambda name: found.groups.index(name) if name in found.groups else len(found.groups))
    columns = (
        Column(Text("模型", "model")),
        Column(Text("问法", "asked"), key=True),
        *(Column(_name(benchmark, name), kind="percent", better="more") for name in names),
    )
    lines = []
    for row in rows:
        groups = {group["name"]: group for group in row["groups"]}
        values = (
            Value(groups[name]["value"], *groups[name]["interval"]) if name in groups else Value(None) for name in names
        )
        lines.append(Row((row["model"], way(row), *values), about={"model": row["model"]}))
    counts, chances = ({g["name"]: g[key] for row in rows for g in row["groups"]} for key in ("n", "chance"))
    lines.append(Row((Text("随机水平", "chance"), "", *(Value(chances[name]) for name in names)), "apart"))
    tasks = [TASKS[name] for name in sorted({task for row in rows for task in row["tasks"]}, key=task_order)]
    sizes = [(_name(benchmark, name), counts[name]) for name in names]
    what = Text(
        f"任务：{'、'.join(task.zh for task in tasks)}；题数：{'、'.join(f'{name.zh} {n}' for name, n in sizes)}",
        f"{', '.join(task.short for task in tasks)}; n: {', '.join(f'{name.en} {n}' for name, n in sizes)}",
    )
    title = titled(f"{found.title} {item_set}", "：按方面", ": by aspect")
    return Sheet("aspects", title, columns, tuple(lines), (what,), about={"set": item_set})


def _name(benchmark: str, group: str) -> Text:
    return Text(*BENCHMARKS[benchmark].group_names.get(group, (group, group)))
