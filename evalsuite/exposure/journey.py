"""`evalsuite contamination` on one page: plan the tests of each file, let the model and the reference score the texts, write the
results into the run's folder. contamination.sqlite there keeps scores and replies, so that the same command resumes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalsuite.analyses.contamination import ExposureTest, keep_rows, read_rows
from evalsuite.analyses.journey import write_results
from evalsuite.analyses.saved import require_own
from evalsuite.backends.base import Backend, Surprisal
from evalsuite.backends.model import Model
from evalsuite.backends.models import Models, models_of
from evalsuite.backends.registry import backend_named, loaded
from evalsuite.benchmarks.registry import Corpora
from evalsuite.common.errors import ConfigError
from evalsuite.common.files import make_folder
from evalsuite.common.flags import from_keywords
from evalsuite.common.lock import locked
from evalsuite.evaluation.ask import RequestGroup, ask, collect_problems, loader_of
from evalsuite.evaluation.display import Display, ProgressLine, log_to
from evalsuite.evaluation.manifest import keep_benchmark_files
from evalsuite.evaluation.plan import EvalSet, prepare
from evalsuite.exposure.completion import Overlap, overlap
from evalsuite.exposure.likelihoods import measure, missing
from evalsuite.exposure.plan import ControlFiles, Planner, tests_for
from evalsuite.exposure.probes import CompletionProbe, Probe, ProbeRow
from evalsuite.exposure.settings import ContaminationSettings
from evalsuite.page.report import require_own_page, write_page
from evalsuite.results.records import reading_of
from evalsuite.results.store import Store, request_key
from evalsuite.types import Request

# The settings that the tests share with runs.
_OF_RUNS = ("tasks", "benchmark", "set", "split", "data", "limit", "skip_bad", "prompts")


@dataclass(frozen=True, slots=True)
class ContaminationResult:
    """The rows of this and earlier commands in the folder, and the problems of this command."""

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
    for tested in (*suspects, *([reference] if reference else ())):
        tests_for(s, tested)  # fails before a model is loaded
    shared = {name: getattr(s, name) for name in _OF_RUNS}
    _, _, corpora, sources = prepare(models, model=names, prompt=(s.prompt,), **shared)
    out = Path(s.out)
    make_folder(out)
    with locked(out):
        require_own(out)
        keep_benchmark_files(out, {x.task.benchmark for x in sources})
        return _test(s, suspects, reference, corpora, sources, models)


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
    control = ControlFiles(s, corpora)
    with (
        log_to(out / "contamination.log", s.verbose),
        Store(out / "contamination.sqlite") as store,
        Display() as display,
    ):
        engine = loader_of(models, store, display, s.budget, s.max_concurrency)
        tested_models: list[tuple[Model, _ModelTests]] = []
        for model in suspects:
            with collect_problems(problems, model, out / "contamination.log"), loaded(_plain(model), engine) as backend:
                work = _ModelTests.plan(Planner(s, tests_for(s, model), backend, corpora, control), sources)
                work.ask(backend, store, display, model.name)
                tested_models.append((model, work))
        reference_facts: dict[str, str] = {}
        if reference and tested_models:
            with (
                collect_problems(problems, reference, out / "contamination.log"),
                loaded(_plain(reference), engine) as backend,
            ):
                for _, work in tested_models:
                    work.ask(backend, store, display, reference.name)
                reference_facts = {"name": reference.name, "fingerprint": backend.fingerprint}
        if reference and not reference_facts:
            tested_models = []  # results without the reference are not those that were requested
        rows = [row for model, work in tested_models for row in work.rows(s, model.name, reference_facts)]
    keep_rows(out, rows)
    if (out / "store.sqlite").is_file():
        write_results(out, reading_of(out))
        write_page([out], out / "page")
    return ContaminationResult(out, read_rows(out), tuple(problems))


def _plain(model: Model) -> Model:
    """A local model without its chat template, since files are read as plain text; any other model unchanged."""
    if not backend_named(model.backend).local:
        return model
    return model.model_copy(update={"chat": False, "chat_template": None})


@dataclass(slots=True)
class _ModelTests:
    """The tests of one model, with the scores and overlaps of this model and of the reference."""

    probes: list[Probe]
    completions: list[CompletionProbe]
    scores: list[Any]  # the model's, then the reference's: a list for each of `probes`
    overlaps: list[Any]  # the model's, then the reference's: a list for each of `completions`
    fingerprint: str

    @classmethod
    def plan(cls, planner: Planner, sources: Sequence[EvalSet]) -> _ModelTests:
        planned = [probe for source in sources for probe in planner.probes(source)]
        probes = [probe for probe in planned if not isinstance(probe, CompletionProbe)]
        completions = [probe for probe in planned if isinstance(probe, CompletionProbe)]
        return cls(probes, completions, [], [], planner.backend.fingerprint)

    def ask(self, backend: Backend, store: Store, display: Display, name: str) -> None:
        """Let a model score the texts and continue the first halves. Stored scores and replies are reused."""
        pairs = [pair for probe in self.probes for pair in probe.pairs]
        if pairs:
            if not isinstance(backend, Surprisal):
                raise ConfigError(f"model {name}: its backend gives no likelihoods of texts; --tests guided")
            todo = missing(backend, pairs, store)
            sizes = [backend.tokens(Request("", context + text, (), 0)) for context, text in todo]
            tokens = sum(sizes)
            display.say(f"{name}: {len(todo):,} texts of {tokens:,} tokens to score")
            if backend.context and (long := max(sizes, default=0)) >= backend.context:
                raise ConfigError(
                    f"model {name}: a text has {long:,} tokens, and its context {backend.context:,}: --window "
                    f"{backend.context // 2}"
                )
            with display.work(name, len({*pairs}), "", len({*pairs}) - len(todo)) as advance:
                scores = iter(measure(backend, pairs, store, advance))
            self.scores.append([[next(scores) for _ in probe.pairs] for probe in self.probes])
        else:
            self.scores.append([[] for _ in self.probes])
        self.overlaps.append([_overlaps(probe, backend, store, display, name) for probe in self.completions])

    def rows(self, s: ContaminationSettings, name: str, reference: dict[str, str]) -> Iterator[ProbeRow]:
        """The rows of the model's results."""
        head = {"model": name, "fingerprint": self.fingerprint}
        others = self.scores[1] if reference else [None] * len(self.probes)
        for probe, scores, reference_scores in zip(self.probes, self.scores[0], others, strict=True):
            yield head | _with_reference(probe.row(scores, reference_scores, s.seed), reference)
        others_overlaps = self.overlaps[1] if reference else [()] * len(self.completions)
        every = zip(self.completions, self.overlaps[0], others_overlaps, strict=True)
        for completion, overlaps, reference_overlaps in every:
            yield head | _with_reference(completion.row(overlaps, reference_overlaps, s.seed), reference)


def _with_reference(row: ProbeRow, reference: dict[str, str]) -> ProbeRow:
    return {**row, "reference": {**reference, **row["reference"]} if row["reference"] else None}


def _overlaps(
    probe: CompletionProbe, backend: Backend, store: Store, display: Display, name: str
) -> list[Overlap | None]:
    """Ask a probe's requests. The overlap of each reply with the second half; None for a failed request."""
    keys = [request_key(backend.fingerprint, request, False, backend.settings) for request in probe.requests]
    line = ProgressLine(name, f"{probe.file.set} {probe.file.task}", probe.file.test)
    ask([RequestGroup(line, probe.requests, keys)], backend.generate, store, display)
    overlaps: list[Overlap | None] = []
    for key, second in zip(keys, probe.seconds, strict=True):
        reply = store.response(key)
        overlaps.append(None if reply is None or reply.error is not None else overlap(reply.text, second))
    return overlaps
