"""`evalsuite contamination` on one page: plan the tests of each file, let the model and the reference score the texts, write the
results into the run's folder. What was computed is kept in contamination.sqlite there; the same command resumes."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from evalsuite.analyses.contamination import ExposureTest, keep_rows, read_rows
from evalsuite.analyses.journey import write_results
from evalsuite.analyses.saved import require_own
from evalsuite.backends.base import Backend, Surprisal
from evalsuite.backends.model import Model
from evalsuite.backends.models import Models, models_of
from evalsuite.backends.registry import backend_named, load_backend, loaded
from evalsuite.backends.scripted import scripted_loader
from evalsuite.benchmarks.registry import BENCHMARKS, Corpora
from evalsuite.common.errors import ConfigError, EvalsuiteError
from evalsuite.common.files import make_folder
from evalsuite.common.flags import from_keywords
from evalsuite.common.lock import locked
from evalsuite.common.resources import resolve
from evalsuite.common.templates import TemplateFile
from evalsuite.evaluation.ask import RequestGroup, ask, collect_problems, limits_of
from evalsuite.evaluation.display import Display, Line, log_to
from evalsuite.evaluation.manifest import keep_benchmark_files
from evalsuite.evaluation.plan import EvalSet, prepare
from evalsuite.exposure import items
from evalsuite.exposure.arrangements import order_of_items, order_of_options
from evalsuite.exposure.completion import asked_request, halves, overlap, plain_request
from evalsuite.exposure.items import ProbeText
from evalsuite.exposure.likelihoods import measure, missing
from evalsuite.exposure.probes import Arranged, CompletionProbe, Probe, ProbeRow, Single, TestedFile
from evalsuite.exposure.settings import TESTS, ContaminationSettings
from evalsuite.exposure.texts import Entries, read_entries
from evalsuite.page.report import require_own_page, write_page
from evalsuite.prompt import Prompt, usual_wording
from evalsuite.results.records import reading_of
from evalsuite.results.store import Store, request_key
from evalsuite.types import Item, Request

log = logging.getLogger(__name__)
_EDGE = 8  # tokens of a model's context that are left free, since joined texts may have more tokens


@dataclass(frozen=True, slots=True)
class ContaminationResult:
    """The results of a command: rows of this and earlier commands, and its problems."""

    out: Path
    rows: list[ExposureTest]
    problems: tuple[str, ...]


def contamination(
    model: str | Sequence[str], models: Models = "bundled:models.yaml", **settings: Any
) -> ContaminationResult:
    """Test whether models have seen a benchmark's files (docs/contamination.md); the keywords are those of the command.

    `model` names one or several of `models`. Returns a row for each model, file and test; the page of the run in `out` shows
    them. Raises ConfigError or DataError before any model is loaded. What one model raises is a problem of the results.

    >>> contamination("mine", "models.yaml", tasks=["event_cause"], out="runs/mine")  # doctest: +SKIP
    """
    file = models if isinstance(models, str | Path) else "functions"
    s = from_keywords(ContaminationSettings, {"models": file} | settings)
    names = [model] if isinstance(model, str) else list(model)
    suspects = models_of(models, names)
    reference = models_of(models, [s.reference])[0] if s.reference else None
    for one in (*suspects, *([reference] if reference else ())):
        _tests(s, one)
    _, _, corpora, sources = prepare(
        models,
        model=names,
        tasks=s.tasks,
        benchmark=s.benchmark,
        set=s.set,
        split=s.split,
        prompt=(s.prompt,),
        data=s.data,
        limit=s.limit,
        skip_bad=s.skip_bad,
        prompts=s.prompts,
    )
    out = Path(s.out)
    make_folder(out)
    with locked(out):
        require_own(out)
        keep_benchmark_files(out, {x.task.benchmark for x in sources})
        return _test(s, suspects, reference, corpora, sources, models)


def _tests(s: ContaminationSettings, model: Model) -> list[str]:
    """The tests that the model's backend can take. Raises ConfigError if there is none, or for a named one that it cannot."""
    row = backend_named(model.backend)
    able = [name for name in TESTS if name != "guided"] if row.local else ["guided"]
    if model.backend == "baseline" or not (row.local or "generate" in row.scorings):
        raise ConfigError(
            f"model {model.name}: backend {model.backend} has read nothing; name a model on hf, vllm or openai"
        )
    found = [name for name in able if name in (s.tests or TESTS)]
    if not found:
        raise ConfigError(f"--tests {','.join(s.tests)}: backend {model.backend} takes {', '.join(able)} only")
    return found


