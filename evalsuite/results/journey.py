"""The second half of the journey on one page: replies -> answers -> scores -> records/*.jsonl and results.json.

It needs the store of a run and nothing else: no model, no data files. results.json holds no time and no path: two runs with
the same settings write the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalsuite.common.errors import ConfigError, unknown
from evalsuite.common.files import remove, replacing_together
from evalsuite.common.finite import finite_json
from evalsuite.results import (
    aspects,
    breakdown,
    chance,
    contamination,
    correlations,
    difficulty,
    extraction,
    gaps,
    learning,
    means,
    memory,
    overview,
    ranked,
    robustness,
    second,
)
from evalsuite.results.cells import cell_results, without_prompt
from evalsuite.results.estimates import counted_places
from evalsuite.results.judged import summary
from evalsuite.results.outcomes import ScoredCell, ScoredRun
from evalsuite.results.records import file_name, record_of
from evalsuite.results.saved import Results, record_files, require_cells, require_replies, written_results
from evalsuite.results.scoring import read_answer, score_answer
from evalsuite.results.signature import VERSION
from evalsuite.results.similarity import keep_similarity
from evalsuite.results.store import RecordWriter, Source, open_store
from evalsuite.types import PARSERS, Cell, Place, Reading

if TYPE_CHECKING:
    from evalsuite.metrics.semsim import Encoder

# The keys of results.json beside "cells": each function takes the scored run and returns some of them with their content.
SECTIONS: tuple[Callable[[ScoredRun], dict[str, Any]], ...] = (
    robustness.section,
    means.section,
    extraction.section,
    gaps.section,
    chance.section,
    learning.section,
    breakdown.section,
    aspects.section,
    difficulty.section,
    correlations.section,
    summary.section,
    second.section,
    memory.section,
    ranked.section,
)
# Those that take estimates, too.
OF_ALL = (means.section, summary.section, second.section, ranked.section)


def write_results(out: Path, reading: Reading, encoder: Encoder | None = None) -> Results:
    """Score every cell of the store in `out`; write records/, judged/, second/ and results.json. The caller holds the folder's lock.

    encoder: adds the similarity of short texts. Without one, that of an earlier scoring of the same texts is kept.

    Raises ConfigError if there is no store or the parser is unknown.
    """
    if reading.parser not in PARSERS:
        raise ConfigError(unknown("parser", reading.parser, PARSERS))
    before = written_results(out)
    results = out / "results.json"
    with open_store(out) as store, replacing_together(results) as draft:
        require_cells(out, store.cells())

        @contextmanager
        def write_records(path: str) -> Iterator[Callable[[dict[str, Any]], None]]:
            (out / path).parent.mkdir(exist_ok=True)
            with draft(out / path) as file:
                yield lambda record: file.writelines([finite_json(record, out / path).encode(), b"\n"])

        (out / "records").mkdir(exist_ok=True)
        content = score_run(store, reading, write_records, encoder, before) | contamination.section(out)
        require_replies(out, before, content)
        with draft(results) as file:
            file.write(finite_json(content, results, indent=1).encode() + b"\n")
    remove(out, {*record_files(before)} - {*record_files(content)})
    return Results.of(out, content)


def score_run(
    source: Source,
    reading: Reading,
    write_records: RecordWriter,
    encoder: Encoder | None = None,
    before: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The content of results.json, computed from a run's store or from the records of a submission.

    before: earlier content; its similarities of the same texts are kept.
    """
    cells = tuple(score_replies(source, cell, reading, write_records, encoder) for cell in source.cells())
    earlier = {Place.of(row): row for row in (before or {"cells": ()})["cells"]}
    for cell in cells:
        keep_similarity(cell.entry, earlier)
    run = ScoredRun(source, reading, write_records, cells)
    # A cell that was stopped early has no figures but its estimate: intervals and tests of other sections do not allow for that.
    whole = replace(run, cells=tuple(cell for cell in cells if "estimate" not in cell.entry))
    content = {"format": 1, "evalsuite": VERSION, "reading": asdict(reading), "cells": run.entries}
    for section in SECTIONS:
        content |= section(run if section in OF_ALL else whole)
    return content | overview.section(content)  # made of the others


def score_replies(
    source: Source, cell: Cell, reading: Reading, write_records: RecordWriter, encoder: Encoder | None = None
) -> ScoredCell:
    """Read and score the replies of one cell, and write a record of each."""
    path = f"records/{file_name(cell)}"
    trials, replies, places = [], [], []
    kept = counted_places(source, cell)
    with write_records(path) as write_record:
        for place, (key, trial, response) in enumerate(source.read(cell)):
            trials.append(without_prompt(trial))
            if response is None or (kept is not None and place not in kept):  # not asked yet
                continue
            answer = read_answer(trial.item, response, reading, trial.request.answer_after)
            score = score_answer(trial.item, answer, response)
            write_record(record_of(cell, key, trial, response, answer, score))
            replies.append((trials[-1], response, answer, score))
            places.append(place)
    return cell_results(cell, trials, replies, reading, path, encoder, places if kept else None)
