"""`evalsuite submit make` and `check`, and `evalsuite cite`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from evalsuite.cli.options import AsJson, BenchmarkOption, RunArgument, parts, split_paths
from evalsuite.common.terminal import say

submit = typer.Typer(no_args_is_help=True)


@submit.command("make")
def submit_make(
    run: RunArgument,
    out: Annotated[Path, typer.Argument(metavar="DIR", help="The submission's folder; must be new or empty.")],
    name: Annotated[str, typer.Option(help="The submission's name on the leaderboard.")] = "",
    who: Annotated[str, typer.Option(help="The submitters.")] = "",
    contact: Annotated[str, typer.Option(help="An e-mail address or a url.")] = "",
    date: Annotated[str, typer.Option(help="YYYY-MM-DD; default: the day of the run.")] = "",
    licence: Annotated[str, typer.Option(help="Licence of the records, such as CC-BY-4.0.")] = "",
    notes: Annotated[str, typer.Option(help="Further remarks.")] = "",
    trained_on: Annotated[
        str,
        typer.Option(
            help="Splits of the benchmarks that the models were trained on, comma-separated; or none, or unknown."
        ),
    ] = "",
    statement: Annotated[
        str, typer.Option(help="A sentence on contamination: how you know what the models were trained on.")
    ] = "",
) -> None:
    """Write a submission of a run: results, records, hashes, and a form with "?" for each field to fill in."""
    from evalsuite.exchange.submit.submission import make_submission

    head = {"name": name, "who": who, "contact": contact, "date": date, "licence": licence, "notes": notes}
    about: dict[str, Any] = {"statement": statement} if statement else {}
    if trained_on:
        splits: Any = "unknown" if trained_on == "unknown" else [] if trained_on == "none" else parts(trained_on)
        about["trained_on"] = splits
    done = make_submission(run, out, head, about)
    say(f"{done.out}: written")
    for warning in done.warnings:
        say("before you publish: ", warning, err=True)
    for line in done.unfilled:
        say(f"submission.yaml:{line}")
    say(f"then: evalsuite submit check {done.out}")


@submit.command("check")
def submit_check(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A submission's folder.")],
    data: Annotated[
        list[Path] | None,
        typer.Option(
            help="Folder of official data to compare with; may be given more than once; default: the bundled sample if the run "
            "is of it, else EVALSUITE_DATA.",
            callback=split_paths,
        ),
    ] = None,
    benchmark: Annotated[
        list[Path] | None,
        typer.Option(
            help="Your own copy of a benchmark file, which the submission's must equal; may be given more than once.",
            callback=split_paths,
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(metavar="N", help="Stop after N seconds of CPU time; default: 6 for each MB, but at least 60."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Verify a submission: files, hashes, schemas, and that its records give its numbers. Exit code 1 if there are problems."""
    from evalsuite.exchange.submit.verdict import check_submission

    verdict = check_submission(folder, data, seconds, benchmark or ())
    if as_json:
        print(json.dumps(asdict(verdict), indent=1))  # ASCII, so no control character reaches the terminal
    else:
        for problem in verdict.problems:
            say("problem: ", problem)
        if verdict.more:
            say(f"… and {verdict.more} more")
        for line in verdict.verified:
            say("verified: ", line)
        for line in verdict.unverified:
            say("not verified: ", line)
        say(f"{len(verdict.problems) + verdict.more} problems" if verdict.problems else "valid")
    raise typer.Exit(1 if verdict.problems else 0)


def cite(benchmark: BenchmarkOption = None) -> None:
    from evalsuite.benchmarks.registry import BENCHMARKS, add_files
    from evalsuite.page.citations import citations

    say(citations(BENCHMARKS[name] for name in add_files(benchmark or ())))
