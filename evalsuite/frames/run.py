"""`evalsuite.load`: the results and replies of runs as frames."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, overload

from evalsuite.analyses.saved import load_results, to_json
from evalsuite.common.errors import ConfigError, unknown
from evalsuite.frames import libraries
from evalsuite.frames.columns import FrameColumn
from evalsuite.frames.drawn import drawn_columns, drawn_rows
from evalsuite.frames.replies import ReplyTable, replies
from evalsuite.frames.tables import Table, tables
from evalsuite.results.analysis import Results

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Frame = TypeVar("Frame")
RunFolder = str | PathLike[str]
RUN = FrameColumn(
    "run", "text", "The run: the name of its folder, with folders above it where two have the same.", null=False
)
_BATCH = 2_000  # rows of a batch: its parsed rows are freed before those of the next batch are read


class Run(Generic[Frame]):
    """The results of one or more runs. Every table is an attribute: `run.cells`, `run.robustness`, `run.difficulty`.

    Frames are made anew at each access. The name of a section alone means its first table with numbers: `run.robustness` is
    `run.robustness_drops`.
    """

    def __init__(self, paths: Sequence[Path], library: str) -> None:
        self.paths = tuple(paths)
        self.library = library
        self._results = [load_results(path) for path in paths]
        self._names = _short_names(paths)

    def __repr__(self) -> str:
        return f"Run({', '.join(self._names)}): {', '.join(self.tables)}"

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.tables})

    def __getattr__(self, name: str) -> Frame:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self.table(name)
        except ConfigError as error:
            if _table_or_none(name) is None:
                raise AttributeError(str(error)) from None
            raise

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of all tables, also of those without rows."""
        return (*replies(), *tables())

    @property
    def cells(self) -> Frame:
        """One row per cell and metric: the figure with its interval, and the facts that it depends on."""
        return self.table("cells")

    @property
    def records(self) -> Frame:
        """One row per reply, without prompts, dialogues and options; `table("records", columns)` reads them, too."""
        return self.table("records")

    def table(self, name: str, columns: Sequence[str] | None = None) -> Frame:
        """A table by its name. `columns`: only these. For a table of replies, ["all"] adds the columns with long texts.

        Raises ConfigError for an unknown name, DataError for files that are not as evalsuite writes them.
        """
        frames = list(self.batches(name, columns))
        return libraries.joined(self.library, frames)  # type: ignore[no-any-return]

    def batches(self, name: str, columns: Sequence[str] | None = None, size: int = _BATCH) -> Iterator[Frame]:
        """Yield a table that may be too large for memory in frames of `size` rows; the last one may have fewer.

        An empty table is one frame without rows.
        """
        columns_read = described(name, columns)
        batches = _rows(table_named(name), self._names, self._results, columns, size)
        for rows in chain([next(batches, [])], batches):
            yield libraries.frame(self.library, columns_read, rows)

    def drawn(self, name: str) -> Frame:
        """An analysis of `evalsuite show --tables`, such as ranks: a row for each cell of its tables (docs/frames.md)."""
        rows = (
            [run, *row] for run, done in zip(self._names, self._results, strict=True) for row in drawn_rows(done, name)
        )
        return libraries.frame(self.library, (RUN, *drawn_columns()), rows)  # type: ignore[no-any-return]

    def columns(self, name: str) -> dict[str, str]:
        """Column -> description, for a table."""
        return {column.name: column.meaning for column in described(name, ["all"])}


@overload
def load(run: RunFolder | Sequence[RunFolder], frames: Literal["pandas"]) -> Run[pandas.DataFrame]: ...
@overload
def load(run: RunFolder | Sequence[RunFolder], frames: Literal["polars"]) -> Run[polars.DataFrame]: ...
@overload
def load(run: RunFolder | Sequence[RunFolder], frames: Literal["arrow"]) -> Run[pyarrow.Table]: ...
@overload
def load(run: RunFolder | Sequence[RunFolder], frames: str | None = None) -> Run[Any]: ...
def load(run: RunFolder | Sequence[RunFolder], frames: str | None = None) -> Run[Any]:
    """Read the results of a run, or of several, as data frames (docs/frames.md).

    `frames`: pandas, polars or arrow; by default the first of them that is installed. Raises ConfigError if there is no
    results.json, or none of the libraries.

        run = evalsuite.load("runs/mine")
        run.cells, run.records, run.robustness
    """
    paths = [Path(run)] if isinstance(run, (str, PathLike)) else [Path(path) for path in run]
    if not paths:
        raise ConfigError("no run: name its folder, such as runs/mine")
    twice = [path for i, path in enumerate(paths) if path.resolve() in map(Path.resolve, paths[:i])]
    if twice:
        raise ConfigError(f"{twice[0]}: is named twice")
    return Run(paths, libraries.library_named(frames))


def table_named(name: str) -> Table | ReplyTable:
    """A table by its name. Raises ConfigError for an unknown one."""
    table = _table_or_none(name)
    if table is None:
        raise ConfigError(unknown("table", name, [*replies(), *tables()]))
    return table


def _table_or_none(name: str) -> Table | ReplyTable | None:
    known: dict[str, Table | ReplyTable] = {**replies(), **tables()}
    if name in known:
        return known[name]
    inner = [table for key, table in tables().items() if key.startswith(f"{name}_")]
    numbers = (t for t in inner if any(c.kind == "float" for c in t.columns))
    return next(numbers, inner[0] if inner else None)


def described(name: str, columns: Sequence[str] | None = None) -> tuple[FrameColumn, ...]:
    """The columns of a table, `run` first; only `columns` if they are given (`Run.table`)."""
    table = table_named(name)
    if isinstance(table, ReplyTable):
        return (RUN, *table.only(columns).columns)
    return (RUN, *(table.columns[i] for i in _chosen_columns(table, columns)))


def _chosen_columns(table: Table, columns: Sequence[str] | None) -> list[int]:
    names = [column.name for column in table.columns]
    if columns is None or "all" in columns:
        return list(range(len(names)))
    for name in columns:
        if name not in names:
            raise ConfigError(unknown(f"column of {table.name}", name, names))
    return [i for i, name in enumerate(names) if name in columns]


def _rows(
    table: Table | ReplyTable, names: Sequence[str], done: Sequence[Results], columns: Sequence[str] | None, size: int
) -> Iterator[list[list[Any]]]:
    """The rows in batches of `size`; the last may be smaller."""
    batch: list[list[Any]] = []
    for name, results in zip(names, done, strict=True):
        for row in _rows_of_run(table, results, columns):
            batch.append([name, *row])
            if len(batch) == size:
                yield batch
                batch = []
    if batch:
        yield batch


def _rows_of_run(table: Table | ReplyTable, results: Results, columns: Sequence[str] | None) -> Iterator[list[Any]]:
    content = to_json(results)
    if isinstance(table, Table):
        indices = _chosen_columns(table, columns)
        yield from ([row[i] for i in indices] for row in table.rows(content))
    else:
        narrow = table.only(columns)
        for coordinates, file in narrow.files(content):
            yield from narrow.rows(results.out, coordinates, file)


def _short_names(paths: Sequence[Path]) -> list[str]:
    """The shortest ends of the paths that are different.

    >>> _short_names([Path("a/x"), Path("b/x"), Path("y")])
    ['a/x', 'b/x', 'y']
    """
    whole = [path.resolve().parts for path in paths]
    names = []
    for parts in whole:
        others = [other for other in whole if other != parts]
        least = next((n for n in range(1, len(parts)) if all(other[-n:] != parts[-n:] for other in others)), len(parts))
        names.append("/".join(parts[-least:]))
    return names
