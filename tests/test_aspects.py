"""Accuracy by group over the tasks of a benchmark: its clusters, and what narrowing leaves of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from as_json import content_of
from run_files import read_jsonl, results_json

import evalsuite
from evalsuite.analyses.saved import load_results, narrow
from evalsuite.common.dialogue import sources


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


def test_narrowing_to_a_task_leaves_no_figure_over_several(out: Path) -> None:
    done = load_results(out)
    assert content_of(done, "aspects") and content_of(narrow(done, {"set": ["fold1"]}), "aspects") == content_of(
        done, "aspects"
    )
    assert content_of(narrow(done, {"task": ["cider_dnli"]}), "aspects") == []
    assert content_of(narrow(done, {"task": content_of(done, "aspects")[0]["tasks"]}), "aspects") == content_of(
        done, "aspects"
    )
