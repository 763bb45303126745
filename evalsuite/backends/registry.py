"""All backends by name, and loading of models on them. A new backend is a row of BACKENDS."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from evalsuite.backends.base import Backend, BackendRow, Limits, Loader, Sharing, TrainingItems
from evalsuite.backends.model import Model
from evalsuite.common.errors import BackendError, ConfigError, DataError, EvalsuiteError, unknown
from evalsuite.common.plugins import installed, load_plugin, origin_of
from evalsuite.common.weights import way_round
from evalsuite.types import SAMPLING, SCORINGS

log = logging.getLogger(__name__)


def _baseline(model: Model, train: TrainingItems, limits: Limits) -> Backend:
    from evalsuite.backends.baseline import Baseline

    return Baseline(model, train)


def _scripted(model: Model, train: TrainingItems, limits: Limits) -> Backend:
    from evalsuite.backends.recording import RecordedModel
    from evalsuite.backends.scripted import ReplyFile

    try:
        return RecordedModel(model) if Path(model.path).is_dir() else ReplyFile(Path(model.path))
    except DataError as error:  # the file holds the replies of this model alone, so the others go on
        raise BackendError(f"model {model.name}: {error}") from None


def _hf(model: Model, train: TrainingItems, limits: Limits) -> Backend:
    from evalsuite.backends.hf.backend import HuggingFace

    return HuggingFace(model)


def _vllm(model: Model, train: TrainingItems, limits: Limits) -> Backend:
    from evalsuite.backends.vllm.backend import Vllm

    return Vllm(model)


def _openai(model: Model, train: TrainingItems, limits: Limits) -> Backend:
    from evalsuite.backends.openai.backend import OpenAI

    return OpenAI(model, limits)


# Backends of other packages come from entry points: see `backend_named`.
BACKENDS: dict[str, BackendRow] = {
    row.name: row
    for row in (
        BackendRow("baseline", _baseline),
        # With scoring nll, the reply is the explanation that a person chose for a probe.
        BackendRow("scripted", _scripted, ("generate", "nll"), files=True, sampling=("temperature", "samples")),
        BackendRow("hf", _hf, SCORINGS, files=True, local=True, sampling=SAMPLING, modules=("torch", "transformers")),
        BackendRow(
            "vllm", _vllm, SCORINGS, files=True, local=True, sampling=SAMPLING, engine=lambda model: model.engine_key
        ),
        BackendRow("openai", _openai, sampling=tuple(name for name in SAMPLING if name != "beams")),
    )
}
GROUP = "evalsuite.backends"  # the group of entry points


def backend_named(name: str) -> BackendRow:
    """The row of a built-in backend, or of another package's.

    Raises ConfigError if no backend, or several, have this name, or if the package cannot be imported.
    """
    if name in BACKENDS:
        return BACKENDS[name]
    points = [point for point in installed(GROUP) if point.name == name]
    if not points:
        raise ConfigError(unknown("backend", name, backend_names()))
    if len(points) > 1:
        owners = ", ".join(map(origin_of, points))
        raise ConfigError(f"backend {name}: several packages have one of this name ({owners}); uninstall all but one")
    row = load_plugin(points[0])
    if not isinstance(row, BackendRow) or row.name != name:
        raise ConfigError(f"{origin_of(points[0])}: expected a BackendRow named {name!r}, found {row!r}")
    return row


def check_sampling(model: Model) -> None:
    """Raise ConfigError if the model has a setting of sampling or beam search that its backend does not obey."""
    row = backend_named(model.backend)
    for name in model.generation.changed:
        if name not in row.sampling:
            able = [other.name for other in BACKENDS.values() if name in other.sampling]
            raise ConfigError(f"backend {row.name} does not take generation.{name}; backends {', '.join(able)} do")
        if row.local and getattr(model.generation, name) is None:
            raise ConfigError(f"generation.{name}: null (not sent) is for endpoints; backend {row.name} needs a number")


def backend_names() -> list[str]:
    """The names of all backends, built-in ones first. Logs an error for each other package's backend with the name of a built-in
    one."""
    others = []
    for point in installed(GROUP):
        if point.name in BACKENDS:
            log.error(
                "backend %s of %s: the built-in one of this name is used; rename it", point.name, origin_of(point)
            )
        elif point.name not in others:
            others.append(point.name)
    return [*BACKENDS, *others]


def load_backend(
    model: Model, train: TrainingItems = lambda task, item_set: (), limits: Callable[[], Limits] = Limits
) -> Backend:
    """Load a model on its backend. Raises BackendError with what to do."""
    return backend_named(model.backend).load(model, train, limits())


@contextmanager
def engine_errors(model: Model) -> Iterator[None]:
    """Turn what an engine raises, in loading or in answering, into a BackendError that names the model.

    The trace goes to the log. Errors of data, settings and the store are raised unchanged, since they concern all models.
    """
    try:
        yield
    except (EvalsuiteError, sqlite3.Error):
        raise
    except (Exception, SystemExit) as error:
        log.info("model %s", model.name, exc_info=True)
        raise BackendError(
            f"model {model.name}: {type(error).__name__}: {error}{way_round(model.trust_remote_code)}"
        ) from error


@contextmanager
def loaded(model: Model, engine: Loader) -> Iterator[Backend]:
    """One model on its backend, closed afterwards. Errors of the engine in the block become BackendErrors, too."""
    with engine_errors(model):
        backend = engine(model)
        try:
            yield backend
        finally:
            backend.close()


def load_in_turn(models: Sequence[Model], engine: Loader) -> Iterator[tuple[Model, Backend | BackendError]]:
    """Each model with its backend, or the BackendError that says why it cannot be loaded; one is in memory at a time.

    Models that can share an engine follow one another, those with an adapter first, so that the engine is created with
    adapters enabled if any model needs them. Data and store errors are raised, since they concern all models.
    """
    order = [_engine_key(model) for model in models]
    backend: Backend | None = None
    try:
        for model in sorted(models, key=lambda m: (order.index(_engine_key(m)), m.adapter is None)):
            try:
                with engine_errors(model):
                    shared = backend.share(model) if isinstance(backend, Sharing) else None
                    if shared is None:
                        unneeded, backend = backend, None
                        _close(unneeded)
                    backend = shared or engine(model)
            except BackendError as error:
                yield model, error
            else:
                yield model, backend
    finally:
        _close(backend)


def _close(backend: Backend | None) -> None:
    """Close an engine. An error goes to the log alone, since all models of the engine have been asked."""
    try:
        if backend is not None:
            backend.close()
    except Exception as error:
        log.warning("an engine did not close: %s: %s", type(error).__name__, error)


def _engine_key(model: Model) -> tuple[str, str]:
    """A key of the model's engine: models with equal keys can share one."""
    return model.backend, backend_named(model.backend).engine(model)
