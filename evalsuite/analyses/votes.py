"""Votes over several askings of each item: samples, wordings, orders of the options, rotations (docs/reliability.md).

A row for each group of askings of choices: by number k of askings, the majority vote (cons@k), right at least once (pass@k) and
right every time (pass^k), each averaged over all ways to draw k of the n askings. Items of which an asking failed are left out.
A vote over shuffled askings is ToMBench's official score (Chen et al. 2024).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from statistics import fmean
from typing import Literal

from pydantic import Field

from evalsuite.analyses.askings import Askings, askings_across, askings_within
from evalsuite.analyses.item_mean import MeanInterval, mean_interval
from evalsuite.analyses.value_columns import place_of
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.grouping import by_key
from evalsuite.common.sheet import Chart, Column, Row, Sheet, Text
from evalsuite.metrics.votes import curve, majority, right_always, right_once
from evalsuite.perturb import PERTURBATIONS
from evalsuite.perturb.choice import kept_order
from evalsuite.results.analysis import Analysis, Results, ScoredRun
from evalsuite.results.outcomes import CellOutcomes, Outcome
from evalsuite.results.schema.base import AskingsFields, Count, Rows, Share, Strict
from evalsuite.results.words import WAY, asked_words, task_and_set, with_notes

Voters = Literal["samples", "wordings", "orders", "rotations"]
NAMES = {
    "samples": Text("样本", "samples"),
    "wordings": Text("各种措辞", "wordings"),
    "orders": Text("选项顺序", "orders"),
    "rotations": Text("轮换", "rotations"),
}


class VotePoint(Strict):
    """The figures of k askings."""

    k: Count = Field(description="Askings of each item; of one with fewer rotations, all.")
    vote: MeanInterval = Field(description="cons@k: the right option has most votes; ties share the credit.")
    once: MeanInterval = Field(description="pass@k: at least one is right.")
    always: MeanInterval = Field(description="pass^k: all are right.")
    tied: Share = Field(description="How often the right option ties for first place.")


class Votes(AskingsFields):
    """Votes over several askings of one model's items."""

    over: Voters = Field(description="What differs between the askings.")
    askings: Rows[str] = Field(
        description="Names of the askings: numbers of samples or rotations, wordings, perturbations."
    )
    items: Count
    left_out: Count = Field(description="Items without a reply to each asking.")
    dialogues: Count
    points: Rows[VotePoint] = Field(description="Figures by number of askings.")


def compute(run: ScoredRun) -> list[Votes] | None:
    """A row for each group of two or more askings; None without any."""
    cells = [c for c in run.outcomes if (kind := TASKS[c.place.task].kind).options and kind.written]
    return [row for over, askings in _groups(cells) if (row := _votes(over, askings))] or None


def _groups(cells: Sequence[CellOutcomes]) -> Iterator[tuple[Voters, Askings]]:
    """All groups of askings: the samples and rotations of a cell, and cells that differ in one part of their place."""
    for cell in cells:
        yield "rotations" if PERTURBATIONS[cell.place.perturb].several else "samples", askings_within(cell)
    plain = [cell for cell in cells if not PERTURBATIONS[cell.place.perturb].several]
    reordered = [cell for cell in plain if reorders(cell.place.perturb)]
    yield from (("wordings", askings) for askings in askings_across("variant", plain, _of_first_sample))
    yield from (("orders", askings) for askings in askings_across("perturb", reordered, _of_first_sample))


def _of_first_sample(cell: CellOutcomes) -> dict[str, Outcome]:
    """Item's id -> its outcome in the first sample."""
    return {outcome.item.id: outcome for outcome in cell.outcomes if outcome.sample == 0}


def reorders(perturb: str) -> bool:
    """Whether a perturbation changes nothing but the order and the labels of the options."""
    row = PERTURBATIONS[perturb]
    return perturb == "none" or (row.same and row.orders is not kept_order)


def _votes(over: Voters, askings: Askings) -> Votes | None:
    """The row of a group of askings; None if no item was asked more than once and answered every time."""
    outcomes = askings.whole
    if not outcomes:
        return None
    dialogues = [each[0].cluster for each in outcomes.values()]
    most = max(map(len, outcomes.values()))
    return Votes(
        **askings.shared_place,
        over=over,
        askings=list(askings.outcomes),
        items=len(outcomes),
        left_out=len(askings.by_item) - len(outcomes),
        dialogues=len({*dialogues}),
        points=[_point([*outcomes.values()], dialogues, k, over) for k in curve(most)],
    )


