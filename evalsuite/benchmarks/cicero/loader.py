"""The official CICERO files -> Items: {v1,v2}/data/{train,val,test}.json, which are JSON Lines.

A line is a dialogue, a target utterance in it, one of five questions about the target, choices, and the right choices.
Properties of the official files, and how they are handled:
* an ID identifies a dialogue and repeats, so an Item's number is its line number from 0, equal in all tasks;
* "Human Written Answer" exists in v1 only, where it is the single reference of a generated answer, as in the official code;
  in v2, which does not name it, all right choices are references;
* v1 has five choices with one or more right, v2 two to eight with two or more right, so v2 has no single-answer items;
* a choice may occur twice, even once as right and once as wrong, and an index may occur twice: an option is right if its
  text equals that of a right choice, and `references` holds each text once;
* a turn may lack its speaker mark or have it twice, so the target may differ from every turn: the most similar turn is used,
  as in the official code.
The second line of an Item's question is "target: …"; in chained tasks the third line is the given event.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, model_validator

from evalsuite.benchmarks import corpus
from evalsuite.benchmarks.cicero.tasks import ASKED, CHAINED, QUESTIONS, SETS
from evalsuite.benchmarks.corpus import File, read_lines
from evalsuite.benchmarks.fields import NotBlank
from evalsuite.common.errors import ConfigError, unknown
from evalsuite.common.jsonl import Fault
from evalsuite.types import Benchmark, Item, Task

SPLITS = {"train": "train", "dev": "val", "test": "test"}  # ours -> the official file's name


class _Line(BaseModel):
    """A line of an official file."""

    model_config = ConfigDict(strict=True)
    ID: NotBlank
    Dialogue: list[NotBlank] = Field(min_length=1)
    Target: NotBlank
    Question: NotBlank
    Choices: list[NotBlank] = Field(min_length=2)
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
        """The key of its question in QUESTIONS."""
        return next(name for name, question in QUESTIONS.items() if question == self.Question)

    @property
    def right(self) -> tuple[str, ...]:
        """The texts of the right choices, each once."""
        return tuple(dict.fromkeys(self.Choices[index] for index in self.correct))

    @property
    def answers(self) -> tuple[str, ...]:
        """The references of a generated answer."""
        return tuple(self.Choices[index] for index in self.written) or self.right


class Corpus(corpus.Corpus):
    """A folder with v1/ or v2/, or a parent of one. A file is read once for all its tasks."""

    expected = "{v1,v2}/data/{train,val,test}.json"

    def __init__(self, benchmark: Benchmark, folder: Path, *, skip_bad: bool = False) -> None:
        super().__init__(benchmark, folder, skip_bad=skip_bad)
        self._lines: dict[tuple[str, str], _Lines] = {}

    def is_root(self, folder: Path) -> bool:
        return any((folder / name / "data").is_dir() for name in SETS)

    def path(self, task: Task, set: str, split: str) -> Path:
        if split not in SPLITS:
            raise ConfigError(unknown("split", split, SPLITS))
        return self.root / set / "data" / f"{SPLITS[split]}.json"

    def has(self, task: Task, set: str, split: str) -> bool:
        """Whether there are items: v2 has none of the tasks prerequisite and single_answer."""
        return self.path(task, set, split).is_file() and bool(self.file(task, set, split).items)

    def load(self, task: Task, set: str, split: str) -> File:
        if (set, split) not in self._lines:
            self._lines[set, split] = _Lines(self.path(task, set, split), skip_bad=self.skip_bad)
        return self._lines[set, split].file(task, set, split)


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
                f"{prefix}/{number}",
                f"cicero_{task}",
                set,
                split,
                dialogue,
                question,
                options,
                labels,
                gold,
                references,
                row.asks,
            )

    def _given(self, task: str) -> dict[int, tuple[str]]:
        """Line number -> the given event, for targets with one cause and one subsequent event (sections 1.1.4 and 1.1.5).

        Targets with more questions are ambiguous and left out, as in the official code.
        """
        name, other = CHAINED[task]
        targets: dict[tuple[str, str], list[int]] = defaultdict(list)
        for number, row in self.rows.items():
            if row.asks in ("cause", "subsequent_event"):
                targets[row.ID, row.Target].append(number)
        given: dict[int, tuple[str]] = {}
        for pair in targets.values():
            by = {self.rows[number].asks: number for number in pair}
            if len(pair) == len(by) == 2:
                given[by[ASKED[task][0]]] = (f"{name}: {self.rows[by[other]].answers[0]}",)
        return given


def target_turn(dialogue: Sequence[str], target: str) -> int:
    """The index of the target's turn: the first equal to it after the speaker mark, else the most similar."""
    utterances = [turn[3:] for turn in dialogue]
    if target in utterances:
        return utterances.index(target)
    similarity = [SequenceMatcher(None, turn, target, autojunk=False).ratio() for turn in dialogue]
    return similarity.index(max(similarity))
