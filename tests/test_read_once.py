"""A reply is read once while a run is scored, and analyses get what scoring read: none opens the store."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import evalsuite
from evalsuite.types import Answer, Item, Reading, Response, Task

PACKAGE = Path(evalsuite.__file__).parent
# The way from replies to results.json opens the store; others may name the types of what it holds.
JOURNEY = "journey.py"


@pytest.mark.slow
def test_a_reply_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spans and texts once, choices by the paper's program as well, which is a metric."""
    done = evalsuite.run(model=["lexical"], perturb=["none", "shuffle", "swap_speakers"], limit=3, out=tmp_path)
    read = Counter[str]()
    answer = Task.answer

    def count_and_read(task: Task, item: Item, response: Response, reading: Reading, language: str) -> Answer:
        read[task.kind.name] += 1
        return answer(task, item, response, reading, language)

    monkeypatch.setattr(Task, "answer", count_and_read)
    evalsuite.score(tmp_path)
    replies = Counter[str]()
    for cell in done.cells:
        replies[evalsuite.benchmarks.registry.TASKS[cell.task].kind.name] += cell.items
    assert replies.keys() == {"choice", "span", "text"} and min(replies.values()) > 0
    assert read == {kind: count * (2 if kind == "choice" else 1) for kind, count in replies.items()}


def test_no_analysis_opens_the_store() -> None:
    opening = re.compile(r"\b(open_store|find_store|Store|sqlite3)\b")
    files = [
        p for p in (PACKAGE / "analyses").rglob("*.py") if p.relative_to(PACKAGE / "analyses").as_posix() != JOURNEY
    ]
    assert files and [p.name for p in files if opening.search(p.read_text("utf-8"))] == []
