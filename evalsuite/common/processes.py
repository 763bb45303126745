"""Work in several processes of this machine."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from traceback import format_exc
from typing import Any, TypeVar

from evalsuite.common.errors import EvalsuiteError

Argument = TypeVar("Argument")
ReturnValue = TypeVar("ReturnValue")

_WORKER = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); import evalsuite.common.processes as p; p.serve()"
)


def cores() -> int:
    """The number of processor cores that this process may use, by its affinity and by the CPU limit of its container."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text(encoding="utf-8").split()
        return min(count, max(1, int(quota) // int(period)))
    except (OSError, ValueError):  # the file is not there, or its limit is "max"
        return count


def map_in_processes(
    prepare: Callable[[], Callable[[Argument], ReturnValue]], arguments: Iterable[Argument], processes: int
) -> Generator[ReturnValue, None, None]:
    """Call a function with each of the arguments in worker processes, and yield the results in the order of the arguments.

    prepare: a function of a module, or a `partial` of one. Each process calls it once; it returns the function to call with the
    arguments. If `processes` is 1, this process makes the calls. Arguments are taken only a few ahead of the results.

    An error of a worker is raised here, with its traceback as a note. Raises EvalsuiteError if a worker was killed. Close the
    iterator to end the workers early; they also end with this process.

    The workers are new Python processes. Forks would inherit threads and open SQLite files; `multiprocessing` would run a user's
    script once more in each.
    """
    if processes == 1:
        yield from map(prepare(), arguments)
        return
    idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
    started: list[subprocess.Popen[bytes]] = []
    ahead: deque[Future[ReturnValue]] = deque()

    def call(argument: Argument) -> ReturnValue:
        worker = idle.get()
        try:
            _send(worker, argument)
            result, error = pickle.load(worker.stdout)  # type: ignore[arg-type]
        except (EOFError, OSError, pickle.UnpicklingError):
            raise EvalsuiteError(
                "a worker process was killed, perhaps for lack of memory; run the same command again with more memory free, "
                "or with fewer --jobs if it has this flag"
            ) from None
        finally:
            idle.put(worker)
        if error is not None:
            raise error
        return result  # type: ignore[no-any-return]

    with ThreadPoolExecutor(processes) as pool:
        try:
            for _ in range(processes):
                command = [sys.executable, "-c", _WORKER]
                started.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE))
                _send(started[-1], sys.path)
                _send(started[-1], prepare)
                idle.put(started[-1])
            for argument in arguments:
                ahead.append(pool.submit(call, argument))
                if len(ahead) > 2 * processes:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:
            for future in ahead:
                future.cancel()
            for worker in started:
                worker.kill()
            pool.shutdown()
            for worker in started:
                worker.communicate()


def _send(worker: subprocess.Popen[bytes], value: Any) -> None:
    assert worker.stdin is not None
    pickle.dump(value, worker.stdin, pickle.HIGHEST_PROTOCOL)
    worker.stdin.flush()


def serve() -> None:
    """Run as a worker process: prepare once, then call the function with each argument from stdin, until stdin is closed. What
    libraries print goes to stderr."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its workers on Ctrl-C
    results = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    prepare, function = pickle.load(sys.stdin.buffer), None
    while True:
        try:
            argument = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            function = function or prepare()
            result = pickle.dumps((function(argument), None), pickle.HIGHEST_PROTOCOL)
        except Exception as error:
            result = pickle.dumps((None, _portable(error)))
        try:
            results.write(result)
            results.flush()
        except BrokenPipeError:  # the parent was killed
            os._exit(1)


def _portable(error: Exception) -> Exception:
    """An error with its traceback as a note; a RuntimeError with its text if it cannot be pickled."""
    trace = format_exc()
    try:
        error = pickle.loads(pickle.dumps(error))
    except Exception:
        error = RuntimeError(repr(error))
    error.add_note(f"In a worker process:\n{trace}")
    return error
