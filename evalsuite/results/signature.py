"""Signatures: all that a number depends on, in sacreBLEU's style, key:value|…"""

from __future__ import annotations

from importlib import metadata

from evalsuite.results.schema.cell import Estimate, Facts
from evalsuite.types import SAMPLING, Place

VERSION = metadata.version("evalsuite")


def _decoding(facts: Facts) -> str | None:
    """The sampling of a cell: "temperature=0.7,seed=0,samples=5"; None for greedy decoding."""
    decoding = facts.sampling.get("decoding")
    parts = {
        **(decoding if isinstance(decoding, dict) else {}),
        **({"samples": facts.samples} if facts.samples else {}),
    }
    return ",".join(f"{name}={parts[name]}" for name in SAMPLING if name in parts) or None


def signature(place: Place, facts: Facts, stopped: Estimate | None = None) -> str:
    """The part of a signature that all metrics of a cell share. `stopped`: the estimate of a cell whose asking stopped early."""
    again, version = facts.again, f"-{facts.perturb_version}" if facts.perturb_version else ""
    parts = {
        "data": facts.data[:8],
        "prompt": f"{place.variant}-{facts.template[:8]}",
        "shots": place.shots,
        "seed": facts.seed,
        "limit": facts.limit,
        "items": facts.items and facts.items.sha256[:8],
        "asked": stopped and f"{stopped.asked}/{stopped.of}",
        "leaked": "dropped" if facts.drop_leaked else None,
        "scoring": place.scoring,
        "perturb": None if place.perturb == "none" else f"{place.perturb}{version}",
        "decoding": _decoding(facts),
        "again": again and f"{again.status},max_new_tokens={again.max_new_tokens},replies={again.replies}",
        "model": facts.fingerprint,
        "evalsuite": VERSION,
    }
    return "|".join(f"{name}:{value}" for name, value in parts.items() if value is not None)
