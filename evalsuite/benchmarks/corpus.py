"""What a benchmark's data folder can be asked for. A benchmark's loader is a subclass of `Corpus`."""

from __future__ import annotations

import hashlib
import io
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from evalsuite.common.errors import DataError
from evalsuite.common.files import read_bytes
from evalsuite.common.jsonl import numbered_lines, parse_model
from evalsuite.types import Benchmark, Item, Task

if TYPE_CHECKING:
    from pydantic import BaseModel

    Model = TypeVar("Model", bound=BaseModel)

Row = TypeVar("Row")
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class File:
    """The items of one task, set and split; what was wrong in the lines left out; the hash of what they came from."""

    path: Path
    items: tuple[Item, ...]
    skipped: tuple[DataError, ...]
    sha256: str
    facts: Mapping[str, Any] = field(default_factory=dict)  # what a metric has to know beside the items


def collect(
    rows: Iterable[tuple[int, Row]], make: Callable[[int, Row], Made], skip_bad: bool
) -> tuple[tuple[Made, ...], tuple[DataError, ...]]:
    """`make` of each (line number, row). With `skip_bad`, rows for which it raises DataError are left out, and the errors
    are returned; else the first is raised."""
    made: list[Made] = []
    skipped: list[DataError] = []
    for line, row in rows:
        try:
            made.append(make(line, row))
        except DataError as error:
            if not skip_bad:
                raise
            skipped.append(error)
    return tuple(made), tuple(skipped)


def read_lines(
    path: Path, model: type[Model], make: Callable[[int, Model], Made], skip_bad: bool, missing: str = ""
) -> tuple[tuple[Made, ...], tuple[DataError, ...], str]:
    """`make` of each line of a JSONL file, checked by a pydantic model; the errors of lines left out; the file's SHA-256.

    `missing` is what the error says if there is no such file.
    """
    raw = read_bytes(path, missing)
    made, skipped = collect(
        numbered_lines(io.BytesIO(raw)), lambda line, text: make(line, parse_model(model, text, path, line)), skip_bad
    )
    return made, skipped, hashlib.sha256(raw).hexdigest()


class Corpus(ABC):
    """One benchmark's data folder. Each file is read once.

    A subclass says what its folder looks like (`expected`, `places`, `is_root`), where the items of a task, set and
    split are (`path`), and reads them (`load`).
    """

    expected = ""  # the files of the folder, for an error's message: "{v1,v2}/data/{train,val,test}.json"
    places: tuple[str, ...] = ()  # folders within the given one that may be the root; none: itself, and <name>/
    derived: tuple[str, ...] = ()  # sets that are made of another benchmark's files

    def __init__(self, benchmark: Benchmark, folder: Path, *, skip_bad: bool = False) -> None:
        """Raises DataError if the folder holds nothing of the benchmark. `skip_bad`: broken lines are left out."""
        self.benchmark, self.skip_bad = benchmark, skip_bad
        self.root = self.find_root(folder)
        self._files: dict[tuple[str, str, str], File] = {}

    def find_root(self, folder: Path) -> Path:
        """The root in `folder`. Raises DataError that says what was expected."""
        if not folder.is_dir():
            raise DataError(
                "no such folder: give --data DIR or EVALSUITE_DATA, or fetch with `evalsuite data pull`", folder
            )
        for place in self.places or ("", self.benchmark.name):
            if self.is_root(folder / place):
                return folder / place
        raise DataError(f"no {self.benchmark.title} data here: expected {self.expected}", folder)

    @abstractmethod
    def is_root(self, folder: Path) -> bool:
        """Whether the benchmark's files lie in this very folder."""

    @abstractmethod
    def path(self, task: Task, set: str, split: str) -> Path:
        """Where the items come from."""

    @abstractmethod
    def load(self, task: Task, set: str, split: str) -> File:
        """Read the items. Raises DataError with file, line and field for what is broken, unless `skip_bad`."""

    @property
    def sets(self) -> tuple[str, ...]:
        return self.benchmark.sets

    def has(self, task: Task, set: str, split: str) -> bool:
        return self.path(task, set, split).is_file()

    def file(self, task: Task, set: str, split: str) -> File:
        """The items. Raises DataError for what is broken or missing."""
        place = (task.name, set, split)
        if place not in self._files:
            self._files[place] = self.load(task, set, split)
        return self._files[place]

    def train(self, task: str, set: str) -> tuple[Item, ...]:
        """The training items of a task's name, () if there are none: also for a task of another benchmark."""
        return self._first(task, set, ("train",))

    def labelled(self, task: str, set: str) -> tuple[Item, ...]:
        """Items that are not tested on: the training split, or dev where there is none (as of one task of CORECODE)."""
        return self._first(task, set, ("train", "dev"))

    def _first(self, task: str, set: str, splits: tuple[str, ...]) -> tuple[Item, ...]:
        for t in self.benchmark.tasks:
            for split in splits:
                if t.name == task and split in self.benchmark.splits and self.has(t, set, split):
                    return self.file(t, set, split).items
        return ()

    def files(self, split: str) -> list[tuple[Task, str]]:
        """(task, set) of all there is of that split, in the paper's order."""
        if split not in self.benchmark.splits:
            return []
        return [(t, s) for t in self.benchmark.tasks for s in self.sets if self.has(t, s, split)]
