"""Write tasks for inspect_ai: a file for each benchmark, with a @task function for each cell, and README.md.

Only written replies are exported: inspect_ai has no interface for the likelihood of a given text.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from evalsuite.common.errors import ConfigError
from evalsuite.common.files import replace_file
from evalsuite.common.grouping import by_key
from evalsuite.exchange.export.cells import SHIPPED, ExportedTask, listed


def write_tasks(folder: Path, cells: Sequence[ExportedTask]) -> None:
    """Write the files of inspect_ai into a folder that already has the data."""
    for cell in cells:
        if "generate" not in cell.scorings:
            raise ConfigError(f"{cell.name}: asks for likelihoods only, which inspect_ai has no interface for")
    shared = (SHIPPED / "inspect_tasks.py").read_text(encoding="utf-8")
    for name, of_benchmark in by_key((f"{cell.benchmark.name}.py", cell) for cell in cells).items():
        # inspect_ai finds tasks in the source text, so each needs a function of its own.
        replace_file(folder / name, "".join([shared, *map(_task, of_benchmark)]))
    replace_file(folder / "README.md", _readme(cells))


def _task(cell: ExportedTask) -> str:
    return f"""

@task
def {cell.name}(shots: int = {cell.cell.place.shots}) -> Task:
    {cell.title + "."!r}
    return exported({cell.file!r}, shots, {cell.max_new_tokens}, {cell.facts!r})
"""


def _readme(cells: Sequence[ExportedTask]) -> str:
    files = list(dict.fromkeys(f"{cell.benchmark.name}.py" for cell in cells))
    return f"""# {", ".join(dict.fromkeys(cell.benchmark.title for cell in cells))} for inspect_ai

Written by `evalsuite export --to inspect`. Needs `evalsuite` in the environment that `inspect` runs in: it reads the replies.

```console
$ inspect eval {" ".join(files)} --model openai/MODEL    # all tasks
$ inspect eval {files[0]}@{cells[0].name} --model hf/MODEL -M do_sample=false    # one; hf must be told not to sample
```

Shots: `-T shots=N`, up to {max(cell.cell.place.shots for cell in cells)} here.
Numbers that equal evalsuite's own, and others: docs/export.md there.

{listed(cells)}"""
