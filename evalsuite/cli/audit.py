"""`evalsuite audit make` and `evalsuite audit read`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evalsuite.cli.options import parts
from evalsuite.common.terminal import print_all, say

audit = typer.Typer(no_args_is_help=True)


@audit.command("make")
def make(
    run: Annotated[Path, typer.Argument(help="A run's folder.")],
    n: Annotated[int, typer.Option("--n", help="Outputs of each model.")] = 100,
    seed: Annotated[int, typer.Option("--seed", help="Another seed draws another sample.")] = 0,
    models: Annotated[str, typer.Option("--models", help="Names, comma-separated; all if not given.")] = "",
    tasks: Annotated[
        str, typer.Option("--tasks", help="Of tasks or benchmarks, comma-separated; all if not given.")
    ] = "",
    rubric: Annotated[
        str,
        typer.Option(
            "--rubric",
            help="By what short texts are scored: corecode (0-5), cicero (3 x 1-5), glucose (0-3); their benchmark's own if not given.",
        ),
    ] = "",
    name: Annotated[
        str, typer.Option("--name", help="The sample's folder in RUN/audit; else made of n and seed.")
    ] = "",
) -> None:
    """Draw a stratified sample and write the page on which a person marks it, and the same for a spreadsheet."""
    from evalsuite.review import audit as auditing

    page, sample = auditing.make_sample(run, n, seed, parts(models), parts(tasks), rubric, name)
    strata = len({(d.output.model, d.stratum) for d in sample.drawn})
    of = sum(w.outputs for w in sample.whole)
    say(f"{len(sample.drawn)} of {of} outputs, {strata} strata, sample {sample.hash}")
    say(f"page: {page}")
    say(f"for a spreadsheet: {page.parent / 'to-mark.csv'}   for a program: {page.parent / 'to-mark.jsonl'}")


@audit.command("read")
def read(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE…", help="Marks: exported by the page, or filled in by hand.")
    ],
    run: Annotated[
        Path | None, typer.Option("--run", help="The run they are about: takes what its parser reads now.")
    ] = None,
    published: Annotated[bool, typer.Option("--published", help="Show the paper's Table 4 beside.")] = False,
    out: Annotated[Path, typer.Option("--out", help="Every figure, as JSON.")] = Path("audit.json"),
    table: Annotated[Path | None, typer.Option("--csv", help="Write the counts of correct outputs here, too.")] = None,
) -> None:
    """Say what the marks tell: outputs correct raw, filtered and actually; parser; scores; agreement; judges."""
    from evalsuite.cli.tables.terminal import draw
    from evalsuite.review import audit as auditing
    from evalsuite.review.audit.findings import write_audit
    from evalsuite.review.audit.sheets import audit_sheets

    found = auditing.summarize_marks(files, run)
    print_all(*draw(audit_sheets(found, published)))
    write_audit(found, out, table)
    say(f"every figure: {out}")
