"""One writer a folder: a lock (flock) that the kernel holds for a process and gives back when it ends, killed or not.

Who only reads takes no lock: files are replaced whole (files.replace_file), and SQLite lets readers read beside a writer.
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
from evalsuite.common.terminal import one_line

log = logging.getLogger(__name__)


@contextmanager
def locked(folder: Path, name: str = ".lock") -> Iterator[None]:
    """Let no other process write into `folder`, which must exist, while the block runs. Not re-entrant.

    The lock is on the file `name` in the folder, which names the holder while it is held, and stays there empty.
    Raises ConfigError, which names the holder, if the folder is locked, and if `name` cannot be written.
    Logs a warning where a second writer would go unnoticed: on a system or file system without such locks, and where the
    last holder ran on another machine and has not released its lock (it was killed, or locks do not reach that machine).
    """
    path = folder / name
    try:
        file = FileIO(path, "a+")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}") from None
    with file:
        if not _take(file, folder):
            raise ConfigError(
                f"{folder}: is being written by {_told(_holder(file))}; wait until that has ended, or name another folder"
            )
        before = _holder(file)
        if before and before.get("host") != socket.gethostname():
            log.warning(
                "%s: was last written by %s, which has not said that it ended. If it still runs, stop it: this file system "
                "may not carry locks from that machine to this one",
                one_line(str(folder)),
                _told(before),
            )
        _sign(file)
        try:
            yield
        finally:
            if not file.closed:  # in a child that was forked
                with suppress(OSError):
                    file.truncate(0)


def _take(file: FileIO, folder: Path) -> bool:
    """Lock the file, or warn that it cannot be known whether another has. False: another has."""
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):  # the latter from some network file systems
        return False
    except (ImportError, OSError) as error:  # Windows; NFS without its lock daemon, Lustre without -o flock
        log.warning(
            "%s: cannot be locked (%s), so it cannot be known whether another process writes there: see to it that none does",
            one_line(str(folder)),
            error.strerror if isinstance(error, OSError) else error,
        )
        return True
    # A forked child (vLLM's engine, say) shares the lock, and would hold it for as long as it outlives this process.
    os.register_at_fork(after_in_child=file.close)
    return True


def _sign(file: FileIO) -> None:
    """Name this process in the file. The lock holds without it, on a full disk, say."""
    command = shlex.join([os.path.basename(sys.argv[0]), *sys.argv[1:]])
    since = time.strftime("%Y-%m-%dT%H:%M:%S%z")
    holder = {"pid": os.getpid(), "host": socket.gethostname(), "since": since, "command": command}
    with suppress(OSError):
        file.truncate(0)
        file.write(json.dumps(holder).encode())
        os.fsync(file.fileno())  # for other machines to see


def _holder(file: FileIO) -> dict[str, Any]:
    """Who is named in the file; empty if nobody is, or not in full."""
    try:
        file.seek(0)
        found = json.loads(file.read())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _told(holder: dict[str, Any]) -> str:
    if not holder:
        return "another process"
    pid, host, since, command = (one_line(str(holder.get(name))) for name in ("pid", "host", "since", "command"))
    return f"process {pid} on {host} since {since} ({command})"
