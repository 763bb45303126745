"""A finding, and the words that findings have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from evalsuite.analyses.findings.cells import FindingCell
from evalsuite.benchmarks.registry import TASKS, metric_rows
from evalsuite.common.numbers import fixed
from evalsuite.common.sheet import Text

NAMED = 3  # the most tasks named in one sentence
_Topic = Literal["benchmarks", "best", "chance", "baselines", "levels", "obstacles"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence in both languages, its test, and the index of the page's cell that is its evidence."""

    about: _Topic
    zh: str
    en: str
    test_zh: str = ""  # "" for a sentence without a test
    test_en: str = ""
    cell: int | None = None

    @property
    def line(self) -> Text:
        """The sentence with its test, for a terminal."""
        if not self.test_en:
            return Text(self.zh, self.en)
        return Text(f"{self.zh}（{self.test_zh}）", f"{self.en} ({self.test_en})")


def percent(share: float) -> Text:
    """A share in percent: "41.7 %"."""
    shown = fixed(100 * share, 1)
    return Text(f"{shown}%", f"{shown}\u00a0%")


def many(count: int, word: str) -> str:
    """A count with its noun: "1 item", "2 items"."""
    return f"{count} {word}{'s' if count != 1 else ''}"


def span(numbers: Iterable[int]) -> str:
    """Numbers from the smallest to the largest: "20", "8–50"."""
    return "–".join(map(str, dict.fromkeys([min(every := [*numbers]), max(every)])))


def named(names: Sequence[str]) -> str:
    """Names in a sentence: "a, b and c"."""
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def listed(names: Sequence[str]) -> Text:
    """The titles of tasks; of more than NAMED, the first ones and the number of the rest."""
    shown = [TASKS[name] for name in names[:NAMED]]
    zh, en = "、".join(task.zh for task in shown), [task.en for task in shown]
    if more := len(names) - len(shown):
        return Text(f"{zh}等 {len(names)} 项", f"{', '.join(en)} and {more} more")
    return Text(zh, named(en))


def within(part: str, title: str) -> str:
    """Tasks and their benchmark: "Domain identification of CORECODE HARD". If the only task has the benchmark's title, the title
    is not repeated, also before a set: "Capitals europe"."""
    return title if title == part or title.startswith(f"{part} ") else f"{part} of {title}"


def score(cell: FindingCell) -> Text:
    """The headline of a cell, its interval and number of items: "41.7 % (15–72, 12 items)"."""
    figure, shown = cell.cell.headline, value(cell)
    zh, en = [f"{figure.n} 题"], [many(figure.n, "item")]
    if figure.bounds:
        factor, digits = (100, 0) if metric_rows()[cell.task.metrics[0]].percent else (1, 2)
        between = "–".join(fixed(factor * end, digits) for end in figure.bounds[1:])
        zh, en = [between, *zh], [between, *en]
    return Text(f"{shown.zh}（{'，'.join(zh)}）", f"{shown.en} ({', '.join(en)})")


def value(cell: FindingCell) -> Text:
    """The headline of a cell: "41.7 %"; with the metric's name if it is not accuracy: "41.7 % exact sets"."""
    shown = bare(cell)
    if cell.task.metrics[0] == "accuracy":
        return shown
    metric = metric_rows()[cell.task.metrics[0]]
    return Text(f"{shown.zh} {metric.zh}", f"{shown.en} {in_sentence(metric.en or metric.zh)}")


def in_sentence(name: str) -> str:
    """A metric's name within a sentence: an abbreviation keeps its capitals, a phrase loses its first one.

    >>> in_sentence("Exact sets"), in_sentence("Macro F1"), in_sentence("BLEU-2"), in_sentence("Sem-Sim")
    ('exact sets', 'macro F1', 'BLEU-2', 'Sem-Sim')
    """
    first, _, rest = name.partition(" ")
    return f"{name[0].lower()}{name[1:]}" if rest and first[1:].islower() else name


def bare(cell: FindingCell) -> Text:
    """The headline of a cell without the metric's name, for a second figure of the same metric: "41.7 %"."""
    if metric_rows()[cell.task.metrics[0]].percent:
        return percent(cell.score)
    number = fixed(cell.score, 2)
    return Text(number, number)
