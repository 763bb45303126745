"""Signatures: all that a number depends on, in sacreBLEU's style, key:value|…"""

from __future__ import annotations

from importlib import metadata

from evalsuite.types import SAMPLING, Cell

VERSION = metadata.version("evalsuite")


def _decoding(cell: Cell) -> str | None:
    """The sampling of a cell: "temperature=0.7,seed=0,samples=5"; None for greedy decoding."""
    facts = cell.facts
    chosen = (facts.get("sampling") or {}).get("decoding")
    parts = chosen if isinstance(chosen, dict) else {}
    if "samples" in facts:
        parts = {**parts, "samples": facts["samples"]}
    return ",".join(f"{name}={parts[name]}" for name in SAMPLING if name in parts) or None


def _again(cell: Cell) -> str | None:
    """The replies asked again: "truncated,max_new_tokens=512,replies=13"; None if there are none."""
    found = cell.facts.get("again")
    return found and f"{found['status']},max_new_tokens={found['max_new_tokens']},replies={found['replies']}"


def signature(cell: Cell) -> str:
    """The part of a signature that all metrics of a cell share."""
    facts = cell.facts
    version = facts.get("perturb_version")
    parts = {
        "data": facts["data"][:8],
        "prompt": f"{cell.place.variant}-{facts['template'][:8]}",
        "shots": cell.place.shots,
        "seed": facts["seed"],
        "limit": facts["limit"],
        "items": facts["items"]["sha256"][:8] if facts.get("items") else None,
        "leaked": "dropped" if facts["drop_leaked"] else None,
        "scoring": cell.place.scoring,
        "perturb": None if cell.place.perturb == "none" else f"{cell.place.perturb}{f'-{version}' if version else ''}",
        "decoding": _decoding(cell),
        "again": _again(cell),
        "model": facts["fingerprint"],
        "evalsuite": VERSION,
    }
    return "|".join(f"{name}:{value}" for name, value in parts.items() if value is not None)
