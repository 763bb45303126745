"""Download a benchmark's official data (`evalsuite data pull`).

The data are fetched into a draft folder, which replaces the target when it is complete. Nothing in the target is executed,
followed as a link or overwritten: a folder with other content is kept beside it under another name.
"""

from __future__ import annotations

import filecmp
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
import urllib.request
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path, PurePosixPath

from evalsuite.benchmarks.corpus import Corpus
from evalsuite.benchmarks.registry import BENCHMARKS, open_corpus
from evalsuite.common.errors import ConfigError, DataError, unknown
from evalsuite.common.files import draft_folder, put_folder, read_json, replace_file, replacing
from evalsuite.types import Archives

SOURCE = "evalsuite-source.json"  # the file with the addresses and versions of the data in its folder
_ARCHIVE = 1_000_000_000  # the most bytes of an archive
_LIMIT = 300_000_000  # the most bytes of an unpacked file, ten times the largest official one
# Settings of git: links become text files, ends of lines stay, and `ext::` addresses, which run commands, are refused.
_SAFE = ("core.symlinks=false", "core.autocrlf=false", "protocol.ext.allow=never")
# These override a repository's attributes, which may filter or convert files: they are written as the commit has them.
_ATTRIBUTES = "* -text -ident !filter !working-tree-encoding\n"


@dataclass(frozen=True)
class Pulled:
    """Downloaded data with their source."""

    corpus: Corpus
    versions: dict[str, str]  # by address: a repository's commit, an archive's SHA-256
    changes: tuple[str, ...]  # relative paths of the files that are new, changed or gone
    kept: Path | None  # the folder to which the earlier files were moved; None if there were none, or nothing changed


def pull(benchmark: str, target: Path, address: str = "") -> Pulled:
    """Download a benchmark into `target`, from `address` or its own, and write address and version to SOURCE there.

    Its own address gives the commit that the benchmark names, another address the newest. `target` must be absent, empty, or
    from an earlier pull of the same address; afterwards it has these data and nothing else. Raises ConfigError if the download
    fails, which leaves `target` as it was, and DataError if the files are not those of the benchmark.
    """
    if benchmark not in BENCHMARKS:
        raise ConfigError(unknown("benchmark", benchmark, BENCHMARKS))
    known = BENCHMARKS[benchmark]
    source = address or known.address
    if not source:
        raise ConfigError(f"{known.title} cannot be fetched: {known.no_address or 'it names no address'}")
    resolved = target.resolve()  # a link to a folder stays a link
    try:
        _require_replaceable(target, list(source.addresses.values()) if isinstance(source, Archives) else [source])
        with draft_folder(resolved) as draft:
            versions = _fetch(source, "" if address else known.commit, draft)
            replace_file(draft / SOURCE, json.dumps(versions, indent=1) + "\n")
            changes = _changes(resolved, draft)
            kept = _set_aside(resolved) if changes and _has_files(resolved) else None
            if changes:
                try:
                    put_folder(draft, resolved)
                except BaseException:  # Ctrl-C, too
                    if kept and not resolved.exists():
                        kept.rename(resolved)
                    raise
    except OSError as error:
        raise ConfigError(f"{target}: {error.strerror}; choose another folder") from None
    return Pulled(open_corpus(benchmark, target), versions, changes, kept)


def _require_replaceable(target: Path, addresses: list[str]) -> None:
    """Raise ConfigError if `target` holds other files than those of an earlier pull from `addresses`."""
    if Path.cwd().is_relative_to(target.resolve()):
        raise ConfigError(f"{target}: the current folder is in it, so it cannot be replaced; choose another folder")
    if not _has_files(target):
        return
    if not (note := target / SOURCE).is_file():
        raise ConfigError(f"{target}: not empty, and not from `evalsuite data pull`; choose another folder")
    earlier = read_json(note)
    if not isinstance(earlier, dict):
        raise DataError("expected an object of addresses and versions", note)
    if list(earlier) != addresses:
        raise ConfigError(
            f"{target}: has data from {', '.join(earlier)}, not from {', '.join(addresses)}; choose another folder"
        )


def _has_files(folder: Path) -> bool:
    return folder.exists() and any(folder.iterdir())


def _changes(old: Path, new: Path) -> tuple[str, ...]:
    """Paths of the files that are in one folder only or differ. A link or a pipe counts as different."""
    before, after = _files(old), _files(new)
    same = [
        path
        for path in before & after
        if not (old / path).is_symlink()
        and (old / path).is_file()
        and filecmp.cmp(old / path, new / path, shallow=False)
    ]
    return tuple(sorted((before | after).difference(same)))


