"""Robustness: drops under perturbation, choices by option position, spread over prompt wordings and shots (docs/robustness.md).

A perturbed item keeps the id of its original, so that cells are compared item by item, over the items answered in both.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from random import Random
from statistics import fmean
from typing import Any

from pydantic import Field

from evalsuite.benchmarks.registry import TASKS, set_order, task_order
from evalsuite.common.grouping import by_key
from evalsuite.common.numbers import fixed
from evalsuite.common.sheet import Column, Row, Sheet, Text, Value
from evalsuite.perturb import PERTURBATIONS, Perturbation, perturbation_of
from evalsuite.results.analysis import Analysis, Results, ScoredCell, ScoredRun
from evalsuite.results.outcomes import FLIP, CellOutcomes, Outcome, item_values
from evalsuite.results.schema.base import (
    CellFields,
    Count,
    Located,
    ModelName,
    Number,
    Perturb,
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
from evalsuite.results.words import (
    FAMILY,
    LEAST_P_HOLM,
    family_size,
    perturb_column,
    task_and_set,
    titled,
    too_few,
    with_notes,
)
from evalsuite.types import Coordinates


class PerturbationEffect(CellFields):
    """A perturbed cell compared with its unperturbed one, over the items answered in both."""

    metric: str
    items: Count
    dialogues: Count
    base: float = Field(description="The metric without perturbation.")
    value: float
    # An older name of `change`, which files keep.
    drop: float = Field(description="value less base: negative where it got worse.")
    low: Number
    high: Number
    test: str = Field(description="The test that p comes from.")
    p: Share
    differ: Count | None = Field(
        default=None, description="Dialogues whose scores differ: with fewer than 6, p cannot be below 0.05."
    )
    least_p: Share | None = Field(default=None, description="The smallest p that so few dialogues can give.")
    p_holm: Share = Field(description="p, corrected by Holm over the model's rows.")
    least_p_holm: Share | None = Field(default=None, description=LEAST_P_HOLM)
    family: Count | None = Field(default=None, description=FAMILY)
    flip_rate: Share
    right_to_wrong: Count = Field(description="Items that lose half a point or more; of samples, in their mean.")
    wrong_to_right: Count = Field(description="Items that gain half a point or more.")
    same_choice: Share | None = Field(default=None, description="How often the same option was chosen.")
    parsed_in_both: Count | None = None
    consistency: Share | None = Field(default=None, description="How often all rotations got the same option.")

    @property
    def change(self) -> float:
        """value less base: negative where the perturbation lowers the score."""
        return self.drop


class PositionCounts(CellFields):
    """Counts by option position: gold, right choices, all choices."""

    labels: Rows[str]
    gold: Rows[Count]
    right: Rows[Count]
    chosen: Rows[Count]
    silent: Count = Field(
        description="Replies without an answer that counts: several options where one is right are none."
    )
    bias: Share | None = Field(description="Total variation distance between chosen and gold positions.")


class Wordings(Located):
    """One task in several wordings."""

    model: ModelName
    task: TaskName
    set: Set
    split: Split
    shots: ShotCount
    scoring: Scoring
    perturb: Perturb
    metric: str
    values: dict[str, float] = Field(description="Values by the template's name, over the items that all answered.")
    mean: float
    spread: float = Field(description="Best less worst.")
    worst: str


class ShotValues(Located):
    """One task with several numbers of shots."""

    model: ModelName
    task: TaskName
    set: Set
    split: Split
    variant: Variant
    scoring: Scoring
    perturb: Perturb
    metric: str
    values: dict[str, float] = Field(description="Values by number of shots, over the items that all answered.")


class Robustness(Strict):
    """Drops under perturbation, choices by option position, wordings, shots (docs/robustness.md)."""

    drops: Rows[PerturbationEffect]
    positions: Rows[PositionCounts]
    wordings: Rows[Wordings]
    shots: Rows[ShotValues]


def compute(run: ScoredRun) -> Robustness:
    """Drops, positions, wordings and shots of a run."""
    order = list(PERTURBATIONS)
    cells = sorted(run.outcomes, key=lambda c: order.index(c.place.perturb))
    return Robustness(
        drops=perturbation_effects(cells),
        positions=all_positions(cells),
        wordings=[_wordings(*group) for group in _groups_by(run.cells, "variant")],
        shots=[ShotValues(**dict(shared), values=values) for shared, values in _groups_by(run.cells, "shots")],
    )


# --- drops under perturbation


def perturbation_effects(cells: Sequence[CellOutcomes]) -> list[PerturbationEffect]:
    """A row for each perturbed cell that shares answered items with its unperturbed cell, of the same data file.

    p-values are corrected by Holm over the rows of a model, which are a family.
    """
    from evalsuite.metrics.statistics import within_families

    bases = {c.place.without("perturb"): c for c in cells if c.place.perturb == "none"}
    pairs = [(base, c) for c in cells if (base := bases.get(c.place.without("perturb"))) and c is not base]
    # Equal ids denote the same item only within the same data file.
    pairs = [(base, c) for base, c in pairs if base.cell.facts["data"] == c.cell.facts["data"]]
    sizes = Counter(c.place.model for _, c in pairs)
    rows = [row for base, c in pairs if (row := _effect(base, c, sizes[c.place.model]))]
    corrected = within_families([(row.model, row.p, row.least_p or 0.0) for row in rows])
    return [
        row.model_copy(update={"p_holm": adjusted.p, "least_p_holm": adjusted.least, "family": adjusted.family})
        for row, adjusted in zip(rows, corrected, strict=True)
    ]


def _effect(base: CellOutcomes, other: CellOutcomes, family: int) -> PerturbationEffect | None:
    """The row of a perturbed cell; None if no item was answered in both. `family`: the number of tests corrected together."""
    from evalsuite.metrics.statistics import paired_test

    change = perturbation_of(other.place.perturb, other.cell.facts.get("perturb_version"))
    # (item, sample) -> outcomes; several if the options were rotated
    perturbed = by_key(((outcome.item.id, outcome.sample), outcome) for outcome in other.outcomes)
    # An item with a failed rotation is left out, as the accuracy of its cell leaves it out.
    if change.several:
        whole = {o.item.id: change.count(o.item) for o in base.outcomes}
        perturbed = {name: outcomes for name, outcomes in perturbed.items() if len(outcomes) == whole.get(name[0])}
    names = [(plain.item.id, plain.sample) for plain in base.outcomes]
    pairs = [(plain, perturbed[name]) for plain, name in zip(base.outcomes, names, strict=True) if name in perturbed]
    if not pairs:
        return None
    # An item's samples are averaged: items weigh the same, however many of their samples were lost.
    items = by_key((plain.item.id, (plain, min(o.value for o in outcomes))) for plain, outcomes in pairs).values()
    before = [fmean(plain.value for plain, _ in samples) for samples in items]
    after = [fmean(value for _, value in samples) for samples in items]
    clusters = [samples[0][0].cluster for samples in items]
    place = other.place
    # The seed names no model: two models with the same replies get the same interval.
    purpose = f"robustness:{place.task}:{place.set}:{place.split}:{place.perturb}"
    binary = base.metric == "accuracy" and {*before, *after} <= {0.0, 1.0}
    test = paired_test(after, before, clusters, Random(purpose), family, binary)
    changes = [y - x for x, y in zip(before, after, strict=True)]
    return PerturbationEffect(
        **place.as_dict(),
        metric=base.metric,
        items=len(items),
        dialogues=test.clusters,
        base=math.fsum(before) / len(before),
        value=math.fsum(after) / len(after),
        drop=test.value,
        low=test.low,
        high=test.high,
        test=test.test,
        p=test.p,
        p_holm=test.p,
        differ=test.differ,
        least_p=test.least,
        flip_rate=sum(abs(x) >= FLIP for x in changes) / len(changes),
        right_to_wrong=sum(x <= -FLIP for x in changes),
        wrong_to_right=sum(x >= FLIP for x in changes),
        **(_choices(pairs, change, other.cell.facts["seed"]) if other.labels else {}),
    )


def _choices(pairs: Sequence[tuple[Outcome, list[Outcome]]], change: Perturbation, seed: int) -> dict[str, Any]:
    """The fields of `PerturbationEffect` on how often the same options were chosen, whatever their position and label."""
    same = []
    for plain, perturbed in pairs:
        options, orders = plain.item.options, change.orders(plain.item, seed)
        chosen = {frozenset(options[orders[o.rotation][n]] for n in o.chosen) for o in perturbed}
        if change.several:  # an item with an unanswered rotation is not consistent
            same.append(len(chosen) == 1 and all(chosen))
        elif plain.chosen and all(chosen):
            same.append(chosen == {frozenset(options[n] for n in plain.chosen)})
    share = sum(same) / len(same) if same else None
    return {"consistency": share} if change.several else {"same_choice": share, "parsed_in_both": len(same)}


# --- choices by position


def all_positions(cells: Iterable[CellOutcomes]) -> list[PositionCounts]:
    """The counts by position of every cell whose items list options. Probes are left out: their right option is always first."""
    return [positions(c) for c in cells if c.labels and TASKS[c.place.task].kind.written]


def positions(cell: CellOutcomes) -> PositionCounts:
    """Counts by option position: gold, right choices, all choices. Every rotation counts.

    `bias` is the total variation distance between the distributions of choices and gold: 0 if they are equal, 0.67 for a
    model that always answers (b) where gold is uniform over three options.
    """
    count = len(cell.labels)
    gold, right, chosen = [0] * count, [0] * count, [0] * count
    for o in cell.outcomes:
        for n in o.item.golds:
            gold[n] += 1
            right[n] += n in o.chosen
        for n in o.chosen:
            chosen[n] += 1
    return PositionCounts(
        **cell.place.as_dict(),
        labels=list(cell.labels),
        gold=gold,
        right=right,
        chosen=chosen,
        silent=sum(not o.chosen for o in cell.outcomes),
        bias=total_variation(chosen, gold),
    )


def total_variation(counts: Sequence[int], others: Sequence[int]) -> float | None:
    """The total variation distance between two distributions from their counts; None if one has no counts."""
    n, m = sum(counts), sum(others)
    return math.fsum(abs(a / n - b / m) for a, b in zip(counts, others, strict=True)) / 2 if n and m else None


def fraction(count: int, counts: Sequence[int]) -> float | None:
    """A count's share of the sum of `counts`; None for a sum of 0."""
    return count / sum(counts) if sum(counts) else None


