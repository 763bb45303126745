"""What a person sees while a run goes on: a live line for the cell at work, a line for every cell done, a log file."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from evalsuite.store import Cell
from evalsuite.tasks import TASKS
from evalsuite.types import Response, Score

log = logging.getLogger(__name__)


class Display:
    """`with Display() as display:`. On a terminal a live line; elsewhere only a line a cell."""

    def __init__(self) -> None:
        self.console = Console(stderr=True)
        self.progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=8),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rates]}"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[score]}"),
            console=self.console,
            transient=True,
            disable=not self.console.is_terminal,
        )

    def __enter__(self) -> Display:
        self.progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.progress.stop()

    def cell(self, cell: Cell, total: int) -> CellProgress:
        return CellProgress(self, cell, total)


class CellProgress:
    """Counts of one cell: done and total, items and tokens a second, the running score of its first metric."""

    def __init__(self, display: Display, cell: Cell, total: int) -> None:
        self._display, self._cell = display, cell
        self._metric = TASKS[cell.task].metrics[0]
        self._began = time.perf_counter()
        self._skipped = self._asked = self._tokens = self._failed = 0
        self._sum = 0.0
        # All in one line of 80 columns.
        self._label = f"{cell.model} {cell.set} {TASKS[cell.task].short} {cell.variant} {cell.shots}-shot"
        self._line = display.progress.add_task(self._label, total=total, rates="", score="")

    def skip(self, count: int) -> None:
        """So many had replies already."""
        self._skipped = count
        self._display.progress.update(self._line, completed=count)

    def advance(self, response: Response, score: Score) -> None:
        self._asked += 1
        self._tokens += response.prompt_tokens + response.new_tokens
        self._failed += response.error is not None
        self._sum += score.values.get(self._metric, 0.0)
        self._display.progress.update(self._line, advance=1, rates=self._rates(), score=self._score())

    def finish(self) -> None:
        self._display.progress.remove_task(self._line)
        kept = f", {self._skipped} kept" if self._skipped else ""
        failed = f", [red]{self._failed} failed[/red]" if self._failed else ""
        seconds = time.perf_counter() - self._began
        text = f"{self._asked} asked{kept}{failed} in {seconds:.1f} s  {self._rates()}  {self._score()}".rstrip()
        self._display.console.print(f"[green]✓[/green] {_plain(self._label)}  {text}", highlight=False)
        log.info(
            "%s: %d asked, %d kept, %d failed, %.2f s, %d tokens",
            self._cell.name, self._asked, self._skipped, self._failed, seconds, self._tokens,
        )  # fmt: skip

    def _rates(self) -> str:
        """Items and tokens a second: "6.5/s 3.7k tok/s"."""
        seconds = max(time.perf_counter() - self._began, 1e-9)
        if not self._asked:
            return ""
        rate = self._tokens / seconds
        tokens = f" {rate / 1000:.1f}k tok/s" if rate >= 1000 else f" {rate:.0f} tok/s"
        return f"{self._asked / seconds:.1f}/s{tokens if self._tokens else ''}"

    def _score(self) -> str:
        scored = self._asked - self._failed
        return f"{self._metric[:3]} {self._sum / scored:.3f}" if scored else ""


def _plain(text: str) -> str:
    """Model names are data: no markup in them."""
    return text.replace("[", "\\[")


@contextmanager
def log_to(path: Path, verbose: bool) -> Iterator[None]:
    """Send our log to a file, and warnings (everything with `verbose`) to the terminal."""
    logger = logging.getLogger("evalsuite")
    level, propagate = logger.level, logger.propagate
    file = logging.FileHandler(path, encoding="utf-8")
    file.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    screen = logging.StreamHandler()
    screen.setLevel(logging.INFO if verbose else logging.WARNING)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    logger.addHandler(file)
    logger.addHandler(screen)
    try:
        yield
    finally:
        logger.removeHandler(file)
        logger.removeHandler(screen)
        file.close()
        logger.setLevel(level)
        logger.propagate = propagate
