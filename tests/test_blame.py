"""Damaged records are the file's fault, with its name, line and field; a defect of evalsuite stays an unexpected error."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

import evalsuite
from evalsuite.analyses import blame
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


@pytest.mark.parametrize("cells", ["judged_cells", "second_cells"])
def test_opinions_and_second_readings_are_looked_at_too(run: Path, monkeypatch: pytest.MonkeyPatch, cells: str) -> None:
    (run / "records" / "more.jsonl").write_text('{"item": 1}\n', encoding="utf-8")
    monkeypatch.setattr(blame, cells, lambda results: [SimpleNamespace(records="records/more.jsonl")])
    with pytest.raises(DataError, match=r"more\.jsonl:1: "), blame.damage_named(load_results(run)):
        raise KeyError("anything")


def test_a_defect_of_ours_is_not_the_files_fault(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def defect(*given: object) -> None:
        raise KeyError("ours")

    monkeypatch.setattr(page, "page_data", defect)
    with pytest.raises(KeyError, match="ours"):
        page.report([run])
