"""Sheets of how hard items are and whether they tell models apart, and of the items whose gold answer people should look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evalsuite.benchmarks.registry import TASKS, set_order, task_order
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value
from evalsuite.results.sheets.words import titled, way, with_notes

Entry = Mapping[str, Any]

_LEGEND = Text(
    "难度：答对的模型所占 % 的平均（F1 等为平均值），95% 置信区间以对话为单位；题数依答对的模型数（0、1、…；六个模型以上：无、不超过 ¼、½、¾，不到全部，全部）；α：Cronbach 系数，对错题即 KR-20；"
    "区分度：一题与其余各题之和跨模型相关系数的平均，只计各模型不全相同的题；<0：区分度为负的题数。不含基线、适配器，以及有回复失败或未问完的模型",
    "right: mean % of models that are right on an item, or their mean value (F1), with its 95 % interval (dialogues as units); "
    "items by number of models right on them: 0, 1, …, of six models and more: none, up to ¼, ½, ¾, not all, all; alpha: Cronbach's, of right/wrong items KR-20; discr.: mean correlation of "
    "an item with the sum of the others, over models, of the items on which they differ; <0: how many have a negative one. "
    "Without baselines, adapters, and models with replies that failed or are still to be made",
)
_SUSPICION = Text(
    "全错：所有模型得 0 分，p 为各模型全错题比例之积（视模型相互独立）；反向：弱者答对、强者答错，p 为单侧置换检验，未就题数校正：即便一切正常，也会"
    "列出至多 5% 的题；对错题少于六个模型时 p 到不了 0.05。同选：选了同一错误选项的模型数。标准答案是否有误，须由人判断（evalsuite audit make --suspicious）",
    "missed: every model has value 0; p: product of the models' shares of such items, as if they failed independently. "
    "reversed: weaker models are right, stronger ones wrong; p: one-sided, by permutation, not corrected: up to 5 % of sound items "
    "are listed, too, and with fewer than six models no right/wrong item can be. r: correlation with the sum of the other items. same: models that chose the same wrong option. "
    "Whether the gold answer is wrong, people must say: evalsuite audit make --suspicious",
)
_WHY = {"all_wrong": Text("全错", "missed"), "negative": Text("反向", "reversed")}
_EACH = 5  # models up to whom their numbers are shown one by one
_ABOUT = ("split", "variant", "shots", "scoring", "perturb")


def difficulty_sheets(rows: Sequence[Entry]) -> Iterator[Sheet]:
    """A sheet for each split and way: a row a task and set. `rows` are "difficulty" of results.json."""
    yield from with_notes((_sheet(*place, mine) for place, mine in _by_way(rows).items()), _LEGEND)


def suspicious_sheets(rows: Sequence[Entry]) -> Iterator[Sheet]:
    """A sheet for each split and way that has suspicious items: a row an item, below its task and set."""
    found = _by_way([row for row in rows if row["suspicious"]])
    yield from with_notes((_items(*place, mine) for place, mine in found.items()), _SUSPICION)


def _by_way(rows: Sequence[Entry]) -> dict[tuple[str, str], list[Entry]]:
    groups: dict[tuple[str, str], list[Entry]] = {}
    for row in sorted(rows, key=lambda row: (task_order(row["task"]), set_order(row["set"]))):
        groups.setdefault((row["split"], way(row)), []).append(row)
    return groups


def _sheet(split: str, asked: str, rows: Sequence[Entry]) -> Sheet:
    columns = (
        Column(Text("任务", "task")),
        Column(Text("题数", "items"), kind="count"),
        Column(Text("答对", "right"), "%", "percent", range=(0, 1)),
        Column(Text("依答对模型数", "by models right"), kind="histogram"),
        Column(Text("α", "alpha"), kind="number"),
        Column(Text("区分度", "discr."), kind="number"),
        Column("<0", kind="count"),
    )
    lines = [
        Row(
            (
                _task(row),
                row["n"],
                Value(row["value"], *row["interval"]),
                _counts(row["right"]),
                Value(row["alpha"]),
                Value(row["discrimination"]["mean"]),
                row["discrimination"]["bins"][0],
            ),
            about={"task": row["task"], "set": row["set"]},
        )
        for row in rows
    ]
    title = titled("", f"题目难度与区分度，{split} {asked}", f"Difficulty and discrimination of items, {split} {asked}")
    return Sheet("difficulty", title, columns, tuple(lines), _models(rows), about=_about(rows))


def _items(split: str, asked: str, rows: Sequence[Entry]) -> Sheet:
    columns = (
        Column(Text("条目", "item")),
        Column(Text("缘由", "why")),
        Column(Text("答对", "right"), "%", "percent"),
        Column(Text("区分度", "r"), kind="number"),
        Column("p", kind="number", digits=4),
        Column(Text("同选", "same"), kind="count"),
    )
    lines = []
    for row in rows:
        place = {"task": row["task"], "set": row["set"]}
        more = row["all_wrong"] + row["negative"] - len(row["suspicious"])
        rest = Text(f"（另有 {more} 题）", f" ({more} more)") if more else Text("", "")
        name = _task(row)
        lines.append(Row((Text(name.zh + rest.zh, name.en + rest.en), *[None] * 5), "group", about=place))
        lines += [
            Row(
                (
                    x["item"].rsplit("/", 1)[-1],
                    _WHY[x["why"]],
                    Value(x["value"]),
                    Value(x["discrimination"]),
                    Value(x["p"]),
                    Value(x["agree"]),
                ),
                # The page opens the reply of the best model that is wrong.
                about={**place, "model": x["reply_of"], "item": x["item"]},
            )
            for x in row["suspicious"]
        ]
    title = titled("", f"可疑题目，{split} {asked}", f"Suspicious items, {split} {asked}")
    return Sheet("suspicious", title, columns, tuple(lines), about=_about(rows))


def _task(row: Entry) -> Text:
    task = TASKS[row["task"]]
    return Text(f"{task.zh} {row['set']}", f"{task.short} {row['set']}")


def _about(rows: Sequence[Entry]) -> dict[str, Any]:
    return {name: rows[0][name] for name in _ABOUT}


def _counts(right: Sequence[int]) -> dict[str, int]:
    """Items by number of models that are right: each number, or, of many models, no more than six groups."""
    models = len(right) - 1
    if models <= _EACH:
        return {str(n): count for n, count in enumerate(right)}
    # Names of whole numbers would come first in JavaScript.
    found = dict.fromkeys(("0", "¼", "½", "¾", "<1", "=1"), 0)
    for n, count in enumerate(right):
        percent = 100 * n / models
        ends = {
            "0": n == 0,
            "¼": percent <= 25,
            "½": percent <= 50,
            "¾": percent <= 75,
            "<1": n < models,
        }
        found[next((name for name, inside in ends.items() if inside), "=1")] += count
    return found


def _models(rows: Sequence[Entry]) -> tuple[Text, ...]:
    """Notes: which models answered, and which are left out of some tasks, since replies are lacking."""
    notes: dict[tuple[str, str], list[Text]] = {}
    for row in rows:
        notes.setdefault((", ".join(row["models"]), ", ".join(row["left_out"])), []).append(_task(row))
    return tuple(
        Text(
            f"{'，'.join(task.zh for task in tasks)}：{names}" + (f"；缺回复，未计入：{out}" if out else ""),
            f"{', '.join(task.en for task in tasks)}: {names}"
            + (f"; left out, for replies are lacking: {out}" if out else ""),
        )
        for (names, out), tasks in notes.items()
    )
