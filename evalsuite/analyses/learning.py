"""Learning curves of fine-tuned adapters: score by number of training items, and a check for label shortcuts.

A cell of an adapter has `facts.trained`; a run may hold several sweeps.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from statistics import mean
from typing import Literal

from pydantic import Field

from evalsuite.analyses.item_mean import value_or_dash
from evalsuite.analyses.robustness import PositionCounts, all_positions, fraction, total_variation
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.grouping import by_key
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value
from evalsuite.perturb import PERTURBATIONS
from evalsuite.perturb.choice import STYLES
from evalsuite.results.analysis import Analysis, Results, ScoredRun
from evalsuite.results.schema.base import Count, IntervalFields, PlaceFilter, Rows, Share, SharedPlaceFields, Strict
from evalsuite.results.schema.cell import AdapterTraining, CellResult
from evalsuite.results.words import task_and_set, with_notes
from evalsuite.types import Place


class UntunedScore(IntervalFields):
    """The score of the base model, before fine-tuning."""

    items: Count


class Seed(IntervalFields):
    """One adapter, by the seed of its training."""

    seed: int
    model: str


class LabelCheck(Strict):
    """A check for label shortcuts. Counts by option position: answers in training, choices of the adapter, gold."""

    labels: Rows[str]
    trained: Rows[Count]
    chosen: Rows[Count]
    gold: Rows[Count]
    silent: Count
    distance: Share | None = Field(description="Total variation distance between chosen and training.")
    bias: Share | None = Field(description="Total variation distance between chosen and gold.")
    most: Count = Field(description="The position of the most frequent label in training.")
    share: Share | None = Field(description="Share of the choices at that position.")
    gold_share: Share | None


class CurvePoint(IntervalFields):
    """The adapters that were trained on one number of items."""

    size: Count = Field(description="Training items.")
    interval: Literal["seeds", "items"] = Field(description="Lowest and highest seed, or the cell's own interval.")
    items: Count = Field(description="Test items; those of the first seed, if replies failed.")
    seeds: Rows[Seed]
    labels: LabelCheck | None


class Curve(SharedPlaceFields):
    """A learning curve: one base model, one pool of training items, one place, the same settings of training and test items."""

    base: str
    trained_on: str
    allow_leak: bool | None
    metric: str
    before: UntunedScore | None
    chance: Share | None
    points: Rows[CurvePoint]

    def concerns(self, chosen: PlaceFilter) -> bool:
        """Whether the curve is about chosen cells only, and its base model is chosen."""
        return super().concerns(chosen) and self.base in chosen.get("model", (self.base,))


def compute(run: ScoredRun) -> list[Curve]:
    return learning(run.results, all_positions(run.outcomes))


def learning(cells: Sequence[CellResult], positions: Sequence[PositionCounts] = ()) -> list[Curve]:
    """A curve for each base model, training pool, settings of training, number of test requests and place."""
    by_place = {cell.place: cell for cell in cells}
    positions_at = {row.place: row for row in positions}
    # (place of the base model, name of the pool, whether leaks are allowed) -> settings -> cells of adapters
    groups: dict[tuple[Place, str, bool], dict[str, list[tuple[CellResult, AdapterTraining]]]] = {}
    for cell in cells:
        trained = cell.facts.trained
        if trained and cell.headline.value is not None:
            key = replace(cell.place, model=trained.base), _trained_on(trained, cell.task), trained.allow_leak
            settings = json.dumps({**trained.settings, "test requests": cell.items}, sort_keys=True)
            groups.setdefault(key, {}).setdefault(settings, []).append((cell, trained))
    rows = []
    curves = ((key, by_settings, each) for key, by_settings in groups.items() for each in by_settings)
    for (base, trained_on, allow_leak), by_settings, settings in curves:
        adapters = by_settings[settings]
        chances = [cell.chance for cell, _ in adapters if cell.chance is not None]
        rows.append(
            Curve(
                base=base.model,
                trained_on=trained_on + _distinct(settings, by_settings),
                allow_leak=allow_leak,
                **dict(base.without("model")),
                metric=TASKS[base.task].metrics[0],
                before=_untuned_score(by_place.get(base), [cell for cell, _ in adapters]),
                chance=chances[0] if chances else None,
                points=_points(adapters, positions_at),
            )
        )
    tasks, perturbations = list(TASKS), list(PERTURBATIONS)
    return sorted(rows, key=lambda r: (tasks.index(r.task), r.set, perturbations.index(r.perturb)))


def _trained_on(trained: AdapterTraining, task: str) -> str:
    """The name of a pool of training items: its set, its tasks if they differ from `task`, its groups."""
    tasks = [trained.task] if trained.task != task else []
    groups = ["only " + ",".join(trained.groups)] if trained.groups else []
    return " ".join((trained.set, *tasks, *groups))


def _distinct(settings: str, every: Iterable[str]) -> str:
    """The settings in which a curve differs from others of its base model, pool and place: " rank 64"; "" without others."""
    values, others = json.loads(settings), [json.loads(other) for other in every]
    names = sorted({name for other in others for name in other})
    differ = [name for name in names if any(other.get(name) != values.get(name) for other in others)]
    return "".join(f" {name} {values.get(name, 'default')}" for name in differ)


def _untuned_score(cell: CellResult | None, adapters: Iterable[CellResult]) -> UntunedScore | None:
    """The base model's figure; None if it has none, or none of the adapters was asked the same items."""
    if (
        cell is None
        or cell.headline.value is None
        or not any(cell.asked_items == other.asked_items for other in adapters)
    ):
        return None
    figure = cell.headline
    return UntunedScore(value=figure.value, low=figure.low, high=figure.high, items=figure.n)


