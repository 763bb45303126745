"""A finding, and the words that its sentences share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from evalsuite.analyses.findings.cells import FindingCell
from evalsuite.benchmarks.registry import TASKS, metric_rows
from evalsuite.common.numbers import fixed
from evalsuite.common.sheet import Text

NAMED = 3  # tasks named in one sentence
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


def percent(share: float, language: str) -> str:
    return fixed(100 * share, 1) + ("%" if language == "zh" else "\u00a0%")


def many(count: int, word: str) -> str:
    """ "1 item", "2 items"."""
    return f"{count} {word}{'s' if count != 1 else ''}"


def named(names: Sequence[str]) -> str:
    """ "a, b and c"."""
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def listed(names: Sequence[str], language: str) -> str:
    """The titles of tasks, the first few of many."""
    shown = [str(getattr(TASKS[name], language)) for name in names[:NAMED]]
    rest = len(names) - len(shown)
    if language == "zh":
        return "、".join(shown) + (f"等 {len(names)} 项" if rest else "")
    if rest:
        return f"{', '.join(shown)} and {rest} more"
    return named(shown)


def score(cell: FindingCell, language: str) -> str:
    """ "41.7 % (15–72, 12 items)": the headline, its interval and its items."""
    figure = cell.cell.headline
    percents = metric_rows()[cell.task.metrics[0]].percent
    between = []
    if figure.bounds:
        low, high = ((100 if percents else 1) * end for end in figure.bounds[1:])
        digits = 0 if percents else 2
        between = [f"{fixed(low, digits)}–{fixed(high, digits)}"]
    if language == "zh":
        within = "，".join([*between, f"{figure.n} 题"])
        return f"{value(cell, language)}（{within}）"
    within = ", ".join([*between, many(figure.n, "item")])
    return f"{value(cell, language)} ({within})"


def value(cell: FindingCell, language: str) -> str:
    """ "41.7 %"; of other metrics than accuracy with the metric's name."""
    metric = metric_rows()[cell.task.metrics[0]]
    shown = bare(cell, language)
    name = metric.zh if language == "zh" else metric.en or metric.zh
    return shown if cell.task.metrics[0] == "accuracy" else f"{shown} {name}"


def bare(cell: FindingCell, language: str) -> str:
    """ "41.7 %", for a second figure of the same metric."""
    metric = metric_rows()[cell.task.metrics[0]]
    return percent(cell.score, language) if metric.percent else fixed(cell.score, 2)
