"""results.json as a file: it is read as `Results`, which may be narrowed to some cells, and checked before it is written anew."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from evalsuite.analyses import second_reader
from evalsuite.analyses.judged import sheets as judged
from evalsuite.analyses.judged.sheets import judged_cells
from evalsuite.analyses.second_reader import second_cells
from evalsuite.analyses.table import SECTIONS
from evalsuite.benchmarks.registry import add_run
from evalsuite.common.errors import ConfigError, DataError
from evalsuite.common.jsonl import first_fault
from evalsuite.common.plainfile import read_json
from evalsuite.results.analysis import Results, content_json
from evalsuite.results.places import known_values
from evalsuite.results.records import find_results, is_records_file
from evalsuite.results.schema.base import Rows, Strict, narrowed
from evalsuite.results.schema.cell import CellResult, MetricValue, ReadingFields
from evalsuite.results.store import without_cells
from evalsuite.types import Cell, Place, Reading


class ResultsFile(Strict):
    """results.json: all figures of a run. It holds no time and no path: the same settings give the same bytes."""

    format: Literal[1]
    evalsuite: str = Field(description="Version of evalsuite that wrote the file.")
    reading: ReadingFields
    cells: Rows[CellResult]


@cache
def results_file() -> type[ResultsFile]:
    """The model of results.json: the cells, and a key for each analysis that has content."""
    keys: dict[str, Any] = {}
    for row in SECTIONS:
        # A list with a million wrong entries is one error.
        model = Annotated[row.model, Field(fail_fast=True)] if get_origin(row.model) is list else row.model
        keys[row.key] = (model | None, Field(default=None, description=row.help))  # type: ignore[operator]
    return create_model("Results", __base__=ResultsFile, __doc__=ResultsFile.__doc__, **keys)


def to_json(results: Results) -> dict[str, Any]:
    """The content of results.json."""
    return {
        "format": 1,
        "evalsuite": results.version,
        "reading": asdict(results.reading),
        "cells": [cell.written() for cell in results.cells],
        **{row.key: content_json(results.contents[row.key]) for row in SECTIONS if row.key in results.contents},
    }


def load_results(run: Path) -> Results:
    """Read results.json without scoring again. Raises ConfigError if it is missing or not a file of evalsuite."""
    path = find_results(run)
    with score_named(run):
        return from_json(run, read_json(run, path.name))


@contextmanager
def score_named(run: Path) -> Iterator[None]:
    """Context manager that turns a DataError about results.json into a ConfigError, with the command that rewrites the file."""
    try:
        yield
    except DataError as error:
        raise ConfigError(f"{error}; `evalsuite score {run}` writes it anew") from None


def from_json(out: Path, content: Mapping[str, Any]) -> Results:
    """The results of a run's folder from the content of its results.json. Raises DataError, which names file and field."""
    add_run(out)
    try:
        return results_of(out, results_file().model_validate(content))
    except ValidationError as error:
        raise first_fault(error, out / "results.json") from None


def results_of(out: Path, file: ResultsFile) -> Results:
    """The results of a run's folder from a value of `results_file()`."""
    reading = Reading(file.reading.parser, file.reading.extract)
    contents = {row.key: content for row in SECTIONS if (content := getattr(file, row.key)) is not None}
    results = Results(out, file.evalsuite, reading, tuple(file.cells), contents)
    return replace(results, problems=tuple(problems_of(results)))


def problems_of(results: Results) -> Iterator[str]:
    """A line for each failure of a run."""
    for cell in results.cells:
        yield from _problems(cell)
    for row in SECTIONS:
        if row.key in results.contents:
            yield from row.problems(results.contents[row.key])


def _problems(cell: CellResult) -> Iterator[str]:
    name, estimate = cell.place.name, cell.estimate
    if cell.failed:
        yield f"{name}: {cell.failed} of {cell.items} requests failed: {'; '.join(cell.errors)}"
    if estimate and estimate.reached is False and estimate.margin is not None:
        yield (
            f"{name}: ±{100 * estimate.margin:g} not reached after {estimate.asked} of {estimate.of} items: the same run goes on"
        )
    if cell.missing and not estimate:
        yield f"{name}: {cell.missing} of {cell.items} not asked yet: the same run goes on"


# --- earlier results of the folder


class _EarlierCell(BaseModel):
    """A cell of an earlier results.json, of any version, with the fields that a new scoring needs."""

    model_config = ConfigDict(extra="allow")

    records: str
    items: int = 0
    missing: int = 0
    facts: dict[str, Any] = {}
    metrics: dict[str, dict[str, Any]] = {}

    @property
    def place(self) -> Place:
        return Place.of(self.model_extra or {})


