"""The responses of a backend in the order of their requests."""

from __future__ import annotations

from itertools import chain
from typing import Any

from evalsuite.types import Request, Response


def responses(backend: Any, requests: list[Request], done: list[bool] | None = None) -> list[Response]:
    """The response to each request that is not done. Fails if a request has none or several."""
    pairs = sorted(chain.from_iterable(backend.generate(requests, done or [False] * len(requests))), key=lambda x: x[0])
    assert [n for n, _ in pairs] == [n for n in range(len(requests)) if not (done and done[n])]
    return [response for _, response in pairs]
