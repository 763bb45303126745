"""CEDAR (Zhou et al. 2021): JSON Lines of dialogues -> probes as Items.

The official data are not available, so the format is ours, after sections 3 and 4 of the paper. <folder>/<split>.jsonl
has a dialogue on each line:

    {"id": 0, "source": "sample", "history": ["A: …", "B: …"], "response": "A: …", "explanations": [
        {"dimension": "event", "antecedent": "…", "connective": "causes", "consequent": "…", "valid": true}, …]}

`source` is the data set of the dialogue (in the paper DailyDialog, EmpatheticDialogues, MuTual, SocialIQA) and the set of
the Items. `valid`: all raters call the explanation relevant, non-trivial and plausible. `language` defaults to "en".
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, model_validator

from evalsuite.benchmarks.cedar.chinese import TASKS as CORECODE_TASKS
from evalsuite.benchmarks.cedar.chinese import chinese_instances
from evalsuite.benchmarks.cedar.corruptions import CORRUPTIONS, SEED
from evalsuite.benchmarks.cedar.explanation import DIMENSIONS, NEGATED, Explanation, Instance
from evalsuite.benchmarks.cedar.tasks import SETS, SPLITS
from evalsuite.benchmarks.corecode import BENCHMARK as CORECODE
from evalsuite.benchmarks.corecode.loader import CorecodeCorpus
from evalsuite.benchmarks.corpus import Corpus, File, read_lines
from evalsuite.benchmarks.fields import NotBlank
from evalsuite.common.errors import DataError
from evalsuite.common.jsonl import Fault
from evalsuite.types import Benchmark, Item, Task

WHY = {"en": "Why?", "zh": "为什么？"}
_CHINESE = "corecode-"


class CedarCorpus(Corpus):
    """A folder with test.jsonl (and train.jsonl, dev.jsonl), or a parent of such a folder. If CORECODE's files are there, too,
    the sets corecode-easy and corecode-hard are made of them (chinese.py)."""

    expected = "cedar/test.jsonl as docs/cedar.md has it, or CORECODE's files"
    derived = tuple(name for name in SETS if name.startswith(_CHINESE))

    def __init__(self, benchmark: Benchmark, folder: Path, *, skip_bad: bool = False) -> None:
        self._corecode: CorecodeCorpus | None = None
        with suppress(DataError):
            self._corecode = CorecodeCorpus(CORECODE, folder, skip_bad=skip_bad)
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
        return tuple(dict.fromkeys((*SETS, *(source for split in SPLITS for source in self._sources(split)))))

    def _corecode_of(self, set: str) -> CorecodeCorpus | None:
        """The CORECODE data that a set is made from; None for a set of CEDAR's own files."""
        return self._corecode if set.startswith(_CHINESE) else None

    def path(self, task: Task, set: str, split: str) -> Path:
        if corecode := self._corecode_of(set):
            return corecode.path(CORECODE.task("event_cause"), set.removeprefix(_CHINESE), split)
        return self.root / f"{split}.jsonl"

    def has(self, task: Task, set: str, split: str) -> bool:
        if corecode := self._corecode_of(set):
            return all(corecode.has(CORECODE.task(t), set.removeprefix(_CHINESE), split) for t in CORECODE_TASKS)
        return set in self._sources(split)

    def _instances(self, split: str) -> tuple[tuple[Instance, ...], tuple[DataError, ...], str]:
        """`read_instances` of a split's file, read once."""
        path = self.root / f"{split}.jsonl"
        return self.once(("instances", split), lambda: read_instances(path, split, self.skip_bad))

    def _sources(self, split: str) -> tuple[str, ...]:
        """The sources of the dialogues in a split's file; () if there is no such file."""
        if not (self.root / f"{split}.jsonl").is_file():
            return ()

        def sources() -> tuple[str, ...]:
            return tuple(dict.fromkeys(instance.source for instance in self._instances(split)[0]))

        return self.once(("sources", split), sources)

    def load(self, task: Task, set: str, split: str) -> File:
        if not self.has(task, set, split):
            sources = ", ".join(self._sources(split)) or "none"
            raise DataError(f"no {set} in the {split} split ({split}.jsonl); there are {sources}", self.root)
        path = self.path(task, set, split)
        if corecode := self._corecode_of(set):
            files = [corecode.file(CORECODE.task(t), set.removeprefix(_CHINESE), split) for t in CORECODE_TASKS]
            items = probe_items(chinese_instances(item for file in files for item in file.items), task)
            hashes = "\n".join((*(file.sha256 for file in files), f"seed {SEED}"))
            skipped = tuple(error for file in files for error in file.skipped)
            return File(path, items, skipped, hashlib.sha256(hashes.encode()).hexdigest())
        instances, skipped, sha256 = self._instances(split)
        return File(path, probe_items((i for i in instances if i.source == set), task), skipped, sha256)


def probe_items(instances: Iterable[Instance], task: Task) -> tuple[Item, ...]:
    """A probe for each valid explanation and each corruption that applies to it.

    An Item's number is <dialogue>.<explanation>.<corruption>; its options are the valid and the corrupted explanation.
    """
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
                        id=f"{parent}/{task.local}/{number}.{n}.{name}",
                        task=task.name,
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

    def parse(line: int, row: _CedarLine) -> Instance:
        instance = row.instance(split)
        if instance.id in seen:
            raise DataError("is taken by an earlier line of this source", path, line, "id")
        seen.add(instance.id)
        return instance

    return read_lines(path, _CedarLine, parse, skip_bad)


class _ExplanationFields(BaseModel):
    """An explanation in a line, without its language."""

    model_config = ConfigDict(strict=True)
    dimension: str
    antecedent: NotBlank
    connective: str
    consequent: NotBlank
    valid: bool


class _CedarLine(BaseModel):
    """A line of a file, as described in docs/cedar.md."""

    model_config = ConfigDict(strict=True)
    id: int = Field(ge=0)
    source: NotBlank
    history: list[NotBlank] = Field(min_length=1)
    response: NotBlank
    language: str = "en"
    explanations: list[_ExplanationFields] = Field(min_length=1)

    @model_validator(mode="after")
    def _has_known_names(self) -> _CedarLine:
        if "/" in self.source:
            raise Fault(f"expected the name of a data set, without a slash, found {self.source!r}", "source")
        _one_of(self.language, tuple(NEGATED), "language")
        for n, fields in enumerate(self.explanations):
            _one_of(fields.dimension, DIMENSIONS, f"explanations[{n}].dimension")
            _one_of(fields.connective, tuple(NEGATED[self.language]), f"explanations[{n}].connective")
        return self

    def instance(self, split: str) -> Instance:
        explanations = tuple(Explanation(**dict(fields), language=self.language) for fields in self.explanations)
        name = f"cedar/{self.source}/{split}/{self.id}"
        return Instance(name, self.source, split, tuple(self.history), self.response, explanations)


def _one_of(value: str, known: Sequence[str], field: str) -> None:
    if value not in known:
        raise Fault(f"expected one of {', '.join(known)}, found {value!r}", field)
