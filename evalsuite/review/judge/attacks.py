"""Prompt injection: fifty texts that ask the judge for the highest score from within a candidate (attacks.yaml)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from evalsuite.common.yamltext import packaged_yaml


@dataclass(frozen=True, slots=True)
class Attack:
    """An injected instruction: a text with {answer} for the candidate's own words and {most} for the highest score."""

    id: str  # "fence/2"
    kind: str
    text: str

    def apply(self, candidate: str, most: int) -> str:
        """The candidate with the instruction around it; `most` is the score to ask for. Braces in the candidate are kept."""
        parts = self.text.replace("{most}", str(most)).split("{answer}")
        return candidate.join(parts)


@cache
def load_attacks() -> tuple[Attack, ...]:
    """All attacks of attacks.yaml."""
    kinds = packaged_yaml("review/judge/attacks.yaml")
    return tuple(Attack(f"{kind}/{n}", kind, text) for kind, texts in kinds.items() for n, text in enumerate(texts, 1))


def draw_candidates(attack: Attack, candidates: Sequence[str], count: int, seed: int) -> list[int]:
    """Indices of `count` candidates for an attack. A hash of their keys chooses them, so their order does not matter."""
    hashes = [hashlib.sha256(f"{seed}:{attack.id}:{key}".encode()).hexdigest() for key in candidates]
    return sorted(range(len(candidates)), key=hashes.__getitem__)[:count]
