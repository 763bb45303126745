"""Progress in the terminal: a live line for the model in progress, a line for every finished cell; and the log file."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from rich.filesize import decimal
from rich.progress import BarColumn, MofNCompleteColumn, Progress, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from evalsuite.common.language import translated
from evalsuite.common.numbers import fixed
from evalsuite.common.terminal import LogFormatter, Screen, console, one_line, safe
from evalsuite.types import Response

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ProgressLine:
    """The words of the line about a finished unit of work: a cell, or a judge on one task."""

    model: str
    what: str  # "easy SF"
    way: str  # "paper 0-shot"
    metric: str = ""  # a word for the metric whose running mean is shown: "acc"; "": none
    # Whether the model generates now; recorded replies, read from a file, have no rate of tokens.
    generated: bool = True
    # Whether all such cells of a model share a line, as those of a baseline, which are done at once.
    joined: bool = False

    @property
    def label(self) -> str:
        return f"{self.model} {self.what} {self.way}"


@dataclass(frozen=True, slots=True)
class TrainingStep:
    """Progress of a training."""

    step: int
    steps: int
    loss: float | None
    tokens: int  # processed since this process started
    seconds: float


Advance = Callable[[int], None]


class ShowProgress(Protocol):
    """Shows the progress of a long piece of work: `Display.work`, or `silent`."""

    def __call__(self, title: str, total: int, unit: str, done: int = 0) -> AbstractContextManager[Advance]:
        """A context whose value is a function to call with n after n more units. `done`: units done before; `unit`: "B" (bytes)
        or ""."""


@contextmanager
def silent(title: str, total: int, unit: str, done: int = 0) -> Iterator[Advance]:
    yield lambda n: None


class _Count(MofNCompleteColumn):
    """The completed and the total number of items, or of bytes."""

    def render(self, task: Task) -> Text:
        if task.fields.get("unit") == "B":
            return Text(f"{decimal(int(task.completed))}/{decimal(int(task.total or 0))}")
        return super().render(task)


class Display:
    """The progress of a run: on a terminal a live line, everywhere lines of finished work. `with Display() as display:`"""

    def __init__(self) -> None:
        self.console = console(stderr=True)
        self.progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=8),
            _Count(),
            TextColumn("{task.fields[rates]}", markup=False),
            TimeRemainingColumn(),
            TextColumn("{task.fields[score]}", markup=False),
            console=self.console,
            transient=True,
            disable=not self.console.is_terminal,
        )

    def __enter__(self) -> Display:
        self.progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.progress.stop()

    def model(self, lines: Sequence[tuple[ProgressLine, int]]) -> ModelProgress:
        return ModelProgress(self, lines)

    def note(self, text: str) -> None:
        """Show `text` on the live line."""
        for task in self.progress.tasks:
            self.progress.update(task.id, score=one_line(translated(text)))

    def say(self, *parts: str | tuple[str, str]) -> None:
        """Print a line of finished work. A part may be a pair of text and style."""
        shown = (_shown(p) if isinstance(p, str) else (_shown(p[0]), p[1]) for p in parts)
        self.console.print(Text.assemble(("✓", "green"), " ", *shown), highlight=False, soft_wrap=True)

    def training(self, name: str) -> TrainingProgress:
        return TrainingProgress(self, name)

    @contextmanager
    def work(self, title: str, total: int, unit: str, done: int = 0) -> Iterator[Advance]:
        """See `ShowProgress`. Prints a line at the end, unless there was nothing to do."""
        began, count, title = time.perf_counter(), 0, one_line(translated(title), 40)
        task = self.progress.add_task(title, total=total, completed=done, unit=unit, rates="", score="")

        def rate() -> str:
            per_second = count / max(time.perf_counter() - began, 1e-9)
            return f"{decimal(round(per_second))}/s" if unit == "B" else f"{per_second:.1f}/s"

        def advance(n: int) -> None:
            nonlocal count
            count += n
            self.progress.update(task, advance=n, rates=rate())

        try:
            yield advance
        finally:
            self.progress.remove_task(task)
        if count:
            kept = f", {done:,} kept" if done else ""
            done_now, whole = (decimal(count), decimal(total)) if unit == "B" else (f"{done + count:,}", f"{total:,}")
            seconds = time.perf_counter() - began
            self.say(f"{title}: ", f"{done_now} of {whole}", f", {rate()}", f", {seconds:.1f} s", kept)


def _shown(text: str) -> str:
    return safe(translated(text), lines=False)


class ModelProgress:
    """Progress of one model over all its lines: items and tokens a second, and the running score."""

    def __init__(self, display: Display, lines: Sequence[tuple[ProgressLine, int]]) -> None:
        """`lines`: each with its number of requests."""
        self._display = display
        self._began = time.perf_counter()
        self._counts = [_LineCount(line, total) for line, total in lines]
        self._asked = self._tokens = 0
        self._joined: list[_LineCount] = []  # finished units without a line of their own
        # All lines share one live line, of 80 columns.
        name = one_line(lines[0][0].model, 40) if lines else ""
        total = sum(count for _, count in lines)
        self._line = display.progress.add_task(name, total=total, rates="", score="")

    def skip(self, number: int, count: int) -> None:
        """Count `count` requests of line `number` as answered before."""
        self._counts[number].skipped += count
        self._display.progress.update(self._line, advance=count)
        self._say_if_done(self._counts[number])

    def advance(self, number: int, response: Response, score: float) -> None:
        """Count a reply of line `number`."""
        count = self._counts[number]
        count.add(response, score)
        self._asked += 1
        self._tokens += (response.prompt_tokens + response.new_tokens) * count.line.generated
        rates = _rates(self._asked, self._tokens, time.perf_counter() - self._began)
        self._display.progress.update(self._line, advance=1, rates=rates, score=f"{count.line.what} {count.score()}")
        self._say_if_done(count)

    def stop(self, number: int, why: str) -> None:
        """Print line `number` with the reason `why`, unless all its requests are done."""
        count = self._counts[number]
        if count.skipped + count.asked < count.total:
            self._display.progress.update(self._line, advance=count.total - count.skipped - count.asked)
            self._say(count, ", ", why)

    def finish(self) -> None:
        self._display.progress.remove_task(self._line)
        seconds = time.perf_counter() - self._began
        if self._joined:
            cells, asked = len(self._joined), sum(count.asked for count in self._joined)
            kept = sum(count.skipped for count in self._joined)
            name = f"{one_line(self._joined[0].line.model)}  "
            done = f"1 cell, {asked} asked" if cells == 1 else f"{cells} cells, {asked} asked"
            self._display.say(name, done, f", {kept} kept" if kept else "", f", at {seconds:.1f} s")
        log.info("%d asked, %d tokens, %.2f s", self._asked, self._tokens, seconds)

    def _say_if_done(self, count: _LineCount) -> None:
        if count.skipped + count.asked == count.total:
            self._say(count)

    def _say(self, count: _LineCount, *more: str) -> None:
        if count.line.joined and not (count.failed or more):
            self._joined.append(count)
            return
        kept = f", {count.skipped} kept" if count.skipped else ""
        failed = (f", {count.failed} failed", "red") if count.failed else ""
        seconds = time.perf_counter() - self._began
        rates = _rates(self._asked, self._tokens, seconds) if count.asked else ""
        score = count.score()
        text = f", at {seconds:.1f} s", f"  {rates}  {score}".rstrip()
        # The mean is over the replies of this command: those that were stored before are scored at the end of the run.
        partly = " of those asked" if score and count.skipped else ""
        self._display.say(f"{one_line(count.line.label)}  ", f"{count.asked} asked", kept, failed, *text, partly, *more)
        log.info("%s: %d asked, %d kept, %d failed", count.line.label, count.asked, count.skipped, count.failed)


class TrainingProgress:
    """Steps, tokens a second and loss of one training. `with display.training(name) as progress:`"""

    def __init__(self, display: Display, name: str) -> None:
        self._display, self._name, self._rates = display, name, ""
        self._line = display.progress.add_task(one_line(name, 40), total=None, rates="", score="")

    def __enter__(self) -> TrainingProgress:
        return self

    def __exit__(self, *_: object) -> None:
        self._display.progress.remove_task(self._line)

    def step(self, at: TrainingStep) -> None:
        self._rates = f"{at.tokens / max(at.seconds, 1e-9):,.0f} tok/s"
        loss = "" if at.loss is None else f"loss {at.loss:.3f}"
        self._display.progress.update(self._line, total=at.steps, completed=at.step, rates=self._rates, score=loss)

    def done(self, card: dict[str, Any]) -> None:
        losses = list(card["loss"].values())
        curve = f"loss {losses[0]:.3f} → {losses[-1]:.3f}" if losses else ""
        took = f"{card['steps']} steps in {card['seconds']:.1f} s"
        self._display.say(f"{one_line(self._name)}  ", took, f"  {self._rates}  ", curve)
        log.info("%s: %s  %s  %s", self._name, took, self._rates, curve)


class _LineCount:
    """Numbers of one line's requests: asked, skipped (answered before) and failed; and the running mean of its metric."""

    def __init__(self, line: ProgressLine, total: int) -> None:
        self.line, self.total = line, total
        self.skipped = self.asked = self.failed = 0
        self._sum = 0.0

    def add(self, response: Response, score: float) -> None:
        self.asked += 1
        self.failed += response.error is not None
        self._sum += score

    def score(self) -> str:
        scored = self.asked - self.failed
        return f"{self.line.metric} {fixed(100 * self._sum / scored, 1)} %" if scored and self.line.metric else ""


def _rates(requests: int, tokens: int, seconds: float) -> str:
    """Requests and tokens a second: "6.5/s 3.7k tok/s"."""
    if not requests:
        return ""
    rate = tokens / max(seconds, 1e-9)
    text = f" {rate / 1000:.1f}k tok/s" if rate >= 1000 else f" {rate:.0f} tok/s"
    return f"{requests / max(seconds, 1e-9):.1f}/s{text if tokens else ''}"


class _LogFile(logging.FileHandler):
    """A log file that ignores a full disk: the run stops when a reply cannot be stored, not for its log."""

    def handleError(self, record: logging.LogRecord) -> None:
        pass

    def close(self) -> None:
        with suppress(OSError):
            super().close()


@contextmanager
def log_to(path: Path, verbose: bool) -> Iterator[None]:
    """Log evalsuite's messages to a file, and warnings (all messages if `verbose`) to the terminal."""
    logger = logging.getLogger("evalsuite")
    level, propagate = logger.level, logger.propagate
    file = _LogFile(path, encoding="utf-8")
    file.setFormatter(LogFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    screen = Screen(logging.INFO if verbose else logging.WARNING)
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
