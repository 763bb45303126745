"""Confusion matrices over the names that a task has as its options: CORECODE's domains and slots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Annotated

from pydantic import Field

from evalsuite.benchmarks.registry import TASKS, benchmark_of
from evalsuite.common.grouping import by_key
from evalsuite.common.sheet import Chart, Column, Row, Sheet, Text
from evalsuite.results.analysis import Analysis, Results, ScoredRun
from evalsuite.results.outcomes import CellOutcomes
from evalsuite.results.schema.base import CellFields, Count, Rows, Strict
from evalsuite.results.words import place_words, with_notes

MOST = 5  # the most confusions shown of a model
_NOTHING = Text("没有可用的答案", "no answer that counts")


class Offer(Strict):
    """A set of options, and the replies to the items that offer it."""

    options: Rows[Count] = Field(description="Indices into names.")
    gold: Rows[Annotated[Rows[Count], Field(min_length=2, max_length=2)]] = Field(
        description="[right name, replies] of the items with these options."
    )


class Confusion(CellFields):
    """A confusion matrix over names of the ontology; every rotation counts as a reply."""

    names: Rows[Annotated[Rows[str], Field(min_length=2, max_length=2)]] = Field(description="[Chinese, English]")
    pairs: Rows[Annotated[Rows[Count], Field(min_length=3, max_length=3)]] = Field(
        description="[right name, chosen name, replies]; names by their index."
    )
    silent: Rows[Annotated[Rows[Count], Field(min_length=2, max_length=2)]] = Field(
        description="[right name, replies without an answer that counts: several options are none]"
    )
    offers: Rows[Offer]


def compute(run: ScoredRun) -> list[Confusion]:
    return [row for cell in run.outcomes if (row := confusion(cell))]


def confusion(cell: CellOutcomes) -> Confusion | None:
    """Count how often each name was chosen where another is right; None for tasks whose options are no names.

    Names come in the ontology's order, then options that it lacks. The sets of options are counted, since a name can only be
    chosen where it is an option.
    """
    known = TASKS[cell.place.task].option_names
    if known is None or not cell.outcomes:
        return None
    offers: dict[tuple[str, ...], Counter[str]] = {}
    chosen: Counter[tuple[str, str]] = Counter()
    silent: Counter[str] = Counter()
    for outcome in cell.outcomes:
        names = known.of(outcome.item.options)
        gold = names[outcome.item.golds[0]]
        offers.setdefault(tuple(sorted(set(names))), Counter())[gold] += 1
        if outcome.answer.choice is None:
            silent[gold] += 1
        else:
            chosen[gold, names[outcome.answer.choice]] += 1
    english = known.english()
    order = {name: n for n, name in enumerate(english)}
    every = sorted({name for names in offers for name in names}, key=lambda x: (order.get(x, len(order)), x))
    index = {name: n for n, name in enumerate(every)}
    return Confusion(
        **cell.place.as_dict(),
        names=[[name, english.get(name, name)] for name in every],
        pairs=sorted([index[gold], index[name], count] for (gold, name), count in chosen.items()),
        silent=sorted([index[gold], count] for gold, count in silent.items()),
        offers=[
            Offer(options=sorted(index[x] for x in names), gold=sorted([index[g], n] for g, n in counts.items()))
            for names, counts in sorted(offers.items())
        ],
    )


# --- tables


def sheets(results: Results) -> Iterator[Sheet]:
    """A sheet for each task, set and way of asking: the MOST frequent confusions of each model."""
    note = Text(
        "共：正确答案为该名称、且选项中有另一名称的题的回复；其中 % 误选为另一名称",
        "of: replies to items with that right answer which offered the other name; taken for it in % of them",
    )
    yield from with_notes(_confusions(results.of(ANALYSIS) or ()), note)


def _confusions(rows: Iterable[Confusion]) -> Iterator[Sheet]:
    groups = by_key((entry.without("model"), entry) for entry in rows)
    for place, group in groups.items():
        about = dict(place)
        lines = []
        for entry in group:
            who = {"model": entry.model}
            lines.append(Row((entry.model, None, None, None, None), "group", who))
            names = [Text(zh, en) for zh, en in entry.names]
            for gold, other, count, offered in confusions(entry)[:MOST]:
                lines.append(Row((names[gold], names[other], count, offered, count / offered), about=who))
            if silent := sum(count for _, count in entry.silent):
                asked = sum(n for offer in entry.offers for _, n in offer.gold)
                lines.append(Row((_NOTHING, None, silent, asked, None), about=who))
        columns = (
            Column(Text("模型，正确答案", "model, right")),
            Column(Text("误选为", "taken for")),
            Column(Text("次数", "times"), kind="count"),
            Column(Text("共", "of"), kind="count"),
            Column("%", kind="percent", digits=0),
        )
        task, where = TASKS[about["task"]], place_words(about, benchmark_of(about["task"]))
        title = Text(f"{task.zh}，{where.zh}：常见混淆", f"{task.short} {where.en}: taken for another")
        yield Sheet("confusions", title, columns, tuple(lines), about=about)


def confusions(entry: Confusion) -> list[tuple[int, int, int, int]]:
    """(right name, chosen name, times, times offered) of each confusion, the most frequent first; names by their index."""
    offered = _offered(entry)
    rows = [(gold, name, count, offered[gold, name]) for gold, name, count in entry.pairs if gold != name]
    return sorted(rows, key=lambda row: (-row[2], row[0], row[1]))


def _offered(entry: Confusion) -> Counter[tuple[int, int]]:
    """(right name, name) -> number of replies to items with this right answer that offered the name."""
    offered: Counter[tuple[int, int]] = Counter()
    for offer in entry.offers:
        for gold, n in offer.gold:
            offered.update({(gold, name): n for name in offer.options})
    return offered


def matrices(results: Results) -> Iterator[Sheet]:
    """A sheet per cell: a block for each right name, a row for each name chosen there."""
    note = Text(
        "选为该名称的回复占列出了它的回复的 %；标题行：正确答案为该名称的回复数",
        "% of the replies that were offered the name and chose it; headings: replies where theirs is the right name",
    )
    yield from with_notes(map(_matrix, results.of(ANALYSIS) or ()), note)


def _matrix(entry: Confusion) -> Sheet:
    names = [Text(zh, en) for zh, en in entry.names]
    offered = _offered(entry)
    chosen = {(gold, name): n for gold, name, n in entry.pairs}
    silent = {gold: n for gold, n in entry.silent}
    rows = []
    for gold, offers in groupby(sorted(offered.items()), lambda offer: offer[0][0]):
        count = offered[gold, gold]  # every item offers its right name
        rows.append(Row((names[gold], None, count, None), "group"))
        for (_, name), of in offers:
            if name == gold or (gold, name) in chosen:
                times = chosen.get((gold, name), 0)
                rows.append(Row((names[name], times, of, times / of)))
        if gold in silent:
            rows.append(Row((_NOTHING, silent[gold], count, silent[gold] / count)))
    columns = (
        Column(Text("正确答案，所选", "right, chosen")),
        Column(Text("次数", "times"), kind="count"),
        Column(Text("共", "of"), kind="count"),
        Column("%", kind="percent", digits=0),
    )
    about = entry.coordinates()
    task, where = TASKS[entry.task], place_words(about, benchmark_of(entry.task))
    title = Text(
        f"混淆矩阵：{task.zh}，{entry.model}，{where.zh}", f"What gets mixed up: {task.short}, {entry.model} {where.en}"
    )
    chart = Chart("matrix", across=0, up=(3,), pick=("model", "task", "set"))
    return Sheet("confusion_matrix", title, columns, tuple(rows), about=about, chart=chart)


ANALYSIS = Analysis("confusions", sheets, list[Confusion], compute, help="Names taken for another.")
MATRICES: Analysis[None] = Analysis(
    "confusion_matrix", matrices, only_named=Text("每个单元格中每一对名称", "every pair of names in every cell")
)
