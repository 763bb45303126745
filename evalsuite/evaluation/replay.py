"""The cells of a run that a recording of replies answers."""

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
    """The cells whose prompts are all recorded. The others, of which some or all requests would fail, are left out, with one
    warning for all. A backend that is no recording keeps all its cells.

    Raises BackendError if nothing is left of a model that the user `named`.
    """
    if not isinstance(backend, Replaying):
        yield from cells
        return
    recorded, left = 0, list[Cell]()
    for cell, trials in cells:
        if backend.missing([trial.request for trial in trials]):
            left.append(cell)
        else:
            recorded += 1
            yield cell, trials
    if left and not recorded and named:
        raise BackendError(f"model {model.name}: {_NOTHING}")
    if left and not recorded:
        log.warning("model %s: left out: %s", model.name, _NOTHING)
    elif left:
        ways = ", ".join(dict.fromkeys(cell.place.way for cell in left))
        log.warning(
            "model %s: its replies were recorded; left out %d of %d cells, which were not recorded whole (%s)",
            model.name,
            len(left),
            recorded + len(left),
            ways,
        )


_NOTHING = "its replies were recorded, and none of the cells asked now was recorded whole; to ask a model, name another"
