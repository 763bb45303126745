"""A lock (flock) that lets only one process write into a folder. The kernel releases it when the process ends.

Who reads one file needs no lock: files are replaced atomically (files.replace_file), and SQLite allows readers beside a writer.
Who copies a whole folder takes `unwritten`.
"""

from __future__ import annotations

import json
import logging
import os
import shlex
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import Any

from evalsuite.common.errors import ConfigError
from evalsuite.common.files import sweep
from evalsuite.common.terminal import one_line

log = logging.getLogger(__name__)


LOCK = ".lock"


@contextmanager
def locked(folder: Path, name: str = LOCK) -> Iterator[None]:
    """Lock `folder`, which must exist, for this process while the block runs. Not re-entrant.

    The locked file is `name` in the folder. It names the holder while the lock is held, and is empty afterwards. LOCK is the lock
    of the folder as a whole: with it, drafts that killed processes left in the folder are removed.
    Raises ConfigError if another process holds the lock (the message names it) or the file cannot be written.
    Logs a warning where a second writer could go unnoticed: on a system or file system without such locks, and if the last
    holder ran on another machine and did not release the lock (it was killed, or locks do not reach that machine).
    """
    path = folder / name
    try:
        file = FileIO(path, "a+")
    except OSError as error:
        raise ConfigError(
            f"{path}: cannot be written: {error.strerror}; name another folder, or make this one writable"
        ) from None
    with file:
        if not _take(file, folder):
            raise ConfigError(
                f"{folder}: is being written by {_describe(_holder(file))}; wait until that has ended, or name another folder"
            )
        before = _holder(file)
        if before and before.get("host") != socket.gethostname():
            log.warning(
                "%s: was last written by %s, which has not said that it ended. If it still runs, stop it: this file system "
                "may not carry locks from that machine to this one",
                one_line(str(folder)),
                _describe(before),
            )
        _sign(file)
        try:
            if name == LOCK:
                sweep(folder)
            yield
        finally:
            if not file.closed:  # in a forked child `_take` has closed it
                with suppress(OSError):
                    file.truncate(0)


@contextmanager
def unwritten(folder: Path) -> Iterator[None]:
    """Keep other processes from writing into `folder` while the block runs. This needs no permission to write there.

    Raises ConfigError if another process holds the folder's lock. A folder without a lock's file has no writer, or one that
    ran on a file system without locks.
    """
    try:
        file = FileIO(folder / LOCK, "r")
    except OSError:
        yield
        return
    with file:
        if not _take(file, folder, shared=True):
            raise ConfigError(f"{folder}: is being written by {_describe(_holder(file))}; wait until that has ended")
        yield


def _take(file: FileIO, folder: Path, shared: bool = False) -> bool:
    """Lock the file, for this process alone or `shared` with others that read; False if another process holds the
    lock. Where locks do not work: log a warning and return True."""
    try:
        import fcntl

        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):  # some network file systems raise PermissionError
        return False
    except (ImportError, OSError) as error:  # Windows; NFS without its lock daemon, Lustre without -o flock
        log.warning(
            "%s: cannot be locked (%s), so it cannot be known whether another process writes there: see to it that none does",
            one_line(str(folder)),
            error.strerror if isinstance(error, OSError) else "this system has no such locks",
        )
        return True
    # A forked child (such as vLLM's engine) shares the lock and would hold it after this process has ended.
    os.register_at_fork(after_in_child=file.close)
    return True


def _sign(file: FileIO) -> None:
    """Write into the file which process holds the lock. If that fails (full disk), the lock is held nevertheless."""
    command = shlex.join([os.path.basename(sys.argv[0]), *sys.argv[1:]])
    since = time.strftime("%Y-%m-%dT%H:%M:%S%z")
    holder = {"pid": os.getpid(), "host": socket.gethostname(), "since": since, "command": command}
    with suppress(OSError):
        file.truncate(0)
        file.write(json.dumps(holder).encode())
        os.fsync(file.fileno())  # for other machines to see


def _holder(file: FileIO) -> dict[str, Any]:
    """The holder that the file names; empty if it names none or is incomplete."""
    try:
        file.seek(0)
        holder = json.loads(file.read())
    except (OSError, ValueError):
        return {}
    return holder if isinstance(holder, dict) else {}


def _describe(holder: dict[str, Any]) -> str:
    """The holder, for messages."""
    if not holder:
        return "another process"
    pid, host, since, command = (one_line(str(holder.get(name))) for name in ("pid", "host", "since", "command"))
    return f"process {pid} on {host} since {since} ({command})"
