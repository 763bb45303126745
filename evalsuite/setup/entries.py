"""Entries of models.yaml from a few answers, and the file of entries. Prices and settings are not invented."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from evalsuite.backends.model import API
from evalsuite.backends.model_paths import is_hub_id, no_such_folder
from evalsuite.backends.models import models_in
from evalsuite.common.errors import ConfigError
from evalsuite.common.files import read_text, replace_file
from evalsuite.common.resources import PREFIX, bundled, resolve
from evalsuite.common.text import path_text
from evalsuite.common.yamltext import parse_yaml
from evalsuite.setup.machine import GPU, ModelServer, keys

ModelEntry = dict[str, Any]
_LISTED = "models/chinese-2026.yaml"
_NEEDED = ("chat_template_kwargs", "generation")  # keys of a listed model that its entry on any local backend needs
# Parts of the names of chat models.
_CHATS = ("instruct", "chat", "-it", "sft", "rlhf", "assistant", "thinking")
SHOWN = 6  # the most models of one server that are offered by number


@dataclass(frozen=True, slots=True)
class Choice:
    """A model that was found, as `init` offers it."""

    words: str
    entry: ModelEntry


def listed() -> dict[str, ModelEntry]:
    """Name -> entry of each model in the list of today's models that ships."""
    tree = parse_yaml(read_text(bundled(_LISTED)))[0]
    return {entry["name"]: entry for entry in tree["models"]}


def providers() -> list[tuple[str, str]]:
    """(variable of the key, address) of every endpoint in the shipped list."""
    apis = (entry["api"] for entry in listed().values() if entry["backend"] == "openai")
    return [(api["key_env"], api.get("base_url", API().base_url)) for api in apis if api.get("key_env")]


def choices(servers: Sequence[ModelServer]) -> list[Choice]:
    """The models that can be asked now: those of local servers, then those of endpoints with a key in the environment."""
    offered = [
        Choice(f"{name}, served at {server.address}", endpoint(server.address, name, None))
        for server in servers
        for name in server.models[:SHOWN]
    ]
    for variable, (address, usual) in keys(providers()).items():
        listed_here = [e for e in listed().values() if e.get("api", {}).get("key_env") == usual]
        for entry in listed_here:
            with_key = {**entry, "api": {**entry["api"], "key_env": variable}}
            offered.append(Choice(f"{entry['path']} at {address} (key in {variable})", with_key))
        if not listed_here:
            offered.append(Choice(f"a model at {address} (key in {variable})", endpoint(address, "", variable)))
    return offered


def require_endpoint(address: str, key_env: str | None) -> None:
    """Raise ConfigError if an address has a password, or the name of a variable is a key. The message quotes neither."""
    try:
        API(base_url=address, key_env=key_env or None)
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        raise ConfigError(f"{first['loc'][0]}: {first['msg'].removeprefix('Value error, ')}") from None


def endpoint(address: str, model: str, key_env: str | None) -> ModelEntry:
    """An entry for the model `model` of a server."""
    return {
        "name": short_name(model),
        "backend": "openai",
        "path": model,
        "chat": True,
        "api": {"base_url": address.rstrip("/"), "key_env": key_env},
    }


def local_model(path: str, chat: bool | None, gpus: Sequence[GPU], base: Path) -> ModelEntry:
    """An entry for a folder or hub id; `base` is the folder of models.yaml. Raises ConfigError for a folder that is not there."""
    folder = resolve(path, Path())
    if not folder.exists() and not is_hub_id(path, Path()):
        raise ConfigError(no_such_folder(folder.absolute()))
    if folder.exists() and not path.startswith(PREFIX):
        if not (folder / "config.json").is_file():
            raise ConfigError(f"{folder}: no checkpoint of transformers: it has no config.json")
        path = _seen_from(folder, base)
    return {
        "name": short_name(path),
        "backend": "vllm" if gpus and find_spec("vllm") else "hf",
        "path": path,
        "chat": looks_like_chat(folder if folder.exists() else Path(path)) if chat is None else chat,
        **(_needed(path) if chat is not False else {}),
    }


