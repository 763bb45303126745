"""Run folders that older versions wrote still open, and give the same numbers."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

from once import made_once

import evalsuite

OLD = Path(__file__).parent / "fixtures" / "run-0.1.0"  # lexical and tiny-zh on two items a task, every kind of task


@made_once
def run(folder: Path) -> Path:
    shutil.copy(OLD / "store.sqlite", folder)
    evalsuite.score(folder)
    return folder


# Signatures that 0.1.0 wrote for class metrics named a parser although options were compared by likelihood.
MENDED = ("|def:sklearn|parser:accuracy|by:sum|", "|def:sklearn|by:sum|")


def test_results_are_the_same(run: Path) -> None:
    was = (OLD / "results.json").read_text(encoding="utf-8").replace(*MENDED)
    assert json.loads((run / "results.json").read_bytes()) == json.loads(was)


def test_records_are_the_same_bytes(run: Path) -> None:
    was = dict(reversed(line.split()) for line in (OLD / "SHA256SUMS").read_text().splitlines())
    now = {f"records/{p.name}": hashlib.sha256(p.read_bytes()).hexdigest() for p in (run / "records").iterdir()}
    assert now == was


def test_the_page_is_made(run: Path) -> None:
    assert evalsuite.report([run]).is_file()
