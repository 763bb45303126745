"""C3: questions of Chinese examinations about dialogues and mixed texts.

Its benchmark file says all but the published figures, which are of both parts together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from evalsuite.types import Benchmark

if TYPE_CHECKING:
    from evalsuite.common.sheet import Sheet


def _references() -> Sequence[Sheet]:
    from evalsuite.benchmarks.c3.reference import reference_sheets

    return reference_sheets()


def benchmark() -> Benchmark:
    """The benchmark of the file beside this module."""
    from evalsuite.benchmarks.file.benchmark import load_benchmark

    return replace(load_benchmark(Path(__file__).with_name("benchmark.yaml")), references=_references)
