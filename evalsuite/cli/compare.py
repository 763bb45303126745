"""`evalsuite compare`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from evalsuite.cli.options import numbers, parts
from evalsuite.common.terminal import emit, json_mark, print_all


def compare(
    run: Annotated[Path, typer.Argument(help="A run's folder.")],
    other: Annotated[
        Path | None, typer.Argument(help="Another run's folder: compare the same cells of both runs.")
    ] = None,
    models: Annotated[str, typer.Option("--models", help="Two models to compare, A,B; one: only its cells.")] = "",
    shots: Annotated[str, typer.Option("--shots", help="Two numbers of shots to compare, 0,5; or one.")] = "",
    prompt: Annotated[str, typer.Option("--prompt", help="Two wordings to compare, paper,plain; or one.")] = "",
    scoring: Annotated[str, typer.Option("--scoring", help="Two scorings to compare, generate,labels; or one.")] = "",
    perturb: Annotated[str, typer.Option("--perturb", help="Two perturbations to compare, none,shuffle; or one.")] = "",
    tasks: Annotated[
        str, typer.Option("--tasks", help="Only these tasks, by name or short name, or benchmarks, comma-separated.")
    ] = "",
    set: Annotated[str, typer.Option("--set", help="Only these sets, comma-separated.")] = "",
    flips: Annotated[
        int,
        typer.Option("--flips", help="Number of items to print, in each row, on which the two differ by 0.5 or more."),
    ] = 3,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, with all items on which the two differ by 0.5 or more.")
    ] = False,
) -> None:
    import evalsuite
    from evalsuite.cli.tables.terminal import draw
    from evalsuite.results.comparison_sheets import comparison_sheets

    rows = evalsuite.compare(
        run,
        other=other,
        models=parts(models),
        shots=numbers(shots, "--shots", "0,5"),
        prompt=parts(prompt),
        scoring=parts(scoring),
        perturb=parts(perturb),
        tasks=parts(tasks),
        set=parts(set),
    )
    if as_json:
        emit(json.dumps([asdict(row) for row in rows], ensure_ascii=False, indent=1), json_mark)
    else:
        print_all(*draw(comparison_sheets(rows, flips)))
