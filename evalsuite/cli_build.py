"""`evalsuite build …`: each command stands in a file of its own, cli_build_<name>.py; here they are put together."""

from __future__ import annotations

import typer

from evalsuite.cli_build_screen import screen

build_app = typer.Typer(
    help="Make a benchmark like CORECODE of your own dialogues, from screening to statistics.", no_args_is_help=True
)
for _command in (screen,):
    build_app.command()(_command)


@build_app.callback()
def _build() -> None:
    """Keeps `build` a group of commands, however few it has."""
