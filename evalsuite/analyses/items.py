"""The records behind a number, for `evalsuite show`: the list of items, and every reply to one of them.

Files are read line by line, since a run may have 100,000 records and a reply a megabyte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from evalsuite.analyses.judged.sheets import judged_cells
from evalsuite.analyses.second_reader import second_cells
from evalsuite.common.errors import ConfigError, DataError, unknown
from evalsuite.common.jsonl import parse_object
from evalsuite.results import records
from evalsuite.results.analysis import Results
from evalsuite.results.outcomes import outcome_of
from evalsuite.results.records import LineFields
from evalsuite.results.schema.cell import CellResult
from evalsuite.results.schema.record import LikelihoodFields, OpinionFields, RecordFields, SecondFields
from evalsuite.types import Status

OUTCOMES = ("right", "partial", "wrong", *(s.value for s in Status))  # "parsed" covers right, partial and wrong
_NUMBER = re.compile(r"(~\d+)?(~sample\d+)?$")  # as `entry_name` writes it
CANDIDATES = 20  # most ids that an error lists if several match


@dataclass(frozen=True, slots=True)
class ItemRecords:
    """The records of an item in one cell, one for each rotation and sample, and those of judges and second readers."""

    cell: CellResult
    records: tuple[RecordFields, ...]
    judged: tuple[OpinionFields, ...]
    second: tuple[SecondFields, ...]


def outcome(record: RecordFields) -> str:
    """ "right", "partial" or "wrong" if an answer was read, else its status; the same as on the page."""
    return outcome_of(record["answer"]["status"], record["scores"])


def golds(record: RecordFields) -> list[str]:
    """Labels of the right options; none for spans and texts."""
    return str(record["gold"]).split(", ") if record.get("gold") else []


def chosen(record: RecordFields) -> list[int]:
    """Indices of the options that were chosen."""
    answer = record["answer"]
    choice = answer.get("choice")
    return list(answer.get("choices") or ([] if choice is None else [choice]))


def list_records(results: Results, status: str) -> Iterator[tuple[CellResult, RecordFields]]:
    """(cell, record) of every record with a status; of all for "". Raises ConfigError for a status that is none of OUTCOMES."""
    if status and status not in OUTCOMES:
        raise ConfigError(unknown("status", status, OUTCOMES))
    for cell in _models_first(results):
        file = records.records_file(results.out, cell.records)
        for number, _, text in _lines(results.out, cell.records):
            record = _object(RecordFields, file, number, text)
            result = outcome(record)
            if status in ("", result) or (status == "parsed" and result in OUTCOMES[:3]):
                yield cell, record


def find_item(results: Results, item_id: str) -> str:
    """The one item whose id is `item_id`, ends with it ("…/123") or contains it, if need be without the number of a rotation or
    sample that --list puts behind it. Raises ConfigError for none or several."""
    text = item_id.removeprefix("…").removeprefix("...")
    ending, containing = dict[str, None](), dict[str, None]()
    for cell in results.cells:
        for _, name, _ in _lines(results.out, cell.records):
            if name == item_id:
                return name
            if name.endswith("/" + text.removeprefix("/")):
                ending[name] = None
            elif text in name and len(containing) <= CANDIDATES:
                containing[name] = None
    matches = list(ending or containing)
    if len(matches) == 1:
        return matches[0]
    if not matches and (item := _NUMBER.sub("", item_id)) != item_id:
        return find_item(results, item)
    if not matches:
        raise ConfigError(f"no item {item_id!r} in {results.out}; `evalsuite show {results.out} --list` lists them")
    more = ["…"] if len(matches) > CANDIDATES else []
    raise ConfigError("\n  ".join([f"{item_id!r} may be any of these items:", *matches[:CANDIDATES], *more]))


def item_records(results: Results, name: str) -> Iterator[ItemRecords]:
    """The records of the item with this id, cell by cell."""
    for cell in _models_first(results):
        records = _lines_about(RecordFields, results.out, [cell.records], name)
        if not records:
            continue
        judged = [row.records for row in judged_cells(results) if row.place == cell.place and row.control != "attack"]
        second = [row.records for row in second_cells(results) if row.place == cell.place]
        of_judges = _lines_about(OpinionFields, results.out, judged, name)
        of_readers = _lines_about(SecondFields, results.out, second, name)
        yield ItemRecords(cell, records, of_judges, of_readers)


def _models_first(results: Results) -> list[CellResult]:
    """The cells of models, then those of baselines."""
    return sorted(results.cells, key=lambda cell: cell.is_baseline)


def _lines_about(form: type[LineFields], run: Path, paths: Iterable[str], name: str) -> tuple[LineFields, ...]:
    """The lines about one item in some files of records."""
    return tuple(
        _object(form, records.records_file(run, path), number, text)
        for path in paths
        for number, item, text in _lines(run, path)
        if item == name
    )


# The item's id is found without parsing the line. Inside a text the quotes are escaped.
_ITEM = re.compile(rb'(?<!\\)"item": ?("(?:[^"\\]|\\.)*")')


def _lines(run: Path, path: str) -> Iterator[tuple[int, str, bytes]]:
    """(number, item's id, line) of a file of records, plain or gzip'd."""
    file = records.records_file(run, path)
    for number, text in records.numbered_lines(run, file):
        head = _ITEM.search(text)
        try:
            name = json.loads(head[1]) if head else _object(RecordFields, file, number, text)["item"]
        except (ValueError, RecursionError) as error:
            raise DataError(f"not JSON: {error}", file, number) from None
        yield number, name, text


_REQUIRED = ("dialogue", "question", "options", "labels", "references")


def _object(form: type[LineFields], file: Path, number: int, text: bytes) -> LineFields:
    """A line parsed as `form`. Raises DataError if it lacks fields that are shown."""
    record = parse_object(text, file, number, surrogates=True)
    if not isinstance(record.get("item"), str) or not _is_whole(record):
        raise DataError("not a record of evalsuite: something is missing", file, number)
    return cast(LineFields, record)


def _is_whole(record: Mapping[str, object]) -> bool:
    """Whether a line has the keys that are shown. Lines of judged/, which have "reasons", and of second/, which have "relation",
    are not checked."""
    if "reasons" in record or "relation" in record:
        return True
    answer, scores = record.get("answer"), record.get("scores")
    return (
        isinstance(answer, dict)
        and "status" in answer
        and isinstance(scores, dict)
        and all(n in record for n in _REQUIRED)
    )


def option_shares(likelihoods: Sequence[LikelihoodFields]) -> list[float | None]:
    """Softmax of the options' log-probabilities: each option's share. All None if one of them is not finite."""
    from math import exp, isfinite

    logprobs = [x["logprob"] for x in likelihoods]
    if not all(isinstance(p, (int, float)) and isfinite(p) for p in logprobs):
        return [None] * len(logprobs)
    highest = max(logprobs, default=0.0)
    weights = [exp(p - highest) for p in logprobs]
    total = sum(weights)
    return [weight / total for weight in weights]
