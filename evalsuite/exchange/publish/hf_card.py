"""The model-index block of a model's card on the Hugging Face Hub."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path

import yaml

from evalsuite.analyses.saved import load_results
from evalsuite.benchmarks.registry import TASKS, benchmark_of, metric_named
from evalsuite.common.errors import ConfigError, unknown
from evalsuite.common.jsonl import JsonObject
from evalsuite.common.resources import bundled
from evalsuite.results.schema.cell import CellResult

_DIGITS = 4  # decimals of figures


def model_card(run: Path, model: str = "", source: str = "") -> tuple[str, list[str]]:
    """(the block as YAML, why cells were left out) of one model of a run.

    model: may be "" if the run has one model beside baselines. source: the address where the figures are shown, such as that of
    the run's page. Perturbed cells, and cells whose figures do not cover all items, are left out. Raises ConfigError if the
    model is not known, or if no cell is left.
    """
    cells = load_results(run).cells
    name = model or _only_model(run, cells)
    of_model = [cell for cell in cells if cell.model == name]
    if not of_model:
        raise ConfigError(unknown(f"model of {run}", name, dict.fromkeys(cell.model for cell in cells)))
    plain = [cell for cell in of_model if cell.perturb == "none"]
    remarks = [f"{cell.place.name}: left out: {why}" for cell in plain if (why := cell.why_partial)]
    complete = [cell for cell in plain if not cell.why_partial]
    if not complete:
        # One reason: there is no Chinese of several that are joined.
        why = f"{plain[0].place.name}: {plain[0].why_partial}" if plain else "all cells are perturbed"
        raise ConfigError(
            f"{run}: no figure of {name} is of all items, so a card cannot state it: {why}. "
            "Finish the run: the same command without --limit, --items, --until and --until-ranked asks the rest"
        )
    index = {"model-index": [{"name": name, "results": [_result(cell, source) for cell in complete]}]}
    return yaml.safe_dump(index, allow_unicode=True, sort_keys=False, width=1_000), remarks


def _only_model(run: Path, cells: Sequence[CellResult]) -> str:
    names = list(dict.fromkeys(c.model for c in cells if not c.is_baseline))
    if not names:
        names = list(dict.fromkeys(c.model for c in cells))
        raise ConfigError(f"{run}: only baselines: name the card's with --model: {', '.join(names)}")
    if len(names) != 1:
        raise ConfigError(f"{run}: {len(names)} models: name the card's with --model: {', '.join(names)}")
    return str(names[0])


def _result(cell: CellResult, source: str) -> JsonObject:
    """The entry of one cell. The Hub joins entries with the same `config`, so it names set, task and way."""
    task, benchmark = TASKS[cell.task], benchmark_of(cell.task)
    place = cell.place
    from_sample = cell.facts.data in _sample_files()
    remark = " – a sample bundled with evalsuite, not the benchmark" if from_sample else ""
    args = {"shots": place.shots, "prompt": place.variant, "scoring": place.scoring, "seed": cell.facts.seed}
    result = {
        "task": {"type": "multiple-choice" if task.kind.options else "text-generation", "name": task.en},
        "dataset": {
            "name": f"{benchmark.title} {cell.set}: {task.en}{remark}",
            "type": f"{benchmark.name}{'-sample' if from_sample else ''}",
            "config": f"{cell.set}/{task.local}/{place.way.replace(' ', '/')}",
            "split": cell.split,
            "revision": cell.facts.data,
            "args": args,
        },
        "metrics": [_metric(name, cell) for name in task.metrics if cell.figure(name).value is not None],
    }
    return result | ({"source": {"name": "evalsuite", "url": source}} if source else {})


def _metric(name: str, cell: CellResult) -> JsonObject:
    figure = cell.figure(name)
    ends = {"low": figure.low, "high": figure.high}
    return {
        "type": name,
        "value": _rounded(figure.value),
        "name": metric_named(name).en or metric_named(name).zh,
        "args": {
            **{end: _rounded(x) for end, x in ends.items() if x is not None},
            "n": figure.n,
            "signature": figure.signature,
        },
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)


@cache
def _sample_files() -> frozenset[str]:
    """The hashes of the bundled sample's files."""
    files = (path for path in Path(bundled("sample")).rglob("*") if path.is_file())
    return frozenset(sha256(path.read_bytes()).hexdigest() for path in files)
