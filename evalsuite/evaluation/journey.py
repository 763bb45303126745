"""A run on one page: plan the trials, load the models, ask them, score the replies, write the page.

Every reply is stored before it counts, so that an interrupted run continues where it stopped, and `score` (parse and score
again) and `report` (write the page) need no model. analyses/journey.py has the scoring.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalsuite.analyses.journey import write_results
from evalsuite.analyses.saved import require_cells, require_own, require_something
from evalsuite.backends.base import Backend, Loader
from evalsuite.backends.keys import require_keys
from evalsuite.backends.model import Model
from evalsuite.backends.model_paths import require_present
from evalsuite.backends.models import Models
from evalsuite.backends.openai.spending import require_prices
from evalsuite.backends.registry import load_in_turn
from evalsuite.backends.scripted import ReplyFunctions
from evalsuite.benchmarks.registry import Corpora, benchmark_of
from evalsuite.common.errors import BackendError
from evalsuite.common.files import make_folder
from evalsuite.common.lock import locked
from evalsuite.evaluation.ask import ask_trials, collect_problems, loader_of
from evalsuite.evaluation.chosen_models import additional_baselines, leave_out_missing
from evalsuite.evaluation.display import Display, log_to
from evalsuite.evaluation.early_stopping import Ranking, ask_until
from evalsuite.evaluation.manifest import keep_benchmark_files, write_manifest
from evalsuite.evaluation.plan import EvalSet, data_read, named_files, plan_cells, prepare, warn_of_skipped
from evalsuite.evaluation.replay import recorded_cells
from evalsuite.evaluation.second_reader import SecondReader, ask_second_reader
from evalsuite.evaluation.settings import Settings
from evalsuite.evaluation.truncated import ask_truncated
from evalsuite.page.report import require_own_page, write_page
from evalsuite.results.analysis import Results
from evalsuite.results.store import Store, find_store, open_store, request_key
from evalsuite.types import Cell, Item, Reading, Trial

if TYPE_CHECKING:
    from evalsuite.metrics.semsim import Encoder

log = logging.getLogger(__name__)


def run(models: Models = "bundled:models.yaml", **settings: Any) -> Results:
    """Evaluate models, write results and page into the folder `out`; the keywords are the fields of `Settings`.

    `models` is a models.yaml, or a mapping from a model's name to a function that takes a `Request` and returns the reply as a
    text. Returns the results: values of metrics lie between 0 and 1 (CIDEr: 10; ΔNLL is in nats). The same call resumes.
    Raises ConfigError or DataError before any model is loaded; later failures are `Results.problems`.

    >>> done = run("models.yaml", model=["tiny-zh"], tasks=["event_cause"], limit=20, out="runs/try")  # doctest: +SKIP
    >>> done.cells[0].metrics["f1"].value  # doctest: +SKIP
    >>> done = run({"mine": lambda request: "(a)"}, tasks=["event_cause"], out="runs/try")  # doctest: +SKIP
    """
    s, chosen, corpus, eval_sets = prepare(models, **settings)
    chosen, skipped = leave_out_missing(s, models, chosen)
    if s.executor == "local":  # the nodes of a cluster have folders of their own
        require_present(chosen)
    require_keys(chosen)
    require_prices(chosen, s.budget)
    chosen += additional_baselines(s, models, chosen, corpus, [(x.task, x.set) for x in eval_sets])
    out = Path(s.out)
    make_folder(out)
    with locked(out):
        done = evaluate(s, chosen, corpus, eval_sets, replies=None if isinstance(models, str | Path) else models)
    return replace(done, skipped=skipped)


def evaluate(
    s: Settings,
    chosen: Sequence[Model],
    corpus: Corpora,
    eval_sets: Sequence[EvalSet],
    replies: ReplyFunctions | None = None,
) -> Results:
    """Ask the chosen models, score their replies and write the page. `replies`: functions that reply for models; None: `s.models`
    is a file. The caller holds the lock of s.out."""
    out = Path(s.out)
    problems: list[str] = []
    require_own(out)
    require_own_page(out / "page")
    encoder = _encoder(s.semsim)
    with log_to(out / "run.log", s.verbose), Store(out / "store.sqlite") as store, Display() as display:
        warn_of_skipped(eval_sets)
        require_cells(out, store.cells())
        keep_benchmark_files(out, {x.task.benchmark for x in eval_sets})
        write_manifest(out, s, data_read(s, eval_sets), named_files(s, chosen, corpus, eval_sets), chosen)
        if s.stops and (waiting := [m.name for m in chosen if m.api.batch]):
            log.warning("%s: each round of --until or --until-ranked is a batch that is waited for", ", ".join(waiting))
        ranking = Ranking(store, display)
        for names in ranking.passes([m.name for m in chosen]) if s.until_ranked else ([m.name for m in chosen],):
            models = [m for m in chosen if m.name in names]
            for model, backend in load_in_turn(models, _loader(s, corpus, eval_sets, store, display, replies)):
                with collect_problems(problems, model, out / "run.log"):
                    if isinstance(backend, BackendError):
                        raise backend
                    planned = ranking.plan(model.name)
                    if not planned:
                        cells = recorded_cells(
                            plan_cells(s, model, backend, corpus, eval_sets),
                            model,
                            backend,
                            named=model.name in s.model,
                        )
                        planned = store_plan(cells, model, backend, store)
                    if s.until_ranked:
                        ranking.ask(backend, planned)
                    else:
                        (ask_until if s.until else ask_trials)(backend, planned, store, display)
                    if s.max_new_tokens:
                        ask_truncated(s.max_new_tokens, model, backend, planned, store, display)
    results = write_results(out, Reading(), encoder)
    write_page([out], out / "page")
    return replace(results, problems=(*problems, *results.problems))


def _loader(
    s: Settings,
    corpus: Corpora,
    eval_sets: Sequence[EvalSet],
    store: Store,
    display: Display,
    replies: ReplyFunctions | None,
) -> Loader:
    """The loader of the run's backends, in this process or on a Ray cluster."""
    train = partial(_labelled, corpus, {x.task.benchmark for x in eval_sets})
    source = s.models if replies is None else replies
    loader = loader_of(source, store, display, s.budget, s.max_concurrency, train)
    if replies is None and s.executor == "ray":
        from evalsuite.backends.ray import cluster

        return cluster(loader, s.ray_address, s.replicas)
    return loader