def from_hub(entry: ModelEntry, hub: str) -> ModelEntry:
    """The entry with the hub to fetch its weights from. Raises ConfigError if its path is no hub id."""
    if entry["backend"] == "openai" or not is_hub_id(entry["path"], Path()):
        raise ConfigError(f"--hub: {entry['path']} is no hub id OWNER/NAME")
    return {**entry, "hub": hub}


def _needed(path: str) -> ModelEntry:
    """The settings _NEEDED of a hub id in the shipped list, such as a switch that limits its thinking."""
    known = next((entry for entry in listed().values() if entry["path"] == path and entry["backend"] != "openai"), {})
    return {key: known[key] for key in _NEEDED if key in known}


def _seen_from(folder: Path, base: Path) -> str:
    """A path as a file in the folder `base` writes it: relative if it is below `base`, else absolute."""
    whole, root = folder.absolute(), base.absolute()
    return whole.relative_to(root).as_posix() if whole.is_relative_to(root) and whole != root else str(whole)


def looks_like_chat(path: Path) -> bool:
    """Whether a checkpoint here has a chat template, or the name of one elsewhere is that of a chat model."""
    if path.is_dir():
        try:
            settings = json.loads((path / "tokenizer_config.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            settings = {}
        return (path / "chat_template.jinja").is_file() or bool(
            isinstance(settings, dict) and settings.get("chat_template")
        )
    name = path.name.lower()
    return any(word in name for word in _CHATS) or (name.startswith("qwen3") and "base" not in name)


def short_name(path: str) -> str:
    """The name in tables: the last part of a path or id."""
    return path.rstrip("/").rpartition("/")[2].removesuffix(":latest") or "model"


def schema_line(out: Path) -> str:
    """The line by which editors find the schema of models.yaml."""
    schema = bundled("schema") / "models.schema.json"
    return f"# yaml-language-server: $schema={_seen_from(schema, out.parent)}"


def models_yaml(entries: Iterable[Mapping[str, Any]], out: Path) -> str:
    """The text of a models.yaml."""
    lines = [
        schema_line(out),
        "# Models that evalsuite asks: `evalsuite run --models "
        + out.name
        + "`. The baselines random, majority and lexical come along.",
        '# Every key: the page "Keys of models.yaml" of the documentation, or point at it in an editor that reads the line '
        "above.",
        "# An unknown key is an error.",
        "models:",
        *map(entry_lines, entries),
    ]
    return "\n".join(lines) + "\n"


def entry_lines(entry: Mapping[str, Any]) -> str:
    """An entry as it stands in the list of a models.yaml."""
    lines = (f"{'    ' if n else '  - '}{key}: {flow_text(value)}" for n, (key, value) in enumerate(entry.items()))
    return "\n".join(lines)


def flow_text(value: Any) -> str:
    """A value as YAML writes it on one line."""
    text = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, sort_keys=False, width=2**20)
    return text.removesuffix("\n").removesuffix("\n...")


def checked_yaml(entries: Sequence[ModelEntry], out: Path) -> str:
    """The text of a models.yaml that `load_models` takes. Raises ConfigError, before anything is written or shown."""
    text = path_text(models_yaml(entries, out))  # its comments name the file
    models_in(text, out)
    return text


def write_models(entries: Sequence[ModelEntry], out: Path) -> None:
    """Write a models.yaml. Raises ConfigError if the file is there already, or `load_models` would not take it."""
    if os.path.lexists(out):
        raise ConfigError(f"{out}: exists already and is left as it is; name another file with --out")
    text = checked_yaml(entries, out)
    out.parent.mkdir(parents=True, exist_ok=True)
    replace_file(out, text)
