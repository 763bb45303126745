"""Commands that hold still in the middle of writing, so that a test can kill them there.

Such a command, forked by tests/processes.py, holds still when it would write its 31st row, say. Rows are the steps of a
training, the replies that a store is about to write (only earlier transactions are kept), or the lines that a screening writes
in chunks."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import processes


def do_nothing(pid: int) -> None: ...


@contextmanager
def commands(*modules: str) -> Iterator[Callable[..., None]]:
    """`kill(goal, words)` runs a command until it has `goal` rows, calls `look` with the process's id, and kills it."""
    with processes.session(*modules) as answers:

        def kill(goal: int, words: Iterable[object], look: Callable[[int], object] = do_nothing) -> None:
            coming = answers([*words], rows=goal)
            pid = next(coming)
            if isinstance(pid, list):
                raise AssertionError(f"the command ended before it had {goal} rows:\n{pid[1]}")
            try:
                look(pid)
            finally:
                os.kill(pid, signal.SIGKILL)
            ((code, _),) = coming
            assert code == -signal.SIGKILL

        yield kill


def kill(goal: int, words: Iterable[object], look: Callable[[int], object] = do_nothing) -> None:
    """One command, killed when it has `goal` rows."""
    with commands() as one:
        one(goal, words, look)


def hold(left: int, tell: Callable[[], object]) -> None:
    """Let this process write `left` rows; before the next one it calls `tell` and waits to be killed."""
    from evalsuite.authoring import screen
    from evalsuite.evaluation.display import TrainingProgress
    from evalsuite.results.store import Store

    put, mapped, step = Store.put, screen.map_in_processes, TrainingProgress.step

    def row(size: int = 1) -> None:
        nonlocal left
        if left <= 0:
            tell()
            signal.pause()
        left -= size

    def count_rows(rows: Iterable[Any], size: Callable[[Any], int]) -> Iterator[Any]:
        for each in rows:
            row(size(each))
            yield each

    Store.put = lambda store, rows: put(store, count_rows(rows, lambda _: 1))  # type: ignore[method-assign]
    screen.map_in_processes = lambda *given: count_rows(mapped(*given), len)  # type: ignore[assignment]
    TrainingProgress.step = lambda progress, at: (row(), step(progress, at))[1]  # type: ignore[method-assign]
