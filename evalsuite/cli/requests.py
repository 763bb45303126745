"""`evalsuite requests` and `evalsuite replies`: a run whose replies are made elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from evalsuite.cli.options import OF_ASKING, takes
from evalsuite.common.errors import ConfigError, unknown
from evalsuite.common.terminal import say
from evalsuite.evaluation.settings import Settings


@takes(Settings, without=["out", "until", "until_ranked", "budget", *OF_ASKING])
def requests(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the requests; must be new or empty.")],
    run: Annotated[
        Path | None, typer.Option(metavar="RUN", help="Leave out requests that have a reply in this run.")
    ] = None,
    limit_name: Annotated[
        str,
        typer.Option(
            help="Name of the limit of a reply in batch files: max_tokens, or max_completion_tokens, which OpenAI's reasoning "
            "models need."
        ),
    ] = "max_tokens",
    **settings: Any,
) -> None:
    from evalsuite.backends.openai.replies import LIMIT_NAMES
    from evalsuite.exchange.requests import write_requests

    if limit_name not in LIMIT_NAMES:
        raise ConfigError(unknown("--limit-name", limit_name, LIMIT_NAMES))
    for written in write_requests(folder=out, run=run, limit_name=limit_name, **settings):
        stored = f"; {written.stored} more have a reply in {run}" if written.stored else ""
        say(f"{written.model}: ", f"{written.requests} requests", stored)
        for name in written.files:
            say(f"  {out / name}")
    say(f"then put the files of replies into {out}, and: evalsuite replies {out} {run or 'RUN'}")


def replies(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", help="Folder of `evalsuite requests`, with the files of replies, *.jsonl, in it."
        ),
    ],
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run's folder, which is made if need be.")],
) -> None:
    from evalsuite.cli.show import print_results
    from evalsuite.exchange.replies import read_replies

    done = read_replies(folder, run)
    print_results(done.results)
    for line in done.lines:
        say(line)
    say(f"page: {run / 'page' / 'index.html'}   results: {run / 'results.json'}")
    raise typer.Exit(done.exit_code)
