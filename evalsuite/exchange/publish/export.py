"""`evalsuite export RUN`: a run's results for another tool."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from evalsuite.common.errors import ConfigError, unknown
from evalsuite.common.files import replace_file
from evalsuite.exchange.publish.hf_card import model_card
from evalsuite.exchange.publish.logged import Logged, models_of
from evalsuite.exchange.publish.tables import write_arrow, write_parquet
from evalsuite.exchange.publish.trackers import log_to_mlflow, log_to_swanlab, log_to_wandb

_Path = str | PathLike[str]


@dataclass(frozen=True, slots=True)
class ExportResult:
    """The result of an export."""

    lines: tuple[str, ...]  # the files written, or a card
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
    takes: tuple[str, ...] = field(default=())  # options among out, model, project and source
    several: bool = False  # several runs at once
    needs_out: bool = False


def _tables(write: Callable[[Sequence[Path], Path], dict[str, int]]) -> Callable[[ExportRequest], ExportResult]:
    def made(request: ExportRequest) -> ExportResult:
        out = request.out or Path()
        written = write(request.runs, out)
        return ExportResult(tuple(f"{out / name}: {rows:,} rows" for name, rows in written.items()))

    return made


def _card(asked: ExportRequest) -> ExportResult:
    text, left = model_card(asked.runs[0], asked.model, asked.source)
    if asked.out is None:
        return ExportResult((text.rstrip("\n"),), tuple(left))
    replace_file(asked.out, text)
    said = f"{asked.out}: put it between the --- lines at the beginning of the model's README.md"
    return ExportResult((said,), tuple(left))


def _tracked(log: Callable[[Path, Logged, str], None], where: str) -> Callable[[ExportRequest], ExportResult]:
    """The export to a tracker: `log` gets a run's folder, one of its models, and the project."""

    def made(request: ExportRequest) -> ExportResult:
        models = models_of(request.runs[0], request.model)
        for one in models:
            log(request.runs[0], one, request.project or "evalsuite")
        return ExportResult(tuple(f"{one.name}: logged to {where}" for one in models))

    return made


TOOLS: dict[str, Tool] = {
    "parquet": Tool(_tables(write_parquet), ("out",), several=True, needs_out=True),
    "arrow": Tool(_tables(write_arrow), ("out",), several=True, needs_out=True),
    "hf-card": Tool(_card, ("out", "model", "source")),
    "wandb": Tool(_tracked(log_to_wandb, "Weights & Biases"), ("model", "project")),
    "mlflow": Tool(_tracked(log_to_mlflow, "MLflow"), ("model", "project")),
    "swanlab": Tool(_tracked(log_to_swanlab, "SwanLab"), ("model", "project")),
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
    asked = ExportRequest(runs, None if out is None else Path(out), **more)
    if len(runs) > 1 and not tool.several:
        raise ConfigError(f"--to {to} takes one run, not {len(runs)}")
    if tool.needs_out and out is None:
        raise ConfigError(f"--to {to} writes a folder: name a new one with --out DIR")
    for name in ("out", "model", "project", "source"):
        if getattr(asked, name) and name not in tool.takes:
            takers = ", ".join(key for key, other in TOOLS.items() if name in other.takes)
            raise ConfigError(f"--to {to} takes no --{name}; {takers} do")
    return tool.make(asked)
