"""Signatures: all that a number depends on, in sacreBLEU's style, key:value|…"""

from __future__ import annotations

from importlib import metadata

from evalsuite.types import Cell

VERSION = metadata.version("evalsuite")


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
        "leaked": "dropped" if facts["drop_leaked"] else None,
        "scoring": cell.place.scoring,
        "perturb": None if cell.place.perturb == "none" else f"{cell.place.perturb}{f'-{version}' if version else ''}",
        "model": facts["fingerprint"],
        "evalsuite": VERSION,
    }
    return "|".join(f"{name}:{value}" for name, value in parts.items() if value is not None)
