"""Sheets of learning curves of fine-tuned adapters, and of their label-shortcut check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value
from evalsuite.results.sheets.words import with_notes

_WAY = ("trained_on", "allow_leak", "split", "variant", "shots", "scoring")
_KINDS = ("shuffle", "both", "none")  # perturbations: the label check is shown for the first that was run

Entry = Mapping[str, Any]


def learning_sheets(rows: Sequence[Entry]) -> Iterator[Sheet]:
    """A sheet for each base model, task and set: a row a training size, the base model first; a column a perturbation.

    `rows` are "learning" of results.json.
    """
    intervals = {p["interval"] for row in rows for p in row["points"]}
    beside = []
    if "seeds" in intervals:
        beside.append(Text("各随机种子的平均与范围", "mean and range over seeds"))
    if "items" in intervals:
        beside.append(Text("按对话重抽样的 95% 置信区间", "95 % interval over dialogues"))
    note = Text(
        "数字旁：" + "；单一种子为".join(x.zh for x in beside),
        "Beside each figure: " + "; with one seed ".join(x.en for x in beside),
    )
    yield from with_notes(_curves(rows), note)
    yield from _labels(rows)


def _curves(rows: Sequence[Entry]) -> Iterator[Sheet]:
    names = [n for n in _WAY if len({row[n] for row in rows}) > 1]
    groups: dict[tuple[Any, ...], list[Entry]] = {}
    for row in rows:
        place = (row["base"], row["task"], row["set"], *(f"{n} {row[n]}" for n in names))
        groups.setdefault(place, []).append(row)
    for (base, *where), group in groups.items():
        columns = [Column(row["perturb"], kind="percent", about={"perturb": row["perturb"]}) for row in group]
        lines = [
            Row((Text("0（基座）", "0 (base)"), *(_figure(row["before"]) for row in group)), about={"model": base})
        ]
        for size in sorted({p["size"] for row in group for p in row["points"]}):
            found = ([p for p in row["points"] if p["size"] == size] for row in group)
            lines.append(Row((str(size), *(_figure(points[0] if points else None) for points in found))))
        if any(row["chance"] is not None for row in group):
            lines.append(Row((Text("随机水平", "chance"), *(Value(row["chance"]) for row in group)), "apart"))
        about = {k: group[0][k] for k in ("task", "set", "split", "variant", "shots", "scoring")}
        heading = Column(Text("训练题数", "training items"), align="right")
        metric = f"{group[0]['metric']} %"
        title = Text(f"{base}，{' '.join(where)}：{metric}", f"{base} on {' '.join(where)}: {metric}")
        yield Sheet("curves", title, (heading, *columns), tuple(lines), about=about)


def _figure(point: Entry | None) -> Value:
    return Value(None) if point is None else Value(point["value"], point.get("low"), point.get("high"))


def _labels(rows: Sequence[Entry]) -> Iterator[Sheet]:
    """A row a curve, at its largest size: shares of the most frequent training label in training, in answers and in gold."""
    kinds = {row["perturb"] for row in rows}
    kind = next((name for name in _KINDS if name in kinds), None)
    lines = []
    for row in rows:
        last = row["points"][-1]
        check = last["labels"]
        if row["perturb"] != kind or not check:
            continue
        most, task = check["most"], TASKS[row["task"]]
        shares = (check["trained"][most] / sum(check["trained"]), check["share"], check["gold_share"])
        figures = (Value(x) for x in (*shares, check["distance"], check["bias"]))
        name = Text(f"{row['set']} {task.zh}", f"{row['set']} {task.short}")
        lines.append(Row((name, last["size"], check["labels"][most], *figures)))
    if lines:
        heads = (
            (Text("训练中", "in"), Text("", "training")),
            (Text("回答中", "said"), ""),
            (Text("正确答案", "gold"), ""),
            (Text("到训练", "distance to"), Text("的距离", "training")),
            (Text("到正确答案", "distance to"), Text("的距离", "gold")),
        )
        columns = (
            Column(""),
            Column(Text("题数", "items"), kind="count"),
            Column(Text("标签", "label"), align="right"),
            *(Column(heading, below, "percent") for heading, below in heads),
        )
        way = "as they are" if kind == "none" else str(kind)
        title = Text(
            f"标签捷径：占回答的 %，{'未扰动' if kind == 'none' else kind}", f"Label shortcut: % of answers, {way}"
        )
        yield Sheet("labels", title, columns, tuple(lines))
