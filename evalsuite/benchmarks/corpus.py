"""The base class of a benchmark's loader, which reads its data folder into Items."""

from __future__ import annotations

import hashlib
import io
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from evalsuite.common.errors import DataError, unknown
from evalsuite.common.files import read_bytes
from evalsuite.common.jsonl import load_json, numbered_lines, parse_model
from evalsuite.types import Benchmark, Item, Task

if TYPE_CHECKING:
    from pydantic import BaseModel

    LineModel = TypeVar("LineModel", bound=BaseModel)

RawRow = TypeVar("RawRow")
Parsed = TypeVar("Parsed")
Kept = TypeVar("Kept")


@dataclass(frozen=True, slots=True)
class File:
    """The items of one task, set and split."""

    path: Path
    items: tuple[Item, ...]
    skipped: tuple[DataError, ...]  # the errors of the lines left out
    sha256: str  # the hash of the source files
    # Counts that metrics need besides the items, such as GLUCOSE's number of escaped rows.
    facts: Mapping[str, Any] = field(default_factory=dict)


def collect(
    rows: Iterable[tuple[int, RawRow]], parse: Callable[[int, RawRow], Parsed], skip_bad: bool
) -> tuple[tuple[Parsed, ...], tuple[DataError, ...]]:
    """(parsed rows, errors): `parse` applied to each (line number, row). With `skip_bad`, rows for which it raises DataError
    are left out and their errors returned; else the first error is raised."""
    parsed: list[Parsed] = []
    skipped: list[DataError] = []
    for line, row in rows:
        try:
            parsed.append(parse(line, row))
        except DataError as error:
            if not skip_bad:
                raise
            skipped.append(error)
    return tuple(parsed), tuple(skipped)


def read_lines(
    path: Path, model: type[LineModel], parse: Callable[[int, LineModel], Parsed], skip_bad: bool, missing: str = ""
) -> tuple[tuple[Parsed, ...], tuple[DataError, ...], str]:
    """(parsed lines, errors, SHA-256 of the file): `parse` applied to each line of a JSONL file as a pydantic `model`.

    For `skip_bad` see `collect`. `missing` is the message of the DataError if there is no such file.
    """
    raw = read_bytes(path, missing)
    lines = numbered_lines(io.BytesIO(raw))
    parsed, skipped = collect(lines, lambda line, text: parse(line, parse_model(model, text, path, line)), skip_bad)
    return parsed, skipped, hashlib.sha256(raw).hexdigest()


