"""`evalsuite compare`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from evalsuite.cli.options import RunArgument, emit_json, takes
from evalsuite.common.flags import flag
from evalsuite.common.terminal import print_all


@dataclass(frozen=True, slots=True)
class ComparisonFlags:
    """The two sides of a comparison, and the cells that are compared: keywords of `evalsuite.compare`."""

    models: Sequence[str] = flag((), "Two models to compare, A,B; or one, to compare only its cells.")
    shots: Sequence[int] = flag((), "Two numbers of shots to compare, 0,5; or one.", "0,5")
    prompt: Sequence[str] = flag((), "Two wordings to compare, paper,plain; or one.")
    scoring: Sequence[str] = flag((), "Two scorings to compare, generate,labels; or one.")
    perturb: Sequence[str] = flag((), "Two perturbations to compare, none,shuffle; or one.")
    tasks: Sequence[str] = flag((), "Only these tasks, by name or short name, or benchmarks, comma-separated.")
    set: Sequence[str] = flag((), "Only these sets, comma-separated.")


@takes(ComparisonFlags)
def compare(
    run: RunArgument,
    other: Annotated[
        Path | None, typer.Argument(help="Another run's folder: compare the same cells of both runs.")
    ] = None,
    flips: Annotated[
        int, typer.Option(help="Number of items to print, in each row, on which the two differ by 0.5 or more.")
    ] = 3,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, with all items on which the two differ by 0.5 or more.")
    ] = False,
    **compared: Any,
) -> None:
    import evalsuite
    from evalsuite.cli.tables.terminal import draw
    from evalsuite.results.comparison_sheets import comparison_sheets

    rows = evalsuite.compare(run, other=other, **compared)
    if as_json:
        emit_json([asdict(row) for row in rows])
    else:
        print_all(*draw(comparison_sheets(rows, flips)))
