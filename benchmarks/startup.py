"""The times of `evalsuite --help` and `import evalsuite` as ratios to `python -c "import typer"`, run in turn.

    python benchmarks/startup.py [--runs 15]

Prints the median time of each, and the median of its ratios to `import typer`. Aim: at most 2.5 for `--help`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from statistics import median

COMMANDS = {
    "import typer": [sys.executable, "-c", "import typer"],
    "import evalsuite": [sys.executable, "-c", "import evalsuite"],
    "evalsuite --help": [sys.executable, "-m", "evalsuite.cli", "--help"],
}


def seconds(command: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    for command in COMMANDS.values():  # warm the file cache
        seconds(command)
    rounds = [{name: seconds(command) for name, command in COMMANDS.items()} for _ in range(runs)]
    for name in COMMANDS:
        ratio = median(r[name] / r["import typer"] for r in rounds)
        print(f"{name:18} {median(r[name] for r in rounds):.3f} s  {ratio:.2f} ×")


if __name__ == "__main__":
    main()
