"""Compare the numbers of two runs: results.json and every record of two folders, value by value.

    python benchmarks/same_numbers.py runs/before runs/after

Prints the differences and their number; exits with 1 if there are any. After a change that must not move a number, score a copy
of an old run again and compare the two.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

SHOWN = 40  # the most differences that are printed


def differences(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """The differences between two JSON values, such as "cells[3].metrics.f1.value: 0.25 -> 0.5". Numbers are compared to the last
    digit. `path`: the path of the values in their file."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name in dict.fromkeys((*before, *after)):
            yield from differences(before.get(name, "(none)"), after.get(name, "(none)"), f"{path}.{name}".strip("."))
    elif isinstance(before, list) and isinstance(after, list):
        for n, (a, b) in enumerate(zip_longest(before, after, fillvalue="(none)")):
            yield from differences(a, b, f"{path}[{n}]")
    elif before != after or type(before) is not type(after):
        yield f"{path}: {before!r:.100} -> {after!r:.100}"


def compare_runs(before: Path, after: Path) -> tuple[int, list[str]]:
    """The number of records of the first run, and the differences."""
    results = [json.loads((run / "results.json").read_bytes()) for run in (before, after)]
    changes = list(differences(*results))
    names = sorted({p.relative_to(run).as_posix() for run in (before, after) for p in run.glob("*/*.jsonl")})
    count = 0
    for name in names:
        texts = [
            p.read_text(encoding="utf-8").split("\n") if (p := run / name).is_file() else [] for run in (before, after)
        ]
        for n, (a, b) in enumerate(zip_longest(*texts, fillvalue=""), 1):
            count += bool(a)
            if a != b:
                before_line, after_line = (json.loads(x) if x else "(none)" for x in (a, b))
                changes += differences(before_line, after_line, f"{name}:{n}")
    return count, changes


if __name__ == "__main__":
    records, found = compare_runs(*map(Path, sys.argv[1:3]))
    for difference in found[:SHOWN]:
        print(difference)
    print(f"{len(found)} differences in results.json and {records} records")
    sys.exit(bool(found))
