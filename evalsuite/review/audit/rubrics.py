"""Look-up of the rubrics by which people score short texts (`Benchmark.audit`)."""

from __future__ import annotations

from evalsuite.benchmarks.registry import BENCHMARKS
from evalsuite.common.errors import ConfigError, unknown
from evalsuite.types import Rubric


def rubric_named(name: str) -> Rubric:
    """The rubric of that name. Raises ConfigError if no benchmark has it."""
    known = {b.audit.name: b.audit for b in BENCHMARKS.values() if b.audit}
    if name not in known:
        raise ConfigError(unknown("rubric", name, known))
    return known[name]
