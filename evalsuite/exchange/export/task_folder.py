"""`evalsuite export`: write items and rendered prompts into a folder for another harness."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from evalsuite.benchmarks.registry import tasks_named
from evalsuite.common.errors import ConfigError, unknown
from evalsuite.common.files import new_folder, replace_file
from evalsuite.evaluation.journey import preview
from evalsuite.exchange.export import inspect_ai, lm_eval
from evalsuite.exchange.export.cells import Exported

HARNESSES: dict[str, Callable[[Path, Sequence[Exported]], None]] = {
    "lm-eval": lm_eval.write_tasks,
    "inspect": inspect_ai.write_tasks,
}


def export(to: str, out: str | Path, *, shots: int = 0, **settings: Any) -> Path:
    """Write tasks for another harness into the folder `out`. Returns the folder.

    `to` is a key of HARNESSES. The other keywords are those of `run` that choose items and prompts, with its defaults.
    Raises ConfigError if the folder is not empty or a task is a probe, and whatever `run` raises for its settings.
    """
    if to not in HARNESSES:
        raise ConfigError(unknown("harness", to, HARNESSES))
    for t in tasks_named(settings.get("tasks", ())):
        if not t.kind.written:
            raise ConfigError(
                f"{t.name}: {t.kind.en} cannot be exported: the model writes no reply, and the harnesses do not tell a "
                "likelihood's number of tokens, by which it is divided"
            )
    folder = Path(out)
    if folder.is_dir() and any(folder.iterdir()):
        raise ConfigError(f"{folder}: is not empty; name a new folder, or empty this one")
    # Prompts do not depend on the model, but `preview` needs one; every installation has the baseline `random`.
    asked = preview(model=["random"], shots=(shots,), **settings)
    cells = [Exported(cell, tuple(trials)) for cell, trials in asked if trials]
    for name, count in Counter(cell.name for cell in cells).items():
        if count > 1:
            raise ConfigError(f"{count} tasks would be named {name}: export their wordings into folders of their own")
    with new_folder(folder) as draft:
        (draft / "data").mkdir()
        for cell in cells:
            lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in cell.rows)
            replace_file(draft / cell.file, "".join(lines))
        HARNESSES[to](draft, cells)
    return folder
