"""The id of a reply within a run, which joins people's marks and judges' scores."""

from __future__ import annotations

import hashlib
import json

from evalsuite.types import Place


def way_of(place: Place, rotation: int, sample: int = 0) -> str:
    """The way in which an item was asked, by which its cell differs from others of the same model, task and set.

    Example: "paper 0-shot generate none", followed by " rotation 2" for a rotated item and by " sample 2" for a
    further sample.
    """
    way = f"{place.variant} {place.shots}-shot {place.scoring} {place.perturb}"
    return way + (f" rotation {rotation}" if rotation else "") + (f" sample {sample}" if sample else "")


def output_id(model: str, item: str, split: str, way: str, reply: str) -> str:
    """Id of an output: the first 12 hex digits of a SHA-256 over the item, how it was asked, and the reply."""
    return hashlib.sha256(json.dumps([model, item, split, way, reply]).encode()).hexdigest()[:12]