@dataclass(frozen=True, slots=True)
class Earlier:
    """results.json as it was last written, by any version."""

    cells: Mapping[Place, _EarlierCell]
    files: tuple[str, ...]  # paths of its files of records, within the folder
    askers: frozenset[str]  # "judge NAME", "second reader NAME"

    @classmethod
    def of(cls, out: Path) -> Earlier:
        """The results.json of a folder; empty if there is none. Raises ConfigError for a file that is not evalsuite's, so
        that it is not overwritten."""
        path = out / "results.json"
        if not path.is_file():
            return cls({}, (), frozenset())
        try:
            content = json.loads(path.read_bytes())
            cells = [_EarlierCell.model_validate(row) for row in content["cells"]]
            asked = {
                row.key: (content.get(row.key) or {}).get("cells", ())
                for row in (judged.ANALYSIS, second_reader.ANALYSIS)
            }
            files = (*(cell.records for cell in cells), *(row["records"] for rows in asked.values() for row in rows))
            if not all(map(is_records_file, files)):
                raise ValueError("no file of records")
            askers = {f"judge {row['judge']}" for row in asked[judged.ANALYSIS.key]}
            askers |= {f"second reader {row['reader']}" for row in asked[second_reader.ANALYSIS.key]}
            return cls({cell.place: cell for cell in cells}, files, frozenset(askers))
        except OSError as error:
            raise ConfigError(f"{path}: cannot read: {error.strerror}") from None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise ConfigError(
                f"{path}: was not written by evalsuite, or is broken; name another folder, or move this file away"
            ) from None

    def metrics(self, place: Place) -> dict[str, MetricValue]:
        """The figures of the cell at a place, without those that this version cannot read; {} if there was no such cell."""
        known = {}
        for name, values in self.cells[place].metrics.items() if place in self.cells else ():
            try:
                known[name] = MetricValue.model_validate(values)
            except ValidationError:
                continue
        return known


def record_files(results: Results) -> list[str]:
    """Paths of a run's files of records, within its folder."""
    cells, judgings, readings = results.cells, judged_cells(results), second_cells(results)
    return [*(x.records for x in cells), *(x.records for x in judgings), *(x.records for x in readings)]


def require_own(out: Path) -> None:
    """Raise ConfigError if the folder holds files that a run would overwrite, but is no run's."""
    if not (out / "store.sqlite").exists():
        for name in ("results.json", "manifest.json"):
            if (out / name).exists():
                raise ConfigError(
                    f"{out}: holds a {name} and no store.sqlite, so it is no run's folder, or the run has lost its replies; "
                    f"name another --out, or move {name} away"
                )


def require_cells(out: Path, cells: Iterable[Cell], before: Earlier | None = None) -> None:
    """Raise ConfigError if results.json has cells that the store lacks. `before`: its content, if it was read already."""
    before = before or Earlier.of(out)
    lost = {*before.cells} - {cell.place for cell in cells}
    if lost:
        raise ConfigError(
            f"{out}: store.sqlite lacks {len(lost)} of the {len(before.cells)} cells of results.json, such as {min(lost).name}: "
            "it was emptied, replaced, or copied without store.sqlite-wal. Put the right one back, or move results.json away"
        )


def require_something(out: Path, cells: Iterable[Cell]) -> None:
    """Raise ConfigError if there is nothing to score: a store without `cells`, in a folder that had no results before."""
    if not list(cells) and not (out / "results.json").exists():
        raise without_cells(out)


def require_replies(out: Path, before: Earlier, after: Results) -> None:
    """Raise ConfigError if new results lack judgings, or replies to the same requests, that the earlier ones have."""
    now = {cell.place: cell for cell in after.cells}
    lost = []
    for place, old in before.cells.items():
        new = now[place]
        # Files leave out default values, at any depth; an earlier version did not write every fact.
        facts, old_facts = ({k: v for k, v in x.items() if v is not None} for x in (new.facts.written(), old.facts))
        same = facts == old_facts
        if same and new.items == old.items and new.missing > old.missing:
            lost.append(place.name)
    lost += [f"the {by}" for by in sorted(before.askers - _askers(after))]
    if lost:
        raise ConfigError(
            f"{out}: store.sqlite lacks replies that results.json has, such as those of {lost[0]}: it was replaced, or copied "
            "without store.sqlite-wal. Put the right one back, or move results.json away"
        )


def _askers(results: Results) -> set[str]:
    """The judges and second readers of a run, in the form of `Earlier.askers`."""
    judges = {f"judge {row.judge}" for row in judged_cells(results)}
    return judges | {f"second reader {row.reader}" for row in second_cells(results)}


# --- narrowing


def narrow(results: Results, filters: Mapping[str, Sequence[str]]) -> Results:
    """Keep the cells that match all filters, and the rows of analyses that are about such cells alone.

    filters: part of a place (types.PLACE) -> values, as a person types them. Raises ConfigError for a value that no cell has,
    or if no cell matches.
    """
    places = [cell.place for cell in results.cells]
    chosen = {name: known_values(places, name, values) for name, values in filters.items() if values}
    if not chosen:
        return results
    cells = tuple(cell for cell in results.cells if cell.concerns(chosen))
    if not cells:
        raise ConfigError(f"{results.out}: no cell is {' and '.join(', '.join(map(str, v)) for v in chosen.values())}")
    contents = {
        row.key: row.narrow(content, chosen) if row.narrow else narrowed(content, chosen)
        for row in SECTIONS
        if (content := results.contents.get(row.key)) is not None
    }
    part = replace(results, cells=cells, contents=contents, narrowed_from=results.whole)
    return replace(part, problems=tuple(problems_of(part)))
