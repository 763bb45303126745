"""CEDAR (Zhou et al. 2021): JSON Lines of dialogues -> probes as Items.

The official data are not available, so the format is ours, after sections 3 and 4 of the paper. <folder>/<split>.jsonl
holds a dialogue on each line:

    {"id": 0, "source": "sample", "history": ["A: …", "B: …"], "response": "A: …", "explanations": [
        {"dimension": "event", "antecedent": "…", "connective": "causes", "consequent": "…", "valid": true}, …]}

`source` is the data set of the dialogue (in the paper DailyDialog, EmpatheticDialogues, MuTual, SocialIQA) and the set of
the Items. `valid`: all raters agree that it is relevant, non-trivial and plausible. `language` defaults to "en".
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, model_validator

from evalsuite.benchmarks import corpus
from evalsuite.benchmarks.cedar import chinese as cedar_chinese
from evalsuite.benchmarks.cedar.corruptions import CORRUPTIONS, SEED
from evalsuite.benchmarks.cedar.explanation import DIMENSIONS, NEGATED, Explanation, Instance
from evalsuite.benchmarks.cedar.tasks import SETS, SPLITS, TASKS_CEDAR
from evalsuite.benchmarks.corecode import BENCHMARK as CORECODE
from evalsuite.benchmarks.corecode import loader as corecode
from evalsuite.benchmarks.corpus import File, read_lines
from evalsuite.benchmarks.fields import NotBlank
from evalsuite.common.errors import DataError
from evalsuite.common.jsonl import Fault
from evalsuite.types import Benchmark, Item, Task

WHY = {"en": "Why?", "zh": "为什么？"}
_CHINESE = "corecode-"


class Corpus(corpus.Corpus):
    """A folder with test.jsonl (and train.jsonl, dev.jsonl), or a parent of one. If it also holds CORECODE, the sets
    corecode-easy and corecode-hard are made from that (chinese.py)."""

    expected = "cedar/test.jsonl as docs/cedar.md has it, or CORECODE's files"
    derived = tuple(name for name in SETS if name.startswith(_CHINESE))

    def __init__(self, benchmark: Benchmark, folder: Path, *, skip_bad: bool = False) -> None:
        self._sources: dict[str, tuple[str, ...]] = {}
        self._corecode: corecode.Corpus | None = None
        with suppress(DataError):
            self._corecode = corecode.Corpus(CORECODE, folder, skip_bad=skip_bad)
        super().__init__(benchmark, folder, skip_bad=skip_bad)

    def find_root(self, folder: Path) -> Path:
        try:
            return super().find_root(folder)
        except DataError:
            if self._corecode is None:
                raise
            return folder

    def is_root(self, folder: Path) -> bool:
        return any((folder / f"{split}.jsonl").is_file() for split in SPLITS)

    @property
    def sets(self) -> tuple[str, ...]:
        """The paper's sources and ours, then other sources in the files."""
        sources = [*SETS, *(s for split in SPLITS for s in self._in(split))]
        return tuple(dict.fromkeys(sources))

    def path(self, task: Task, set: str, split: str) -> Path:
        if set.startswith(_CHINESE) and self._corecode is not None:
            return self._corecode.path(CORECODE.task("event_cause"), set.removeprefix(_CHINESE), split)
        return self.root / f"{split}.jsonl"

    def has(self, task: Task, set: str, split: str) -> bool:
        if set.startswith(_CHINESE) and self._corecode is not None:
            return all(
                self._corecode.has(CORECODE.task(t), set.removeprefix(_CHINESE), split) for t in cedar_chinese.TASKS
            )
        return set in self._in(split)

    def _in(self, split: str) -> tuple[str, ...]:
        if split not in self._sources:
            path = self.root / f"{split}.jsonl"
            found = read_instances(path, split, self.skip_bad)[0] if path.is_file() else ()
            self._sources[split] = tuple(dict.fromkeys(instance.source for instance in found))
        return self._sources[split]

    def load(self, task: Task, set: str, split: str) -> File:
        if not self.has(task, set, split):
            raise DataError(
                f"no {set} in the {split} split ({split}.jsonl); there are {', '.join(self._in(split)) or 'none'}",
                self.root,
            )
        if set.startswith(_CHINESE) and self._corecode is not None:
            of = [self._corecode.file(CORECODE.task(t), set.removeprefix(_CHINESE), split) for t in cedar_chinese.TASKS]
            items = probe_items(cedar_chinese.chinese_instances(i for file in of for i in file.items), task.name)
            hashes = "\n".join((*(file.sha256 for file in of), f"seed {SEED}"))
            skipped = tuple(error for file in of for error in file.skipped)
            return File(of[0].path, items, skipped, hashlib.sha256(hashes.encode()).hexdigest())
        path = self.path(task, set, split)
        found, skipped, sha256 = read_instances(path, split, self.skip_bad)
        chosen = [instance for instance in found if instance.source == set]
        return File(path, probe_items(chosen, task.name), skipped, sha256)


