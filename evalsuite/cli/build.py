"""`evalsuite build`: the group; its commands are in build_*.py."""

from __future__ import annotations

import typer

from evalsuite.cli.build_annotate import agree, annotate, check
from evalsuite.cli.build_screen import screen
from evalsuite.cli.build_stats import stats
from evalsuite.cli.build_tasks import tasks

build = typer.Typer(no_args_is_help=True)
for _command in (screen, annotate, check, agree, tasks, stats):
    build.command()(_command)
