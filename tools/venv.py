"""Make a virtual environment with the Python that runs this file.

    python3 tools/venv.py .venv                # keeps a complete environment, whichever Python made it
    python3.12 tools/venv.py .venv --this      # makes it again if another Python made it
    python3.12 tools/venv.py .venv --is-this   # exit code 0 if it is complete and this Python made it

An incomplete environment (no ensurepip, killed) is always made again. The file runs on old Pythons, too, and says that they are
too old.
"""

from __future__ import print_function

import os
import subprocess
import sys

OLDEST = (3, 11)  # requires-python of pyproject.toml


# A link to a Python is no complete environment, and may find the system's pip.
PROBE = """
import pip, platform, sys
assert sys.prefix != sys.base_prefix
assert pip.__file__.startswith(sys.prefix) or not pip.__file__.startswith(sys.base_prefix)
print(platform.python_version())
"""


def version_of(folder):
    """The version of a complete environment's Python, such as "3.11.7"; None if there is no environment, or it lacks pip."""
    python = os.path.join(folder, "Scripts" if os.name == "nt" else "bin", "python")
    try:
        probe = subprocess.Popen([python, "-c", PROBE], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except OSError:
        return None
    version = probe.communicate()[0].decode()
    return version.strip() if probe.returncode == 0 else None


def main(folder, flag=""):
    """Make the environment; returns the exit code."""
    made_by = version_of(folder)
    this = ".".join(map(str, sys.version_info[:3]))
    if flag == "--is-this":
        return 0 if made_by == this else 1
    if made_by == this or (made_by and not flag):
        return 0
    if sys.version_info < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        print(
            "evalsuite needs Python {} or later, and {} is Python {}: name a newer one, as in `make run PYTHON=python3.12`".format(
                oldest, sys.executable, this
            ),
            file=sys.stderr,
        )
        return 1
    return subprocess.call([sys.executable, "-m", "venv", "--clear", folder])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
