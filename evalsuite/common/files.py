"""Files: their names, reading them with errors that name the file, and the only functions that write and remove them.

A file is written as a draft, a hidden file beside it, and renamed when it is complete and on the disk. So a reader, a full
disk, a kill or a power cut finds the old file or the new one, never a part.
"""

from __future__ import annotations

import errno
import filecmp
import glob
import hashlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from io import StringIO
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from evalsuite.common.errors import ConfigError, DataError
from evalsuite.common.text import path_text

_DRAFT = re.compile(r"\..+\.[0-9a-f]{8}\.part")  # names that `draft_of` gives
# Patterns of the folders, in the folder of a run or a sweep, in which drafts are written.
_FOLDERS = (
    ".",
    "records",
    "judged",
    "second",
    "benchmarks/**",
    "page",
    "page/shards",
    "audit/*",
    "adapters/*",
    "adapters/*/checkpoints",
)
_FOR_SYNC = os.O_RDWR if os.name == "nt" else os.O_RDONLY  # Windows syncs only files that are open for writing
_SYNCS = 4  # the most fsyncs at a time: the disk merges concurrent ones

_LONGEST = 200  # the most bytes of a name: file systems take 255, of which suffixes, ".gz" and drafts need some
# Windows reserves names of devices, with any suffix, and drops a dot at the end.
_PLAIN = re.compile(r"(?!(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$))[\w+][\w+.-]*(?<!\.)", re.ASCII | re.IGNORECASE)
_HASHED = re.compile(r"-[0-9a-f]{16}$")


def safe_name(*parts: str) -> str:
    """Make one file name, without a suffix, from names that may be any text: the parts joined by dots.

    It is at most 200 bytes of ASCII and no path, and other parts of the same number give another name. If a part has a character
    that is not a letter, digit, _ + . or -, if a part after the first has a dot, or if the name is too long or reserved, such
    characters become _, and a hash of the parts follows.

    >>> safe_name("qwen2.5-7b", "easy"), safe_name("../x")
    ('qwen2.5-7b.easy', '_.._x-407cf666ec8fe0f8')
    """
    name = ".".join(parts)
    plain = all(map(_PLAIN.fullmatch, parts)) and not any("." in part for part in parts[1:])
    if plain and len(name) <= _LONGEST and not _HASHED.search(name):
        return name
    readable = re.sub(r"[^\w+.-]", "_", name, flags=re.ASCII)[: _LONGEST - 18]
    return f"{readable if _PLAIN.match(readable) else f'_{readable}'}-{name_hash(*parts)}"


def name_hash(*parts: str) -> str:
    """16 hexadecimal digits, the same for equal parts and different for others."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def replace_file(path: Path, content: str | bytes) -> None:
    """Write a file atomically: completely or not at all. Text is encoded as UTF-8."""
    with replacing(path) as draft:
        draft.write(_utf8(content) if isinstance(content, str) else content)


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:  # the text quotes a path that is no Unicode
        return path_text(text).encode()


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a draft file that replaces `path` when the block ends. If the block raises, `path` is not changed."""
    draft = draft_of(path)
    try:
        with draft.open("xb") as file:
            _hold(file.fileno())
            yield file
            file.flush()
            os.fsync(file.fileno())  # without this a power cut could leave an empty file
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    _sync(path.parent)


class Drafts(Protocol):
    """Opens the draft that replaces the file `path`: a new draft, or `part`, which a worker process has written."""

    def __call__(self, path: Path, part: Path | None = None) -> AbstractContextManager[BinaryIO]: ...


