"""The journey on one page: official data -> items -> prompts -> a model's replies -> answers -> scores -> results -> page.

`run` walks it whole. Every reply is in the store before it counts, so an interrupted run goes on where it was, and
`score` (parse and score again) and `report` (write the page) need no model.
"""

from __future__ import annotations

import logging
import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from evalsuite import backends
from evalsuite.backends import SCORES, Backend, Limits
from evalsuite.backends.models import Model, load_models
from evalsuite.benchmarks.cedar.probing import probe
from evalsuite.benchmarks.corpus import File
from evalsuite.benchmarks.registry import BENCHMARKS, DEFAULT, Corpora, benchmark_of, tasks_named
from evalsuite.common.dialogue import sources as sources_of
from evalsuite.common.errors import BackendError, ConfigError, DataError, EvalsuiteError, unknown
from evalsuite.common.lock import locked
from evalsuite.common.resources import resolve
from evalsuite.evaluation.display import Display, log_to
from evalsuite.evaluation.manifest import write_manifest
from evalsuite.evaluation.settings import Settings
from evalsuite.page.report import write_page
from evalsuite.perturb import Perturbation, perturbation
from evalsuite.prompt import Prompt, Shots, fit
from evalsuite.results.journey import Results, find_store, write_results
from evalsuite.results.scoring import score_reply
from evalsuite.results.store import Store, key
from evalsuite.types import Cell, Item, Place, Reading, Request, Response, Score, Task

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Source:
    """One task and set to evaluate on."""

    task: Task
    set: str
    file: File
    items: tuple[Item, ...]  # after --drop-leaked and --limit
    leaked: int | None  # items of the file whose dialogue the training split has, too; None: no training split


def run(models: str | Path = "bundled:models.yaml", **settings: Any) -> Results:
    """Evaluate models; the keywords are the fields of `Settings`.

    >>> run("models.yaml", model=["tiny-zh"], tasks=["event_cause"], limit=20, out="runs/try")  # doctest: +SKIP
    """
    prepared = prepare(models, **settings)
    out = Path(prepared[0].out)
    out.mkdir(parents=True, exist_ok=True)
    with locked(out):
        return evaluate(*prepared)


def evaluate(s: Settings, chosen: Sequence[Model], corpus: Corpora, sources: Sequence[Source]) -> Results:
    """What `run` does once all is prepared. The caller holds the lock of the folder s.out."""
    out = Path(s.out)
    problems: list[str] = []
    with log_to(out / "run.log", s.verbose), Store(out / "store.sqlite") as store, Display() as display:
        write_manifest(
            out, s, _data(s), {BENCHMARKS[x.task.benchmark].data_name(x.task, x.set, s.split): x.file for x in sources}
        )
        engine: backends.Loader = partial(
            backends.load,
            train=partial(_labelled, corpus, {x.task.benchmark for x in sources}),
            limits=lambda: _limits(s, store),
        )
        if s.executor == "ray":
            from evalsuite.backends.ray import cluster

            engine = cluster(engine, s.ray_address, s.replicas)
        for model, backend in backends.loaded(chosen, engine):
            with collected(problems, model, out / "run.log"):
                if isinstance(backend, BackendError):
                    raise backend
                planned = []
                for cell, requests in cells(s, model, backend, corpus, sources):
                    keys = [key(backend.fingerprint, r, model.chat, backend.settings) for r in requests]
                    store.plan(cell, list(zip(keys, requests, strict=True)))
                    planned.append((cell, requests, keys))
                ask(backend, planned, store, display)
    results = write_results(out, Reading())
    write_page([out], out / "page")
    return replace(results, problems=(*problems, *results.problems))


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


def score(run: str | Path, parser: str = "full", extract: bool = True) -> Results:
    """Parse and score every reply of a run's store again, without a model; write records/ and results.json.

    `parser` reads choices: full, strict, or paper (only the forms the paper lists). Without `extract`, spans and short
    answers are taken as they are, lead-ins and reasons included.
    """
    out = Path(run)
    find_store(out)
    with locked(out):
        return write_results(out, Reading(parser, extract))


def preview(models: str | Path = "bundled:models.yaml", **settings: Any) -> Iterator[tuple[Cell, list[Request]]]:
    """What `run` would ask, cell by cell, without loading a model (so no shot is dropped for space)."""
    s, chosen, corpus, sources = prepare(models, **settings)
    for model in chosen:
        yield from cells(s, model, None, corpus, sources)


