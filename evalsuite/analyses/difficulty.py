"""Difficulty of items, their discrimination between models, and items that look wrong.

A row is a task, set and way of asking in which at least MODELS models answered every item unperturbed. Baselines are left out
(chance and oracles say nothing about items), adapters (those of a sweep are almost the same model), and models with replies
that failed or are still to be made. An item's value is the task's first metric, the mean of its samples.

Two kinds of items are listed as suspicious, up to LISTED a row, the least probable first:

    all_wrong   every model has value 0. p: the product of the models' shares of such items, as if models failed independently
    negative    weaker models are right and stronger ones wrong: discrimination below 0 with a one-sided p up to LEVEL
                (metrics/classical.py). It is not corrected for the number of items, since the list is for people to look
                through: of sound items, a share of up to LEVEL is listed by chance

p of a right/wrong item cannot be below 1 / C(n, n/2) with n models: none can be "negative" with fewer than six.
"""

from __future__ import annotations

import math
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from evalsuite.analyses.item_mean import ItemMean, item_mean
from evalsuite.analyses.value_columns import Columns, headings, row_of, table
from evalsuite.benchmarks.registry import TASKS, set_order, task_order
from evalsuite.common.grouping import by_key
from evalsuite.common.sheet import About, Column, Row, Sheet, Text, Value
from evalsuite.results.analysis import Analysis, Results, ScoredRun
from evalsuite.results.outcomes import CellOutcomes, Outcome, first_samples, item_values
from evalsuite.results.schema.base import Count, Name, Number, Rows, Share, SharedPlaceFields, Strict
from evalsuite.results.words import asked_words, task_and_set, with_notes
from evalsuite.types import Coordinates

if TYPE_CHECKING:
    from evalsuite.metrics.counts import Floats

# The fewest models of a row. With two, every correlation is 1 or -1, and the counts say no more than a comparison of the two.
MODELS = 3
LISTED = 50
LEVEL = 0.05
RIGHT = 0.5  # a model is right on an item if its value is above this
EDGES = (0.0, 0.2, 0.4)  # edges of bins of discrimination; Ebel (1965) calls items poor below 0.2, very good from 0.4

_Correlation = Annotated[float, Field(ge=-1, le=1)]


class Discriminations(Strict):
    """Corrected item-total correlations: of an item with the sum of the task's other items, over models."""

    n: Count = Field(
        description="Items of which it is defined: the models do not all have one value, nor all the same sum."
    )
    mean: _Correlation | None
    bins: Annotated[Rows[Count], Field(min_length=4, max_length=4)] = Field(
        description="Items below 0, below 0.2, below 0.4, and from 0.4."
    )


class Suspicious(Strict):
    """An item whose gold answer people should look at."""

    item: Name
    why: Literal["all_wrong", "negative"] = Field(
        description="All models have value 0; or the weaker are right and the stronger wrong, discrimination < 0 with p up to "
        "0.05."
    )
    right: Count = Field(description="Models with a value above 0.5.")
    value: Share = Field(description="Mean over the models.")
    discrimination: _Correlation | None
    p: Share = Field(
        description="For all_wrong: the product of the models' shares of items with value 0. For negative: one-sided, by "
        "permutation of the models; not corrected for the number of items."
    )
    agree: Count | None = Field(description="Most models that chose the same wrong options; null where there are none.")
    reply_of: Name = Field(description="The best model that is wrong on it.")


class Difficulty(SharedPlaceFields, ItemMean):
    """A task and set asked in one way of at least three models: how hard its items are, and which look suspicious."""

    metric: str = Field(description="The task's first metric; an item's value is the mean of its samples.")
    models: Annotated[Rows[Name], Field(min_length=3)] = Field(
        description="The models that answered every item; baselines and adapters are left out."
    )
    value: Share = Field(description="Mean difficulty: the share of models that are right, or their mean value.")
    right: Rows[Count] = Field(description="Items that 0, 1, … all of the models get right, with a value above 0.5.")
    alpha: Number = Field(
        description="Cronbach's alpha, which of right/wrong items is KR-20; null: all sums are equal."
    )
    discrimination: Discriminations
    all_wrong: Count = Field(description="Items on which every model has value 0.")
    negative: Count = Field(
        description="Items with a discrimination below 0 and p up to 0.05. By chance up to 5 % of those with one."
    )
    suspicious: Annotated[Rows[Suspicious], Field(max_length=50)] = Field(
        description="Suspicious items, in ascending order of p."
    )
    left_out: Rows[Name] = Field(description="Models with replies that failed or are still to be made.")


