"""What people marked: files of the page's (JSONL), or the sample's twins filled in by hand (JSONL or CSV)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalsuite.common import csvfile, jsonl
from evalsuite.common.errors import DataError
from evalsuite.review.audit.outputs import Output
from evalsuite.review.audit.rubrics import rubric
from evalsuite.review.audit.sample import Sample
from evalsuite.types import Scale

Said = int | tuple[int, ...] | str
NO_OPTION = ("none", "several", "refused")  # what a reply to a choice may say beside an option
_YES, _NO = ("true", "yes", "y", "1", "对", "是"), ("false", "no", "n", "0", "x", "错", "否")


@dataclass(frozen=True, slots=True)
class Mark:
    """What one person found of one output. `said`: the option's place (their places, where several are asked for), or
    one of NO_OPTION; for choices alone."""

    output: str
    annotator: str
    right: bool
    said: Said | None = None
    scores: Mapping[str, float] = field(default_factory=dict)
    blind: bool = True  # marked before the reference was shown
    note: str = ""


@dataclass(frozen=True, slots=True)
class Marks:
    marks: tuple[Mark, ...]  # one of an annotator for an output
    notes: tuple[str, ...]  # what a reader should know of the files


def sample_hashes(files: Sequence[Path]) -> set[str]:
    """Which samples the files say they are of."""
    return {str(row["sample"]) for file in files for _, row in _rows(file) if row.get("sample")}


def read_marks(files: Sequence[Path], sample: Sample) -> Marks:
    """Raises DataError with file, line and field for what is broken or belongs to another sample."""
    outputs = {d.output.id: d.output for d in sample.drawn}
    scales = rubric(sample.rubric).scales
    found: dict[tuple[str, str], Mark] = {}
    notes = []
    for file in files:
        double: set[str] = set()
        blank = 0
        for line, row in _rows(file):
            mark = _mark(row, file, line, sample.hash, outputs, scales)
            if mark is None:
                blank += 1
                continue
            place = mark.annotator, mark.output
            if place in found:
                double.add(mark.output)
            found[place] = mark
        if double:
            notes.append(
                f"{file}: {len(double)} outputs marked more than once by the same person; the last mark counts"
            )
        if blank:
            notes.append(f"{file}: {blank} outputs not marked")
    marks = tuple(found.values())
    if seen := sum(not m.blind for m in marks):
        notes.append(f"{seen} of {len(marks)} marks were made with the reference in view")
    return Marks(marks, tuple(notes))


def _rows(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line, fields), whatever the file is."""
    if file.suffix.lower() != ".csv":
        yield from jsonl.read(file)
        return
    for line, row in csvfile.read(file, delimiters=",;\t"):  # some countries' spreadsheets do not part by a comma
        yield line, {name: cell.strip() for name, cell in row.items() if cell is not None}


def _mark(
    row: Mapping[str, Any], file: Path, line: int, sample: str, outputs: Mapping[str, Output], scales: Sequence[Scale]
) -> Mark | None:
    """None if nothing is marked."""

    def wrong(name: str, expected: str) -> DataError:
        said = "missing" if row.get(name) in (None, "") else f"{str(row[name])[:60]!r}"
        return DataError(f"{said}; expected {expected}", file, line, name)

    if row.get("sample") != sample:
        raise wrong("sample", f"{sample}: these are marks of another sample")
    output = outputs.get(str(row.get("output")))
    if output is None:
        raise wrong("output", "the id of an output of the sample")
    asked = ("said",) if output.labels else ("right", *(s.name for s in scales if output.kind.rated))
    if all(row.get(name) in (None, "") for name in asked):
        return None
    annotator = str(row.get("annotator") or "").strip()
    if not annotator:
        raise wrong("annotator", "a name")
    said: Said | None = None
    if output.labels:
        several = output.kind.several
        said = _several(row.get("said"), output) if several else _said(row.get("said"), output)
        if said is None:
            some = "all that it names of " if several else ""
            raise wrong("said", f"{some}{', '.join(output.labels)}, or {', '.join(NO_OPTION)}")
        right = said == (output.golds if several else output.gold)
    else:
        answer = _yes(row.get("right"))
        if answer is None:
            raise wrong("right", "true or false")
        right = answer
    scores = {}
    for scale in scales if output.kind.rated else ():
        if row.get(scale.name) in (None, ""):
            continue
        score = _whole(row[scale.name])
        if score is None or not scale.low <= score <= scale.high:
            raise wrong(scale.name, f"a whole number from {scale.low} to {scale.high}")
        scores[scale.name] = float(score)
    blind = _yes(row.get("blind", True))
    return Mark(output.id, annotator, right, said, scores, blind is not False, str(row.get("note") or ""))


def _said(value: Any, output: Output) -> int | str | None:
    text = str(value or "").strip().casefold()
    if text in NO_OPTION:
        return text
    bare = [label.strip("()（）").casefold() for label in output.labels]
    return bare.index(core) if (core := text.strip("()（）")) in bare else None


def _several(value: Any, output: Output) -> tuple[int, ...] | str | None:
    """A list of labels, or a spreadsheet's "(0), (2)"."""
    names = value if isinstance(value, list) else re.split(r"[\s,;，；、]+", str(value or "").strip())
    found = [_said(name, output) for name in names]
    if len(found) == 1 and isinstance(found[0], str):
        return found[0]
    places = {place for place in found if isinstance(place, int)}
    return tuple(sorted(places)) if len(places) == len(found) else None


def _yes(value: Any) -> bool | None:
    text = str(value).strip().casefold()
    return True if text in _YES else False if text in _NO else None


def _whole(value: Any) -> int | None:
    """4, "4" or a spreadsheet's "4.0"."""
    if isinstance(value, bool):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return int(number) if number.is_integer() else None
