"""`evalsuite parity`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from evalsuite.cli.options import parts, takes
from evalsuite.common.terminal import print_all, say
from evalsuite.evaluation.settings import Settings


@takes(Settings, only=["models", "tasks", "benchmark", "set", "split", "shots", "prompt", "limit", "data"])
def parity(
    model: Annotated[str, typer.Option(help="Name of a model in --models.")],
    backends: Annotated[
        str, typer.Option(help="Backends, comma-separated; each is compared with the first.")
    ] = "hf,vllm",
    out: Annotated[Path | None, typer.Option(help="Write every difference here, as JSON.")] = None,
    **settings: Any,
) -> None:
    from evalsuite.cli.tables.terminal import draw
    from evalsuite.common.files import replace_file
    from evalsuite.exchange.parity import parity as compared
    from evalsuite.exchange.parity_sheets import parity_sheets

    comparisons = compared(model=model, on=parts(backends), **settings)
    for comparison in comparisons:
        print_all(*draw(parity_sheets(comparison)))
    if out:
        replace_file(out, json.dumps([asdict(comparison) for comparison in comparisons], ensure_ascii=False, indent=1))
        say(f"every difference: {out}")
    raise typer.Exit(0 if all(comparison.same_ids for comparison in comparisons) else 1)
