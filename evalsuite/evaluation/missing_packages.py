"""Shipped models whose packages are not installed: a run that names none of them leaves them out, and says so."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

from evalsuite.backends.model import Model
from evalsuite.backends.models import Models
from evalsuite.backends.registry import backend_named
from evalsuite.evaluation.settings import Settings

_SHIPPED = "bundled:models.yaml"


def leave_out_missing(s: Settings, models: Models, chosen: Sequence[Model]) -> tuple[list[Model], tuple[str, ...]]:
    """The models that can run here, and a line for each that is left out, with the command that adds it.

    Models that `--model` names, or that stand in a models.yaml of the user's, are wanted: they stay, and are problems of the
    run if they cannot be loaded.
    """
    if str(models) != _SHIPPED or s.model or s.executor != "local":
        return [*chosen], ()
    lacking = {m.name: [x for x in backend_named(m.backend).modules if find_spec(x) is None] for m in chosen}
    lines = tuple(
        f"model {m.name} needs {' and '.join(lacking[m.name])}: `pip install 'evalsuite[{m.backend}]'`, then the same "
        "command adds it"
        for m in chosen
        if lacking[m.name]
    )
    return [m for m in chosen if not lacking[m.name]], lines
