"""Write tasks for inspect_ai: corecode.py with a @task function for each cell, and README.md.

Only written replies are exported: inspect_ai has no interface for the likelihood of a given text.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from evalsuite.common.files import replace_file
from evalsuite.exchange.export.cells import SHIPPED, Exported


def write_tasks(folder: Path, cells: Sequence[Exported]) -> None:
    """Write the files of inspect_ai into a folder that already has the data."""
    shared = (SHIPPED / "corecode.py").read_text(encoding="utf-8")
    # inspect_ai finds tasks in the source text, so each needs a function of its own.
    replace_file(folder / "corecode.py", "".join([shared, *map(_task, cells)]))
    replace_file(folder / "README.md", _readme(cells))


def _task(cell: Exported) -> str:
    return f"""

@task
def {cell.name}(shots: int = {cell.cell.place.shots}) -> Task:
    {cell.title + "."!r}
    return corecode({cell.file!r}, shots, {cell.max_new_tokens}, {cell.facts!r})
"""


def _readme(cells: Sequence[Exported]) -> str:
    tasks = "\n".join(f"- `{cell.name}`: {cell.title}, {len(cell.trials)} items" for cell in cells)
    return f"""# CORECODE for inspect_ai

Written by `evalsuite export --to inspect`. Needs `evalsuite` in the environment that `inspect` runs in: it reads the replies.

```console
$ inspect eval corecode.py --model openai/MODEL                                     # all tasks
$ inspect eval corecode.py@{cells[0].name} --model hf/MODEL -M do_sample=false      # one; hf must be told not to sample
```

Shots: `-T shots=N`, up to {cells[0].cell.place.shots} here. What equals evalsuite's own numbers, and what does not: docs/export.md there.

{tasks}

The data keep the licence of their source: the bundled sample is Apache-2.0; the official files state no licence, so do not
pass them on.
"""
