"""`evalsuite export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from evalsuite.cli.options import takes
from evalsuite.common.terminal import say
from evalsuite.evaluation.settings import Settings


@takes(
    Settings,
    only=["tasks", "set", "split", "prompt", "limit", "data", "seed", "skip_bad", "drop_leaked", "prompts"],
)
def export(
    out: Annotated[Path, typer.Argument(metavar="DIR", help="Output folder; must be new or empty.")],
    to: Annotated[str, typer.Option("--to", help="The harness: lm-eval or inspect.")],
    shots: Annotated[
        int, typer.Option("--shots", help="Number of shots exported with each item; the harness can use fewer.")
    ] = 0,
    **settings: Any,
) -> None:
    import evalsuite

    folder = evalsuite.export(to, out, shots=shots, **settings)
    say(f"{folder}: how to run it is in {folder / 'README.md'}")
