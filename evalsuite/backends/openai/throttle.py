"""Limits on requests: adaptive concurrency, rate limits, and the pauses that an endpoint asks for."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

log = logging.getLogger(__name__)


class Throttle:
    """Adaptive concurrency by additive increase, multiplicative decrease (AIMD, as in TCP), with rate limits.

    The limit grows with every reply and halves when the endpoint is overloaded.
    """

    def __init__(
        self, most: int, requests_per_minute: float | None, tokens_per_minute: float | None, largest: int
    ) -> None:
        """`most`: maximum concurrency; `largest`: tokens of the largest request."""
        from aiolimiter import AsyncLimiter
        from anyio import CapacityLimiter

        def limiter(rate: float | None, largest: int) -> AsyncLimiter | None:
            # The bucket holds the rate of one second. One of a minute would allow twice the rate in the first minute.
            size = max(rate / 60, largest) if rate else 0.0
            return AsyncLimiter(size, 60 * size / rate) if rate else None

        self.most = most
        self.limit = float(min(4, most))
        self._requests, self._tokens = limiter(requests_per_minute, 1), limiter(tokens_per_minute, largest)
        self._slots = CapacityLimiter(int(self.limit))
        self._was_overloaded = False  # since the first overload the limit grows slowly
        self._halved = self._until = 0.0  # time of the last halving; end of the pause

    @asynccontextmanager
    async def slot(self, tokens: int) -> AsyncIterator[None]:
        """Wait for a free slot and for the rate limits to allow `tokens`; hold the slot within the block."""
        async with self._slots:
            if self._requests:
                await self._requests.acquire()
            if self._tokens:
                await self._tokens.acquire(tokens)
            yield

    async def wait_for_pause(self) -> None:
        """Wait until the endpoint's pause is over."""
        while (left := self._until - time.monotonic()) > 0:
            await asyncio.sleep(left)

    def pause(self, seconds: float) -> None:
        """Send nothing for `seconds`."""
        self._until = max(self._until, time.monotonic() + seconds)

    def count_reply(self) -> None:
        """Raise the limit after a reply: it doubles with each round of replies, and grows by one after the first overload."""
        self._allow(min(self.most, self.limit + (1 / self.limit if self._was_overloaded else 1)))

    def halve(self, sent: float) -> None:
        """Halve the limit, since a request sent at the time `sent` was refused or timed out. Requests in flight together count
        once."""
        if sent < self._halved:
            return
        self._was_overloaded, self._halved = True, time.monotonic()
        self._allow(max(1.0, self.limit / 2))
        log.info("the endpoint is overloaded: at most %d at once from now on", int(self.limit))

    def _allow(self, limit: float) -> None:
        self.limit, self._slots.total_tokens = limit, int(limit)
