"""`evalsuite contamination`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from evalsuite.cli.options import takes
from evalsuite.common.terminal import print_all, say
from evalsuite.exposure.settings import ContaminationSettings


@takes(ContaminationSettings)
def contamination(
    model: Annotated[list[str], typer.Argument(metavar="MODEL…", help="Models of the models file.")], **settings: Any
) -> None:
    import evalsuite
    from evalsuite.analyses.contamination import row_sheets
    from evalsuite.cli.tables.terminal import draw

    result = evalsuite.contamination(model, **settings)
    print_all(*draw(row_sheets(result.rows)))
    if (page := result.out / "page" / "index.html").is_file():
        say(f"page: {page}")
    say(f"results: {result.out / 'contamination.json'}")
    for problem in result.problems:
        say("problem: ", problem, err=True)
    raise typer.Exit(1 if result.problems else 0)
