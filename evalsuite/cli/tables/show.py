"""The tables of a run: what its end prints and what `evalsuite show` prints again, from results.json (groups: and records)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from evalsuite.benchmarks.registry import TASKS
from evalsuite.cli.tables import ranking as tables_ranking
from evalsuite.cli.tables.breakdown import breakdown_tables, confusion_tables
from evalsuite.cli.tables.finetune import curves
from evalsuite.cli.tables.judge import judge_tables
from evalsuite.cli.tables.results import leaks, results
from evalsuite.cli.tables.robustness import robustness_tables
from evalsuite.common.errors import ConfigError, unknown
from evalsuite.common.terminal import clean, safe
from evalsuite.results import ranking
from evalsuite.results.journey import Results
from evalsuite.types import PLACE as FILTERS
from evalsuite.types import Place


def _groups(done: Results) -> Iterator[Table | Text]:
    """Of the whole run, as p-values are corrected over all its models; then without what is not wanted."""
    shown = _wanted(done, "model")
    for entry in (found := clean(ranking.groups(list(ranking.rated_run(done.out))))):
        mine = shown.get(Place.of(entry, model="").but("model"), set())
        for told in ("letters", "left_out"):
            entry[told] = {model: said for model, said in entry[told].items() if model in mine}
    yield from tables_ranking.groups([entry for entry in found if entry["letters"]])


def _ranks(done: Results) -> Iterator[Table | Text]:
    """The same: over all models and tasks of the run."""
    shown = _wanted(done, "model", "task")
    kept = []
    for place, ranked, left_out in ranking.ranks_of(clean(load(done.out)).cells):
        mine = shown.get(tuple(place.items()), set())
        mean = {model: rank for model, rank in ranked.mean.items() if model in mine}
        if mean:
            kept.append((place, replace(ranked, mean=mean), [model for model in left_out if model in mine]))
    yield from tables_ranking.ranks(kept)


def _wanted(done: Results, *names: str) -> dict[tuple[Any, ...], set[str]]:
    """The models at each place, which is a cell's without the parts of these names."""
    found: dict[tuple[Any, ...], set[str]] = {}
    for cell in done.cells:
        found.setdefault(Place.of(cell).but(*names), set()).add(cell["model"])
    return found


# Every table there is of a run: a row is a name for --tables and what makes them. They are shown in this order.
TABLES: dict[str, Callable[[Results], Iterable[Table | Text]]] = {
    "results": results,
    "ranks": _ranks,
    "groups": _groups,
    "robustness": lambda done: robustness_tables(done.robustness),
    "breakdowns": lambda done: breakdown_tables(done.breakdowns),
    "confusions": lambda done: confusion_tables(done.confusions),
    "correlations": lambda done: tables_ranking.correlations(done.metric_correlations),
    "judge": lambda done: judge_tables(done.judged),
    "curves": curves,
}
END = ("results", "robustness", "judge", "curves")  # what a run's end prints
_ASKED = ("groups",)  # only if named: it reads every record, and compares every two models
_LEGEND = "(n): percent of replies without an answer, counted as not right   !n: requests failed or not asked, left out"


def tables(done: Results, names: Sequence[str] = ()) -> Iterator[Table | Text]:
    """The tables of these names, or all but those that take their time. Texts of models and data in them are safe to print."""
    for name in names:
        if name not in TABLES:
            raise ConfigError(unknown("table", name, TABLES))
    shown = clean(replace(done, problems=()))
    for name, make in TABLES.items():
        try:
            yield from make(shown) if name in (names or TABLES.keys() - _ASKED) else ()
        except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
            found = f"{type(error).__name__}: {error}"
            raise ConfigError(
                f"{done.out / 'results.json'}: no table of {name} ({found}); score the run again"
            ) from error


def notes(done: Results) -> list[str]:
    """What stands below the tables."""
    return [_LEGEND, *leaks(done)]


def load(run: Path) -> Results:
    """results.json as it stands; nothing is scored again. Raises ConfigError where there is none."""
    path = run / "results.json"
    try:
        content = json.loads(path.read_bytes())
        cells = content["cells"]
        for cell in cells:
            missing = [name for name in (*FILTERS, "records") if name not in cell]
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
    """Only what is about the cells that are wanted: name of FILTERS -> values, as a command line gives them.

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
    """The values as cells have them. Tasks may be given short; names as the terminal shows them."""
    there: dict[str, Any] = {}
    for cell in done.cells:
        value = cell[name]
        there[str(value)] = there[safe(str(value), lines=False)] = value
        if name == "task":
            for short in (TASKS[value].short, TASKS[value].short.lower()):
                # Two benchmarks may shorten alike: then only the whole name tells.
                there[short] = None if there.get(short, value) != value else value
    for value in values:
        if there.get(value) is None:
            raise ConfigError(unknown(f"{name} of this run", value, dict.fromkeys(str(c[name]) for c in done.cells)))
    return {there[value] for value in values}


def _kept(value: Any, chosen: Mapping[str, set[Any]]) -> Any:
    """Without the rows that say they are about something else. `base` is the model of a learning curve."""
    if isinstance(value, dict):
        return {k: _kept(v, chosen) for k, v in value.items()}
    if not isinstance(value, (list, tuple)):
        return value
    return [_kept(v, chosen) if not isinstance(v, dict) else v for v in value if _is_wanted(v, chosen)]


def _is_wanted(row: Any, chosen: Mapping[str, set[Any]]) -> bool:
    if not isinstance(row, dict):
        return True
    found = {"model": row["base"], **row} if isinstance(row.get("base"), str) else row
    return all(n not in found or isinstance(found[n], (list, dict)) or found[n] in v for n, v in chosen.items())