def compute(run: ScoredRun) -> list[Difficulty]:
    """A row for each task, set and way of asking with enough models."""
    groups = by_key(
        (cell.place.without("model"), cell)
        for cell in run.cells
        if cell.place.perturb == "none" and not cell.result.is_baseline and not cell.result.is_adapter
    )
    rows = []
    for place, cells in groups.items():
        complete = [cell.outcomes for cell in cells if cell.result.is_complete]
        left_out = [cell.place.model for cell in cells if not cell.result.is_complete]
        if row := difficulty(place, complete, left_out):
            rows.append(row)
    return rows


def difficulty(place: Coordinates, cells: Sequence[CellOutcomes], left_out: Sequence[str] = ()) -> Difficulty | None:
    """The row of a place, which has no model, from one cell per model; None with fewer than MODELS cells, or without an item that
    all answered."""
    import numpy as np

    from evalsuite.metrics.classical import alpha, discriminations

    if len(cells) < MODELS:
        return None
    by_model = [item_values(cell) for cell in cells]
    items = [item for item in by_model[0] if all(item in values for values in by_model)]
    if not items:
        return None
    table: Floats = np.array([[values[item].value for item in items] for values in by_model])
    rights, correlations = (table > RIGHT).sum(axis=0), discriminations(table)
    sources = [by_model[0][item].first.cluster for item in items]
    defined = [r for r in correlations if r is not None]
    counts, bins = Counter(rights.tolist()), Counter(bisect(EDGES, r) for r in defined)
    suspicious = sorted(_suspicious(cells, items, table, correlations), key=lambda x: (x.p, -(x.agree or 0)))
    reasons = Counter(x.why for x in suspicious)
    return Difficulty(
        **dict(place),
        metric=cells[0].metric,
        models=[cell.place.model for cell in cells],
        **dict(item_mean(list(zip(table.mean(axis=0).tolist(), sources, strict=True)))),
        right=[counts[n] for n in range(len(cells) + 1)],
        alpha=alpha(table),
        discrimination=Discriminations(
            n=len(defined),
            mean=round(fmean(defined), 6) if defined else None,
            bins=[bins[n] for n in range(len(EDGES) + 1)],
        ),
        all_wrong=reasons["all_wrong"],
        negative=reasons["negative"],
        suspicious=suspicious[:LISTED],
        left_out=list(left_out),
    )


def _suspicious(
    cells: Sequence[CellOutcomes], items: Sequence[str], table: Floats, correlations: Sequence[float | None]
) -> Iterator[Suspicious]:
    """The suspicious items, in the order of `items`.

    table: (models, items) values. correlations: (items,) discriminations; None where all models have one value.
    """
    from evalsuite.metrics.classical import negative_p, orders_of, rests

    sums_of_others, orders = rests(table), orders_of(len(cells))
    by_chance = math.prod((table <= 0).mean(axis=1).tolist())
    chosen = [first_samples(cell.outcomes) for cell in cells]
    best_first = sorted(range(len(cells)), key=lambda n: -table[n].sum())
    why: Literal["all_wrong", "negative"]
    for n, (item, r) in enumerate(zip(items, correlations, strict=True)):
        values = table[:, n]
        if not values.any():
            why, p = "all_wrong", by_chance
        elif r is not None and r < 0 and (p := negative_p(values, sums_of_others[:, n], orders)) <= LEVEL:
            why = "negative"
        else:
            continue
        wrong = [m for m in best_first if values[m] <= RIGHT]
        yield Suspicious(
            item=item,
            why=why,
            right=len(cells) - len(wrong),
            value=round(float(values.mean()), 6),
            discrimination=r,
            p=float(f"{p:.6g}"),
            agree=_agreeing([outcomes[item] for outcomes in chosen]),
            reply_of=cells[(wrong or best_first)[0]].place.model,
        )


