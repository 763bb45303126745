"""`evalsuite audit make`, `read` and `answer`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from evalsuite.cli.options import RunArgument, parts, takes
from evalsuite.common.terminal import print_all, safe, say
from evalsuite.evaluation.settings import Settings

audit = typer.Typer(no_args_is_help=True)


@audit.command("make")
def audit_make(
    run: RunArgument,
    n: Annotated[int, typer.Option(help="Number of replies to draw of each model.")] = 100,
    seed: Annotated[int, typer.Option(help="Seed of the sample.")] = 0,
    model: Annotated[
        list[str] | None,
        typer.Option(help="Only replies of this model; may be given more than once. Default: all but the baselines."),
    ] = None,
    tasks: Annotated[
        str, typer.Option(help="Tasks by name or short name, or benchmarks, comma-separated; default: all.")
    ] = "",
    rubric: Annotated[
        str,
        typer.Option(
            help="Rubric for short texts: corecode (0-5), cicero (3 x 1-5), glucose (0-3), cedar (3 x 0-1, for "
            "explanations), charm or reference (0-1); default: the benchmark's own."
        ),
    ] = "",
    name: Annotated[
        str, typer.Option(help="Name of the sample's folder in RUN/audit; default: RUBRIC-N-seedSEED.")
    ] = "",
    suspicious: Annotated[
        bool,
        typer.Option(
            "--suspicious", help="Draw from replies to suspicious items only, whose gold answer may be wrong."
        ),
    ] = False,
) -> None:
    """Draw a stratified sample of replies; write a page and a spreadsheet to mark them."""
    from evalsuite.review import audit as auditing

    page, sample = auditing.make_sample(run, n, seed, model or (), parts(tasks), rubric, name, suspicious)
    strata = len({(d.output.model, d.stratum) for d in sample.drawn})
    of = sum(w.outputs for w in sample.whole)
    kind = "outputs to suspicious items" if suspicious else "outputs"
    models = Counter(d.output.model for d in sample.drawn)
    say(f"{len(sample.drawn)} of {of} {kind}, {strata} strata, sample {sample.hash}")
    say(f"of each model: {', '.join(f'{name} {count}' for name, count in models.items())}")
    if not model and (beside := auditing.baselines_beside(run)):
        say(f"left out: {', '.join(beside)} (baselines; --model NAME takes one)")
    say(f"page: {page}")
    say(f"for a spreadsheet: {page.parent / 'to-mark.csv'}   for a program: {page.parent / 'to-mark.jsonl'}")


@audit.command("read")
def audit_read(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE…", help="Files of marks, exported by the page or filled in by hand.")
    ],
    run: Annotated[
        Path | None, typer.Option(help="The run of the sample: compare with its present parsing, totals and judges.")
    ] = None,
    published: Annotated[bool, typer.Option("--published", help="Also show the paper's Table 4.")] = False,
    out: Annotated[
        Path | None, typer.Option(help="Write every figure here, as JSON; default: audit.json beside the sample.")
    ] = None,
    table: Annotated[
        Path | None, typer.Option("--csv", help="Also write the counts of correct replies to this CSV file.")
    ] = None,
) -> None:
    """Report what the marks show: correct replies (raw, filtered, actual), the parser's precision and recall,
    agreement, judges."""
    from evalsuite.cli.tables.terminal import draw
    from evalsuite.review import audit as auditing
    from evalsuite.review.audit.audit_report import keep_people, write_audit
    from evalsuite.review.audit.sheets import audit_sheets

    marks_report = auditing.summarize_marks(files, run)
    print_all(*draw(audit_sheets(marks_report, published)))
    out = write_audit(marks_report, out, table)
    say(f"every figure: {out}")
    if keep_people(marks_report):
        say(f"a judge's means, corrected by these scores: evalsuite score {run}")


@audit.command("answer")
@takes(Settings, only=["tasks", "benchmark", "set", "split", "limit", "data", "skip_bad", "prompts"])
def audit_answer(
    out: Annotated[Path, typer.Option(help="The page to write.")] = Path("answer.html"),
    prompt: Annotated[str, typer.Option(help="The wording whose instructions the page shows.")] = "plain",
    **settings: Any,
) -> None:
    """Write a page on which a person answers the items of a run; its export is the replies of a `scripted` model."""
    from evalsuite.review import audit as auditing

    answer_page = auditing.write_answer_page(out, prompt, **settings)
    say(safe(f"{answer_page.items} items of {', '.join(answer_page.tasks)}: {answer_page.page}", lines=False))
    replies = answer_page.page.with_suffix(".NAME.jsonl").name
    say(f"score its export {replies} as a model: {{name: human, backend: scripted, path: {replies}}} in a models.yaml")
