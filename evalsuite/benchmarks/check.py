"""Check a data folder: counts, repeated items, leakage between splits, and the rows of the paper's Table 1.

Nothing is repaired: leaving items out (`--drop-leaked`) is a setting of a run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from statistics import mean

from evalsuite.benchmarks.corpus import Corpus, File
from evalsuite.benchmarks.registry import BENCHMARKS, Corpora
from evalsuite.common.dialogue import asked_event, copied
from evalsuite.common.errors import DataError
from evalsuite.types import Item


@dataclass(frozen=True, slots=True)
class FileCount:
    """The counts of one file."""

    task: str
    set: str
    split: str
    items: int
    skipped: int  # broken lines, with --skip-bad
    dialogues: int
    repeats: int  # items that equal an earlier item of the file in dialogue, question and answer
    alternatives: int  # items that equal an earlier item in dialogue and question, with another answer


@dataclass(frozen=True, slots=True)
class Leak:
    """The overlap of two splits of a task, counted in the second (the test split)."""

    task: str
    set: str
    splits: tuple[str, str]
    dialogues: int  # those that are copies of dialogues of the first split (common/dialogue.py)
    equal: int  # of them word for word
    of: int  # dialogues of the second split
    items: int  # items with equal dialogue, event (or question) and answer


@dataclass(frozen=True, slots=True)
class Table1:
    """The rows of the paper's Table 1 that the files determine, over the dialogues that some file shows whole.

    "Tokens" are counted as characters, including speaker marks, which comes closest to the paper's figures.
    """

    set: str
    dialogues: int
    turns: tuple[float, float, float]  # max, min, mean per dialogue
    tokens: tuple[float, float, float]
    tokens_per_turn: float


@dataclass(frozen=True, slots=True)
class DataCheck:
    """The result of `check_data`."""

    counts: tuple[FileCount, ...]
    leaks: tuple[Leak, ...]
    table1: tuple[Table1, ...]
    between_sets: int  # dialogues that all sets of a benchmark share: EASY and HARD


def check_data(corpora: Corpora) -> DataCheck:
    """Check all files of every benchmark that the corpora hold.

    Raises DataError if they hold none, and for the first broken line unless the corpora skip broken lines.
    """
    present = []
    for name in BENCHMARKS:
        try:
            present.append(corpora[name])
        except DataError as error:
            missing = error
    if not present:
        raise missing
    checks = [_check(corpus) for corpus in present]
    return DataCheck(
        tuple(count for check in checks for count in check.counts),
        tuple(leak for check in checks for leak in check.leaks),
        tuple(table for check in checks for table in check.table1),
        sum(check.between_sets for check in checks),
    )


def _check(corpus: Corpus) -> DataCheck:
    counts, leaks = [], []
    for task in corpus.benchmark.tasks:
        for item_set in (name for name in corpus.sets if name not in corpus.derived):
            files = {
                s: corpus.file(task, item_set, s) for s in corpus.benchmark.splits if corpus.has(task, item_set, s)
            }
            for split, file in files.items():
                counts.append(_count(task.name, item_set, split, file))
            for one, other in combinations(files, 2):
                leaks.append(_leak(task.name, item_set, (one, other), files[one].items, files[other].items))
    whole = whole_dialogues(corpus)
    tables = tuple(table1(item_set, dialogues) for item_set, dialogues in whole.items() if dialogues)
    shared = set.intersection(*whole.values())
    return DataCheck(tuple(counts), tuple(leak for leak in leaks if leak.dialogues), tables, len(shared))


def whole_dialogues(corpus: Corpus) -> dict[str, set[tuple[str, ...]]]:
    """Set -> the dialogues that some file of the set shows whole."""
    return {
        item_set: {
            item.context
            for task in corpus.benchmark.tasks
            for split in corpus.benchmark.splits
            if task.whole and corpus.has(task, item_set, split)
            for item in corpus.file(task, item_set, split).items
        }
        for item_set in corpus.sets
    }


def _count(task: str, item_set: str, split: str, file: File) -> FileCount:
    asked = Counter((i.context, i.question) for i in file.items)
    answered = Counter((i.context, i.question, i.references) for i in file.items)
    repeats = sum(n - 1 for n in answered.values())
    return FileCount(
        task, item_set, split, len(file.items), len(file.skipped), len({i.context for i in file.items}), repeats,
        sum(n - 1 for n in asked.values()) - repeats,
    )  # fmt: skip


def _leak(task: str, item_set: str, splits: tuple[str, str], one: Iterable[Item], other: Iterable[Item]) -> Leak:
    seen, known = {i.context for i in one}, {_identity(i) for i in one}
    tested = {i.context for i in other}
    same = len({_identity(i) for i in other} & known)
    return Leak(task, item_set, splits, sum(copied(seen, [*tested])), len(tested & seen), len(tested), same)


def _identity(item: Item) -> tuple[tuple[str, ...], str, tuple[str, ...]]:
    return item.context, asked_event(item.question) or item.question, item.references


def table1(item_set: str, dialogues: set[tuple[str, ...]]) -> Table1:
    turns = [len(d) for d in dialogues]
    tokens = [sum(map(len, d)) for d in dialogues]
    return Table1(
        item_set, len(dialogues), (max(turns), min(turns), mean(turns)), (max(tokens), min(tokens), mean(tokens)),
        sum(tokens) / sum(turns),
    )  # fmt: skip
