"""10,000 requests of a whole run through the batch API of a misbehaving server, with the client killed several times.

    python benchmarks/batches.py [--requests 10000] [--kill 4] [--seed 0] [--budget 60]

Each kill comes after a random number of calls. Prints what the server did and what the run has. Exits with 1 if a request
is lost or mixed up, a prompt was answered and charged twice by the server's own count, or our books show less than was charged.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import signal
import sys
import tempfile
import time
from contextlib import AbstractContextManager
from pathlib import Path

from faults import KEY, account, asking_seconds, prepare, replies, rows, server_process, start

from evalsuite.backends.openai.faults import reply_of

LINES = "429=0.03,500=0.05,server_error=0.02,no-choices=0.01,missing=0.01,twice=0.02,400=0.005,400-filter=0.005"
CALLS = "500=0.04,429=0.03,drop=0.03,drop-after=0.06,500-after=0.03,malformed=0.02,cut=0.03,half=0.03"
BATCHES = (
    "failed=0.1,failed-line=0.05,expired=0.1,expired-silent=0.05,expired-late=0.05,cancelled=0.05,no-errors=0.05,"
    "late=0.1,late-half=0.1"
)
SETTINGS = "batch: {requests: 1000, at_once: 6, poll: 0.5, discount: 0.5}, backoff: 0.1, attempts: 12"


def server(seed: int) -> AbstractContextManager[str]:
    words = f"--mix {LINES} --calls {CALLS} --batches {BATCHES} --seconds 3 --late 3 --queue 3000000"
    return server_process("batch_faults", seed, *words.split())


def measure(folder: Path, requests: int, kills: int, seed: int, budget: float) -> bool:
    rng = random.Random(seed)
    with server(seed) as url:
        command, run = prepare(folder, url, requests), folder / "run"
        models = folder / "models.yaml"
        models.write_text(models.read_text().replace("backoff: 0.05", SETTINGS))
        command += ["--budget", str(budget)]
        began = time.perf_counter()
        for kill in range(1, kills + 1):
            goal = sum(account(url)["calls"].values()) + rng.randint(1, 250)
            process = start(command)
            while process.poll() is None and sum(account(url)["calls"].values()) < goal:
                time.sleep(0.5)
            assert process.poll() is None, "the run ended before it could be killed"
            process.send_signal(signal.SIGKILL)
            process.wait()
            report, ((noted,),) = account(url), rows(run, "SELECT count(*) FROM batches")
            print(
                f"kill {kill}: {len(replies(run)):,} replies stored, {noted} batches noted, {report['batches']}",
                flush=True,
            )
        code = start(command).wait()
        seconds = time.perf_counter() - began
        report, stored = account(url), replies(run)
    ((request_count,),) = rows(run, "SELECT count(DISTINCT key) FROM requests")
    errors = rows(run, "SELECT error FROM failures")
    lost = request_count - len(stored) - len(errors)
    filtered = rows(run, "SELECT count(*) FROM replies WHERE finish = 'content_filter'")[0][0]
    mixed = sum(text != reply_of(name) for name, text in stored.items()) - filtered
    ((most,),) = rows(run, "SELECT max(asked) FROM replies")
    ((spent,),) = rows(run, "SELECT sum(cost) FROM spent")
    ((open_,),) = rows(run, "SELECT count(*) FROM batches")
    charged = 0.5 * (report["charged"]["prompt_tokens"] + 2 * report["charged"]["new_tokens"]) / 1e6
    shown = sum(KEY.encode() in path.read_bytes() for path in run.rglob("*") if path.is_file())
    print(
        f"\n{request_count:,} distinct requests in {seconds:.0f} s, start-ups included ({asking_seconds(run):.0f} s of them in the "
        f"last start); exit {code}"
    )
    print("calls:   " + ", ".join(f"{k} {n:,}" for k, n in sorted(report["calls"].items(), key=lambda x: -x[1])))
    print("lines:   " + ", ".join(f"{k} {n:,}" for k, n in sorted(report["kinds"].items(), key=lambda x: -x[1])))
    print(f"batches: {report['batches']}, {report['files']} files")
    for line in sorted(set(re.findall(r"a batch of .*|.*may be paid twice.*", (run / "run.log").read_text())))[:4]:
        print(f"log: {line[:160]}")
    print(f"replies                             {len(stored):6,}")
    print(f"recorded failures                   {len(errors):6,}  {'; '.join(sorted({e for (e,) in errors})[:2])}")
    print(f"lost                                {lost:6,}")
    print(f"mixed up                            {mixed:6,}")
    print(f"answered and charged twice          {report['twice']:6,}  (a key was stored at most {most} time)")
    print(f"batches still noted                 {open_:6,}")
    print(f"files of the run that show the key  {shown:6,}")
    print(f"spent by our books {spent:.6f}, charged by the server {charged:.6f}, budget {budget:g}", flush=True)
    good = code in (0, 1) and spent >= charged - 1e-9 and spent <= budget
    return good and not (lost or mixed or report["twice"] or most != 1 or open_ or shown)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--kill", type=int, default=4, help="kill -9 the client so often")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--budget", type=float, default=60)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as name:
        sys.exit(not measure(Path(name), arguments.requests, arguments.kill, arguments.seed, arguments.budget))


if __name__ == "__main__":
    main()
