"""10,000 requests of a whole run to a server that misbehaves on purpose, with the client killed several times.

    python benchmarks/faults.py [--requests 10000] [--kill 4] [--mix …] [--ratio]

Prints what the server did, and the run's numbers of replies, of recorded failures, and of requests that were lost, mixed up, or
sent again after their reply was stored. Exits with 1 if one of the last three is not 0. --ratio: without faults, the time beside
that of a bare loop on the same client library.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from load import write

from evalsuite.backends.openai.faults import MIX, parse_mix, prompt_id, reply_of

KEY = "sk-marker-0123456789abcdef"


def server(mix: str, seed: int) -> AbstractContextManager[str]:
    """A misbehaving server with short waits, so that a run takes minutes."""
    return server_process("faults", seed, "--mix", mix, "--retry-after", "0.2", "--stall", "3")


@contextmanager
def server_process(module: str, seed: int, *words: str) -> Iterator[str]:
    """The address of a server of evalsuite.backends.openai in a process of its own, as an endpoint is."""
    command = [sys.executable, "-m", f"evalsuite.backends.openai.{module}", "--port", "0", "--seed", str(seed), *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        yield process.stdout.readline().split()[-1]
    finally:
        process.terminate()
        process.wait()


def account(url: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"{url}/account") as answer:
        counts: dict[str, Any] = json.load(answer)
    return counts


def prepare(folder: Path, url: str, requests: int) -> list[str]:
    """Write the data and a models.yaml; returns the command of the run."""
    write(folder / "corpus", requests)
    (folder / "models.yaml").write_text(
        f"models: [{{name: m, backend: openai, path: x, chat: true, api: {{base_url: '{url}', key_env: MARKER_KEY, timeout: 1.5, "
        "backoff: 0.05, price: {input: 1, output: 2}}}]"
    )
    folders = {"--models": folder / "models.yaml", "--data": folder / "corpus", "--out": folder / "run"}
    words = [str(word) for flag_and_value in folders.items() for word in flag_and_value]
    return [sys.executable, "-m", "evalsuite.cli", "run", *words, "--baselines", "none"]


def rows(run: Path, query: str) -> list[Any]:
    if not (run / "store.sqlite").is_file():
        return []
    with sqlite3.connect(run / "store.sqlite", timeout=60) as db:
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'spent'").fetchone():
            return []
        return db.execute(query).fetchall()


def replies(run: Path) -> dict[str, str]:
    """The id of a prompt in the account -> its stored reply."""
    pairs = rows(run, "SELECT r.request, p.text FROM requests r JOIN replies p ON p.key = r.key")
    return {prompt_id(_prompt(packed)): text for packed, text in pairs}


def _prompt(packed: bytes) -> str:
    return "\n".join(m["content"] for m in json.loads(zlib.decompress(packed))["messages"])


def start(command: list[str]) -> subprocess.Popen[bytes]:
    env = {**os.environ, "MARKER_KEY": KEY}
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env)


def asking_seconds(run: Path) -> float:
    """Seconds from the first request to the last reply, by the run's log. Starts that were killed do not count."""
    return sum(float(s) for s in re.findall(r"tokens, ([\d.]+) s$", (run / "run.log").read_text(), re.M))


