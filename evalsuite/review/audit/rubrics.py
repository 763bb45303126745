"""By what people score a short text: the rubrics of the benchmarks (`Benchmark.audit`)."""

from __future__ import annotations

from evalsuite.benchmarks.registry import BENCHMARKS
from evalsuite.common.errors import ConfigError, unknown
from evalsuite.types import Rubric


def rubric(name: str) -> Rubric:
    """Raises ConfigError if no benchmark has a rubric of that name."""
    known = {b.audit.name: b.audit for b in BENCHMARKS.values() if b.audit}
    if name not in known:
        raise ConfigError(unknown("rubric", name, known))
    return known[name]