# --- wordings and shots


def _groups_by(cells: Iterable[ScoredCell], name: str) -> Iterator[tuple[Coordinates, dict[str, float]]]:
    """Groups of two or more cells whose places differ in the part `name` alone: (the coordinates that they share, and the metric;
    the cells' values by that part)."""
    groups = by_key((cell.place.without(name), cell) for cell in cells if cell.result.headline.value is not None)
    for place, group in groups.items():
        values = _comparable_values(group) if len(group) > 1 else None
        if values:
            by_name = {getattr(cell.place, name): value for cell, value in zip(group, values, strict=True)}
            ordered = {str(key): by_name[key] for key in sorted(by_name)}
            yield (*place, ("metric", TASKS[dict(place)["task"]].metrics[0])), ordered


def _comparable_values(cells: Sequence[ScoredCell]) -> list[float] | None:
    """The headlines of cells that answered the same items. If requests failed, or a limit differs, the means over the items that
    all cells answered; None if there is no such item, or the headline is no mean over items."""
    items = [item_values(cell.outcomes) for cell in cells]
    if all(of_cell.keys() == items[0].keys() for of_cell in items):
        return [value for cell in cells if (value := cell.result.headline.value) is not None]
    common = set.intersection(*(set(of_cell) for of_cell in items))
    if not common or cells[0].outcomes.headline != cells[0].outcomes.metric:
        return None
    return [math.fsum(of_cell[item].value for item in common) / len(common) for of_cell in items]


