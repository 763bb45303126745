"""Packages that tests need and that may not be installed."""

from __future__ import annotations

from importlib.util import find_spec

import pytest


def needs(extra: str, *packages: str) -> None:
    """Skip the test, or the module that is being collected, unless all `packages` are installed.

    None is imported: every worker collects every module, and the heavy packages take seconds."""
    if any(find_spec(package) is None for package in packages):
        pytest.skip(f"needs evalsuite[{extra}]", allow_module_level=True)


def needs_frames_venv(*packages: str) -> None:
    """Skip the test unless all `packages` are installed, which are in no extra, but in the venv of `make test-frames`."""
    if missing := [package for package in packages if find_spec(package) is None]:
        pytest.skip(f"needs {', '.join(missing)}: make test-frames")
