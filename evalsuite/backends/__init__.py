"""Requests -> Responses. A new backend is a module with a class like those here, and a row in BACKENDS.

Heavy imports (torch, vllm) stand inside the modules' functions, never at the top.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from evalsuite.config import Model
from evalsuite.types import Item, Request, Response

# (task, set) -> items that are not tested on, () if there are none
TrainingItems = Callable[[str, str], tuple[Item, ...]]


class Backend(Protocol):
    """A loaded model."""

    fingerprint: str  # of all that can change a reply: weights, tokenizer, chat template, dtype, adapter
    settings: dict[str, Any]  # sampling settings, part of every reply's key
    context: int | None  # tokens that prompt and reply may have together; None: no limit

    def tokens(self, request: Request) -> int:
        """Prompt tokens, chat template included."""

    def generate(self, requests: Sequence[Request], done: Sequence[bool]) -> Iterator[Sequence[tuple[int, Response]]]:
        """Answer those of `requests` that are not `done`, in groups as they get ready: (index, response) each.

        The whole list comes in so that batches are the same whether or not a run was interrupted. A request that cannot
        be answered gets a Response with `error`; it does not stop the others.
        """

    def close(self) -> None:
        """Give memory back."""


def _baseline(model: Model, train: TrainingItems) -> Backend:
    from evalsuite.backends.baseline import Baseline

    return Baseline(model, train)


def _hf(model: Model, train: TrainingItems) -> Backend:
    from evalsuite.backends.hf import HuggingFace

    return HuggingFace(model)


BACKENDS: dict[str, Callable[[Model, TrainingItems], Backend]] = {"baseline": _baseline, "hf": _hf}


def load(model: Model, train: TrainingItems) -> Backend:
    """Load a model. Raises BackendError with what to do."""
    return BACKENDS[model.backend](model, train)
