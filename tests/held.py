"""Commands that hold still in the middle of writing a reply, so that a test can kill or interrupt them there.

    python tests/held.py 30 run --out …     # a command of evalsuite that holds with 30 replies handed to its store

The replies of earlier transactions are stored; those of the one under way are not yet."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator

_HELD = "held in the middle of writing"


def stop(goal: int, words: Iterable[object], blow: signal.Signals = signal.SIGKILL) -> tuple[int, str]:
    """Run a command until it has handed `goal` replies to its store, then send it the signal: (exit code, stderr)."""
    command = [sys.executable, __file__, str(goal), *map(str, words)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stderr
        said = ""
        for line in process.stdout:
            said += line
            if line.strip() == _HELD:
                process.send_signal(blow)
                break
        _, told = process.communicate()
    assert _HELD in said, f"the command ended before it had {goal} replies:\n{said}{told}"
    return process.returncode, told


def _hold(goal: int) -> None:
    from evalsuite.results.store import Store
    from evalsuite.types import Response

    put, left = Store.put, goal

    def counted(responses: Iterable[tuple[str, Response]]) -> Iterator[tuple[str, Response]]:
        nonlocal left
        for response in responses:
            if not left:
                print(_HELD, flush=True)
                signal.pause()
            left -= 1
            yield response

    Store.put = lambda store, responses: put(store, counted(responses))  # type: ignore[method-assign]


if __name__ == "__main__":
    from evalsuite.cli.app import main

    _hold(int(sys.argv.pop(1)))
    main()
