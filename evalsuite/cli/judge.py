"""`evalsuite judge`; apart from cli.py only for its length."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evalsuite.cli import app as cli


def judge(
    run: Annotated[Path, typer.Argument(help="A run's folder.")],
    judge: Annotated[
        list[str], typer.Option("--judge", help="The model that scores; several, each apart, make a panel.")
    ],
    models: cli.Models = "bundled:models.yaml",
    rubric: Annotated[
        str,
        typer.Option(
            "--rubric",
            help="corecode, cicero, glucose (or cicero_en, glucose_en), or yours: prompts/judge/NAME.j2; each benchmark's own if not given.",
        ),
    ] = "",
    tasks: Annotated[
        str,
        typer.Option("--tasks", help="Names of tasks or benchmarks, comma-separated; all short texts if not given."),
    ] = "",
    model: Annotated[list[str] | None, typer.Option("--model", help="Only this model's generations.")] = None,
    perturb: Annotated[str, typer.Option("--perturb", help="Generations under which perturbations.")] = "none",
    limit: Annotated[int | None, typer.Option("--limit", help="Only the first N items of each cell.")] = None,
    repeats: Annotated[int, typer.Option("--repeats", help="Judge each N times: the spread within a judge.")] = 1,
    blind: Annotated[bool, typer.Option("--blind", help="Judge once more without the gold answer.")] = False,
    attacks: Annotated[
        int, typer.Option("--attacks", help="Put each of 50 injected instructions into N candidates.")
    ] = 0,
    attempts: Annotated[int, typer.Option("--attempts", help="Ask so often in all where a reply cannot be read.")] = 3,
    seed: Annotated[int, typer.Option("--seed", help="For drawing the candidates of attacks.")] = 0,
    prompts: cli.Prompts = "bundled:prompts",
    budget: Annotated[
        float | None,
        typer.Option("--budget", help="What run and judging may cost in all, in the currency of the models' prices."),
    ] = None,
    max_concurrency: Annotated[
        int | None,
        typer.Option("--max-concurrency", help="Requests at an endpoint at once, instead of the model's own."),
    ] = None,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Show the log.")] = False,
) -> None:
    """Let a model score a run's generations, and check how far it can be trusted. The same command goes on where it stopped."""
    values = dict(locals())
    import evalsuite
    from evalsuite.cli.tables.terminal import draw
    from evalsuite.results.sheets.judge import judge_sheets

    settings = {
        **values,
        "judge": [name for text in judge for name in cli._split(text)],
        "model": [name for text in model or () for name in cli._split(text)],
        "tasks": cli._split(tasks),
        "perturb": cli._split(perturb),
    }
    done = evalsuite.judge(**settings)
    cli._print(*draw(judge_sheets(done.judged)))
    cli._say(f"page: {done.out / 'page' / 'index.html'}   records: {done.out / 'judged'}")
    for problem in done.problems:
        cli._say(f"problem: {problem}", err=True)
    raise typer.Exit(done.exit_code)
