"""Checks of a submission's files: the allowed paths, the hashes of SHA256SUMS, and the JSON schemas."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from evalsuite.analyses.saved import record_files
from evalsuite.benchmarks.registry import BENCHMARKS, FILE, benchmark_of, names_of_files
from evalsuite.common import jsonl
from evalsuite.common.errors import DataError
from evalsuite.common.jsonl import PydanticModel
from evalsuite.common.plainfile import read_plain
from evalsuite.evaluation.manifest import kept_files
from evalsuite.exchange.submit.line_numbers import lines_of
from evalsuite.exchange.submit.submission import SUMS, digest
from evalsuite.results.analysis import Results
from evalsuite.types import Benchmark

_FIXED = ("submission.yaml", "results.json", "manifest.json", SUMS)
_LARGEST = {"results.json": 2**26, "manifest.json": 2**20, SUMS: 2**24}
_SUM = re.compile(r"([0-9a-f]{64})  (.+)")


def structure(folder: Path) -> tuple[set[str], list[str]]:
    """Paths of all plain files, and a problem for each path that a submission may not hold. Links are not followed."""
    paths: set[str] = set()
    problems = []
    for base, folders, names in os.walk(folder):
        parent = Path(base)
        for name in sorted(folders):
            path = (parent / name).relative_to(folder).as_posix()
            if (parent / name).is_symlink():
                problems.append(f"{path}: is a link; a submission holds plain files only")
            elif path not in ("records", "judged") and path.split("/")[0] != "benchmarks":
                problems.append(f"{path}/: has no place in a submission")
            else:
                continue
            folders.remove(name)
        for name in sorted(names):
            path = (parent / name).relative_to(folder).as_posix()
            if (parent / name).is_symlink() or not (parent / name).is_file():
                problems.append(f"{path}: is a link or no plain file; a submission holds plain files only")
            elif parent == folder and name not in _FIXED:
                problems.append(f"{path}: has no place in a submission")
            else:
                paths.add(path)
    problems += [f"{name}: is missing" for name in _FIXED if name not in paths]
    return paths, problems


def naming_problems(folder: Path, paths: set[str], results: Results) -> Iterator[str]:
    """Yield a problem for each file that results.json and benchmark files do not name, and for each name without a file."""
    named = record_files(results)
    for path, count in Counter(named).items():
        if count > 1:
            yield f"results.json: {path} is named by {count} cells"
    allowed = {name for path in named for name in (path, f"{path}.gz")}
    used = {benchmark_of(cell.task).name for cell in results.cells}
    for path in sorted(paths - allowed - set(_FIXED)):
        if path.split("/")[0] != "benchmarks":
            yield f"{path}: no cell of results.json names it"
        elif (name := path.split("/")[1]) not in used:
            yield f"{path}: no cell of results.json is of this benchmark"
        elif not _is_of_benchmark(folder / path, BENCHMARKS[name]):
            yield f"{path}: has no place in a submission"
    for path in sorted(set(named)):
        if path not in paths and f"{path}.gz" not in paths:
            yield f"{path}: results.json names it, but it is not there"
        elif path in paths and f"{path}.gz" in paths:
            yield f"{path}: is there plain and as .gz: leave one"


def _is_of_benchmark(path: Path, benchmark: Benchmark) -> bool:
    """Whether the path is the benchmark file that the benchmark was read from, one of its templates, or its published figures.

    True for every path of a benchmark that the checker has: `benchmark_problems` compares its files."""
    if benchmark.file is None or not path.is_relative_to(benchmark.file.parent):
        return benchmark.name in names_of_files()
    is_template = benchmark.templates is not None and path.is_relative_to(benchmark.templates) and path.suffix == ".j2"
    return is_template or path in (benchmark.file, benchmark.published)


def benchmark_names(paths: set[str]) -> list[str]:
    """The names of the benchmarks whose files a submission holds."""
    return sorted(path.split("/")[1] for path in paths if re.fullmatch(f"benchmarks/[^/]+/{FILE}", path))


def benchmark_problems(folder: Path, name: str) -> Iterator[str]:
    """Yield a problem for each file of a benchmark that differs from the checker's, or that only one of the two has."""
    ours, theirs = kept_files(BENCHMARKS[name]), Path("benchmarks") / name
    there = {p.relative_to(folder / theirs).as_posix() for p in (folder / theirs).rglob("*") if p.is_file()}
    for path in sorted(there | ours.keys()):
        copy = (theirs / path).as_posix()
        if path not in ours or path not in there or ours[path] != read_plain(folder, copy, 2**24):
            yield f"{copy}: is not that of the benchmark file given with --benchmark"


def hash_problems(folder: Path, paths: set[str]) -> Iterator[str]:
    """Yield a problem for each bad line of SHA256SUMS, missing file and wrong hash."""
    known: dict[str, str] = {}
    for number, line in enumerate(_text(folder, SUMS).splitlines(), 1):
        match = _SUM.fullmatch(line)
        if not match:
            yield f"{SUMS}:{number}: expected a SHA-256, two blanks and a path"
            continue
        path = match[2]
        if path.startswith("/") or ".." in path.split("/") or "\\" in path:
            yield f"{SUMS}:{number}: {path}: is outside of the folder"
        elif path in known:
            yield f"{SUMS}:{number}: {path}: stands here twice"
        elif path not in paths:
            yield f"{SUMS}:{number}: {path}: no such file"
        else:
            known[path] = match[1]
    for path in sorted(paths - {SUMS, "submission.yaml"}):
        if path not in known:
            yield f"{path}: is not in {SUMS}"
        elif digest(folder, path) != known[path]:
            yield f"{path}: is not the file that {SUMS} has the hash of"


def load_json(folder: Path, name: str, model: type[PydanticModel]) -> tuple[PydanticModel | None, list[str]]:
    """Parse a JSON file and validate it. Returns (content, []), or (None, problems with line and field)."""
    try:
        text = _text(folder, name)
        content = jsonl.parse_object(text.encode(), Path(name))
    except DataError as error:
        return None, [str(error)]
    try:
        return model.model_validate(content), []
    except ValidationError as error:
        at = {e["loc"]: e["msg"] for e in error.errors(include_url=False)[:50]}
        lines = lines_of(text, at)
        return None, [
            f"{name}:{lines[loc]}: {jsonl.field_path(loc) or 'file'}: {message}" for loc, message in at.items()
        ]


def _text(folder: Path, name: str) -> str:
    """Read a text file. Raises DataError if it is too large, unreadable or not UTF-8."""
    try:
        return read_plain(folder, name, _LARGEST[name]).decode("utf-8")
    except DataError as error:
        raise DataError(error.message, Path(name)) from None
    except UnicodeDecodeError as error:
        raise DataError(f"not UTF-8 at byte {error.start}", Path(name)) from None
