"""What every benchmark's data folder can be asked for, and all of them together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from evalsuite.benchmarks.registry import BENCHMARKS, TASKS
from evalsuite.common.errors import ConfigError, DataError, unknown
from evalsuite.types import Benchmark, Item, Task


@dataclass(frozen=True, slots=True)
class File:
    """The items of one task, set and split; what was wrong in the lines left out; the hash of what they came from."""

    path: Path
    items: tuple[Item, ...]
    skipped: tuple[DataError, ...]
    sha256: str
    facts: dict[str, Any] = field(default_factory=dict)  # what a metric has to know beside the items


class Corpus(ABC):
    """One benchmark's data folder; each file is read once. `path` and `_load` are what a benchmark has to say."""

    benchmark: ClassVar[Benchmark]
    derived: ClassVar[tuple[str, ...]] = ()  # sets that are made of another benchmark's files

    def __init__(self, root: Path, *, skip_bad: bool = False) -> None:
        self.root, self._skip_bad = root, skip_bad
        self._files: dict[tuple[str, str, str], File] = {}

    @property
    def sets(self) -> tuple[str, ...]:
        return self.benchmark.sets

    @abstractmethod
    def path(self, task: Task, set: str, split: str) -> Path:
        """Where the items come from."""

    @abstractmethod
    def _load(self, task: Task, set: str, split: str) -> File: ...

    def has(self, task: Task, set: str, split: str) -> bool:
        return self.path(task, set, split).is_file()

    def file(self, task: Task, set: str, split: str) -> File:
        """The items. Raises DataError for what is broken or missing."""
        place = (task.name, set, split)
        if place not in self._files:
            self._files[place] = self._load(task, set, split)
        return self._files[place]

    def train(self, task: str, set: str) -> tuple[Item, ...]:
        """The training items, () if there are none."""
        return self.file(TASKS[task], set, "train").items if self.has(TASKS[task], set, "train") else ()

    def labelled(self, task: str, set: str) -> tuple[Item, ...]:
        """Items that are not tested on: the training split, or dev where there is none (as of one task of CORECODE)."""
        splits = [s for s in ("train", "dev") if s in self.benchmark.splits and self.has(TASKS[task], set, s)]
        return self.file(TASKS[task], set, splits[0]).items if splits else ()

    def files(self, split: str) -> list[tuple[Task, str]]:
        """(task, set) of all there is of that split, in the paper's order."""
        if split not in self.benchmark.splits:
            return []
        mine = [t for t in TASKS.values() if t.benchmark == self.benchmark.name]
        return [(t, s) for t in mine for s in self.sets if self.has(t, s, split)]


def folder_of(folder: Path, places: Iterable[str], is_it: Callable[[Path], bool], expected: str) -> Path:
    """The first of `folder`/`places` that holds a benchmark's data. Raises DataError that says what was expected."""
    if not folder.is_dir():
        raise DataError(
            "no such folder: give --data DIR or EVALSUITE_DATA, or fetch with `evalsuite data pull`", folder
        )
    for place in places:
        if is_it(folder / place):
            return folder / place
    raise DataError(expected, folder)


class Corpora:
    """The data of all benchmarks in one folder, or in subfolders of their names. Each is opened when it is asked for."""

    def __init__(self, folder: Path, *, skip_bad: bool = False) -> None:
        self.root, self._skip_bad = folder, skip_bad
        self._opened: dict[str, Corpus] = {}

    def __getitem__(self, benchmark: str) -> Corpus:
        """Raises DataError if the folder has nothing of it."""
        if benchmark not in self._opened:
            self._opened[benchmark] = open_corpus(benchmark, self.root, skip_bad=self._skip_bad)
        return self._opened[benchmark]

    def of(self, task: Task) -> Corpus:
        return self[task.benchmark]

    def path(self, task: Task, set: str, split: str) -> Path:
        return self.of(task).path(task, set, split)

    def has(self, task: Task, set: str, split: str) -> bool:
        return self.of(task).has(task, set, split)

    def file(self, task: Task, set: str, split: str) -> File:
        return self.of(task).file(task, set, split)

    def train(self, task: str, set: str) -> tuple[Item, ...]:
        return self.of(TASKS[task]).train(task, set)

    def labelled(self, task: str, set: str) -> tuple[Item, ...]:
        return self.of(TASKS[task]).labelled(task, set)


def data_name(task: Task, set: str, split: str) -> str:
    """What manifest.json calls the items of a place: of CORECODE the official file, of others, whose files hold several
    tasks and sets, the beginning of their ids."""
    if task.benchmark == "corecode":
        return f"{set}/{task.folder}/{split}/{task.file}.jsonl"
    return f"{task.benchmark}/{set}/{split}/{task.local}"


def open_corpus(benchmark: str, folder: Path, *, skip_bad: bool = False) -> Corpus:
    """A benchmark's data in `folder`. Raises DataError if there are none, ConfigError for an unknown benchmark."""
    from evalsuite.benchmarks.cedar import loader as cedar
    from evalsuite.benchmarks.cicero import loader as cicero
    from evalsuite.benchmarks.cider import loader as cider
    from evalsuite.benchmarks.corecode import loader as corecode
    from evalsuite.benchmarks.glucose import loader as glucose

    if benchmark not in BENCHMARKS:
        raise ConfigError(unknown("benchmark", benchmark, BENCHMARKS))
    kinds = (corecode.Corpus, cicero.Corpus, cider.Corpus, glucose.Corpus, cedar.Corpus)
    made = {kind.benchmark.name: kind for kind in kinds}
    return made[benchmark](folder, skip_bad=skip_bad)