def probe_items(instances: Iterable[Instance], task: str) -> tuple[Item, ...]:
    """A probe for each valid explanation and each corruption that applies to it.

    An Item's number is <dialogue>.<explanation>.<corruption>; its options are the valid and the corrupted explanation.
    """
    local = {t.name: t.local for t in TASKS_CEDAR}[task]
    items = []
    for instance in instances:
        parent, _, number = instance.id.rpartition("/")
        for n, explanation in enumerate(instance.explanations):
            for name, corruption in CORRUPTIONS.items():
                text = corruption.text(instance, n) if explanation.valid else None
                if text is None:
                    continue
                items.append(
                    Item(
                        id=f"{parent}/{local}/{number}.{n}.{name}",
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
    return tuple(items)


def read_instances(path: Path, split: str, skip_bad: bool) -> tuple[tuple[Instance, ...], tuple[DataError, ...], str]:
    """(instances, errors of the lines left out, SHA-256) of a file, as `read_lines`."""
    seen: set[str] = set()

    def instance(line: int, row: _Line) -> Instance:
        new = row.instance(split)
        if new.id in seen:
            raise DataError("is taken by an earlier line of this source", path, line, "id")
        seen.add(new.id)
        return new

    return read_lines(path, _Line, instance, skip_bad)


class _Explanation(BaseModel):
    model_config = ConfigDict(strict=True)
    dimension: str
    antecedent: NotBlank
    connective: str
    consequent: NotBlank
    valid: bool


class _Line(BaseModel):
    """A line of a file, as described in docs/cedar.md."""

    model_config = ConfigDict(strict=True)
    id: int = Field(ge=0)
    source: NotBlank
    history: list[NotBlank] = Field(min_length=1)
    response: NotBlank
    language: str = "en"
    explanations: list[_Explanation] = Field(min_length=1)

    @model_validator(mode="after")
    def _names_what_there_is(self) -> _Line:
        if "/" in self.source:
            raise Fault(f"expected the name of a data set, without a slash, found {self.source!r}", "source")
        _one_of(self.language, tuple(NEGATED), "language")
        for n, one in enumerate(self.explanations):
            _one_of(one.dimension, DIMENSIONS, f"explanations[{n}].dimension")
            _one_of(one.connective, tuple(NEGATED[self.language]), f"explanations[{n}].connective")
        return self

    def instance(self, split: str) -> Instance:
        explanations = tuple(Explanation(**dict(one), language=self.language) for one in self.explanations)
        name = f"cedar/{self.source}/{split}/{self.id}"
        return Instance(name, self.source, split, tuple(self.history), self.response, explanations)


def _one_of(value: str, known: Sequence[str], field: str) -> None:
    if value not in known:
        raise Fault(f"expected one of {', '.join(known)}, found {value!r}", field)
