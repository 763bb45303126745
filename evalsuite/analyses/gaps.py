"""The gap between a benchmark's levels, EASY and HARD (the paper's Appendix F).

The sets hold different items, so the test is unpaired: dialogues are permuted between the sets (`unpaired_test`). Of a dialogue
that both sets ask about (44 of event causes in the official data), a permutation exchanges the items of the two sets with each
other. The half widths of the two cells' intervals are added in squares, less what the shared dialogues have in common (Newcombe
1998; Zou & Donner 2008); the resulting interval is extended, or cut, at 0 where it would contradict the test.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Annotated, Any

from pydantic import Field

from evalsuite.benchmarks.published import published_figures
from evalsuite.benchmarks.registry import TASKS, benchmark_of, metric_named, task_order
from evalsuite.common.dialogue import sources
from evalsuite.common.grouping import by_key
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value
from evalsuite.results.analysis import Analysis, Results, ScoredCell, ScoredRun
from evalsuite.results.outcomes import item_values
from evalsuite.results.schema.base import Count, Number, Rows, Set, Share, TaskFields
from evalsuite.results.words import (
    FAMILY,
    LEAST_P_HOLM,
    asked_words,
    family_size,
    set_name,
    set_title,
    split_words,
    titled,
    too_few,
    with_notes,
)
from evalsuite.types import Coordinates


class Gap(TaskFields):
    """The scores of a model on two sets of a task that differ in difficulty."""

    metric: str
    sets: Annotated[Rows[Set], Field(min_length=2, max_length=2)] = Field(
        description="Names of the two sets, the easier one first."
    )
    values: Annotated[Rows[Number], Field(min_length=2, max_length=2)]
    items: Annotated[Rows[Count], Field(min_length=2, max_length=2)]
    dialogues: Annotated[Rows[Count], Field(min_length=2, max_length=2)]
    gap: float = Field(description="The first value less the second.")
    low: Number
    high: Number
    p: Share = Field(
        description="p of an unpaired permutation of dialogues between the sets, or of both sets' items of a dialogue that both "
        "have: exact for few dialogues, else from random permutations, as many as the family needs."
    )
    least_p: Share = Field(description="The smallest p that so few dialogues can give.")
    p_holm: Share = Field(description="p, corrected by Holm over the model's tasks asked in one way.")
    least_p_holm: Share | None = Field(default=None, description=LEAST_P_HOLM)
    family: Count | None = Field(default=None, description=FAMILY)


def compute(run: ScoredRun) -> list[Gap]:
    """A row for each model, task and way with both levels, unperturbed. The tasks of a model asked in one way are the family over
    which p is corrected (Holm)."""
    from evalsuite.metrics.statistics import within_families

    groups: dict[Coordinates, dict[str, ScoredCell]] = {}
    for cell in run.cells:
        place = cell.place
        if place.perturb == "none" and place.set in benchmark_of(place.task).levels and cell.outcomes.outcomes:
            groups.setdefault(place.without("set"), {})[place.set] = cell
    pairs = []
    for key, by_set in groups.items():
        levels = benchmark_of(dict(key)["task"]).levels
        if all(level in by_set for level in levels):
            pairs.append([by_set[level] for level in levels])
    families = [both[0].place.without("task", "set") for both in pairs]
    sizes = Counter(families)
    rows = [_gap(both, sizes[family]) for both, family in zip(pairs, families, strict=True)]
    corrected = within_families([(family, row.p, row.least_p) for family, row in zip(families, rows, strict=True)])
    return [
        row.model_copy(update={"p_holm": adjusted.p, "least_p_holm": adjusted.least, "family": adjusted.family})
        for row, adjusted in zip(rows, corrected, strict=True)
    ]


def _gap(both: Sequence[ScoredCell], family: int) -> Gap:
    """The row of the cells of two sets, one of `family` tests; p_holm is not corrected yet."""
    from evalsuite.metrics.statistics import Summand, unpaired_test, weighted_sum

    place = both[0].place
    metric = TASKS[place.task].item_metrics[0]
    easy, hard = (cell.result.metrics[metric] for cell in both)
    items = [item_values(cell.outcomes).values() for cell in both]
    values = [[item.value for item in side] for side in items]
    # Dialogues are numbered over both sets, which may share some.
    numbers = sources([item.first.item.context for side in items for item in side])
    dialogues = numbers[: len(values[0])], numbers[len(values[0]) :]
    # The seed names no model: two models with the same replies get the same p.
    rng = Random(f"gaps:{place.task}:{place.split}")
    test = unpaired_test(values[0], values[1], *dialogues, rng, family)
    low = high = None
    if easy.bounds and hard.bounds:
        influences = [_influences(*side) for side in zip(values, dialogues, strict=True)]
        (x, x_low, x_high), (y, y_low, y_high) = easy.bounds, hard.bounds
        minus = {name: (-move, 0.0) for name, move in influences[1].items()}
        whole = weighted_sum(
            [
                Summand(1, x, x_low, x_high, {name: (move, 0.0) for name, move in influences[0].items()}),
                Summand(1, -y, -y_high, -y_low, minus),
            ]
        )
        low, high = test.agreeing(test.value + whole.low - whole.value, test.value + whole.high - whole.value)
    return Gap(
        **dict(place.without("set")),
        metric=metric,
        sets=[cell.place.set for cell in both],
        values=[easy.value, hard.value],
        items=[len(side) for side in values],
        dialogues=list(test.clusters),
        gap=test.value,
        low=low,
        high=high,
        p=test.p,
        least_p=test.least,
        p_holm=test.p,
    )


def _influences(values: Sequence[float], dialogues: Sequence[int]) -> dict[int, float]:
    """Dialogue -> its influence on the mean of (N,) values."""
    from evalsuite.metrics.statistics import Means, influences

    return dict(zip(dict.fromkeys(dialogues), influences(Means.of({"": values}), dialogues)[""].tolist(), strict=True))


# --- tables

_PAPER = Text(
    "论文：附录 F 各模型 F1 的平均，按整段回复。", " paper: mean F1 of Appendix F's models, of whole replies."
)


def sheets(results: Results) -> Iterator[Sheet]:
    """A sheet for each split, way, benchmark and pair of sets: below each model a row per task with both values, their gap and
    its test, baselines last."""
    baselines = {cell.model for cell in results.cells if cell.is_baseline}
    rows = sorted(results.of(ANALYSIS) or [], key=lambda row: row.model in baselines)
    ways = by_key(((row.split, row.way, benchmark_of(row.task).name, tuple(row.sets)), row) for row in rows)
    several = len({way[:2] for way in ways}) > 1
    drawn = [_sheet(split, asked, rows_of_way, several) for (split, asked, *_), rows_of_way in ways.items()]
    legend = _legend(rows)
    published = any(row.kind == "apart" for sheet in drawn for row in sheet.rows)
    yield from with_notes(drawn, Text(legend.zh + _PAPER.zh, legend.en + _PAPER.en) if published else legend)


def _legend(rows: Sequence[Gap]) -> Text:
    size = family_size(row.family for row in rows)
    zh, en = (f" {size} 项任务", f"{size} tasks") if size else ("任务", "tasks")
    return Text(
        "差：前一题集减后一题集，百分点，单独一行的 95% 置信区间；p 由两题集间的对话置换检验得出（题目不同，不配对），"
        f"p′ 按模型同一问法的全部{zh}作 Holm 校正，* p′ < 0.05，?：对话太少，p′ 不可能低于 0.05，无法判断。",
        "gap: the first set less the second, in points, with its 95 % interval, of the row alone; p: dialogues "
        f"permuted between the sets (the items differ, so no pairs); p': Holm over a model's {en} asked in one way, "
        "* p' < 0.05, ?: too few dialogues to tell, p' cannot be below 0.05.",
    )


def _sheet(split: str, asked: str, rows: Sequence[Gap], several: bool) -> Sheet:
    easy, hard = rows[0].sets
    benchmark = benchmark_of(rows[0].task)
    order = sorted(rows, key=lambda r: task_order(r.task))
    lines = []
    for model in dict.fromkeys(r.model for r in rows):
        lines.append(Row((model, None, None, None, None, None), "group", about={"model": model}))
        lines += [_line(row) for row in order if row.model == model]
    # The paper's averages are of the test split, without examples.
    figures = published_figures(benchmark) if (rows[0].split, rows[0].shots) == ("test", 0) else []
    lines += [
        paper_row
        for task in dict.fromkeys(r.task for r in order)
        if (paper_row := _published(figures, task, easy, hard))
    ]
    columns = (
        Column(""),
        *(Column(set_name(benchmark, name), kind="percent") for name in rows[0].sets),
        Column(Text("差", "gap"), kind="percent", signed=True),
        Column("p", kind="p"),
        Column("p'", kind="p"),
    )
    suffix = f", {split} {asked}" if several else f", {split}"
    where = asked_words(dict(rows[0].without())) if several else split_words(split).zh
    easier, harder = (set_title(benchmark, name) for name in rows[0].sets)
    title = titled(
        Text(f"{easier.zh} / {harder.zh}", f"{easier.en} / {harder.en}"),
        f"：两个题集之差，{where}",
        f": the gap{suffix}",
    )
    about = dict(rows[0].without("model", "task", "perturb"))
    return Sheet("gaps", title, columns, tuple(lines), about=about)


def _line(row: Gap) -> Row:
    task, metric = TASKS[row.task], metric_named(row.metric)
    sure, few = row.p_holm < 0.05, too_few(row.least_p_holm, row.least_p)
    gap = Value(row.gap, row.low, row.high, tone="strong" if sure else "")
    corrected = Value(row.p_holm, asides=("?" if few else "*" if sure else "",))
    name = Text(f"{task.zh} {metric.zh}", f"{task.short} {metric.heading}")
    about = {"model": row.model, "task": task.name}
    return Row((name, *row.values, gap, row.p, corrected), about=about)


def _published(rows: Sequence[Mapping[str, Any]], task: str, easy: str, hard: str) -> Row | None:
    """The paper's averages over models, if it prints them for both sets."""
    averages = [row for row in rows if (row["task"], row["model"], row["metric"]) == (task, "Average", "f1")]
    figures = {row["set"]: row["value"] for row in averages}
    if not {easy, hard} <= figures.keys():
        return None
    name = Text(f"论文平均 {TASKS[task].zh} F1", f"paper's average {TASKS[task].short} F1")
    gap = figures[easy] - figures[hard]
    return Row((name, figures[easy], figures[hard], gap, None, None), "apart", about={"task": task})


ANALYSIS = Analysis("gaps", sheets, list[Gap], compute, help="The gap between a benchmark's levels, EASY and HARD.")
