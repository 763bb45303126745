"""`evalsuite compare`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from evalsuite.cli.options import parts
from evalsuite.common.terminal import emit, json_mark, print_all


def compare(
    run: Annotated[Path, typer.Argument(help="A run's folder.")],
    models: Annotated[str, typer.Option("--models", help="Two models of the run: A,B.")],
    flips: Annotated[
        int, typer.Option("--flips", help="Number of items to print, in each row, on which the models differ.")
    ] = 3,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, with all items on which the models differ.")
    ] = False,
) -> None:
    import evalsuite
    from evalsuite.cli.tables.terminal import draw
    from evalsuite.results.sheets.compare import comparison_sheets

    names = parts(models)
    if len(names) != 2:
        raise typer.BadParameter(f"{models!r}: expected two names, A,B", param_hint="--models")
    rows = evalsuite.compare(run, *names)
    if as_json:
        emit(json.dumps([asdict(row) for row in rows], ensure_ascii=False, indent=1), json_mark)
    else:
        print_all(*draw(comparison_sheets(rows, names[0], names[1], flips)))
