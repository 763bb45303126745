"""The official C3 files -> Items: data/c3-{d,m}-{train,dev,test}.json, and annotation/c3-{d,m}-{dev,test}.txt.

A file is a list of documents: their lines, their questions with two to four choices, and an id. A question's number is the
document's id and its index in the document, from 1. Properties of the official files, and how they are handled:
* the right answer is a text; two questions of the training files have two choices with it: the first one is the right option,
  as in CLUE and OpenCompass;
* a dialogue has a line a turn, a mixed text a single line, which may hold line breaks;
* 150 questions of each dev and test file are annotated with kinds of prior knowledge, then || and the sentences that the
  answer needs. An Item's group are the kinds, joined with |; it is "" for the other questions. One annotation has || between
  its kinds, too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, RootModel, ValidationError, model_validator

from evalsuite.benchmarks import corpus
from evalsuite.benchmarks.c3.tasks import KINDS_OF_KNOWLEDGE, SETS, SPLITS
from evalsuite.benchmarks.corpus import File, collect, parse_list
from evalsuite.common.errors import ConfigError, DataError, unknown
from evalsuite.common.files import read_bytes, read_text
from evalsuite.common.jsonl import NOT_BLANK, Fault, first_fault
from evalsuite.types import Item, Task

_NotBlank = Annotated[str, Field(pattern=NOT_BLANK)]
_LABELS = ("(A)", "(B)", "(C)", "(D)")
_HEAD = "documentID\tquestionIndex\ttype"


class _Question(BaseModel):
    """A question of a document."""

    model_config = ConfigDict(strict=True)
    question: _NotBlank
    choice: list[_NotBlank] = Field(min_length=2, max_length=len(_LABELS))
    answer: str

    @model_validator(mode="after")
    def _is_among_its_choices(self) -> _Question:
        if self.answer not in self.choice:
            raise Fault(f"expected one of the choices, found {self.answer!r}", ".answer")
        return self


class _Document(RootModel[tuple[Annotated[list[_NotBlank], Field(min_length=1)], list[_Question], _NotBlank]]):
    """Lines, questions, id."""


class Corpus(corpus.Corpus):
    """The official repository, or a folder with it in c3/."""

    expected = "data/c3-{d,m}-{train,dev,test}.json"

    def is_root(self, folder: Path) -> bool:
        return any(path_of(folder, item_set, split).is_file() for item_set in SETS for split in SPLITS)

    def path(self, task: Task, set: str, split: str) -> Path:
        return path_of(self.root, set, split)

    def load(self, task: Task, set: str, split: str) -> File:
        return load_file(self.root, task, set, split, skip_bad=self.skip_bad)


def path_of(root: Path, set: str, split: str) -> Path:
    """The path of a file in the official layout. Raises ConfigError for an unknown split."""
    if split not in SPLITS:
        raise ConfigError(unknown("split", split, SPLITS))
    return root / "data" / f"c3-{set}-{split}.json"


def load_file(root: Path, task: Task, set: str, split: str, *, skip_bad: bool = False) -> File:
    """Read one file with its annotations, if there are any. A broken document raises DataError with file and field, or is left
    out (`skip_bad`)."""
    path = path_of(root, set, split)
    annotated = root / "annotation" / f"c3-{set}-{split}.txt"
    raw = read_bytes(path, "no such C3 file")
    kinds, digest = {}, hashlib.sha256(raw)
    if annotated.is_file():
        kinds = _kinds(annotated)
        digest.update(annotated.read_bytes())
    prefix = f"c3/{set}/{split}/{task.local}"
    seen: dict[str, int] = {}

    def items(index: int, row: Any) -> tuple[Item, ...]:
        lines, questions, name = _document(path, index, row)
        if seen.setdefault(name, index) != index:
            raise DataError(f"{name!r} is also the id of [{seen[name]}]", path, None, f"[{index}][2]")
        numbered = ((f"{name}-{n}", asked) for n, asked in enumerate(questions, 1))
        return tuple(
            _item(f"{prefix}/{number}", tuple(lines), asked, kinds.get(number, "")) for number, asked in numbered
        )

    def _item(name: str, dialogue: tuple[str, ...], asked: _Question, group: str) -> Item:
        options = tuple(asked.choice)
        gold = options.index(asked.answer)
        labels = _LABELS[: len(options)]
        return Item(
            name, task.name, set, split, dialogue, asked.question, options, labels, gold, (asked.answer,), group
        )

    made, skipped = collect(enumerate(parse_list(raw, path)), items, skip_bad)
    found = tuple(item for document in made for item in document)
    for number in kinds.keys() - {item.id.rpartition("/")[2] for item in found}:
        if not skipped:
            raise DataError(f"{number} is no question of {path.name}", annotated)
    return File(path, found, skipped, digest.hexdigest())


def _document(path: Path, index: int, row: Any) -> tuple[list[str], list[_Question], str]:
    try:
        return _Document.model_validate(row).root
    except ValidationError as error:
        fault = first_fault(error, path)
        raise DataError(fault.message, path, None, f"[{index}]{fault.field or ''}") from None


def _kinds(path: Path) -> dict[str, str]:
    """Number of a question -> its kinds of knowledge, joined with |."""
    return dict(_annotations(path))


def _annotations(path: Path) -> Iterator[tuple[str, str]]:
    head, *lines = read_text(path).splitlines()
    if head != _HEAD:
        raise DataError(f"expected the columns {_HEAD!r}, found {head!r}", path, 1)
    for line, row in enumerate(lines, 2):
        cells = row.split("\t")
        *kinds, sentences = [part for part in cells[-1].split("|") if part] or [""]
        if len(cells) != 3 or sentences not in ("0", "1", "2") or not kinds:
            raise DataError(f"expected an id, a number and kind|kind||0, 1 or 2, found {row!r}", path, line)
        for kind in kinds:
            if kind not in KINDS_OF_KNOWLEDGE:
                raise DataError(unknown("kind of knowledge", kind, KINDS_OF_KNOWLEDGE), path, line, "type")
        yield f"{cells[0]}-{cells[1]}", "|".join(kinds)
