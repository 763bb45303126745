"""`evalsuite run`, `preview`, `score` and `report`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from evalsuite.cli.options import Models, Parser, option, takes
from evalsuite.common.terminal import emit, json_mark, say
from evalsuite.evaluation.second import SecondReader
from evalsuite.evaluation.settings import Settings


@takes(Settings)
def run(**settings: Any) -> None:
    import evalsuite
    from evalsuite.cli.show import print_results

    done = evalsuite.run(**settings)
    print_results(done)
    say(f"page: {done.out / 'page' / 'index.html'}   results: {done.out / 'results.json'}")
    raise typer.Exit(done.exit_code)


@takes(
    Settings,
    without=[
        "out",
        "baselines",
        "semsim",
        "budget",
        "max_concurrency",
        "executor",
        "ray_address",
        "replicas",
        "verbose",
    ],
)
def preview(
    item: Annotated[str, typer.Option("--item", help="Only items whose id contains this text.")] = "",
    tokenizer: Annotated[
        str,
        typer.Option(
            "--tokenizer",
            help="Count tokens with the tokenizer of this model: a name in models.yaml, a folder or a hub id.",
        ),
    ] = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print every request as a line of JSON, instead of one example of each kind.")
    ] = False,
    **settings: Any,
) -> None:
    import evalsuite
    from evalsuite.evaluation.preview import as_lines, as_text, tokenizer_named

    cells = evalsuite.preview(**settings)
    tokenizer = tokenizer_named(tokenizer, settings["models"])
    try:
        for line in (as_lines if as_json else as_text)(cells, item, tokenizer):
            emit(line, json_mark) if as_json else emit(line)
    except BrokenPipeError:  # the reader of the pipe, such as `head`, has stopped
        sys.stderr.close()


@takes(SecondReader)
def score(
    run: Annotated[Path, typer.Argument(help="A run's folder.")],
    parser: Parser = "full",
    extract: Annotated[bool, typer.Option(help="Cut lead-ins and explanations off spans and short answers.")] = True,
    semsim: Annotated[Path | None, option(Settings, "semsim")] = None,
    signature: Annotated[bool, typer.Option("--signature", help="Print every number with its signature.")] = False,
    models: Models = "bundled:models.yaml",
    **second: Any,
) -> None:
    import evalsuite
    from evalsuite.cli.show import print_results

    done = evalsuite.score(run, parser, extract, semsim, models, **second)
    if signature:
        for cell in done.cells:
            for name, metric in cell["metrics"].items():
                say(f"{cell['model']} {cell['set']} {cell['task']} {name} {metric['value']} {metric['signature']}")
    else:
        print_results(done)
    raise typer.Exit(done.exit_code)


def report(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN…", help="Folders of runs or submissions, shown on one page.")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", help="The page's folder; default: page/ in the first run.")
    ] = None,
) -> None:
    import evalsuite

    say(str(evalsuite.report(runs, out)))