def _test(
    s: ContaminationSettings,
    suspects: Sequence[Model],
    reference: Model | None,
    corpora: Corpora,
    sources: Sequence[EvalSet],
    models: Models,
) -> ContaminationResult:
    out, problems = Path(s.out), list[str]()
    require_own_page(out / "page")
    control = _Control(s, corpora)
    with (
        log_to(out / "contamination.log", s.verbose),
        Store(out / "contamination.sqlite") as store,
        Display() as display,
    ):
        engine = partial(load_backend, limits=lambda: limits_of(store, display, s.budget, s.max_concurrency))
        if not isinstance(models, str | Path):
            engine = scripted_loader(models)  # type: ignore[assignment]
        asked: list[tuple[Model, _Work]] = []
        for model in suspects:
            with collect_problems(problems, model, out / "contamination.log"), loaded(_plain(model), engine) as backend:
                work = _Work.plan(s, model, backend, corpora, sources, control)
                work.ask(backend, store, display, model.name)
                asked.append((model, work))
        beside: dict[str, str] = {}
        if reference and asked:
            with (
                collect_problems(problems, reference, out / "contamination.log"),
                loaded(_plain(reference), engine) as backend,
            ):
                for _, work in asked:
                    work.ask(backend, store, display, reference.name)
                beside = {"name": reference.name, "fingerprint": backend.fingerprint}
        if reference and not beside:
            asked = []  # without it the results would not be the requested ones
        rows = [row for model, work in asked for row in work.rows(s, model.name, beside)]
    keep_rows(out, rows)
    if (out / "store.sqlite").is_file():
        write_results(out, reading_of(out))
        write_page([out], out / "page")
    return ContaminationResult(out, read_rows(out), tuple(problems))


def _plain(model: Model) -> Model:
    """A local model without its chat template: files are read as they are."""
    if not backend_named(model.backend).local:
        return model
    return model.model_copy(update={"chat": False, "chat_template": None})


class _Control:
    """The control items of each file."""

    def __init__(self, s: ContaminationSettings, corpora: Corpora) -> None:
        """Raises ConfigError or DataError for a folder that holds no data."""
        self.split = s.control if s.control in ("train", "dev", "test") else s.split
        self._corpora: Corpora | None = corpora
        if s.control == "none":
            self._corpora = None
        elif self.split == s.split:
            self._corpora = Corpora(resolve(s.control), skip_bad=s.skip_bad)

    def file(self, source: EvalSet) -> Any:
        """The control file of the same task and set; None if there is none."""
        try:
            if self._corpora and self._corpora.has(source.task, source.set, self.split):
                return self._corpora.file(source.task, source.set, self.split)
        except EvalsuiteError as error:
            log.warning("no control items of %s: %s", source.task.name, error)
        return None


