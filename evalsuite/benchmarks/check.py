"""Check a data folder: counts, repeated items, leakage between splits, the positions of right options, and the rows of the
paper's Table 1.

Nothing is repaired: leaving items out (`--drop-leaked`) is a setting of a run.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
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
    twins: int  # number of items with two options of the same text
    unclear: int  # number of twins whose right option is one of the two


@dataclass(frozen=True, slots=True)
class Leak:
    """The overlap of two splits of a task, counted in the second: of train and test in the test split."""

    task: str
    set: str
    splits: tuple[str, str]
    dialogues: int  # number of dialogues of the second split that copy one of the first (common/dialogue.py)
    equal: int  # number of `dialogues` that are copies word for word
    of: int  # total number of dialogues of the second split
    items: int  # number of items with equal dialogue, event (or question) and answer


@dataclass(frozen=True, slots=True)
class Prior:
    """The position and the length of right options as clues, over a file's items with one right option."""

    task: str
    set: str
    split: str
    positions: tuple[int, ...]  # counts of items whose right option is the first, the second …
    p: float  # chi-square test of `positions`; under the null each of an item's options is equally likely to be right
    longest: float  # accuracy of the longest option; of several equally long ones a random one counts
    chance: float  # accuracy of a random option


@dataclass(frozen=True, slots=True)
class Shared:
    """The test items of a task that stand in more than one set. (The training sets of folds overlap by design.)"""

    task: str
    sets: tuple[str, ...]  # the sets that have some
    items: int  # number of distinct items


@dataclass(frozen=True, slots=True)
class Table1:
    """The rows of the paper's Table 1 that the files determine, over the dialogues that some file shows whole.

    "Tokens" are characters, speaker marks included: these counts come closest to the paper's figures.
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
    between_sets: int  # number of dialogues that CORECODE's sets, EASY and HARD, share
    priors: tuple[Prior, ...]
    shared: tuple[Shared, ...]


def check_data(corpora: Corpora, names: Sequence[str] | None = None) -> DataCheck:
    """Check all files of the benchmarks in `names`, by default of every benchmark that the corpora have.

    Raises DataError if the corpora have none of them, if two folders have the same task, and for the first broken line unless
    the corpora skip these.
    """
    present: list[Corpus] = []
    for name in names or BENCHMARKS:
        try:
            present += corpora.all(name)
        except DataError as error:
            missing = error
    if not present and not names and missing.file.is_dir():
        raise DataError("no data of any benchmark here; `evalsuite data pull NAME` fetches one's", missing.file)
    if not present:
        raise missing
    counts: list[FileCount] = []
    leaks: list[Leak] = []
    priors: list[Prior | None] = []
    shared: list[Shared] = []
    for task, corpus in ((task, c) for c in present for task in c.benchmark.tasks if corpora.of(task) is c):
        tests: dict[str, File] = {}
        for item_set in (name for name in corpus.sets if name not in corpus.derived):
            files = {
                s: corpus.file(task, item_set, s) for s in corpus.benchmark.splits if corpus.has(task, item_set, s)
            }
            counts += [_count(task.name, item_set, split, file) for split, file in files.items()]
            leaks += [
                _leak(task.name, item_set, pair, *(files[s].items for s in pair)) for pair in combinations(files, 2)
            ]
            if task.kind.written:  # a probe's right option is always the first, so its positions say nothing
                priors += [_prior(task.name, item_set, split, file.items) for split, file in files.items()]
            if "test" in files:
                tests[item_set] = files["test"]
        shared.append(_shared(task.name, tests))
    # Dialogues that CORECODE's Table 1 counts.
    whole: dict[str, set[tuple[str, ...]]] = {}
    for corpus in present:
        if corpus.benchmark.name == "corecode":
            for item_set, dialogues in whole_dialogues(corpus).items():
                whole.setdefault(item_set, set()).update(dialogues)
    return DataCheck(
        tuple(counts),
        tuple(leak for leak in leaks if leak.dialogues),
        tuple(table1(item_set, dialogues) for item_set, dialogues in whole.items() if dialogues),
        len(set.intersection(*whole.values())) if whole else 0,
        tuple(prior for prior in priors if prior),
        tuple(row for row in shared if row.items),
    )


def whole_dialogues(corpus: Corpus) -> dict[str, set[tuple[str, ...]]]:
    """Set -> the dialogues that a file of the set shows complete (`Task.whole`)."""
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
    questions = Counter((i.context, i.question) for i in file.items)
    answers = Counter(((i.context, i.question), i.references) for i in file.items)
    repeats = sum(n - 1 for n in answers.values())
    twins = [i for i in file.items if len({*i.options}) < len(i.options)]
    return FileCount(
        task,
        item_set,
        split,
        len(file.items),
        len(file.skipped),
        len({i.context for i in file.items}),
        repeats,
        sum(n - 1 for n in questions.values()) - repeats,
        len(twins),
        sum(any(i.options.count(i.options[gold]) > 1 for gold in i.golds) for i in twins),
    )


def _prior(task: str, item_set: str, split: str, items: Sequence[Item]) -> Prior | None:
    """The clues of a file's items; None if no item has one right option."""
    single = [(i, i.golds[0]) for i in items if len(i.options) > 1 and len(i.golds) == 1]
    if not single:
        return None
    positions, sizes = Counter(gold for _, gold in single), Counter(len(i.options) for i, _ in single)
    expected = {
        position: sum(n / size for size, n in sizes.items() if size > position) for position in range(max(sizes))
    }
    return Prior(
        task,
        item_set,
        split,
        tuple(positions[position] for position in expected),
        chi_square_p(positions, expected),
        mean(_longest(item, gold) for item, gold in single),
        mean(1 / len(item.options) for item, _ in single),
    )


