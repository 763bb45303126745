"""Fetch CICERO's official files: they are archives of its releases (no clone of the repository holds v1's)."""

from __future__ import annotations

import io
import urllib.request
import zipfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from evalsuite.data.cicero import SPLITS, Corpus
from evalsuite.errors import ConfigError

ARCHIVES = {
    "v1": "https://github.com/declare-lab/CICERO/releases/download/v1.0.0/data.zip",
    "v2": "https://github.com/declare-lab/CICERO/releases/download/v2.0.0/data.zip",
}
_FILES = {f"{name}.json" for name in SPLITS.values()}
_LIMIT = 300_000_000  # bytes of one file, unpacked: the largest is a tenth of it


def pull(target: Path, archives: Mapping[str, str] = ARCHIVES) -> Corpus:
    """Put train, val and test of each archive under `target`/<its name>/data/, in whatever folder of it they lie.

    Files that are there already are written anew. Raises ConfigError with what could not be fetched, and why.
    """
    for name, address in archives.items():
        try:
            with urllib.request.urlopen(address, timeout=60) as reply:
                archive = zipfile.ZipFile(io.BytesIO(reply.read()))
        except (OSError, zipfile.BadZipFile) as error:
            raise ConfigError(
                f"could not fetch {address}: {error}; download it by hand and unpack it as {target / name / 'data'}"
            ) from None
        found = [m for m in archive.infolist() if PurePosixPath(m.filename).name in _FILES]
        found = [m for m in found if not m.filename.startswith("__MACOSX")]
        if not found or any(m.file_size > _LIMIT for m in found):
            raise ConfigError(f"{address}: expected {', '.join(sorted(_FILES))}, found {archive.namelist()[:5]}")
        folder = target / name / "data"
        folder.mkdir(parents=True, exist_ok=True)
        for member in found:
            (folder / PurePosixPath(member.filename).name).write_bytes(archive.read(member))
    return Corpus(target)
