"""Stop a block of code that uses too much CPU time or memory."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class OutOfTime(BaseException):
    """Raised in a block of code whose CPU time is used up. It is no `Exception`, so that no `except Exception` in it stops it."""


@contextmanager
def cpu_limit(seconds: float) -> Iterator[None]:
    """Raise OutOfTime in the block when this process has used `seconds` of CPU time since the block began.

    Outside of the main thread, and on a system without such timers, there is no limit. Not re-entrant.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGPROF"):
        yield
        return

    def stop(*_: Any) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def memory_limit(size: int) -> Iterator[None]:
    """Let the block allocate `size` bytes more than the process has now; beyond them Python raises MemoryError. Other systems
    than Linux have no limit."""
    try:
        import resource

        status = Path("/proc/self/status").read_text(encoding="utf-8")
        now = 1024 * int(status.partition("VmData:")[2].split()[0])
    except (ImportError, OSError, IndexError):
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    given = [limit for limit in (soft, hard, now + size) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min(given), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
