"""The official CICERO files -> Items: {v1,v2}/data/{train,val,test}.json, which are JSON Lines.

A line has a dialogue, a target utterance in it, one of five questions about the target, choices, and the right choices.
Properties of the official files, and their treatment:
* an ID is that of a dialogue, which has several lines, so an Item's number is the line number from 0, in all tasks;
* "Human Written Answer" exists in v1 only, where it is the single reference of a generated answer, as in the official code;
  in v2, which does not name it, all right choices are references;
* v1 has five choices, one or more of them right; v2 has two to eight, two or more of them right, so no single-answer items;
* a choice may occur twice, even once as right and once as wrong, and an index may occur twice: an option is right if its
  text equals that of a right choice, and `references` has each text once;
* a turn may lack its speaker mark or have it twice, so the target may differ from every turn: the most similar turn is used,
  as in the official code.
The second line of an Item's question is "target: …"; in chained tasks the third line is the given event.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, model_validator

from evalsuite.benchmarks.cicero.tasks import ASKED, CHAINED, QUESTIONS, SETS
from evalsuite.benchmarks.corpus import Corpus, File, read_lines
from evalsuite.benchmarks.fields import NotBlank
from evalsuite.common.jsonl import Fault
from evalsuite.types import Item, Task

SPLITS = {"train": "train", "dev": "val", "test": "test"}  # split -> the official file's name


class _CiceroLine(BaseModel):
    """A line of an official file."""

    model_config = ConfigDict(strict=True, alias_generator=str.capitalize)
    id: NotBlank = Field(alias="ID")
    dialogue: list[NotBlank] = Field(min_length=1)
    target: NotBlank
    question: NotBlank
    choices: list[NotBlank] = Field(min_length=2)
    written: list[int] = Field(default=[], alias="Human Written Answer", max_length=1)
    correct: list[int] = Field(alias="Correct Answers", min_length=1)

    @model_validator(mode="after")
    def _names_known_choices_and_question(self) -> _CiceroLine:
        for name, answers in (("Human Written Answer", self.written), ("Correct Answers", self.correct)):
            for index in answers:
                if not 0 <= index < len(self.choices):
                    raise Fault(f"an answer is choice {index}, but there are {len(self.choices)} from 0", name)
        if self.question not in QUESTIONS.values():
            raise Fault(f"the question is none of the five: {self.question!r}", "Question")
        return self

    @property
    def asks(self) -> str:
        """The key of its question in QUESTIONS."""
        return next(name for name, question in QUESTIONS.items() if question == self.question)

    @property
    def right(self) -> tuple[str, ...]:
        """The texts of the right choices, each once."""
        return tuple(dict.fromkeys(self.choices[index] for index in self.correct))

    @property
    def answers(self) -> tuple[str, ...]:
        """The references of a generated answer."""
        return tuple(self.choices[index] for index in self.written) or self.right


class CiceroCorpus(Corpus):
    """A folder with v1/ or v2/, or a parent of such a folder. A file is read once for all its tasks."""

    expected = "{v1,v2}/data/{train,val,test}.json"

    def is_root(self, folder: Path) -> bool:
        return any((folder / name / "data").is_dir() for name in SETS)

    def path(self, task: Task, set: str, split: str) -> Path:
        return self.root / set / "data" / f"{SPLITS[split]}.json"

    def has(self, task: Task, set: str, split: str) -> bool:
        """Whether there are items: v2 has none of the tasks prerequisite and single_answer."""
        return super().has(task, set, split) and bool(self.file(task, set, split).items)

    def load(self, task: Task, set: str, split: str) -> File:
        path = self.path(task, set, split)
        lines, skipped, sha256 = self.once(
            ("lines", set, split),
            lambda: read_lines(
                path, _CiceroLine, lambda line, row: (line - 1, row), self.skip_bad, "no such CICERO file"
            ),
        )
        return File(path, tuple(_items(dict(lines), task.local, set, split)), skipped, sha256)


def _items(lines: Mapping[int, _CiceroLine], task: str, set: str, split: str) -> Iterator[Item]:
    """The items of a task, from the lines of a file by number."""
    events = _given_events(lines, task) if task in CHAINED else {}
    selects = task in ("single_answer", "all_answers")
    for number, line in lines.items():
        if line.asks not in ASKED[task] or (task in CHAINED and number not in events):
            continue
        if task == "single_answer" and len({*line.correct}) > 1:
            continue
        dialogue = tuple(line.dialogue)
        if task == "clipped_subsequent_event":
            dialogue = dialogue[: target_turn(dialogue, line.target) + 1]
        yield Item(
            f"cicero/{set}/{split}/{task}/{number}",
            f"cicero_{task}",
            set,
            split,
            dialogue,
            "\n".join((line.question, f"target: {line.target}", *events.get(number, ()))),
            tuple(line.choices) if selects else (),
            tuple(f"({n})" for n in range(len(line.choices))) if selects else (),  # as the official input has them
            line.correct[0] if task == "single_answer" else None,
            line.right if selects else line.answers,
            line.asks,
        )


def _given_events(lines: Mapping[int, _CiceroLine], task: str) -> dict[int, tuple[str]]:
    """Line number -> the given event, for targets with one cause and one subsequent event (sections 1.1.4 and 1.1.5).

    Targets with more questions are ambiguous and left out, as in the official code.
    """
    name, other = CHAINED[task]
    targets: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, line in lines.items():
        if line.asks in ("cause", "subsequent_event"):
            targets[line.id, line.target].append(number)
    events: dict[int, tuple[str]] = {}
    for numbers in targets.values():
        number_of = {lines[number].asks: number for number in numbers}
        if len(numbers) == len(number_of) == 2:
            events[number_of[ASKED[task][0]]] = (f"{name}: {lines[number_of[other]].answers[0]}",)
    return events


def target_turn(dialogue: Sequence[str], target: str) -> int:
    """The index of the target's turn: the first that equals the target after the speaker mark, else the most similar."""
    utterances = [turn[3:] for turn in dialogue]
    if target in utterances:
        return utterances.index(target)
    similarity = [SequenceMatcher(None, turn, target, autojunk=False).ratio() for turn in dialogue]
    return similarity.index(max(similarity))
