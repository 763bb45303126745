"""Parts of cells' places by the names that a person types."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from evalsuite.benchmarks.groups import groups
from evalsuite.benchmarks.registry import TASKS, task_order
from evalsuite.common.errors import ConfigError, unknown
from evalsuite.common.terminal import safe
from evalsuite.types import Place


def known_values(places: Sequence[Place], name: str, values: Iterable[str]) -> set[Any]:
    """The values of a part of a place, as the places of cells have them.

    Accepts tasks by short name or benchmark, and names as the terminal shows them. Raises ConfigError for an unknown value; its
    message lists those of the cells."""
    known: dict[str, set[Any]] = {}
    for value in dict.fromkeys(getattr(place, name) for place in places):
        known[str(value)] = known[safe(str(value), lines=False)] = {value}
    if name == "task":
        known = _task_names({task for named in known.values() for task in named}) | known
        values = [value.lower() if value.lower() in known else value for value in values]
    for value in values:
        if value not in known:
            what = {"variant": "prompt", "shots": "number of shots", "perturb": "perturbation"}.get(name, name)
            raise ConfigError(
                unknown(f"{what} of this run", value, dict.fromkeys(str(getattr(place, name)) for place in places))
            )
    return {each for value in values for each in known[value]}


def _task_names(tasks: set[str]) -> dict[str, set[Any]]:
    """The other names of a run's tasks: short ones, in lower case, and those of their benchmarks and groups.

    A short name that several benchmarks have stands for the first of the run's tasks in the order of `task_order`.
    """
    names: dict[str, set[Any]] = {}
    for task in sorted(tasks, key=task_order, reverse=True):
        names[TASKS[task].short.lower()] = {task}
    wholes: dict[str, set[Any]] = {}
    for task in tasks:
        benchmark = TASKS[task].benchmark
        for name in (benchmark, *(group for group, row in groups().items() if benchmark in row.benchmarks)):
            wholes.setdefault(name, set()).add(task)
    return names | wholes
