"""Time and peak memory of loading 76,787 items, the size of CORECODE, beside json.loads of the same lines.

    python benchmarks/load.py [--items 76787]

The items are the bundled sample's, repeated with other numbers and turns, so that no two dialogues are equal.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from evalsuite.benchmarks.corecode import BENCHMARK
from evalsuite.benchmarks.corecode.loader import CorecodeCorpus, path_of
from evalsuite.benchmarks.corecode.tasks import TASKS_CORECODE as TASKS
from evalsuite.common.resources import bundled


def write(folder: Path, items: int) -> None:
    """Write `items` items of all tasks and both sets, in the sample's proportions, as the test split."""
    sample = CorecodeCorpus(BENCHMARK, bundled("sample"))
    lines = [
        (t, s, sample.path(t, s, "test").read_text(encoding="utf-8").splitlines()) for t, s in sample.files("test")
    ]
    total = sum(len(rows) for _, _, rows in lines)
    left = items
    for number, (task, item_set, rows) in enumerate(lines):
        want = left if number == len(lines) - 1 else round(items * len(rows) / total)
        left -= want
        path = path_of(folder / "data", task, item_set, "test")
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8") as file:
            for n in range(want):
                row = json.loads(rows[n % len(rows)])
                row["id"] = n
                row["dialogue"] = [f"{turn}{n}" for turn in row["dialogue"]]
                file.write(json.dumps(row, ensure_ascii=False) + "\n")


def load_with_suite(folder: Path) -> int:
    corpus = CorecodeCorpus(BENCHMARK, folder)
    return sum(len(corpus.file(t, s, "test").items) for t, s in corpus.files("test"))


def load_with_json(folder: Path) -> int:
    rows = [json.loads(line) for path in folder.rglob("*.jsonl") for line in path.read_bytes().splitlines()]
    return len(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=76_787)
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        began = time.perf_counter()
        count = {"evalsuite": load_with_suite, "json.loads": load_with_json}[arguments.measure[0]](
            Path(arguments.measure[1])
        )
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{arguments.measure[0]:12} {count:7,} items {time.perf_counter() - began:6.2f} s {peak:7.0f} MiB peak")
        return
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), arguments.items)
        size = sum(p.stat().st_size for p in Path(folder).rglob("*.jsonl"))
        print(f"{len(BENCHMARK.sets)} sets, {len(TASKS)} tasks, {size / 2**20:.0f} MiB")
        for name in ("json.loads", "evalsuite"):
            subprocess.run([sys.executable, __file__, "--measure", name, folder], check=True)


if __name__ == "__main__":
    main()
