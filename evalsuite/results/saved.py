"""A run's results.json as a value: `Results`, read from the file, whole or narrowed to some cells."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from evalsuite.benchmarks.groups import groups
from evalsuite.benchmarks.registry import TASKS, task_order
from evalsuite.common.errors import ConfigError, DataError, unknown
from evalsuite.common.plainfile import read_json
from evalsuite.common.terminal import safe
from evalsuite.results.judged.summary import judging_problems
from evalsuite.results.ranked import ranked_problems
from evalsuite.results.records import is_records_file
from evalsuite.results.second import second_problems
from evalsuite.types import PLACE, Cell, Place, Reading, Status


@dataclass(frozen=True, slots=True)
class Results:
    """The content of results.json, a field a key, and the problems of the run."""

    out: Path  # the run's folder
    cells: tuple[dict[str, Any], ...]
    problems: tuple[str, ...]  # a line for each failure; empty if all is well
    skipped: tuple[str, ...] = ()  # a line for each shipped model that was left out, as its packages are not installed
    robustness: dict[str, Any] = field(default_factory=dict)
    means: list[dict[str, Any]] = field(default_factory=list)
    extraction: list[dict[str, Any]] = field(default_factory=list)
    gaps: list[dict[str, Any]] = field(default_factory=list)
    chance: list[dict[str, Any]] = field(default_factory=list)
    learning: list[dict[str, Any]] = field(default_factory=list)
    breakdowns: list[dict[str, Any]] = field(default_factory=list)
    aspects: list[dict[str, Any]] = field(default_factory=list)
    difficulty: list[dict[str, Any]] = field(default_factory=list)
    confusions: list[dict[str, Any]] = field(default_factory=list)
    metric_correlations: list[dict[str, Any]] = field(default_factory=list)
    groups: list[dict[str, Any]] = field(default_factory=list)
    ranked: list[dict[str, Any]] = field(default_factory=list)  # empty without --until-ranked
    judged: dict[str, Any] = field(default_factory=dict)  # empty if no judge was asked
    second: dict[str, Any] = field(default_factory=dict)  # empty if no second reader was asked
    memory: dict[str, Any] = field(default_factory=dict)  # empty if no item rests on facts that were asked for
    contamination: list[dict[str, Any]] = field(
        default_factory=list
    )  # empty if no model was tested for what it has seen

    @classmethod
    def of(cls, out: Path, content: Mapping[str, Any]) -> Results:
        """Build from parsed results.json. Keys that older versions did not write are empty."""
        keys = [
            f.name for f in fields(cls) if f.name in content and f.name not in ("out", "problems", "skipped", "cells")
        ]
        done = cls(out, tuple(content["cells"]), (), **{name: content[name] for name in keys})
        ranked = ranked_problems(done.ranked)
        cell_problems = (problem for cell in done.cells for problem in _problems(cell))
        return replace(
            done, problems=(*cell_problems, *ranked, *judging_problems(done.judged), *second_problems(done.second))
        )

    @property
    def exit_code(self) -> int:
        """0 if all is well, 1 if there are problems."""
        return 1 if self.problems else 0


def _problems(cell: dict[str, Any]) -> list[str]:
    name = Place.of(cell).name
    problems = []
    if failed := cell["status"].get(Status.FAILED.value, 0):
        problems.append(f"{name}: {failed} of {cell['items']} requests failed: {'; '.join(cell['errors'])}")
    estimate = cell.get("estimate")
    if estimate and estimate.get("reached") is False:
        problems.append(
            f"{name}: ±{100 * estimate['margin']:g} not reached after {estimate['asked']} of {estimate['of']} items: the same run goes on"
        )
    if cell["missing"] and not estimate:
        problems.append(f"{name}: {cell['missing']} of {cell['items']} not asked yet: the same run goes on")
    return problems


def load_results(run: Path) -> Results:
    """Read results.json without scoring again. Raises ConfigError if it is missing or not a file of evalsuite."""
    path = run / "results.json"
    if not path.exists():
        raise ConfigError(f"{run}: no results.json; `evalsuite score {run}` writes it from a run's store")
    try:
        content = read_json(run, path.name)
        for cell in content["cells"]:
            missing = [name for name in (*PLACE, "records") if name not in cell]
            if missing or cell["task"] not in TASKS:
                raise ConfigError(
                    f"{path}: a cell without {missing}" if missing else unknown("task", cell["task"], TASKS)
                )
    except DataError as error:
        raise ConfigError(str(error)) from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ConfigError(
            f"{path}: is broken, or not of evalsuite ({type(error).__name__}: {error}); `evalsuite score {run}` writes it anew"
        ) from None
    return Results.of(run, content)


def written_results(out: Path) -> dict[str, Any]:
    """The content of results.json as it was last written; no cells if there is none.

    Raises ConfigError if the file is not evalsuite's, so that it is not overwritten.
    """
    path = out / "results.json"
    if not path.is_file():
        return {"cells": []}
    try:
        content: dict[str, Any] = json.loads(path.read_bytes())
        for row in _rows(content):
            if not is_records_file(row["records"]):
                raise ValueError(row["records"])
            Place.of(row)
    except OSError as error:
        raise ConfigError(f"{path}: cannot read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ConfigError(
            f"{path}: was not written by evalsuite, or is broken; name another folder, or move this file away"
        ) from None
    return content


def record_files(content: Mapping[str, Any]) -> list[str]:
    """Paths of the files of records that results.json names, within the run's folder."""
    return [row["records"] for row in _rows(content)]


def require_own(out: Path) -> None:
    """Raise ConfigError if the folder holds files that a run would overwrite, but is no run's."""
    if not (out / "store.sqlite").exists():
        for name in ("results.json", "manifest.json"):
            if (out / name).exists():
                raise ConfigError(
                    f"{out}: holds a {name} and no store.sqlite, so it is no run's folder, or the run has lost its replies; "
                    f"name another --out, or move {name} away"
                )


