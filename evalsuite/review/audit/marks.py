"""Files of marks: the audit page's export (JSONL), or to-mark.csv / to-mark.jsonl filled in by hand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalsuite.common import csvfile, jsonl
from evalsuite.common.errors import DataError
from evalsuite.common.jsonl import JsonObject
from evalsuite.review.audit.outputs import Output
from evalsuite.review.audit.rubrics import rubric_named
from evalsuite.review.audit.sample import Sample
from evalsuite.types import Scale

MarkedAnswer = int | tuple[int, ...] | str
NO_OPTION = ("none", "several", "refused")  # readings of a reply to a choice question that are not one option
_YES, _NO = ("true", "yes", "y", "1", "对", "是"), ("false", "no", "n", "0", "x", "错", "否")


@dataclass(frozen=True, slots=True)
class Mark:
    """One annotator's mark on one output.

    `said` is set for choice questions only: the index of the option that the reply names (a tuple of indices where
    several options may be right), or one of NO_OPTION.
    """

    output: str  # the output's id
    annotator: str
    right: bool
    said: MarkedAnswer | None = None
    scores: Mapping[str, float] = field(default_factory=dict)
    blind: bool = True  # whether the mark was made before the reference was shown
    note: str = ""


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks of all files."""

    marks: tuple[Mark, ...]  # at most one per annotator and output
    notes: tuple[str, ...]  # warnings: double marks, unmarked rows, marks made with the reference in view


def sample_hashes(files: Sequence[Path]) -> set[str]:
    """Hashes of the samples that the marks name."""
    return {str(row["sample"]) for file in files for _, row in _rows(file) if row.get("sample")}


def read_marks(files: Sequence[Path], sample: Sample) -> Marks:
    """Read and check marks of `sample`.

    Raises DataError with file, line and field for a malformed mark or a mark of another sample.
    """
    outputs = {d.output.id: d.output for d in sample.drawn}
    scales = rubric_named(sample.rubric).scales
    latest: dict[tuple[str, str], Mark] = {}
    notes = []
    for file in files:
        double: set[str] = set()
        blank = 0
        for line, row in _rows(file):
            mark = _mark_of(row, file, line, sample.hash, outputs, scales)
            if mark is None:
                blank += 1
                continue
            key = mark.annotator, mark.output
            if key in latest:
                double.add(mark.output)
            latest[key] = mark
        if double:
            notes.append(
                f"{file}: {len(double)} outputs marked more than once by the same person; the last mark counts"
            )
        if blank:
            notes.append(f"{file}: {blank} outputs not marked")
    marks = tuple(latest.values())
    if seen := sum(not m.blind for m in marks):
        notes.append(f"{seen} of {len(marks)} marks were made with the reference in view")
    return Marks(marks, tuple(notes))


def _rows(file: Path) -> Iterator[tuple[int, JsonObject]]:
    """(line number, fields) of a CSV or JSONL file."""
    if file.suffix.lower() != ".csv":
        yield from jsonl.read_objects(file)
        return
    for line, row in csvfile.read_rows(file, delimiters=",;\t"):  # some locales export CSV with ; or tab
        cells = {name: cell.strip() for name, cell in row.items() if cell is not None}
        # `csvfile.hash_field` puts an apostrophe before some hashes.
        yield line, cells | {name: cells[name].removeprefix("'") for name in ("sample", "output") if name in cells}


def _mark_of(
    row: Mapping[str, object],
    file: Path,
    line: int,
    sample: str,
    outputs: Mapping[str, Output],
    scales: Sequence[Scale],
) -> Mark | None:
    """The mark in a row; None if the row is not filled in."""

    def wrong(name: str, expected: str) -> DataError:
        shown = "missing" if row.get(name) in (None, "") else f"{str(row[name])[:60]!r}"
        return DataError(f"{shown}; expected {expected}", file, line, name)

    if row.get("sample") != sample:
        raise wrong("sample", f"{sample}: these are marks of another sample")
    output = outputs.get(str(row.get("output")))
    if output is None:
        raise wrong("output", "the id of an output of the sample")
    required = ("said",) if output.labels else ("right", *(s.name for s in scales if output.kind.rated))
    if all(row.get(name) in (None, "") for name in required):
        return None
    annotator = str(row.get("annotator") or "").strip()
    if not annotator:
        raise wrong("annotator", "a name")
    said: MarkedAnswer | None = None
    if output.labels:
        several = output.kind.several
        said = _options_of(row.get("said"), output) if several else _option_of(row.get("said"), output)
        if said is None:
            labels, silent = ", ".join(output.labels), ", ".join(NO_OPTION)
            raise wrong(
                "said", f"all that it names of {labels}, or {silent}" if several else f"one of {labels} or {silent}"
            )
        right = said == (output.golds if several else output.gold)
    else:
        answer = _yes_or_no(row.get("right"))
        if answer is None:
            raise wrong("right", "true or false")
        right = answer
    scores = {}
    for scale in scales if output.kind.rated else ():
        if row.get(scale.name) in (None, ""):
            continue
        score = _whole_number(row[scale.name])
        if score is None or not scale.low <= score <= scale.high:
            raise wrong(scale.name, f"a whole number from {scale.low} to {scale.high}")
        scores[scale.name] = float(score)
    blind = _yes_or_no(row.get("blind", True))
    return Mark(output.id, annotator, right, said, scores, blind is not False, str(row.get("note") or ""))


def _option_of(value: Any, output: Output) -> int | str | None:
    text = str(value or "").strip().casefold()
    if text in NO_OPTION:
        return text
    bare = [label.strip("()（）").casefold() for label in output.labels]
    return bare.index(core) if (core := text.strip("()（）")) in bare else None


def _options_of(value: Any, output: Output) -> tuple[int, ...] | str | None:
    """Read a list of labels, or their spreadsheet form "(0), (2)"."""
    names = value if isinstance(value, list) else re.split(r"[\s,;，；、]+", str(value or "").strip())
    options = [_option_of(name, output) for name in names]
    if len(options) == 1 and isinstance(options[0], str):
        return options[0]
    indices = {index for index in options if isinstance(index, int)}
    return tuple(sorted(indices)) if len(indices) == len(options) else None


def _yes_or_no(value: Any) -> bool | None:
    text = str(value).strip().casefold()
    return True if text in _YES else False if text in _NO else None


def _whole_number(value: Any) -> int | None:
    """Read 4, "4" or the spreadsheet form "4.0"; None for anything else."""
    if isinstance(value, bool):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return int(number) if number.is_integer() else None
