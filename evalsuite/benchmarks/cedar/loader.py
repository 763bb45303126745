"""CEDAR (Zhou et al. 2021) as JSON lines, and its probes as Items. The format is ours, after sections 3 and 4 of the paper.

The official data could not be found, so <folder>/<split>.jsonl holds a dialogue a line:

    {"id": 0, "source": "sample", "history": ["A: …", "B: …"], "response": "A: …", "explanations": [
        {"dimension": "event", "antecedent": "…", "connective": "causes", "consequent": "…", "valid": true}, …]}

`source` is the data set of the dialogue (the paper: DailyDialog, EmpatheticDialogues, MuTual, SocialIQA) and the Items'
set. `valid`: all raters agree that it is relevant, not trivial and plausible. `language` is "en" where it is left out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from evalsuite.benchmarks import corpus
from evalsuite.benchmarks.cedar import chinese as cedar_chinese
from evalsuite.benchmarks.cedar.corruptions import CORRUPTIONS
from evalsuite.benchmarks.cedar.explanation import DIMENSIONS, NEGATED, Explanation, Instance
from evalsuite.benchmarks.cedar.tasks import CEDAR
from evalsuite.benchmarks.corecode import loader as corecode
from evalsuite.benchmarks.corpus import File, folder_of
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.errors import DataError
from evalsuite.common.jsonl import read
from evalsuite.types import Item, Task

WHY = {"en": "Why?", "zh": "为什么？"}
_CHINESE = "corecode-"


class Corpus(corpus.Corpus):
    """A folder that holds test.jsonl (and train.jsonl, dev.jsonl), or a parent of one; where CORECODE is there, too, the
    sets corecode-easy and corecode-hard are made of it (`cedar_chinese`)."""

    benchmark = CEDAR
    derived = tuple(name for name in CEDAR.sets if name.startswith(_CHINESE))

    def __init__(self, folder: Path, *, skip_bad: bool = False, seed: int = 0) -> None:
        """`seed` draws the corruptions."""
        self._seed = seed
        self._sources: dict[str, tuple[str, ...]] = {}
        self._corecode: corecode.Corpus | None = None
        with suppress(DataError):
            self._corecode = corecode.Corpus(folder, skip_bad=skip_bad)
        try:
            root = folder_of(
                folder,
                ("", "cedar"),
                lambda place: any((place / f"{split}.jsonl").is_file() for split in CEDAR.splits),
                "no CEDAR data here: expected cedar/test.jsonl as docs/cedar.md has it, or CORECODE's files",
            )
        except DataError:
            if self._corecode is None:
                raise
            root = folder
        super().__init__(root, skip_bad=skip_bad)

    @property
    def sets(self) -> tuple[str, ...]:
        """The sources there are; those of the paper first."""
        found = [*CEDAR.sets, *(s for split in CEDAR.splits for s in self._in(split))]
        return tuple(dict.fromkeys(found))

    def path(self, task: Task, set: str, split: str) -> Path:
        if set.startswith(_CHINESE) and self._corecode is not None:
            return self._corecode.path(TASKS["event_cause"], set.removeprefix(_CHINESE), split)
        return self.root / f"{split}.jsonl"

    def has(self, task: Task, set: str, split: str) -> bool:
        if set.startswith(_CHINESE) and self._corecode is not None:
            return all(self._corecode.has(TASKS[t], set.removeprefix(_CHINESE), split) for t in cedar_chinese.TASKS)
        return set in self._in(split)

    def _in(self, split: str) -> tuple[str, ...]:
        if split not in self._sources:
            path = self.root / f"{split}.jsonl"
            found = _instances(path, split, self._skip_bad)[0] if path.is_file() else []
            self._sources[split] = tuple(dict.fromkeys(instance.source for instance in found))
        return self._sources[split]

    def _load(self, task: Task, set: str, split: str) -> File:
        if not self.has(task, set, split):
            raise DataError(
                f"no {set} in the {split} split; there are {', '.join(self._in(split)) or 'none'}", self.root
            )
        if set.startswith(_CHINESE) and self._corecode is not None:
            of = [self._corecode.file(TASKS[t], set.removeprefix(_CHINESE), split) for t in cedar_chinese.TASKS]
            made = items(cedar_chinese.instances(i for file in of for i in file.items), task.name, self._seed)
            hashes = "\n".join((*(file.sha256 for file in of), f"seed {self._seed}"))
            skipped = tuple(error for file in of for error in file.skipped)
            return File(of[0].path, made, skipped, hashlib.sha256(hashes.encode()).hexdigest())
        return load(self.root, task, set, split, seed=self._seed, skip_bad=self._skip_bad)


def load(folder: Path, task: Task, set: str, split: str, *, seed: int = 0, skip_bad: bool = False) -> File:
    """The probes of one task and source. With `skip_bad` a broken line is left out and counted."""
    path = folder / f"{split}.jsonl"
    found, skipped = _instances(path, split, skip_bad)
    chosen = [instance for instance in found if instance.source == set]
    return File(path, items(chosen, task.name, seed), tuple(skipped), hashlib.sha256(path.read_bytes()).hexdigest())


def instances(path: Path, split: str = "test") -> tuple[Instance, ...]:
    """The dialogues of a file. Raises DataError with file, line and field."""
    return tuple(_instances(path, split, skip_bad=False)[0])


def items(found: Iterable[Instance], task: str, seed: int = 0) -> tuple[Item, ...]:
    """A probe for each valid explanation and each corruption that it can undergo.

    An Item's number is <dialogue>.<explanation>.<corruption>; its options are the explanation and the corrupted one.
    """
    made = []
    for instance in found:
        place, _, number = instance.id.rpartition("/")
        for n, explanation in enumerate(instance.explanations):
            for name, corruption in CORRUPTIONS.items():
                text = corruption.text(instance, n, seed) if explanation.valid else None
                if text is None:
                    continue
                made.append(
                    Item(
                        id=f"{place}/{TASKS[task].local}/{number}.{n}.{name}",
                        task=task,
                        set=instance.source,
                        split=instance.split,
                        dialogue=(*instance.history, instance.response),
                        question=WHY[explanation.language],
                        options=(explanation.text, text),
                        labels=("(a)", "(b)"),
                        gold=0,
                        references=(explanation.text,),
                        group=explanation.dimension,
                    )
                )
    return tuple(made)


def _instances(path: Path, split: str, skip_bad: bool) -> tuple[list[Instance], list[DataError]]:
    found: dict[str, Instance] = {}
    skipped: list[DataError] = []
    for line, row in read(path):
        try:
            instance = _instance(row, path, line, split)
            if instance.id in found:
                raise DataError("is taken by an earlier line of this source", path, line, "id")
        except DataError as error:
            if not skip_bad:
                raise
            skipped.append(error)
            continue
        found[instance.id] = instance
    return list(found.values()), skipped


def _instance(row: dict[str, Any], path: Path, line: int, split: str) -> Instance:
    def fail(message: str, field: str) -> DataError:
        return DataError(message, path, line, field)

    number, source, history, rows = (row.get(key) for key in ("id", "source", "history", "explanations"))
    if type(number) is not int or number < 0:
        raise fail(f"expected a whole number from 0, found {number!r}", "id")
    if not isinstance(source, str) or not source.strip() or "/" in source:
        raise fail("expected the name of a data set, without a slash", "source")
    if not isinstance(history, list) or not history or not all(_says(turn) for turn in history):
        raise fail("expected a list of turns, each a string, at least one", "history")
    if not _says(row.get("response")):
        raise fail("expected a turn, a string", "response")
    language = row.get("language", "en")
    if language not in NEGATED:
        raise fail(f"expected one of {', '.join(NEGATED)}, found {language!r}", "language")
    if not isinstance(rows, list) or not rows:
        raise fail("expected a list of explanations, at least one", "explanations")
    made = []
    for n, one in enumerate(rows):
        field = f"explanations[{n}]"
        if not isinstance(one, dict):
            raise fail(f"expected an object, found {type(one).__name__}", field)
        for key, known in (("dimension", DIMENSIONS), ("connective", tuple(NEGATED[language]))):
            if one.get(key) not in known:
                raise fail(f"expected one of {', '.join(known)}, found {one.get(key)!r}", f"{field}.{key}")
        for key in ("antecedent", "consequent"):
            if not _says(one.get(key)):
                raise fail("expected a string that says something", f"{field}.{key}")
        if not isinstance(one.get("valid"), bool):
            raise fail("expected true or false", f"{field}.valid")
        parts = (one["dimension"], one["antecedent"], one["connective"], one["consequent"])
        made.append(Explanation(*parts, valid=one["valid"], language=language))
    return Instance(f"cedar/{source}/{split}/{number}", source, split, tuple(history), row["response"], tuple(made))


def _says(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())
