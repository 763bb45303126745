"""Download a benchmark's official data (`evalsuite data pull`)."""

from __future__ import annotations

import io
import shutil
import subprocess
import urllib.request
import zipfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from evalsuite.benchmarks.corpus import Corpus
from evalsuite.benchmarks.registry import BENCHMARKS, open_corpus
from evalsuite.common.errors import ConfigError, unknown
from evalsuite.types import Archives

_LIMIT = 300_000_000  # bytes of an unpacked file; ten times the largest official one


def pull(benchmark: str, target: Path, address: str = "") -> Corpus:
    """Download a benchmark into `target`, from `address` or its own. Raises ConfigError if that fails."""
    if benchmark not in BENCHMARKS:
        raise ConfigError(unknown("benchmark", benchmark, BENCHMARKS))
    known = BENCHMARKS[benchmark]
    source = address or known.address
    if isinstance(source, Archives):
        for name, archive in source.addresses.items():
            unpack(archive, target / name / "data", source.files)
    elif source:
        clone(target, source)
    else:
        raise ConfigError(f"{known.title} cannot be fetched: {known.no_address or 'it names no address'}")
    return open_corpus(benchmark, target)


def clone(target: Path, address: str) -> None:
    """Clone a git repository into `target`, or update an earlier clone there. Raises ConfigError."""
    git = shutil.which("git")
    if git is None:
        raise ConfigError("git is not installed; install it, or download the repository by hand and give --data DIR")
    if (target / ".git").is_dir():
        command = [git, "-C", str(target), "pull", "--ff-only", "--quiet"]
    elif target.exists() and any(target.iterdir()):
        raise ConfigError(f"{target}: not empty and no clone; choose another folder")
    else:
        command = [git, "clone", "--depth", "1", "--quiet", "--", address, str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ConfigError(f"git could not fetch {address}: {done.stderr.strip() or 'no message'}")


def unpack(address: str, folder: Path, wanted: Sequence[str]) -> None:
    """Extract the `wanted` files from any folder of a zip archive into `folder`, and overwrite existing ones."""
    try:
        with urllib.request.urlopen(address, timeout=60) as reply:
            archive = zipfile.ZipFile(io.BytesIO(reply.read()))
    except (OSError, zipfile.BadZipFile) as error:
        raise ConfigError(
            f"could not fetch {address}: {error}; download it by hand and unpack it as {folder}"
        ) from None
    found = [m for m in archive.infolist() if PurePosixPath(m.filename).name in wanted]
    found = [m for m in found if not m.filename.startswith("__MACOSX")]
    if not found or any(m.file_size > _LIMIT for m in found):
        raise ConfigError(f"{address}: expected {', '.join(wanted)}, found {archive.namelist()[:5]}")
    folder.mkdir(parents=True, exist_ok=True)
    for member in found:
        (folder / PurePosixPath(member.filename).name).write_bytes(archive.read(member))
