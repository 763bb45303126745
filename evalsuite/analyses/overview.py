"""One row per model over all benchmarks of a group (benchmarks/groups.yaml).

A row has means by benchmark and by ability, and mean changes under perturbation by benchmark. A part is a task's headline
metric on one set, divided by the metric's highest value; metrics without one, and those of which less is better, are left
out. A task's figure is the mean of its sets; a benchmark's or an ability's is the mean of its tasks: every task weighs the
same. A model has a mean only if it has a figure of every part; else its row names the missing parts. Parts of which no model of
the run has a figure do not count: the column lists them as absent.

Intervals are made of the parts' own: half widths h of k independent parts of equal weight give sqrt(sum of h²) / k, as in
means.py. Tasks of CORECODE and of C3 share dialogues, and so do CEDAR and CORECODE; a model that misreads one may fail in
several tasks. Such a dialogue counts once, with its influence on the whole mean (`weighted_sum`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any, Literal

from pydantic import Field

from evalsuite.analyses import robustness
from evalsuite.analyses.robustness import PerturbationEffect
from evalsuite.benchmarks import groups as named_groups
from evalsuite.benchmarks.groups import Group
from evalsuite.benchmarks.registry import (
    BENCHMARKS,
    TASKS,
    benchmark_of,
    metric_named,
    set_order,
    takes_shots,
    task_order,
)
from evalsuite.common.grouping import by_key
from evalsuite.common.sheet import About, Column, Row, Sheet, Text, Value
from evalsuite.perturb import PERTURBATIONS
from evalsuite.results.analysis import Analysis, Results, ScoredRun
from evalsuite.results.influences import Influences, by_dialogue, influences_on_change, numbered
from evalsuite.results.order import mean_ranks
from evalsuite.results.schema.base import (
    CellFields,
    Count,
    IntervalFields,
    Located,
    ModelName,
    Number,
    Perturb,
    PlaceFilter,
    Rows,
    Scoring,
    Set,
    Share,
    ShotCount,
    Split,
    Strict,
    TaskName,
    Variant,
)
from evalsuite.results.schema.cell import CellResult
from evalsuite.results.words import WAY, perturb_name, set_name, split_words, task_heading, with_notes
from evalsuite.types import Place

GroupKind = Literal["benchmark", "ability"]
DialogueMoves = Mapping[Hashable, tuple[float, float]]  # a part's dialogues, as `Summand.dialogues`


class _TaskPart(IntervalFields):
    """A figure of a task on one set, as a share of its metric's highest value."""

    task: TaskName
    set: Set
    shots: Count
    scoring: Scoring
    metric: str
    items: Count

    @property
    def name(self) -> str:
        """Task and set as groups.yaml writes them."""
        return f"{self.task}/{self.set}"


class GroupPart(_TaskPart):
    """The headline metric of a task on one set."""

    value: Number = Field(description="Share of the metric's highest value, 0 … 1, as are low and high.")
    lost: Count = Field(description="Requests that failed or were not asked yet, left out.")
    estimated: Literal[True] | None = Field(
        default=None, description="Only a part of the items was asked; absent otherwise."
    )
    chance: Share | None = Field(description="Expected value of guessing; null where the metric has none.")


class GroupChangePart(_TaskPart):
    """The change of a task's metric on one set."""

    value: Number = Field(description="Negative where it got worse.")


class GroupScore(IntervalFields):
    """A mean over parts: those of a benchmark, or those that measure an ability."""

    kind: GroupKind
    name: str
    items: Count
    missing: Rows[str] = Field(description="Parts that the model has no figure of: then it has no mean.")
    chance: Share | None


class GroupChange(IntervalFields):
    """The mean change of a benchmark's parts under a perturbation."""

    perturb: Perturb
    benchmark: str
    items: Count
    missing: Rows[str]
    parts: Rows[GroupChangePart]


