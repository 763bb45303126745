"""The content of a disk after a power cut, computed from the changes that disk.c noted."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

CODE = Path(__file__).with_name("disk.c")


def compiled_library(folder: Path) -> Path:
    """disk.c as a shared object. Skips where there is no C compiler, or another system."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or os.uname().sysname != "Linux":
        pytest.skip("needs Linux and a C compiler")
    library = folder / "disk.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, CODE, "-ldl"], check=True)
    return library


@dataclass(frozen=True)
class Change:
    what: str  # open, create, write, truncate, sync, rename, unlink, mkdir
    path: str
    at: int = 0
    bytes: bytes = b""
    to: str = ""


def changes(log: Path) -> Iterator[Change]:
    raw, at = log.read_bytes(), 0
    while at < len(raw):
        end = raw.index(b"\n", at)
        what, path, offset, length, to = raw[at:end].decode().split("\t")
        at = end + 1 + int(length)
        yield Change(what, path, int(offset), raw[end + 1 : at], to)


@dataclass
class _File:
    content: bytearray = field(default_factory=bytearray)
    synced: bytes = b""


@dataclass
class Disk:
    """Files and names as programs see them (`names`), and as they are on the disk: synced content and names only (`synced`)."""

    root: str
    names: dict[str, _File | None] = field(default_factory=dict)  # None: a folder
    synced: dict[str, _File | None] = field(default_factory=dict)

    def apply(self, c: Change) -> None:
        if c.what == "mkdir":
            self.names[c.path] = None
        elif c.what == "unlink":
            del self.names[c.path]
        elif c.what == "rename":
            for name in [n for n in self.names if n == c.path or n.startswith(f"{c.path}/")]:
                self.names[c.to + name.removeprefix(c.path)] = self.names.pop(name)
        elif c.what == "sync" and self.names.get(c.path) is None:
            for name in {n for n in (*self.synced, *self.names) if os.path.dirname(n) == c.path}:
                self.synced.pop(name, None)
                if name in self.names:
                    self.synced[name] = self.names[name]
        else:
            file = self.names.setdefault(c.path, _File())
            assert file is not None
            if c.what == "sync":
                file.synced = bytes(file.content)
            elif c.what == "create":
                file.content.clear()
            elif c.what == "truncate":
                file.content[:] = file.content[: c.at].ljust(c.at, b"\0")
            elif c.what == "write":
                file.content[:] = file.content.ljust(c.at, b"\0")
                file.content[c.at : c.at + len(c.bytes)] = c.bytes

    def after_a_cut(self, names: bool) -> dict[str, bytes]:
        """Path below the root -> content after a power cut. With `names`, names survive although nobody synced their folders."""
        found = self.names if names else self.synced
        kept = {}
        for name, file in found.items():
            above = [str(p) for p in Path(name).parents if len(str(p)) > len(self.root)]
            if file is not None and all(p in found for p in above):
                kept[name.removeprefix(f"{self.root}/")] = file.synced
        return kept


def write_files(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def reply(request: Any) -> str:
    """A model that writes a dot for each question into the file that $ASKED names. All tests use this one function, since a run's
    fingerprint depends on it."""
    if name := os.environ.get("ASKED"):
        with open(name, "ab") as file:
            file.write(b".")
    return "1"
