"""docs/examples/paper_figure.ipynb: it is without outputs, and draws the figures of results.json when it is executed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from needs import needs_frames_venv

from evalsuite.benchmarks.registry import TASKS
from evalsuite.types import Place

NOTEBOOK = Path(__file__).parents[1] / "docs/examples/paper_figure.ipynb"
# The contents of the drawing: panel -> bars and marks.
DRAWN = """
import json
print(json.dumps([{
    "title": panel.get_title(),
    "bars": {bars.get_label(): [bar.get_height() for bar in bars] for bars in panel.containers if len(bars) > 3},
    "marks": sorted(float(y) for marks in panel.collections if marks.get_label() == "published" for _, y in marks.get_offsets()),
} for panel in panels]))
"""


def test_the_notebook_has_no_outputs() -> None:
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code and all(not cell["outputs"] and cell["execution_count"] is None for cell in code)


@pytest.mark.slow
def test_the_figure_has_the_values_of_results_json(tmp_path: Path) -> None:
    needs_frames_venv("pandas", "nbclient", "ipykernel", "matplotlib")
    import nbformat
    from nbclient import NotebookClient

    book: Any = nbformat.read(NOTEBOOK, as_version=4)
    book.cells.append(nbformat.v4.new_code_cell(DRAWN))
    NotebookClient(book, timeout=500, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    images = [out for cell in book.cells for out in cell.get("outputs", ()) if "image/png" in out.get("data", {})]
    assert len(images) == 1
    drawn = {panel["title"]: panel for panel in json.loads(book.cells[-1].outputs[-1].text)}
    cells = json.loads((tmp_path / "runs/figure3/results.json").read_text(encoding="utf-8"))["cells"]
    values = {Place.of(cell): cell["metrics"]["accuracy"]["value"] for cell in cells}
    assert len(values) == 36
    for task in {place.task for place in values}:
        panel = drawn[TASKS[task].en]
        assert {*panel["bars"]} == {"random", "majority", "lexical"}
        for model, heights in panel["bars"].items():
            mine = [value for place, value in values.items() if (place.task, place.model) == (task, model)]
            assert sorted(heights) == pytest.approx(sorted(mine))
        assert len(panel["marks"]) == (19 if task == "slot_identification" else 14)  # Table 3, and Section 5
    # Section 5: fine-tuned on 2K … 10K, with shuffled options
    assert drawn[TASKS["slot_identification"].en]["marks"].count(0.072) == 1
