"""Sends the requests of a model to its endpoint in an event loop: concurrency, retries, costs, and the conditions to stop."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import queue
import random
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from ipaddress import ip_address
from typing import Any, Protocol
from urllib.parse import urlsplit

from evalsuite.backends.base import Limits
from evalsuite.backends.model import API, Model
from evalsuite.backends.openai.bodies import OF_REPLY, bound_async, is_cut
from evalsuite.backends.openai.replies import (
    EndpointError,
    LimitNameError,
    RequestError,
    TransientError,
    endpoint_stopped,
    failed_response,
    read_error,
    read_reply,
)
from evalsuite.backends.openai.spending import BudgetSpentError, Spending, budget_spent, cost_of
from evalsuite.backends.openai.throttle import Throttle
from evalsuite.common.secrets import hide
from evalsuite.types import Request, Response

log = logging.getLogger(__name__)

_IN_A_ROW = 20  # the number of requests in a row that fail after all retries at which the endpoint counts as down
_LONG_WAIT = 10  # seconds; longer ones are logged
_CONTENT = ("model", "messages", "prompt")  # the fields of a request that are no parameters


def is_loopback(address: str) -> bool:
    """Whether an address is on this machine."""
    host = urlsplit(address).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def unproxied(address: str) -> dict[str, None] | None:
    """The `mounts` of an HTTP client: no proxy for an address on this machine; None for others, so that the client uses the
    environment's proxy."""
    return dict.fromkeys(("all://", "http://", "https://")) if is_loopback(address) else None


def parameters_of(fields: Iterable[str]) -> dict[str, None]:
    """The names of fields that are parameters, in order."""
    return dict.fromkeys(name for name in fields if name not in _CONTENT)


def broken_connection(error: Exception, api: API) -> TransientError:
    """The error of a request without an HTTP answer. The request is `lost` unless no connection was made."""
    cause = error.__cause__
    if type(cause).__name__ in ("ConnectError", "ConnectTimeout", "PoolTimeout"):
        message = f"cannot connect to {api.base_url} ({cause}); check api: base_url, and that the server runs"
        return TransientError("connection", hide(message, cut=True))
    return TransientError("connection", hide(f"{error} {cause or ''}".strip(), cut=True), lost=True)


class Endpoint(Protocol):
    """The members of the backend that `GenerateCall` and `Batching` need."""

    model: Model
    key: str
    extra: dict[str, Any]  # further parameters, sent unchanged

    def tokens(self, request: Request) -> int: ...
    def body(self, request: Request) -> dict[str, Any]: ...
    def whole_body(self, request: Request, limit_name: str = "max_tokens") -> dict[str, Any]: ...
    def room(self, request: Request) -> int: ...
    def worst(self, request: Request) -> float: ...


@dataclass(frozen=True, slots=True)
class Stake:
    """The highest cost of requests that wait to be sent until the caller's thread has stored it and set `stored`."""

    amount: float
    stored: asyncio.Event


# An entry of the queue from the event loop to the caller's thread: a response with its request's index; None is the last.
Report = tuple[int, Response] | Stake | None


@dataclass(slots=True)
class _Bill:
    """The cost and the attempts of one request so far."""

    cost: float = 0.0
    bound: float = 0.0  # the part of the cost that is an upper bound, since no tokens were counted
    sent: int = 0  # number of attempts
    last: str = ""  # the error of the last attempt that failed


class _HaltedError(Exception):
    """Ends a worker, since nothing more may be sent."""


