"""Paths of the models of models.yaml: a folder or file, or a hub id. Nothing is loaded, and no hub is asked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

from evalsuite.backends.model import Model
from evalsuite.backends.registry import BACKENDS, backend_named
from evalsuite.common.errors import ConfigError
from evalsuite.common.resources import PREFIX, resolve

_HUB_ID = re.compile(r"\w[\w.-]*/[\w.-]+")


def located(model: Model, base: Path) -> Model:
    """The model with `path` and `adapter` as seen from the working directory, unless they are hub ids. `base`: the folder of
    models.yaml."""
    row = backend_named(model.backend)
    if not row.files:
        return model

    def whole(path: str, revision: str | None) -> str:
        resolved = resolve(path, base)
        if resolved.exists() or path.startswith(PREFIX):
            return str(resolved)
        # A path for another package's backend may mean anything. Of the built-in backends, those that load weights take hub ids.
        stays = row.name not in BACKENDS or (row.local and is_hub_id(path, base, revision))
        return path if stays else str(resolved.absolute())

    adapter = whole(model.adapter, None) if model.adapter else None  # the revision is that of the base
    return model.model_copy(update={"path": whole(model.path, model.revision), "adapter": adapter})


def is_hub_id(path: str, base: Path, revision: str | None = None) -> bool:
    """Whether a path that does not exist names a model of a hub: OWNER/NAME without a folder OWNER in `base`, or any name with
    a revision, which folders do not have.

    >>> is_hub_id("Qwen/Qwen3-8B", Path("/nowhere")), is_hub_id("./qwen", Path("/nowhere")), is_hub_id("gpt2", Path("/nowhere"))
    (True, False, False)
    """
    if revision is not None and re.fullmatch(r"\w[\w.-]*(/[\w.-]+)?", path):
        return True
    return bool(_HUB_ID.fullmatch(path)) and not (base / path.partition("/")[0]).is_dir()


def missing(model: Model) -> str | None:
    """A message about the path of the model or of its adapter if it does not exist, else None. Hub ids are not checked."""
    row = backend_named(model.backend)
    if not row.files or row.name not in BACKENDS:
        return None
    for field, path in (("path", model.path), ("adapter", model.adapter)):
        if path is not None and Path(path).is_absolute() and not Path(path).exists():
            what = "adapter" if field == "adapter" else "folder" if row.local else "file"
            return f"{field}: {no_such_folder(path, what)}"
    return None


def no_such_folder(path: str | Path, what: str = "folder") -> str:
    """The message for a missing path, with the nearest name in its folder."""
    path = Path(path)
    beside = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
    near = get_close_matches(path.name, beside, n=1)
    hint = f" Did you mean {path.parent / near[0]}?" if near else ""
    if what == "folder":
        return f"no such folder: {path}.{hint} A hub id is OWNER/NAME; with `revision: main` it is never taken for a folder."
    if what == "adapter":
        return f"no such folder: {path}.{hint} A hub id is OWNER/NAME."
    return f"no such {what}: {path}.{hint}"


def require_present(models: Iterable[Model]) -> None:
    """Raise ConfigError if the folder or file of a model does not exist. Loads no model, and asks no hub."""
    wrong = [f"model {model.name}: {problem}" for model in models if (problem := missing(model))]
    if wrong:
        raise ConfigError("\n".join(wrong))
