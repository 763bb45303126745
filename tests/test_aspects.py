"""Accuracy by group over the tasks of a benchmark: its clusters, and what narrowing leaves of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from as_json import content_of
from run_files import read_jsonl, results_json

import evalsuite
from evalsuite.analyses.aspects import ANALYSIS, Aspect, Aspects, sheets
from evalsuite.analyses.saved import load_results, narrow
from evalsuite.common.dialogue import sources
from evalsuite.common.sheet import english
from evalsuite.results.analysis import Results
from evalsuite.types import Reading


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("aspects")
    evalsuite.run(tasks=["cider"], set="fold1", model=["random"], out=folder)
    return folder


def test_tasks_that_share_dialogues_are_no_more_clusters(out: Path) -> None:
    (row,) = results_json(out)["aspects"]
    asked: dict[str, tuple[str, list[str]]] = {}  # item -> its group and dialogue
    for path in sorted((out / "records").glob("*.jsonl")):
        for record in read_jsonl(path):
            if record["task"] in row["tasks"] and record.get("group"):
                asked[record["item"]] = record["group"], record["dialogue"]
    numbers = sources([dialogue for _, dialogue in asked.values()])
    assert len(row["tasks"]) > 2
    for group in row["groups"]:
        mine = [n for n, (name, _) in zip(numbers, asked.values(), strict=True) if name == group["name"]]
        assert (group["n"], group["dialogues"]) == (len(mine), len({*mine}))


def aspects(model: str, tasks: list[str], n: int, value: float) -> Aspects:
    place = {"set": "charm", "split": "test", "variant": "paper", "shots": 0, "scoring": "generate", "perturb": "none"}
    group = Aspect(name="Sports", chance=0.25, n=n, dialogues=n, value=value, interval=None)
    return Aspects(model=model, **place, benchmark="charm", tasks=tasks, groups=[group])


def test_models_asked_other_tasks_stand_in_other_tables() -> None:
    """Two models answered both tasks, of which one lost replies; a third answered other tasks, so other questions."""
    both, others = ["charm_time", "charm_sequence"], ["charm_time", "charm_sport"]
    rows = [aspects("a", both, 30, 0.5), aspects("b", both, 20, 0.75), aspects("c", others, 40, 1.0)]
    results = Results(Path(), "0", Reading(), (), {ANALYSIS.key: rows})
    first, second = sheets(results)
    assert [[row.cells[0] for row in sheet.rows[:-1]] for sheet in (first, second)] == [["a", "b"], ["c"]]
    assert english(first.notes[0]).endswith(" 30") and english(second.notes[0]).endswith(" 40")


def test_narrowing_to_a_task_leaves_no_figure_over_several(out: Path) -> None:
    done = load_results(out)
    assert content_of(done, "aspects") and content_of(narrow(done, {"set": ["fold1"]}), "aspects") == content_of(
        done, "aspects"
    )
    assert content_of(narrow(done, {"task": ["cider_dnli"]}), "aspects") == []
    assert content_of(narrow(done, {"task": content_of(done, "aspects")[0]["tasks"]}), "aspects") == content_of(
        done, "aspects"
    )
