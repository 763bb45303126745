"""Requests -> replies in the store, with progress on the display."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from evalsuite.backends.base import Answering, Backend, Limits, Loader, Replies, TrainingItems
from evalsuite.backends.model import Model
from evalsuite.backends.models import Models
from evalsuite.backends.registry import engine_errors, load_backend
from evalsuite.backends.scripted import scripted_loader
from evalsuite.benchmarks.registry import TASKS, benchmark_of, metric_named
from evalsuite.common.errors import EvalsuiteError
from evalsuite.evaluation.display import Display, ModelProgress, ProgressLine
from evalsuite.results.scoring import score_reply
from evalsuite.results.store import Store
from evalsuite.results.words import set_name
from evalsuite.types import Cell, Request, Response, Score, Trial

log = logging.getLogger(__name__)

AnyRequest = TypeVar("AnyRequest", Request, Trial)
# Cells to ask, each with its trials and, in the same order, the keys of their replies in the store.
KeyedCells = Sequence[tuple[Cell, Sequence[Trial], Sequence[str]]]
# The signature of Backend.generate: requests, and whether each is done -> batches of (index, response).
Generate = Callable[[Sequence[AnyRequest], Sequence[bool]], Replies]

_MOST = 2**20  # the most bytes of a reply and its reasoning, which must fit a line of records (results/records.py)


def limits_of(store: Store, display: Display, budget: float | None, most: int | None = None) -> Limits:
    """The limits of a run. The store counts its costs and keeps notes on its batches; the display shows batches under way."""
    return Limits(budget, store.spent, most, store.lend, store, display.note)


def loader_of(
    models: Models,
    store: Store,
    display: Display,
    budget: float | None = None,
    most: int | None = None,
    train: TrainingItems = lambda task, item_set: (),
) -> Loader:
    """The loader of the models of `models` and of baselines. `budget` and `most` (concurrent requests) limit endpoints."""
    loader: Loader = partial(load_backend, train=train, limits=lambda: limits_of(store, display, budget, most))
    if isinstance(models, str | Path):
        return loader
    scripted = scripted_loader(models)
    return lambda model: (scripted if model.name in models else loader)(model)


@dataclass(frozen=True, slots=True)
class RequestGroup(Generic[AnyRequest]):
    """Requests with one line on the display, such as those of a cell."""

    line: ProgressLine
    requests: Sequence[AnyRequest]
    keys: Sequence[str]  # keys of their replies in the store, in the same order


def ask(
    groups: Sequence[RequestGroup[AnyRequest]],
    generate: Generate[AnyRequest],
    store: Store,
    display: Display,
    score: Callable[[AnyRequest, Response], float] = lambda request, response: 0.0,
    progress: ModelProgress | None = None,
) -> None:
    """Ask one model the requests without a stored reply. A reply is stored before the display counts it.

    Requests with equal keys (exact duplicates) are asked once. The display shows the running mean of `score`. `progress`: that of
    a caller that asks in several calls, and finishes it itself.
    """
    requests = [request for group in groups for request in group.requests]
    keys = [key for group in groups for key in group.keys]
    group_of = [n for n, group in enumerate(groups) for _ in group.requests]
    seen = store.done(keys)
    if store.damaged:
        log.warning("%d stored replies are not as they were stored: they are asked again", store.damaged)
    done = []
    for key in keys:
        done.append(key in seen)
        seen.add(key)
    shown = progress or display.model([(group.line, len(group.requests)) for group in groups])
    for n, count in Counter(n for n, is_done in zip(group_of, done, strict=True) if is_done).items():
        shown.skip(n, count)
    batches = generate(requests, done)

    def take(group: Sequence[tuple[int, Response]]) -> None:
        replies = [(n, received(response)) for n, response in group]
        rows = [(keys[n], response) for n, response in replies]
        try:
            store.put(rows)
        except KeyboardInterrupt:
            if not store.done([key for key, _ in rows]):
                store.put(rows)
            raise
        for n, response in replies:
            shown.advance(group_of[n], response, score(requests[n], response))

    try:
        for group in batches:
            take(group)
    except KeyboardInterrupt as stop:
        if isinstance(batches, Generator):
            # An endpoint has charged for replies that came while others were stored.
            with suppress(KeyboardInterrupt, Exception):
                take(batches.throw(stop))
        raise
    finally:
        if progress is None:
            shown.finish()
        if isinstance(batches, Generator):  # an interrupted run must not go on asking an endpoint
            batches.close()


def received(response: Response) -> Response:
    """A backend's response as it is stored: a failure if the reply has more than `_MOST` bytes, and 0, which means unknown, in
    place of an impossible number of tokens."""
    thinking = response.thinking_tokens
    response = replace(
        response,
        prompt_tokens=_tokens(response.prompt_tokens),
        new_tokens=_tokens(response.new_tokens),
        thinking_tokens=None if thinking is None else _tokens(thinking),
    )
    size = sum(len(text.encode("utf-8", "backslashreplace")) for text in (response.text, response.reasoning or ""))
    if size <= _MOST:
        return response
    error = f"reply of {size / 2**20:.1f} MiB: over the limit of {_MOST >> 20} MiB"
    return replace(response, text="", reasoning=None, finish="error", error=error)


def _tokens(count: Any) -> int:
    """`count` if it is a number of tokens, else 0: SQLite stores no larger integers."""
    return count if type(count) is int and 0 <= count < 2**63 else 0


def ask_trials(backend: Backend, planned: KeyedCells, store: Store, display: Display) -> None:
    """Ask the trials of one model that have no reply yet."""
    groups = [RequestGroup(line_of(cell), trials, keys) for cell, trials, keys in planned]
    ask(groups, generate_of(backend), store, display, first_metric)


def generate_of(backend: Backend) -> Generate[Trial]:
    if isinstance(backend, Answering):
        return backend.answer
    return lambda trials, done: backend.generate([trial.request for trial in trials], done)


def line_of(cell: Cell) -> ProgressLine:
    task = TASKS[cell.place.task]
    recorded = "recorded" in cell.facts
    way = f"{cell.place.way}, recorded" if recorded else cell.place.way
    return ProgressLine(
        cell.place.model,
        f"{set_name(benchmark_of(task.name), cell.place.set).en} {task.short}",
        way,
        metric_named(task.item_metrics[0]).heading.removesuffix(" %"),
        not recorded,
        joined=cell.facts.get("backend") == "baseline",
    )


def first_metric(trial: Trial, response: Response) -> float:
    """The value of the task's first item metric; 0 for a failed request."""
    score = score_of(trial, response)
    return score.values.get(TASKS[trial.item.task].item_metrics[0], 0.0) if score else 0.0


def score_of(trial: Trial, response: Response | None) -> Score | None:
    """The score of a reply; None if the request failed or has no reply yet."""
    if response is None or response.error is not None:
        return None
    return score_reply(trial.item, response, answer_after=trial.request.answer_after)[1]


@contextmanager
def collect_problems(problems: list[str], model: Model, log_file: Path) -> Iterator[None]:
    """Catch what one model raises and add it to `problems`, so that the run goes on with the other models."""
    try:
        with engine_errors(model):  # an error of the store, such as a full disk, stops the run
            yield
    except EvalsuiteError as error:
        traced = f" (trace in {log_file})" if error.__cause__ else ""
        log.error("%s", error)
        problems.append(f"{error}{traced}")
