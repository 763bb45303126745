"""The cause of an unexpected error: a damaged file of a run's folder, or a defect of evalsuite.

Pages and tables read records without checking each field against the schema, which would cost more than the reading. So the check
is made only once something failed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import BaseModel

from evalsuite.analyses.judged.sheets import judged_cells
from evalsuite.analyses.judged.values import JudgedRecord
from evalsuite.analyses.second_reader import SecondRecord, second_cells
from evalsuite.common.errors import EvalsuiteError
from evalsuite.results.analysis import Results
from evalsuite.results.records import rows_of
from evalsuite.results.schema.record import Record


@contextmanager
def damage_named(*runs: Results) -> Iterator[None]:
    """Context manager that checks all records of the runs against their schemas after an unexpected error.

    A record in another form becomes a DataError with file, line and field. If all have the right form, the defect is ours: the
    error is raised again."""
    try:
        yield
    except EvalsuiteError:
        raise
    except Exception:
        for run in runs:
            for model, path in _files(run):
                for _ in rows_of(model, run.out, path):
                    pass
        raise


def _files(run: Results) -> Iterator[tuple[type[BaseModel], str]]:
    """The files of records that a run's results name, each with the model of its lines."""
    for cell in run.cells:
        yield Record, cell.records
    for entry in judged_cells(run):
        yield JudgedRecord, entry.records
    for reading in second_cells(run):
        yield SecondRecord, reading.records
