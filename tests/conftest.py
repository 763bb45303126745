"""What tests share: the sample, the embedded model, and the real data where they are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from evalsuite.benchmarks.corecode import BENCHMARK
from evalsuite.benchmarks.corecode.loader import Corpus
from evalsuite.common.resources import bundled


@pytest.fixture(scope="session")
def sample() -> Corpus:
    return Corpus(BENCHMARK, bundled("sample"))


@pytest.fixture(scope="session")
def tiny() -> Path:
    return bundled("models/tiny-zh")


# Tests evaluate on the sample, whatever the environment names, unless they ask for the real data.
# Kept under another name for the worker processes of pytest-xdist, which inherit this one's environment.
if "EVALSUITE_DATA" in os.environ:
    os.environ["EVALSUITE_TEST_DATA"] = os.environ.pop("EVALSUITE_DATA")
REAL_DATA = os.environ.get("EVALSUITE_TEST_DATA")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of the real data sets; licences forbid shipping them."""
    if not REAL_DATA or not Path(REAL_DATA).is_dir():
        pytest.skip("EVALSUITE_DATA does not name a folder: the real data are not here")
    return Path(REAL_DATA).resolve()
