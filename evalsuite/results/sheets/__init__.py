"""Every analysis of a run as sheets: tables as data, which terminal, exported files and the page draw."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from evalsuite.common.errors import ConfigError, unknown
from evalsuite.common.sheet import Sheet, spell
from evalsuite.results.journey import Results
from evalsuite.results.sheets.breakdown import breakdown_sheets, confusion_sheets
from evalsuite.results.sheets.judge import judge_sheets
from evalsuite.results.sheets.learning import learning_sheets
from evalsuite.results.sheets.ranks import correlation_sheets, run_groups, run_ranks
from evalsuite.results.sheets.robustness import robustness_sheets
from evalsuite.results.sheets.scores import LEGEND, leaks, result_sheets

# A row is an analysis: its name for --tables, and what makes its sheets of a run's results. They are shown in this order;
# an added row shows up in the terminal, in exported files and on the page.
SHEETS: dict[str, Callable[[Results], Iterable[Sheet]]] = {
    "results": result_sheets,
    "ranks": run_ranks,
    "groups": run_groups,
    "robustness": lambda done: robustness_sheets(done.robustness),
    "breakdowns": lambda done: breakdown_sheets(done.breakdowns),
    "confusions": lambda done: confusion_sheets(done.confusions),
    "correlations": lambda done: correlation_sheets(done.metric_correlations),
    "judge": lambda done: judge_sheets(done.judged),
    "curves": lambda done: learning_sheets(done.learning),
}
END = ("results", "robustness", "judge", "curves")  # what a run's end prints
SLOW = ("groups",)  # shown only if named: it reads every record, and compares every two models


def sheets(done: Results, names: Sequence[str] = ()) -> Iterator[Sheet]:
    """The sheets of these analyses, or of all but the slow ones. Raises ConfigError for a name that is none, and for
    results that they cannot be made of."""
    for name in names:
        if name not in SHEETS:
            raise ConfigError(unknown("table", name, SHEETS))
    for name, make in SHEETS.items():
        if name in (names or SHEETS.keys() - SLOW):
            yield from _made(done, name, make)


def _made(done: Results, name: str, make: Callable[[Results], Iterable[Sheet]]) -> Iterator[Sheet]:
    try:
        for sheet in make(done):
            for row in sheet.rows:
                for cell, column in zip(row.cells, sheet.columns, strict=True):
                    spell(cell, column)  # numbers must be numbers: anybody may have edited results.json
            yield sheet
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        found = f"{type(error).__name__}: {error}"
        raise ConfigError(f"{done.out / 'results.json'}: no table of {name} ({found}); score the run again") from error


def notes(done: Results) -> list[str]:
    """What stands below the tables of a run."""
    return [LEGEND.en, *leaks(done)]
