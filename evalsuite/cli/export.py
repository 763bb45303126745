"""`evalsuite export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from evalsuite.cli.options import takes
from evalsuite.common.errors import ConfigError, unknown
from evalsuite.common.flags import dashed
from evalsuite.common.terminal import emit, say
from evalsuite.evaluation.settings import Settings

_OF_TASKS = [
    "tasks",
    "benchmark",
    "set",
    "split",
    "prompt",
    "limit",
    "data",
    "seed",
    "skip_bad",
    "drop_leaked",
    "prompts",
]


@takes(Settings, only=_OF_TASKS)
def export(
    ctx: typer.Context,
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH...",
            help="Results: the run's folder; parquet and arrow take several. Tasks: the output folder, new or empty.",
        ),
    ],
    to: Annotated[
        str,
        typer.Option(
            help="For results of a run: parquet, arrow, hf-card, wandb, mlflow or swanlab. For tasks: the harness, "
            "lm-eval, inspect or opencompass."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            help="Results: the folder for parquet and arrow files, or the file for hf-card; else it is printed."
        ),
    ] = None,
    model: Annotated[str, typer.Option(help="Results: only this model (hf-card, wandb, mlflow, swanlab).")] = "",
    project: Annotated[
        str, typer.Option(help="Results: wandb's or swanlab's project, or mlflow's experiment; default: evalsuite.")
    ] = "",
    source: Annotated[
        str, typer.Option(help="Results: the address that hf-card gives as source, such as the run's page.")
    ] = "",
    shots: Annotated[int, typer.Option(help="Tasks: shots exported with each item; the harness can use fewer.")] = 0,
    **settings: Any,
) -> None:
    import evalsuite
    from evalsuite.exchange.export.task_folder import HARNESSES
    from evalsuite.exchange.publish.export import TOOLS

    if to not in HARNESSES and to not in TOOLS:
        raise ConfigError(unknown("--to", to, [*TOOLS, *HARNESSES]))
    given = {name for name in ctx.params if _is_given(ctx, name)}
    of_results = {"out", "model", "project", "source"}
    if wrong := sorted(given & ({*_OF_TASKS, "shots"} if to in TOOLS else of_results)):
        flags = ", ".join(f"--{dashed(name)}" for name in wrong)
        if to in TOOLS:
            raise ConfigError(f"{flags}: of tasks for a harness; --to {to} exports a run's results as they are")
        raise ConfigError(
            f"{flags}: of results; --to {to} exports tasks into a new folder: evalsuite export --to {to} DIR"
        )
    if to in TOOLS:
        more = {"model": model, "project": project, "source": source}
        done = evalsuite.export_results(to, paths, out, **more)
        for line in done.remarks:
            say(line, err=True)
        emit("\n".join(done.lines))
        return
    if len(paths) > 1:
        raise ConfigError(f"--to {to} exports tasks into one new folder, not {len(paths)}")
    if (paths[0] / "results.json").exists():
        raise ConfigError(
            f"{paths[0]}: is a run, and --to {to} exports tasks: name a new folder, or export the run's results: --to "
            f"{', '.join(TOOLS)}"
        )
    folder = evalsuite.export(to, paths[0], shots=shots, **settings)
    say(f"{folder}: how to run it is in {folder / 'README.md'}")


def _is_given(ctx: typer.Context, name: str) -> bool:
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"
