"""Requests -> Responses. A new backend is a module with a class like those here, and a row in BACKENDS.

Heavy imports (torch, vllm, openai, ray) stand inside the modules' functions, never at the top.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from evalsuite.backends.models import Model
from evalsuite.common.errors import BackendError, EvalsuiteError
from evalsuite.types import SCORINGS, Item, Request, Response

log = logging.getLogger(__name__)

# (task, set) -> items that are not tested on, () if there are none
TrainingItems = Callable[[str, str], tuple[Item, ...]]


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may use of an endpoint."""

    budget: float | None = None  # what it may spend in all, in the currency of the model's prices
    spent: float = 0.0  # what it has spent of that before
    max_concurrency: int | None = None  # instead of the model's own
    lend: Callable[[float], None] = lambda amount: None  # keeps what is at stake in requests under way (Store.lend)


class Backend(Protocol):
    """A loaded model."""

    fingerprint: str  # of all that can change a reply: weights, tokenizer, chat template, dtype, adapter
    settings: dict[str, Any]  # sampling settings, part of every reply's key
    context: int | None  # tokens that prompt and reply may have together; None: no limit

    def tokens(self, request: Request) -> int:
        """Prompt tokens, chat template included."""

    def generate(self, requests: Sequence[Request], done: Sequence[bool]) -> Iterator[Sequence[tuple[int, Response]]]:
        """Answer those of `requests` that are not `done`, in groups as they get ready: (index, response) each.

        The whole list comes in (all cells of the model), so that an engine never runs dry and batches are the same
        whether or not a run was interrupted. A request that cannot be answered gets a Response with `error`; it does
        not stop the others. Scoring "nll" is answered from `nll` of the request's pairs. BackendError: nothing more can be asked of this model (key refused, budget spent).
        """

    def close(self) -> None:
        """Give memory back."""


@runtime_checkable
class LocalModel(Backend, Protocol):
    """A backend that holds the network itself (hf, vllm)."""

    parameters: int | None  # how many its checkpoint has; None: not known

    def ids(self, request: Request) -> list[int]:
        """The prompt's token ids; of a probe those of its longest pair."""

    def plan(self, requests: Sequence[Request]) -> list[list[int]]:
        """Indices in blocks, in the order to be answered in. A block asked alone gives what it gives within the whole."""

    def nll(self, pairs: Sequence[tuple[str, str]]) -> list[list[float]]:
        """(context, target) -> the negative log-likelihood of every token of the target, in nats.

        The perplexity of a target is the exponential of the mean. Both are plain text, for chat models, too, and a
        target's end-of-text token is not scored.
        """


@runtime_checkable
class Sharing(Protocol):
    """A backend whose engine can serve other models, too."""

    def share(self, model: Model) -> Backend | None:
        """A backend for `model` on the same engine; None if it needs an engine of its own."""


def _baseline(model: Model, train: TrainingItems, limits: Limits) -> Backend:
    from evalsuite.backends.baseline import Baseline

    return Baseline(model, train)


def _hf(model: Model, train: TrainingItems, limits: Limits) -> Backend:
    from evalsuite.backends.hf.backend import HuggingFace

    return HuggingFace(model)


def _vllm(model: Model, train: TrainingItems, limits: Limits) -> Backend:
    from evalsuite.backends.vllm.backend import Vllm

    return Vllm(model)


def _openai(model: Model, train: TrainingItems, limits: Limits) -> Backend:
    from evalsuite.backends.openai.backend import OpenAI

    return OpenAI(model, limits)


BACKENDS: dict[str, Callable[[Model, TrainingItems, Limits], Backend]] = {
    "baseline": _baseline, "hf": _hf, "vllm": _vllm, "openai": _openai,
}  # fmt: skip

# What --scoring each can do; for choice tasks all but "nll", for probes "nll", for the others "generate".
SCORES: dict[str, tuple[str, ...]] = {
    "baseline": ("generate",), "hf": SCORINGS, "vllm": SCORINGS, "openai": ("generate",),
}  # fmt: skip


Loader = Callable[[Model], Backend]


def load(
    model: Model, train: TrainingItems = lambda task, item_set: (), limits: Callable[[], Limits] = Limits
) -> Backend:
    """Load a model. Raises BackendError with what to do."""
    return BACKENDS[model.backend](model, train, limits())


def loaded(models: Sequence[Model], engine: Loader) -> Iterator[tuple[Model, Backend | BackendError]]:
    """Each model with its backend, or with why it cannot be loaded, whatever an engine raises. One is in memory at a time.

    Models on vLLM that differ in their adapter alone come after one another and share an engine; those with an adapter
    come first, so that it is made for adapters if there are any.
    """
    order = [_engine(model) for model in models]
    backend: Backend | None = None
    try:
        for model in sorted(models, key=lambda m: (order.index(_engine(m)), m.adapter is None)):
            try:
                shared = backend.share(model) if isinstance(backend, Sharing) else None
                if shared is None and backend is not None:
                    backend.close()
                    backend = None
                backend = shared or engine(model)
            except BackendError as error:
                yield model, error
            except (EvalsuiteError, sqlite3.Error):  # of the data or the store: they concern all models
                raise
            except Exception as error:
                log.info("model %s cannot be loaded", model.name, exc_info=True)
                yield model, BackendError(f"model {model.name}: {type(error).__name__}: {error}")
            else:
                yield model, backend
    finally:
        if backend is not None:
            backend.close()


def _engine(model: Model) -> str:
    """What models must have in common to be served by one engine."""
    if model.backend != "vllm":
        return model.name
    return model.model_copy(update=_OWN).model_dump_json()


# What models on one engine may differ in.
_OWN: dict[str, Any] = {
    "name": "", "adapter": None, "shots": None, "tags": [], "chat": False, "chat_template_kwargs": {}, "generation": None,
    "finetune": None, "trained": None, "tasks": None, "family": None,
}  # fmt: skip