def faults(folder: Path, requests: int, kills: int, mix: str, seed: int) -> bool:
    rng = random.Random(seed)
    with server(mix, seed) as url:
        command, run = prepare(folder, url, requests), folder / "run"
        # Prompts that had a reply when the client was killed -> how often they were asked by then.
        times_at_kill: dict[str, int] = {}
        began = time.perf_counter()
        for kill in range(1, kills + 1):
            goal = requests * kill // (kills + 1) + rng.randint(-requests // 50, requests // 50)
            process = start(command)
            while process.poll() is None and rows(run, "SELECT count(*) FROM replies")[:1] < [(goal,)]:
                time.sleep(0.05)
            process.send_signal(signal.SIGKILL)
            process.wait()
            time.sleep(0.5)  # the server notices that the client is gone
            times = account(url)["prompts"]
            now = replies(run)
            times_at_kill |= {name: times[name]["times"] for name in now.keys() - times_at_kill.keys()}
            print(f"kill {kill}: {len(now):,} replies stored", flush=True)
        start(command).wait()
        seconds = time.perf_counter() - began
        report, stored = account(url), replies(run)
    prompts = {prompt_id(_prompt(packed)) for (packed,) in rows(run, "SELECT request FROM requests")}
    errors = rows(run, "SELECT error FROM failures")
    lost = len(prompts) - len(stored) - len(errors)
    # The account names a prompt by its hash, and the server makes the reply from that hash.
    mixed = sum(text != reply_of(name) for name, text in stored.items())
    again = sum(report["prompts"][name]["times"] - times for name, times in times_at_kill.items())
    ((most,),) = rows(run, "SELECT max(asked) FROM replies")
    ((spent,),) = rows(run, "SELECT sum(cost) FROM spent")
    charged = (report["charged"]["prompt_tokens"] + 2 * report["charged"]["new_tokens"]) / 1e6
    shown = sum(KEY.encode() in path.read_bytes() for path in run.rglob("*") if path.is_file())
    unseen = sum(max(0, p["whole"] - 1) for p in report["prompts"].values())
    print(
        f"\n{len(prompts):,} distinct requests, asked {report['requests']:,} times in {seconds:.0f} s, start-ups included"
    )
    print(
        "what the server did: "
        + ", ".join(f"{k} {n:,}" for k, n in sorted(report["kinds"].items(), key=lambda x: -x[1]))
    )
    for line in re.findall(r"requests without a reply.*|\d+ asked, \d+ tokens.*", (run / "run.log").read_text()):
        print(f"log: {line}")
    print(f"replies                             {len(stored):6,}")
    print(f"recorded failures                   {len(errors):6,}  {'; '.join(sorted({e for (e,) in errors})[:3])}")
    print(f"lost                                {lost:6,}")
    print(f"mixed up                            {mixed:6,}")
    print(f"asked again after being stored      {again:6,}  (a key was answered at most {most} time)")
    print(f"answered whole, but not read (kill) {unseen:6,}")
    print(f"sent while silence was asked for    {report['early']:6,}")
    print(f"files of the run that show the key  {shown:6,}")
    print(f"spent by our books {spent:.6f}, charged by the server at most {charged:.6f}", flush=True)
    return not (lost or mixed or again or most != 1 or shown or report["early"] or spent < charged - 1e-9)


def ratio(folder: Path, requests: int, concurrency: int) -> None:
    """Print three times: the seconds from the first request to the last reply, and those of a bare loop."""
    from evalsuite.benchmarks.corecode import BENCHMARK
    from evalsuite.benchmarks.corecode.loader import CorecodeCorpus
    from evalsuite.benchmarks.registry import TASKS
    from evalsuite.common.resources import bundled
    from evalsuite.prompt import Prompt

    for n in range(3):
        pair_folder = folder / str(n)
        pair_folder.mkdir()
        with server("none", n) as url:
            command, run = prepare(pair_folder, url, requests), pair_folder / "run"
            corpus = CorecodeCorpus(BENCHMARK, pair_folder / "corpus")
            bodies = []
            for t, item_set in corpus.files("test"):
                prompt = Prompt(bundled("prompts"), TASKS[t.name], "paper")
                for item in corpus.file(t, item_set, "test").items:
                    bodies.append((prompt.request(item).messages[-1].content, t.max_new_tokens))
            began = time.perf_counter()
            asyncio.run(bare_loop(url, bodies, concurrency))
            alone = time.perf_counter() - began
            start([*command, "--max-concurrency", str(concurrency)]).wait()
            ours = asking_seconds(run)
        print(
            f"{requests:,} requests: run {ours:.2f} s ({requests / ours:.0f}/s), bare loop {alone:.2f} s "
            f"({requests / alone:.0f}/s): {ours / alone:.2f} x",
            flush=True,
        )


async def bare_loop(url: str, bodies: list[tuple[str, int]], concurrency: int) -> None:
    from openai import AsyncOpenAI

    gate = asyncio.Semaphore(concurrency)
    async with AsyncOpenAI(api_key=KEY, base_url=url) as client:

        async def one(text: str, limit: int) -> str | None:
            async with gate:
                messages: Any = [{"role": "user", "content": text}]
                done = await client.chat.completions.create(
                    model="x", messages=messages, max_tokens=limit, temperature=0
                )
                reply: str | None = done.choices[0].message.content
                return reply

        await asyncio.gather(*(one(*body) for body in bodies))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--kill", type=int, default=0, help="kill -9 the client so often")
    parser.add_argument("--mix", default=",".join(f"{kind}={share}" for kind, share in MIX.items()))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ratio", action="store_true")
    arguments = parser.parse_args()
    parse_mix(arguments.mix)
    with tempfile.TemporaryDirectory() as name:
        if arguments.ratio:
            ratio(Path(name), arguments.requests, 32)
        else:
            good = faults(Path(name), arguments.requests, arguments.kill, arguments.mix, arguments.seed)
            sys.exit(not good)


if __name__ == "__main__":
    main()