def _point(items: Sequence[Sequence[Outcome]], dialogues: Sequence[int], k: int, over: Voters) -> VotePoint:
    """The figures of k askings. items: the outcomes of each item's askings. dialogues: (items,)."""
    votes, once, always, tied = [], [], [], []
    for askings in items:
        drawn = min(k, len(askings))  # an item with fewer options has fewer rotations
        right = sum(o.value >= 1 for o in askings)
        wrong = Counter(_vote_of(o, over) for o in askings if o.chosen and o.value < 1)
        vote = majority(len(askings), right, tuple(sorted(wrong.values())), drawn)
        votes.append(vote.credit)
        tied.append(vote.tied)
        once.append(right_once(len(askings), right, drawn))
        always.append(right_always(len(askings), right, drawn))
    return VotePoint(
        k=k,
        vote=mean_interval(votes, dialogues),
        once=mean_interval(once, dialogues),
        always=mean_interval(always, dialogues),
        tied=fmean(tied),
    )


def _vote_of(outcome: Outcome, over: Voters) -> Hashable:
    """The answer for which an asking votes: the texts of options where their order changes, else their indices."""
    if over in ("orders", "rotations"):
        return frozenset(outcome.item.options[n] for n in outcome.chosen)
    return frozenset(outcome.chosen)


# --- tables

_LEGEND = Text(
    "k：每题取 k 次提问，对全部取法求平均（精确）。多数：cons@k，得票最多的选项正确；并列第一的各得一份；无答案者不投票。一次：pass@k，至少一次"
    "正确（Chen 等 2021）。全部：pass^k，次次正确。并列 %：正确选项并列第一的比例。区间 95%，以对话为单位。",
    "k: askings of each item, averaged exactly over all draws of k. vote: cons@k, the right option has most "
    "votes; ties for first place share the credit, a reply without an answer has no vote. once: pass@k, at least "
    "one is right (Chen et al. 2021). always: pass^k, all are. tied: the right option ties for first place. 95 % "
    "intervals by dialogues.",
)


def sheets(results: Results) -> Iterator[Sheet]:
    """A sheet for each kind of voters (samples, wordings …) and way, with a row for each model, task and number of votes."""
    rows: Iterable[Votes] = sorted(
        results.of(ANALYSIS) or (), key=lambda row: ([*NAMES].index(row.over), row.split, row.way)
    )
    groups = by_key(((row.over, row.split, row.way), row) for row in rows)
    yield from with_notes((_sheet(over, group) for (over, *_), group in groups.items()), _LEGEND)


def _sheet(over: Voters, rows: Sequence[Votes]) -> Sheet:
    columns = (
        Column(Text("模型", "model")),
        Column(Text("任务", "task"), key=True),
        Column("n", kind="count"),
        Column("k", kind="count", key=True),
        Column(Text("多数", "vote"), "%", "percent", better="more"),
        Column(Text("一次", "once"), "%", "percent", better="more"),
        Column(Text("全部", "always"), "%", "percent", better="more"),
        Column(Text("并列", "tied"), "%", "percent"),
    )
    lines = []
    for row in rows:
        about = place_of(row)
        for point in row.points:
            figures = (point.vote.as_value, point.once.as_value, point.always.as_value, point.tied)
            lines.append(
                Row((row.model, task_and_set(TASKS[row.task], row.set), row.items, point.k, *figures), about=about)
            )
    name, first = NAMES[over], rows[0]
    asked = asked_words(first.coordinates())
    title = Text(f"投票：{name.zh}，{asked}", f"Votes over {name.en}: {first.split} {first.way}")
    chart = Chart("lines", across=3, up=(4, 5, 6), pick=("model", "task", "set"))
    return Sheet("votes", title, columns, tuple(lines), chart=chart, compares=WAY)


ANALYSIS = Analysis(
    "votes",
    sheets,
    list[Votes],
    compute,
    help="Votes over samples, wordings, orders and rotations: cons@k, pass@k, pass^k.",
)
