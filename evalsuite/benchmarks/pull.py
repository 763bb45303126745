"""Fetch official data. The only place that knows their public addresses, and what is known of their licences."""

from __future__ import annotations

import io
import shutil
import subprocess
import urllib.request
import zipfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from evalsuite.benchmarks.corpus import Corpus, open_corpus
from evalsuite.common.errors import ConfigError, unknown

# A repository to clone, or archives of a release, each unpacked as <its name>/data/.
ADDRESSES: dict[str, str | dict[str, str]] = {
    "corecode": "https://github.com/danshi777/CORECODE.git",
    # No clone of CICERO's repository holds v1's files.
    "cicero": {
        "v1": "https://github.com/declare-lab/CICERO/releases/download/v1.0.0/data.zip",
        "v2": "https://github.com/declare-lab/CICERO/releases/download/v2.0.0/data.zip",
    },
    "cider": "https://github.com/declare-lab/CIDER.git",
    "glucose": "https://github.com/ElementalCognition/glucose.git",  # CC BY-NC 4.0
}
_NOWHERE = (
    "CEDAR's official data could not be found anywhere: docs/cedar.md says what file to write, and what is bundled"
)
_LIMIT = 300_000_000  # bytes of one file, unpacked: the largest is a tenth of it


def pull(benchmark: str, target: Path, address: str = "") -> Corpus:
    """Fetch a benchmark into `target`. Raises ConfigError with what could not be fetched, and why."""
    if benchmark == "cedar":
        raise ConfigError(_NOWHERE)
    if benchmark not in ADDRESSES:
        raise ConfigError(unknown("benchmark", benchmark, ADDRESSES))
    known = ADDRESSES[benchmark]
    if isinstance(known, str) or address:
        clone(target, address or str(known))
    else:
        for name, archive in known.items():
            unpack(archive, target / name / "data", ("train.json", "val.json", "test.json"))
    return open_corpus(benchmark, target)


def clone(target: Path, address: str) -> None:
    """By git; an earlier clone is brought up to date."""
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
    """Put those files of an archive into `folder`, in whatever folder of it they lie; what is there is written anew."""
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
