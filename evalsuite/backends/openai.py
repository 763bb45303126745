from __future__ import annotations

from typing import Any

from evalsuite.backends import Limits
from evalsuite.config import Model


class OpenAI:
    def __init__(self, model: Model, limits: Limits) -> None:
        raise NotImplementedError

    def __getattr__(self, name: str) -> Any: ...
