"""Time and memory of screening real dialogues with a made-up knowledge file of 5 million edges.

    python benchmarks/screen.py DIALOGUES… [--edges 5000000] [--jobs 2] [--folder DIR] [--gz]

The file has ConceptNet's format and Chinese edges alone. Its terms are the dialogues' words and those of jieba's dictionary;
a tenth of the edges connects two of the dialogues' words, and one word is a hub with a fiftieth of all edges, like 人.
A quarter, half and all of the dialogues are screened, each in a process of its own whose peak memory is measured, with its
workers'. All are screened once before, which makes the index.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from itertools import islice
from pathlib import Path
from random import Random

from evalsuite.authoring.concepts import jieba_concepts
from evalsuite.authoring.dialogues import dialogue_files, read_dialogues

RELATIONS = [
    "RelatedTo",
    "IsA",
    "AtLocation",
    "UsedFor",
    "Causes",
    "HasProperty",
    "CapableOf",
    "Synonym",
    "HasSubevent",
]
DETAILS = '{"dataset": "/d/made-up", "license": "cc:by/4.0", "weight": 1.0}'


def make_knowledge(path: Path, edges: int, words: list[str]) -> None:
    rng = Random("knowledge")
    dictionary = Path(str(import_module("jieba").__file__)).with_name("dict.txt").read_text(encoding="utf-8")
    others = [line.split(" ")[0] for line in dictionary.splitlines()]  # 349,046 words
    both = words + others
    with (
        gzip.open(path, "wt", 1, encoding="utf-8") if path.suffix == ".gz" else path.open("w", encoding="utf-8") as out
    ):
        for n in range(edges):
            known = words if n % 10 == 0 else both
            head = words[0] if n % 50 == 1 else rng.choice(known)
            start, end = f"/c/zh/{head}", f"/c/zh/{rng.choice(known)}"
            relation = f"/r/{RELATIONS[int(rng.random() * len(RELATIONS))]}"
            out.write(f"/a/[{relation}/,{start}/,{end}/]\t{relation}\t{start}\t{end}\t{DETAILS}\n")


def family(pid: int) -> list[int]:
    """The ids of a process and of its descendants."""
    pids = [pid]
    for task in Path(f"/proc/{pid}/task").glob("*"):
        try:
            children = (task / "children").read_text().split()
        except OSError:
            continue
        for child in children:
            pids += family(int(child))
    return pids


def memory(pid: int) -> float:
    """The present memory of a process and of its descendants, in MB; shared pages count once (PSS)."""
    total = 0
    for process in family(pid):
        try:
            lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


def run_watched(words: list[str]) -> tuple[float, float, float]:
    """Run `evalsuite` with these words: its seconds, its CPU seconds and its peak MB, workers included."""
    before, began, peak = os.times(), time.perf_counter(), 0.0
    process = subprocess.Popen([sys.executable, "-m", "evalsuite.cli", *words], stdout=subprocess.DEVNULL)
    while process.poll() is None:
        peak = max(peak, memory(process.pid))
        time.sleep(0.1)
    assert process.returncode == 0
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - began, cpu, peak


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dialogues", nargs="+", type=Path)
    parser.add_argument("--edges", type=int, default=5_000_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--folder", type=Path, help="where to work, and leave the knowledge file; else a temporary folder"
    )
    parser.add_argument("--gz", action="store_true", help="pack the knowledge file, as the official one is")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        everything = list(read_dialogues(dialogue_files(arguments.dialogues)))
        Random("dialogues").shuffle(everything)  # in their own order, a quarter would be of one corpus
        knowledge = folder / ("knowledge.csv.gz" if arguments.gz else "knowledge.csv")
        if not knowledge.exists():
            texts = (text for d in everything for text in d.utterances)
            make_knowledge(
                knowledge, arguments.edges, sorted({w for t in islice(texts, 6000) for w in jieba_concepts(t)})
            )
        print(f"knowledge: {arguments.edges:,} edges, {knowledge.stat().st_size / 1e6:,.0f} MB", flush=True)
        index = folder / "index.sqlite"
        index.unlink(missing_ok=True)
        total, before = len(everything), None
        for count in (total, total // 4, total // 2, total):  # the first makes the index, too
            file = folder / f"dialogues-{count}.jsonl"
            rows = ({"id": f"{n}-{d.source}-{d.id}", "dialogue": d.turns} for n, d in enumerate(everything[:count]))
            file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
            with tempfile.TemporaryDirectory() as out:
                files = ["--knowledge", str(knowledge), "--index", str(index), "--out", out]
                there = index.exists()
                seconds, cpu, peak = run_watched(["build", "screen", str(file), *files, "--jobs", str(arguments.jobs)])
                counts = json.loads((Path(out) / "counts.json").read_text(encoding="utf-8"))
            what = "its index there" if there else "reading the file"
            print(
                f"{count:5} dialogues, {what}: {seconds:6.1f} s, {cpu:6.1f} CPU s, peak {peak:5.0f} MB,"
                f" {1000 * cpu / count:6.1f} CPU ms a dialogue, {counts['kept']} kept",
                flush=True,
            )
            if there and before:
                more = 1000 * (cpu - before[1]) / (count - before[0])
                print(f"{before[0]:5} to {count}: {more:.1f} CPU ms for each more", flush=True)
            before = (count, cpu) if there else None
        print(f"index: {index.stat().st_size / 1e6:,.0f} MB")


if __name__ == "__main__":
    main()
