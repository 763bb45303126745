"""Damaged records are the file's fault, with its name, line and field; a defect of evalsuite stays an unexpected error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import evalsuite
from evalsuite.analyses.saved import load_results
from evalsuite.analyses.table import sheets
from evalsuite.common.errors import DataError
from evalsuite.page import report as page


@pytest.fixture
def run(tmp_path: Path) -> Path:
    evalsuite.run(
        {"a": lambda _: "(a)", "b": lambda _: "(b)"},
        baselines=[],
        tasks=["knowledge_filling"],
        limit=20,
        out=tmp_path / "run",
    )
    return tmp_path / "run"


def test_a_damaged_record_is_named(run: Path) -> None:
    file = sorted((run / "records").iterdir())[0]
    first, second, *rest = file.read_text(encoding="utf-8").splitlines()
    damaged = {key: value for key, value in json.loads(second).items() if key not in ("options", "prompt")}
    file.write_text("\n".join([first, json.dumps(damaged), *rest]), encoding="utf-8")
    for make in (lambda: page.report([run]), lambda: [*sheets(load_results(run), ["groups"])]):
        with pytest.raises(DataError, match=rf"{file.name}:2: .*(prompt|options)"):
            make()


def test_a_defect_of_ours_is_not_the_files_fault(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def defect(*given: object) -> None:
        raise KeyError("ours")

    monkeypatch.setattr(page, "page_data", defect)
    with pytest.raises(KeyError, match="ours"):
        page.report([run])
