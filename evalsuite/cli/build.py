"""`evalsuite build …`: each command stands in a file of its own, cli_build_<name>.py; here they are put together."""

from __future__ import annotations

import typer

from evalsuite.cli.build_annotate import agree, annotate, check
from evalsuite.cli.build_screen import screen
from evalsuite.cli.build_stats import stats
from evalsuite.cli.build_tasks import tasks

build_app = typer.Typer(
    help="Make a benchmark like CORECODE of your own dialogues, from screening to statistics.", no_args_is_help=True
)
for _command in (screen, annotate, check, agree, tasks, stats):
    build_app.command()(_command)
