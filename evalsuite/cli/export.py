"""`evalsuite export`; apart from cli.py only for its length."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evalsuite.cli import app as cli


def export(
    out: Annotated[Path, typer.Argument(metavar="DIR", help="Where to write; must not be there yet, or be empty.")],
    to: Annotated[str, typer.Option("--to", help="The harness: lm-eval or inspect.")],
    tasks: cli.Tasks = "",
    set: cli.Set = "all",
    split: cli.Split = "test",
    shots: Annotated[int, typer.Option("--shots", help="Examples to export with each item; fewer can be used.")] = 0,
    prompt: cli.Variants = "paper",
    limit: cli.Limit = None,
    data: cli.Data = None,
    seed: cli.Seed = 0,
    skip_bad: cli.SkipBad = False,
    drop_leaked: cli.DropLeaked = False,
    prompts: cli.Prompts = "bundled:prompts",
) -> None:
    """Write CORECODE's tasks for lm-evaluation-harness or inspect_ai: our prompts, our reading of replies."""
    values = dict(locals())
    import evalsuite

    folder = evalsuite.export(**{**values, "tasks": cli._split(tasks), "prompt": cli._split(prompt)})
    cli._say(f"{folder}: how to run it is in {folder / 'README.md'}")
