"""Sheets of groups of benchmarks: one row a model, by benchmark, by ability, and what perturbations change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evalsuite.benchmarks.registry import BENCHMARKS, TASKS
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value
from evalsuite.results.overview import part_name
from evalsuite.results.sheets.words import WAY, titled, with_notes

Entry = Mapping[str, Any]

_LEGEND = Text(
    "各任务首要指标（% 以该指标的最高值为 100）的平均，每项任务权重相同，任务内每个题集权重相同；区间按各部分独立计算；n/m：m 部分中仅有 n "
    "部分，因此没有平均；!n：n 个请求失败或尚未提问",
    "means of the tasks' headline metrics, in % of their highest value: every task weighs the same, and of a task every set; "
    "intervals take the parts as independent; n/m: only n of m parts, so no mean; !n: requests failed or not asked",
)


def overview_sheets(groups: Sequence[Entry]) -> Iterator[Sheet]:
    """For each group of a run two sheets, by benchmark and by ability, and one of changes if items were perturbed.

    `groups` are that key of results.json.
    """
    for group in groups:
        title = titled("", f"{group['zh']}，{group['split']}", f"{group['en']}, {group['split']}")
        drawn = [_scores(group, kind, title) for kind in ("benchmark", "ability")]
        yield from with_notes((sheet for sheet in [*drawn, _changes(group, title)] if sheet), _LEGEND)


def _scores(group: Entry, kind: str, title: Text) -> Sheet | None:
    shown = [n for n, column in enumerate(group["columns"]) if column["kind"] == kind]
    if not shown:
        return None
    columns = [group["columns"][n] for n in shown]
    rows = [
        Row((label, *(_score(row, row["scores"][n], group["columns"][n]) for n in shown)), about=_about(row))
        for label, row in _labelled(group["rows"])
    ]
    chance = [next((c for row in group["rows"] if (c := row["scores"][n]["chance"]) is not None), None) for n in shown]
    if any(c is not None for c in chance):
        rows.append(Row((Text("随机水平", "chance"), *chance), "apart"))
    by = Text("：按基准", ": by benchmark") if kind == "benchmark" else Text("：按能力", ": by ability")
    return Sheet(
        "overview",
        Text(title.zh + by.zh, title.en + by.en),
        (
            Column(Text("模型", "model")),
            *(Column(Text(c["zh"], c["en"]), kind="percent", better="more", range=(0, 1)) for c in columns),
        ),
        tuple(rows),
        tuple(_made_of(c) for c in columns),
        about={"split": group["split"]},
    )


def _score(row: Entry, score: Entry, column: Entry) -> Value:
    """A mean with its interval, or of how many parts there would be one."""
    there = {part_name((p["task"], p["set"])): p for p in row["parts"]}
    lost = sum(there[name]["lost"] for name in column["parts"] if name in there)
    flags = [_incomplete(score, len(column["parts"]))] if score["missing"] else []
    flags += [f"!{lost}"] if lost else []
    estimated = any(there[name].get("estimated") for name in column["parts"] if name in there)
    flags += ["≈"] if estimated else []
    return Value(score["value"], score["low"], score["high"], flags=tuple(flags), compares=not lost and not estimated)


def _incomplete(score: Entry, parts: int) -> str:
    return f"{parts - len(score['missing'])}/{parts}"


def _made_of(column: Entry) -> Text:
    """Which tasks and sets a column is the mean of, and what no model was asked."""
    sets: dict[str, list[str]] = {}
    for part in column["parts"]:
        task, item_set = part.split("/")
        sets.setdefault(task, []).append(item_set)
    alike: dict[tuple[str, ...], list[str]] = {}
    for task, names in sets.items():
        alike.setdefault(tuple(names), []).append(task)

    def told(language: str) -> str:
        comma, stop = ("、", "；") if language == "zh" else (", ", "; ")
        name = "zh" if language == "zh" else "short"
        parts = (
            f"{comma.join(getattr(TASKS[t], name) for t in tasks)} ({comma.join(names)})"
            for names, tasks in alike.items()
        )
        return stop.join(parts)

    zh, en = f"{column['zh']}：{told('zh')}", f"{column['en']}: {told('en')}"
    if column["absent"]:
        zh += f"；尚未提问：{'、'.join(column['absent'])}"
        en += f"; not asked: {', '.join(column['absent'])}"
    return Text(zh, en)


def _changes(group: Entry, title: Text) -> Sheet | None:
    """A row a model and perturbation, a column a benchmark."""
    changes = [change for row in group["rows"] for change in row["changes"]]
    benchmarks = [b for b in BENCHMARKS if any(change["benchmark"] == b for change in changes)]
    if not benchmarks:
        return None
    rows = []
    for label, row in _labelled(group["rows"]):
        for perturb in dict.fromkeys(change["perturb"] for change in row["changes"]):
            mine = {c["benchmark"]: c for c in row["changes"] if c["perturb"] == perturb}
            values = (_change(mine[b]) if b in mine else Value(None) for b in benchmarks)
            rows.append(Row((label, perturb, *values), about=_about(row) | {"perturb": perturb}))
    heads = (Column(BENCHMARKS[b].title, kind="percent", signed=True, better="more") for b in benchmarks)
    return Sheet(
        "overview",
        Text(f"{title.zh}：扰动前后的变化", f"{title.en}: change under perturbation"),
        (Column(Text("模型", "model")), Column(Text("扰动", "perturbation"), key=True), *heads),
        tuple(rows),
        about={"split": group["split"]},
    )


def _change(change: Entry) -> Value:
    flags = (_incomplete(change, len(change["parts"]) + len(change["missing"])),) if change["missing"] else ()
    return Value(change["value"], change["low"], change["high"], flags=flags)


def _labelled(rows: Sequence[Entry]) -> list[tuple[str, Entry]]:
    """Rows with their model, and how it is asked where rows differ in that."""
    varying = [name for name in WAY if len({row[name] for row in rows}) > 1]

    def label(row: Entry) -> str:
        return " ".join([row["model"], *(f"{row[n]}-shot" if n == "shots" else str(row[n]) for n in varying)])

    return [(label(row), row) for row in rows]


def _about(row: Entry) -> dict[str, Any]:
    return {name: row[name] for name in ("model", "variant", "shots", "scoring")}
