"""C3: questions of Chinese examinations about dialogues and mixed texts.

Its benchmark file defines everything but the published figures, which are of both parts together.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from evalsuite.common.plugins import lazy
from evalsuite.types import Benchmark


def benchmark() -> Benchmark:
    """The benchmark of the file beside this module."""
    from evalsuite.benchmarks.file.benchmark import load_benchmark

    return replace(
        load_benchmark(Path(__file__).with_name("benchmark.yaml")),
        references=lazy("evalsuite.benchmarks.c3.reference:reference_sheets"),
    )