class GroupRow(Located):
    """A model asked in one way. A task without this scoring or these shots is asked in the nearest way that it has."""

    model: ModelName
    split: Split
    variant: Variant
    shots: ShotCount
    scoring: Scoring
    perturb: Perturb
    parts: Rows[GroupPart]
    scores: Rows[GroupScore] = Field(description="Scores, one for each column.")
    changes: Rows[GroupChange]


class GroupColumn(Strict):
    """A benchmark or an ability, and the parts of its mean."""

    kind: GroupKind
    name: str
    zh: str
    en: str
    parts: Rows[str] = Field(description="Parts, as task/set, that some model has a figure of.")
    absent: Rows[str] = Field(description="Tasks, or parts as task/set, that no model has a figure of.")


class BenchmarkGroup(Strict):
    """One row per model over the benchmarks of a group: means, each with its parts (docs/benchmarks.md, Groups)."""

    name: str
    zh: str
    en: str
    split: Split
    columns: Rows[GroupColumn]
    left_out: Rows[TaskName] = Field(
        description="Tasks whose headline metric is no score between 0 and a highest value."
    )
    rows: Rows[GroupRow]


def compute(run: ScoredRun) -> list[BenchmarkGroup]:
    asked = {TASKS[cell.task].benchmark for cell in run.results}
    groups = [group for group in named_groups.groups().values() if len(asked & {*group.benchmarks}) > 1]
    if not groups:
        return []
    changed = run.of(robustness.ANALYSIS)
    effects = changed.drops if changed else []
    influences = {cell.place: cell.influences for cell in run.cells if cell.influences and cell.place.perturb == "none"}
    outcomes = {cell.place: cell.outcomes for cell in run.cells}
    for effect in effects:
        base = replace(effect.place, perturb="none")
        influences[effect.place] = influences_on_change(outcomes[base], outcomes[effect.place], effect.metric)
    return overview(run.results, effects, groups, influences)


def overview(
    cells: Sequence[CellResult],
    effects: Sequence[PerturbationEffect],
    groups: Iterable[Group],
    influences: Mapping[Place, Influences] | None = None,
) -> list[BenchmarkGroup]:
    """A table for each group and split with cells of at least two of the group's benchmarks.

    influences: place -> influences of dialogues on the cell's metrics; of a perturbed place on the effect. Figures without
    influences are taken as independent of all others.
    """
    known = influences or {}
    numbers = numbered(known.values())

    def dialogues_of(place: Place, metric: str) -> DialogueMoves:
        return by_dialogue(known.get(place), metric, numbers)

    tables = []
    for group in groups:
        of_group = [c for c in cells if TASKS[c.task].benchmark in group.benchmarks and not c.is_subset]
        for split in dict.fromkeys(c.split for c in of_group):
            plain = [c for c in of_group if c.split == split and c.perturb == "none"]
            if len({TASKS[c.task].benchmark for c in plain}) > 1:
                changed = [e for e in effects if e.split == split and TASKS[e.task].benchmark in group.benchmarks]
                tables.append(_group(group, split, plain, changed, dialogues_of))
    return tables


def _group(
    group: Group,
    split: Split,
    cells: Sequence[CellResult],
    effects: Sequence[PerturbationEffect],
    dialogues_of: Callable[[Place, str], DialogueMoves],
) -> BenchmarkGroup:
    left_out = {c.task for c in cells if not _scale(TASKS[c.task].metrics[0])}
    cells = [c for c in cells if c.task not in left_out]
    effects = [e for e in effects if _scale(e.metric)]
    asked = sorted({(c.task, c.set) for c in cells if c.headline.value is not None}, key=_part_order)
    columns = [column for column in _columns(group, asked, left_out) if column.parts]
    changed = _changed(group, effects)
    at, effect_at = {c.place: c for c in cells}, {e.place: e for e in effects}
    return BenchmarkGroup(
        name=group.name,
        zh=group.zh,
        en=group.en,
        split=split,
        columns=columns,
        left_out=sorted(left_out, key=task_order),
        rows=[_row(way, columns, changed, at, effect_at, dialogues_of) for way in _ways(cells)],
    )


