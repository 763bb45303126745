"""Fetch the official data by git. The only place that knows their public address."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from evalsuite.data.corecode import Corpus
from evalsuite.errors import ConfigError

ADDRESS = "https://github.com/danshi777/CORECODE.git"


def pull(target: Path, address: str = ADDRESS) -> Corpus:
    """Clone into `target`, or bring an earlier clone up to date. Raises ConfigError with what git said."""
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
    return Corpus(target)
