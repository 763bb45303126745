"""`evalsuite show`, and the tables at the end of a run."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evalsuite.analyses.table import tables_help
from evalsuite.cli.chinese_help import in_both
from evalsuite.cli.options import parts, takes
from evalsuite.common.errors import ConfigError, DataError, EvalsuiteError
from evalsuite.common.flags import flag
from evalsuite.common.sheet import Sheet, Text
from evalsuite.common.terminal import console, emit, into_file, print_all, say

if TYPE_CHECKING:
    from evalsuite.results.analysis import Results

ALL = "all"  # all tables but those that are shown only by name
SCORES = ("results", "overview")  # the tables of scores, which are printed last
SHOWN = 50  # the most lines of --list without --all
# Filter -> the coordinate of a place that it selects by, where the names differ.
_COORDINATES = {"tasks": "task", "prompt": "variant"}
_ALL = "comma-separated; default: all."


@dataclass(frozen=True, slots=True)
class Filters:
    """The cells that are shown: lists of their tasks, sets …; an empty list takes all."""

    tasks: Sequence[str] = flag((), f"Tasks by name or short name, such as event_cause or EC, or benchmarks, {_ALL}")
    set: Sequence[str] = flag((), f"Sets, such as easy or hard, {_ALL}")
    split: Sequence[str] = flag((), f"Splits: test, dev, train, {_ALL}")
    prompt: Sequence[str] = flag((), f"Prompt wordings, {_ALL}")
    shots: Sequence[str] = flag((), f"Numbers of shots, {_ALL}")
    scoring: Sequence[str] = flag((), f"Scorings, such as generate or labels, {_ALL}")
    perturb: Sequence[str] = flag((), f"Perturbations, such as none or shuffle, {_ALL}")


@takes(Filters)
def show(
    run: Annotated[Path, typer.Argument(help="A run's folder, or another folder with results.json and records/.")],
    item: Annotated[
        str, typer.Option(help="Show everything known about this item: its id, or the end of its id (…/123).")
    ] = "",
    list_items: Annotated[bool, typer.Option("--list", help="List items with their ids, for --item.")] = False,
    status: Annotated[
        str,
        typer.Option(help="List only items of this status: right, partial, wrong, parsed, unparsed, refused, failed …"),
    ] = "",
    model: Annotated[list[str] | None, typer.Option(help="Only this model; may be given more than once.")] = None,
    tables: Annotated[str, typer.Option(help=in_both(tables_help()))] = "",
    penalty: Annotated[
        float,
        typer.Option(
            min=0,
            help="Points that a wrong answer costs in the table abstention, where a right answer earns 1 and no answer 0.",
        ),
    ] = 1.0,
    form: Annotated[str, typer.Option("--as", help="Output format: table, csv, latex or markdown.")] = "table",
    whole_prompt: Annotated[bool, typer.Option("--whole-prompt", help="With --item: print whole prompts.")] = False,
    full: Annotated[bool, typer.Option("--full", help="With --item: print long texts whole.")] = False,
    every: Annotated[
        bool,
        typer.Option(
            "--all", help="Print every line of --list and every cell of --item, not only the first 50 and 40."
        ),
    ] = False,
    **filters: Any,
) -> None:
    from evalsuite.analyses.saved import load_results, narrow

    if (item or list_items or status) and (form != "table" or tables):
        raise ConfigError(
            "--as and --tables: leave them out with --item, --list and --status, which print no tables; for a program the "
            f"same items are in {run / 'records'}"
        )
    chosen = {_COORDINATES.get(name, name): values for name, values in filters.items()}
    chosen["model"] = list(model or ())  # not split at commas: a model's name may have one
    done = replace(narrow(load_results(run), chosen), penalty=penalty)
    names = [] if tables == ALL else parts(tables)
    try:
        if item:
            _item(done, item, whole_prompt, full, every)
        elif list_items or status:
            _list(done, status, every)
        elif form != "table":
            from evalsuite.cli.tables.export import export

            drawn = [*_chosen_sheets(done, names, run, err=True)]
            # Without a byte order mark a spreadsheet reads the file in the machine's legacy encoding.
            mark = "\ufeff" if form == "csv" and into_file() else ""
            emit(mark + export(drawn, form).rstrip("\r\n"))
        elif tables:
            print_tables(done, _chosen_sheets(done, names, run))
        else:
            print_results(done)
            if not any(chosen.values()):  # the findings are those of the whole run
                print_findings(done)
            print_more(done, run)
    except BrokenPipeError:  # the reader of the pipe, such as `head`, has closed it
        sys.stderr.close()


def _chosen_sheets(results: Results, names: Sequence[str], run: Path, err: bool = False) -> Iterator[Sheet]:
    """The sheets of the named tables (none: all but those that are shown only by name). Says which of the named have no row."""
    from evalsuite.analyses.table import TABLES, sheets

    if not names:
        return sheets(results)
    sheets_of = {name: [*sheets(results, [name])] for name in names}
    for name, drawn in sheets_of.items():
        if not drawn:
            say(
                f"{name}: nothing to show; a run that was scored by an older version gets new tables by evalsuite score {run}",
                err=err,
            )
    return (sheet for name in TABLES for sheet in sheets_of.get(name, ()))


def print_results(results: Results) -> None:
    """Print the tables, notes and problems at the end of a run. The scores come last: a person reads the last lines first."""
    from evalsuite.analyses.table import at_end, sheets

    others = [name for name in at_end() if name not in SCORES]
    print_tables(
        results, [sheet for names in (others, *([name] for name in SCORES)) for sheet in sheets(results, names)]
    )
    _print_again(results)
    for line in results.skipped:
        say(f"skipped: {line}", err=True)


def _print_again(results: Results) -> None:
    """Print the command that asks truncated replies again, if there are many."""
    from evalsuite.analyses.scores import cut_cells

    if cut_cells(results):
        from evalsuite.evaluation.truncated import command_again

        if command := command_again(results):
            say(f"to ask the truncated replies again: {command}")


def print_findings(results: Results) -> None:
    """Print the findings of a run in a few lines."""
    from evalsuite.analyses.findings.journey import end_of_run
    from evalsuite.cli.tables.terminal import draw

    try:
        print_all(*draw([finding.line for finding in end_of_run(results)]))
    except (EvalsuiteError, LookupError, TypeError, ValueError, AttributeError) as error:
        # The folder may come from elsewhere, with records that cannot be read. The tables above do not need them.
        say(f"what was found: not told, since records cannot be read ({error})", err=True)


def print_more(results: Results, run: Path) -> None:
    """Say which other tables there are."""
    from evalsuite.analyses.table import other_tables
    from evalsuite.cli.tables.terminal import draw

    if names := other_tables(results):
        listed, command = ", ".join(names), f"evalsuite show {run} --tables"
        zh = f"其他表格：{listed}；用 `{command} 名称` 查看，all 为全部"
        print_all(*draw([Text(zh, f"more tables: {listed}; {command} NAME, or all")]))


def print_tables(results: Results, tables: Iterable[Sheet]) -> None:
    """Print tables, then the notes if there is a table, and problems to stderr."""
    from evalsuite.analyses.scores import notes
    from evalsuite.cli.tables.terminal import draw

    if drawn := [*tables]:
        print_all(*draw([*drawn, *notes(results)]))
    for problem in results.problems:
        say("problem: ", problem, err=True)


def _item(results: Results, wanted: str, prompt: bool, full: bool, every: bool) -> None:
    from evalsuite.analyses import items
    from evalsuite.cli.tables.items import CELLS, evidence_tables

    name = items.find_item(results, wanted)
    entries = list(islice(items.item_records(results, name), None if every else CELLS + 1))
    try:
        shown = list(evidence_tables(name, entries if every else entries[:CELLS], prompt, full))
    except (LookupError, TypeError, ValueError, AttributeError) as error:  # the folder may come from elsewhere
        raise DataError(f"{name}: its records are not as evalsuite writes them ({error!r})", results.out) from error
    print_all(*shown)
    if len(entries) > CELLS and not every:
        say(f"only the first {CELLS} cells; --all shows every one, --model, --perturb … fewer")


def _list(results: Results, status: str, every: bool) -> None:
    from evalsuite.analyses.items import list_records
    from evalsuite.cli.tables.items import snippets

    out, listing = console(), list_records(results, status)
    count = 0
    for cell, record in islice(listing, None if every else SHOWN):
        out.print(snippets(cell, record), soft_wrap=True, highlight=False)
        count += 1
    if not count:
        say("none")
    elif next(listing, None):
        say(f"only the first {count}; --all shows every one, --model, --tasks, --status … fewer")
