"""CORECODE's ontology of 3 dimensions, 9 domains and 37 slots (paper, Table 5), from ontology.yaml."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from evalsuite.common.yamltext import packaged_yaml


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot: a relation of commonsense knowledge. `question` has a `{}` for the instance; S and O in `description` are
    subject and object."""

    dimension: str  # English; `*_zh`: Chinese, as in the official files
    dimension_zh: str
    domain: str
    domain_zh: str
    en: str
    zh: str
    description: str
    example: tuple[str, str]  # (subject, object), from Table 5
    question: str
    official: bool  # the wording of the question is from an official example


@cache
def ontology() -> list[dict[str, Any]]:
    """The content of ontology.yaml: dimensions with their domains and slots, described in English and Chinese."""
    content: list[dict[str, Any]] = packaged_yaml("benchmarks/corecode/ontology.yaml")
    return content


@cache
def slots() -> tuple[Slot, ...]:
    """All 37 slots in the paper's order.

    >>> slots()[0].zh, len(slots())
    ('是', 37)
    """
    return tuple(
        Slot(
            dimension=branch["dimension"]["en"],
            dimension_zh=branch["dimension"]["zh"],
            domain=domain["name"]["en"],
            domain_zh=domain["name"]["zh"],
            en=slot["en"],
            zh=slot["zh"],
            description=slot["description"],
            example=(slot["example"][0], slot["example"][1]),
            question=slot["question"],
            official=slot.get("official", False),
        )
        for branch in ontology()
        for domain in branch["domains"]
        for slot in domain["slots"]
    )


def find_slot(dimension_zh: str, domain_zh: str, slot_zh: str) -> Slot | None:
    """The slot with these names, or None. All three are needed: 空间 is a domain of entities and of events."""
    wanted = (dimension_zh, domain_zh, slot_zh)
    return next((s for s in slots() if (s.dimension_zh, s.domain_zh, s.zh) == wanted), None)
