"""Scores by properties of the items: length, distance, options, right answers, group.

Bins have Wilson's 95 % interval at the effective sample size: the number of independent items that would have the variance
of the bin's dialogues (Dean & Pagano 2015). For large bins it is close to a bootstrap over dialogues; in a bin of three right
items a bootstrap would have an interval of width 0.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from pydantic import Field

from evalsuite.analyses.item_mean import ItemMean, item_mean
from evalsuite.benchmarks.registry import BENCHMARKS, TASKS, benchmark_of, metric_named
from evalsuite.common.dialogue import asked_event
from evalsuite.common.grouping import by_key
from evalsuite.common.sheet import About, Chart, Column, Row, Sheet, Text, Value
from evalsuite.perturb import PERTURBATIONS
from evalsuite.results.analysis import Analysis, Results, ScoredRun
from evalsuite.results.outcomes import CellOutcomes, ItemValue, item_values
from evalsuite.results.schema.base import CellFields, Count, Rows
from evalsuite.results.words import metric_heading, place_words, titled, with_notes
from evalsuite.types import Benchmark, Item

Ends = tuple[int | None, int | None]  # lowest and highest value, both inclusive; (26, None) has no upper end
UNKNOWN: Ends = (None, None)
# Narrow around 16 and 20 turns: four in five official dialogues have one of these lengths.
TURNS: tuple[Ends, ...] = ((1, 5), (6, 10), (11, 15), (16, 17), (18, 19), (20, 21), (22, 25), (26, None))
RIGHT: tuple[Ends, ...] = ((1, 1), (2, 2), (3, None))  # right answers, as in CICERO's Table 3
DISTANCES: tuple[Ends, ...] = ((0, 0), (1, 1), (2, 2), (3, 4), (5, 9), (10, None))


class Bin(ItemMean):
    """The items whose property has a value from low to high, both inclusive."""

    low: Count | None = Field(description="Lowest value; null, as is high, where the value is unknown.")
    high: Count | None = Field(description="Highest value; null: no upper end.")

    @property
    def column(self) -> Ends:
        return self.low, self.high


class GroupMean(ItemMean):
    """The items of one group: a relation category, inference type or dimension."""

    name: str
    zh: str | None = Field(default=None, description="Title in Chinese; absent: the name serves.")
    en: str | None = Field(default=None, description="Title in English.")

    @property
    def column(self) -> str:
        return self.name


class Breakdown(CellFields):
    """A cell's score by properties of its items."""

    metric: str
    turns: Rows[Bin] = Field(description="By turns of the dialogue.")
    distance: Rows[Bin] = Field(description="By turns from what the question is about to the answer.")
    options: Rows[Bin] | None = Field(default=None, description="By number of options; choices only.")
    answers: Rows[Bin] | None = Field(default=None, description="By number of right answers; tasks with several only.")
    groups: Rows[GroupMean] | None = Field(
        default=None, description="By group, in the paper's order, where there are several."
    )

    def by(self, name: str) -> Sequence[Bin | GroupMean]:
        """The bins, or groups, of one property."""
        return getattr(self, name) or ()


def compute(run: ScoredRun) -> list[Breakdown]:
    distances: dict[int, int | None] = {}  # id of an `Item` object, which the cells of all models share -> its distance
    return [row for cell in run.outcomes if (row := breakdown(cell, distances))]


def breakdown(cell: CellOutcomes, distances: dict[int, int | None]) -> Breakdown | None:
    """The cell's first metric by number of turns, turn distance, number of options, number of right answers (in tasks with
    several) and group; None if no item was answered.

    An item asked in every rotation counts once, and is right if all rotations are. `distances`: id of an `Item` object -> its
    distance, to which new ones are added.
    """
    items = list(item_values(cell).values())
    if not items:
        return None
    kind = TASKS[cell.place.task].kind

    for value in items:
        if id(value.first.item) not in distances:
            distances[id(value.first.item)] = distance(value.first.item)

    def by(bin_of: Callable[[Item], Ends]) -> list[Bin]:
        return _bins((bin_of(value.first.item), value) for value in items)

    return Breakdown(
        **cell.place.as_dict(),
        metric=cell.metric,
        turns=by(lambda item: _bin(len(item.dialogue) or None, TURNS)),
        distance=by(lambda item: _bin(distances[id(item)], DISTANCES)),
        options=by(lambda item: (len(item.options),) * 2) if cell.labels else None,
        answers=by(lambda item: _bin(len(item.golds), RIGHT)) if kind.several else None,
        groups=_groups(cell.place.task, items) if len({value.first.item.group for value in items}) > 1 else None,
    )


