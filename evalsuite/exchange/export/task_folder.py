"""`evalsuite export`: write items and rendered prompts into a folder for another harness."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evalsuite.benchmarks.registry import TASKS, tasks_named
from evalsuite.common.errors import ConfigError, unknown
from evalsuite.common.files import new_folder, replace_file, require_new
from evalsuite.common.flags import from_keywords
from evalsuite.common.grouping import by_key
from evalsuite.common.resources import resolve
from evalsuite.evaluation.journey import preview
from evalsuite.evaluation.manifest import keep_benchmark_files
from evalsuite.evaluation.settings import Settings
from evalsuite.exchange.export import inspect_ai, lm_eval, opencompass
from evalsuite.exchange.export.cells import ExportedTask
from evalsuite.prompt import Prompt

SCORINGS = ("generate", "labels", "texts")
HARNESSES: dict[str, Callable[[Path, Sequence[ExportedTask]], None]] = {
    "lm-eval": lm_eval.write_tasks,
    "inspect": inspect_ai.write_tasks,
    "opencompass": opencompass.write_tasks,
}


def export(to: str, out: str | Path, *, shots: int = 0, **settings: Any) -> Path:
    """Write tasks for another harness into the folder `out`. Returns the folder.

    `to` is "lm-eval", "inspect" or "opencompass". The other keywords are those of `run` that choose items and prompts, with
    its defaults.
    Raises ConfigError if the folder is not empty or a task is a probe, and whatever `run` raises for its settings.

    >>> export("lm-eval", "tasks", tasks=["event_cause"], shots=3)  # doctest: +SKIP
    PosixPath('tasks')
    """
    if to not in HARNESSES:
        raise ConfigError(unknown("harness", to, HARNESSES))
    for t in tasks_named(from_keywords(Settings, settings).tasks):
        if not t.kind.written:
            raise ConfigError(
                f"{t.name}: {t.kind.en} cannot be exported: the model writes no reply, and the harnesses do not tell a "
                "likelihood's number of tokens, by which it is divided"
            )
    folder = Path(out)
    require_new(folder)
    cells = _cells(shots, **settings)
    for name, count in Counter(cell.name for cell in cells).items():
        if count > 1:
            raise ConfigError(f"{count} tasks would be named {name}: export their wordings into folders of their own")
    with new_folder(folder) as draft:
        (draft / "data").mkdir()
        for cell in cells:
            lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in cell.rows)
            replace_file(draft / cell.file, "".join(lines))
        keep_benchmark_files(draft, {cell.benchmark.name for cell in cells})
        HARNESSES[to](draft, cells)
    return folder


def _cells(shots: int, **settings: Any) -> list[ExportedTask]:
    """The cells that a run asks, each with every scoring that a harness may have."""
    # Prompts do not depend on the model. `preview` needs one with weights, since others have no likelihoods.
    by_place = by_key(
        (replace(cell.place, scoring=""), (cell, trials))
        for cell, trials in preview(model=["tiny-zh"], shots=(shots,), scoring=SCORINGS, **settings)
        if trials
    )
    folder = resolve(from_keywords(Settings, settings).prompts)
    return [
        ExportedTask(
            cells[0][0],
            tuple(cells[0][1]),
            tuple(cell.place.scoring for cell, _ in cells),
            Prompt(folder, TASKS[place.task], place.variant),
        )
        for place, cells in by_place.items()
    ]