def _agreeing(outcomes: Sequence[Outcome]) -> int | None:
    """The largest number of models that chose the same wrong options in their first sample; None without options.

    It is large where the gold answer is wrong: then many models choose the option that is really right.
    """
    if not any(o.item.golds for o in outcomes):
        return None
    wrong = Counter(tuple(sorted(o.chosen)) for o in outcomes if o.chosen and {*o.chosen} != {*o.item.golds})
    return max(wrong.values(), default=0)


# --- tables

_LEGEND = Text(
    "难度：答对的模型所占 % 的平均（F1 等为平均值），95% 置信区间以对话为单位；题数依答对的模型数（0、1、…；六个模型以上：无、不超过 ¼、½、¾，不到全部，全部）；α：Cronbach 系数，对错题即 KR-20；"
    "区分度：一题与其余各题之和跨模型相关系数的平均，只计各模型不全相同的题。不含基线、适配器，以及有回复失败或未问完的模型",
    "right: mean % of models that are right on an item, or their mean value (F1), with its 95 % interval (dialogues as units); "
    "items by number of models right on them: 0, 1, …, of six models and more: none, up to ¼, ½, ¾, not all, "
    "all; alpha: Cronbach's, of right/wrong items KR-20; discr.: mean correlation of "
    "an item with the sum of the others, over models, of the items on which they differ; <0: how many have a negative one. "
    "Without baselines, adapters, and models with replies that failed or are still to be made",
)
_SUSPICION = Text(
    "全错：所有模型得 0 分，p 为各模型全错题比例之积（视模型相互独立）；反向：弱者答对、强者答错，p 为单侧置换检验，未就题数校正：即便一切正常，也会"
    "列出至多 5% 的题；对错题少于六个模型时 p 到不了 0.05。同选：选了同一错误选项的模型数。标准答案是否有误，须由人判断（evalsuite audit make --suspicious）",
    "missed: every model has value 0; p: product of the models' shares of such items, as if they failed "
    "independently. reversed: weaker models are right, stronger ones wrong; p: one-sided, by permutation, not "
    "corrected: up to 5 % of sound items are listed, too, and with fewer than six models no right/wrong item can be. "
    "r: correlation with the sum of the other items. same: models that chose the same wrong option. Whether the gold "
    "answer is wrong, people must say: evalsuite audit make --suspicious",
)
_WHY = {"all_wrong": Text("全错", "missed"), "negative": Text("反向", "reversed")}
_EACH = 5  # with at most this many models, each number of right models gets a count of its own


def sheets(results: Results) -> Iterator[Sheet]:
    """A sheet for each split and way: a row per task and set."""
    groups = _by_way(results.of(ANALYSIS) or ())
    yield from with_notes((_sheet(*place, rows) for place, rows in groups.items()), _LEGEND)


def suspicious_sheets(results: Results) -> Iterator[Sheet]:
    """A sheet for each split and way that has suspicious items: a row per item, below its task and set."""
    by_way = _by_way([row for row in results.of(ANALYSIS) or () if row.suspicious])
    yield from with_notes((_items(*place, rows) for place, rows in by_way.items()), _SUSPICION)


def _by_way(rows: Iterable[Difficulty]) -> dict[tuple[str, str], list[Difficulty]]:
    ordered: Iterable[Difficulty] = sorted(rows, key=lambda row: (task_order(row.task), set_order(row.set)))
    return by_key(((str(row.split), row.way), row) for row in ordered)


