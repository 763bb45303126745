"""What a backend has to be: protocols and types, without any backend."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from evalsuite.backends.model import Model
from evalsuite.types import Item, Request, Response, Trial

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
        not stop the others. Scoring "nll" is answered from `nll` of the request's pairs.
        Raises BackendError when nothing more can be asked of this model (key refused, budget spent).
        """

    def close(self) -> None:
        """Give memory back."""


@runtime_checkable
class Answering(Backend, Protocol):
    """A backend that answers items rather than prompts: baselines, replies made elsewhere."""

    def answer(self, trials: Sequence[Trial], done: Sequence[bool]) -> Iterator[Sequence[tuple[int, Response]]]:
        """As `Backend.generate`, of trials. A run asks this instead; a judge has no trials to ask."""


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


Loader = Callable[[Model], Backend]


@dataclass(frozen=True, slots=True)
class BackendRow:
    """A backend as the registry has it. Raises nothing: `load` raises BackendError with what to do."""

    name: str  # what models.yaml calls it
    load: Callable[[Model, TrainingItems, Limits], Backend]  # imports what it needs when it is called
    scorings: tuple[str, ...] = ("generate",)  # what of types.SCORINGS it can do
    files: bool = False  # a model's path and adapter may be files, which are then meant from the folder of models.yaml
    local: bool = False  # it is a LocalModel, of which a Ray cluster can hold replicas
    engine: Callable[[Model], str] = lambda model: model.name  # models for which this is equal can share an engine
