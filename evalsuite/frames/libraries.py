"""Columns of values as a frame of pandas, polars or pyarrow. A library is imported only when its frames are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec
from types import NoneType
from typing import Any

from evalsuite.common.errors import ConfigError, unknown
from evalsuite.frames.columns import FrameColumn

# Name for `load` -> module. The first that is installed is the default.
LIBRARIES = {"pandas": "pandas", "polars": "polars", "arrow": "pyarrow"}
_TYPES: dict[str, tuple[type, ...]] = {"text": (str,), "int": (int,), "float": (float, int), "bool": (bool,)}
_LARGEST = 2**63


def library_named(name: str | None) -> str:
    """The library to use: the named one, or the first of LIBRARIES that is installed. Raises ConfigError without one."""
    if name is None:
        for known, module in LIBRARIES.items():
            if find_spec(module):
                return known
        raise ConfigError("frames need pandas, polars or pyarrow: pip install pandas (or polars, or pyarrow)")
    if name not in LIBRARIES:
        raise ConfigError(unknown("library of frames", name, LIBRARIES))
    need(LIBRARIES[name])
    return name


def need(module: str, package: str = "") -> Any:
    """Import a module. Raises ConfigError, with the command that installs it, if it is not there."""
    if find_spec(module) is None:
        raise ConfigError(f"{module} is not installed: pip install '{package or module}'")
    return import_module(module)


def frame(library: str, columns: Sequence[FrameColumn], rows: Iterable[Sequence[Any]]) -> Any:
    """A frame of the rows. Raises ValueError for a value that is not of its column's type."""
    values = list(zip(*rows, strict=True)) or [()] * len(columns)
    checked = [_checked(column, each) for column, each in zip(columns, values, strict=True)]
    return _MAKERS[library](columns, checked)


def joined(library: str, frames: Sequence[Any]) -> Any:
    """Frames of the same columns as one, in order."""
    if len(frames) == 1:
        return frames[0]
    if library == "pandas":
        return import_module("pandas").concat(frames, ignore_index=True)
    if library == "polars":
        return import_module("polars").concat(frames)
    return import_module("pyarrow").concat_tables(frames)


def _checked(column: FrameColumn, values: Sequence[Any]) -> Sequence[Any]:
    """The values, with whole numbers as floats in a column of floats. Raises ValueError for a value of another type."""
    flat: Iterable[Any] = values
    for _ in range(column.depth):
        flat = [inner for each in flat if each is not None for inner in each]
    types = set(map(type, flat)) - {NoneType}
    if wrong := types - set(_TYPES[column.kind]):
        raise ValueError(f"{column.name}: expected {column.type}, found {', '.join(sorted(t.__name__ for t in wrong))}")
    if column.kind == "float" and int in types:
        return [_floats(each, column.depth) for each in values]
    if column.kind == "int" and any(each is not None and abs(each) >= _LARGEST for each in flat):
        raise ValueError(f"{column.name}: a number of more than 64 bits")
    return values


def _floats(value: Any, depth: int) -> Any:
    if value is None:
        return None
    return [_floats(inner, depth - 1) for inner in value] if depth else float(value)


def _pandas(columns: Sequence[FrameColumn], values: Sequence[Sequence[Any]]) -> Any:
    pd = import_module("pandas")
    series = {}
    for column, each in zip(columns, values, strict=True):
        kind = "object" if column.depth else _pandas_type(column, each)
        series[column.name] = pd.Series(list(each), dtype=kind)
    return pd.DataFrame(series)


def _pandas_type(column: FrameColumn, values: Sequence[Any]) -> str:
    # Runs of older versions may lack what newer ones require.
    null = column.null or None in values
    return {
        "text": "string",
        "float": "float64",
        "int": "Int64" if null else "int64",
        "bool": "boolean" if null else "bool",
    }[column.kind]


def _polars(columns: Sequence[FrameColumn], values: Sequence[Sequence[Any]]) -> Any:
    pl = import_module("polars")
    types = {"text": pl.String, "int": pl.Int64, "float": pl.Float64, "bool": pl.Boolean}
    series = []
    for column, each in zip(columns, values, strict=True):
        kind = types[column.kind]
        for _ in range(column.depth):
            kind = pl.List(kind)
        series.append(pl.Series(column.name, each, dtype=kind, strict=True))
    return pl.DataFrame(series)


def arrow_schema(columns: Sequence[FrameColumn]) -> Any:
    """pyarrow's schema of the columns, with their meanings in its metadata."""
    pa = import_module("pyarrow")
    types = {"text": pa.string(), "int": pa.int64(), "float": pa.float64(), "bool": pa.bool_()}
    fields = []
    for column in columns:
        kind = types[column.kind]
        for _ in range(column.depth):
            kind = pa.list_(kind)
        fields.append(pa.field(column.name, kind, metadata={"meaning": column.meaning}))
    return pa.schema(fields)


def _arrow(columns: Sequence[FrameColumn], values: Sequence[Sequence[Any]]) -> Any:
    pa = import_module("pyarrow")
    schema = arrow_schema(columns)
    arrays = [pa.array(each, field.type) for each, field in zip(values, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)


_MAKERS = {"pandas": _pandas, "polars": _polars, "arrow": _arrow}
