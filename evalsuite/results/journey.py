"""The second half of the journey on one page: replies -> answers -> scores -> records/*.jsonl and results.json.

It needs a run's store, nothing else: no model, no data. results.json holds no time and no path of the machine: two runs of
the same settings write the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from evalsuite.common.errors import ConfigError, unknown
from evalsuite.common.files import replace_file
from evalsuite.results import breakdown, cells, correlations, learning, means, robustness
from evalsuite.results.judged import summary
from evalsuite.results.outcomes import ScoredRun
from evalsuite.results.signature import VERSION
from evalsuite.results.store import Keep, Source, Store
from evalsuite.types import PARSERS, Place, Reading, Status

# What results.json holds beside its cells: each function takes the scored run and returns its keys.
SECTIONS: tuple[Callable[[ScoredRun], dict[str, Any]], ...] = (
    robustness.section,
    means.section,
    learning.section,
    breakdown.section,
    correlations.section,
    summary.section,
)


def write_results(out: Path, reading: Reading) -> Results:
    """Score every cell of the store in `out`; write records/ and results.json. The caller holds the folder's lock."""
    if reading.parser not in PARSERS:
        raise ConfigError(unknown("parser", reading.parser, PARSERS))
    written: set[Path] = set()

    @contextmanager
    def keep(path: str) -> Iterator[Callable[[dict[str, Any]], None]]:
        lines: list[str] = []
        yield lambda record: lines.append(json.dumps(record, ensure_ascii=False) + "\n")
        (out / path).parent.mkdir(exist_ok=True)
        replace_file(out / path, "".join(lines))
        written.add(out / path)

    with open_store(out) as store:
        (out / "records").mkdir(exist_ok=True)
        content = compute(store, reading, keep)
    for folder in ("records", "judged"):
        for stale in (out / folder).glob("*.jsonl"):
            if stale not in written:
                stale.unlink()
    replace_file(out / "results.json", json.dumps(content, ensure_ascii=False, indent=1) + "\n")
    return Results.of(out, content)


def compute(source: Source, reading: Reading, keep: Keep) -> dict[str, Any]:
    """What results.json holds, from a run's store or from the records of a submission; every record goes to `keep`."""
    scored = tuple(cells.score(source, cell, reading, keep) for cell in source.cells())
    run = ScoredRun(source, reading, keep, scored)
    content = {"format": 1, "evalsuite": VERSION, "reading": asdict(reading), "cells": run.entries}
    for section in SECTIONS:
        content |= section(run)
    return content


@dataclass(frozen=True, slots=True)
class Results:
    """What results.json holds, key by key, and what went wrong."""

    out: Path
    cells: tuple[dict[str, Any], ...]
    problems: tuple[str, ...]  # what failed, a line each; empty if all is well
    robustness: dict[str, Any] = field(default_factory=dict)
    means: list[dict[str, Any]] = field(default_factory=list)
    learning: list[dict[str, Any]] = field(default_factory=list)
    breakdowns: list[dict[str, Any]] = field(default_factory=list)
    confusions: list[dict[str, Any]] = field(default_factory=list)
    metric_correlations: list[dict[str, Any]] = field(default_factory=list)
    judged: dict[str, Any] = field(default_factory=dict)  # empty if nothing was judged

    @classmethod
    def of(cls, out: Path, content: dict[str, Any]) -> Results:
        """Build from parsed results.json. Keys that older versions did not write are empty."""
        keys = [f.name for f in fields(cls) if f.name in content and f.name not in ("out", "problems", "cells")]
        done = cls(out, tuple(content["cells"]), (), **{name: content[name] for name in keys})
        return replace(done, problems=problems_of(done))

    @property
    def exit_code(self) -> int:
        return 1 if self.problems else 0


def problems_of(done: Results) -> tuple[str, ...]:
    """What of a run failed or was not asked yet, a line each."""
    return (*(p for c in done.cells for p in _problems(c)), *summary.problems(done.judged))


def _problems(cell: dict[str, Any]) -> list[str]:
    way = Place.of(cell).name
    problems = []
    if failed := cell["status"].get(Status.FAILED.value, 0):
        problems.append(f"{way}: {failed} of {cell['items']} requests failed: {'; '.join(cell['errors'])}")
    if cell["missing"]:
        problems.append(f"{way}: {cell['missing']} of {cell['items']} not asked yet: the same run goes on")
    return problems


def find_store(out: Path) -> Path:
    """The store's file in a run's folder. Raises ConfigError if there is none."""
    path = out / "store.sqlite"
    if not path.is_file():
        raise ConfigError(f"{out}: no run here (no store.sqlite); `evalsuite run --out {out}` makes one")
    return path


def open_store(out: Path) -> Store:
    """The store of a run's folder. Raises ConfigError if there is none."""
    return Store(find_store(out))


def reading_of(out: Path) -> Reading:
    """How the run's results were read last."""
    path = out / "results.json"
    return Reading(**json.loads(path.read_text(encoding="utf-8"))["reading"]) if path.is_file() else Reading()