@dataclass(slots=True)
class _Work:
    """The tests of one model, with the scores and texts that it and the reference produced."""

    probes: list[Probe]
    written: list[CompletionProbe]
    scores: list[Any]  # the model's, then the reference's: a list for each probe
    replies: list[Any]
    fingerprint: str

    @classmethod
    def plan(
        cls,
        s: ContaminationSettings,
        model: Model,
        backend: Backend,
        corpora: Corpora,
        sources: Sequence[EvalSet],
        control: _Control,
    ) -> _Work:
        probes, written = list[Probe](), list[CompletionProbe]()
        room = min(s.window, (backend.context or s.window) - _EDGE)

        def count(text: str) -> int:
            return backend.tokens(Request("", text, (), 0))

        for source in sources:
            for made in _planned(
                s, _tests(s, model), source, corpora, control, count, backend.context or s.window, room
            ):
                if isinstance(made, CompletionProbe):
                    written.append(made)
                else:
                    probes.append(made)
        return cls(probes, written, [], [], backend.fingerprint)

    def ask(self, backend: Backend, store: Store, display: Display, name: str) -> None:
        """Let a model score texts and continue halves. Stored ones are not asked again."""
        pairs = [pair for probe in self.probes for pair in probe.pairs]
        if pairs:
            if not isinstance(backend, Surprisal):
                raise ConfigError(f"model {name}: its backend gives no likelihoods of texts; --tests guided")
            todo = missing(backend, pairs, store)
            tokens = sum(backend.tokens(Request("", context + text, (), 0)) for context, text in todo)
            display.say(f"{name}: {len(todo):,} texts of {tokens:,} tokens to score")
            if backend.context and (long := _too_long(backend, todo)):
                raise ConfigError(
                    f"model {name}: a text has {long:,} tokens, and its context {backend.context:,}: --window "
                    f"{backend.context // 2}"
                )
            with display.work(name, len({*pairs}), "", len({*pairs}) - len(todo)) as advance:
                found = iter(measure(backend, pairs, store, advance))
            self.scores.append([[next(found) for _ in probe.pairs] for probe in self.probes])
        else:
            self.scores.append([[] for _ in self.probes])
        self.replies.append([_replies(made, backend, store, display, name) for made in self.written])

    def rows(self, s: ContaminationSettings, name: str, reference: dict[str, str]) -> Iterator[ProbeRow]:
        """The results of the model."""
        head = {"model": name, "fingerprint": self.fingerprint}
        others = self.scores[1] if reference else [None] * len(self.probes)
        for probe, own, theirs in zip(self.probes, self.scores[0], others, strict=True):
            yield head | _beside(probe.row(own, theirs, s.seed), reference)
        said = self.replies[1] if reference else [()] * len(self.written)
        for made, mine, theirs in zip(self.written, self.replies[0], said, strict=True):
            yield head | _beside(made.row(mine, theirs, s.seed), reference)


def _too_long(backend: Backend, pairs: Sequence[tuple[str, str]]) -> int:
    longest = max((backend.tokens(Request("", context + text, (), 0)) for context, text in pairs), default=0)
    return longest if longest + 1 > (backend.context or longest + 1) else 0


def _beside(row: ProbeRow, reference: dict[str, str]) -> ProbeRow:
    return {**row, "reference": {**reference, **row["reference"]} if row["reference"] else None}


def _replies(made: CompletionProbe, backend: Backend, store: Store, display: Display, name: str) -> list[Any]:
    keys = [request_key(backend.fingerprint, request, False, backend.settings) for request in made.requests]
    line = Line(name, f"{made.file.set} {made.file.task}", made.file.test)
    ask([RequestGroup(line, made.requests, keys)], backend.generate, store, display, lambda request, said: 0.0)
    found = []
    for key, second in zip(keys, made.seconds, strict=True):
        said = store.response(key)
        found.append(None if said is None or said.error is not None else overlap(said.text, second))
    return found


