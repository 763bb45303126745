"""The official CORECODE layout -> Items: data/{easy,hard}/{multiple_choice,span_extraction,generation}/{train,dev,test}/*.jsonl.

What the official files are like, and what follows here:
* numbers (`id`) restart in every file, so an Item's id is benchmark/set/split/task/number;
* a clipped dialogue may stop in mid-utterance, even right after "A:": turns are taken as they are;
* events may hold “ ” themselves: an event lies between the first “ and the last ” of its question;
* several items may ask the same of the same dialogue with different answers: they stay apart, as the paper counts them;
* zero-width and other odd characters are kept: prompts are the official bytes.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from evalsuite.benchmarks import corpus
from evalsuite.benchmarks.corecode.tasks import CORECODE
from evalsuite.benchmarks.corpus import File, folder_of
from evalsuite.common.errors import DataError
from evalsuite.types import Item, Task

_LABEL = re.compile(r"\(\w{1,2}\)")


class Corpus(corpus.Corpus):
    """A folder that holds easy/ and hard/, or a clone of the official repository, or a parent of one."""

    benchmark = CORECODE

    def __init__(self, folder: Path, *, skip_bad: bool = False) -> None:
        root = folder_of(
            folder,
            ("", "data", "corecode/data"),
            lambda place: any((place / name).is_dir() for name in CORECODE.sets),
            "no CORECODE data here: expected data/{easy,hard}/{multiple_choice,span_extraction,generation}/…",
        )
        super().__init__(root, skip_bad=skip_bad)

    def path(self, task: Task, set: str, split: str) -> Path:
        return path_of(self.root, task, set, split)

    def _load(self, task: Task, set: str, split: str) -> File:
        return load(self.root, task, set, split, skip_bad=self._skip_bad)


def path_of(root: Path, task: Task, set: str, split: str) -> Path:
    """Where a file stands in the official layout."""
    return root / set / task.folder / split / f"{task.file}.jsonl"


def load(root: Path, task: Task, set: str, split: str, *, skip_bad: bool = False) -> File:
    """Read one file. A broken line raises DataError with file, line and field; with `skip_bad` it is left out and counted."""
    path = path_of(root, task, set, split)
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise DataError(f"no {split} file of {task.name} ({set})", path) from None
    items: list[Item] = []
    skipped: list[DataError] = []
    numbers: dict[int, int] = {}
    dialogues: dict[tuple[str, ...], tuple[str, ...]] = {}  # several items share a dialogue: keep it once
    # Only "\n" ends a line: a JSON string may hold U+2028 and its like, which str.splitlines() would cut at.
    for line, text in enumerate(raw.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not text.strip():
            continue
        try:
            number, item = _item(text, path, line, f"corecode/{set}/{split}/{task.name}", task, set, split, dialogues)
            if number in numbers:
                raise DataError(f"{number} is taken by line {numbers[number]} already", path, line, "id")
        except DataError as error:
            if not skip_bad:
                raise
            skipped.append(error)
            continue
        numbers[number] = line
        items.append(item)
    return File(path, tuple(items), tuple(skipped), hashlib.sha256(raw).hexdigest())


def _item(
    text: bytes, path: Path, line: int, prefix: str, task: Task, set: str, split: str,
    dialogues: dict[tuple[str, ...], tuple[str, ...]],
) -> tuple[int, Item]:  # fmt: skip
    def fail(message: str, field: str | None = None) -> DataError:
        return DataError(message, path, line, field)

    try:
        row = json.loads(text.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise fail(f"not UTF-8 at byte {error.start}") from None
    except (json.JSONDecodeError, RecursionError) as error:
        raise fail(f"not JSON: {error}") from None
    if b"\\ud" in text or b"\\uD" in text:  # a lone surrogate is no character: no file, model or page could take it
        try:
            json.dumps(row, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise fail(
                f"holds half a character ({error.object[error.start : error.end]!r}): \\ud83d and its like come in pairs"
            ) from None
    if not isinstance(row, dict):
        raise fail(f"expected an object, found {type(row).__name__}")

    def get(field: str, kind: type, what: str) -> Any:
        if field not in row:
            raise fail("missing", field)
        if not isinstance(row[field], kind) or isinstance(row[field], bool):
            raise fail(f"expected {what}, found {json.dumps(row[field], ensure_ascii=False)[:60]}", field)
        return row[field]

    number = get("id", int, "a whole number")
    turns = get("dialogue", list, "a list of turns")
    if not turns or not all(isinstance(turn, str) for turn in turns):
        raise fail("expected a list of turns, each a string, at least one", "dialogue")
    question = get("question", str, "a string")
    if not question.strip():
        raise fail("is blank", "question")
    labels = tuple(key for key in row if _LABEL.fullmatch(key))
    options = tuple(get(label, str, "an option's text") for label in labels)
    if task.kind.options:
        if len(labels) < 2:
            raise fail(f"expected two options or more, such as '(a)', found {len(labels)}")
        answer = get("answer", list, "[label, text]")
        if len(answer) != 2 or answer[0] not in labels:
            raise fail(f"expected [label, text] with a label of {' '.join(labels)}, found {answer}", "answer")
        gold = labels.index(answer[0])
        if answer[1] != options[gold]:
            raise fail(f"its text is {answer[1]!r}, but option {answer[0]} is {options[gold]!r}", "answer")
        references = (options[gold],)
    else:
        if labels:
            raise fail(f"a {task.kind.name} task has no options, found {' '.join(labels)}", labels[0])
        gold = None
        references = (get("answer", str, "a string"),)
        if not references[0].strip():
            raise fail("is blank", "answer")
    key = tuple(turns)
    dialogue = dialogues.setdefault(key, key)
    return number, Item(
        f"{prefix}/{number}", task.name, set, split, dialogue, question, options, labels, gold, references
    )
