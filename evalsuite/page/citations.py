"""Citations shown on the page: leaderboard/citations.bib."""

from __future__ import annotations

from evalsuite.common.resources import bundled
from evalsuite.metrics.signatures import package_version


def citations() -> str:
    """BibTeX of the benchmark, of this version of evalsuite, and of the metrics."""
    text = (bundled("leaderboard") / "citations.bib").read_text(encoding="utf-8")
    return text.replace("EVALSUITE_VERSION", package_version())
