"""What `evalsuite contamination` found, beside a run's scores: contamination.json in its folder, and the key "contamination" of
results.json."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from evalsuite.benchmarks.registry import TASKS, set_order, task_order
from evalsuite.common.errors import ConfigError
from evalsuite.common.files import replace_file
from evalsuite.common.finite import finite_json
from evalsuite.common.plainfile import read_json
from evalsuite.metrics.statistics import holm

Row = dict[str, Any]
NAME = "contamination.json"
_PLACE = ("model", "task", "set", "split", "test", "form")
ORDER = ("order", "options", "mink", "names", "completion", "guided")  # of tests in tables
LEVEL = 0.05  # of p, corrected, below which there is a sign


def read_rows(out: Path) -> list[Row]:
    """The rows of a run's folder; [] if nothing was tested. Raises ConfigError for a file that is not evalsuite's."""
    if not (out / NAME).is_file():
        return []
    try:
        content = read_json(out, NAME)
        rows: list[Row] = content["rows"]
        if content["format"] != 1 or any(name not in row for row in rows for name in _PLACE):
            raise ValueError("a row without its place")
    except (KeyError, TypeError, ValueError) as error:
        raise ConfigError(f"{out / NAME}: not a file of evalsuite: {error}") from None
    return rows


def keep_rows(out: Path, rows: Iterable[Row]) -> None:
    """Write rows into the folder, in place of earlier ones of the same model, file and test, and of another model that had its
    name. p-values are corrected over all rows of a model (Holm). The caller holds the folder's lock."""
    new = list(rows)
    prints = {row["model"]: row["fingerprint"] for row in new}
    old = [row for row in read_rows(out) if prints.get(row["model"]) in (None, row["fingerprint"])]
    kept = {_place(row): row for row in (*old, *new)}
    every = sorted(kept.values(), key=_sorted)
    for model in {row["model"] for row in every}:
        mine = {str(n): row["p"] for n, row in enumerate(every) if row["model"] == model and row["p"] is not None}
        for n, p in holm(mine).items():
            every[int(n)]["p_holm"] = p
    made = [{**row, "p_holm": row.get("p_holm") if row["p"] is not None else None} for row in every]
    path = out / NAME
    replace_file(path, finite_json({"format": 1, "rows": made}, path, indent=1) + "\n")


def section(out: Path) -> dict[str, Any]:
    """The key "contamination" of results.json; absent if nothing was tested."""
    rows = [row for row in read_rows(out) if row["task"] in TASKS]
    return {"contamination": rows} if rows else {}


def _place(row: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(row[name] for name in _PLACE)


def _sorted(row: Mapping[str, Any]) -> Any:
    known = row["task"] in TASKS
    return (
        row["model"], task_order(row["task"]) if known else len(TASKS), row["task"], set_order(row["set"]), row["split"],
        ORDER.index(row["test"]) if row["test"] in ORDER else len(ORDER), row["form"],
    )  # fmt: skip
