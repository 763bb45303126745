"""Read files of folders that others wrote, such as submissions: plain files only, up to a size.

No link is followed, neither a file nor a folder below the one that the user named, so that a folder cannot show files of this
machine; and no pipe or device is read, since reading it might never end.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence
from io import BufferedReader, FileIO
from pathlib import Path
from typing import Any

from evalsuite.common.errors import DataError
from evalsuite.common.jsonl import parse_object

JSON_SIZE = 2**28  # the most bytes of results.json or manifest.json
_BUFFER = 2**16  # bytes read at once: the default of 8 KB often holds less than two lines of records

_PLAIN = sum(getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))
_JUNCTION = 0xA0000003  # stat.IO_REPARSE_TAG_MOUNT_POINT, a junction of Windows, which Python does not count as a link
_ABOUT = {errno.ELOOP: "is a link", errno.ENOTDIR: "is a link or no folder", errno.ENOENT: "no such file"}


def open_plain(folder: Path, path: str) -> BufferedReader:
    """Open the file at `path`, a relative path with slashes, in `folder`, which may be a link itself.

    Raises DataError if it or a folder on the way is a link, if it is no plain file, or if it cannot be read.
    """
    *above, name = path.split("/")
    if any(part in ("", ".", "..") or "\0" in part or "\\" in part for part in (*above, name)):
        raise DataError("is no path in a folder", folder / path.replace("\0", "?"))
    try:
        if os.open not in os.supports_dir_fd:
            return _open_by_path(folder, (*above, name))
        below = os.open(folder, os.O_RDONLY)
        try:
            for part in above:
                outer, below = below, os.open(part, os.O_RDONLY | os.O_DIRECTORY | _PLAIN, dir_fd=below)
                os.close(outer)
            file = os.open(name, os.O_RDONLY | _PLAIN, dir_fd=below)
        finally:
            os.close(below)
    except OSError as error:
        raise DataError(_ABOUT.get(error.errno or 0) or f"cannot be read: {error.strerror}", folder / path) from None
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise DataError("is no plain file", folder / path)
    return BufferedReader(FileIO(file), _BUFFER)


def _open_by_path(folder: Path, parts: Sequence[str]) -> BufferedReader:
    """Open a file on Windows, which opens no folders. Each part is checked before the file is opened: a link that is made in
    between is not noticed."""
    path = folder
    for part in parts:
        path /= part
        state = path.lstat()
        if stat.S_ISLNK(state.st_mode) or getattr(state, "st_reparse_tag", None) == _JUNCTION:
            raise DataError("is a link", path)
    if not stat.S_ISREG(state.st_mode):
        raise DataError("is no plain file", path)
    return BufferedReader(FileIO(os.open(path, os.O_RDONLY | _PLAIN)), _BUFFER)


def read_plain(folder: Path, path: str, most: int) -> bytes:
    """The content of a file of at most `most` bytes. Raises DataError like `open_plain`, and if it is larger."""
    try:
        with open_plain(folder, path) as file:
            size = os.fstat(file.fileno()).st_size  # read(most) would reserve `most` bytes of memory
            raw = file.read(min(size, most) + 1)
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", folder / path) from None
    if len(raw) > most:
        raise DataError(f"is larger than {most / 2**20:g} MiB", folder / path)
    return raw


def read_json(folder: Path, path: str) -> dict[str, Any]:
    """The JSON object in a file. Raises DataError like `read_plain`, and if the file holds no JSON object."""
    # surrogates: names of models may have some.
    return parse_object(read_plain(folder, path, JSON_SIZE), folder / path, surrogates=True)