def _points(
    cells: Sequence[tuple[CellResult, AdapterTraining]], positions_at: Mapping[Place, PositionCounts]
) -> list[CurvePoint]:
    """A point of the curve for each training size: the mean over the adapters of that size, one for each seed."""
    by_size = by_key((trained.size, (cell, trained)) for cell, trained in cells)
    points = []
    for size, adapters in sorted(by_size.items(), key=lambda entry: entry[0]):
        adapters.sort(key=lambda entry: (entry[1].seed, entry[0].model))
        figures = [cell.headline for cell, _ in adapters]
        seeds = [
            Seed(seed=trained.seed, model=cell.model, value=figure.value, low=figure.low, high=figure.high)
            for (cell, trained), figure in zip(adapters, figures, strict=True)
        ]
        values = [figure.value for figure in figures if figure.value is not None]
        several = len(seeds) > 1
        checks = [check for c, trained in adapters if (check := label_check(trained, positions_at.get(c.place)))]
        points.append(
            CurvePoint(
                size=size,
                value=mean(values),
                low=min(values) if several else seeds[0].low,
                high=max(values) if several else seeds[0].high,
                interval="seeds" if several else "items",
                items=figures[0].n,
                seeds=seeds,
                labels=_pooled(checks) if checks and len(checks) == len(adapters) else None,
            )
        )
    return points


# --- label shortcuts


def label_check(trained: AdapterTraining, positions: PositionCounts | None) -> LabelCheck | None:
    """Compare three distributions over option positions: training answers, the adapter's choices, gold.

    None for spans and texts. Labels are compared by position, since perturbed items have other labels; in training they are
    a, b, c, … or 0, 1, 2, … `distance` is the total variation distance between choices and training, `bias` that between
    choices and gold. If gold is distributed as in training, both are small: only shuffled items reveal a shortcut.
    """
    names = next((names for names in _NAMES if set(trained.labels) <= set(names)), ())
    if positions is None or not trained.labels or not names:
        return None
    counted = {names.index(name): n for name, n in trained.labels.items()}
    shown = len(positions.labels)
    count = max(shown, 1 + max(counted))
    zeros = [0] * (count - shown)
    counts, chosen, gold = [counted.get(n, 0) for n in range(count)], positions.chosen + zeros, positions.gold + zeros
    most = counts.index(max(counts))
    return LabelCheck(
        labels=positions.labels + [f"({names[n]})" for n in range(shown, count)],
        trained=counts,
        chosen=chosen,
        gold=gold,
        silent=positions.silent,
        distance=total_variation(chosen, counts),
        bias=total_variation(chosen, gold),
        most=most,
        share=fraction(chosen[most], chosen),
        gold_share=fraction(gold[most], gold),
    )


# The labels of options in training: a, b, … zz, or 0, 1, …
_NAMES = (STYLES["lower"](702), [str(n) for n in range(100)])


def _pooled(checks: Sequence[LabelCheck]) -> LabelCheck:
    """Pool the checks of several seeds: sum counts, average shares and distances."""
    labels = max((check.labels for check in checks), key=len)

    def summed(counts: Iterable[Sequence[int]]) -> list[int]:
        return [sum(column) for column in zip_longest(*counts, fillvalue=0)]

    def average(values: Iterable[float | None]) -> float | None:
        known = [value for value in values if value is not None]
        return mean(known) if known else None

    trained = summed(check.trained for check in checks)
    # Seeds draw other training items, so that each may have another most frequent label: shares are of the pooled one.
    most = trained.index(max(trained))

    def share_at_most(counts: Sequence[int]) -> float | None:
        return fraction(sum(counts[most : most + 1]), counts)  # 0 where a seed's items have fewer options

    return LabelCheck(
        labels=labels,
        trained=trained,
        chosen=summed(check.chosen for check in checks),
        gold=summed(check.gold for check in checks),
        silent=sum(check.silent for check in checks),
        most=most,
        distance=average(check.distance for check in checks),
        bias=average(check.bias for check in checks),
        share=average(share_at_most(check.chosen) for check in checks),
        gold_share=average(share_at_most(check.gold) for check in checks),
    )


