"""Any OpenAI-compatible endpoint: many requests in flight, within its rate limits and the budget.

Requests run in an event loop on its own thread (an anyio portal). `generate` yields replies from a queue that the loop
fills. With `api: {batch: …}` they go through the endpoint's batch API instead (batches.py).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import queue
from collections.abc import Iterator, Sequence
from typing import Any

from evalsuite.backends.base import Limits, Replies, WithoutEngine, require_extra, sample_seed
from evalsuite.backends.keys import keep_secrets, key_of
from evalsuite.backends.model import Model
from evalsuite.backends.openai.asking import GenerateCall, Report, Stake
from evalsuite.backends.openai.batches import Batching, under_way
from evalsuite.backends.openai.spending import cost_of, missing_price
from evalsuite.common.errors import BackendError
from evalsuite.common.text import escape_surrogates
from evalsuite.types import Request, Response

log = logging.getLogger(__name__)


class OpenAI(WithoutEngine):
    """A model behind an endpoint. Needs the extra `[openai]`."""

    def __init__(self, model: Model, limits: Limits) -> None:
        require_extra(model, "aiolimiter", "openai", "tenacity")
        api = model.api
        keep_secrets([model])
        if problem := missing_price(model, limits.budget):
            raise BackendError(problem)
        self.model, self._limits, self.key = model, limits, key_of(model)
        # Servers of vLLM and SGLang accept arguments of their chat template.
        template = {"chat_template_kwargs": model.chat_template_kwargs} if model.chat_template_kwargs else {}
        given = {**template, **api.parameters}
        parts = json.dumps([api.base_url, model.path, model.chat, given], sort_keys=True)
        self.fingerprint = "openai:" + hashlib.sha256(parts.encode()).hexdigest()[:24]
        # Settings that OpenAI's API lacks, and vLLM, SGLang and others take.
        others = [name for name in ("top_k", "repetition_penalty") if name in model.generation.changed]
        self.extra: dict[str, Any] = given | {name: getattr(model.generation, name) for name in others}
        self.settings: dict[str, Any] = {
            "temperature": model.generation.temperature,
            "stop": model.generation.stop,
            "parameters": self.extra,
            "reasoning_tokens": api.reasoning_tokens,
            **({} if model.generation.decoding == "greedy" else {"decoding": model.generation.decoding}),
        }

    def tokens(self, request: Request) -> int:
        """An estimate: only the endpoint has the tokenizer."""
        return sum(len(text) + 8 for text in self._texts(request))

    def most_tokens(self, request: Request) -> int:
        """An upper bound of the prompt tokens: one token per byte, and an ample guess for the chat template."""
        return sum(len(text.encode()) + 16 for text in self._texts(request)) + 64

    def _texts(self, request: Request) -> list[str]:
        texts = [m.content for m in request.messages] if self.model.chat else [request.prompt]
        return [escape_surrogates(text) for text in texts]

    def body(self, request: Request) -> dict[str, Any]:
        """The request's JSON body without the token limit, whose name depends on the endpoint."""
        generation, texts = self.model.generation, self._texts(request)
        fields: dict[str, Any] = {"model": self.model.path}
        if self.model.chat:
            turns = zip(request.messages, texts, strict=True)
            fields["messages"] = [{"role": m.role, "content": text} for m, text in turns]
        else:
            fields["prompt"] = texts[0]
        if generation.temperature is not None:
            fields["temperature"] = generation.temperature
        if generation.temperature and generation.seed is not None:
            fields["seed"] = sample_seed(generation.seed, request)
        if "top_p" in generation.changed:
            fields["top_p"] = generation.top_p
        if generation.stop:
            fields["stop"] = generation.stop
        return fields

    def whole_body(self, request: Request, limit_name: str = "max_tokens") -> dict[str, Any]:
        """The whole JSON body: `body`, the token limit under the name `limit_name`, and the parameters of `extra`."""
        return self.body(request) | {limit_name: self.room(request)} | self.extra

    def room(self, request: Request) -> int:
        """The number of tokens that the model may generate, reasoning included."""
        return request.max_new_tokens + self.model.api.reasoning_tokens

    def worst(self, request: Request) -> float:
        """The highest cost of a request, which the budget reserves."""
        return cost_of(self.model.api.charged, self.most_tokens(request), self.room(request))

    def generate(self, requests: Sequence[Request], done: Sequence[bool]) -> Replies:
        todo = [n for n, is_done in enumerate(done) if not is_done]
        # With nothing to ask, `Batching` still removes the notes on batches whose replies are stored.
        if not todo and not (requests and self.model.api.batch and self._limits.journal.batches()):
            return
        if self.model.api.batch is not None:
            yield from Batching(self, requests, done, self.model.api.batch, self._limits).all()
        else:
            self._warn_of_batches(requests, todo)
            yield from self._ask(requests, todo)

    def _warn_of_batches(self, requests: Sequence[Request], todo: Sequence[int]) -> None:
        if twice := under_way(self, [requests[n] for n in todo], self._limits.journal):
            log.warning(
                "model %s: %d requests are under way in batches, and are now asked directly, too: stop, and run with "
                "api: {batch: true} to take their replies",
                self.model.name,
                twice,
            )

    def _ask(self, requests: Sequence[Request], todo: Sequence[int]) -> Replies:
        """Ask with one call for each request, many of them under way at once."""
        from anyio.from_thread import start_blocking_portal

        reports: queue.Queue[Report] = queue.Queue()
        asking = GenerateCall(self, requests, todo, self._limits, reports)
        group: list[tuple[int, Response]] = []
        given: list[tuple[int, Response]] = []  # the group that the caller stores
        try:
            # If left early (Ctrl-C, or the caller stops), the portal cancels requests in flight.
            with start_blocking_portal(name=f"endpoint of {self.model.name}") as portal:
                future = portal.start_task_soon(asking.all)
                future.add_done_callback(lambda _: reports.put(None))
                ended = False
                while not ended:
                    for report in _waiting(reports):
                        if report is None:
                            ended = True
                        elif isinstance(report, Stake):
                            self._limits.lend(report.amount)
                            portal.call(report.stored.set)
                        else:
                            group.append(report)
                    if group:
                        given, group = group, []
                        yield given
                        # These replies are in the store once the caller resumes.
                        asking.spending.recorded += _cost(given)
                        given = []
                future.result()
        except KeyboardInterrupt:  # the caller stores what it was given, and the replies that came meanwhile
            asking.spending.recorded += _cost(given)
            while not reports.empty():
                if isinstance(report := reports.get(), tuple):
                    group.append(report)
            if group:
                yield group
                asking.spending.recorded += _cost(group)
            raise
        finally:
            # The unspent part of what was lent goes back. Cancelled requests may have been charged, so their cost stays lent.
            spending = asking.spending
            if unspent := spending.committed - spending.recorded - spending.lent:
                self._limits.lend(unspent)


def without_key(model: Model) -> OpenAI:
    """The backend without its key, for callers that need its fingerprint and send nothing."""
    return OpenAI(model.model_copy(update={"api": model.api.model_copy(update={"key_env": None})}), Limits())


def _cost(group: Sequence[tuple[int, Response]]) -> float:
    return sum(response.cost for _, response in group)


def _waiting(reports: queue.Queue[Report]) -> Iterator[Report]:
    """Wait for the next report; yield it, and all further ones that are in the queue."""
    yield reports.get()
    with contextlib.suppress(queue.Empty):
        while True:
            yield reports.get_nowait()
