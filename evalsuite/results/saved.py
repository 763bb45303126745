"""A run's results.json, read again: whole, or what is about some of its cells."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.errors import ConfigError, unknown
from evalsuite.common.terminal import safe
from evalsuite.results.journey import Results
from evalsuite.types import PLACE


def load(run: Path) -> Results:
    """results.json as it stands; nothing is scored again. Raises ConfigError where there is none, or another file."""
    path = run / "results.json"
    try:
        content = json.loads(path.read_bytes())
        for cell in content["cells"]:
            missing = [name for name in (*PLACE, "records") if name not in cell]
            if missing or cell["task"] not in TASKS:
                raise ConfigError(
                    f"{path}: a cell without {missing}" if missing else unknown("task", cell["task"], TASKS)
                )
    except FileNotFoundError:
        raise ConfigError(f"{run}: no results.json; `evalsuite score {run}` writes it from a run's store") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ConfigError(f"{path}: no results of evalsuite: {type(error).__name__}: {error}") from None
    return Results.of(run, content)


def narrow(done: Results, wanted: Mapping[str, Sequence[str]]) -> Results:
    """Only what is about the cells that are wanted: name of PLACE -> values, as a command line gives them.

    Raises ConfigError for a value that no cell has, or if no cell has them all together.
    """
    chosen = {name: _known(done, name, values) for name, values in wanted.items() if values}
    if not chosen:
        return done
    kept = {f.name: _kept(getattr(done, f.name), chosen) for f in fields(Results) if f.name not in ("out", "problems")}
    if not kept["cells"]:
        raise ConfigError(f"{done.out}: no cell is {' and '.join(', '.join(map(str, v)) for v in chosen.values())}")
    return Results.of(done.out, kept)


def _known(done: Results, name: str, values: Sequence[str]) -> set[Any]:
    """The values as cells have them. Tasks may be given by their short names; names as the terminal shows them."""
    there: dict[str, Any] = {}
    for cell in done.cells:
        value = cell[name]
        there[str(value)] = there[safe(str(value), lines=False)] = value
        if name == "task":
            for short in (TASKS[value].short, TASKS[value].short.lower()):
                # Tasks of two benchmarks may have the same short name: then only the whole name is accepted.
                there[short] = None if there.get(short, value) != value else value
    for value in values:
        if there.get(value) is None:
            raise ConfigError(unknown(f"{name} of this run", value, dict.fromkeys(str(c[name]) for c in done.cells)))
    return {there[value] for value in values}


def _kept(value: Any, chosen: Mapping[str, set[Any]]) -> Any:
    """Without the rows about other cells, at any depth."""
    if isinstance(value, dict):
        return {k: _kept(v, chosen) for k, v in value.items()}
    if not isinstance(value, (list, tuple)):
        return value
    return [_kept(v, chosen) if not isinstance(v, dict) else v for v in value if _is_wanted(v, chosen)]


def _is_wanted(row: Any, chosen: Mapping[str, set[Any]]) -> bool:
    if not isinstance(row, dict):
        return True
    # A learning curve's model is its base.
    found = {"model": row["base"], **row} if isinstance(row.get("base"), str) else row
    return all(n not in found or isinstance(found[n], (list, dict)) or found[n] in v for n, v in chosen.items())
