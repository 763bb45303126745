"""A local model without a network, as another package's backend: for tests of clusters, on the path of all processes.

Its path is a folder. While there is a file `hold-NODE` with a number in it, the engine on the node of that name (the
variable NODE) answers so many blocks, writes a file `held-NODE`, and waits.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from evalsuite.backends.base import BackendRow
from evalsuite.backends.model import Model
from evalsuite.types import Request, Response

BLOCK = 4


class PromptEngine:
    """An engine whose replies depend on the length of the prompt only."""

    fingerprint, context, parameters = "prompt_engine:1", None, 7

    def __init__(self, model: Model) -> None:
        self.settings: dict[str, int] = {}
        self._folder, self._blocks = Path(model.path), 0

    def plan(self, requests: Sequence[Request]) -> list[list[int]]:
        return [list(range(len(requests)))[n : n + BLOCK] for n in range(0, len(requests), BLOCK)]

    def tokens(self, request: Request) -> int:
        return len(request.prompt)

    def generate(self, requests: Sequence[Request], done: Sequence[bool]) -> Iterator[Sequence[tuple[int, Response]]]:
        for block in self.plan(requests):
            self._wait_while_held()
            self._blocks += 1
            yield [(n, self._response(requests[n])) for n in block if not done[n]]

    def _wait_while_held(self) -> None:
        node = os.environ.get("NODE", "none")
        while self._blocks >= self._allowed_blocks(node):
            (self._folder / f"held-{node}").touch()
            time.sleep(0.02)

    def _allowed_blocks(self, node: str) -> float:
        try:
            return int((self._folder / f"hold-{node}").read_text())
        except FileNotFoundError:
            return float("inf")

    @staticmethod
    def _response(request: Request) -> Response:
        length = len(request.prompt)
        return Response(f"({'abc'[length % 3]})", "stop", prompt_tokens=length, new_tokens=3)

    def close(self) -> None: ...


ROW = BackendRow("prompt_engine", lambda model, train, limits: PromptEngine(model), files=True, local=True)