def _planned(
    s: ContaminationSettings,
    tests: Sequence[str],
    source: EvalSet,
    corpora: Corpora,
    control: _Control,
    count: Callable[[str], int],
    context: int,
    room: int,
) -> Iterator[Probe | CompletionProbe]:
    """The tests of one file."""
    task = source.task
    if not task.kind.written:
        return  # a probe has no text of its own
    file = partial(TestedFile, task.name, source.set, s.split)
    entries = read_entries(source.file, s.limit)
    wording = usual_wording(resolve(s.prompts), task, s.prompt)
    prompt = Prompt(resolve(s.prompts), task, wording, corpora.given(task, source.set, wording))

    def shown(item: Item) -> tuple[str, str]:
        return prompt.render(item), prompt.target(item)

    if "order" in tests:
        yield Arranged(file("order"), order_of_items(entries, count, room, s.shuffles, s.seed, s.shards))
    if "options" in tests and task.kind.single:
        some = _sample(source.items, s)
        short = [item for item in some if count("".join(shown(item))) < room]
        made = order_of_options(short, shown, s.shuffles, s.seed)
        yield Arranged(file("options", "prompt"), replace(made, left_out=made.left_out + len(some) - len(short)))
    other = control.file(source)
    theirs = read_entries(other, s.limit) if other else Entries((), "", False)
    theirs = theirs.numbered_like(entries, Random(f"{s.seed}:numbers"))
    people: tuple[Item, ...] = other.items[: s.limit] if other else ()
    why = "" if other else "no control"
    figures = {"mean": items.mean, "mink": items.mink}

    def single(
        test: str, form: str, official: Sequence[ProbeText], rest: Sequence[ProbeText], score: Any, named: Any
    ) -> Single:
        one, two = items.kept_apart(official, rest)
        one, two = (items.drawn(texts, s.items, s.seed) for texts in (one, two))
        fitting = [
            [t for t in texts if all(count(text) < context - _EDGE for _, text in t.pairs)] for texts in (one, two)
        ]
        return Single(file(test, form), fitting[0], fitting[1], len(official) - len(fitting[0]), score, named, why)

    for form in s.form:
        if "mink" in tests:
            texts = (
                (items.raw_texts(entries), items.raw_texts(theirs))
                if form == "raw"
                else (items.prompt_texts(source.items, shown), items.prompt_texts(people, shown))
            )
            yield single("mink", form, *texts, items.minkpp, figures)
    if "names" in tests:
        mine, others = (items.renamed_texts(x, shown) for x in (source.items, people))
        if mine:
            yield single("names", "prompt", mine, others, items.renamed, {})
    for test in ("completion", "guided"):
        if test in tests:
            yield _completion(s, file(test), source, entries, theirs, control.split, why)


def _sample(found: Sequence[Item], s: ContaminationSettings) -> list[Item]:
    """At most s.items of the items, chosen by a hash of their ids, in their order."""
    by_hash = sorted(found, key=lambda item: hashlib.sha256(f"{s.seed}:options:{item.id}".encode()).digest())
    kept = {item.id for item in by_hash[: s.items]}
    return [item for item in found if item.id in kept]


def _completion(
    s: ContaminationSettings,
    file: TestedFile,
    source: EvalSet,
    entries: Entries,
    theirs: Entries,
    control: str,
    why: str,
) -> CompletionProbe:
    benchmark = BENCHMARKS[source.task.benchmark]
    template = TemplateFile(
        resolve(s.prompts) / "contamination" / f"{'zh' if benchmark.language.name == 'zh' else 'en'}.j2"
    )
    one, two = items.kept_apart(items.raw_texts(entries), items.raw_texts(theirs))
    sides, requests, seconds = list[list[ProbeText]](), list[Request](), list[str]()
    for texts, split in ((one, file.split), (two, control)):
        kept = []
        for text in items.drawn(texts, s.completions, s.seed):
            half = halves(text.item, text.pairs[0][1])
            if half is None:
                continue
            kept.append(text)
            if file.test == "completion":
                requests.append(plain_request(half))
                seconds.append(half.second)
            else:
                requests += [asked_request(half, template, name, split) for name in (benchmark.title, "")]
                seconds += [half.second] * 2
        sides.append(kept)
    return CompletionProbe(file, sides[0], sides[1], requests, seconds, len(entries.entries) - len(sides[0]), why)
