"""Fuzzing: whatever a reader is given, it returns a value or raises an EvalsuiteError, within SLOW seconds of CPU
time (sqlite3.Error for a damaged store).

`make fuzz` runs it for FUZZ_SECONDS (default 900) over all targets in turn; `python tests/fuzz/fuzz.py records store` over two.
Seeds are the fixtures and the bundled sample; changes are of bytes, and of values within JSON and YAML. An input that breaks
the property is written to tests/fixtures/fuzz/TARGET/, and tests/test_fuzz.py reads it from then on. Nothing is random but
the seed, which is printed (FUZZ_SEED).
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import random
import shutil
import sqlite3
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from functools import cache, partial
from io import StringIO
from pathlib import Path
from typing import Any

import yaml

import evalsuite
from evalsuite.analyses.judged.replies import read_verdict
from evalsuite.analyses.judged.scale import JudgeScale
from evalsuite.analyses.saved import load_results
from evalsuite.backends.models import load_models
from evalsuite.backends.scripted import ReplyFile
from evalsuite.benchmarks.registry import open_corpus
from evalsuite.common.bounds import OutOfTime, cpu_limit
from evalsuite.common.errors import EvalsuiteError
from evalsuite.common.resources import bundled
from evalsuite.exchange.batch import parse_rows, read_rows
from evalsuite.exchange.submit.submission import SUMS, make_submission, sums
from evalsuite.exchange.submit.verdict import check_submission
from evalsuite.parse import parse_option, parse_options, parse_sentence, parse_span, parse_verbatim
from evalsuite.review.audit.outputs import population

TESTS = Path(__file__).parents[1]
FAULTS_FOLDER = TESTS / "fixtures" / "fuzz"
SLOW = 20.0
HEAD = {"name": "B", "who": "somebody", "contact": "a@example.org", "licence": "CC-BY-4.0", "notes": "none"}
OPTIONS = {"(a)": "科幻片", "(b)": "恐怖片", "(c)": "喜剧片"}
DIALOGUE = ["A: 今天零下十度，冻死我了。", "B: 是啊，我把短袖都穿上了。"]
ODD: list[Any] = [
    None, True, 0, -1, 10**30, 0.5, float("nan"), float("inf"), "", " ", "\0", "\ud800", "../x", "x" * 5000, [], {}, [[]],
    [None], {"": None}, "2024-13-99", "event_cause", [1, "2"],
]  # fmt: skip
WORDS = (
    "(a)",
    "答案",
    "选",
    "不是",
    "**",
    "</think>",
    "\\boxed{",
    "4分",
    "得分：",
    "\n",
    " " * 99,
    "“",
    "1.",
    "\u202e",
    "\ufffe",
)


@dataclass(frozen=True)
class Target:
    """A reader of bytes, and the bytes to begin with."""

    seeds: Callable[[], list[bytes]]
    read: Callable[[bytes, Path], Any]  # bytes, an empty folder


# --- seeds and readers


def _texts() -> list[bytes]:
    files = (TESTS / "fixtures").glob("*replies/*.jsonl")
    return [
        json.loads(line)["output"].encode("utf-8", "surrogatepass") for f in files for line in f.open(encoding="utf-8")
    ]


def _reply(parse: Callable[[str], Any], raw: bytes, folder: Path) -> Any:
    return parse(raw.decode("utf-8", "surrogateescape"))


@cache
def _run_and_submission() -> Path:
    """A run with all that a run holds, and its submission."""
    home = Path(tempfile.mkdtemp(prefix="evalsuite-fuzz-"))
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        evalsuite.run(model=["lexical"], tasks=["event_cause", "conflict_detection", "domain_identification"], set="easy",
                      limit=2, out=home / "run")  # fmt: skip
        make_submission(home / "run", home / "submission", HEAD, {"trained_on": [], "statement": "no"})
    return home


def _seed_file(place: str) -> list[bytes]:
    path = next(_run_and_submission().glob(place))
    raw = path.read_bytes()
    return [gzip.decompress(raw) if path.suffix == ".gz" else raw]


def _in_folder(of: str, place: str, read: Callable[[Path], Any], raw: bytes, folder: Path) -> Any:
    """`read` a copy of the run or submission in which one file is `raw`."""
    copy = Path(shutil.copytree(_run_and_submission() / of, folder / of))
    path = next(copy.glob(place))
    path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)
    if of == "submission":
        (copy / SUMS).write_text("".join(f"{digest}  {name}\n" for name, digest in sums(copy)))
    return read(copy)


def _read_folder(copy: Path) -> None:
    """Every reader of a folder that others made."""
    for read in (load_results, population, lambda c: evalsuite.report([c], c.parent / "site"), check_submission):
        with suppress(EvalsuiteError):
            read(copy)


def _data(benchmark: str) -> Iterator[tuple[str, Path, Any, str, str]]:
    corpus = open_corpus(benchmark, bundled("sample"))
    for split in corpus.benchmark.splits:
        for task, item_set in corpus.files(split):
            path = corpus.path(task, item_set, split)
            if path.is_relative_to(corpus.root):  # CEDAR also has sets from CORECODE's files
                yield f"{task.name}/{item_set}/{split}", path.relative_to(corpus.root), task, item_set, split


def _data_seeds(benchmark: str) -> list[bytes]:
    """Files of a benchmark to begin with, each behind a line that says which file it is."""
    root = open_corpus(benchmark, bundled("sample")).root
    seeds: dict[Path, bytes] = {}
    for name, path, *_ in _data(benchmark):
        lines = (root / path).read_bytes().splitlines(keepends=True)
        seeds.setdefault(path, name.encode() + b"\n" + b"".join(lines if path.suffix == ".json" else lines[:4]))
    return list(seeds.values())


def _data_read(benchmark: str, raw: bytes, folder: Path) -> Any:
    name, _, content = raw.partition(b"\n")
    known = {name: rest for name, *rest in _data(benchmark)}
    path, task, item_set, split = known.get(name.decode(errors="replace")) or next(iter(known.values()))
    root = open_corpus(benchmark, bundled("sample")).root
    copy = Path(shutil.copytree(root, folder / benchmark))
    (copy / path).write_bytes(content)
    return open_corpus(benchmark, folder, skip_bad=len(raw) % 2 == 0).file(task, item_set, split)


def _read_file(name: str, read: Callable[[Path], Any], raw: bytes, folder: Path) -> Any:
    (folder / name).write_bytes(raw)
    return read(folder / name)


REPLIES = b"".join(json.dumps(x).encode() + b"\n" for x in (
    {"item": "corecode/easy/test/event_cause/0", "text": "(a)", "variant": "paper", "shots": 0}, {"item": "x", "error": "none"}))  # fmt: skip
LINES = b"".join(json.dumps(x).encode() + b"\n" for x in (
    {"output": "(a)", "options": OPTIONS}, {"output": "短袖", "dialogue": DIALOGUE, "question": "抽取"}))  # fmt: skip

TARGETS: dict[str, Target] = {
    "option": Target(_texts, partial(_reply, lambda text: parse_option(text, OPTIONS))),
    "options": Target(_texts, partial(_reply, lambda text: parse_options(text, OPTIONS))),
    "span": Target(_texts, partial(_reply, lambda text: parse_span(text, dialogue=DIALOGUE, question="抽取"))),
    "verbatim": Target(_texts, partial(_reply, lambda text: parse_verbatim(text, dialogue=DIALOGUE))),
    "sentence": Target(_texts, partial(_reply, parse_sentence)),
    "judge": Target(_texts, partial(_reply, lambda text: read_verdict(text, [JudgeScale("score", 0, 5)]))),
    "scales": Target(_texts, partial(_reply, lambda text: read_verdict(text, [JudgeScale("a", 1, 5, "甲"), JudgeScale("b", 1, 5, "乙")]))),
    **{name: Target(partial(_data_seeds, name), partial(_data_read, name)) for name in ("corecode", "cicero", "cider", "glucose", "cedar")},
    "models": Target(lambda: [bundled("models.yaml").read_bytes()], partial(_read_file, "models.yaml", load_models)),
    "replies": Target(lambda: [REPLIES], partial(_read_file, "replies.jsonl", ReplyFile)),
    "parse": Target(lambda: [LINES], partial(_read_file, "parse.jsonl", lambda path: list(parse_rows(read_rows(path))))),
    "form": Target(partial(_seed_file, "submission/submission.yaml"), partial(_in_folder, "submission", "submission.yaml", check_submission)),
    "results": Target(partial(_seed_file, "submission/results.json"), partial(_in_folder, "submission", "results.json", _read_folder)),
    "manifest": Target(partial(_seed_file, "submission/manifest.json"), partial(_in_folder, "submission", "manifest.json", _read_folder)),
    "records": Target(partial(_seed_file, "submission/records/*"), partial(_in_folder, "submission", "records/*", _read_folder)),
    "store": Target(partial(_seed_file, "run/store.sqlite"), partial(_in_folder, "run", "store.sqlite", evalsuite.score)),
}  # fmt: skip


# --- changes


def mutate(raw: bytes, rng: random.Random) -> bytes:
    """The input with one to four changes."""
    for _ in range(rng.choice((1, 1, 2, 4))):
        raw = rng.choice((_mutate_document, _mutate_document, _mutate_document, _mutate_bytes))(raw, rng)
    return raw


def _mutate_bytes(raw: bytes, rng: random.Random) -> bytes:
    at, size = rng.randrange(len(raw) + 1), rng.choice((0, 1, 2, 8, 64))
    word = rng.choice(WORDS).encode()
    more = rng.choice(
        (b"", word, bytes([rng.randrange(256)]), raw[at : at + size] * rng.choice((2, 50)), word * 99, b"[" * 999)
    )
    return raw[:at] + more + raw[at + size :]


def _mutate_document(raw: bytes, rng: random.Random) -> bytes:
    """Change a value of JSON, of a line of JSON, or of YAML; else some bytes."""
    lines = raw.split(b"\n")
    at = rng.randrange(len(lines))
    for part, before, after in (
        (raw, b"", b""),
        (lines[at], b"\n".join(lines[:at]) + b"\n" * (at > 0), b"\n".join([b"", *lines[at + 1 :]])),
    ):
        for load, dump in ((json.loads, json.dumps), (yaml.safe_load, partial(yaml.safe_dump, allow_unicode=True))):
            if load is yaml.safe_load and (part is not raw or b": " not in raw[:400] or len(raw) > 20_000):
                continue
            try:
                tree = load(part)
                _mutate_value(tree, rng)
                return before + dump(tree).encode("utf-8", "surrogatepass") + after
            except (ValueError, RecursionError, TypeError, yaml.YAMLError):
                continue
    return _mutate_bytes(raw, rng)


def _mutate_value(tree: Any, rng: random.Random) -> None:
    places = [
        (tree, key) for tree in _containers(tree) for key in (tree if isinstance(tree, dict) else range(len(tree)))
    ]
    if not places:
        raise ValueError("nothing to change")
    inside, key = rng.choice(places)
    kind = rng.randrange(5)
    if kind == 0:
        del inside[key]
    elif kind == 1 and isinstance(inside, dict):
        inside[rng.choice(("", "x", "models", "\ud800"))] = inside[key]
    elif kind == 2 and isinstance(inside, list):
        inside += [inside[key]] * rng.choice((1, 300))
    elif kind == 3:
        other, at = rng.choice(places)
        inside[key] = json.loads(json.dumps(other[at], default=str))
    else:
        inside[key] = rng.choice(ODD)


def _containers(tree: Any) -> Iterator[Any]:
    if isinstance(tree, dict | list):
        yield tree
        for inner in tree.values() if isinstance(tree, dict) else tree:
            yield from _containers(inner)


# --- the property


def fault_of(target: Target, raw: bytes) -> str:
    """The fault in reading an input: a trace, or that it took too long; else ""."""
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        try:
            with cpu_limit(SLOW):
                target.read(raw, Path(folder))
        except (EvalsuiteError, sqlite3.Error):  # a damaged store: the command line reports it
            return ""
        except OutOfTime:
            return f"took more than {SLOW:.0f} seconds\n{traceback.format_exc(limit=-3)}"
        except Exception:
            return traceback.format_exc(limit=-6)
    return ""


def fuzz(names: list[str], seconds: float, seed: int) -> int:
    """Run the targets in turn. Prints every new fault, by the place where it is raised, and returns their number."""
    rng = random.Random(f"{seed}:fuzz")
    tried, faults = dict.fromkeys(names, 0), dict[str, str]()
    seeds = {name: TARGETS[name].seeds() for name in names}
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for name in names:
            until = min(end, time.monotonic() + 2)
            while time.monotonic() < until:
                raw = mutate(rng.choice(seeds[name]), rng)
                tried[name] += 1
                if told := fault_of(TARGETS[name], raw):
                    place = name + "".join(line for line in told.splitlines() if line.startswith("  File"))[-400:]
                    if place not in faults:
                        faults[place] = told
                        path = FAULTS_FOLDER / name / hashlib.sha256(raw).hexdigest()[:12]
                        path.parent.mkdir(parents=True, exist_ok=True)
                        path.write_bytes(raw)
                        print(f"--- {path}\n{told}", flush=True)
    print(f"{len(faults)} faults; tried with seed {seed}: {', '.join(f'{n} {name}' for name, n in tried.items())}")
    return len(faults)


if __name__ == "__main__":
    chosen = sys.argv[1:] or list(TARGETS)
    seed = int(os.environ.get("FUZZ_SEED") or random.SystemRandom().randrange(10**6))
    sys.exit(1 if fuzz(chosen, float(os.environ.get("FUZZ_SECONDS") or 900), seed) else 0)
