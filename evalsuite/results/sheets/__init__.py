"""The analyses of a run as sheets (common/sheet.py): tables as data, drawn by the terminal, by exports and by the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from evalsuite.common.errors import ConfigError, unknown
from evalsuite.common.sheet import Sheet, Text, spell
from evalsuite.results.saved import Results
from evalsuite.results.sheets.aspects import aspect_sheets
from evalsuite.results.sheets.breakdown import breakdown_sheets, confusion_sheets
from evalsuite.results.sheets.contamination import contamination_sheets
from evalsuite.results.sheets.difficulty import difficulty_sheets, suspicious_sheets
from evalsuite.results.sheets.extraction import extraction_sheets
from evalsuite.results.sheets.gaps import gap_sheets
from evalsuite.results.sheets.judge import judge_sheets
from evalsuite.results.sheets.learning import learning_sheets
from evalsuite.results.sheets.memory import memory_sheets
from evalsuite.results.sheets.overview import overview_sheets
from evalsuite.results.sheets.ranked import ranked_sheets
from evalsuite.results.sheets.ranks import correlation_sheets, run_groups, run_ranks
from evalsuite.results.sheets.robustness import robustness_sheets
from evalsuite.results.sheets.scores import ESTIMATED, SAMPLED, leaks, legend, recordings, result_sheets, unread
from evalsuite.results.sheets.second import parted_sheets, second_sheets
from evalsuite.results.sheets.tokens import token_sheets

# An analysis is a row: its name for --tables, and a function from a run's results to its sheets. They are shown in this order
# in the terminal, in exported files and on the page.
SHEETS: dict[str, Callable[[Results], Iterable[Sheet]]] = {
    "overview": lambda done: overview_sheets(done.groups),
    "results": result_sheets,
    "ranked": lambda done: ranked_sheets(done.ranked),
    "ranks": run_ranks,
    "groups": run_groups,
    "tokens": lambda done: token_sheets(done.cells),
    "extraction": lambda done: extraction_sheets(done.extraction),
    "gaps": lambda done: gap_sheets(done.gaps),
    "robustness": lambda done: robustness_sheets(done.robustness),
    "memory": lambda done: memory_sheets(done.memory),
    "contamination": contamination_sheets,
    "breakdowns": lambda done: breakdown_sheets(done.breakdowns),
    "aspects": lambda done: aspect_sheets(done.aspects),
    "difficulty": lambda done: difficulty_sheets(done.difficulty),
    "suspicious": lambda done: suspicious_sheets(done.difficulty),
    "confusions": lambda done: confusion_sheets(done.confusions),
    "correlations": lambda done: correlation_sheets(done.metric_correlations),
    "judge": lambda done: judge_sheets(done.judged, done.cells),
    "second": lambda done: second_sheets(done.second, done.cells),
    "parted": lambda done: parted_sheets(done.second),
    "curves": lambda done: learning_sheets(done.learning),
}
END = ("overview", "results", "ranked", "robustness", "judge", "second", "curves")  # printed at the end of a run
# Made only if named: groups reads all records, tokens has a row for every cell, suspicious up to 50 for every task.
NAMED = ("groups", "tokens", "suspicious")


def sheets(done: Results, names: Sequence[str] = ()) -> Iterator[Sheet]:
    """The sheets of the named analyses; of all but those of NAMED if none is named.

    Raises ConfigError for an unknown name, and for results that lack what an analysis needs.
    """
    for name in names:
        if name not in SHEETS:
            raise ConfigError(unknown("table", name, SHEETS))
    for name, make in SHEETS.items():
        if name in (names or SHEETS.keys() - NAMED):
            yield from _checked(done, name, make)


def _checked(done: Results, name: str, make: Callable[[Results], Iterable[Sheet]]) -> Iterator[Sheet]:
    """The sheets of one analysis. Every cell is spelled once, since an edited results.json may have texts for numbers."""
    try:
        for sheet in make(done):
            for row in sheet.rows:
                for cell, column in zip(row.cells, sheet.columns, strict=True):
                    spell(cell, column)
            yield sheet
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise ConfigError(f"{done.out / 'results.json'}: no table of {name} ({reason}); score the run again") from error


def notes(done: Results) -> list[Text]:
    """Notes below all tables of a run: the legend, replies that were read badly, recordings, and leakage between splits."""
    sampled = any("samples" in cell["facts"] for cell in done.cells)
    estimated = [ESTIMATED] if any("estimate" in cell for cell in done.cells) else []
    return [*legend(done), *estimated, *([SAMPLED] if sampled else []), *unread(done), *recordings(done), *leaks(done)]
