"""`evalsuite finetune`; apart from cli.py only for its length."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evalsuite.cli import app as cli


def _integers(text: str, flag: str) -> list[int]:
    try:
        return [int(part) for part in cli._split(text)]
    except ValueError:
        raise typer.BadParameter(f"{text!r}: expected numbers such as 1,2,3", param_hint=flag) from None


def finetune(
    model: Annotated[list[str], typer.Option("--model", help="The model to train; may be given more than once.")],
    tasks: Annotated[str, typer.Option("--tasks", help="Names, comma-separated; an adapter is trained for each.")],
    models: cli.Models = "bundled:models.yaml",
    set: Annotated[
        str,
        typer.Option(
            "--set",
            help="easy, hard, or both together; of other benchmarks theirs, such as fold1 (several, comma-separated, are pooled).",
        ),
    ] = "both",
    sizes: Annotated[
        str, typer.Option("--sizes", help="Training items, comma-separated; larger subsets hold the smaller.")
    ] = "2000,4000,6000,8000,10000",
    test_size: Annotated[
        int | None, typer.Option("--test-size", help="Test on the first N items of each file only.")
    ] = None,
    seeds: Annotated[str, typer.Option("--seeds", help="An adapter for each, comma-separated.")] = "1",
    perturb: cli.Perturbs = "none",
    prompt: Annotated[
        str, typer.Option("--prompt", help="The wording: paper, plain, or a template of yours.")
    ] = "paper",
    allow_leak: Annotated[
        bool, typer.Option("--allow-leak", help="Train on dialogues of test items, too, instead of leaving them out.")
    ] = False,
    data: cli.Data = None,
    out: Annotated[
        Path, typer.Option("--out", help="The sweep's folder. The same command goes on in it where it stopped.")
    ] = Path("runs/finetune"),
    skip_bad: cli.SkipBad = False,
    prompts: cli.Prompts = "bundled:prompts",
    executor: Annotated[
        str, typer.Option("--executor", help="local, or ray: several adapters at a time on a Ray cluster.")
    ] = "local",
    ray_address: Annotated[
        str | None, typer.Option("--ray-address", help="The cluster; else RAY_ADDRESS, else this machine alone.")
    ] = None,
    replicas: Annotated[
        int | None, typer.Option("--replicas", help="Adapters at a time, then copies of a model; else as many as fit.")
    ] = None,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Show the log.")] = False,
) -> None:
    """Train LoRA adapters on more and more items, and evaluate them beside the base model: learning curves."""
    values = dict(locals())
    import evalsuite

    settings = {
        **values,
        "model": [name for text in model for name in cli._split(text)],
        "tasks": cli._split(tasks),
        "sizes": _integers(sizes, "--sizes"),
        "seeds": _integers(seeds, "--seeds"),
        "perturb": cli._split(perturb),
    }
    done = evalsuite.finetune(**settings)
    cli._show(done)
    cli._say(f"page: {done.out / 'page' / 'index.html'}   adapters: {done.out / 'models.yaml'}")
    raise typer.Exit(done.exit_code)
