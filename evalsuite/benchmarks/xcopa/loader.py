"""The official XCOPA files -> Items: data/zh/{val,test}.zh.jsonl, and data-gmt/zh/, their machine translation into English.

A line is a premise, two choices, whether the cause or the effect is asked for, and the index of the right choice. The premise
is an Item's dialogue, so that clusters, leakage and shots go by premises; its number is the line's `idx`, which is the same
in the translation. XCOPA has no training file for Chinese: shots are drawn from the validation file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from evalsuite.benchmarks import corpus
from evalsuite.benchmarks.corpus import File, read_lines
from evalsuite.benchmarks.xcopa.tasks import QUESTIONS, SETS, TRANSLATED
from evalsuite.common.errors import ConfigError, DataError, unknown
from evalsuite.common.jsonl import NOT_BLANK
from evalsuite.types import Item, Task

FILES = {"dev": "val", "test": "test"}  # our split -> the official file's name
_NotBlank = Annotated[str, Field(pattern=NOT_BLANK)]


class _Line(BaseModel):
    """A line of an official file."""

    model_config = ConfigDict(strict=True)
    premise: _NotBlank
    choice1: _NotBlank
    choice2: _NotBlank
    question: Literal["cause", "effect"]
    label: Literal[0, 1]
    idx: int = Field(ge=0)


class Corpus(corpus.Corpus):
    """The official repository, or a folder with it in xcopa/."""

    expected = "data/zh/{val,test}.zh.jsonl"

    def is_root(self, folder: Path) -> bool:
        return any(path_of(folder, item_set, split).is_file() for item_set in SETS for split in FILES)

    def path(self, task: Task, set: str, split: str) -> Path:
        return path_of(self.root, set, split)

    def load(self, task: Task, set: str, split: str) -> File:
        return load_file(self.root, task, set, split, skip_bad=self.skip_bad)

    def load_reworded(self, task: Task, set: str, split: str, wording: str) -> File | None:
        if wording != TRANSLATED:
            return None
        return load_file(self.root, task, set, split, translated=True, skip_bad=self.skip_bad)


def path_of(root: Path, set: str, split: str, *, translated: bool = False) -> Path:
    """The path of a file in the official layout. Raises ConfigError for an unknown split."""
    if split not in FILES:
        raise ConfigError(unknown("split", split, FILES))
    return root / ("data-gmt" if translated else "data") / set / f"{FILES[split]}.{set}.jsonl"


def load_file(
    root: Path, task: Task, set: str, split: str, *, translated: bool = False, skip_bad: bool = False
) -> File:
    """Read one file. A broken line raises DataError with file, line and field, or is left out (`skip_bad`)."""
    path = path_of(root, set, split, translated=translated)
    numbers: dict[int, int] = {}

    def item(line: int, row: _Line) -> Item:
        if numbers.setdefault(row.idx, line) != line:
            raise DataError(f"{row.idx} is also the number of line {numbers[row.idx]}", path, line, "idx")
        options = (row.choice1, row.choice2)
        return Item(
            id=f"xcopa/{set}/{split}/{task.local}/{row.idx}",
            task=task.name,
            set=set,
            split=split,
            dialogue=(row.premise,),
            question=QUESTIONS[row.question][translated],
            options=options,
            labels=("(A)", "(B)"),
            gold=row.label,
            references=(options[row.label],),
            group=row.question,
        )

    missing = "no such XCOPA file" + " (the translation that the wording asks)" * translated
    return File(path, *read_lines(path, _Line, item, skip_bad, missing))
