"""Models that can share one vLLM engine."""

from __future__ import annotations

from evalsuite.backends.model import Model

# The settings that an engine is created with. All others concern prompts, decoding, adapters or names.
_OF_THE_ENGINE = {"path", "hub", "revision", "trust_remote_code", "dtype", "device", "vllm"}


def engine_key(model: Model) -> str:
    """A key of the settings that an engine is created with; equal for models that can share one."""
    return model.model_dump_json(include=_OF_THE_ENGINE)