@contextmanager
def replacing_together(last: Path) -> Iterator[Drafts]:
    """Replace files that belong together. Gives a function that opens the draft of a file; `last` must be among the files.

    All drafts are on the disk before the first file is replaced; if anything fails until then, no file is changed. `last` names
    the other files: it is removed before the first of them is replaced, and written after the last one, so that it never stands
    beside a mixture of old and new files. A file whose content would stay the same is not replaced.
    """
    drafts: dict[Path, Path] = {}
    on_disk: list[Future[None]] = []

    @contextmanager
    def draft(path: Path, part: Path | None = None) -> Iterator[BinaryIO]:
        drafts[path] = part = part or draft_of(path)
        with part.open("ab") as file:
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
    """Make a folder and those above it. When the function returns, their names are on the disk."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileNotFoundError as error:
        raise ConfigError(f"{path}: cannot make this folder: {error.strerror}") from None
    for folder in missing:
        _sync(folder.parent)


def require_new(path: Path) -> None:
    """Raise ConfigError unless the folder `path` can be made anew: it does not exist, or is empty."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise ConfigError(f"{path}: exists already; name a new folder, or remove this one")


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Make a draft folder that becomes `path` when the block ends; for `path` see `require_new`.

    The block writes its files by `replace_file` or `replacing`. If the block raises, the draft is removed.
    """
    with draft_folder(path) as draft:
        yield draft
        put_folder(draft, path)


@contextmanager
def draft_folder(path: Path) -> Iterator[Path]:
    """Make a draft of the folder `path`. It is removed when the block ends, unless `put_folder` has put it in place.

    Drafts of `path` that killed processes left are removed first.
    """
    _sweep(path.parent, f".{glob.escape(path.name)}.*.part")
    draft = draft_of(path)
    draft.mkdir(parents=True)
    held = _open_folder(draft)
    try:
        if held is not None:
            _hold(held)
        yield draft
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        if held is not None:
            os.close(held)


def put_folder(draft: Path, path: Path) -> None:
    """Rename a draft folder, whose files are on the disk, to `path`, which must not exist or must be an empty folder."""
    for each in (*draft.rglob("*/"), draft):
        _sync(each)
    if path.exists():
        path.rmdir()
    draft.rename(path)
    _sync(path.parent)


def _open_folder(folder: Path) -> int | None:
    try:
        return os.open(folder, os.O_RDONLY)
    except PermissionError:  # Windows opens no folders
        return None


def remove(folder: Path, names: Iterable[str]) -> None:
    """Remove files and folders of evalsuite from `folder`. Names that do not exist are skipped; links are not followed.

    The caller takes the names from a list or a mark that evalsuite wrote, so that nobody else's file is removed.
    A folder is renamed to a draft first, so that the next writer finishes a removal that was killed.
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
    for pattern in _FOLDERS:
        for inner in folder.glob(pattern) if "*" in pattern else [folder / pattern]:
            _sweep(inner, ".*.part")


def _sweep(folder: Path, pattern: str) -> None:
    for draft in folder.glob(pattern):
        if _DRAFT.fullmatch(draft.name) and _is_free(draft):
            with suppress(OSError):
                remove(folder, [draft.name]) if draft.is_file() else shutil.rmtree(draft)


def _hold(file: int) -> None:
    """Lock a draft for as long as it is open, by which `_is_free` knows that its writer lives."""
    with suppress(ImportError, OSError):  # Windows; file systems without locks
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_free(draft: Path) -> bool:
    """Whether no process has the draft open; False if the system cannot tell."""
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
        file = os.open(path, _FOR_SYNC)
    except PermissionError:  # Windows opens no folders
        return
    try:
        os.fsync(file)
    except OSError as error:
        if error.errno != errno.EINVAL:  # a file system that syncs no folders
            raise
    finally:
        os.close(file)


def cache_folder() -> Path | None:
    """The user's folder for caches of evalsuite, created if missing; None unless the user, and nobody else, can write to it."""
    try:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "evalsuite"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        state = folder.stat()
    except (OSError, RuntimeError):  # RuntimeError: no home
        return None
    # Windows has no such ids and mode bits; there an access list closes a user's folder to others.
    is_own = not hasattr(os, "getuid") or (state.st_uid == os.getuid() and not state.st_mode & 0o022)
    return folder if is_own and os.access(folder, os.W_OK) else None


def draft_of(path: Path) -> Path:
    """The path of a draft that will replace `path`: a hidden file in the same folder, with a unique name."""
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")


def open_draft(path: Path) -> BinaryIO:
    """A new draft of `path`, for a worker process to write; its path is the `part` that the parent gives to `Drafts`."""
    return draft_of(path).open("xb")


def read_bytes(path: Path, missing: str = "") -> bytes:
    """The content of a file. Raises DataError if it cannot be read, with the message `missing` if it does not exist."""
    try:
        return path.read_bytes()
    except OSError as error:
        absent = isinstance(error, FileNotFoundError) and missing
        raise DataError(absent or f"cannot read: {error.strerror}", path) from None


def read_text(path: Path, missing: str = "") -> str:
    """The text of a UTF-8 file. Raises DataError as `read_bytes` does, and for other encodings."""
    try:
        text = read_bytes(path, missing).decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"not UTF-8 at byte {error.start}: save it as UTF-8", path) from None
    return StringIO(text, newline=None).read()  # every line ends with \n


def read_json(path: Path) -> Any:
    """The value of a JSON file. Raises DataError if it cannot be read, or is broken, incomplete or nested too deep."""
    try:
        return json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise DataError(f"not JSON, or not whole: {error}", path) from None