def _labelled(corpus: Corpora, benchmarks: Collection[str], task: str, item_set: str) -> tuple[Item, ...]:
    """Items with answers, for baselines; () for benchmarks outside of `benchmarks`, which may be missing or slow to read."""
    return corpus.labelled(task, item_set) if benchmark_of(task).name in benchmarks else ()


def store_plan(
    cells: Iterable[tuple[Cell, list[Trial]]], model: Model, backend: Backend, store: Store
) -> list[tuple[Cell, list[Trial], list[str]]]:
    """Store the plan of each cell; returns the cells with their trials and the keys of their replies."""
    planned = []
    for cell, trials in cells:
        keys = [request_key(cell.facts["fingerprint"], t.request, model.chat, cell.facts["sampling"]) for t in trials]
        store.plan(cell, list(zip(keys, trials, strict=True)))
        planned.append((cell, trials, keys))
    return planned


def _encoder(semsim: str | Path | None) -> Encoder | None:
    if semsim is None:
        return None
    from evalsuite.metrics.semsim import open_encoder

    return open_encoder(str(semsim))


def score(
    run: str | Path,
    parser: str = "full",
    extract: bool = True,
    semsim: str | Path | None = None,
    models: Models = "bundled:models.yaml",
    **second: Any,
) -> Results:
    """Parse and score every reply of a run again, without a model; write records/ and results.json.

    `parser` reads choices: "full", "strict" or "paper" (only the forms that the paper lists). `extract` cuts lead-ins,
    quotes and reasons off spans and short texts. `semsim` is the encoder of their similarity, as in `Settings`; without it,
    similarities that were computed for the same texts stay. The keywords `second` are the fields of `SecondReader`: with
    `second_reader`, this one of `models` reads replies first, and the page is written, too. Raises ConfigError if there is no
    run in the folder.

    >>> score("runs/try", second_reader="gpt", models="endpoints.yaml", second_sample=100)  # doctest: +SKIP
    """
    out, reading, reader = Path(run), Reading(parser, extract), SecondReader(**second)
    find_store(out)
    encoder = _encoder(semsim)
    if not reader.second_reader:
        with locked(out):
            with open_store(out) as store:
                require_something(out, store.cells())
            return write_results(out, reading, encoder)
    reader.model_of(models)
    require_own_page(out / "page")
    with locked(out):
        problems = ask_second_reader(out, reader, models, reading)
        results = write_results(out, reading, encoder)
        write_page([out], out / "page")
    return replace(results, problems=(*problems, *results.problems))


def preview(models: Models = "bundled:models.yaml", **settings: Any) -> Iterator[tuple[Cell, list[Trial]]]:
    """The cells and trials of `run` with the same keywords. No model is loaded, so that no shot is dropped to fit a context.

    >>> for cell, trials in preview(model=["random"], tasks=["event_cause"], limit=2):  # doctest: +SKIP
    ...     print(cell.place.set, trials[0].request.prompt)
    """
    s, chosen, corpus, eval_sets = prepare(models, **settings)
    warn_of_skipped(eval_sets)
    for model in chosen:
        yield from plan_cells(s, model, None, corpus, eval_sets)
