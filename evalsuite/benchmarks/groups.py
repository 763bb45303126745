"""Groups of benchmarks that are asked together and shown in one table (`--tasks chinese`), read from groups.yaml."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from evalsuite.common.yamltext import packaged_yaml


@dataclass(frozen=True, slots=True)
class Ability:
    """An ability that some tasks of a group measure together.

    `tasks` are names of tasks, or "task/set" where only one set of a task counts.
    """

    name: str
    zh: str
    en: str
    tasks: tuple[str, ...]

    def has(self, task: str, item_set: str) -> bool:
        """Whether the figures of a task on a set count for this ability."""
        return task in self.tasks or f"{task}/{item_set}" in self.tasks


@dataclass(frozen=True, slots=True)
class Group:
    """Benchmarks, by name in the order of the table, and the abilities that their tasks measure."""

    name: str
    zh: str
    en: str
    benchmarks: tuple[str, ...]
    abilities: tuple[Ability, ...]


@cache
def groups() -> dict[str, Group]:
    """All groups by name."""
    rows: dict[str, Any] = packaged_yaml("benchmarks/groups.yaml")
    return {name: _group(name, **row) for name, row in rows.items()}


def _group(name: str, zh: str, en: str, benchmarks: list[str], abilities: dict[str, Any]) -> Group:
    rows = (Ability(key, row["zh"], row["en"], tuple(row["tasks"])) for key, row in abilities.items())
    return Group(name, zh, en, tuple(benchmarks), tuple(rows))
