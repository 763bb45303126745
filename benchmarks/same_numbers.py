"""Compare the numbers of two runs: results.json and every record of two folders, value by value.

    python benchmarks/same_numbers.py runs/before runs/after

Prints each place where they differ and exits with 1; prints what was compared and exits with 0 if nothing differs.
For a change that moves code and must not move a number: score a copy of an old run again and compare the two.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

SHOWN = 40  # differences printed; all are counted


def differences(before: Any, after: Any, place: str = "") -> Iterator[str]:
    """The differences between two JSON values: "cells[3].metrics.f1.value: 0.25 -> 0.5". Numbers must be equal to the last
    digit."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name in dict.fromkeys((*before, *after)):
            yield from differences(before.get(name, "(none)"), after.get(name, "(none)"), f"{place}.{name}".strip("."))
    elif isinstance(before, list) and isinstance(after, list):
        for n, (a, b) in enumerate(zip_longest(before, after, fillvalue="(none)")):
            yield from differences(a, b, f"{place}[{n}]")
    elif before != after or type(before) is not type(after):
        yield f"{place}: {before!r:.100} -> {after!r:.100}"


def compare_runs(before: Path, after: Path) -> tuple[int, list[str]]:
    """The number of records that were compared, and the differences."""
    changes = list(differences(*(json.loads((run / "results.json").read_bytes()) for run in (before, after))))
    names = sorted({p.relative_to(run).as_posix() for run in (before, after) for p in run.glob("*/*.jsonl")})
    count = 0
    for name in names:
        texts = [
            p.read_text(encoding="utf-8").split("\n") if (p := run / name).is_file() else [] for run in (before, after)
        ]
        for n, (a, b) in enumerate(zip_longest(*texts, fillvalue=""), 1):
            count += bool(a)
            if a != b:
                changes += list(differences(*(json.loads(x) if x else "(none)" for x in (a, b)), f"{name}:{n}"))
    return count, changes


if __name__ == "__main__":
    records, found = compare_runs(*map(Path, sys.argv[1:3]))
    print(*found[:SHOWN], sep="\n")
    print(f"{len(found)} differences in results.json and {records} records")
    sys.exit(bool(found))