def prepare(models: str | Path, **settings: Any) -> tuple[Settings, list[Model], Corpora, list[Source]]:
    """Read settings, models and data, and find all that is wrong with them before any model is loaded."""
    s = Settings(models=models, **settings)
    chosen = load_models(resolve(s.models), list(s.model))
    corpus = Corpora(resolve(_data(s)), skip_bad=s.skip_bad)
    sources = []
    places = _places(s, corpus)
    for t, item_set in places:
        file = corpus.file(t, item_set, s.split)
        if file.skipped:
            log.warning("%s: left out %d broken lines, first: %s", file.path, len(file.skipped), file.skipped[0])
        leaked = leaks(corpus, t, item_set, file.items)
        if s.drop_leaked and leaked is None:
            path = corpus.path(t, item_set, "train")
            raise DataError("--drop-leaked needs the training split, which is not there", path)
        kept = [i for i in file.items if not (s.drop_leaked and i.id in (leaked or ()))]
        sources.append(Source(t, item_set, file, tuple(kept[: s.limit]), None if leaked is None else len(leaked)))
        for change in _perturbations(s, t) if kept else ():
            try:  # with the item of most options: labels of some styles run out
                change.items(max(kept, key=lambda item: len(item.options)), s.seed)
            except ConfigError as error:
                raise ConfigError(f"--perturb {change.name}: {error}") from None
        for variant in s.prompt:
            Prompt(resolve(s.prompts), t, variant)
        if any(count for m in chosen for count in _shots(s, m, t)) and not corpus.has(t, item_set, "train"):
            path = corpus.path(t, item_set, "train")
            raise DataError("shots are drawn from the training split, which is not there; run with --shots 0", path)
    if not any(_perturbations(s, source.task) for source in sources):
        raise ConfigError(f"--perturb {','.join(s.perturb)}: makes no sense for {', '.join(t.name for t, _ in places)}")
    if not any(_scorings(s, model, source.task) for model in chosen for source in sources):
        raise ConfigError(
            f"--scoring {','.join(s.scoring)}: only for choice tasks (probes have a scoring of their own, nll), on {' and '.join(b for b, can in SCORES.items() if 'labels' in can)}"
        )
    return s, chosen, corpus, sources


def _places(s: Settings, corpus: Corpora) -> list[tuple[Task, str]]:
    """The tasks and sets to evaluate on: of those asked for all that are there. Raises what is wrong with the rest."""
    wanted = tasks_named(s.tasks or [DEFAULT])
    sets = [name.strip() for name in s.set.split(",")]
    every = "all" in sets or "both" in sets
    there = [place for name in dict.fromkeys(t.benchmark for t in wanted) for place in corpus[name].files(s.split)]
    known = dict.fromkeys(name for t in wanted for name in (*BENCHMARKS[t.benchmark].sets, *corpus.of(t).sets))
    for name in sets:
        if name not in (*known, "all", "both"):
            raise ConfigError(unknown("set", name, [*known, "all"]))
    found = []
    for t in wanted:
        mine = [item_set for other, item_set in there if other == t and (every or item_set in sets)]
        asked = [name for name in BENCHMARKS[t.benchmark].sets if every or name in sets]
        if t.name in s.tasks and not mine and asked:  # of a benchmark named as a whole, what is there will do
            corpus.file(t, asked[0], s.split)  # says what is missing
            raise DataError(f"no {s.split} items of {t.name} for --set {s.set}", corpus.of(t).root)
        found += [(t, item_set) for item_set in mine]
    if not found:
        raise DataError(f"no {s.split} file of any task for --set {s.set}", corpus.root)
    return found


def leaks(corpus: Corpora, t: Task, item_set: str, items: Sequence[Item]) -> set[str] | None:
    """Ids of items that share their dialogue with an item of the training split; None if that is not there."""
    if not corpus.has(t, item_set, "train"):
        return None
    train = corpus.file(t, item_set, "train").items
    of = sources_of([i.dialogue for i in (*train, *items)])
    known = set(of[: len(train)])
    return {item.id for item, source in zip(items, of[len(train) :], strict=True) if source in known}


