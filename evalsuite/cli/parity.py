"""`evalsuite parity`; apart from cli.py only for its length."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from evalsuite.cli import app as cli


def parity(
    model: Annotated[str, typer.Option("--model", help="The model's name in the file.")],
    backends: Annotated[
        str, typer.Option("--backends", help="Two or more of hf, vllm; all are held beside the first.")
    ] = "hf,vllm",
    models: cli.Models = "bundled:models.yaml",
    tasks: cli.Tasks = "",
    set: cli.Set = "all",
    split: cli.Split = "test",
    shots: cli.ShotCounts = "0",
    prompt: cli.Variants = "paper",
    limit: cli.Limit = None,
    data: cli.Data = None,
    out: Annotated[Path | None, typer.Option("--out", help="Write every difference here, as JSON.")] = None,
) -> None:
    """Run the same items on several backends and say where they part. Exit code 1 if token ids do."""
    values = dict(locals())
    for name in ("backends", "model", "out"):
        values.pop(name)
    from evalsuite.cli.tables.terminal import draw
    from evalsuite.exchange.parity import parity as compared
    from evalsuite.exchange.parity_sheets import parity_sheets

    settings = cli._settings({**values, "model": None, "scoring": "generate", "perturb": "none"})
    settings = {name: value for name, value in settings.items() if name not in ("model", "scoring")}
    found = compared(model=model, on=cli._split(backends), **settings)
    for one in found:
        cli._print(*draw(parity_sheets(one)))
    if out:
        out.write_text(json.dumps([asdict(one) for one in found], ensure_ascii=False, indent=1), encoding="utf-8")
        cli._say(f"every difference: {out}")
    raise typer.Exit(0 if all(one.same_ids for one in found) else 1)