def _groups(task: str, items: Iterable[ItemValue]) -> list[GroupMean]:
    """The mean of each group: relation category, inference type, dimension."""
    groups = by_key(
        (name, (item.value, item.first.cluster))
        for item in items
        for name in filter(None, item.first.item.group.split("|"))  # an item may belong to no group, or to several
    )
    benchmark = benchmark_of(task)
    means = []
    for name in papers_order(groups, benchmark):
        zh, en = benchmark.group_names.get(name, (None, None))
        means.append(GroupMean(name=name, zh=zh, en=en, **dict(item_mean(groups[name]))))
    return means


def papers_order(groups: Iterable[str], benchmark: Benchmark) -> list[str]:
    """The groups in the order of the benchmark's paper, then those that it does not list, by name."""
    known = benchmark.groups
    return sorted(groups, key=lambda name: (known.index(name) if name in known else len(known), name))


_PHRASES = re.compile(r"短[语語]\s*1\s*[:：](.+?)\s短[语語]\s*2\s*[:：](.+)", re.DOTALL)
_MASK = "[MASK]"


def distance(item: Item) -> int | None:
    """The least number of turns between the text that the question is about and the answer; 0 if both are in one turn.

    The question is about the event in its quotation marks or about [MASK]; the answer is a reference text. If the question
    names two phrases and asks for their relation, it is the distance between the two. Both texts are searched verbatim.
    None if one of them is not found, as in most cases: annotators describe events in their own words.
    """
    if phrases := _PHRASES.search(item.question):
        subject, answers = phrases[1], [phrases[2]]
    else:
        subject = _MASK if _MASK in item.question else asked_event(item.question) or ""
        answers = list(item.references)
    starts = _turns_with(subject, item.dialogue)
    ends = [turn for answer in answers for turn in _turns_with(answer, item.dialogue)] if starts else []
    return min((abs(a - b) for a in starts for b in ends), default=None)


def _turns_with(text: str, dialogue: Sequence[str]) -> list[int]:
    """Indices of the turns that contain a text."""
    wanted = text.strip()
    # Most texts stand in no turn, which one search through the whole dialogue shows ten times as fast as one by turns.
    if not wanted or wanted not in "\n".join(dialogue):
        return []
    return [n for n, turn in enumerate(dialogue) if turn.find(wanted, 2) >= 0]  # 2: after the speaker mark "A:"


def _bin(value: int | None, bins: Sequence[Ends]) -> Ends:
    if value is None:
        return UNKNOWN
    return next(b for b in bins if b[1] is None or value <= b[1])


def _bins(values: Iterable[tuple[Ends, ItemValue]]) -> list[Bin]:
    """The bins that are not empty, in ascending order, the unknown one last."""
    bins = by_key((ends, (item.value, item.first.cluster)) for ends, item in values)
    return [
        Bin(low=low, high=high, **dict(item_mean(bins[low, high])))
        for low, high in sorted(bins, key=lambda b: (b == UNKNOWN, b[0] or 0))
    ]


# --- tables

_BY = {
    "turns": Text("按对话轮数", "by turns of the dialogue"),
    "distance": Text("按到答案的轮数", "by turns to the answer"),
    "options": Text("按选项数", "by number of options"),
    "answers": Text("按正确答案数", "by number of right answers"),
    "groups": Text("按类别", "by group"),
}
Heading = str | Ends  # the name of a group, or the ends of a bin


