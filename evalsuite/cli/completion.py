"""Completions of flags for a shell: names of tasks, models and settings. Packages are loaded when a completion is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from evalsuite.types import SCORINGS


def _tasks(chosen: dict[str, Any]) -> Iterable[str]:
    from evalsuite.benchmarks.groups import groups
    from evalsuite.benchmarks.registry import BENCHMARKS, TASKS

    return (*(name for task in TASKS.values() for name in (task.name, task.short)), *BENCHMARKS, *groups())


def _models(chosen: dict[str, Any]) -> Iterable[str]:
    from evalsuite.backends.model import BASELINES
    from evalsuite.backends.models import models_of
    from evalsuite.common.errors import EvalsuiteError

    try:
        return dict.fromkeys((*(m.name for m in models_of(chosen.get("models") or "bundled:models.yaml")), *BASELINES))
    except EvalsuiteError:
        return BASELINES


def _baselines(chosen: dict[str, Any]) -> Iterable[str]:
    from evalsuite.backends.model import BASELINES

    return (*BASELINES, "none")


def _perturbations(chosen: dict[str, Any]) -> Iterable[str]:
    from evalsuite.perturb import PERTURBATIONS

    return PERTURBATIONS


def _prompts(chosen: dict[str, Any]) -> Iterable[str]:
    from evalsuite.benchmarks.registry import BENCHMARKS
    from evalsuite.common.resources import bundled, resolve

    folders = bundled("prompts"), resolve(chosen.get("prompts") or "bundled:prompts")
    return sorted({file.stem for folder in folders for name in BENCHMARKS for file in folder.glob(f"{name}/**/*.j2")})


# Flag -> a function from the values of the flags before it to the names that the flag takes.
_NAMES: dict[str, Callable[[dict[str, Any]], Iterable[str]]] = {
    "tasks": _tasks,
    "model": _models,
    "baselines": _baselines,
    "perturb": _perturbations,
    "prompt": _prompts,
    "scoring": lambda chosen: SCORINGS,
    "split": lambda chosen: ("train", "dev", "test"),
    "set": lambda chosen: ("easy", "hard", "all"),
    "executor": lambda chosen: ("local", "ray"),
}


def completer(flag: str) -> Callable[..., list[str]] | None:
    """The function that typer asks for completions of a flag; None if it has no list of names.

    The last name of a comma-separated list is completed: `SI,event_c` becomes `SI,event_cause`.
    """
    if flag not in _NAMES:
        return None

    def complete(ctx: Any, incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        taken = before.split(",")
        return [
            f"{before}{comma}{name}" for name in _NAMES[flag](ctx.params) if name.startswith(last) and name not in taken
        ]

    # typer tells the parameters of `complete` by their annotations, which must be classes, not texts.
    import typer

    complete.__annotations__ = {"ctx": typer.Context, "incomplete": str}
    return complete
