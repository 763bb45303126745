"""Run folders that older versions wrote still open, and give the same numbers."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

from once import made_once

import evalsuite

OLD = Path(__file__).parent / "fixtures" / "run-0.1.0"  # lexical and tiny-zh on two items a task, every kind of task


@made_once
def run(folder: Path) -> Path:
    shutil.copy(OLD / "store.sqlite", folder)
    evalsuite.score(folder)
    return folder


# Signatures that 0.1.0 wrote for class metrics named a parser although options were compared by likelihood; the parser has
# another version since.
MENDED = (
    ("|def:sklearn|parser:accuracy|by:sum|", "|def:sklearn|by:sum|"),
    ("parser:full-2", "parser:full-3"),
    ("parser:paper-2", "parser:paper-3"),
)


def test_results_are_the_same(run: Path) -> None:
    """But for intervals of items that are all right or all wrong, which had no width, and those of drops; for the paper's
    profile, which is now of whole replies; and for what that version had not."""
    text = (OLD / "results.json").read_text(encoding="utf-8")
    for before, after in MENDED:
        text = text.replace(before, after)
    was, now = json.loads(text), json.loads((run / "results.json").read_bytes())
    for one, other in zip(was["cells"], now["cells"], strict=True):
        one["metrics"] = {
            name: m for name, m in one["metrics"].items() if "|in:reply" not in other["metrics"][name]["signature"]
        }
        for name, metric in one["metrics"].items():
            if metric["low"] is not None and metric["low"] == metric["high"]:
                found = other["metrics"][name]
                assert found["low"] <= metric["value"] <= found["high"] and found["low"] < found["high"]
                metric |= {end: found[end] for end in ("low", "high")}
    for row, new in zip(was["robustness"]["drops"], now["robustness"]["drops"], strict=True):
        assert new["low"] <= 0 <= new["high"] and new["low"] <= new["drop"] <= new["high"]  # two items each
        row |= {name: new[name] for name in ("low", "high", "differ")}
    assert known(now, was) == was


def known(now: Any, was: Any) -> Any:
    """What is there now, without the keys that were not."""
    if isinstance(was, dict):
        return {key: known(now[key], value) for key, value in was.items()}
    return [known(*pair) for pair in zip(now, was, strict=True)] if isinstance(was, list) else now


def test_records_are_the_same_bytes(run: Path) -> None:
    was = dict(reversed(line.split()) for line in (OLD / "SHA256SUMS").read_text().splitlines())
    now = {f"records/{p.name}": hashlib.sha256(p.read_bytes()).hexdigest() for p in (run / "records").iterdir()}
    assert now == was


def test_the_page_is_made(run: Path) -> None:
    assert evalsuite.report([run]).is_file()
