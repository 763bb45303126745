"""The official CICERO files -> Items: {v1,v2}/data/{train,val,test}.json, JSON lines in spite of their name.

A line is a dialogue, a target utterance in it, one of five questions about the target, choices, and which are right.
What the official files are like, and what follows here:
* an ID is that of a dialogue and comes again: an Item's number is its line's, from 0, so that tasks can be joined;
* "Human Written Answer" is v1's only: there it is the one reference of a generated answer, as in the official code; in v2
  all right choices are references, for which of them a person wrote is not said;
* v1 has five choices and one or more right ones, v2 has two to eight and two or more: it has no single answers;
* a choice may stand there twice, once right and once wrong even, and an index twice: right is what says the same as a
  right choice, so `references` are texts, each once;
* a turn may have lost or doubled its speaker mark, so that the target is not quite a turn of the dialogue: the nearest is
  taken, as the official code does.
A question's second line is "target: …", for nothing can be asked without it; a chained task's third line is the event given.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from evalsuite.benchmarks import corpus
from evalsuite.benchmarks.cicero.tasks import ASKED, CHAINED, QUESTIONS, SETS
from evalsuite.benchmarks.corpus import File, read_lines
from evalsuite.common.errors import ConfigError, unknown
from evalsuite.common.jsonl import NOT_BLANK, Fault
from evalsuite.types import Benchmark, Item, Task

SPLITS = {"train": "train", "dev": "val", "test": "test"}  # ours -> the official file's name
Text = Annotated[str, Field(pattern=NOT_BLANK)]


class _Line(BaseModel):
    """One line of an official file."""

    model_config = ConfigDict(strict=True)
    ID: Text
    Dialogue: list[Text] = Field(min_length=1)
    Target: Text
    Question: Text
    Choices: list[Text] = Field(min_length=2)
    written: list[int] = Field(default=[], alias="Human Written Answer", max_length=1)
    correct: list[int] = Field(alias="Correct Answers", min_length=1)

    @model_validator(mode="after")
    def _names_what_is_there(self) -> _Line:
        for name, answers in (("Human Written Answer", self.written), ("Correct Answers", self.correct)):
            for index in answers:
                if not 0 <= index < len(self.Choices):
                    raise Fault(f"an answer is choice {index}, but there are {len(self.Choices)} from 0", name)
        if self.Question not in QUESTIONS.values():
            raise Fault(f"the question is none of the five: {self.Question!r}", "Question")
        return self

    @property
    def asks(self) -> str:
        return next(name for name, question in QUESTIONS.items() if question == self.Question)

    @property
    def right(self) -> tuple[str, ...]:
        """The texts of the right choices, each once."""
        return tuple(dict.fromkeys(self.Choices[index] for index in self.correct))

    @property
    def answers(self) -> tuple[str, ...]:
        """What a generated answer is compared with."""
        return tuple(self.Choices[index] for index in self.written) or self.right


class Corpus(corpus.Corpus):
    """A folder that holds v1/ or v2/, or a parent of that; a file is read once, whatever the number of its tasks."""

    expected = "{v1,v2}/data/{train,val,test}.json"

    def __init__(self, benchmark: Benchmark, folder: Path, *, skip_bad: bool = False) -> None:
        super().__init__(benchmark, folder, skip_bad=skip_bad)
        self._lines: dict[tuple[str, str], _Lines] = {}

    def is_root(self, folder: Path) -> bool:
        return any((folder / name / "data").is_dir() for name in SETS)

    def path(self, task: Task, set: str, split: str) -> Path:
        return path_of(self.root, set, split)

    def has(self, task: Task, set: str, split: str) -> bool:
        """Whether there is an item: v2 has no prerequisites and no single answers."""
        return self.path(task, set, split).is_file() and bool(self.file(task, set, split).items)

    def load(self, task: Task, set: str, split: str) -> File:
        if (set, split) not in self._lines:
            self._lines[set, split] = _Lines(self.path(task, set, split), skip_bad=self.skip_bad)
        return self._lines[set, split].file(task, set, split)


def path_of(root: Path, set: str, split: str) -> Path:
    """Where a file stands in the official layout. Raises ConfigError for an unknown split."""
    if split not in SPLITS:
        raise ConfigError(unknown("split", split, SPLITS))
    return root / set / "data" / f"{SPLITS[split]}.json"


def load_file(root: Path, task: Task, set: str, split: str, *, skip_bad: bool = False) -> File:
    """Read one file for one task. A broken line raises DataError with file, line and field; with `skip_bad` it is left out."""
    return _Lines(path_of(root, set, split), skip_bad=skip_bad).file(task, set, split)


class _Lines:
    """The lines of one official file, by number."""

    def __init__(self, path: Path, *, skip_bad: bool) -> None:
        self.path = path
        rows, self.skipped, self.sha256 = read_lines(
            path, _Line, lambda line, row: (line - 1, row), skip_bad, "no such CICERO file"
        )
        self.rows = dict(rows)

    def file(self, task: Task, set: str, split: str) -> File:
        prefix = f"cicero/{set}/{split}/{task.local}"
        items = tuple(self._items(prefix, task.local, set, split))
        return File(self.path, items, self.skipped, self.sha256)

    def _items(self, prefix: str, task: str, set: str, split: str) -> Iterator[Item]:
        given = self._given(task) if task in CHAINED else {}
        for number, row in self.rows.items():
            if row.asks not in ASKED[task] or (task in CHAINED and number not in given):
                continue
            dialogue, references = tuple(row.Dialogue), row.answers
            options: tuple[str, ...] = ()
            labels: tuple[str, ...] = ()
            gold: int | None = None
            if task == "clipped_subsequent_event":
                dialogue = dialogue[: target_turn(dialogue, row.Target) + 1]
            if task in ("single_answer", "all_answers"):
                options, references = tuple(row.Choices), row.right
                labels = tuple(f"({n})" for n in range(len(options)))  # as the official input has them
                if task == "single_answer":
                    if len({*row.correct}) > 1:
                        continue
                    gold = row.correct[0]
            question = "\n".join((row.Question, f"target: {row.Target}", *given.get(number, ())))
            yield Item(
                f"{prefix}/{number}", f"cicero_{task}", set, split, dialogue, question, options, labels, gold, references,
                row.asks,
            )  # fmt: skip

    def _given(self, task: str) -> dict[int, tuple[str]]:
        """Line -> the other event, of targets with a cause and a subsequent event (1.1.4 and 1.1.5).

        A target asked about three times (which of two causes goes with the event?) is left out, as in the official code.
        """
        name, other = CHAINED[task]
        targets: dict[tuple[str, str], list[int]] = defaultdict(list)
        for number, row in self.rows.items():
            if row.asks in ("cause", "subsequent_event"):
                targets[row.ID, row.Target].append(number)
        found: dict[int, tuple[str]] = {}
        for pair in targets.values():
            by = {self.rows[number].asks: number for number in pair}
            if len(pair) == len(by) == 2:
                found[by[ASKED[task][0]]] = (f"{name}: {self.rows[by[other]].answers[0]}",)
        return found


def target_turn(dialogue: Sequence[str], target: str) -> int:
    """Which turn the target is: the first that says it after its speaker mark, else the most alike."""
    said = [turn[3:] for turn in dialogue]
    if target in said:
        return said.index(target)
    alike = [SequenceMatcher(None, turn, target, autojunk=False).ratio() for turn in dialogue]
    return alike.index(max(alike))
