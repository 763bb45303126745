"""Sheets of what models know against what they conclude, and of FRMM and MIB."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evalsuite.benchmarks.registry import BENCHMARKS, TASKS, task_order
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value
from evalsuite.results.sheets.words import titled, way, with_notes

Entry = Mapping[str, Any]

_LEGEND = Text(
    "事实：推理题所依据的事实中，模型知道的 %；全部、已知、其余：推理题答对的 % 与题数 n——已知：模型知道其全部事实；其余：至少有一条不知道；"
    "不依据任何事实的题和某条事实尚无判定的题只计入“全部”。区间为 95% 置信区间（Wilson，以对话为单位）",
    "facts: % that the model knows of the facts which the items rest on; all, known, rest: % of reasoning items that are right, "
    "and their number n. known: items all of whose facts the model knows; rest: one or more are lacking; items that rest on no "
    "fact, or on one without a verdict, are in 'all' only. 95 % intervals (Wilson, dialogues as units)",
)
_MEASURES = Text(
    "FRMM：在模型知道其全部事实的题（保留）上的准确率；MIB：两模型都保留的题上，与每个模型准确率之差的平均（百分点，含与自身之差 0）。按 CHARM "
    "作者的脚本计算；不依据事实的题总是保留",
    "FRMM: accuracy on the items all of whose facts the model knows (kept); MIB: mean difference of accuracies, in points, on the "
    "items that both models keep, over all models, itself included with 0. As CHARM's authors' script computes them; items that "
    "rest on no fact are always kept",
)
_ALL = Text("各任务合计", "all tasks")


def memory_sheets(memory: Mapping[str, Any]) -> Iterator[Sheet]:
    """For each way of asking a sheet of all tasks and models; then FRMM, MIB and the battles. `memory` is that key of results.json;
    no sheets without it."""
    groups: dict[tuple[str, str], list[Entry]] = {}
    for row in (*memory.get("tasks", ()), *memory.get("pooled", ())):
        groups.setdefault((row["split"], way(row)), []).append(row)
    yield from with_notes((_against(*place, rows) for place, rows in groups.items()), _LEGEND)
    yield from with_notes(_independent(memory.get("independent", ())), _MEASURES)


def _against(split: str, asked: str, rows: Sequence[Entry]) -> Sheet:
    tasks = sorted({(row["task"], row["set"]) for row in rows if "task" in row}, key=lambda x: (task_order(x[0]), x[1]))
    lines: list[Row] = []
    for task, item_set in tasks:
        lines.append(_heading(Text(f"{TASKS[task].zh} {item_set}", f"{TASKS[task].short} {item_set}")))
        mine = [row for row in rows if (row.get("task"), row.get("set")) == (task, item_set)]
        lines += [_line(row, {"model": row["model"], "task": task, "set": item_set}) for row in mine]
    pooled = [row for row in rows if "task" not in row]
    for benchmark in dict.fromkeys(row["benchmark"] for row in pooled):
        lines.append(_heading(titled(BENCHMARKS[benchmark].title, f" {_ALL.zh}", f" {_ALL.en}")))
        lines += [_line(row, {"model": row["model"]}) for row in pooled if row["benchmark"] == benchmark]
    facts = Column(Text("事实", "facts"), "%", "percent")
    whole, known, rest = (
        (Column(Text(zh, en), "%", "percent", range=(0, 1)), Column("n", kind="count"))
        for zh, en in (("全部", "all"), ("已知", "known"), ("其余", "rest"))
    )
    # The reasoning items' figure comes first: outputs put the link to the cell behind it.
    columns = (Column(Text("模型", "model")), *whole, facts, *known, *rest)
    about = {name: rows[0][name] for name in ("split", "variant", "shots", "scoring", "perturb")}
    title = titled("", f"记忆与推理，{split} {asked}", f"Memory and reasoning, {split} {asked}")
    return Sheet("memory", title, columns, tuple(lines), (_decided(rows),), about)


def _heading(words: Text) -> Row:
    return Row((words, *(None for _ in range(7))), "group")


def _line(row: Entry, about: Entry) -> Row:
    whole, known, rest = ((_value(row[name]), row[name]["n"] if row[name] else 0) for name in ("all", "known", "rest"))
    return Row((row["model"], *whole, _value(row["facts"]), *known, *rest), about=about)


def _value(figures: Entry | None) -> Value:
    return Value(figures["value"], *figures["interval"]) if figures else Value(None)


def _decided(rows: Sequence[Entry]) -> Text:
    """Who said whether a fact is known."""
    judges: dict[str, dict[str, None]] = {}
    for row in rows:
        for how in row["knowledge"]:
            judges.setdefault(how["judge"] or "", {})[how["facts_of"]] = None
    zh, en = [], []
    for judge, tasks in judges.items():
        names = [TASKS[task] for task in sorted(tasks, key=task_order)]
        zh.append(f"{'、'.join(task.zh for task in names)}：{f'由 {judge} 评判' if judge else '按规则'}")
        en.append(f"{', '.join(task.short for task in names)} by {judge or 'rule'}")
    return Text("是否知道该事实：" + "；".join(zh), "whether a fact is known: " + "; ".join(en))


# --- the authors' measures


def _independent(entries: Sequence[Entry]) -> Iterator[Sheet]:
    for entry in entries:
        yield _measures(entry)
        if len(entry["models"]) > 1:
            yield _battles(entry)


def _title(entry: Entry, zh: str, en: str) -> Text:
    where = f"{BENCHMARKS[entry['benchmark']].title}, {entry['split']} {way(entry)}"
    return titled(where, f"：{zh}", f": {en}")


def _about(entry: Entry) -> Entry:
    return {name: entry[name] for name in ("split", "variant", "shots", "scoring", "perturb")}


def _measures(entry: Entry) -> Sheet:
    columns = (
        Column(Text("模型", "model")),
        Column(Text("准确率", "accuracy"), "%", "percent", digits=2, better="more"),
        Column(Text("名次", "rank"), kind="count"),
        Column(Text("保留", "kept"), "n", kind="count"),
        Column("FRMM", "%", "percent", digits=2, better="more"),
        Column(Text("名次", "rank"), kind="count"),
        Column("MIB", kind="percent", digits=2, signed=True, better="more"),
        Column(Text("名次", "rank"), kind="count"),
    )
    rows = [
        Row(
            (
                m["model"],
                *(m["accuracy"], m["rank"], m["retained"]),
                *(Value(m["frmm"]), m["frmm_rank"], Value(m["mib"]), m["mib_rank"]),
            ),
            about={"model": m["model"]},
        )
        for m in sorted(entry["models"], key=lambda m: (m["frmm_rank"] is None, m["frmm_rank"]))
    ]
    left_out = entry["left_out"]
    notes = (
        [Text(f"未计（回复不全）：{'、'.join(left_out)}", f"left out, replies missing: {', '.join(left_out)}")]
        if left_out
        else []
    )
    title = _title(entry, "与记忆无关的推理", "reasoning independent of memory")
    return Sheet("memory", title, columns, tuple(rows), (_decided([entry]), *notes), _about(entry))


def _battles(entry: Entry) -> Sheet:
    models = sorted(entry["models"], key=lambda m: (m["mib_rank"] is None, m["mib_rank"]))
    names = [m["model"] for m in models]
    columns = [Column(Text("模型", "model")), *(Column(name, kind="percent", digits=2, signed=True) for name in names)]
    rows = []
    for model in models:
        by_other = {battle["against"]: battle for battle in model["battles"]}
        rows.append(
            Row((model["model"], *(_margin(by_other.get(name)) for name in names)), about={"model": model["model"]})
        )
    title = _title(entry, "MIB 逐对之差与题数", "MIB, margins and items of each pair")
    return Sheet("memory", title, tuple(columns), tuple(rows), (), _about(entry))


def _margin(battle: Entry | None) -> Value | None:
    return None if battle is None else Value(battle["margin"], asides=(f" ({battle['items']})",))
