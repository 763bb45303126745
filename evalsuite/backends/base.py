"""Protocols of backends, and the types that they share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import islice
from random import Random
from typing import Any, Protocol, runtime_checkable

from evalsuite.backends.model import Model
from evalsuite.common.errors import BackendError
from evalsuite.common.text import escape_surrogates
from evalsuite.types import WRITTEN, Item, Request, Response, Trial

# (task, set) -> items of the training split (dev if there is none); () if neither exists
TrainingItems = Callable[[str, str], tuple[Item, ...]]
Replies = Iterator[Sequence[tuple[int, Response]]]  # groups of (index of a request, its response), as they become ready
TextPair = tuple[str, str]  # a context, and the text after it that is scored


class Journal(Protocol):
    """Notes on a run's batches at endpoints. A `Store` keeps them when the process is killed.

    The `stake` of a batch, its highest cost, counts as spent until the batch ends.
    """

    def batches(self) -> dict[str, dict[str, Any]]:
        """The note on each batch, by name."""

    def put_batch(self, name: str, note: dict[str, Any], stake: float, cost: float = 0.0) -> None:
        """Keep a note on a batch with its `stake`; in the same step, `cost` is spent for good."""

    def end_batch(self, name: str, cost: float = 0.0) -> None:
        """Drop the note and the stake. `cost`, that of lines without a stored reply, stays spent."""


class UnsavedJournal(dict[str, dict[str, Any]]):
    """A journal in memory, for callers without a store."""

    def batches(self) -> dict[str, dict[str, Any]]:
        return dict(self)

    def put_batch(self, name: str, note: dict[str, Any], stake: float, cost: float = 0.0) -> None:
        self[name] = note

    def end_batch(self, name: str, cost: float = 0.0) -> None:
        del self[name]


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a run at an endpoint (budget, concurrent requests), and the journal of its batches."""

    budget: float | None = None  # maximum total cost, in the currency of the model's prices
    spent: float | Callable[[], float] = 0.0  # cost so far; a function is called at each `generate`
    max_concurrency: int | None = None  # overrides the model's own setting
    # Counts the highest cost of requests in flight as spent (Store.lend).
    lend: Callable[[float], None] = lambda amount: None
    journal: Journal = field(default_factory=UnsavedJournal)
    tell: Callable[[str], None] = lambda text: None  # shows the progress of batches

    def left(self) -> float | None:
        """The part of the budget that is not spent; None: no limit."""
        if self.budget is None:
            return None
        return self.budget - (self.spent() if callable(self.spent) else self.spent)


class Backend(Protocol):
    """A loaded model."""

    fingerprint: str  # hash of everything that can change a reply: weights, tokenizer, chat template, dtype, adapter
    settings: dict[str, Any]  # decoding settings, part of every reply's key in the store
    context: int | None  # maximum tokens of prompt and reply together; None: no limit

    def tokens(self, request: Request) -> int:
        """Number of prompt tokens, chat template included; exact or an estimate."""

    def generate(self, requests: Sequence[Request], done: Sequence[bool]) -> Replies:
        """Answer the `requests` that are not `done`; yield groups of (index, response) as they become ready.

        The call receives all requests of a model at once, across all tasks, so that an engine never idles and batches
        do not depend on whether the run was interrupted. A request that fails gets a Response with `error` and does not
        stop the others. With scoring "nll", the response holds a likelihood for each of the request's pairs.
        Raises BackendError when the model can answer nothing more (key rejected, budget spent).
        """

    def close(self) -> None:
        """Release memory and processes."""


class WithoutEngine:
    """Base class of backends without an engine in this process: no context limit, no token counts, nothing to release."""

    context: int | None = None

    def tokens(self, request: Request) -> int:
        return 0

    def close(self) -> None:
        pass


def in_groups(responses: Iterator[tuple[int, Response]]) -> Replies:
    """Groups of up to 256 (index, response) pairs. The caller stores one group at a time."""
    while group := list(islice(responses, 256)):
        yield group


@runtime_checkable
class Answering(Backend, Protocol):
    """A backend that answers benchmark items, not prompts: baselines, and replies read from a file."""

    def answer(self, trials: Sequence[Trial], done: Sequence[bool]) -> Replies:
        """Like `Backend.generate`, for trials. A run calls this method if the backend has it."""


