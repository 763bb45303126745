"""Files: their names, reading them with errors that name the file, and the only functions that write and remove them.

A file is written as a draft, a hidden file beside it, and renamed when it is complete and on the disk. So a reader, a full
disk, a kill or a power cut finds the old file or the new one, never a part.
"""

from __future__ import annotations

import errno
import filecmp
import glob
import hashlib
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from evalsuite.common.errors import DataError

_DRAFT = re.compile(r"\..+\.[0-9a-f]{8}\.part")  # names that `draft_of` gives
# Where a run's folder, or a sweep's, holds drafts while they are written.
_FOLDERS = (".", "records", "judged", "page", "page/shards", "audit/*", "adapters/*", "adapters/*/checkpoints")
_SYNCS = 4  # fsyncs at a time: the disk joins them


def safe_name(name: str) -> str:
    """A file name for a model's name: characters other than letters, digits, _ . - become _, and a hash keeps it unique."""
    safe = re.sub(r"[^\w.-]", "_", name, flags=re.ASCII)[:60]
    return safe if safe == name else f"{safe}-{hashlib.sha256(name.encode()).hexdigest()[:6]}"


def replace_file(path: Path, content: str | bytes) -> None:
    """Write a file atomically: completely or not at all. Text is encoded as UTF-8."""
    with replacing(path) as draft:
        draft.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a draft file that replaces `path` when the block ends. If the block raises, `path` is not changed."""
    draft = draft_of(path)
    try:
        with draft.open("xb") as file:
            _hold(file.fileno())
            yield file
            file.flush()
            os.fsync(file.fileno())  # or a power cut could leave an empty file
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    _sync(path.parent)


Drafts = Callable[[Path], AbstractContextManager[BinaryIO]]


@contextmanager
def replacing_together(last: Path) -> Iterator[Drafts]:
    """Replace files that belong together. Gives a function that opens the draft of a file; `last` must be among the files.

    All drafts are on the disk before the first file is replaced; if anything fails until then, nothing is changed. `last` is
    the file that names the others: it is removed before the first of them is replaced, and written after the last of them.
    So it never stands beside a mixture of old and new files. Others that would not change are left alone.
    """
    drafts: dict[Path, Path] = {}
    on_disk: list[Future[None]] = []

    @contextmanager
    def draft(path: Path) -> Iterator[BinaryIO]:
        drafts[path] = part = draft_of(path)
        with part.open("xb") as file:
            yield file
        if path != last and path.is_file() and filecmp.cmp(part, path, shallow=False):
            drafts.pop(path).unlink()
        else:
            on_disk.append(pool.submit(_sync, part))

    try:
        with ThreadPoolExecutor(_SYNCS) as pool:
            yield draft
        for each in on_disk:
            each.result()
        changed = [path for path in drafts if path != last]
        if changed:
            last.unlink(missing_ok=True)
            _sync(last.parent)
        for path in changed:
            drafts[path].replace(path)
        for folder in {path.parent for path in changed}:
            _sync(folder)
        drafts[last].replace(last)
        _sync(last.parent)
    except BaseException:
        for part in drafts.values():
            part.unlink(missing_ok=True)
        raise


def make_folder(path: Path) -> None:
    """Make a folder and those above it; their names are on the disk when it returns."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    path.mkdir(parents=True, exist_ok=True)
    for folder in missing:
        _sync(folder.parent)


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Make a draft folder that becomes `path`, which must not exist or be empty, when the block ends.

    The block writes its files by `replace_file` or `replacing`. If the block raises, the draft is removed. Drafts of `path` that killed processes left are removed first.
    """
    _sweep(path.parent, f".{glob.escape(path.name)}.*.part")
    draft = draft_of(path)
    draft.mkdir(parents=True)
    held = os.open(draft, os.O_RDONLY)
    try:
        _hold(held)
        yield draft
        for each in (*draft.rglob("*/"), draft):  # the files are on the disk
            _sync(each)
        if path.exists():
            path.rmdir()
        draft.rename(path)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    finally:
        os.close(held)
    _sync(path.parent)


def remove(folder: Path, names: Iterable[str]) -> None:
    """Remove files and folders of evalsuite from `folder`; names that are not there are skipped. Links are not followed.

    The caller takes the names from a list or a mark that evalsuite wrote, so that a file of anybody else is never removed.
    A folder is renamed to a draft first, so that a removal that was killed is finished by the next writer.
    """
    for name in names:
        path = folder / name
        if path.is_dir() and not path.is_symlink():
            draft = draft_of(path)
            path.rename(draft)
            shutil.rmtree(draft)
        else:
            path.unlink(missing_ok=True)


def sweep(folder: Path) -> None:
    """Remove the drafts that killed processes left in a run's folder. The caller holds the folder's lock."""
    for place in _FOLDERS:
        for inner in folder.glob(place) if "*" in place else [folder / place]:
            _sweep(inner, ".*.part")


def _sweep(folder: Path, pattern: str) -> None:
    for draft in folder.glob(pattern):
        if _DRAFT.fullmatch(draft.name) and _is_free(draft):
            with suppress(OSError):
                remove(folder, [draft.name]) if draft.is_file() else shutil.rmtree(draft)


def _hold(file: int) -> None:
    """Lock a draft for as long as it is open: so `_is_free` knows that its writer lives."""
    with suppress(ImportError, OSError):  # Windows; file systems without locks
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_free(draft: Path) -> bool:
    """Whether no process has the draft open. False where that cannot be known."""
    try:
        import fcntl

        file = os.open(draft, os.O_RDONLY | os.O_NOFOLLOW)
    except (ImportError, OSError):
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(file)
    return True


def _sync(path: Path) -> None:
    """Wait until a file's content, or a folder's list of names, is on the disk."""
    try:
        file = os.open(path, os.O_RDONLY)
    except PermissionError:  # Windows opens no folders
        return
    try:
        os.fsync(file)
    except OSError as error:
        if error.errno != errno.EINVAL:  # a file system that syncs no folders
            raise
    finally:
        os.close(file)


def draft_of(path: Path) -> Path:
    """The path of a draft that will replace `path`: a hidden file in the same folder, with a unique name."""
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")


def read_bytes(path: Path, missing: str = "") -> bytes:
    """The content of a file. Raises DataError if it cannot be read, with the message `missing` if it does not exist."""
    try:
        return path.read_bytes()
    except OSError as error:
        absent = isinstance(error, FileNotFoundError) and missing
        raise DataError(absent or f"cannot read: {error.strerror}", path) from None
