"""The values that a tracker of experiments gets for a model of a run, under names that are the same for all trackers and runs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from evalsuite.analyses.saved import load_results
from evalsuite.common.errors import ConfigError, unknown
from evalsuite.common.grouping import by_key
from evalsuite.common.plainfile import read_json
from evalsuite.common.secrets import hide
from evalsuite.frames import libraries
from evalsuite.frames.run import load as load_run
from evalsuite.results.schema.cell import CellResult

# These facts differ from cell to cell, and so are no parameters of the model.
_CELL_FACTS = ("data", "template", "answered", "escaped", "leaked", "skipped_lines")
_PACKAGES = ("torch", "transformers", "vllm", "openai")
TABLES = ("cells", "records")


@dataclass(frozen=True, slots=True)
class LoggedModel:
    """The values of one model of a run. Prompts and dialogues are left out: data sets' licences may forbid passing them on."""

    run: str  # the name of the run's folder
    model: str
    params: dict[str, str]  # settings, equal in all cells of the model
    # CELL/METRIC, as `metric_name` writes a cell -> value; with /low, /high and /n: its interval and number of items.
    # CELL/not_whole: 1.0, only for cells whose figures do not cover all items.
    metrics: dict[str, float]
    tags: dict[str, str]  # versions and hashes
    remarks: tuple[str, ...]  # the figures that are not of all items, and why

    @property
    def name(self) -> str:
        return f"{self.run}/{self.model}"

    @property
    def config(self) -> dict[str, str]:
        """The parameters, and the tags with a prefix: for trackers that have no tags."""
        return {**self.params, **{f"version.{key}": value for key, value in self.tags.items()}}


def models_of(run: Path, model: str = "") -> list[LoggedModel]:
    """The values to log of each model of a run, or of model. Raises ConfigError for an unknown model."""
    results = load_results(run)
    cells = results.cells
    names = list(dict.fromkeys(cell.model for cell in cells))
    if model and model not in names:
        raise ConfigError(unknown(f"model of {run}", model, names))
    tags = _tags(run, results.version)
    return [_logged(run, name, [c for c in cells if c.model == name], tags) for name in ([model] if model else names)]


def _logged(run: Path, name: str, cells: Sequence[CellResult], tags: Mapping[str, str]) -> LoggedModel:
    metrics: dict[str, float] = {}
    remarks = []
    for cell in cells:
        prefix = metric_name(cell)
        if why := cell.why_partial:
            remarks.append(f"{prefix}: {why}")
            metrics[f"{prefix}/not_whole"] = 1.0
        for metric, figures in cell.metrics.items():
            numbers = {"": figures.value, "/low": figures.low, "/high": figures.high, "/n": figures.n}
            metrics |= {_plain(f"{prefix}/{metric}{end}"): float(x) for end, x in numbers.items() if x is not None}
    return LoggedModel(run.resolve().name, name, _params(cells), metrics, {**tags, **_hashes(cells)}, tuple(remarks))


def _hashes(cells: Sequence[CellResult]) -> dict[str, str]:
    """ "data.TASK.SET.SPLIT" -> the hash of the data file; with ".WORDING" where wordings ask different files."""
    hashes: dict[str, str] = {}
    for name, same_items in by_key((_plain(f"data.{c.task}.{c.set}.{c.split}"), c) for c in cells).items():
        of_wordings = {cell.variant: cell.facts.data for cell in same_items}
        one_file = len(set(of_wordings.values())) == 1
        hashes |= {name if one_file else _plain(f"{name}.{key}"): sha256 for key, sha256 in of_wordings.items()}
    return hashes


def metric_name(cell: CellResult) -> str:
    """The beginning of the names of a cell's metrics: "event_cause/easy/test/paper/0-shot"."""
    place = cell.place
    return _plain("/".join([place.task, place.set, place.split, *place.way.split()]))


def _plain(name: str) -> str:
    """The name with "_" for each character that MLflow does not allow."""
    return re.sub(r"[^\w./ -]", "_", name)


def _params(cells: Sequence[CellResult]) -> dict[str, str]:
    """The facts that all cells have, with the same value."""
    first, *others = [dict(_flat(cell.facts.written())) for cell in cells]
    shared = {key: value for key, value in first.items() if all(facts.get(key) == value for facts in others)}
    return {key: hide(value) for key, value in shared.items() if key not in _CELL_FACTS}


def _flat(facts: Mapping[str, object], above: str = "") -> Iterator[tuple[str, str]]:
    for key, value in facts.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{above}{key}.")
        elif value is not None and value != []:
            yield _plain(f"{above}{key}"), value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _tags(run: Path, version: str) -> dict[str, str]:
    """The versions of evalsuite, Python and the packages that models run on, and the start of the run."""
    tags = {"evalsuite": version}
    if (run / "manifest.json").is_file():
        manifest = read_json(run, "manifest.json")
        packages = manifest.get("packages", {})
        tags |= {"python": manifest.get("python", ""), "started": manifest.get("started", "")}
        tags |= {name: packages[name] for name in _PACKAGES if name in packages}
    return {key: hide(str(value)) for key, value in tags.items() if value}


@contextmanager
def tables_of(run: Path, model: str) -> Iterator[list[Path]]:
    """Parquet files of the model's cells and replies, without prompts and dialogues; removed at the end of the block."""
    libraries.need("pyarrow", "evalsuite[frames]")
    import pyarrow.compute as pc
    from pyarrow import parquet

    loaded = load_run(run, "arrow")
    with TemporaryDirectory() as folder:
        files = []
        for name in TABLES:
            path = Path(folder) / f"{name}.parquet"
            writer = None
            for batch in loaded.batches(name):
                writer = writer or parquet.ParquetWriter(path, batch.schema, compression="zstd")
                writer.write_table(_hidden(batch.filter(pc.equal(batch["model"], model))))
            if writer is not None:
                writer.close()
                files.append(path)
        yield files


def _hidden(table: Any) -> Any:
    """The table with its texts as `secrets.hide` gives them."""
    import pyarrow as pa

    for i, column in enumerate(table.schema):
        if column.type == pa.string():
            texts = [None if text is None else hide(text) for text in table.column(i).to_pylist()]
            table = table.set_column(i, column, pa.array(texts, column.type))
    return table