def _wordings(shared: Coordinates, values: dict[str, float]) -> Wordings:
    worst = min(values, key=lambda name: values[name])
    mean = math.fsum(values.values()) / len(values)
    return Wordings(**dict(shared), values=values, mean=mean, spread=max(values.values()) - values[worst], worst=worst)


# --- tables

# A note where options are shuffled, which alone changes the score of a model that prefers a position.
_ORDERS = Text(
    "shuffle、both 使正确选项均匀分布在各位置：总选同一标号的模型因此变到随机水平，这是位置偏好所致，不是题目变难",
    "shuffle, both: gold stands evenly at all positions, so that a model that always says the same label moves to chance; such a "
    "change is its preference of a position, not harder items",
)
_SHUFFLED = {"shuffle", "both"}


def sheets(results: Results) -> Iterator[Sheet]:
    """A sheet per model: a row per task and set, a column per perturbation, with value, change and flip rate."""
    robustness = results.of(ANALYSIS)
    changed = robustness.drops if robustness else []
    models = by_key(((row.model, row.variant, f"{row.shots}-shot", row.scoring, row.split), row) for row in changed)
    plain = len({place[1:] for place in models}) == 1
    shuffled = any(row.perturb in _SHUFFLED for row in changed)
    notes = (_legend(changed), _ORDERS) if shuffled else (_legend(changed),)
    yield from with_notes(
        (_sheet(place[0] if plain else " ".join(place), rows) for place, rows in models.items()), *notes
    )


