"""A run's tables as Parquet or Arrow files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from evalsuite.common.files import new_folder, remove, replacing, require_new
from evalsuite.frames import libraries
from evalsuite.frames.run import Run, described, table_named
from evalsuite.frames.run import load as load_run
from evalsuite.metrics.signatures import package_version

ALWAYS = ("records", "cells")  # tables that are written even if they have no rows
Files = dict[str, int]  # file -> rows


def write_parquet(runs: Sequence[Path], out: Path) -> Files:
    """Write every table that has rows to <out>/<table>.parquet, compressed by zstd."""
    libraries.need("pyarrow", "evalsuite[frames]")
    from pyarrow import parquet

    return _write(runs, out, "parquet", partial(parquet.ParquetWriter, compression="zstd"))


def write_arrow(runs: Sequence[Path], out: Path) -> Files:
    """Write every table that has rows to <out>/<table>.arrow: Arrow's file format, known as Feather 2."""
    ipc = libraries.need("pyarrow", "evalsuite[frames]").ipc
    return _write(runs, out, "arrow", partial(ipc.new_file, options=ipc.IpcWriteOptions(compression="zstd")))


def _write(runs: Sequence[Path], out: Path, suffix: str, writer: Callable[..., Any]) -> Files:
    run = load_run(list(runs), "arrow")
    require_new(out)
    written: Files = {}
    with new_folder(out) as draft:
        for name in run.tables:
            path = draft / f"{name}.{suffix}"
            count = _write_table(run, name, path, writer)
            if count or name in ALWAYS:
                written[path.name] = count
            else:
                remove(draft, [path.name])
    return written


def _write_table(run: Run[Any], name: str, path: Path, writer: Callable[..., Any]) -> int:
    """Write one table, some rows at a time. Returns their number."""
    about = {"table": name, "meaning": table_named(name).meaning, "evalsuite": package_version()}
    schema = libraries.arrow_schema(described(name, ["all"])).with_metadata(about)
    count = 0
    with replacing(path) as file, writer(file, schema) as table:
        for batch in run.batches(name, ["all"]):
            table.write_table(batch.replace_schema_metadata(about))
            count += batch.num_rows
    return count