class GenerateCall:
    """The requests of one call of `generate`, sent from the event loop's thread."""

    def __init__(
        self,
        backend: Endpoint,
        requests: Sequence[Request],
        todo: Sequence[int],
        limits: Limits,
        reports: queue.Queue[Report],
    ) -> None:
        self.backend, self.model, self.api = backend, backend.model, backend.model.api
        self.requests, self.reports, self.limits = requests, reports, limits
        self.todo, self.left = iter(todo), len(todo)
        self.spending = Spending(limits.left())
        most = limits.max_concurrency or self.api.max_concurrency
        self.throttle = Throttle(
            min(1000, most),  # the client's maximum number of connections
            self.api.requests_per_minute,
            self.api.tokens_per_minute,
            max(self._size(requests[n]) for n in todo),
        )
        self.limit_name = "max_tokens"
        self.halted: EndpointError | None = None
        self.failed_in_a_row = self.unaffordable = 0
        self.reported_until = 0.0  # end of the last wait that was logged, by the monotonic clock
        self.retries: Counter[str] = Counter()
        self.halt, self.lending = asyncio.Event(), asyncio.Lock()
        from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt, wait_exponential, wait_random

        self.backoff = wait_exponential(self.api.backoff, max=60) + wait_random(0, self.api.backoff)
        self.retrying = AsyncRetrying(
            retry=retry_if_exception_type(TransientError),
            stop=stop_after_attempt(self.api.attempts),
            wait=self._wait,
            sleep=self._sleep,
            reraise=True,
        )

    async def all(self) -> None:
        """Send all requests. Raises BackendError if some were not sent."""
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient

        key = self.backend.key or "none"  # the client requires one
        mounts = unproxied(self.api.base_url)
        http = DefaultAsyncHttpxClient(follow_redirects=False, mounts=mounts, timeout=self.api.timeout)
        bound_async(http, OF_REPLY)
        async with AsyncOpenAI(
            api_key=key, base_url=self.api.base_url, max_retries=0, timeout=self.api.timeout, http_client=http
        ) as client:
            self.create = (client.chat.completions if self.model.chat else client.completions).with_raw_response.create
            try:
                async with asyncio.TaskGroup() as group:
                    # Twice the maximum in flight, since some workers wait to retry.
                    for _ in range(min(self.left, 2 * self.throttle.most)):
                        group.create_task(self._work())
            finally:
                kinds = ", ".join(f"{kind}: {count}" for kind, count in self.retries.most_common())
                log.info(
                    "model %s: requests without a reply, by what came instead: %s", self.model.name, kinds or "none"
                )
        if self.halted:
            raise endpoint_stopped(self.model, self.halted, self.left)
        if self.unaffordable:
            raise budget_spent(self.model, self.limits.budget, self.unaffordable)

    async def _work(self) -> None:
        for n in self.todo:  # the iterator is shared by all workers
            if self.halted:
                return
            response = await self._answer(self.requests[n])
            if response is not None:
                self.left -= 1
                self.reports.put((n, response))

    async def _answer(self, request: Request) -> Response | None:
        """The reply, or a Response with the error; None if the request was never sent."""
        bill = _Bill()
        try:
            response: Response = await self.retrying(self._ask, request, bill)
        except TransientError:
            self.failed_in_a_row += 1
            if self.failed_in_a_row >= _IN_A_ROW:
                self._halt(
                    EndpointError(
                        f"the last {_IN_A_ROW} requests were all tried {self.api.attempts} times in vain, "
                        f"the last with: {bill.last}; run again when the endpoint is well"
                    )
                )
        except RequestError:
            self.failed_in_a_row = 0  # the endpoint answers
        except BudgetSpentError:
            self.unaffordable += not bill.sent
        except (_HaltedError, EndpointError) as stop:
            if isinstance(stop, EndpointError):
                self._halt(stop)
        else:
            self.failed_in_a_row = 0
            return replace(response, cost=bill.cost, bound=bill.bound)
        if not bill.sent:
            return None
        return failed_response(bill.last, bill.sent, bill.cost, bill.bound)

    async def _ask(self, request: Request, bill: _Bill) -> Response:
        """Send a request once, or twice if the endpoint wants the other name of the token limit."""
        try:
            return await self._once(request, bill)
        except LimitNameError:
            self.limit_name = "max_completion_tokens"
            return await self._once(request, bill)

    async def _once(self, request: Request, bill: _Bill) -> Response:
        """Send a request once: wait for a slot, reserve its highest cost, send, settle the actual cost."""
        worst = self.backend.worst(request)
        async with self.throttle.slot(self._size(request)):
            await self._may_send()
            await self.spending.reserve(worst)
            cost, is_counted = 0.0, False
            try:
                await self._lend()
                await self._may_send()
                # If cancelled from here on, the request may have been charged.
                cost, sent = worst, time.monotonic()
                bill.sent += 1
                try:
                    response, charged = await self._send(request)
                except (TransientError, RequestError, EndpointError, LimitNameError) as error:
                    bill.last = str(error)
                    if not (isinstance(error, TransientError) and error.lost):
                        cost = 0.0
                    if isinstance(error, TransientError):
                        self._count_retry(error, sent)
                    raise
                # Without usage in the reply, the highest cost counts.
                if not charged:
                    cost = 0.0
                elif is_counted := bool(response.prompt_tokens):
                    cost = cost_of(self.api.charged, response.prompt_tokens, response.new_tokens)
                self.throttle.count_reply()
                return response
            finally:
                self.spending.settle(worst, cost)
                bill.cost += cost
                bill.bound += 0.0 if is_counted else cost

    async def _may_send(self) -> None:
        """Wait until the endpoint's pause is over. Raises _HaltedError if nothing more may be sent."""
        await self.throttle.wait_for_pause()
        if self.halted:
            raise _HaltedError

    async def _lend(self) -> None:
        """Wait until the store counts this request's highest cost as spent, since a killed run may be charged for it."""
        if not self.spending.to_lend():
            return
        async with self.lending:
            if amount := self.spending.to_lend():
                stake = Stake(amount, asyncio.Event())
                self.reports.put(stake)
                await stake.stored.wait()
                self.spending.lent += amount

    async def _send(self, request: Request) -> tuple[Response, bool]:
        """The reply, and whether it is charged for."""
        import openai

        fields = self.backend.body(request) | {self.limit_name: self.backend.room(request)}
        try:
            async with asyncio.timeout(self.api.timeout):
                raw = await self.create(**fields, extra_body=self.backend.extra or None)
        except openai.APIStatusError as error:
            answer = error.response
            sent = parameters_of([*fields, *self.backend.extra])
            return read_error(answer.status_code, answer.headers, answer.content, sent), False
        except (TimeoutError, openai.APITimeoutError):
            raise TransientError(
                "time-out", f"no reply within {self.api.timeout:g} s", lost=True, overrun=True
            ) from None
        except openai.OpenAIError as error:
            raise broken_connection(error, self.api) from None
        answer = raw.http_response
        if is_cut(answer):
            return Response(
                "", "error", error=f"the reply is over {OF_REPLY >> 20} MiB, or packed otherwise than asked for"
            ), True
        return read_reply(answer.headers, answer.content), True

    def _count_retry(self, error: TransientError, sent: float) -> None:
        """Count an attempt without a reply, made at the time `sent`, and slow down if the endpoint asks for it."""
        self.retries[error.kind] += 1
        if error.overrun:
            self.throttle.halve(sent)
        if error.after is not None or error.kind == "429":
            self.throttle.pause(self.api.backoff if error.after is None else error.after)

    def _wait(self, state: Any) -> float:
        error = state.outcome.exception()
        if error.after is not None:  # random extra, so that not all retry at once
            return float(error.after) + random.uniform(0, self.api.backoff / 4)
        return float(self.backoff(state))

    async def _sleep(self, seconds: float) -> None:
        self._log_wait(seconds)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.halt.wait(), seconds)

    def _log_wait(self, seconds: float) -> None:
        """Log a long wait, once for all requests that wait at the same time."""
        if seconds > _LONG_WAIT and time.monotonic() > self.reported_until:
            self.reported_until = time.monotonic() + seconds
            log.warning("model %s: waits %.0f s before it asks its endpoint again", self.model.name, seconds)

    def _halt(self, stop: EndpointError) -> None:
        """Send nothing more. Requests in flight may finish, since they may be charged."""
        self.halted = self.halted or stop
        self.halt.set()

    def _size(self, request: Request) -> int:
        return self.backend.tokens(request) + self.backend.room(request)
