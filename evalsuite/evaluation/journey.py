"""The journey on one page: official data -> items -> trials -> a model's replies -> answers -> scores -> results -> page.

`run` walks it whole. Every reply is in the store before it counts, so an interrupted run goes on where it was, and
`score` (parse and score again) and `report` (write the page) need no model.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from evalsuite.backends.base import Limits, Loader
from evalsuite.backends.model import Model
from evalsuite.backends.models import Models
from evalsuite.backends.registry import load_backend, load_in_turn
from evalsuite.backends.scripted import Replies, scripted_loader
from evalsuite.benchmarks.registry import BENCHMARKS, Corpora, benchmark_of
from evalsuite.common.errors import BackendError
from evalsuite.common.lock import locked
from evalsuite.evaluation.ask import ask_trials, collected
from evalsuite.evaluation.display import Display, log_to
from evalsuite.evaluation.manifest import write_manifest
from evalsuite.evaluation.plan import Source, cells, data_of, prepare
from evalsuite.evaluation.settings import Settings
from evalsuite.page.report import write_page
from evalsuite.results.journey import Results, find_store, write_results
from evalsuite.results.store import Store, key
from evalsuite.types import Cell, Item, Reading, Trial


def run(models: Models = "bundled:models.yaml", **settings: Any) -> Results:
    """Evaluate models; the keywords are the fields of `Settings`.

    `models` is a file, or the names of models with functions that give their replies (backends/scripted.py).

    >>> run("models.yaml", model=["tiny-zh"], tasks=["event_cause"], limit=20, out="runs/try")  # doctest: +SKIP
    >>> run({"mine": lambda request: "(a)"}, tasks=["event_cause"], out="runs/try")  # doctest: +SKIP
    """
    prepared = prepare(models, **settings)
    out = Path(prepared[0].out)
    out.mkdir(parents=True, exist_ok=True)
    with locked(out):
        return evaluate(*prepared, replies=None if isinstance(models, str | Path) else models)


def evaluate(
    s: Settings, chosen: Sequence[Model], corpus: Corpora, sources: Sequence[Source], replies: Replies | None = None
) -> Results:
    """What `run` does once all is prepared. The caller holds the lock of the folder s.out."""
    out = Path(s.out)
    problems: list[str] = []
    with log_to(out / "run.log", s.verbose), Store(out / "store.sqlite") as store, Display() as display:
        files = {BENCHMARKS[x.task.benchmark].data_name(x.task, x.set, s.split): x.file for x in sources}
        write_manifest(out, s, data_of(s), files)
        engine: Loader = partial(
            load_backend,
            train=partial(_labelled, corpus, {x.task.benchmark for x in sources}),
            limits=lambda: Limits(s.budget, store.spent(), s.max_concurrency, store.lend),
        )
        if replies is not None:
            engine = scripted_loader(replies)
        elif s.executor == "ray":
            from evalsuite.backends.ray import cluster

            engine = cluster(engine, s.ray_address, s.replicas)
        for model, backend in load_in_turn(chosen, engine):
            with collected(problems, model, out / "run.log"):
                if isinstance(backend, BackendError):
                    raise backend
                planned = []
                for cell, trials in cells(s, model, backend, corpus, sources):
                    keys = [key(backend.fingerprint, t.request, model.chat, backend.settings) for t in trials]
                    store.plan(cell, list(zip(keys, trials, strict=True)))
                    planned.append((cell, trials, keys))
                ask_trials(backend, planned, store, display)
    results = write_results(out, Reading())
    write_page([out], out / "page")
    return replace(results, problems=(*problems, *results.problems))


def score(run: str | Path, parser: str = "full", extract: bool = True) -> Results:
    """Parse and score every reply of a run's store again, without a model; write records/ and results.json.

    `parser` reads choices: full, strict, or paper (only the forms the paper lists). Without `extract`, spans and short
    answers are taken as they are, lead-ins and reasons included.
    """
    out = Path(run)
    find_store(out)
    with locked(out):
        return write_results(out, Reading(parser, extract))


def preview(models: Models = "bundled:models.yaml", **settings: Any) -> Iterator[tuple[Cell, list[Trial]]]:
    """What `run` would ask, cell by cell, without loading a model (so no shot is dropped for space)."""
    s, chosen, corpus, sources = prepare(models, **settings)
    for model in chosen:
        yield from cells(s, model, None, corpus, sources)


def _labelled(corpus: Corpora, benchmarks: Collection[str], task: str, item_set: str) -> tuple[Item, ...]:
    """Items that are not tested on, of the benchmarks that are: the others may not be there, and are long to read."""
    return corpus.labelled(task, item_set) if benchmark_of(task).name in benchmarks else ()
