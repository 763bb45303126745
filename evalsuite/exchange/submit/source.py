"""A submission's records as a Source (results/store.py), so that the code that scores a run's store scores them, too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from operator import attrgetter
from pathlib import Path

from evalsuite.analyses.judged.sheets import judged_cells
from evalsuite.analyses.judged.values import JudgedRecord
from evalsuite.results import records
from evalsuite.results.analysis import Results
from evalsuite.results.schema.record import Record
from evalsuite.results.store import Asker, JudgingRow, StoredQuestions
from evalsuite.types import PLACE, Cell, Item, Response, Trial

JUDGED_PLACE = ("judge", "rubric", "control", *PLACE)


class SubmissionSource:
    """The Source of a submission: reads its records a cell at a time, without keeping prompts.

    The records must have passed record_checks.py; faulty records may raise any exception.
    """

    def __init__(self, folder: Path, results: Results) -> None:
        self._folder, self._results = folder, results
        self._files = {cell.place: cell.records for cell in results.cells}
        self._items: dict[Item, Item] = {}  # one object for equal items of all models, wordings and rotations
        self._replies: dict[str, Response] = {}  # key -> reply, in the judging that is being read

    def cells(self) -> list[Cell]:
        return sorted((result.cell for result in self._results.cells), key=lambda cell: cell.place)

    def read(self, cell: Cell) -> Iterator[tuple[str, Trial, Response | None]]:
        for record in records.rows_of(Record, self._folder, self._files[cell.place]):
            trial = record.trial(with_prompt=False)
            item = self._items.setdefault(trial.item, trial.item)
            yield record.key, replace(trial, item=item), record.response()

    def questions(self, by: Asker) -> Iterator[StoredQuestions]:
        """The questions to judges; none to second readers, as a submission holds the first reader's figures only."""
        if by == "reader":
            return
        for cell in sorted(judged_cells(self._results), key=attrgetter(*JUDGED_PLACE)):
            self._replies = {}
            rows = [self._row(record) for record in records.rows_of(JudgedRecord, self._folder, cell.records)]
            yield StoredQuestions({name: getattr(cell, name) for name in JUDGED_PLACE}, cell.facts.written(), rows)

    def _row(self, record: JudgedRecord) -> JudgingRow:
        self._replies |= {attempt.key: attempt.response() for attempt in record.attempts}
        keys = [attempt.key for attempt in record.attempts]
        return {
            "item": record.item,
            "rotation": record.rotation,
            "key": record.candidate_key,
            "attack": record.attack or "",
            "prompt": record.prompt,
            "keys": [*keys, ""] if record.status == "missing" else keys,  # "": an attempt without a reply
        }

    def response(self, key: str) -> Response | None:
        return self._replies.get(key)
