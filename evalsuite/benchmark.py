"""What a benchmark and a task are. The rows stand in data/<benchmark>_tasks.py; `tasks` has them all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evalsuite.types import Item


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One of the suite's data sets. `sets` are what its results are told by: EASY and HARD, folds, dimensions."""

    name: str  # also the folder of its templates, and the beginning of its items' ids
    title: str
    language: str  # "zh" | "en": how replies are read, and which text metrics make sense
    sets: tuple[str, ...]  # in the paper's order; files may hold others (the sources of CEDAR)
    splits: tuple[str, ...]
    sets_zh: str  # what its sets are, in words
    sets_en: str
    rubric: str = ""  # by which judges score its short texts, if none is named; prompts/judge/<name>.j2
    averaged: bool = False  # whether the paper tells the mean over the sets, as of folds
    groups: tuple[str, ...] = ()  # what its items' `group` is, in the paper's order; files may hold others


@dataclass(frozen=True, slots=True)
class Task:
    """`kind` says how a reply is read: an option, several options, a span of the dialogue, or a short free text. Of a
    probe nothing is written or read: a model gives likelihoods."""

    name: str  # over all benchmarks
    short: str  # for narrow columns
    zh: str
    en: str
    kind: str  # "choice" | "choices" | "span" | "text" | "probe"
    file: str  # in the official layout, as the benchmark's module understands it
    folder: str
    metrics: tuple[str, ...]  # the first is the headline
    max_new_tokens: int
    benchmark: str = "corecode"
    # (item, template) -> the regular expression that constrained decoding holds a free text to
    pattern: Callable[[Item, str], str] | None = None

    @property
    def local(self) -> str:
        """The name within its benchmark: the folder of its templates (prompts/<benchmark>/<local>/) and part of its
        items' ids. Two benchmarks may ask for a subsequent event."""
        return self.name.removeprefix(f"{self.benchmark}_")

    @property
    def item_metrics(self) -> tuple[str, ...]:
        """The metrics that every single item has; items are paired by the first of them."""
        return _OF_ITEMS[self.kind]


# Score.values of an item, by its task's kind.
_OF_ITEMS = {
    "choice": ("accuracy",),
    "choices": ("set_accuracy", "answer_f1"),
    "span": ("f1", "em"),
    "text": ("f1", "em"),
    "probe": ("accuracy", "delta_nll"),
}