def _scale(metric: str) -> float:
    """The highest value of a metric; 0 for one that is no score from 0 to a highest value."""
    row = metric_named(metric)
    return 0.0 if row.lower_is_better or not row.maximum else row.maximum


def _part_order(part: tuple[str, str]) -> tuple[int, tuple[int, str]]:
    return task_order(part[0]), set_order(part[1])


# --- columns


def _columns(group: Group, asked: Sequence[tuple[str, str]], left_out: set[str]) -> Iterable[GroupColumn]:
    """A column for each benchmark and ability of a group, with the parts that some model has a figure of, and those without."""
    for name in group.benchmarks:
        if name in BENCHMARKS:
            benchmark = BENCHMARKS[name]
            parts = [part for part in asked if TASKS[part[0]].benchmark == name]
            absent = [t.name for t in benchmark.tasks if t.name not in left_out | {task for task, _ in parts}]
            yield _column("benchmark", name, benchmark.title, benchmark.title, parts, absent)
    for ability in group.abilities:
        parts = [part for part in asked if ability.has(*part)]
        present = {*map("/".join, parts), *(task for task, _ in parts)}
        absent = [name for name in ability.tasks if name not in present | left_out]
        yield _column("ability", ability.name, ability.zh, ability.en, parts, absent)


def _column(
    kind: GroupKind, name: str, zh: str, en: str, parts: Sequence[tuple[str, str]], absent: Sequence[str]
) -> GroupColumn:
    return GroupColumn(kind=kind, name=name, zh=zh, en=en, parts=[*map("/".join, parts)], absent=[*absent])


def _changed(group: Group, effects: Sequence[PerturbationEffect]) -> dict[tuple[str, str], list[str]]:
    """(perturbation, benchmark) -> names of the parts that some model was asked under the perturbation."""
    changed: dict[tuple[str, str], list[str]] = {}
    for perturb in PERTURBATIONS:
        for name in group.benchmarks:
            parts = {(e.task, e.set) for e in effects if e.perturb == perturb and TASKS[e.task].benchmark == name}
            if parts:
                changed[perturb, name] = ["/".join(part) for part in sorted(parts, key=_part_order)]
    return changed


# --- rows


def _place(way: Place, part: str, perturb: str = "none") -> Place:
    """The place of a part's figure. As in a run (evaluation/plan.py), a task that lacks the scoring is asked by its own first
    scoring, and a task that takes no shots without shots. `way`: a place without task and set."""
    name, item_set = part.split("/")
    task = TASKS[name]
    shots = way.shots if takes_shots(task) else 0
    scoring = way.scoring if way.scoring in task.scorings else task.scorings[0]
    return replace(way, task=name, set=item_set, shots=shots, scoring=scoring, perturb=perturb)


def _ways(cells: Sequence[CellResult]) -> list[Place]:
    """The model and way of asking of each row, as places without task and set. A row is left out if another row of the model has
    all its cells and more."""
    ways = dict.fromkeys(replace(c.place, task="", set="") for c in cells if c.scoring != "nll")
    asked = {c.place for c in cells}
    covered = {way: {p for c in cells if (p := _place(way, f"{c.task}/{c.set}")) in asked} for way in ways}
    return [way for way in ways if not any(covered[way] < covered[other] for other in ways if other.model == way.model)]


def _row(
    way: Place,
    columns: Sequence[GroupColumn],
    changed: Mapping[tuple[str, str], Sequence[str]],
    at: Mapping[Place, CellResult],
    effect_at: Mapping[Place, PerturbationEffect],
    dialogues_of: Callable[[Place, str], DialogueMoves],
) -> GroupRow:
    changes = []
    for (perturb, benchmark), wanted in changed.items():
        places = {name: _place(way, name, perturb) for name in wanted}
        parts_changed = {name: _change(effect_at[place]) for name, place in places.items() if place in effect_at}
        if parts_changed:
            dialogues = {name: dialogues_of(places[name], part.metric) for name, part in parts_changed.items()}
            figures = _mean(parts_changed, wanted, dialogues)
            parts_asked = [*parts_changed.values()]
            changes.append(GroupChange(perturb=perturb, benchmark=benchmark, **figures, parts=parts_asked))
    places = {name: _place(way, name) for column in columns for name in column.parts}
    parts = {name: _part(at[place]) for name, place in places.items() if place in at}
    dialogues = {name: dialogues_of(places[name], part.metric) for name, part in parts.items()}
    return GroupRow(
        **dict(way.without("task", "set")),
        parts=[*parts.values()],
        scores=[
            GroupScore(
                kind=column.kind,
                name=column.name,
                **_mean(parts, column.parts, dialogues),
                chance=_chance(parts, column.parts),
            )
            for column in columns
        ],
        changes=changes,
    )


