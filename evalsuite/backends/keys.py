"""API keys of endpoints: read from the environment, and masked in all output."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from evalsuite.backends.model import Model
from evalsuite.common.errors import BackendError, ConfigError
from evalsuite.common.secrets import hide, keep_secret

# A part of an address that looks like a key.
_KEYLIKE = re.compile(r"(?=(?:.*[0-9]){3})(?=(?:.*[A-Za-z]){3})[0-9A-Za-z_~.-]{20,}")


def keep_secrets(models: Iterable[Model]) -> None:
    """Mask the keys of the models, and parts of their addresses' paths that look like keys."""
    for model in models:
        if model.api.key_env:
            keep_variables([model.api.key_env])
        for part in urlsplit(model.api.base_url).path.split("/"):
            if _KEYLIKE.fullmatch(part):
                keep_secret(part)


def keep_variables(names: Iterable[str]) -> None:
    """Mask the values of these environment variables."""
    for name in names:
        keep_secret(os.environ.get(name, "").strip())


def key_of(model: Model) -> str:
    """The API key from the environment variable that the model names; "" if it names none. Raises BackendError."""
    name = model.api.key_env
    if name is None:
        return ""
    if problem := missing_key(model):
        raise BackendError(problem)
    key = os.environ.get(name, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise BackendError(f"model {model.name}: the environment variable {name} holds characters that no key has")
    return key


def missing_key(model: Model) -> str | None:
    """The message for an endpoint whose key is not set; None for any other model."""
    name = model.api.key_env
    if model.backend != "openai" or name is None or os.environ.get(name, "").strip():
        return None
    return (
        f"model {model.name}: the environment variable {name} is not set; it must hold the key of "
        f"{hide(model.api.base_url)} (api: {{key_env: NAME}} names another, {{key_env: null}} none)"
    )


def require_keys(models: Iterable[Model]) -> None:
    """Raise ConfigError if the key of an endpoint is not set. Runs before any model is loaded."""
    if problems := [problem for model in models if (problem := missing_key(model))]:
        raise ConfigError("\n".join(problems))
