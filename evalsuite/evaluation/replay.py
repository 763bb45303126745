"""The cells of a run that a recording can answer."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator

from evalsuite.backends.base import Backend, Replaying
from evalsuite.backends.model import Model
from evalsuite.common.errors import BackendError
from evalsuite.types import Cell, Trial

log = logging.getLogger(__name__)

_Planned = Iterable[tuple[Cell, list[Trial]]]


def recorded_cells(cells: _Planned, model: Model, backend: Backend, named: bool) -> Iterator[tuple[Cell, list[Trial]]]:
    """The cells whose prompts are all recorded; all cells of a backend that is no recording. Logs one warning about cells that
    are left out.

    Raises BackendError if no cell is left of a model that the user `named`.
    """
    if not isinstance(backend, Replaying):
        yield from cells
        return
    recorded, left_out = 0, list[Cell]()
    for cell, trials in cells:
        if backend.missing([trial.request for trial in trials]):
            left_out.append(cell)
        else:
            recorded += 1
            yield cell, trials
    if left_out and not recorded and named:
        raise BackendError(f"model {model.name}: {_NOTHING}")
    if left_out and not recorded:
        log.warning("model %s: left out: %s", model.name, _NOTHING)
    elif left_out:
        ways = ", ".join(dict.fromkeys(cell.place.way for cell in left_out))
        log.warning(
            "model %s: its replies were recorded; left out %d of %d cells, which were not recorded whole (%s)",
            model.name,
            len(left_out),
            recorded + len(left_out),
            ways,
        )


_NOTHING = "its replies were recorded, and none of the cells asked now was recorded whole; to ask a model, name another"
