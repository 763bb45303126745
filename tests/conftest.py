"""What tests share: the sample, the embedded model, and the real data where they are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from evalsuite.data.corecode import Corpus
from evalsuite.resources import bundled


@pytest.fixture(scope="session")
def sample() -> Corpus:
    return Corpus(bundled("sample"))


@pytest.fixture(scope="session")
def tiny() -> Path:
    return bundled("models/tiny-zh")


def _folder(variable: str) -> Path:
    value = os.environ.get(variable)
    if not value or not Path(value).is_dir():
        pytest.skip(f"{variable} does not name a folder: the real data are not here")
    return Path(value)


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of the real data sets; licences forbid shipping them."""
    return _folder("EVALSUITE_DATA")


@pytest.fixture(autouse=True)
def _no_data_from_outside(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests evaluate on the sample, whatever the environment names, unless they ask for the real data."""
    if "real_data" not in request.fixturenames:
        monkeypatch.delenv("EVALSUITE_DATA", raising=False)
