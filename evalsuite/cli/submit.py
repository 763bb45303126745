"""`evalsuite submit make` and `check`, and `evalsuite cite`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from evalsuite.cli.options import Data, parts
from evalsuite.common.terminal import say

submit = typer.Typer(no_args_is_help=True)


@submit.command("make")
def make(
    run: Annotated[Path, typer.Argument(help="A run's folder.")],
    out: Annotated[Path, typer.Argument(metavar="DIR", help="Where the submission goes; must not be there yet.")],
    name: Annotated[str, typer.Option("--name", help="What the leaderboard calls it.")] = "",
    who: Annotated[str, typer.Option("--who", help="The submitters.")] = "",
    contact: Annotated[str, typer.Option("--contact", help="An e-mail address or a url.")] = "",
    date: Annotated[str, typer.Option("--date", help="YYYY-MM-DD; that of the run if not given.")] = "",
    licence: Annotated[str, typer.Option("--licence", help="Of the records, e.g. CC-BY-4.0.")] = "",
    notes: Annotated[str, typer.Option("--notes", help="Anything else.")] = "",
    trained_on: Annotated[
        str,
        typer.Option("--trained-on", help="Splits that the models were trained on, comma-separated; none; unknown."),
    ] = "",
    statement: Annotated[str, typer.Option("--statement", help="On contamination, in a sentence.")] = "",
) -> None:
    """Write a submission of a run: results, records, a form to fill in, hashes. What is not given stays "?"."""
    from evalsuite.exchange.submit.submission import make as made

    head = {"name": name, "who": who, "contact": contact, "date": date, "licence": licence, "notes": notes}
    about: dict[str, Any] = {"statement": statement} if statement else {}
    if trained_on:
        splits: Any = "unknown" if trained_on == "unknown" else [] if trained_on == "none" else parts(trained_on)
        about["trained_on"] = splits
    done = made(run, out, head, about)
    say(f"{done.out}: written")
    for warning in done.warnings:
        say(f"look at this before you publish: {warning}", err=True)
    for line in done.unfilled:
        say(f"submission.yaml:{line}")
    say(f"then: evalsuite submit check {done.out}")


@submit.command("check")
def check(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A submission.")],
    data: Data = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Verify a submission: files, hashes, schemas, and that its records give its numbers. 1 if there are problems."""
    from evalsuite.exchange.submit.verdict import check as checked

    verdict = checked(folder, data)
    if as_json:
        print(json.dumps(asdict(verdict), indent=1))  # ASCII: nothing of it reaches a terminal raw
    else:
        for problem in verdict.problems:
            say(f"problem: {problem}")
        if verdict.more:
            say(f"… and {verdict.more} more")
        for line in verdict.verified:
            say(f"verified: {line}")
        for line in verdict.unverified:
            say(f"not verified: {line}")
        say(f"{len(verdict.problems) + verdict.more} problems" if verdict.problems else "valid")
    raise typer.Exit(1 if verdict.problems else 0)


def cite() -> None:
    from evalsuite.page.citations import citations

    say(citations())
