"""Progress of a long piece of work: a live line with rate and time to go on a terminal, one line at its end elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

Advance = Callable[[int], None]


class Progress(Protocol):
    def __call__(self, title: str, total: int, unit: str, done: int = 0) -> AbstractContextManager[Advance]:
        """Of `total` so many were `done` before; `advance(n)` tells of n more. `unit` "B" are bytes, "" a plain count."""


@contextmanager
def silent(title: str, total: int, unit: str, done: int = 0) -> Iterator[Advance]:
    yield lambda n: None


@contextmanager
def shown(title: str, total: int, unit: str, done: int = 0) -> Iterator[Advance]:
    """On stderr; work that had nothing to do says nothing."""
    from rich.filesize import decimal
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    from evalsuite.common.terminal import console, line, say

    err = console(stderr=True)
    text = TextColumn("{task.description}", markup=False), TextColumn("{task.fields[rate]}", markup=False)
    bar = Bar(text[0], BarColumn(bar_width=16), text[1], TimeRemainingColumn(), console=err, transient=True,
              disable=not err.is_terminal)  # fmt: skip
    began, count = time.perf_counter(), 0

    def rate() -> str:
        seconds = max(time.perf_counter() - began, 1e-9)
        if unit == "B":
            return f"{decimal(count)} of {decimal(total)}, {decimal(round(count / seconds))}/s"
        return f"{done + count:,} of {total:,}, {count / seconds:.1f}/s"

    def advance(n: int) -> None:
        nonlocal count
        count += n
        bar.update(task, advance=n, rate=rate())

    title = line(title, 40)
    task = bar.add_task(title, total=total, completed=done, rate="")
    with bar:
        yield advance
    if count:
        say(f"{title}: {rate()}, {time.perf_counter() - began:.1f} s" + (f", {done:,} kept" if done else ""), err=True)
