"""Which models one vLLM engine can serve."""

from __future__ import annotations

from typing import Any

from evalsuite.backends.model import Model

# What models on one engine may differ in.
_OWN: dict[str, Any] = {
    "name": "", "adapter": None, "shots": None, "tags": [], "chat": False, "chat_template_kwargs": {}, "generation": None,
    "finetune": None, "trained": None, "tasks": None, "family": None,
}  # fmt: skip


def engine(model: Model) -> str:
    """All that an engine is made with; equal for models that can share one."""
    return model.model_copy(update=_OWN).model_dump_json()
