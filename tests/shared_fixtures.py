"""Fixtures that take long to make: one worker makes a folder, and every module of every worker gets a copy of it."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable
from hashlib import sha256
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Any

import pytest


def workers_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that all workers of a run share."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


def shared_folder(make: Callable[..., Path], name: str = "") -> Any:
    """A fixture of a module: the path that `make(folder, …)` returned, in a copy of the folder that it filled.

    The other parameters of `make` are fixtures. Their values that are texts, numbers or lists identify the folder."""
    needs = [parameter for parameter in signature(make).parameters if parameter != "folder"]

    def fixture(tmp_path_factory: pytest.TempPathFactory, **given: Any) -> Path:
        told = repr([value for value in given.values() if isinstance(value, str | int | list)])
        called = f"{make.__module__}.{make.__name__}.{sha256(told.encode()).hexdigest()[:8]}"
        root = workers_folder(tmp_path_factory)
        folder, made = root / "once" / called, root / "once" / f"{called}.made"
        folder.parent.mkdir(exist_ok=True)
        with folder.with_name(f"{called}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not made.exists():
                shutil.rmtree(folder, ignore_errors=True)  # left by an attempt that failed
                folder.mkdir()
                made.write_text(str(make(folder=folder, **given).relative_to(folder)))
        copy = tmp_path_factory.mktemp(make.__name__)
        shutil.copytree(folder, copy, dirs_exist_ok=True)
        return copy / made.read_text()

    parameters = [Parameter(each, Parameter.KEYWORD_ONLY) for each in ("tmp_path_factory", *needs)]
    fixture.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    fixture.__doc__ = make.__doc__
    return pytest.fixture(scope="module", name=name or make.__name__)(fixture)