def _part(cell: CellResult) -> GroupPart:
    """The headline of a cell, as a share of the metric's highest value."""
    metric, figure = TASKS[cell.task].metrics[0], cell.headline
    return GroupPart(
        **_figure(cell, metric, figure.value, figure.low, figure.high),
        items=figure.n,
        lost=(0 if cell.is_estimate else cell.missing) + cell.failed,
        estimated=True if cell.is_estimate else None,
        chance=cell.chance if metric_named(metric).is_share else None,
    )


def _change(effect: PerturbationEffect) -> GroupChangePart:
    """The change of a perturbed cell, as a share of the metric's highest value."""
    figure = _figure(effect, effect.metric, effect.change, effect.low, effect.high)
    return GroupChangePart(**figure, items=effect.items)


def _figure(row: CellFields, metric: str, value: float | None, low: float | None, high: float | None) -> dict[str, Any]:
    """The fields of a `GroupPart` or `GroupChangePart`. Figure and interval are shares of the metric's highest value."""
    figures = {"value": value, "low": low, "high": high}
    shares = {name: None if figure is None else figure / _scale(metric) for name, figure in figures.items()}
    return dict(row.without("model", "split", "variant", "perturb")) | {"metric": metric} | shares


# --- means


def weights(parts: Iterable[str]) -> dict[str, float]:
    """The weight of each part: all tasks have equal weights, and so have the sets within a task.

    >>> weights(["a/easy", "a/hard", "b/test"])
    {'a/easy': 0.25, 'a/hard': 0.25, 'b/test': 0.5}
    """
    sets = by_key((part.split("/")[0], part) for part in parts)
    return {part: 1 / (len(sets) * len(sets_of_task)) for sets_of_task in sets.values() for part in sets_of_task}


def _mean(
    parts: Mapping[str, GroupPart | GroupChangePart], wanted: Sequence[str], dialogues: Mapping[str, DialogueMoves]
) -> dict[str, Any]:
    """The weighted mean of the wanted parts with its interval, null if one is missing; the number of items; the missing parts.

    dialogues: part -> its dialogues, for `weighted_sum`."""
    from evalsuite.metrics.statistics import Summand, weighted_sum

    known = [parts[name] for name in wanted if name in parts]
    missing = [name for name in wanted if name not in parts or parts[name].value is None]
    value = low = high = None
    if not missing:
        weight_of = weights(wanted)
        # Intervals of estimated parts do not add up.
        if any(part.bounds is None or (isinstance(part, GroupPart) and part.estimated) for part in known):
            value = math.fsum(weight * (parts[name].value or 0.0) for name, weight in weight_of.items())
        else:
            mean = weighted_sum(
                [
                    Summand(w, *bounds, dialogues[name])
                    for name, w in weight_of.items()
                    if (bounds := parts[name].bounds)
                ]
            )
            value, low, high = mean.value, mean.low, mean.high
    items = sum(part.items for part in known)
    return {"value": value, "low": low, "high": high, "items": items, "missing": missing}


def _chance(parts: Mapping[str, GroupPart], wanted: Sequence[str]) -> float | None:
    """The mean level of chance; None if a part has none."""
    levels = {name: part.chance for name, part in parts.items() if part.chance is not None}
    if any(name not in levels for name in wanted):
        return None
    return math.fsum(weight * levels[name] for name, weight in weights(wanted).items())


