"""`evalsuite export RUN`: a run's results for another tool."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from evalsuite.common.errors import ConfigError, unknown
from evalsuite.common.files import replace_file
from evalsuite.exchange.publish.hf_card import model_card
from evalsuite.exchange.publish.logged import LoggedModel, models_of
from evalsuite.exchange.publish.tables import write_arrow, write_parquet
from evalsuite.exchange.publish.trackers import log_to_mlflow, log_to_swanlab, log_to_wandb

_Path = str | PathLike[str]


@dataclass(frozen=True, slots=True)
class ExportResult:
    """The result of an export."""

    lines: tuple[str, ...]  # the files written, a card, or the models logged
    remarks: tuple[str, ...] = ()  # the cells left out, and why


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """The runs and options of an export."""

    runs: tuple[Path, ...]
    out: Path | None
    model: str = ""
    project: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that takes a run's results."""

    make: Callable[[ExportRequest], ExportResult]
    takes: tuple[str, ...]  # options among out, model, project and source
    several: bool = False  # several runs at once
    needs_out: bool = False


def _tables(write: Callable[[Sequence[Path], Path], Mapping[str, int]], request: ExportRequest) -> ExportResult:
    out = request.out or Path()
    return ExportResult(tuple(f"{out / name}: {rows:,} rows" for name, rows in write(request.runs, out).items()))


def _card(request: ExportRequest) -> ExportResult:
    card, remarks = model_card(request.runs[0], request.model, request.source)
    line = card.rstrip("\n")
    if request.out:
        # A model's README.md is what the card goes into, and so is easily named here.
        if request.out.is_file() and not request.out.read_bytes().startswith(b"model-index:"):
            raise ConfigError(
                f"{request.out}: exists already and is no card; name a new file, and put the card into yours"
            )
        replace_file(request.out, card)
        line = f"{request.out}: put it between the --- lines at the beginning of the model's README.md"
    return ExportResult((line,), tuple(remarks))


def _tracked(log: Callable[[Path, LoggedModel, str], None], tracker: str, request: ExportRequest) -> ExportResult:
    """Call `log` with the run's folder, a model and the project, for each model or the one that is named."""
    models = models_of(request.runs[0], request.model)
    for model in models:
        log(request.runs[0], model, request.project or "evalsuite")
    return ExportResult(tuple(f"{model.name}: logged to {tracker}" for model in models))


TOOLS: dict[str, Tool] = {
    "parquet": Tool(partial(_tables, write_parquet), ("out",), several=True, needs_out=True),
    "arrow": Tool(partial(_tables, write_arrow), ("out",), several=True, needs_out=True),
    "hf-card": Tool(_card, ("out", "model", "source")),
    "wandb": Tool(partial(_tracked, log_to_wandb, "Weights & Biases"), ("model", "project")),
    "mlflow": Tool(partial(_tracked, log_to_mlflow, "MLflow"), ("model", "project")),
    "swanlab": Tool(partial(_tracked, log_to_swanlab, "SwanLab"), ("model", "project")),
}


def export_results(to: str, run: _Path | Sequence[_Path], out: _Path | None = None, **more: Any) -> ExportResult:
    """Write or log the results of a run, or with parquet and arrow of several, for another tool (docs/frames.md).

    `to` is "parquet" or "arrow" (which need the new folder `out`), "hf-card", "wandb", "mlflow" or "swanlab". `more` are
    `model`, one of the run's models (hf-card and the trackers), `project` (the trackers) and `source` (hf-card). Raises
    ConfigError for what the tool does not take.

    >>> export_results("parquet", "runs/mine", out="tables").lines  # doctest: +SKIP
    >>> print(*export_results("hf-card", "runs/mine", model="qwen3-8b").lines, sep="\\n")  # doctest: +SKIP
    """
    if to not in TOOLS:
        raise ConfigError(unknown("tool for results", to, TOOLS))
    tool = TOOLS[to]
    runs = tuple(map(Path, [run] if isinstance(run, (str, PathLike)) else run))
    request = ExportRequest(runs, None if out is None else Path(out), **more)
    if len(runs) != 1 and not (tool.several and runs):
        raise ConfigError(f"--to {to} takes one run, not {len(runs)}")
    if tool.needs_out and out is None:
        raise ConfigError(f"--to {to} writes a folder: name a new one with --out DIR")
    for name in ("out", "model", "project", "source"):
        if getattr(request, name) and name not in tool.takes:
            takers = ", ".join(key for key, other in TOOLS.items() if name in other.takes)
            raise ConfigError(f"--to {to} takes no --{name}; {takers} do")
    return tool.make(request)
