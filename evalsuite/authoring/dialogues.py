"""Read raw dialogues: JSONL of {"id", "dialogue": ["A: …", …]}, or the original files of four corpora.

| corpus | key and form of a dialogue's turns |
|---|---|
| ours, CORECODE's layout | `dialogue`, texts |
| NaturalConv | `content`, texts without a speaker |
| DuLeMon | `conversation`, texts that begin with "Usr: " or "Bot: ", words with blanks between, some with a persona tag |
| KdConv, CrossWOZ | `messages`, objects with `message` or `content`, and perhaps `role` |

A file has one dialogue per line, or is a JSON array of dialogues, or a JSON object id -> dialogue.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalsuite.benchmarks.corpus import parse_json
from evalsuite.common import jsonl
from evalsuite.common.errors import DataError
from evalsuite.common.files import read_bytes
from evalsuite.perturb.choice import STYLES

_TURNS = ("dialogue", "content", "conversation", "messages")
_IDS = ("id", "dialog_id", "dialogue_id")
_MARK = re.compile(r"\s*([a-z]|usr|user|bot|sys|system)\s*[:：]\s*", re.IGNORECASE)
# DuLeMon ends turns with the persona sentences that they rest on ("…打工 呢 。\tU1") and puts blanks between words.
# CORECODE's dialogues have neither.
_TAG = re.compile(r"\t\s*[A-Z]\d+(?:[\s,，]+[A-Z]\d+)*\s*$")
_BETWEEN_WORDS = re.compile(r"(?<=[^\x00-\x7f]) +| +(?=[^\x00-\x7f])")


@dataclass(frozen=True, slots=True)
class RawDialogue:
    """A raw dialogue with its speakers marked."""

    id: str
    source: str  # the file's stem: a row of Table 8
    turns: tuple[str, ...]  # each with its speaker: "A: 你好。"
    tags: int = 0  # turns whose persona tag was removed

    @property
    def utterances(self) -> tuple[str, ...]:
        """The turns without their speakers."""
        return tuple(turn.partition(": ")[2] for turn in self.turns)


def dialogue_files(paths: Iterable[Path]) -> list[Path]:
    """The given files, and all .json and .jsonl files in given folders, sorted by path.

    Raises DataError for a folder without any, or two files with the same stem.
    """
    files: list[Path] = []
    for path in paths:
        inside = (
            sorted(p for p in path.rglob("*.json*") if p.suffix in (".json", ".jsonl")) if path.is_dir() else [path]
        )
        if not inside:
            raise DataError("no .json or .jsonl file in this folder", path)
        files += inside
    stems = Counter(file.stem for file in files)
    if same := next((file for file in files if stems[file.stem] > 1), None):
        raise DataError("two files of the same name; results are listed by file name, so rename one", same)
    return files


def read_dialogues(files: Iterable[Path]) -> Iterator[RawDialogue]:
    """All dialogues in order; JSONL is streamed. Raises DataError with line and field.

    Speakers become "A: " and "B: " in order of appearance (paper, section 3), unless all their names are single letters. If a
    turn names no speaker, two speakers alternate over all turns, with which the speakers that are named must agree. Persona tags
    of DuLeMon's turns and the blanks between its words are removed.
    """
    seen: set[str] = set()
    for file in files:
        for number, name, row in _rows(file):
            dialogue = _dialogue(file, number, name, row)
            if dialogue.id in seen:
                raise DataError(f"{dialogue.id!r} is another dialogue's id, too", file, number, "id")
            seen.add(dialogue.id)
            yield dialogue


def _rows(file: Path) -> Iterator[tuple[int, str, Any]]:
    """Each raw dialogue, with its line or index in the file and the id that it gets if it has none."""
    if _is_lines(file):
        yield from ((number, f"{file.stem}-{number}", row) for number, row in jsonl.read_objects(file))
        return
    whole = parse_json(read_bytes(file), file)
    if isinstance(whole, dict):
        yield from ((number, name, row) for number, (name, row) in enumerate(whole.items(), 1))
    elif isinstance(whole, list):
        yield from ((number, f"{file.stem}-{number}", row) for number, row in enumerate(whole, 1))
    else:
        raise DataError(f"expected dialogues, found {type(whole).__name__}", file)


def _is_lines(file: Path) -> bool:
    """Whether a file is JSONL. DuLeMon's .json files are, so the first line is tried."""
    if file.suffix == ".jsonl":
        return True
    try:
        _, first = next(jsonl.read_objects(file), (0, {}))
    except DataError:
        return False
    return any(isinstance(first.get(key), list) for key in _TURNS)


def _dialogue(file: Path, number: int, name: str, row: Any) -> RawDialogue:
    key = next((key for key in _TURNS if isinstance(row, dict) and key in row), None)
    if key is None:
        raise DataError(f"expected an object with one of {', '.join(_TURNS)}", file, number)
    turns = row[key]
    if not isinstance(turns, list) or not turns:
        raise DataError("expected a list of turns", file, number, key)
    tags = 0
    if key == "conversation":
        tags = sum(isinstance(turn, str) and bool(_TAG.search(turn)) for turn in turns)
        turns = [_BETWEEN_WORDS.sub("", _TAG.sub("", turn)) if isinstance(turn, str) else turn for turn in turns]
    spoken = [_turn(turn) for turn in turns]
    for n, turn in enumerate(spoken):
        if turn is None:
            raise DataError("expected a text, or an object with message or content", file, number, f"{key}[{n}]")
    if not _can_alternate(speakers := [turn[0] for turn in spoken if turn]):
        raise DataError(
            "names no speaker, and those of the other turns do not alternate: give every turn its speaker",
            file,
            number,
            f"{key}[{speakers.index('')}]",
        )
    id = next((row[key] for key in _IDS if key in row), name)
    if not isinstance(id, str | int):
        raise DataError("expected a text or a number", file, number, "id")
    return RawDialogue(str(id), file.stem, _marked([turn for turn in spoken if turn]), tags)


def _turn(turn: Any) -> tuple[str, str] | None:
    """The speaker of a turn, "" if it names none, and its text."""
    if isinstance(turn, dict):
        text = turn.get("message", turn.get("content"))
        role = turn.get("role")
        return ("" if role is None else str(role), text.strip()) if isinstance(text, str) else None
    if not isinstance(turn, str):
        return None
    mark = _MARK.match(turn)
    return (mark[1], turn[mark.end() :].strip()) if mark else ("", turn.strip())


def _can_alternate(speakers: Sequence[str]) -> bool:
    """Whether all turns name a speaker, or those that do fit two speakers who alternate."""
    first, second = ({name for name in speakers[n::2] if name} for n in (0, 1))
    return all(speakers) or (len(first) < 2 and len(second) < 2 and first.isdisjoint(second))


def _marked(spoken: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    if not all(speaker for speaker, _ in spoken):
        return tuple(f"{'AB'[n % 2]}: {text}" for n, (_, text) in enumerate(spoken))
    names = list(dict.fromkeys(speaker for speaker, _ in spoken))
    if not all(len(name) == 1 and name.isalpha() for name in names):
        letters = dict(zip(names, STYLES["upper"](len(names)), strict=True))
        spoken = [(letters[speaker], text) for speaker, text in spoken]
    return tuple(f"{speaker}: {text}" for speaker, text in spoken)