def _longest(item: Item, gold: int) -> float:
    lengths = [len(option) for option in item.options]
    return (lengths[gold] == max(lengths)) / lengths.count(max(lengths))


def chi_square_p(observed: Mapping[int, int], expected: Mapping[int, float]) -> float:
    """The p-value of Pearson's chi-square test; degrees of freedom are the number of categories less one.

    >>> round(chi_square_p({0: 38, 1: 26, 2: 20, 3: 16}, dict.fromkeys(range(4), 25)), 4)
    0.0115
    """
    x = sum((observed.get(category, 0) - n) ** 2 / n for category, n in expected.items()) / 2
    if not x:
        return 1.0
    degrees = len(expected) - 1
    # At whole and half numbers the incomplete gamma function is a finite sum, so scipy is not needed.
    first, tail = (0.5, math.erfc(math.sqrt(x))) if degrees % 2 else (0.0, 0.0)
    steps = (first + n for n in range(degrees // 2))
    return tail + sum(math.exp(a * math.log(x) - x - math.lgamma(a + 1)) for a in steps)


def _shared(task: str, files: Mapping[str, File]) -> Shared:
    by_set = {name: {((i.context, i.question), i.references) for i in file.items} for name, file in files.items()}
    sets_of = Counter(question for questions in by_set.values() for question in questions)
    shared = {question for question, n in sets_of.items() if n > 1}
    return Shared(task, tuple(name for name, questions in by_set.items() if questions & shared), len(shared))


def _leak(task: str, item_set: str, splits: tuple[str, str], first: Sequence[Item], second: Sequence[Item]) -> Leak:
    seen, tested = {i.context for i in first}, {i.context for i in second}
    same_items = {_identity(i) for i in first} & {_identity(i) for i in second}
    return Leak(task, item_set, splits, sum(copied(seen, [*tested])), len(tested & seen), len(tested), len(same_items))


def _identity(item: Item) -> tuple[tuple[str, ...], str, tuple[str, ...]]:
    return item.context, asked_event(item.question) or item.question, item.references


def table1(item_set: str, dialogues: set[tuple[str, ...]]) -> Table1:
    turns = [len(d) for d in dialogues]
    tokens = [sum(map(len, d)) for d in dialogues]
    return Table1(
        item_set,
        len(dialogues),
        (max(turns), min(turns), mean(turns)),
        (max(tokens), min(tokens), mean(tokens)),
        sum(tokens) / sum(turns),
    )
