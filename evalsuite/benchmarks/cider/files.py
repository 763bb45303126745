"""Read CIDER's official files: the test files of folds, and the annotations. loader.py combines them into splits."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalsuite.benchmarks.cider.dnli import Triplet
from evalsuite.benchmarks.cider.relations import RELATIONS, official_triplet, parse_question
from evalsuite.benchmarks.corpus import File, collect, parse_list
from evalsuite.common import csvfile
from evalsuite.common.errors import DataError, unknown
from evalsuite.common.files import read_bytes
from evalsuite.types import Item, Task

Fail = Callable[..., DataError]  # (message, field) -> the error, with file and line
# (number, context, question, options, gold, answer) of a row.
_QuestionFields = tuple[str, str, str, tuple[str, ...], int | None, str]


def annotations_path(root: Path) -> Path:
    """The path of the annotated dialogues."""
    return root / "data" / "cider_main.json"


def test_path(root: Path, task: Task, fold: str) -> Path:
    """The path of a fold's test file. The files of span selection count folds from 0."""
    number = int(fold.removeprefix("fold"))
    return root / task.folder / task.file.format(number - 1 if task.local.startswith("span_selection") else number)


def load_test(root: Path, task: Task, fold: str, *, skip_bad: bool = False) -> File:
    """Read one test file. A broken row raises DataError with file, row and field, or is left out (`skip_bad`)."""
    path = test_path(root, task, fold)
    raw = read_bytes(path)
    read, labels = _READERS[task.local]
    numbers: set[str] = set()
    contexts: dict[str, tuple[str]] = {}  # many items have the same context: keep one copy

    def item(line: int, row: Any) -> Item:
        fail = _failing(path, line)
        number, context, question, options, gold, answer = read(row, fail)
        for name, text in (("context", context), ("question", question), ("answer", answer)):
            if not text.strip():
                raise fail(f"its {name} is blank")
        if number in numbers:
            raise fail(f"{number} stands there twice")
        numbers.add(number)
        return Item(
            f"cider/{fold}/test/{task.local}/{number}",
            task.name,
            fold,
            "test",
            contexts.setdefault(context, (context,)),
            question,
            options,
            labels,
            gold,
            (answer,),
        )

    items, skipped = collect(_rows(path, raw), item, skip_bad)
    return File(path, items, skipped, hashlib.sha256(raw).hexdigest())


def _rows(path: Path, raw: bytes) -> Iterator[tuple[int, Any]]:
    """(line, row) of a CSV file with a header, or (index, object) of a JSON list."""
    if path.suffix != ".json":
        yield from csvfile.parse_rows(raw, path)
        return
    yield from enumerate(parse_list(raw, path))


def _failing(path: Path, line: int) -> Fail:
    """The function (message, field) -> error of a row: the error has the line in a CSV file, or "[3]" in a JSON list."""
    if path.suffix == ".json":
        return lambda message, field="": DataError(message, path, None, f"[{line}]{field}")
    return lambda message, field="": DataError(message, path, line, field or None)


def _column(row: dict[str, str | None], fail: Fail, name: str) -> str:
    value = row.get(name)
    if value is None:
        raise fail("missing", name)
    return value


def _span(row: Any, fail: Fail) -> _QuestionFields:
    try:
        (qa,) = row["qas"]
        (answer,) = qa["answers"]
        context, text, number, question = (str(x) for x in (row["context"], answer["text"], qa["id"], qa["question"]))
        start = int(answer["answer_start"])
    except (KeyError, TypeError, ValueError):
        raise fail(
            "expected {context, qas: [{id, question, answers: [{text, answer_start}]}]}, one question, one answer"
        ) from None
    if context[start : start + len(text)] != text:
        raise fail(f"{text!r} does not stand at {start} of the context", ".qas[0].answers[0].answer_start")
    _require_question(question, fail, ".qas[0].question")
    return number, context, question, (), None, text