@runtime_checkable
class Replaying(Backend, Protocol):
    """A backend that replies to recorded requests only (backends/recording.py)."""

    recorded: dict[str, Any]  # model, date and versions of the recording: a fact of its cells

    def missing(self, requests: Sequence[Request]) -> int:
        """The number of `requests` without a recorded reply."""


@runtime_checkable
class LocalModel(Backend, Protocol):
    """A backend that runs the network on this machine (hf, vllm)."""

    parameters: int | None  # number of parameters of the checkpoint; None: not known

    def ids(self, request: Request) -> list[int]:
        """The prompt's token ids. For scoring "nll": those of the longest pair, context and target."""

    def plan(self, requests: Sequence[Request]) -> list[list[int]]:
        """Batches of indices in the order of answering. A batch gives the same replies alone as among others."""

    def nll(self, pairs: Sequence[TextPair]) -> list[list[float]]:
        """Negative log-likelihood in nats of every target token, for each (context, target): pair -> token.

        The perplexity of a target is the exponential of the mean. Context and target are plain text even for chat
        models; a target's end-of-text token is not scored.
        """


@dataclass(frozen=True, slots=True)
class TokenScores:
    """The log-probabilities of a text's tokens, each given all tokens before it."""

    logprobs: Sequence[float]  # natural logarithms
    # Each log-probability in standard deviations from the vocabulary's mean at its position (hf/prefill.py, `spreads`).
    # None: the engine does not give the whole vocabulary.
    standard: Sequence[float] | None = None


@runtime_checkable
class Surprisal(LocalModel, Protocol):
    """A local model that scores texts token by token: `evalsuite contamination` needs it."""

    def surprisal(self, pairs: Sequence[TextPair], done: Sequence[bool]) -> Iterator[Sequence[tuple[int, TokenScores]]]:
        """Score the targets of the (context, target) pairs, plain text, that are not `done`; yield groups of (index, scores).

        As in `generate`, batches do not depend on `done` if the caller stores whole groups. An empty context becomes a
        begin-of-text token. Pairs must fit into `context` tokens. Raises BackendError.
        """


@runtime_checkable
class Sharing(Protocol):
    """A backend whose engine can serve several models."""

    def share(self, model: Model) -> Backend | None:
        """A backend for `model` on the same engine; None if it needs its own engine."""


Loader = Callable[[Model], Backend]


def require_extra(model: Model, *modules: str) -> None:
    """Import the modules that the model's backend needs. Raises BackendError, which names the extra with their packages."""
    try:
        for module in modules:
            import_module(module)
    except ImportError as error:
        raise BackendError(
            f"model {model.name}: backend {model.backend} needs `pip install 'evalsuite[{model.backend}]'` ({error})"
        ) from None


def settings_of(backend: Backend, scoring: str) -> dict[str, Any]:
    """The backend's settings as they apply to a scoring: likelihoods do not depend on how tokens are chosen."""
    if scoring in WRITTEN or "decoding" not in backend.settings:
        return backend.settings
    return backend.settings | {"decoding": "greedy"}


def sample_seed(seed: int, request: Request) -> int:
    """The seed of one sampled reply, below 2^31: a function of the model's seed, the prompt and the sample's number alone.

    So a reply depends neither on its batch nor on earlier requests.
    """
    return Random(f"{seed}:sample:{request.sample}:{escape_surrogates(request.prompt)}").getrandbits(31)


@dataclass(frozen=True, slots=True)
class BackendRow:
    """A registry entry. Its `load` raises BackendError with what to do."""

    name: str  # the `backend` key in models.yaml
    load: Callable[[Model, TrainingItems, Limits], Backend]  # imports heavy packages only when called
    scorings: tuple[str, ...] = ("generate",)  # the subset of types.SCORINGS that it supports
    files: bool = False  # path and adapter may be files, relative to models.yaml
    local: bool = False  # a LocalModel: a Ray cluster can run replicas of it
    sampling: tuple[str, ...] = ()  # the subset of types.SAMPLING that it obeys; others are an error in models.yaml
    engine: Callable[[Model], str] = lambda model: model.name  # models with equal keys can share an engine
    # Modules that `load` imports. The extra with the backend's name installs their packages.
    modules: tuple[str, ...] = ()
