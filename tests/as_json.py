"""Results as the JSON that results.json has, for tests that compare whole rows; cells and runs made by hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from evalsuite.analyses.journey import ReadReplies
from evalsuite.analyses.saved import load_results, to_json
from evalsuite.analyses.significance import ModelScores, read_model_scores
from evalsuite.common.sheet import Sheet
from evalsuite.results.analysis import Analysis, Results, ScoredCell, ScoredRun
from evalsuite.results.outcomes import CellOutcomes
from evalsuite.results.schema.base import Strict
from evalsuite.results.schema.cell import CellResult
from evalsuite.types import Cell, Reading


def cells_of(results: Results) -> list[dict[str, Any]]:
    """The cells."""
    return [cell.written() for cell in results.cells]


def content_of(results: Results, key: str) -> Any:
    """The content of a key; [] if there is none."""
    return json.loads(json.dumps(to_json(results).get(key, [])))


def sheets_of(analysis: Analysis[Any], content: Any, cells: Sequence[CellResult] = ()) -> list[Sheet]:
    """The sheets that an analysis makes of its content as results.json has it."""
    assert analysis.sheets
    value = None if analysis.model is None else TypeAdapter(analysis.model).validate_python(content)
    return list(analysis.sheets(Results(Path(), "0", Reading(), tuple(cells), {analysis.key: value})))


def a_cell(**given: Any) -> CellResult:
    """A cell of results.json with the given keys. All other keys have the values of a model that answered ten
    choices; `metrics` and `facts` are completed in the same way."""
    facts = {
        "data": "0" * 64, "template": "0" * 64, "fingerprint": "f", "backend": "hf", "chat": False, "sampling": {}, "seed": 0,
        "limit": None, "skipped_lines": 0, "leaked": None, "drop_leaked": False, "tags": [],
    }  # fmt: skip
    usual = {
        "model": "m", "task": "knowledge_filling", "set": "easy", "split": "test", "variant": "paper", "shots": 0,
        "scoring": "generate", "perturb": "none", "items": 10, "missing": 0, "status": {"parsed": 10}, "metrics": {},
        "shots_dropped": 0, "errors": {}, "records": "records/x.jsonl",
    }  # fmt: skip
    metrics = {name: {"n": 10, "signature": name, **row} for name, row in given.pop("metrics", {}).items()}
    own = {**facts, **given.pop("facts", {})}
    own |= {name: own[name] if len(own[name]) == 64 else f"{own[name]:0<64}" for name in ("data", "template")}
    return CellResult.model_validate({**usual, **given, "metrics": metrics, "facts": own})


def scored_cell(result: CellResult, outcomes: CellOutcomes | None = None) -> ScoredCell:
    """A scored cell with its figures, and with the outcomes of its items if they are given."""
    return ScoredCell(result, outcomes or CellOutcomes(Cell(result.place, result.facts.written()), (), ()))


def scored_outcomes(outcomes: CellOutcomes, **more: Any) -> ScoredCell:
    """A scored cell with these outcomes; `more`: keys of its entry in results.json."""
    return scored_cell(a_cell(**outcomes.place.as_dict(), **more), outcomes)


def a_run(*cells: ScoredCell) -> ScoredRun:
    """A scored run without replies."""

    def no_records(path: str) -> AbstractContextManager[Callable[[Strict], None]]:
        raise AssertionError(path)

    return ScoredRun(None, Reading(), ReadReplies(NoSource()), no_records, cells)


class NoSource:
    """A source without replies."""

    def cells(self) -> list[Cell]:
        return []

    def read(self, cell: Cell) -> Iterator[Any]:
        return iter(())

    def questions(self, by: str) -> list[Any]:
        return []

    def response(self, key: str) -> None:
        return None


def rated_cells_of(run: Path) -> list[ModelScores]:
    """All cells of a run that are ranked."""
    return list(read_model_scores(run, load_results(run).cells))
