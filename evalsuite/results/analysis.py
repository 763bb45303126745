"""A scored run, an analysis as a row of a table, and the results that analyses have computed.

    ScoredRun  ──  Analysis.compute  ──▶  Results  ──  Analysis.sheets  ──▶  tables

An analysis is a row of `ANALYSES` (analyses/table.py). `of` returns the content of a row with its type: `run.of(ROBUSTNESS)`
while a run is scored, `results.of(ROBUSTNESS)` later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar, cast

from evalsuite.common.sheet import Sheet, Text
from evalsuite.results.influences import Influences
from evalsuite.results.outcomes import CellOutcomes, ScoredReply
from evalsuite.results.schema.base import PlaceFilter, Strict
from evalsuite.results.schema.cell import CellResult
from evalsuite.results.store import Asker, RecordWriter, StoredQuestions
from evalsuite.types import Cell, Place, Reading, Response, Score, Trial

M = TypeVar("M")
Content = TypeVar("Content", covariant=True)


@dataclass(frozen=True, slots=True)
class Points:
    """The metrics of every answered item of one cell, for correlations between metrics."""

    place: Place
    names: tuple[str, ...]
    values: Any  # (metrics, items), float32


@dataclass(frozen=True, slots=True)
class ScoredCell:
    """A scored cell: its results, and the items' values that analyses need."""

    result: CellResult
    outcomes: CellOutcomes
    points: Points | None = None
    counted: frozenset[int] | None = None  # indices of the requests whose replies count; None: all do
    influences: Influences | None = None  # influences of dialogues on the metrics that are averaged over cells

    @property
    def place(self) -> Place:
        return self.outcomes.cell.place


class RunReplies(Protocol):
    """The replies of a run as scoring read them; none is parsed again."""

    def of(self, cell: Cell) -> Iterator[tuple[str, ScoredReply]]:
        """(key, scored reply) of each request of a cell whose reply or failure counts, in order."""

    def planned(self, cell: Cell) -> Iterator[tuple[Trial, Response | None, Score | None]]:
        """Every request of a cell in order, with its reply and score; both are None if it was not asked or does not count."""

    def questions(self, by: Asker) -> Iterable[StoredQuestions]: ...
    def response(self, key: str) -> Response | None: ...


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """All scored cells of a run. An analysis that writes records of its own does so by `write_records`."""

    out: Path | None  # the run's folder; None: a submission is checked
    reading: Reading
    replies: RunReplies
    write_records: RecordWriter
    cells: tuple[ScoredCell, ...]
    _whole: ScoredRun | None = field(default=None, repr=False)  # the run with estimated cells, if they are left out
    _contents: dict[str, object] = field(default_factory=dict, repr=False)  # name of an analysis -> its content

    def of(self, analysis: Analysis[M]) -> M | None:
        """The content of an analysis, computed once, whichever analysis asks for it first."""
        if analysis.name not in self._contents:
            whole = self._whole or self
            run = whole if analysis.estimates else whole._without_estimates()
            self._contents[analysis.name] = analysis.compute(run) if analysis.compute else None
        return cast("M | None", self._contents[analysis.name])

    def _without_estimates(self) -> ScoredRun:
        """The run without estimated cells, for which the intervals and tests of most analyses do not hold."""
        return replace(self, cells=tuple(cell for cell in self.cells if not cell.result.is_estimate), _whole=self)

    @property
    def results(self) -> list[CellResult]:
        return [cell.result for cell in self.cells]

    @property
    def outcomes(self) -> list[CellOutcomes]:
        return [cell.outcomes for cell in self.cells]


@dataclass(frozen=True, slots=True, repr=False)
class Results:
    """The content of results.json, and the problems of the run."""

    out: Path  # the run's folder
    version: str  # the version of evalsuite that wrote it
    reading: Reading
    cells: tuple[CellResult, ...]
    contents: Mapping[str, object]  # key of results.json -> content computed by its analysis
    problems: tuple[str, ...] = ()  # a line for each failure; empty if all is well
    skipped: tuple[str, ...] = ()  # a line for each shipped model that was left out, as its packages are not installed
    penalty: float = 1.0  # a wrong answer's cost, in the sheets of abstention
    narrowed_from: Results | None = None  # the results of the whole run, if these are of a part of it

    def of(self, analysis: Analysis[M]) -> M | None:
        """The content of an analysis; None if it had nothing to say, or the run is older than the analysis."""
        return cast("M | None", self.contents.get(analysis.key))

    def __repr__(self) -> str:
        """One line; the fields of every cell would fill a page."""
        sizes = f"{len(self.cells)} cells, {', '.join(dict.fromkeys(cell.model for cell in self.cells))}"
        return f"Results({str(self.out)!r}): {sizes}; exit_code {self.exit_code}"

    @property
    def whole(self) -> Results:
        """The results of the whole run."""
        return self.narrowed_from or self

    @property
    def exit_code(self) -> int:
        """0 if all is well, 1 if there are problems."""
        return 1 if self.problems else 0


def _no_problems(content: Any) -> Iterable[str]:
    return ()


@dataclass(frozen=True)
class Analysis(Generic[Content]):
    """A row of the table of analyses: what it computes from a scored run, and the sheets that show it.

    An analysis without `model` has no content in results.json: its sheets show cells, records, or another analysis's content.
    """

    name: str  # for `show --tables`
    sheets: Callable[[Results], Iterable[Sheet]] | None  # None: other tables show it
    model: type[Content] | None = None  # the type of its content: a pydantic model, or a list of them
    compute: Callable[[ScoredRun], Content | None] | None = None  # returns None if there is nothing to say
    named: str = ""  # the key in results.json, if it is not the name
    help: str = ""  # a description of its content, for the schema
    estimates: bool = False  # whether it takes estimated cells, in which only some items were asked
    at_end: bool = False  # printed at the end of a run
    only_named: Text | None = None  # the reason why its sheets are left out unless they are named; None: they are not
    drawn: bool = False  # the page has a drawing of its own for it, in place of its sheets
    problems: Callable[[Content], Iterable[str]] = _no_problems  # a line for each failure in its content
    # Keeps the content that is about chosen cells; None: `schema.base.narrowed` does.
    narrow: Callable[[Content, PlaceFilter], Content] | None = None

    @property
    def key(self) -> str:
        """The key of the content in results.json."""
        return self.named or self.name


def content_json(content: Any) -> Any:
    """The content of an analysis as results.json holds it: an object, or a list of them."""
    return [row.written() for row in content] if isinstance(content, list) else cast(Strict, content).written()