def cells(
    s: Settings, model: Model, backend: Backend | None, corpus: Corpora, sources: Sequence[Source]
) -> Iterator[tuple[Cell, list[Request]]]:
    """Every cell of a model with its requests: shots drawn, prompts rendered, and fitted to the context of a backend."""
    for source in sources:
        if model.tasks is not None and source.task.name not in model.tasks:
            continue
        for variant in s.prompt:
            prompt = Prompt(resolve(s.prompts), source.task, variant)
            ways = product(
                _shots(s, model, source.task), _scorings(s, model, source.task), _perturbations(s, source.task)
            )
            for count, scoring, change in ways:
                shots = Shots(corpus.train(source.task.name, source.set) if count else (), s.seed)
                requests = []
                for item in source.items:
                    # Shots go through the same, so that a model sees one form throughout.
                    shown = [change.items(shot, s.seed)[0] for shot in shots.draw(item, count)]
                    for rotation, perturbed in enumerate(change.items(item, s.seed)):
                        if not source.task.kind.written:
                            requests.append(probe(prompt, perturbed))
                            continue
                        request = fit(
                            prompt,
                            perturbed,
                            shown,
                            backend.tokens if backend else None,
                            backend.context if backend else None,
                            model.generation.max_new_tokens,
                        )
                        held = source.task.pattern if scoring == "constrained" else None
                        requests.append(
                            replace(
                                request,
                                scoring=scoring,
                                perturb=change.name,
                                rotation=rotation,
                                pattern=held(item, variant) if held else "",
                            )
                        )
                facts = {
                    "data": source.file.sha256,
                    **source.file.facts,
                    "template": prompt.sha256,
                    "fingerprint": backend.fingerprint if backend else None,
                    "backend": model.backend,
                    "chat": model.chat,
                    "sampling": backend.settings if backend else None,
                    "seed": s.seed,
                    "limit": s.limit,
                    "skipped_lines": len(source.file.skipped),
                    "leaked": source.leaked,
                    "drop_leaked": s.drop_leaked,
                    "tags": model.tags,
                    **({"parameters": size} if (size := getattr(backend, "parameters", None)) else {}),
                    **({"trained": model.trained} if model.trained else {}),
                }
                place = Place(model.name, source.task.name, source.set, s.split, variant, count, scoring, change.name)
                yield Cell(place, facts), requests


def _shots(s: Settings, model: Model, t: Task) -> Sequence[int]:
    """Where nothing is written there are no examples: probes are asked without, as in the paper."""
    return model.shots or s.shots if t.kind.written else (0,)


def _scorings(s: Settings, model: Model, t: Task) -> list[str]:
    """The ways in which a model is asked a task: other than generating where it makes sense and its backend can."""
    can = SCORES[model.backend]
    if not t.kind.written:
        return [name for name in t.kind.scorings if name in can]
    fitting = (*t.kind.scorings, *(["constrained"] if t.pattern else []))
    return [name for name in s.scoring if name in fitting and name in can]


def _perturbations(s: Settings, t: Task) -> list[Perturbation]:
    return [row for name in s.perturb if (row := perturbation(name)).applies(t.name)]


def ask(
    backend: Backend,
    planned: Sequence[tuple[Cell, list[Request], list[str]]],
    store: Store,
    display: Display,
    score: Callable[[Request, Response], Score] = lambda request, response: score_reply(request.item, response)[1],
    metric: str = "",
) -> None:
    """Get a reply for every request of a model's cells that has none, each in the store before it is counted.

    `planned`: each cell with its requests and their keys. Requests with one key (exact duplicates) are asked once.
    `score` and `metric` are for the display; without, the metric is the task's first.
    """
    requests = [r for _, asked, _ in planned for r in asked]
    keys = [name for _, _, names in planned for name in names]
    owner = [number for number, (_, asked, _) in enumerate(planned) for _ in asked]
    seen = store.done(keys)
    done = []
    for name in keys:
        done.append(name in seen)
        seen.add(name)
    progress = display.model([(cell, len(asked)) for cell, asked, _ in planned], metric)
    for number, count in Counter(n for n, is_done in zip(owner, done, strict=True) if is_done).items():
        progress.skip(number, count)
    groups = backend.generate(requests, done)
    try:
        for group in groups:
            store.put((keys[n], response) for n, response in group)
            for n, response in group:
                progress.advance(owner[n], response, score(requests[n], response))
    finally:
        progress.finish()
        if isinstance(groups, Generator):  # an interrupted run must not go on asking an endpoint
            groups.close()


def _labelled(corpus: Corpora, benchmarks: Collection[str], task: str, item_set: str) -> tuple[Item, ...]:
    """Items that are not tested on, of the benchmarks that are: the others may not be there, and are long to read."""
    return corpus.labelled(task, item_set) if benchmark_of(task).name in benchmarks else ()


def _limits(s: Settings, store: Store) -> Limits:
    return Limits(s.budget, store.spent(), s.max_concurrency, store.lend)


def _data(s: Settings) -> str:
    return str(s.data or os.environ.get("EVALSUITE_DATA") or "bundled:sample")
