"""Commands that hold still in the middle of writing, so that a test can kill them there.

    python tests/kill_points.py torch …     # loads these modules, then forks a process for each line on stdin: [30, "run", "--out", …]

The process runs a command of evalsuite and holds when it would write its 31st row. Rows are steps of a training; replies on
their way to a store, those of earlier transactions being kept and those of the one under way not; or lines of a screening,
written chunk by chunk. Loading takes longer than most commands: so it is done once for all that a test kills."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any


def nothing(pid: int) -> None: ...


@contextmanager
def commands(*modules: str) -> Iterator[Callable[..., None]]:
    """`kill(goal, words)` runs a command until it has `goal` rows and kills it; before that `look` is given its id."""
    server = [sys.executable, __file__, *modules]
    pipe = subprocess.PIPE
    with (
        tempfile.TemporaryFile("w+") as told,
        subprocess.Popen(server, stdin=pipe, stdout=pipe, stderr=told, text=True) as process,
    ):
        assert process.stdin and process.stdout

        def said() -> tuple[str, int]:
            assert process.stdout
            what, _, number = process.stdout.readline().partition(" ")
            return what, int(number or 0)

        def kill(goal: int, words: Iterable[object], look: Callable[[int], object] = nothing) -> None:
            print(json.dumps([goal, *map(str, words)]), file=process.stdin, flush=True)
            what, pid = said()
            if what != "held":
                told.seek(0)
                raise AssertionError(f"the command ended before it had {goal} rows:\n{told.read()}")
            try:
                look(pid)
            finally:
                os.kill(pid, signal.SIGKILL)
            assert said() == ("ended", -signal.SIGKILL)

        yield kill
        process.stdin.close()


def kill(goal: int, words: Iterable[object], look: Callable[[int], object] = nothing) -> None:
    """One command, killed when it has `goal` rows."""
    with commands() as one:
        one(goal, words, look)


def _hold(left: int) -> None:
    from evalsuite.authoring import screen
    from evalsuite.evaluation.display import TrainingProgress
    from evalsuite.results.store import Store

    put, in_order, step = Store.put, screen._in_order, TrainingProgress.step
    out = os.dup(1)
    os.dup2(2, 1)

    def row(size: int = 1) -> None:
        nonlocal left
        if left <= 0:
            os.write(out, f"held {os.getpid()}\n".encode())
            signal.pause()
        left -= size

    def counted(rows: Iterable[Any], size: Callable[[Any], int]) -> Iterator[Any]:
        for each in rows:
            row(size(each))
            yield each

    Store.put = lambda store, rows: put(store, counted(rows, lambda _: 1))  # type: ignore[method-assign]
    screen._in_order = lambda *given: counted(in_order(*given), len)
    TrainingProgress.step = lambda progress, at: (row(), step(progress, at))[1]  # type: ignore[method-assign]


def _serve() -> None:
    from evalsuite.cli.app import main

    for module in sys.argv[1:]:
        import_module(module)
    gc.freeze()
    for line in sys.stdin:
        goal, *words = json.loads(line)
        if child := os.fork():
            print("ended", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
            continue
        sys.argv = ["evalsuite", *words]
        _hold(goal)
        main()


if __name__ == "__main__":
    _serve()
