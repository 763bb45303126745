"""Fifty candidates that talk to the judge instead of answering: how often does it fall for them?"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml


@dataclass(frozen=True, slots=True)
class Attack:
    """`apply` puts the injected words around a candidate's own."""

    id: str  # "fence/2"
    kind: str
    text: str

    def apply(self, candidate: str, most: int) -> str:
        """`most`: the score that is asked for. Replaced in one go, so that a candidate may hold braces."""
        parts = self.text.replace("{most}", str(most)).split("{answer}")
        return candidate.join(parts)


@cache
def attacks() -> tuple[Attack, ...]:
    kinds = yaml.safe_load((Path(__file__).parent / "attacks.yaml").read_text(encoding="utf-8"))
    return tuple(Attack(f"{kind}/{n}", kind, text) for kind, texts in kinds.items() for n, text in enumerate(texts, 1))


def draw(attack: Attack, candidates: Sequence[str], count: int, seed: int) -> list[int]:
    """Which of the candidates (by their keys) an attack is put into: as a hash has it, whatever their order."""

    def place(key: str) -> str:
        return hashlib.sha256(f"{seed}:{attack.id}:{key}".encode()).hexdigest()

    return sorted(range(len(candidates)), key=lambda n: place(candidates[n]))[:count]