def parse_json(raw: bytes, path: Path) -> Any:
    """The value of a file that is one JSON text in UTF-8. Raises DataError if it is not."""
    try:
        return load_json(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise DataError(f"not UTF-8 at byte {error.start}", path) from None
    except (ValueError, RecursionError) as error:
        raise DataError(f"not JSON: {error}", path) from None


def parse_list(raw: bytes, path: Path) -> list[Any]:
    """The elements of a file that is one JSON list. Raises DataError if it is not."""
    rows = parse_json(raw, path)
    if not isinstance(rows, list):
        raise DataError(f"expected a list, found {type(rows).__name__}", path)
    return rows


class Corpus(ABC):
    """One benchmark's data folder. Each file is read once.

    A subclass defines the layout of its folder (`expected`, `subfolders`, `is_root`), the file of a task, set and split
    (`path`), and reads that file (`load`).
    """

    expected = ""  # the folder's files, for error messages: "{v1,v2}/data/{train,val,test}.json"
    subfolders: tuple[str, ...] = ()  # paths in a folder that may be the root; default: the folder itself and <name>/
    derived: tuple[str, ...] = ()  # sets that are made from another benchmark's files

    def __init__(self, benchmark: Benchmark, folder: Path, *, skip_bad: bool = False) -> None:
        """`skip_bad` leaves out broken lines. Raises DataError if the folder holds no data of the benchmark."""
        self.benchmark, self.skip_bad = benchmark, skip_bad
        self.root = self.find_root(folder)
        self._contents: dict[tuple[str, ...], Any] = {}

    def find_root(self, folder: Path) -> Path:
        """The root of the data in `folder`. Raises DataError, which names the expected files, if there is none."""
        if not folder.is_dir():
            raise DataError(
                "no such folder: give --data DIR or EVALSUITE_DATA, or fetch with `evalsuite data pull`", folder
            )
        for path in self.subfolders or ("", self.benchmark.name):
            if self.is_root(folder / path):
                return folder / path
        raise DataError(f"no {self.benchmark.title} data here: expected {self.expected}", folder)

    def once(self, key: tuple[str, ...], read: Callable[[], Kept]) -> Kept:
        """The result of `read`, which is called once for each key: several tasks may come from one file."""
        if key not in self._contents:
            self._contents[key] = read()
        content: Kept = self._contents[key]
        return content

    @abstractmethod
    def is_root(self, folder: Path) -> bool:
        """Whether `folder` itself is the root of the benchmark's files."""

    @abstractmethod
    def path(self, task: Task, set: str, split: str) -> Path:
        """The file of the items."""

    @abstractmethod
    def load(self, task: Task, set: str, split: str) -> File:
        """Read the items. Raises DataError with file, line and field for a broken line, unless `skip_bad`."""

    def reworded(self, task: Task, set: str, split: str, wording: str) -> File:
        """The items as a wording (template) asks them. Most wordings ask the items of `file`. A wording in other words or in
        another language has the same items, with the same ids, in another file, which is read on first use."""
        file = self.file(task, set, split)
        return self.once(
            (task.name, set, split, wording), lambda: self.load_reworded(task, set, split, wording) or file
        )

    def load_reworded(self, task: Task, set: str, split: str, wording: str) -> File | None:
        """Read the items in the form that a wording asks; None if it asks the usual items. Raises DataError as `load` does."""
        return None

    def given(self, task: Task, set: str, wording: str) -> Mapping[str, str]:
        """Variables of a wording's template besides the item's, such as a benchmark's ready-made examples. Raises DataError if
        their file is missing."""
        return {}

    @property
    def sets(self) -> tuple[str, ...]:
        """The sets of the data."""
        return self.benchmark.sets

    def has(self, task: Task, set: str, split: str) -> bool:
        """Whether the data have items of the task, set and split."""
        return split in self.benchmark.splits and self.path(task, set, split).is_file()

    def holds(self, task: Task) -> bool:
        """Whether the data have items of the task, in any set and split."""
        return any(self.has(task, name, split) for name in self.sets for split in self.benchmark.splits)

    def file(self, task: Task, set: str, split: str) -> File:
        """The items, read on first use. Raises DataError for an unknown set, a split that the benchmark lacks, and a broken
        or missing file."""
        if set not in self.sets:  # the name may be anyone's, and becomes a part of a path
            raise DataError(unknown("set", set, self.sets), self.root)
        if split not in self.benchmark.splits:
            raise DataError(f"{self.benchmark.title} has no {split} data", self.root)
        return self.once((task.name, set, split), lambda: self.load(task, set, split))

    def train(self, task: str, set: str) -> tuple[Item, ...]:
        """The training items of a task (by name); () if there are none or the task is another benchmark's."""
        return self._first(task, set, (self.benchmark.training,))

    def labelled(self, task: str, set: str) -> tuple[Item, ...]:
        """The training items of a task (by name), or its dev items if it has no training split (one task of CORECODE)."""
        return self._first(task, set, ("train", "dev"))

    def _first(self, task: str, set: str, splits: tuple[str, ...]) -> tuple[Item, ...]:
        """The items of the first of these splits that has some."""
        for known in self.benchmark.tasks:
            for split in splits:
                if known.name == task and split in self.benchmark.splits and self.has(known, set, split):
                    return self.file(known, set, split).items
        return ()

    def files(self, split: str) -> list[tuple[Task, str]]:
        """(task, set) of every file of the split, in the paper's order."""
        if split not in self.benchmark.splits:
            return []
        return [(t, s) for t in self.benchmark.tasks for s in self.sets if self.has(t, s, split)]
