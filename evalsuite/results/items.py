"""The items behind a number, from a run's records: which there are, and every reply to one of them.

Files are read line by line: a run may have 100,000 records, and a reply a megabyte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalsuite.common.errors import ConfigError, DataError, unknown
from evalsuite.results import records
from evalsuite.results.journey import Results
from evalsuite.types import Place, Status

Record = dict[str, Any]
OUTCOMES = ("right", "partial", "wrong", *(s.value for s in Status))  # parsed: right, partial and wrong together
CANDIDATES = 20  # ids that are listed where several match


@dataclass(frozen=True, slots=True)
class Asked:
    """The records of an item in one cell (several if it was rotated), and judges' records of them."""

    cell: dict[str, Any]
    records: tuple[Record, ...]
    judged: tuple[Record, ...]


def outcome(record: Record) -> str:
    """right, partial or wrong, if an answer was read; else its status. As the page has it."""
    status, scores = str(record["answer"]["status"]), record["scores"]
    if status != Status.PARSED:
        return status
    if any(scores.get(name) == 1 for name in ("accuracy", "set_accuracy", "em")):
        return "right"
    return "partial" if max(scores.get("f1", 0), scores.get("answer_f1", 0)) > 0 else "wrong"


def golds(record: Record) -> list[str]:
    """The labels of the right options: one, several, or none for spans and texts."""
    return str(record["gold"]).split(", ") if record.get("gold") else []


def chosen(record: Record) -> list[int]:
    """The options that were read."""
    answer = record["answer"]
    return list(answer.get("choices") or ([] if answer.get("choice") is None else [answer["choice"]]))


def listed(done: Results, status: str) -> Iterator[tuple[dict[str, Any], Record]]:
    """Every record with its cell, or those of one of OUTCOMES."""
    if status and status not in OUTCOMES:
        raise ConfigError(unknown("status", status, OUTCOMES))
    for cell in done.cells:
        for record in _records(done.out, cell["records"]):
            came = outcome(record)
            if status in ("", came) or (status == "parsed" and came in OUTCOMES[:3]):
                yield cell, record


def find(done: Results, wanted: str) -> str:
    """The id that is `wanted`, ends so ("…/123") or holds it. Raises ConfigError if that is none, or several."""
    text = wanted.removeprefix("…").removeprefix("...")
    ends, parts = dict[str, None](), dict[str, None]()
    for cell in done.cells:
        for _, name, _ in _lines(done.out, cell["records"]):
            if name == wanted:
                return name
            if name.endswith("/" + text.removeprefix("/")):
                ends[name] = None
            elif text in name and len(parts) <= CANDIDATES:
                parts[name] = None
    found = list(ends or parts)
    if len(found) == 1:
        return found[0]
    if not found:
        raise ConfigError(f"no item {wanted!r} in {done.out}; `evalsuite show {done.out} --list` lists them")
    more = ["…"] if len(found) > CANDIDATES else []
    raise ConfigError("\n  ".join([f"{wanted!r} may be any of these items:", *found[:CANDIDATES], *more]))


def asked(done: Results, name: str) -> Iterator[Asked]:
    """The records of the item with this id, cell by cell."""
    for cell in done.cells:
        records = _of(done.out, cell["records"], name)
        if not records:
            continue
        said = [
            record
            for entry in done.judged.get("cells", ())
            if entry["control"] != "attack" and Place.of(entry) == Place.of(cell)
            for record in _of(done.out, entry["records"], name)
        ]
        yield Asked(cell, tuple(records), tuple(said))


def _of(run: Path, path: str, name: str) -> list[Record]:
    return [
        _object(records.find(run, path), number, text) for number, found, text in _lines(run, path) if found == name
    ]


def _records(run: Path, path: str) -> Iterator[Record]:
    for number, _, text in _lines(run, path):
        yield _object(records.find(run, path), number, text)


# Whose a record is, without reading the rest of it; within a text the quotes would be escaped.
_ITEM = re.compile(rb'(?<!\\)"item": ?("(?:[^"\\]|\\.)*")')


def _lines(run: Path, path: str) -> Iterator[tuple[int, str, bytes]]:
    """(number, item's id, line) of a file of records, plain or gzip'd."""
    file = records.find(run, path)
    for number, text in records.lines(file):
        head = _ITEM.search(text)
        try:
            name = json.loads(head[1]) if head else str(_object(file, number, text)["item"])
        except ValueError as error:
            raise DataError(f"not JSON: {error}", file, number) from None
        yield number, name, text


_HAS = ("dialogue", "question", "options", "labels", "references")


def _object(file: Path, number: int, text: bytes) -> Record:
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"not JSON: {error}", file, number) from None
    if not isinstance(record, dict) or not isinstance(record.get("item"), str) or not _is_whole(record):
        raise DataError("not a record of evalsuite: something is missing", file, number)
    return dict(record)


def _is_whole(record: Record) -> bool:
    """A line of judged/ has scores and reasons, a line of records/ an answer and all that was asked."""
    if "reasons" in record:
        return True
    answer, scores = record.get("answer"), record.get("scores")
    return (
        isinstance(answer, dict) and "status" in answer and isinstance(scores, dict) and all(n in record for n in _HAS)
    )


def among(likelihoods: Sequence[dict[str, Any]]) -> list[float | None]:
    """Each option's probability among the options; None where one is no number."""
    from math import exp, isfinite

    logprobs = [x["logprob"] for x in likelihoods]
    if not all(isinstance(p, (int, float)) and isfinite(p) for p in logprobs):
        return [None] * len(logprobs)
    parts = [exp(p - max(logprobs)) for p in logprobs]
    return [part / sum(parts) for part in parts]
