"""The official CORECODE layout -> Items: data/{easy,hard}/{multiple_choice,span_extraction,generation}/{train,dev,test}/*.jsonl.

Properties of the official files, and their treatment:
* numbers (`id`) restart in every file, so an Item's id is benchmark/set/split/task/number;
* a clipped dialogue may end within an utterance, even right after "A:"; turns are not changed;
* events may contain “ ”, so an event reaches from the first “ to the last ” of its question;
* several items may have one dialogue and question with different answers; they remain separate items, as in the paper;
* a line may list further right answers under "alternatives", as in the bundled sample; no official file does;
* zero-width and other unusual characters are kept, so that prompts equal the official text byte for byte.
"""

from __future__ import annotations

import re
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, model_validator

from evalsuite.benchmarks.corpus import Corpus, File, read_lines
from evalsuite.benchmarks.fields import NotBlank
from evalsuite.common.errors import DataError
from evalsuite.common.jsonl import Fault
from evalsuite.types import Item, Task

_LABEL = re.compile(r"\(\w{1,2}\)")


class CorecodeCorpus(Corpus):
    """A folder with easy/ or hard/, a clone of the official repository, or the parent of a clone named corecode."""

    expected = "data/{easy,hard}/{multiple_choice,span_extraction,generation}/…"
    subfolders = ("", "data", "corecode/data")

    def is_root(self, folder: Path) -> bool:
        return any((folder / name).is_dir() for name in self.benchmark.sets)

    def path(self, task: Task, set: str, split: str) -> Path:
        return path_of(self.root, task, set, split)

    def load(self, task: Task, set: str, split: str) -> File:
        path = self.path(task, set, split)
        model: type[_ChoiceLine] | type[_WrittenLine] = _ChoiceLine if task.kind.options else _WrittenLine
        numbers: dict[int, int] = {}
        dialogues: dict[tuple[str, ...], tuple[str, ...]] = {}  # many items have the same dialogue: keep one copy

        def item(line: int, row: _ChoiceLine | _WrittenLine) -> Item:
            if row.id in numbers:
                raise DataError(f"{row.id} is taken by line {numbers[row.id]} already", path, line, "id")
            numbers[row.id] = line
            turns, options = tuple(row.dialogue), row.options
            answer = row.answer if isinstance(row.answer, str) else row.answer[1]
            return Item(
                f"{task.benchmark}/{set}/{split}/{task.local}/{row.id}",
                task.name,
                set,
                split,
                dialogues.setdefault(turns, turns),
                row.question,
                tuple(options.values()),
                tuple(options),
                [*options].index(row.answer[0]) if options else None,
                (answer, *(row.alternatives if isinstance(row, _WrittenLine) else ())),
            )

        return File(path, *read_lines(path, model, item, self.skip_bad, f"no {split} file of {task.name} ({set})"))


def path_of(root: Path, task: Task, set: str, split: str) -> Path:
    """The path of a file in the official layout."""
    return root / set / task.folder / split / f"{task.file}.jsonl"


class _CorecodeLine(BaseModel):
    """A line of an official file. Its options are the keys like "(a)"."""

    model_config = ConfigDict(strict=True, extra="allow")
    id: int
    dialogue: list[str] = Field(min_length=1)
    question: NotBlank

    @property
    def options(self) -> dict[str, str]:
        return {name: text for name, text in (self.model_extra or {}).items() if _LABEL.fullmatch(name)}


class _ChoiceLine(_CorecodeLine):
    answer: tuple[str, str]  # label, text

    @model_validator(mode="after")
    def _is_one_of_the_options(self) -> _ChoiceLine:
        options, (label, text) = self.options, self.answer
        for name, option in options.items():
            if not isinstance(option, str):
                raise Fault(f"expected an option's text, found {option!r}", name)
        if len(options) < 2:
            raise Fault(f"expected two options or more, such as '(a)', found {len(options)}")
        if label not in options:
            raise Fault(f"expected [label, text] with a label of {' '.join(options)}, found {label!r}", "answer")
        if text != options[label]:
            raise Fault(f"its text is {text!r}, but option {label} is {options[label]!r}", "answer")
        return self


class _WrittenLine(_CorecodeLine):
    answer: NotBlank
    alternatives: tuple[NotBlank, ...] = Field(default=(), strict=False)

    @model_validator(mode="after")
    def _has_no_options(self) -> _WrittenLine:
        for name in self.options:
            raise Fault("a task whose answers are written has no options", name)
        return self
