"""Requests that wait for a batch: how many share a file, when it is sent, and which are separated after a refusal."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Protocol

from evalsuite.backends.model import API, BatchAPI
from evalsuite.backends.openai.replies import is_about


class Clock(Protocol):
    """The module time, or a clock of a simulation."""

    def monotonic(self) -> float: ...
    def time(self) -> float: ...
    def sleep(self, seconds: float, /) -> None: ...


class Queue:
    """The requests that wait for a batch, by their index.

    `tries`: the number of times that each request was answered, or its batch was refused.
    """

    def __init__(self, requests: Iterable[int], settings: BatchAPI, api: API, clock: Clock) -> None:
        self._waiting = deque(requests)
        self._apart = deque[list[int]]()  # groups of requests that each need a file of their own
        self._settings, self._api, self._clock = settings, api, clock
        self._most = settings.requests
        self.tries = Counter[int]()
        self.refused = 0  # batches in a row that the endpoint would not begin
        self.pause = 0.0  # the time before which no batch is begun
        self.crowded = False  # the endpoint's queue is full, or the budget reserved, until a batch ends
        self.unaffordable = 0  # number of requests that the budget could not pay for at the last `take`

    def __bool__(self) -> bool:
        return bool(self._waiting or self._apart)

    def may_begin(self, under_way: int) -> bool:
        """Whether another batch may be begun beside `under_way` batches, now or after `pause`."""
        return bool(self) and not self.crowded and under_way < self._settings.at_once

    def clear(self) -> None:
        self._waiting.clear()
        self._apart.clear()

    def put_first(self, requests: Sequence[int]) -> None:
        self._waiting.extendleft(reversed(requests))

    def put_last(self, requests: Iterable[int]) -> None:
        self._waiting.extend(requests)

    def take(
        self, worst: Callable[[int], float], size: Callable[[int], int], budget: float | None, under_way: int
    ) -> list[int]:
        """Take the requests of the next file; [] if the budget pays for none, or must wait for batches under way.

        worst: request -> its highest cost; size: request -> its bytes; budget: the amount left to spend, None: no limit;
        under_way: number of batches under way.
        """
        source = deque(self._apart.popleft()) if self._apart else self._waiting
        taken, length, stake, too_costly = list[int](), 0, 0.0, list[int]()
        while source and len(taken) < self._most:
            n = source.popleft()
            cost, line_size = worst(n), size(n)
            if budget is not None and stake + cost > budget:
                too_costly.append(n)
            elif taken and length + line_size > self._settings.megabytes * 1e6:
                source.appendleft(n)
                break
            else:
                taken.append(n)
                length, stake = length + line_size, stake + cost
        if source is not self._waiting:
            self.put_first(list(source))
        if too_costly and under_way:  # a batch that ends frees most of what it might have cost
            self.put_first([*taken, *too_costly])
            self.crowded = True
            return []
        self.put_first(too_costly)
        self.unaffordable = 0 if taken else len(too_costly)
        return taken

    def is_too_much(self, message: str, requests: Sequence[int], lines: int, alone: bool) -> bool:
        """Whether the endpoint refused a batch for its size or for a full queue; its requests then wait again.

        `alone`: no other batch of this run is under way. Then the next batch is smaller, since this one alone exceeds the queue,
        or other batches of the account fill it.
        """
        words = message.lower()
        is_crowded = is_about(words, "crowded")
        if not is_crowded and (lines == 1 or not is_about(words, "large")):
            return False
        self.put_first(requests)
        self.crowded = is_crowded and not alone
        if alone or not is_crowded:
            self._most = max(1, lines // 2)
        if is_crowded and alone:
            self._refuse()
        return True

    def divide(self, requests: Sequence[int], bad: Collection[int]) -> list[int]:
        """Queue the requests of a refused batch again: together after the first refusal, then in halves; or, if the endpoint
        names `bad` ones, these and all others in separate files. Returns those that have no attempts left."""
        self._refuse()
        for n in requests:
            self.tries[n] += not bad or n in bad
        failed = [n for n in requests if self.tries[n] >= self._api.attempts]
        again = [n for n in requests if self.tries[n] < self._api.attempts]
        first_group = set(again)
        if bad and len(bad) < len(requests):
            first_group &= set(bad)
        elif any(self.tries[n] > 1 for n in again):
            first_group = set(again[: (len(again) + 1) // 2])
        groups = ([n for n in again if n in first_group], [n for n in again if n not in first_group])
        self._apart.extend(filter(None, groups))
        return failed

    def _refuse(self) -> None:
        self.refused += 1
        wait = min(10 * self._settings.poll, self._api.backoff * 2 ** min(self.refused, 20))
        self.pause = self._clock.monotonic() + wait

    def accept(self) -> None:
        """Note that a batch has ended well: the next ones may be larger again."""
        self.refused, self._most = 0, min(self._settings.requests, 2 * self._most)