def narrowed_groups(groups: list[BenchmarkGroup], chosen: PlaceFilter) -> list[BenchmarkGroup]:
    """The rows of the chosen models and ways, unchanged; none if tasks or sets are chosen, since means over these alone would
    differ."""
    if "task" in chosen or "set" in chosen:
        return []
    chosen_rows = ((group, [row for row in group.rows if row.concerns(chosen)]) for group in groups)
    return [group.model_copy(update={"rows": rows}) for group, rows in chosen_rows if rows]


# --- tables

_LEGEND = Text(
    "各任务首要指标（% 以该指标的最高值为 100）的平均，每项任务权重相同，任务内每个题集权重相同；准确率与 F1 尺度不同，一起平均只供粗看；区间中一段对话只计一次，即使多项任务问及它；题目只出自极少几段对话时没有区间；n/m：m 部分中仅有 n "
    "部分，因此没有平均；!n：n 个请求失败或尚未提问",
    "means of the tasks' headline metrics, in % of their highest value: every task weighs the same, and of a task every set; "
    "accuracy and F1 share no scale, so a rough guide; in intervals a dialogue counts once, though several tasks ask about it; "
    "none where items come from too few dialogues; n/m: only n of m parts, so no mean; !n: requests failed or not asked",
)


def sheets(results: Results) -> Iterator[Sheet]:
    """Two sheets for each group of a run, by benchmark and by ability, and a sheet of changes if items were perturbed."""
    baselines = {cell.model for cell in results.cells if cell.is_baseline}
    for unordered in results.of(ANALYSIS) or ():
        if not unordered.columns:  # no request was answered
            continue
        group = unordered.model_copy(update={"rows": _in_order(unordered, baselines)})
        title = Text(f"{group.zh}，{split_words(group.split).zh}", f"{group.en}, {group.split}")
        drawn = [_scores(group, kind, title) for kind in ("benchmark", "ability")]
        yield from with_notes((sheet for sheet in [*drawn, _changes(group, title)] if sheet), _LEGEND)


def _in_order(group: BenchmarkGroup, baselines: Container[str]) -> list[GroupRow]:
    """The rows by mean rank over the benchmarks, baselines last, in the order of the page."""
    shown = [n for n, column in enumerate(group.columns) if column.kind == "benchmark"]
    ordered: list[GroupRow] = []
    for is_baseline in (False, True):
        rows = [row for row in group.rows if (row.model in baselines) is is_baseline]
        ranks = mean_ranks([[row.scores[n].value for row in rows] for n in shown])
        ordered += [row for _, row in sorted(zip(ranks, rows, strict=True), key=itemgetter(0))]
    return ordered


def _scores(group: BenchmarkGroup, kind: str, title: Text) -> Sheet | None:
    shown = [n for n, column in enumerate(group.columns) if column.kind == kind]
    if not shown:
        return None
    columns = [group.columns[n] for n in shown]
    rows = [
        Row((label, *(_score(row, row.scores[n], group.columns[n]) for n in shown)), about=_about(row))
        for label, row in _labelled(group.rows)
    ]
    chance = [next((c for row in group.rows if (c := row.scores[n].chance) is not None), None) for n in shown]
    if any(c is not None for c in chance):
        rows.append(Row((Text("随机水平", "chance"), *chance), "apart"))
    by = Text("：按基准", ": by benchmark") if kind == "benchmark" else Text("：按能力", ": by ability")
    return Sheet(
        "overview",
        Text(title.zh + by.zh, title.en + by.en),
        (
            Column(Text("模型", "model")),
            *(Column(Text(c.zh, c.en), kind="percent", better="more", range=(0, 1)) for c in columns),
        ),
        tuple(rows),
        tuple(_made_of(c) for c in columns),
        about={"split": group.split},
    )


