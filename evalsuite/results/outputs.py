"""Ids of replies within a run, by which people's marks are joined with judges' scores."""

from __future__ import annotations

import hashlib
import json

from evalsuite.types import Place


def way_of(place: Place, rotation: int, sample: int = 0) -> str:
    """The way in which an item was asked, in words: "paper 0-shot generate none".

    A rotation but the first adds " rotation 2", a sample but the first " sample 2".
    """
    way = f"{place.variant} {place.shots}-shot {place.scoring} {place.perturb}"
    return way + (f" rotation {rotation}" if rotation else "") + (f" sample {sample}" if sample else "")


def output_id(model: str, item: str, split: str, way: str, reply: str) -> str:
    """Id of a reply: the first 12 hexadecimal digits of the SHA-256 of model, item, split, way and reply."""
    return hashlib.sha256(json.dumps([model, item, split, way, reply]).encode()).hexdigest()[:12]