def _legend(effects: Sequence[PerturbationEffect]) -> Text:
    """The note below the sheets, with the number of rows that Holm's correction is over."""
    size = family_size(effect.family for effect in effects)
    zh, en = (f" {size} 行", f"{size} rows") if size else ("各行", "rows")
    return Text(
        f"未扰动：原题的得分；其后依次为扰动后的得分（%）、变化的百分点（* p < 0.05，按模型全部{zh}作 Holm 校正；?：有差异的对话太少，"
        "校正后的 p 不可能低于 0.05，无法判断）、f：结果翻转的题所占 %",
        f"base: not perturbed; then %, change in points (* p < 0.05, Holm over the model's {en}; ?: so few dialogues differ "
        "that this p cannot be below 0.05, too few to tell), f: % of items that flipped",
    )


def _sheet(label: str, rows: Sequence[PerturbationEffect]) -> Sheet:
    names = tuple(dict.fromkeys(row.perturb for row in rows))
    places: dict[tuple[str, str], dict[str, PerturbationEffect]] = {}
    for row in rows:
        places.setdefault((row.set, row.task), {})[row.perturb] = row
    lines = []
    for (item_set, task), by_name in sorted(places.items(), key=lambda x: (set_order(x[0][0]), task_order(x[0][1]))):
        base = common_base(by_name.values())
        cells = (_change(by_name.get(name), base == DIFFERING) for name in names)
        lines.append(Row((task_and_set(TASKS[task], item_set), base, *cells), about={"set": item_set, "task": task}))
    columns = [perturb_column(name, kind="percent", about={"perturb": name}) for name in names]
    base_column = Column(Text("未扰动", "base"), kind="percent", key=True, about={"perturb": "none"})
    about = dict(rows[0].without("task", "set", "perturb"))
    title = titled(label, "：扰动前后", ": under perturbation")
    return Sheet("robustness", title, (Column(""), base_column, *columns), tuple(lines), about=about)


DIFFERING = "≠"  # in place of a base, where rows have several


def common_base(rows: Iterable[PerturbationEffect]) -> float | str:
    """The score of one model on unperturbed items; DIFFERING if the perturbations share other items with it, so that rows have
    other bases, to the digit shown."""
    bases = {fixed(100 * row.base, 1): row.base for row in rows}
    return DIFFERING if len(bases) > 1 else next(iter(bases.values()))


def _change(row: PerturbationEffect | None, own_base: bool) -> Value:
    if row is None:
        return Value(None)
    sure = row.p_holm < 0.05
    value = f"{fixed(100 * row.base, 1)}→{fixed(100 * row.value, 1)}" if own_base else row.value
    few = too_few(row.least_p_holm, row.least_p, row.differ)
    change = f" {fixed(100 * row.change, 1, '+')}{'*' if sure else '?' if few else ' '}"
    return Value(value, asides=(change, f"f{100 * row.flip_rate:.0f}"), tone="strong" if sure else "")


ANALYSIS = Analysis(
    "robustness",
    sheets,
    Robustness,
    compute,
    help="Drops under perturbation, choices by position, wordings and shots.",
    at_end=True,
    drawn=True,
)