def _score(row: GroupRow, score: GroupScore, column: GroupColumn) -> Value:
    """A mean with its interval; without a mean, how many of its parts have a figure."""
    parts = [part for part in row.parts if part.name in column.parts]
    lost, estimated = sum(part.lost for part in parts), any(part.estimated for part in parts)
    flags = [_incomplete(score, len(column.parts))] if score.missing else []
    flags += [f"!{lost}"] if lost else []
    flags += ["≈"] if estimated else []
    return Value(score.value, score.low, score.high, flags=tuple(flags), compares=not lost and not estimated)


def _incomplete(score: GroupScore | GroupChange, parts: int) -> str:
    return f"{parts - len(score.missing)}/{parts}"


def _made_of(column: GroupColumn) -> Text:
    """A note on the tasks and sets of a column's mean, and on those that no model was asked."""
    parts = [part.split("/") for part in column.parts]
    sets = by_key((task, set_name(benchmark_of(task), item_set)) for task, item_set in parts)
    zh, en = [], []
    for names, tasks in by_key((tuple(names), TASKS[task]) for task, names in sets.items()).items():
        zh.append(f"{'、'.join(task.zh for task in tasks)}（{'、'.join(name.zh for name in names)}）")
        en.append(f"{', '.join(task.short for task in tasks)} ({', '.join(name.en for name in names)})")
    if column.absent:
        absent = [_part_name(part) for part in column.absent]
        zh.append(f"尚未提问：{'、'.join(name.zh for name in absent)}")
        en.append(f"not asked: {', '.join(name.en for name in absent)}")
    return Text(f"{column.zh}：{'；'.join(zh)}", f"{column.en}: {'; '.join(en)}")


def _part_name(part: str) -> Text:
    """The name of a task, or of one of its sets, "task/set"."""
    task, _, item_set = part.partition("/")
    if not item_set:
        return task_heading(TASKS[task])
    name = set_name(benchmark_of(task), item_set)
    return Text(f"{TASKS[task].zh}（{name.zh}）", f"{TASKS[task].short} ({name.en})")


def _changes(group: BenchmarkGroup, title: Text) -> Sheet | None:
    """A row per model and perturbation, a column per benchmark."""
    changes = [change for row in group.rows for change in row.changes]
    benchmarks = [b for b in BENCHMARKS if any(change.benchmark == b for change in changes)]
    if not benchmarks:
        return None
    rows = []
    for label, row in _labelled(group.rows):
        for perturb in dict.fromkeys(change.perturb for change in row.changes):
            by_benchmark = {c.benchmark: c for c in row.changes if c.perturb == perturb}
            values = (_change_value(by_benchmark[b]) if b in by_benchmark else Value(None) for b in benchmarks)
            rows.append(Row((label, perturb_name(perturb), *values), about={**_about(row), "perturb": perturb}))
    heads = (Column(BENCHMARKS[b].title, kind="percent", signed=True, better="more") for b in benchmarks)
    return Sheet(
        "overview",
        Text(f"{title.zh}：扰动前后的变化", f"{title.en}: change under perturbation"),
        (Column(Text("模型", "model")), Column(Text("扰动", "perturbation"), key=True), *heads),
        tuple(rows),
        about={"split": group.split},
    )


def _change_value(change: GroupChange) -> Value:
    flags = (_incomplete(change, len(change.parts) + len(change.missing)),) if change.missing else ()
    return Value(change.value, change.low, change.high, flags=flags)


def _labelled(rows: Sequence[GroupRow]) -> list[tuple[str, GroupRow]]:
    """Each row with its label: the model, and the parts of the way in which rows differ."""
    varying = [name for name in WAY if len({getattr(row, name) for row in rows}) > 1]

    def label(row: GroupRow) -> str:
        way = row.coordinates()
        return " ".join([row.model, *(f"{way[n]}-shot" if n == "shots" else str(way[n]) for n in varying)])

    return [(label(row), row) for row in rows]


def _about(row: GroupRow) -> About:
    return dict(row.without("split", "perturb"))


ANALYSIS = Analysis(
    "overview",
    sheets,
    list[BenchmarkGroup],
    compute,
    named="groups",
    help="A row per model over the benchmarks of a group.",
    estimates=True,
    at_end=True,
    drawn=True,
    narrow=narrowed_groups,
)