def _sheet(split: str, asked: str, rows: Sequence[Difficulty]) -> Sheet:
    columns: Columns[Difficulty] = (
        (Column(Text("任务", "task")), _task),
        (Column(Text("题数", "items"), kind="count"), lambda row: row.n),
        (Column(Text("答对", "right"), "%", "percent", range=(0, 1)), lambda row: row.as_value),
        (Column(Text("答对的模型数（题数分布）", "by models right"), kind="histogram"), lambda row: _counts(row.right)),
        (Column(Text("α", "alpha"), kind="number"), lambda row: Value(row.alpha)),
        (Column(Text("区分度", "discr."), kind="number"), lambda row: Value(row.discrimination.mean)),
        (Column(Text("区分度为负", "<0"), kind="count"), lambda row: row.discrimination.bins[0]),
    )
    body = table(columns, rows, lambda row: {"task": row.task, "set": row.set})
    title = Text(
        f"题目难度与区分度：{asked_words(_about(rows))}", f"Difficulty and discrimination of items, {split} {asked}"
    )
    return Sheet("difficulty", title, *body, _models(rows), about=_about(rows))


def _items(split: str, asked: str, rows: Sequence[Difficulty]) -> Sheet:
    columns: Columns[Suspicious] = (
        (Column(Text("条目", "item")), lambda item: item.item.rsplit("/", 1)[-1]),
        (Column(Text("缘由", "why")), lambda item: _WHY[item.why]),
        (Column(Text("答对", "right"), "%", "percent"), lambda item: Value(item.value)),
        (Column(Text("区分度", "r"), kind="number"), lambda item: Value(item.discrimination)),
        (Column("p", kind="number", digits=4), lambda item: Value(item.p)),
        (Column(Text("同选", "same"), kind="count"), lambda item: Value(item.agree)),
    )
    lines: list[Row] = []
    for row in rows:
        place = {"task": row.task, "set": row.set}
        more = row.all_wrong + row.negative - len(row.suspicious)
        unlisted = Text(f"（另有 {more} 题）", f" ({more} more)") if more else Text("", "")
        name = _task(row)
        lines.append(Row((Text(name.zh + unlisted.zh, name.en + unlisted.en), *[None] * 5), "group", about=place))
        # The page opens the reply of the best model that is wrong.
        lines += [
            row_of(columns, item, {**place, "model": item.reply_of, "item": item.item}) for item in row.suspicious
        ]
    title = Text(f"可疑题目：{asked_words(_about(rows))}", f"Suspicious items, {split} {asked}")
    return Sheet("suspicious", title, headings(columns), tuple(lines), about=_about(rows))


def _task(row: Difficulty) -> Text:
    return task_and_set(TASKS[row.task], row.set)


def _about(rows: Sequence[Difficulty]) -> About:
    return dict(rows[0].without("task", "set"))


def _counts(right: Sequence[int]) -> dict[str, int]:
    """Items by number of models that are right: for each number, or for more than _EACH models in six groups by share."""
    models = len(right) - 1
    if models <= _EACH:
        return {str(n): count for n, count in enumerate(right)}
    # "=1", not "1": in JavaScript, keys that are whole numbers come before all others.
    groups = dict.fromkeys(("0", "¼", "½", "¾", "<1", "=1"), 0)
    for n, count in enumerate(right):
        inside = {"0": n == 0, "¼": 4 * n <= models, "½": 2 * n <= models, "¾": 4 * n <= 3 * models, "<1": n < models}
        groups[next((name for name, holds in inside.items() if holds), "=1")] += count
    return groups


def _models(rows: Sequence[Difficulty]) -> tuple[Text, ...]:
    """A note for each group of tasks with the same models: the models, and those left out because replies are lacking."""
    notes = by_key(((", ".join(row.models), ", ".join(row.left_out)), _task(row)) for row in rows)
    return tuple(
        Text(
            f"{'，'.join(task.zh for task in tasks)}：{names}" + (f"；缺回复，未计入：{out}" if out else ""),
            f"{', '.join(task.en for task in tasks)}: {names}"
            + (f"; left out, for replies are lacking: {out}" if out else ""),
        )
        for (names, out), tasks in notes.items()
    )


ANALYSIS = Analysis(
    "difficulty", sheets, list[Difficulty], compute, help="How hard items are, and whether they tell models apart."
)
SUSPICIOUS: Analysis[None] = Analysis(
    "suspicious",
    suspicious_sheets,
    help="Items whose gold answer people should look at.",
    only_named=Text("每个任务最多 50 行", "up to 50 rows for every task"),
)