# --- tables

_WAY = ("trained_on", "allow_leak", "split", "variant", "shots", "scoring")
_KINDS = ("shuffle", "both", "none")  # the label check is shown under the first of these perturbations that was run


def sheets(results: Results) -> Iterator[Sheet]:
    """A sheet for each base model, task and set: a row per training size, the base model first; a column per perturbation."""
    rows = results.of(ANALYSIS) or []
    intervals = {p.interval for row in rows for p in row.points}
    parts = []
    if "seeds" in intervals:
        parts.append(Text("各随机种子的平均与范围", "mean and range over seeds"))
    if "items" in intervals:
        parts.append(Text("以对话为单位的 95% 置信区间", "95 % interval over dialogues"))
    note = Text(
        "数字旁：" + "；单一种子为".join(x.zh for x in parts),
        "Beside each figure: " + "; with one seed ".join(x.en for x in parts),
    )
    yield from with_notes(_curves(rows), note)
    yield from _labels(rows)


def _varying(rows: Sequence[Curve]) -> list[str]:
    """The names of the fields of training and way in which the rows differ."""
    return [name for name in _WAY if len({getattr(row, name) for row in rows}) > 1]


def _curves(rows: Sequence[Curve]) -> Iterator[Sheet]:
    names = _varying(rows)
    groups = by_key(((row.base, row.task, row.set, *(f"{n} {getattr(row, n)}" for n in names)), row) for row in rows)
    for (base, *where), group in groups.items():
        columns = [Column(row.perturb, kind="percent", about={"perturb": row.perturb}) for row in group]
        lines = [
            Row((Text("0（基座）", "0 (base)"), *(value_or_dash(row.before) for row in group)), about={"model": base})
        ]
        for size in sorted({p.size for row in group for p in row.points}):
            by_curve = ([p for p in row.points if p.size == size] for row in group)
            lines.append(Row((str(size), *(value_or_dash(points[0] if points else None) for points in by_curve))))
        if any(row.chance is not None for row in group):
            lines.append(Row((Text("随机水平", "chance"), *(Value(row.chance) for row in group)), "apart"))
        about = dict(group[0].without("perturb"))
        heading = Column(Text("训练题数", "training items"), align="right")
        metric = f"{group[0].metric} %"
        title = Text(f"{base}，{' '.join(where)}：{metric}", f"{base} on {' '.join(where)}: {metric}")
        yield Sheet("curves", title, (heading, *columns), tuple(lines), about=about)


def _labels(rows: Sequence[Curve]) -> Iterator[Sheet]:
    """A sheet with a row per curve, at its largest size: the shares of the most frequent training label in training, answers and
    gold."""
    kinds = {row.perturb for row in rows}
    kind = next((name for name in _KINDS if name in kinds), None)
    names = _varying(rows)
    several = len({row.base for row in rows}) > 1
    lines = []
    for row in rows:
        last = row.points[-1]
        check = last.labels
        if row.perturb != kind or not check:
            continue
        most, task = check.most, TASKS[row.task]
        shares = (check.trained[most] / sum(check.trained), check.share, check.gold_share)
        figures = (Value(x) for x in (*shares, check.distance, check.bias))
        before = f"{row.base} " if several else ""
        way_words = "".join(f" {name} {getattr(row, name)}" for name in names)
        lines.append(Row((task_and_set(task, row.set, before, way_words), last.size, check.labels[most], *figures)))
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
            Column(Text("标号", "label"), align="right"),
            *(Column(heading, below, "percent") for heading, below in heads),
        )
        way = "as they are" if kind == "none" else str(kind)
        title = Text(
            f"标号捷径：占回答的 %，{'未扰动' if kind == 'none' else kind}", f"Label shortcut: % of answers, {way}"
        )
        yield Sheet("labels", title, columns, tuple(lines))


ANALYSIS = Analysis(
    "curves",
    sheets,
    list[Curve],
    compute,
    named="learning",
    help="Learning curves of adapters.",
    at_end=True,
    drawn=True,
)
