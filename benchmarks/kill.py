"""Kill a run with SIGKILL at random moments, let it end, and compare it with an undisturbed one.

    python benchmarks/kill.py [--kills 10] [-- flags of `evalsuite run`, without --out]

Prints after each kill how many replies are stored. Ends with 1 if a byte of results.json or records/ differs, a reply is
missing, or one was asked twice.
"""

from __future__ import annotations

import argparse
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def replies(run: Path) -> tuple[int, int]:
    """The number of stored replies, and the largest number of answers to one request."""
    if not (run / "store.sqlite").is_file():
        return 0, 0
    with sqlite3.connect(run / "store.sqlite") as db:
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'replies'").fetchone():
            return 0, 0
        count, most = db.execute("SELECT count(*), max(asked) FROM replies").fetchone()
        return count, most or 0


def product_bytes(run: Path) -> dict[str, bytes]:
    """The files that two equal runs share, results.json and records/: path -> content."""
    return {str(p.relative_to(run)): p.read_bytes() for p in [run / "results.json", *sorted(run.glob("records/*"))]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("flags", nargs="*", default=["--model", "tiny-zh", "--limit", "24", "--shots", "0,1"])
    arguments = parser.parse_args()
    rng = random.Random()
    with tempfile.TemporaryDirectory() as folder:
        plain, killed = Path(folder) / "plain", Path(folder) / "killed"

        def start(out: Path) -> subprocess.Popen[bytes]:
            words = [sys.executable, "-m", "evalsuite.cli", "run", *arguments.flags, "--out", str(out)]
            return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        began = time.perf_counter()
        assert start(plain).wait() == 0
        whole = time.perf_counter() - began
        total, _ = replies(plain)
        print(f"undisturbed: {total} replies in {whole:.1f} s", flush=True)
        for kill in range(1, arguments.kills + 1):
            # One kill in five hits while the model loads, the others after a random number of replies.
            early = rng.random() < 0.2
            goal = replies(killed)[0] + rng.randint(1, max(1, total // (arguments.kills + 2)))
            process = start(killed)
            moment = time.perf_counter()
            while process.poll() is None and not early and replies(killed)[0] < goal:
                time.sleep(0.02)
            time.sleep(rng.uniform(0.5, 4) if early else rng.uniform(0, 0.5))
            assert process.poll() is None, "the run ended before it could be killed"
            process.send_signal(signal.SIGKILL)
            process.wait()
            print(
                f"kill {kill} after {time.perf_counter() - moment:.1f} s: {replies(killed)[0]} replies stored",
                flush=True,
            )
        assert start(killed).wait() == 0
        count, most = replies(killed)
        same = product_bytes(plain) == product_bytes(killed)
        print(
            f"{arguments.kills} kills: {count} of {total} replies, each answered at most {most} time(s), results the same: {same}"
        )
        sys.exit(not (same and count == total and most == 1))


if __name__ == "__main__":
    main()
