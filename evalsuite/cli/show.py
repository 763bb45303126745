"""`evalsuite show`, and what is printed at the end of a run."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evalsuite.cli.options import parts
from evalsuite.common.errors import DataError
from evalsuite.common.terminal import console, emit, print_all, say

if TYPE_CHECKING:
    from evalsuite.results.journey import Results

SHOWN = 50  # lines of --list without --all

_Only = "comma-separated; all if not given."


def show(
    run: Annotated[Path, typer.Argument(help="A run's folder, or any with results.json and records.")],
    item: Annotated[str, typer.Option("--item", help="The evidence of this item: its id, or how it ends (…/123).")] = "",
    list_items: Annotated[bool, typer.Option("--list", help="List items, to open one.")] = False,
    status: Annotated[
        str, typer.Option("--status", help="List those only: right, partial, wrong, parsed, unparsed, refused, failed …")
    ] = "",
    model: Annotated[list[str] | None, typer.Option("--model", help="Only this one; may be given more than once.")] = None,
    task: Annotated[str, typer.Option("--task", help=f"Names such as event_cause or EC, {_Only}")] = "",
    set: Annotated[str, typer.Option("--set", help=f"easy, hard, {_Only}")] = "",
    split: Annotated[str, typer.Option("--split", help=f"test, dev, train, {_Only}")] = "",
    variant: Annotated[str, typer.Option("--variant", help=f"Wordings of the prompt, {_Only}")] = "",
    shots: Annotated[str, typer.Option("--shots", help=f"Numbers, {_Only}")] = "",
    scoring: Annotated[str, typer.Option("--scoring", help=f"generate, labels …, {_Only}")] = "",
    perturb: Annotated[str, typer.Option("--perturb", help=f"none, shuffle …, {_Only}")] = "",
    tables: Annotated[str, typer.Option("--tables", help="results, ranks, groups, robustness, breakdowns, confusions, correlations, judge, curves; all but groups, "
                                                  "which reads every record, if not given.")] = "",
    form: Annotated[str, typer.Option("--as", help="table, or csv, latex, markdown: to put elsewhere.")] = "table",
    prompt: Annotated[bool, typer.Option("--prompt", help="With --item: the whole prompt.")] = False,
    full: Annotated[bool, typer.Option("--full", help="With --item: long texts whole.")] = False,
    every: Annotated[bool, typer.Option("--all", help="Every line of --list, every cell of --item, not the first.")] = False,
) -> None:  # fmt: skip
    from evalsuite.results.saved import load, narrow

    wanted = {"task": task, "set": set, "split": split, "variant": variant, "shots": shots, "scoring": scoring,
              "perturb": perturb}  # fmt: skip
    chosen = {name: parts(text) for name, text in wanted.items()}
    chosen["model"] = list(model or ())  # whole: a name may have a comma
    done = narrow(load(run), chosen)
    try:
        if item:
            _item(done, item, prompt, full, every)
        elif list_items or status:
            _list(done, status, every)
        elif form == "table":
            print_tables(done, parts(tables))
        else:
            from evalsuite.cli.tables.export import export
            from evalsuite.results.sheets import sheets

            emit(export(list(sheets(done, parts(tables))), form).rstrip("\r\n"))
    except BrokenPipeError:  # `… | head` has seen enough
        sys.stderr.close()


def print_results(done: Results) -> None:
    """What the end of a run prints: some of its tables, and its problems."""
    from evalsuite.results.sheets import END

    print_tables(done, END)


def print_tables(done: Results, names: Sequence[str]) -> None:
    """The tables of those names (results.sheets.SHEETS), all if none; notes; and problems, to stderr."""
    from evalsuite.cli.tables.terminal import draw
    from evalsuite.results.sheets import notes, sheets

    print_all(*draw(sheets(done, names)))
    for text in notes(done):
        say(text)
    for problem in done.problems:
        say(f"problem: {problem}", err=True)


def _item(done: Results, wanted: str, prompt: bool, full: bool, every: bool) -> None:
    from evalsuite.cli.tables.items import CELLS, evidence_tables
    from evalsuite.results import items

    name = items.find(done, wanted)
    asked = list(islice(items.asked(done, name), None if every else CELLS + 1))
    try:
        shown = list(evidence_tables(name, asked if every else asked[:CELLS], prompt, full))
    except (LookupError, TypeError, ValueError, AttributeError) as error:  # of a folder that others wrote
        raise DataError(f"{name}: its records are not as evalsuite writes them ({error!r})", done.out) from error
    print_all(*shown)
    if len(asked) > CELLS and not every:
        say(f"and more than these {CELLS} cells: narrow them (--model, --perturb …), or --all")


def _list(done: Results, status: str, every: bool) -> None:
    from evalsuite.cli.tables.items import snippets
    from evalsuite.results.items import listed

    out, found = console(), listed(done, status)
    count = 0
    for cell, record in islice(found, None if every else SHOWN):
        out.print(snippets(cell, record), soft_wrap=True, highlight=False)
        count += 1
    if not count:
        say("none")
    elif next(found, None):
        say(f"the first {count}; --all shows every one, --model, --task, --status … fewer")
