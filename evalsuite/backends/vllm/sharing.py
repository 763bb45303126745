"""Models that can share one vLLM engine."""

from __future__ import annotations

from typing import Any

from evalsuite.backends.model import Model

# Settings in which models on one engine may differ.
_OWN: dict[str, Any] = {
    "name": "",
    "adapter": None,
    "shots": None,
    "tags": [],
    "chat": False,
    "chat_template": None,
    "chat_template_kwargs": {},
    "generation": None,
    "finetune": None,
    "trained": None,
    "tasks": None,
    "prompt": None,
    "family": None,
}


def engine_key(model: Model) -> str:
    """A key of all settings that an engine is created with; equal for models that can share one."""
    return model.model_copy(update=_OWN).model_dump_json()
