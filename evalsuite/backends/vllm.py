from __future__ import annotations

from typing import Any

from evalsuite.config import Model


class Vllm:
    def __init__(self, model: Model) -> None:
        raise NotImplementedError

    def __getattr__(self, name: str) -> Any: ...