def _files(folder: Path) -> set[str]:
    """Relative paths of everything below a folder, except folders. Links are not followed."""
    paths = (Path(parent, name) for parent, folders, files in os.walk(folder) for name in (*folders, *files))
    return {path.relative_to(folder).as_posix() for path in paths if path.is_symlink() or not path.is_dir()}


def _set_aside(folder: Path) -> Path:
    """Rename a folder to the first free NAME.replaced-1, -2, …; return its new path."""
    free = (path for n in count(1) if not (path := folder.with_name(f"{folder.name}.replaced-{n}")).exists())
    return folder.rename(next(free))


def _fetch(source: str | Archives, commit: str, folder: Path) -> dict[str, str]:
    if isinstance(source, str):
        return {source: clone(folder, source, commit)}
    return {
        address: unpack(address, folder / name / "data", source.files, source.sha256.get(name, ""))
        for name, address in source.addresses.items()
    }


def clone(folder: Path, address: str, commit: str = "") -> str:
    """Write the files of a commit (default: the newest) of a git repository into an empty folder, without its history.

    Returns the commit, which is a hash of all its files. Raises ConfigError.
    """
    if shutil.which("git") is None:
        raise ConfigError("git is not installed; install it, or download the repository by hand and give --data DIR")
    with tempfile.TemporaryDirectory() as folder_name:
        git_dir = Path(folder_name, "git")
        settings = [word for setting in _SAFE for word in ("-c", setting)]
        environment = _environment() | {"GIT_DIR": str(git_dir), "GIT_WORK_TREE": str(folder)}

        def git(*words: str) -> str:
            done = subprocess.run(
                ["git", *settings, *words], capture_output=True, text=True, check=False, env=environment
            )
            if done.returncode:
                raise ConfigError(f"git could not fetch {address}: {done.stderr.strip() or 'no message'}")
            return done.stdout.strip()

        git("init", "--quiet", "--template=")
        (git_dir / "info").mkdir()
        replace_file(git_dir / "info" / "attributes", _ATTRIBUTES)
        git("fetch", "--quiet", "--depth=1", "--", address, commit or "HEAD")
        taken = git("rev-parse", "FETCH_HEAD^{commit}")
        git("checkout", "--quiet", "--detach", taken)
    return taken


def _environment() -> dict[str, str]:
    """The environment for git, without the variables that would have it work in another repository."""
    listed = subprocess.run(["git", "rev-parse", "--local-env-vars"], capture_output=True, text=True, check=False)
    local = {name for name in listed.stdout.split() if not name.startswith("GIT_CONFIG")}
    return {k: v for k, v in os.environ.items() if k not in local} | {"GIT_TERMINAL_PROMPT": "0"}


def unpack(address: str, folder: Path, names: Sequence[str], sha256: str = "") -> str:
    """Extract the `names` files from any folder of a zip archive into `folder`.

    Returns the archive's SHA-256, which must be `sha256` if that is given. Raises ConfigError.
    """
    with tempfile.TemporaryFile() as packed:
        try:
            with urllib.request.urlopen(address, timeout=60) as reply:
                while chunk := reply.read(2**20):
                    packed.write(chunk)
                    if packed.tell() > _ARCHIVE:
                        raise ConfigError(f"{address}: is larger than {_ARCHIVE:,} bytes")
            packed.seek(0)
            found_hash = hashlib.file_digest(packed, "sha256").hexdigest()
            if sha256 and found_hash != sha256:
                raise ConfigError(
                    f"{address}: expected the SHA-256 {sha256}, found {found_hash}: the archive was changed"
                )
            _unpack(zipfile.ZipFile(packed), address, folder, names)
        except (OSError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
            # RuntimeError: encrypted, or packed in a way that zipfile does not know.
            raise ConfigError(
                f"could not fetch {address}: {error or 'it is cut'}; download it by hand and give --data DIR"
            ) from None
    return found_hash


def _unpack(archive: zipfile.ZipFile, address: str, folder: Path, wanted: Sequence[str]) -> None:
    # Files are written under their base names, which are those in `wanted`: no path of the archive is used.
    members = [m for m in archive.infolist() if not m.filename.startswith("__MACOSX")]
    chosen = [(m, name) for m in members if (name := PurePosixPath(m.filename).name) in wanted]
    if not chosen or any(m.file_size > _LIMIT for m, _ in chosen):
        raise ConfigError(f"{address}: expected {', '.join(wanted)}, found {archive.namelist()[:5]}")
    if len({name for _, name in chosen}) < len(chosen):
        raise ConfigError(f"{address}: has a file of these names twice: {', '.join(wanted)}")
    folder.mkdir(parents=True, exist_ok=True)
    for member, name in chosen:  # zipfile reads no more than file_size bytes
        with archive.open(member) as content, replacing(folder / name) as file:
            shutil.copyfileobj(content, file)
