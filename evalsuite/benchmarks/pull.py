"""Download a benchmark's official data (`evalsuite data pull`)."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import urllib.request
import zipfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from evalsuite.benchmarks.corpus import Corpus
from evalsuite.benchmarks.registry import BENCHMARKS, open_corpus
from evalsuite.common.errors import ConfigError, unknown
from evalsuite.common.files import remove, replace_file, replacing
from evalsuite.types import Archives

SOURCE = "evalsuite-source.json"  # says where the data in a folder are from
_ARCHIVE = 1_000_000_000  # bytes of an archive
_LIMIT = 300_000_000  # bytes of an unpacked file; ten times the largest official one
# Settings that let a repository run programs on this machine. `ext::` addresses are commands.
_SAFE = ("core.fsmonitor=", "core.hooksPath=/dev/null", "protocol.ext.allow=never")
# What `clone` and `git clone` write to .git/config. Other settings may name programs.
_PLAIN = re.compile(
    r"core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks)"
    r"|remote\.origin\.(url|fetch)|branch\.[^.]*\.(remote|merge)"
)


def pull(benchmark: str, target: Path, address: str = "") -> Corpus:
    """Download a benchmark into `target`, from `address` or its own, and note in SOURCE what was taken.

    From its own address the commit is taken that the benchmark names; from another one the newest.
    Raises ConfigError if that fails.
    """
    if benchmark not in BENCHMARKS:
        raise ConfigError(unknown("benchmark", benchmark, BENCHMARKS))
    known = BENCHMARKS[benchmark]
    source = address or known.address
    if isinstance(source, Archives):
        taken = {
            archive: unpack(archive, target / name / "data", source.files, source.sha256.get(name, ""))
            for name, archive in source.addresses.items()
        }
    elif source:
        taken = {source: clone(target, source, "" if address else known.commit)}
    else:
        raise ConfigError(f"{known.title} cannot be fetched: {known.no_address or 'it names no address'}")
    replace_file(target / SOURCE, json.dumps(taken, indent=1) + "\n")
    return open_corpus(benchmark, target)


def clone(target: Path, address: str, commit: str = "") -> str:
    """Fetch a commit (default: the newest) of a git repository into `target`, which may be an earlier clone of it.

    Returns the commit, which is a hash of all its files. Raises ConfigError.
    """
    program = shutil.which("git")
    if program is None:
        raise ConfigError("git is not installed; install it, or download the repository by hand and give --data DIR")
    git = [program, *(word for setting in _SAFE for word in ("-c", setting))]
    new = not (target / ".git").exists()
    if not new:
        _require_clone(git, target, address)
    elif target.exists() and any(target.iterdir()):
        raise ConfigError(f"{target}: not empty and no clone; choose another folder")
    try:
        if new:
            _run(address, *git, "init", "--quiet", "--template=", str(target))
            _run(address, *git, "-C", str(target), "config", "remote.origin.url", address)
        _run(address, *git, "-C", str(target), "fetch", "--quiet", "--depth=1", "--", "origin", commit or "HEAD")
        taken = _run(address, *git, "-C", str(target), "rev-parse", "FETCH_HEAD")
        _run(address, *git, "-C", str(target), "checkout", "--quiet", "--detach", taken)
    except ConfigError:
        if new:
            remove(target, [".git"])
        raise
    return taken


def _require_clone(git: Sequence[str], target: Path, address: str) -> None:
    """Raise ConfigError unless `target` is a plain clone of `address`: another repository's settings may run programs."""
    file = target / ".git" / "config"
    if (target / ".git").is_symlink() or not file.is_file():
        raise ConfigError(f"{target}: not empty and no clone; choose another folder")
    listed = _run(address, *git, "config", "--file", str(file), "--no-includes", "--null", "--list")
    pairs = (line.partition("\n") for line in listed.split("\0") if line)
    settings = {name: value for name, _, value in pairs}
    if settings.get("remote.origin.url") != address:
        raise ConfigError(
            f"{target}: a clone of {settings.get('remote.origin.url')}, not of {address}; choose another folder"
        )
    for name in settings:
        if not _PLAIN.fullmatch(name):
            raise ConfigError(
                f"{file}: sets {name}, which no clone of ours has; choose another folder, or remove the line"
            )


def _run(address: str, *command: str) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=os.environ | {"GIT_TERMINAL_PROMPT": "0"}
    )
    if done.returncode:
        raise ConfigError(f"git could not fetch {address}: {done.stderr.strip() or 'no message'}")
    return done.stdout.strip()


def unpack(address: str, folder: Path, wanted: Sequence[str], sha256: str = "") -> str:
    """Extract the `wanted` files from any folder of a zip archive into `folder`, and overwrite existing ones.

    Returns the archive's SHA-256, which must be `sha256` if that is given. Raises ConfigError.
    """
    with tempfile.TemporaryFile() as packed:
        try:
            with urllib.request.urlopen(address, timeout=60) as reply:
                while part := reply.read(2**20):
                    packed.write(part)
                    if packed.tell() > _ARCHIVE:
                        raise ConfigError(f"{address}: is larger than {_ARCHIVE:,} bytes")
            packed.seek(0)
            found_hash = hashlib.file_digest(packed, "sha256").hexdigest()
            if sha256 and found_hash != sha256:
                raise ConfigError(
                    f"{address}: expected the SHA-256 {sha256}, found {found_hash}: the archive was changed"
                )
            _unpack(zipfile.ZipFile(packed), address, folder, wanted)
        except (OSError, zipfile.BadZipFile) as error:
            raise ConfigError(
                f"could not fetch {address}: {error}; download it by hand and unpack it as {folder}"
            ) from None
    return found_hash


def _unpack(archive: zipfile.ZipFile, address: str, folder: Path, wanted: Sequence[str]) -> None:
    # Files are named by their base names, which are ours: no path of the archive is followed.
    found = [m for m in archive.infolist() if PurePosixPath(m.filename).name in wanted]
    found = [m for m in found if not m.filename.startswith("__MACOSX")]
    if not found or any(m.file_size > _LIMIT for m in found):
        raise ConfigError(f"{address}: expected {', '.join(wanted)}, found {archive.namelist()[:5]}")
    folder.mkdir(parents=True, exist_ok=True)
    for member in found:  # zipfile reads no more than file_size bytes
        with archive.open(member) as content, replacing(folder / PurePosixPath(member.filename).name) as file:
            shutil.copyfileobj(content, file)
