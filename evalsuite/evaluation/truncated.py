"""Second replies, with a longer limit, in place of those that were cut off before they answered (`--again truncated`).

The first reply stays in the store. The cell's plan names the key of the second one in its place, and the cell's facts hold the
number of second replies. So the same command resumes, and a command without `--again` restores the first replies.
"""

from __future__ import annotations

import logging
import shlex
from collections.abc import Iterator
from dataclasses import fields, replace

from pydantic import ValidationError

from evalsuite.analyses.scores import cut_cells
from evalsuite.backends.base import Answering, Backend, Replaying
from evalsuite.backends.model import Model
from evalsuite.benchmarks.registry import DEFAULT, tasks_named
from evalsuite.common.errors import EvalsuiteError
from evalsuite.common.files import read_json
from evalsuite.common.flags import dashed
from evalsuite.evaluation.ask import KeyedCells, RequestGroup, ask, first_metric, generate_of, line_of
from evalsuite.evaluation.display import Display
from evalsuite.evaluation.plan import default_data
from evalsuite.evaluation.settings import Settings
from evalsuite.results.analysis import Results
from evalsuite.results.records import rows_of
from evalsuite.results.schema.cell import CellResult
from evalsuite.results.schema.manifest import Manifest, RunSettings
from evalsuite.results.schema.record import Record
from evalsuite.results.scoring import read_answer
from evalsuite.results.store import Store, request_key
from evalsuite.types import WRITTEN, Request, Response, Status, Trial

log = logging.getLogger(__name__)

_LONGER = 4  # the factor from the limit that cut replies off to that of `command_again`


def ask_truncated(
    limit: int, model: Model, backend: Backend, planned: KeyedCells, store: Store, display: Display
) -> None:
    """Ask the truncated requests of a model's cells again, with up to `limit` new tokens, as far as the context has room."""
    if isinstance(backend, Answering | Replaying):  # no limit changes their replies
        return
    groups, left = [], 0
    for cell, trials, keys in planned:
        if cell.place.scoring not in WRITTEN:
            continue
        cut = [n for n, trial in enumerate(trials) if _is_truncated(trial, store.response(keys[n]))]
        longer = {n: trial for n in cut if (trial := _longer(trials[n], limit, backend))}
        left += len(cut) - len(longer)
        if not longer:
            continue
        keyed = {
            n: (request_key(backend.fingerprint, trial.request, model.chat, cell.facts["sampling"]), trial)
            for n, trial in longer.items()
        }
        again = {"status": Status.TRUNCATED.value, "max_new_tokens": limit, "replies": len(longer)}
        first = zip(keys, trials, strict=True)
        store.plan(replace(cell, facts=cell.facts | {"again": again}), [keyed.get(n, x) for n, x in enumerate(first)])
        line = line_of(cell)
        line = replace(line, way=f"{line.way}, {limit} tokens")
        groups.append(RequestGroup(line, [trial for _, trial in keyed.values()], [key for key, _ in keyed.values()]))
    if left:
        log.warning(
            "model %s: %d truncated replies are not asked again: --max-new-tokens %d is no longer limit than theirs, or the "
            "model's context has no room for it",
            model.name,
            left,
            limit,
        )
    if groups:
        ask(groups, generate_of(backend), store, display, first_metric)


def _is_truncated(trial: Trial, response: Response | None) -> bool:
    if response is None or response.error is not None:
        return False
    return read_answer(trial.item, response, answer_after=trial.request.answer_after).status is Status.TRUNCATED


def _longer(trial: Trial, limit: int, backend: Backend) -> Trial | None:
    """The trial with `limit`, or as much of it as the context has room for; None if that is no more than its own limit."""
    request: Request = trial.request
    if backend.context is not None:
        limit = min(limit, backend.context - backend.tokens(request))
    return replace(trial, request=replace(request, max_new_tokens=limit)) if limit > request.max_new_tokens else None


# --- the command below the tables


def command_again(results: Results) -> str | None:
    """The command of the run's latest start, by manifest.json, with `--again truncated`. None if no cell that it asked has many
    truncated replies, or if it stopped early, which excludes `--again`."""
    try:
        settings = Manifest.model_validate(read_json(results.out / "manifest.json")).settings
        cells = [cell for cell in cut_cells(results) if _asks(settings, cell)]
        limits = [next(rows_of(Record, results.out, cell.records)).max_new_tokens for cell in cells]
        limits += [cell.facts.again.max_new_tokens for cell in cells if cell.facts.again]
    except (EvalsuiteError, ValidationError, StopIteration):  # the folder may not be as evalsuite writes it
        return None
    if not limits or settings.until or settings.until_ranked:
        return None
    longer = settings.model_copy(update={"again": Status.TRUNCATED.value, "max_new_tokens": _LONGER * max(limits)})
    return shlex.join(["evalsuite", "run", *_flags(longer)])


def _asks(settings: RunSettings, cell: CellResult) -> bool:
    """Whether a run with these settings asks a cell. Wordings and shots are not compared; scripted replies have no limit."""
    sets = {name.strip() for name in settings.set.split(",")}
    return (
        cell.facts.backend != "scripted"
        and (not settings.model or cell.model in settings.model)
        and cell.task in {task.name for task in tasks_named(settings.tasks or [DEFAULT])}
        and not sets.isdisjoint({"all", "both", cell.set})
        and cell.split == settings.split
        and cell.scoring in settings.scoring
        and cell.perturb in settings.perturb
    )


def _flags(settings: RunSettings) -> Iterator[str]:
    """The flags of settings that differ from their defaults."""
    for setting in fields(Settings):
        value = getattr(settings, setting.name)
        given = [*value] if isinstance(value, list) else [value]
        usual = [*setting.default] if isinstance(setting.default, tuple) else [setting.default]
        if value is None or given == usual or (setting.name == "data" and value == default_data(None)):
            continue
        name = f"--{dashed(setting.name)}"
        if value is True:
            yield name
        elif setting.metadata["flag"].repeated:
            yield from (part for each in given for part in (name, str(each)))
        else:
            yield from (name, ",".join(map(str, given)))
