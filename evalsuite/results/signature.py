"""Signatures: all that a number depends on, in sacreBLEU's style, key:value|…"""

from __future__ import annotations

import hashlib
import json
from importlib import metadata

from evalsuite.benchmarks.registry import TASKS
from evalsuite.results.schema.cell import Estimate, Facts
from evalsuite.types import SAMPLING, WRITTEN, Place

VERSION = metadata.version("evalsuite")


def _decoding(facts: Facts) -> str | None:
    """The sampling of a cell: "temperature=0.7,seed=0,samples=5"; None for greedy decoding."""
    decoding = facts.sampling.get("decoding")
    parts = {
        # An endpoint that is sent no temperature takes its own.
        **({"temperature": None} if facts.sampling.get("temperature", 0) is None else {}),
        **(decoding if isinstance(decoding, dict) else {}),
        **({"samples": facts.samples} if facts.samples else {}),
    }
    return ",".join(f"{name}={parts[name]}" for name in SAMPLING if name in parts) or None


def _ends(place: Place, facts: Facts, limit: int) -> dict[str, object]:
    """The settings that end a written reply, where they are not the task's usual ones."""
    if place.scoring not in WRITTEN:
        return {}
    stop, thinking = facts.sampling.get("stop"), facts.sampling.get("reasoning_tokens")
    return {
        "max_new_tokens": None if limit == TASKS[place.task].max_new_tokens else limit,
        "reasoning_tokens": thinking or None,
        "stop": hashlib.sha256(json.dumps(stop).encode()).hexdigest()[:8] if stop else None,
    }


def signature(place: Place, facts: Facts, limit: int, stopped: Estimate | None = None) -> str:
    """The part of a signature that all metrics of a cell share.

    `limit`: the most tokens of a reply. `stopped`: the estimate of a cell whose asking stopped early.
    """
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
        **_ends(place, facts, limit),
        "again": again and f"{again.status},max_new_tokens={again.max_new_tokens},replies={again.replies}",
        "model": facts.fingerprint,
        "evalsuite": VERSION,
    }
    return "|".join(f"{name}:{value}" for name, value in parts.items() if value is not None)
