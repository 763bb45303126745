"""Sheets of score drops under perturbation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evalsuite.benchmarks.registry import TASKS, set_order, task_order
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value
from evalsuite.results.sheets.words import family_size, titled, too_few, with_notes

# What shuffling alone does to a model that looks at places.
_ORDERS = Text(
    "shuffle、both 使正确选项均匀分布在各位置：总选同一标号的模型因此变到随机水平，这是位置偏好所致，不是题目变难",
    "shuffle, both: gold stands evenly at all places, so that a model that always says the same label moves to chance; such a "
    "change is its preference of a place, not harder items",
)
_SHUFFLED = {"shuffle", "both"}


def robustness_sheets(robustness: Mapping[str, Any]) -> Iterator[Sheet]:
    """A sheet a model: a row a task and set, a column a perturbation, with value, change and flip rate.

    `robustness` is that key of results.json; no sheets without perturbed cells.
    """
    models: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in robustness.get("drops", []):
        way = (row["variant"], f"{row['shots']}-shot", row["scoring"], row["split"])
        models.setdefault((row["model"], *way), []).append(row)
    plain = len({place[1:] for place in models}) == 1
    shuffled = any(row["perturb"] in _SHUFFLED for row in robustness.get("drops", []))
    notes = (_legend(robustness), _ORDERS) if shuffled else (_legend(robustness),)
    yield from with_notes((_sheet(place[0] if plain else " ".join(place), rows) for place, rows in models.items()), *notes)  # fmt: skip


def _legend(robustness: Mapping[str, Any]) -> Text:
    """Notes on the sheets, with the number of rows that Holm's correction is over."""
    size = family_size(robustness.get("drops", []))
    zh, en = (f" {size} 行", f"{size} rows") if size else ("各行", "rows")
    return Text(
        f"未扰动：原题的得分；其后依次为扰动后的得分（%）、变化的百分点（* p < 0.05，按模型全部{zh}作 Holm 校正；?：有差异的对话太少，"
        "校正后的 p 不可能低于 0.05，无法判断）、f：结果翻转的题所占 %",
        f"base: not perturbed; then %, change in points (* p < 0.05, Holm over the model's {en}; ?: so few dialogues differ "
        "that this p cannot be below 0.05, too few to tell), f: % of items that flipped",
    )


def _sheet(label: str, rows: list[dict[str, Any]]) -> Sheet:
    names = tuple(dict.fromkeys(row["perturb"] for row in rows))
    places: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    for row in rows:
        places.setdefault((row["set"], row["task"]), {})[row["perturb"]] = row
    lines = []
    for (item_set, task), by_name in sorted(places.items(), key=lambda x: (set_order(x[0][0]), task_order(x[0][1]))):
        bases = {f"{100 * row['base']:.1f}": row["base"] for row in by_name.values()}
        # If each perturbation has other answered items, the bases differ: then every cell shows its own.
        own = len(bases) > 1
        name = Text(f"{item_set} {TASKS[task].zh}", f"{item_set} {TASKS[task].short}")
        cells = (_change(by_name.get(name), own) for name in names)
        base: str | float = "≠" if own else next(iter(bases.values()))
        lines.append(Row((name, base, *cells), about={"set": item_set, "task": task}))
    columns = [Column(name, kind="percent", about={"perturb": name}) for name in names]
    base_column = Column(Text("未扰动", "base"), kind="percent", key=True, about={"perturb": "none"})
    about = {k: rows[0][k] for k in ("model", "split", "variant", "shots", "scoring")}
    title = titled(label, "：扰动前后", ": under perturbation")
    return Sheet("robustness", title, (Column(""), base_column, *columns), tuple(lines), about=about)


def _change(row: Mapping[str, Any] | None, own_base: bool) -> Value:
    if row is None:
        return Value(None)
    sure = row["p_holm"] < 0.05
    value = f"{100 * row['base']:.1f}→{100 * row['value']:.1f}" if own_base else row["value"]
    few = too_few(row)
    change = f" {100 * row['drop']:+.1f}{'*' if sure else '?' if few else ' '}"
    return Value(value, asides=(change, f"f{100 * row['flip_rate']:.0f}"), tone="strong" if sure else "")
