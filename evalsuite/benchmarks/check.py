"""What a data folder holds, and what is odd about it: counts, the paper's Table 1 as far as it can be had, leakage.

Read-only: nothing is repaired. `--drop-leaked` and its like belong to a run, not to the data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from statistics import mean

from evalsuite.benchmarks.corpus import Corpus, File
from evalsuite.benchmarks.registry import BENCHMARKS, Corpora
from evalsuite.common.dialogue import asked_event
from evalsuite.common.errors import DataError
from evalsuite.types import Item


@dataclass(frozen=True, slots=True)
class FileCount:
    """One file."""

    task: str
    set: str
    split: str
    items: int
    skipped: int  # broken lines, left out with --skip-bad
    dialogues: int
    repeats: int  # items whose dialogue, question and answer an earlier item of the file has too
    alternatives: int  # items whose dialogue and question an earlier item has, with another answer


@dataclass(frozen=True, slots=True)
class Leak:
    """What two splits of a task share. Counted in the second split, the one that is tested on."""

    task: str
    set: str
    splits: tuple[str, str]
    dialogues: int
    of: int
    items: int  # dialogue, event (or question) and answer all the same


@dataclass(frozen=True, slots=True)
class Table1:
    """The rows of the paper's Table 1 that files can tell, over the dialogues that some file shows whole.

    The paper's "tokens" are characters, speaker marks among them: that count comes nearest on the public files.
    """

    set: str
    dialogues: int
    turns: tuple[int, int, float]  # max, min, mean a dialogue
    tokens: tuple[int, int, float]
    tokens_per_turn: float


@dataclass(frozen=True, slots=True)
class DataCheck:
    counts: tuple[FileCount, ...]
    leaks: tuple[Leak, ...]
    table1: tuple[Table1, ...]
    between_sets: int  # dialogues that all sets of a benchmark share: EASY and HARD


def check_data(corpora: Corpora) -> DataCheck:
    """Look through all files of every benchmark there is.

    Raises DataError at the first broken line unless the corpora skip those, and if there is no benchmark.
    """
    there = []
    for name in BENCHMARKS:
        try:
            there.append(corpora[name])
        except DataError as error:
            missing = error
    if not there:
        raise missing
    found = [_check(corpus) for corpus in there]
    return DataCheck(
        tuple(c for each in found for c in each.counts),
        tuple(leak for each in found for leak in each.leaks),
        tuple(t for each in found for t in each.table1),
        sum(each.between_sets for each in found),
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
    """Each set's dialogues that some file of it shows whole."""
    return {
        item_set: {
            item.dialogue
            for task in corpus.benchmark.tasks
            for split in corpus.benchmark.splits
            if task.whole and corpus.has(task, item_set, split)
            for item in corpus.file(task, item_set, split).items
        }
        for item_set in corpus.sets
    }


def _count(task: str, item_set: str, split: str, file: File) -> FileCount:
    asked = Counter((i.dialogue, i.question) for i in file.items)
    answered = Counter((i.dialogue, i.question, i.references) for i in file.items)
    repeats = sum(n - 1 for n in answered.values())
    return FileCount(
        task, item_set, split, len(file.items), len(file.skipped), len({i.dialogue for i in file.items}), repeats,
        sum(n - 1 for n in asked.values()) - repeats,
    )  # fmt: skip


def _leak(task: str, item_set: str, splits: tuple[str, str], one: Iterable[Item], other: Iterable[Item]) -> Leak:
    seen, known = {i.dialogue for i in one}, {_identity(i) for i in one}
    tested = {i.dialogue for i in other}
    same = len({_identity(i) for i in other} & known)
    return Leak(task, item_set, splits, len(tested & seen), len(tested), same)


def _identity(item: Item) -> tuple[tuple[str, ...], str, tuple[str, ...]]:
    return item.dialogue, asked_event(item.question) or item.question, item.references


def table1(item_set: str, dialogues: set[tuple[str, ...]]) -> Table1:
    turns = [len(d) for d in dialogues]
    tokens = [sum(map(len, d)) for d in dialogues]
    return Table1(
        item_set, len(dialogues), (max(turns), min(turns), mean(turns)), (max(tokens), min(tokens), mean(tokens)),
        sum(tokens) / sum(turns),
    )  # fmt: skip
