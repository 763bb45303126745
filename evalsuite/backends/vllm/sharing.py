"""Models that can share one vLLM engine."""

from __future__ import annotations

from evalsuite.backends.model import Model

# Settings in which models on one engine may differ.
_LABELS = {"name", "tags", "family", "trained"}
_ASKING = {"tasks", "shots", "prompt", "chat", "chat_template", "chat_template_kwargs", "generation"}
_WEIGHTS = {"adapter", "finetune"}


def engine_key(model: Model) -> str:
    """A key of all settings that an engine is created with; equal for models that can share one."""
    return model.model_dump_json(exclude=_LABELS | _ASKING | _WEIGHTS)