def _selection(row: Any, fail: Fail) -> _QuestionFields:
    options = tuple(_column(row, fail, f"ending{n}") for n in range(4))
    label = _column(row, fail, "label")
    if label not in ("0", "1", "2", "3"):
        raise fail(f"expected 0, 1, 2 or 3, found {label!r}", "label")
    question = _column(row, fail, "sent2")
    _require_question(question, fail, "sent2")
    gold = int(label)
    return _column(row, fail, "video-id"), _column(row, fail, "sent1"), question, options, gold, options[gold]


def _require_question(question: str, fail: Fail, field: str) -> None:
    if parse_question(question) is None:
        raise fail(f"{question!r} is no question of the paper's Table 10", field)


def _relation(row: Any, fail: Fail) -> _QuestionFields:
    name, pair = _column(row, fail, "label"), _column(row, fail, "sentence2")
    if name not in RELATIONS:
        raise fail(unknown("relation", name, RELATIONS), "label")
    if pair.count(" [SEP] ") != 1:
        raise fail("expected 'head [SEP] tail'", "sentence2")
    options = tuple(RELATIONS)
    return _column(row, fail, "id"), _column(row, fail, "sentence1"), pair, options, options.index(name), name


_LETTERS = ("(a)", "(b)", "(c)", "(d)")
_NUMBERS = tuple(f"({n})" for n in range(1, len(RELATIONS) + 1))  # more relations than letters

_READERS: dict[str, tuple[Callable[[Any, Fail], _QuestionFields], tuple[str, ...]]] = {
    "span_extraction": (_span, ()),
    "span_selection": (_selection, _LETTERS),
    "span_selection_question": (_selection, _LETTERS),
    "relation_prediction": (_relation, _NUMBERS),
    "relation_prediction_pair": (_relation, _NUMBERS),
}


# --- the annotations


@dataclass(frozen=True, slots=True)
class RelationDialogue:
    """An annotated dialogue: its turns ("A: …") and its distinct triplets of the 31 relations."""

    id: str
    turns: tuple[str, ...]
    triplets: tuple[Triplet, ...]


@dataclass(frozen=True, slots=True)
class Annotations:
    """The content of cider_main.json; `skipped` are the errors of the dialogues left out."""

    dialogues: tuple[RelationDialogue, ...]
    skipped: tuple[DataError, ...]
    sha256: str


def read_annotations(path: Path, *, skip_bad: bool = False) -> Annotations:
    """Read cider_main.json. A broken dialogue raises DataError with its index, or is left out (`skip_bad`)."""
    raw = read_bytes(path)

    def dialogue(number: int, row: Any) -> RelationDialogue:
        try:
            triplets = [(str(t["head"]), str(t["relation"]), str(t["tail"])) for t in row["triplets"]]
            return RelationDialogue(str(row["id"]), split_turns(row["utterances"]), _triplets(triplets))
        except (KeyError, TypeError, AttributeError):
            raise _failing(path, number)("expected {id, utterances, triplets: [{head, relation, tail}]}") from None

    dialogues, skipped = collect(_rows(path, raw), dialogue, skip_bad)
    return Annotations(dialogues, skipped, hashlib.sha256(raw).hexdigest())


def split_turns(utterances: str) -> tuple[str, ...]:
    """The turns of a dialogue, each with its speaker mark.

    Four spaces separate utterances. An utterance without a speaker mark continues the turn before it (in MuTual). The
    annotator's note that follows a line of asterisks in one dialogue is left out, as in the official task files.

    >>> split_turns("A: my god !    that 's a fortune !    B: i know . ")
    ("A: my god ! that 's a fortune !", 'B: i know .')
    """
    turns: list[str] = []
    for utterance in utterances.partition("\n* * *")[0].strip().split("    "):
        if turns and not _SPEAKER.match(utterance):
            turns[-1] += f" {utterance.strip()}"
        else:
            turns.append(utterance.strip())
    return tuple(turns)


_SPEAKER = re.compile(r"[A-Z]: ")


def _triplets(raw: list[tuple[str, str, str]]) -> tuple[Triplet, ...]:
    triplets: dict[tuple[str, str, str], Triplet] = {}
    for origin, triplet in enumerate(raw):
        if (known := official_triplet(*triplet)) and known not in triplets:  # merged names make some triplets the same
            triplets[known] = Triplet(*known, origin)
    return tuple(triplets.values())
