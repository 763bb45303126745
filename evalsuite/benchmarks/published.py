"""The papers' figures, from the CSV file of each benchmark (`Benchmark.published`)."""

from __future__ import annotations

from typing import Any

from evalsuite.benchmarks.registry import metric_named
from evalsuite.common import csvfile
from evalsuite.common.errors import DataError
from evalsuite.types import Benchmark


def published_figures(benchmark: Benchmark) -> list[dict[str, Any]]:
    """The published figures of a benchmark, a row each: source table, set, task, model, shots, metric and value; `group` if it
    counts only the items of a group, `perturb` if items were perturbed, `wording` if it compares with this wording of ours only.

    The set "avg" is the mean over all sets. Figures of subsets that no task asks about are left out.
    Raises DataError, with file and line, for an unknown task or a value that is not a number.
    """
    rows: list[dict[str, Any]] = []
    if benchmark.published is None:
        return rows
    tasks = {task.local: task for task in benchmark.tasks}
    for line, cells in csvfile.read_rows(benchmark.published, ("source", "set", "task", "model", "metric", "value")):
        row = {name: cell or "" for name, cell in cells.items()}
        try:
            task = tasks[row["task"]]
            if row.get("subset", "all") not in ("all", task.subset):
                continue
            figure = {
                "source": row["source"],
                "set": row["set"],
                "task": task.name,
                "model": f"{row['model']} (not fine-tuned)" if row.get("tuned") == "no" else row["model"],
                "shots": int(row.get("shots") or 0),
                "metric": row["metric"],
                # Published sacreBLEU goes to 100; ours is a share.
                "value": float(row["value"]) / metric_named(row["metric"]).published,
            }
        except (KeyError, ValueError) as error:
            raise DataError(
                f"{error}: expected a task's name without its benchmark's, and numbers", benchmark.published, line
            ) from None
        figure |= {"group": row["group"]} if row.get("group", "avg") not in ("", "avg") else {}
        rows.append(figure | {name: row[name] for name in ("perturb", "wording") if row.get(name)})
    return rows
