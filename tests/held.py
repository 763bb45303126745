"""Commands that hold still in the middle of writing, so that a test can kill or interrupt them there.

    python tests/held.py 30 run --out …     # a command of evalsuite that holds when it would write its 31st row

Rows are replies on their way to a store, those of earlier transactions being kept and those of the one under way not; or
lines of a screening, written chunk by chunk."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

_HELD = "held in the middle of writing"


def stop(
    goal: int,
    words: Iterable[object],
    blow: signal.Signals = signal.SIGKILL,
    look: Callable[[int], object] = lambda pid: None,
) -> tuple[int, str]:
    """Run a command until it has `goal` rows, look at it by its id, and send it the signal: (exit code, stderr)."""
    command = [sys.executable, __file__, str(goal), *map(str, words)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stderr
        said = ""
        for line in process.stdout:
            said += line
            if line.strip() == _HELD:
                look(process.pid)
                process.send_signal(blow)
                break
        _, told = process.communicate()
    assert _HELD in said, f"the command ended before it had {goal} rows:\n{said}{told}"
    return process.returncode, told


def _hold(left: int) -> None:
    from evalsuite.authoring import screen
    from evalsuite.results.store import Store

    put, in_order = Store.put, screen._in_order

    def counted(rows: Iterable[Any], size: Callable[[Any], int]) -> Iterator[Any]:
        nonlocal left
        for row in rows:
            if left <= 0:
                print(_HELD, flush=True)
                signal.pause()
            left -= size(row)
            yield row

    Store.put = lambda store, rows: put(store, counted(rows, lambda row: 1))  # type: ignore[method-assign]
    screen._in_order = lambda *given: counted(in_order(*given), len)


if __name__ == "__main__":
    from evalsuite.cli.app import main

    _hold(int(sys.argv.pop(1)))
    main()
