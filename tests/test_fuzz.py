"""Inputs that fuzzing once found are read, or refused with an error of the suite; and every target reads its seeds."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "fuzz"))
from fuzz import FAULTS_FOLDER, TARGETS, fault_of

KEPT = sorted(path for path in FAULTS_FOLDER.glob("*/*"))


@pytest.mark.parametrize("path", KEPT, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_inputs_that_broke_a_reader_are_read_or_refused(path: Path) -> None:
    assert fault_of(TARGETS[path.parent.name], path.read_bytes()) == ""


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_are_read(name: str) -> None:
    assert fault_of(TARGETS[name], TARGETS[name].seeds()[0]) == ""