def sheets(results: Results) -> Iterator[Sheet]:
    """A sheet for each benchmark, set, way and property: a column per bin, a block of rows per task, a row per model. A task
    whose items are all in one bin is left out, as its only score is in the main results."""
    legend = Text(
        "指标为 %，其后为 95% 置信区间（Wilson，以对话为单位）；任务名旁：题数；?：无法判断",
        "metric in % and its 95 % interval (Wilson, dialogues as units); beside a task's name: items; ?: could not be told",
    )
    yield from with_notes(_breakdowns(results.of(ANALYSIS) or ()), legend)


def _breakdowns(rows: Iterable[Breakdown]) -> Iterator[Sheet]:
    groups = by_key(((benchmark_of(row.task).name, row.without("model", "task")), row) for row in rows)
    for (benchmark, place), group in groups.items():
        for by, words in _BY.items():
            if divided := _divided(group, by):
                about = dict(place)
                title = place_words(about, BENCHMARKS[benchmark])
                yield _breakdown(titled(title, f"：{words.zh}", f": {words.en}"), divided, by, about)


def _divided(entries: Sequence[Breakdown], by: str) -> list[Breakdown]:
    """The entries of tasks whose items are not all in one bin."""
    bins: dict[str, set[Heading]] = {}
    for entry in entries:
        bins.setdefault(entry.task, set()).update(b.column for b in entry.by(by))
    return [entry for entry in entries if len(bins[entry.task]) > 1]


def _headings(entries: Sequence[Breakdown], by: str) -> list[Heading]:
    """The columns: groups in the entries' order, other bins ascending, the unknown one last."""
    bins = list(dict.fromkeys(b.column for entry in entries for b in entry.by(by)))
    return sorted(bins, key=lambda b: (b == UNKNOWN, 0 if isinstance(b, str) else b[0] or 0))


def bin_name(low: int | None, high: int | None) -> str:
    """The heading of a bin.

    >>> bin_name(1, 5), bin_name(3, 3), bin_name(26, None), bin_name(None, None)
    ('1-5', '3', '26+', '?')
    """
    if low is None:
        return "?"
    return f"{low}+" if high is None else f"{low}" if low == high else f"{low}-{high}"


def _breakdown(title: Text, entries: Sequence[Breakdown], by: str, about: About) -> Sheet:
    rows, bins = [], _headings(entries, by)
    for task in TASKS.values():
        models = [entry for entry in entries if entry.task == task.name]
        if not models:
            continue
        figures = [{b.column: b for b in entry.by(by)} for entry in models]
        # Models may have different numbers of answered items: the block's n is the largest.
        counts = (max((f[b].n for f in figures if b in f), default=0) for b in bins)
        metric = metric_heading(metric_named(models[0].metric))
        name = Text(f"{task.zh} {metric.zh}", f"{task.short} {metric.en}")
        rows.append(Row((name, *(str(n) if n else None for n in counts)), "group"))
        for entry, by_bin in zip(models, figures, strict=True):
            place = {"model": entry.model, "task": task.name}
            rows.append(Row((entry.model, *(by_bin[b].as_value if b in by_bin else None for b in bins)), about=place))
    shown = {b.name: Text(b.zh, b.en or b.name) for e in entries for b in e.by(by) if isinstance(b, GroupMean) and b.zh}
    names = (shown.get(b, b) if isinstance(b, str) else bin_name(*b) for b in bins)
    columns = (Column(name, kind="percent", digits=0) for name in names)
    # Guesses of a set of options, or of the right one in every rotation, are right more seldom.
    guessable = all(TASKS[e.task].kind.single and not PERTURBATIONS[e.perturb].several for e in entries)
    if by == "options" and guessable:
        levels = (Value(1 / b[0]) if isinstance(b, tuple) and b[0] else None for b in bins)
        rows.append(Row((Text("随机水平", "chance"), *levels), "apart"))
    chart = Chart("lines", pick=("task", "set"), title=_BY[by], joined=by != "groups")
    return Sheet("breakdowns", title, (Column(""), *columns), tuple(rows), about=about, chart=chart)


ANALYSIS = Analysis(
    "breakdowns", sheets, list[Breakdown], compute, help="Scores by length, distance, options and group."
)
