"""Agreement with the labelled replies; the judging set is larger and unseen, the thresholds are its."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from evalsuite.parse import parse_option, parse_span
from evalsuite.types import Status

FOLDER = os.environ.get("EVALSUITE_ANSWERS", "")
pytestmark = pytest.mark.skipif(not FOLDER, reason="EVALSUITE_ANSWERS does not name the folder of labelled replies")


def rows(name: str) -> list[dict[str, Any]]:
    path = Path(FOLDER) / name
    if not path.exists():
        pytest.skip(f"{name} is not in EVALSUITE_ANSWERS")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


@pytest.mark.parametrize(("name", "agree"), [("options.jsonl", 0.97), ("real_options.jsonl", 0.98)])
def test_options(name: str, agree: float) -> None:
    right = wrong = invented = empty = 0
    replies = rows(name)
    for row in replies:
        answer = parse_option(row["output"], row["options"], finish=row.get("finish", "stop"))
        got = None if answer.choice is None else list(row["options"])[answer.choice]
        right += got == row["label"]
        empty += row["label"] is None
        invented += row["label"] is None and got is not None
        wrong += row["label"] is not None and got not in (None, row["label"])
    assert right / len(replies) >= agree
    assert wrong / len(replies) <= 0.01
    assert invented / max(empty, 1) <= 0.02


def test_conflicts_are_told_apart() -> None:
    for row in rows("real_options.jsonl"):
        if row["kind"] == "label_text_conflict":
            assert parse_option(row["output"], row["options"], finish=row["finish"]).status is Status.CONFLICT


def test_spans() -> None:
    replies = rows("spans.jsonl")
    right = 0
    for row in replies:
        answer = parse_span(row["output"], dialogue=row["dialogue"], question=row["question"])
        right += (answer.text or "") == row["extracted"]
    assert right / len(replies) >= 0.92
