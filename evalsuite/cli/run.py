"""`evalsuite run`, `preview`, `score` and `report`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evalsuite.cli.options import OF_ASKING, ModelsOption, Parser, RunArgument, hint_at_models, option, takes
from evalsuite.common.terminal import emit, json_mark, print_all, say
from evalsuite.evaluation.second_reader import SecondReader
from evalsuite.evaluation.settings import Settings

if TYPE_CHECKING:
    from evalsuite.evaluation.costs import Costs
    from evalsuite.evaluation.detectable_sheet import PlannedContexts
    from evalsuite.results.analysis import Results


@takes(Settings)
def run(**settings: Any) -> None:
    import evalsuite
    from evalsuite.cli.show import print_findings, print_results

    hint_at_models(settings["models"])
    done = evalsuite.run(**settings)
    print_results(done)
    say(f"page: {done.out / 'page' / 'index.html'}   results: {done.out / 'results.json'}")
    _say_cost(done, settings.get("budget"))
    print_findings(done)
    raise typer.Exit(done.exit_code)


def _say_cost(results: Results, budget: float | None) -> None:
    """Print the cost of all replies in the run's folder, if they have a price or there is a budget."""
    from evalsuite.evaluation.cost_sheet import money
    from evalsuite.results.store import open_store

    with open_store(results.out) as store:
        # Amounts that were lent and given back leave a rest of rounding: far less than a token costs, and no bound on anything.
        spent, bound = round(store.spent(), 12), round(store.bound(), 12)
    if budget is None and not spent:
        return
    limit = "" if budget is None else f" (budget {budget:g})"
    if bound > 0:
        say(
            f"cost: at most {money(spent)}",
            limit,
            f"; {money(bound)} of it is an upper bound: replies were lost, or came without token counts",
        )
    else:
        say(f"cost: {money(spent)}", limit)


@takes(Settings, without=OF_ASKING)
def preview(
    item: Annotated[str, typer.Option(help="Only items whose id contains this text.")] = "",
    tokenizer: Annotated[
        str,
        typer.Option(
            help="Count tokens with the tokenizer of this model: a name in models.yaml, a folder or a hub id."
        ),
    ] = "",
    cost: Annotated[
        bool, typer.Option("--cost", help="Print only what the run will take: requests, tokens and cost.")
    ] = False,
    sample: Annotated[
        list[Path] | None,
        typer.Option(metavar="RUN", help="Estimate the tokens of replies by those in this run, too; may be repeated."),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Print every request as a line of JSON, instead of one example of each kind; with --cost, every row.",
        ),
    ] = False,
    **settings: Any,
) -> None:
    from evalsuite.evaluation.costs import Costs, as_row, planned_cells
    from evalsuite.evaluation.detectable_sheet import PlannedContexts
    from evalsuite.evaluation.preview import as_lines, as_text, tokenizer_named

    models = settings.pop("models")
    hint_at_models(models)
    s, planned = planned_cells(models, settings)
    tokenizer = tokenizer_named(tokenizer, models)
    costs = Costs(s, sample or (), tokenizer)
    try:
        if as_json and not cost:
            for line in as_lines(((cell, trials) for _, cell, trials in planned), item, tokenizer):
                emit(line, json_mark)
            return
        contexts = PlannedContexts()
        for line in as_text(contexts.passing(costs.passing(planned)), item, tokenizer):
            if not cost:
                emit(line)
        if as_json:
            for row in costs.rows():
                emit(json.dumps(as_row(row), ensure_ascii=False), json_mark)
        else:
            _print_costs(costs, contexts)
    except BrokenPipeError:  # the reader of the pipe, such as `head`, has closed it
        sys.stderr.close()


def _print_costs(costs: Costs, contexts: PlannedContexts) -> None:
    from evalsuite.cli.tables.terminal import draw
    from evalsuite.evaluation.cost_sheet import cost_sheet

    detectable = contexts.sheet()
    costs_sheet = cost_sheet(costs.rows(), costs.settings.budget, costs.spent)
    print_all(*draw([costs_sheet, *([detectable] if detectable else [])]))


@takes(SecondReader)
def score(
    run: RunArgument,
    parser: Parser = "full",
    extract: Annotated[bool, typer.Option(help="Cut lead-ins and explanations off spans and short answers.")] = True,
    semsim: Annotated[Path | None, option(Settings, "semsim")] = None,
    signature: Annotated[bool, typer.Option("--signature", help="Print every number with its signature.")] = False,
    models: ModelsOption = "bundled:models.yaml",
    **second: Any,
) -> None:
    import evalsuite
    from evalsuite.cli.show import print_results

    done = evalsuite.score(run, parser, extract, semsim, models, **second)
    if signature:
        for cell in done.cells:
            for name, metric in cell.metrics.items():
                say(f"{cell.place.name} {name} {metric.value} {metric.signature}")
    else:
        print_results(done)
    raise typer.Exit(done.exit_code)


def report(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN…", help="Folders of runs or submissions, shown on one page.")
    ],
    out: Annotated[Path | None, typer.Option(help="The page's folder; default: page/ in the first run.")] = None,
) -> None:
    import evalsuite

    say(str(evalsuite.report(runs, out)))
