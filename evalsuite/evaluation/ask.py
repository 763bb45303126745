"""Requests -> replies in the store: what a run, a judge and a proposer of annotations share."""

from __future__ import annotations

import logging
import sqlite3
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from evalsuite.backends.base import Answering, Backend
from evalsuite.backends.model import Model
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.errors import EvalsuiteError
from evalsuite.evaluation.display import Display, Line
from evalsuite.results.scoring import score_reply
from evalsuite.results.store import Store
from evalsuite.types import Cell, Request, Response, Trial

log = logging.getLogger(__name__)

Asked = TypeVar("Asked", Request, Trial)
# As Backend.generate.
Answer = Callable[[Sequence[Asked], Sequence[bool]], Iterator[Sequence[tuple[int, Response]]]]


@dataclass(frozen=True, slots=True)
class Group(Generic[Asked]):
    """What the display counts together."""

    line: Line
    asked: Sequence[Asked]
    keys: Sequence[str]  # of their replies in the store


def ask(
    groups: Sequence[Group[Asked]],
    answer: Answer[Asked],
    store: Store,
    display: Display,
    score: Callable[[Asked, Response], float],
) -> None:
    """Get a reply for all of one model's that have none, each in the store before it is counted.

    What has the same key (exact duplicates) is asked once. `score` is what the display shows the mean of.
    """
    asked = [one for group in groups for one in group.asked]
    keys = [key for group in groups for key in group.keys]
    owner = [n for n, group in enumerate(groups) for _ in group.asked]
    seen = store.done(keys)
    done = []
    for key in keys:
        done.append(key in seen)
        seen.add(key)
    progress = display.model([(group.line, len(group.asked)) for group in groups])
    for n, count in Counter(n for n, is_done in zip(owner, done, strict=True) if is_done).items():
        progress.skip(n, count)
    arriving = answer(asked, done)
    try:
        for replies in arriving:
            store.put((keys[n], response) for n, response in replies)
            for n, response in replies:
                progress.advance(owner[n], response, score(asked[n], response))
    finally:
        progress.finish()
        if isinstance(arriving, Generator):  # an interrupted run must not go on asking an endpoint
            arriving.close()


def ask_trials(
    backend: Backend, planned: Sequence[tuple[Cell, Sequence[Trial], Sequence[str]]], store: Store, display: Display
) -> None:
    """A model's cells, each with its trials and their keys."""
    groups = [Group(_line(cell), trials, keys) for cell, trials, keys in planned]
    ask(groups, _answers(backend), store, display, _first_metric)


def _answers(backend: Backend) -> Answer[Trial]:
    if isinstance(backend, Answering):
        return backend.answer
    return lambda trials, done: backend.generate([trial.request for trial in trials], done)


def _line(cell: Cell) -> Line:
    task = TASKS[cell.place.task]
    return Line(cell.place.model, f"{cell.place.set} {task.short}", cell.place.way, task.item_metrics[0])


def _first_metric(trial: Trial, response: Response) -> float:
    values = score_reply(trial.item, response)[1].values
    return values.get(TASKS[trial.item.task].item_metrics[0], 0.0)


@contextmanager
def collected(problems: list[str], model: Model, log_file: Path) -> Iterator[None]:
    """What goes wrong with a model becomes a problem of the run: the other models' work is not lost for it."""
    try:
        yield
    except sqlite3.Error:  # a full disk stops everything
        raise
    except EvalsuiteError as error:
        log.error("%s", error)
        problems.append(str(error))
    except Exception as error:  # what an engine may throw
        log.exception("model %s: %s", model.name, error)
        problems.append(f"model {model.name}: {type(error).__name__}: {error} (trace in {log_file})")
