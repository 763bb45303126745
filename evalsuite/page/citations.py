"""Citations shown on the page: those of leaderboard/citations.bib and of the benchmarks."""

from __future__ import annotations

from collections.abc import Iterable

from evalsuite.common.resources import bundled
from evalsuite.metrics.signatures import package_version
from evalsuite.types import Benchmark


def citations(benchmarks: Iterable[Benchmark] = ()) -> str:
    """BibTeX of CORECODE, of this version of evalsuite and of the metrics, then of the benchmarks."""
    text = (bundled("leaderboard") / "citations.bib").read_text(encoding="utf-8")
    shipped = text.replace("EVALSUITE_VERSION", package_version())
    return "\n".join([shipped, *(f"{b.citation.strip()}\n" for b in benchmarks if b.citation.strip())])
