"""Models of a models.yaml, or of reply functions.

An unknown key is an error that names the key, its line, and the keys that exist.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, Field, ValidationError

from evalsuite.backends.keys import keep_secrets
from evalsuite.backends.model import (
    API,
    BASELINES,
    HF,
    VLLM,
    BatchAPI,
    Finetune,
    Generation,
    Model,
    Price,
    StrictSettings,
)
from evalsuite.backends.model_paths import located
from evalsuite.backends.registry import backend_named, check_sampling
from evalsuite.backends.scripted import ReplyFunctions, scripted_models
from evalsuite.benchmarks.registry import tasks_named
from evalsuite.common.errors import ConfigError, DataError, PromptError, unknown
from evalsuite.common.files import read_text
from evalsuite.common.resources import resolve
from evalsuite.common.templates import check_chat_template
from evalsuite.common.yamltext import explained, line_and_problem, parse_yaml, position

Models = str | Path | ReplyFunctions  # path of a models.yaml, or model name -> reply function


def baseline_named(name: str) -> Model:
    """The entry of a baseline under its own name, as in the models.yaml that ships."""
    return Model(name=name, backend="baseline", path=name, tags=["baseline"])


def models_of(source: Models, names: Sequence[str] = ()) -> list[Model]:
    """All models of a source, or those in `names`, which may name BASELINES, too. Raises ConfigError for an unknown name or an
    invalid file."""
    if isinstance(source, str | Path):
        models, file = load_models(resolve(source)), f"{resolve(source)}: "
    else:
        models, file = scripted_models(source), ""
    listed = [model.name for model in models]
    baselines = [name for name in dict.fromkeys(names) if name in BASELINES and name not in listed]
    for name in names:
        if name not in (*listed, *baselines):
            raise ConfigError(f"{file}{unknown('model', name, listed)}")
    return [model for model in models if not names or model.name in names] + [*map(baseline_named, baselines)]


_DEEPEST, _LARGEST = 50, 100_000  # the most levels and values of a models.yaml


class ModelsFile(StrictSettings):
    """A models.yaml of evalsuite: the models that a run asks (docs/models.md)."""

    models: list[Model] = Field(min_length=1)
    """The models, each with a name of its own."""


# Key of a models.yaml -> the class of its value, for errors about unknown keys.
_SECTIONS: dict[str, type[BaseModel]] = {
    "models": Model,
    "generation": Generation,
    "hf": HF,
    "vllm": VLLM,
    "api": API,
    "price": Price,
    "batch": BatchAPI,
    "finetune": Finetune,
}


def load_models(path: Path, names: list[str] | None = None) -> list[Model]:
    """All models of a models.yaml, or those in `names`, with resolved paths. Raises ConfigError with file, line and field.

    From then on the API keys of all models in the file are masked (common/secrets.py).
    """
    try:
        text = read_text(path, missing="no such file; give --models FILE (the shipped one is bundled:models.yaml)")
    except DataError as error:
        raise ConfigError(str(error)) from None
    return models_in(text, path, names)


def models_in(text: str, path: Path, names: list[str] | None = None) -> list[Model]:
    """The models in the text of the models.yaml at `path`, which need not be there yet. Raises as `load_models`."""
    try:
        tree, node = parse_yaml(text)
    except yaml.YAMLError as error:  # without the lines around it, which may hold a key
        line, problem = line_and_problem(error)
        raise ConfigError(f"{path}:{line}: not YAML: {problem}") from None
    if not isinstance(tree, dict):
        raise ConfigError(f"{path}: expected the key models with a list; `evalsuite init` writes a first file")
    _check_size(path, node)
    try:
        models = ModelsFile.model_validate(tree).models
    except ValidationError as error:
        lines = (explained(e, (path, node), ModelsFile, _SECTIONS, secret="api") for e in error.errors())
        raise ConfigError("\n".join(lines)) from None
    keep_secrets(models)
    for n, model in enumerate(models):
        with _located_errors(path, node, n, "backend"):
            row = backend_named(model.backend)
            check_sampling(model)
        if model.tasks is not None:
            with _located_errors(path, node, n, "tasks"):
                models[n] = model = model.model_copy(update={"tasks": [t.name for t in tasks_named(model.tasks)]})
        if model.chat_template is not None:
            with _located_errors(path, node, n, "chat_template"):
                if not row.local:
                    raise ConfigError(
                        f"backend {model.backend} does not render chats, the server does: leave chat_template out"
                    )
                models[n] = model.model_copy(update={"chat_template": _chat_template(model.chat_template, path.parent)})
    seen = [m.name for m in models]
    for name in seen:
        if seen.count(name) > 1:
            raise ConfigError(f"{path}: two models are called {name!r}")
    for name in names or []:
        if name not in seen:
            raise ConfigError(f"{path}: {unknown('model', name, seen)}")
    return [located(m, path.parent) for m in models if not names or m.name in names]


def _chat_template(value: str, base: Path) -> str:
    """The text of a chat template: `value` itself, or the content of the file that it names, relative to `base`.

    Raises ConfigError if there is no such file, or the text is no template.
    """
    file = None if "{{" in value or "{%" in value else resolve(value, base)
    try:
        text = value if file is None else read_text(file, missing="no such file, and the name is no Jinja text")
        check_chat_template(text, file)
    except (DataError, PromptError) as error:
        raise ConfigError(str(error)) from None
    return text


def _check_size(path: Path, root: Any) -> None:
    """Raise ConfigError for a value that contains itself, or that aliases make too large or too deep to send or to print."""
    sizes: dict[int, int] = {}  # node -> its size with aliases written out, for the nodes met so far; 0: not finished

    def size(node: Any, depth: int) -> int:
        line = node.start_mark.line + 1
        if sizes.get(id(node)) == 0:
            raise ConfigError(f"{path}:{line}: this value contains itself: its alias stands within it")
        if depth > _DEEPEST:
            raise ConfigError(f"{path}:{line}: nested more than {_DEEPEST} deep")
        if id(node) not in sizes:
            sizes[id(node)] = 0
            pairs = node.value if isinstance(node, yaml.CollectionNode) else ()
            inner = (x for pair in pairs for x in (pair if isinstance(pair, tuple) else (pair,)))
            sizes[id(node)] = 1 + sum(size(x, depth + 1) for x in inner)
        if sizes[id(node)] > _LARGEST:
            raise ConfigError(f"{path}:{line}: more than {_LARGEST:,} values, with what its aliases stand for")
        return sizes[id(node)]

    if root is not None:
        size(root, 0)


@contextmanager
def _located_errors(path: Path, node: Any, index: int, field: str) -> Iterator[None]:
    """Add file, line and field to a ConfigError about a model, given by its index in the file."""
    try:
        yield
    except ConfigError as error:
        line, name = position(node, ("models", index, field))
        raise ConfigError(f"{path}:{line}: {name}: {error}") from None
