"""`evalsuite anchors`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evalsuite.cli.options import numbers
from evalsuite.common.terminal import print_all, say


def anchors(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN…", help="Folders of runs or submissions, of five models or more together."),
    ],
    size: Annotated[
        str, typer.Option(help="Numbers of items, comma-separated; --out FILE gets the last number of items.")
    ] = "25,50,100,200",
    model: Annotated[
        list[str] | None,
        typer.Option(help="Only this model; may be given more than once. Default: all but baselines and adapters."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random choices.")] = 0,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the chosen items to this file, for run --items FILE.")
    ] = None,
) -> None:
    from evalsuite.analyses.anchor_sheets import anchor_sheets
    from evalsuite.analyses.anchors import anchors as choose
    from evalsuite.analyses.anchors import file_of
    from evalsuite.cli.tables.terminal import draw
    from evalsuite.common.files import replace_file
    from evalsuite.common.finite import finite_json

    choice, remarks = choose(runs, numbers(size, "--size", "50,100"), model or (), seed)
    print_all(*draw(anchor_sheets(choice)))
    for remark in remarks:
        say(remark)
    if out:
        replace_file(out, finite_json(file_of(choice, seed).written(), out, indent=1) + "\n")
        say(f"items: {out}   ask only these: evalsuite run --items {out}")
