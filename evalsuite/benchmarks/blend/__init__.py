"""BLEnD's Chinese part. Its benchmark file defines everything but its two metrics."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from evalsuite.benchmarks.blend.metric import METRICS, votes_part
from evalsuite.types import Benchmark


def benchmark() -> Benchmark:
    """The benchmark of the file beside this module."""
    from evalsuite.benchmarks.file.benchmark import load_benchmark

    of_file = load_benchmark(Path(__file__).with_name("benchmark.yaml"))
    return replace(
        of_file, tasks=tuple(replace(task, own_part=votes_part, own_metrics=METRICS) for task in of_file.tasks)
    )