def require_cells(out: Path, cells: Iterable[Cell]) -> None:
    """Raise ConfigError if results.json has cells that the store, which has `cells`, lacks."""
    before = [Place.of(row) for row in written_results(out)["cells"]]
    lost = {*before} - {cell.place for cell in cells}
    if lost:
        raise ConfigError(
            f"{out}: store.sqlite lacks {len(lost)} of the {len(before)} cells of results.json, such as {min(lost).name}: it "
            "was emptied, replaced, or copied without store.sqlite-wal. Put the right one back, or move results.json away"
        )


def require_replies(out: Path, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    """Raise ConfigError if new results lack judgings, or replies to the same requests, that the earlier ones have."""
    now = {Place.of(row): row for row in after["cells"]}
    lost = [
        Place.of(row).name
        for row in before["cells"]
        if (new := now[Place.of(row)])["missing"] > row["missing"]
        and (new["items"], new["facts"]) == (row["items"], row["facts"])
    ]
    lost += [f"the {by}" for by in sorted(_askers(before) - _askers(after))]
    if lost:
        raise ConfigError(
            f"{out}: store.sqlite lacks replies that results.json has, such as those of {lost[0]}: it was replaced, or copied "
            "without store.sqlite-wal. Put the right one back, or move results.json away"
        )


def _askers(content: Mapping[str, Any]) -> set[str]:
    """The judges and second readers."""
    judged, read = ((content.get(key) or {}).get("cells", ()) for key in ("judged", "second"))
    return {f"judge {row['judge']}" for row in judged} | {f"second reader {row['reader']}" for row in read}


def _rows(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rows of results.json that name a file of records: of cells, judgings and second readings."""
    return [
        *content["cells"],
        *(row for key in ("judged", "second") for row in (content.get(key) or {}).get("cells", ())),
    ]


def reading_of(run: Path) -> Reading:
    """The reading that results.json was last written with; the default one if there is no such file."""
    path = run / "results.json"
    try:
        return Reading(**read_json(run, path.name)["reading"]) if path.exists() else Reading()
    except (KeyError, TypeError) as error:
        raise ConfigError(f"{path}: no results of evalsuite: {type(error).__name__}: {error}") from None


def narrow(done: Results, wanted: Mapping[str, Sequence[str]]) -> Results:
    """Keep only what concerns the wanted cells. `wanted`: part of a place (types.PLACE) -> values, as typed by a person.

    Raises ConfigError for a value that no cell has, or if no cell has all of them together.
    """
    chosen = {name: known_values(done.cells, name, values) for name, values in wanted.items() if values}
    if not chosen:
        return done
    kept = {f.name: _kept(getattr(done, f.name), chosen) for f in fields(Results) if f.name not in ("out", "problems")}
    kept["groups"] = _narrowed_groups(done.groups, chosen)
    if not kept["cells"]:
        raise ConfigError(f"{done.out}: no cell is {' and '.join(', '.join(map(str, v)) for v in chosen.values())}")
    return Results.of(done.out, kept)


def _narrowed_groups(groups: Iterable[dict[str, Any]], chosen: Mapping[str, set[Any]]) -> list[dict[str, Any]]:
    """The wanted rows, whole; none of some tasks or sets, of which the means would be others."""
    if "task" in chosen or "set" in chosen:
        return []
    narrowed = [{**group, "rows": [row for row in group["rows"] if _is_wanted(row, chosen)]} for group in groups]
    return [group for group in narrowed if group["rows"]]


def known_values(cells: Sequence[Mapping[str, Any]], name: str, values: Iterable[str]) -> set[Any]:
    """The values of a part of a place, as the cells have them. Accepts tasks by short name or benchmark, and names as the
    terminal shows them. Raises ConfigError, which lists the cells' values, for another one."""
    known: dict[str, set[Any]] = {}
    for value in dict.fromkeys(cell[name] for cell in cells):
        known[str(value)] = known[safe(str(value), lines=False)] = {value}
    if name == "task":
        known = _task_names({task for found in known.values() for task in found}) | known
        values = [value if value in known else value.lower() for value in values]
    for value in values:
        if value not in known:
            what = {"variant": "prompt", "shots": "number of shots", "perturb": "perturbation"}.get(name, name)
            raise ConfigError(unknown(f"{what} of this run", value, dict.fromkeys(str(c[name]) for c in cells)))
    return {each for value in values for each in known[value]}


def _task_names(tasks: set[str]) -> dict[str, set[Any]]:
    """The other names of a run's tasks: short ones, in small letters, and those of their benchmarks and groups.

    Of a short name that several benchmarks have, the first task in the run, CORECODE's.
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


def _kept(value: Any, chosen: Mapping[str, set[Any]]) -> Any:
    """The value without rows about other cells, at any depth."""
    if isinstance(value, dict):
        return {k: _kept(v, chosen) for k, v in value.items()}
    if not isinstance(value, (list, tuple)):
        return value
    return [_kept(v, chosen) if not isinstance(v, dict) else v for v in value if _is_wanted(v, chosen)]


def _is_wanted(row: Any, chosen: Mapping[str, set[Any]]) -> bool:
    if not isinstance(row, dict):
        return True
    place = (
        {"model": row["base"], **row} if isinstance(row.get("base"), str) else row
    )  # a learning curve names its base
    if "task" in chosen and not {*place.get("tasks", ())} <= chosen["task"]:
        return False  # it pools tasks: of the wanted ones alone its figures would be others
    return all(n not in place or isinstance(place[n], (list, dict)) or place[n] in v for n, v in chosen.items())
