"""`evalsuite submit check`: verify files, hashes, schemas and records of a submission, and compute its results again."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from evalsuite.analyses.journey import score_run
from evalsuite.analyses.judged.sheets import judged_cells
from evalsuite.analyses.judged.values import JudgedRecord
from evalsuite.analyses.saved import Earlier, results_file, results_of, to_json
from evalsuite.benchmarks.registry import BENCHMARKS, TASKS, Corpora, add_file, add_files, benchmark_of
from evalsuite.common.bounds import OutOfTime, cpu_limit, memory_limit
from evalsuite.common.errors import ConfigError, EvalsuiteError
from evalsuite.common.flags import folders
from evalsuite.common.grouping import by_key
from evalsuite.common.jsonl import JsonObject, PydanticModel, field_path
from evalsuite.common.plainfile import JSON_SIZE, read_plain
from evalsuite.common.resources import resolve
from evalsuite.exchange.submit import files, form
from evalsuite.exchange.submit.data import Official
from evalsuite.exchange.submit.line_numbers import JsonPath, lines_of
from evalsuite.exchange.submit.record_checks import Broken, cell_lines, judged_lines
from evalsuite.exchange.submit.source import SubmissionSource
from evalsuite.exchange.submit.submission import SCRUBBED, SUMS
from evalsuite.results import records
from evalsuite.results.analysis import Results
from evalsuite.results.schema.base import Strict
from evalsuite.results.schema.manifest import Manifest
from evalsuite.results.schema.record import Record
from evalsuite.results.signature import VERSION

MOST = 200  # the most problems that are listed; the others are only counted
EACH = 5  # the most differences listed of one file between its scores and those that its replies give
SECONDS, SECONDS_A_MB = 60.0, 6.0  # CPU time; an ordinary submission takes about 4 seconds a MB
# Bytes of memory beyond those in use before the check; an ordinary submission takes about 10 for each of its bytes.
MEMORY, MEMORY_A_BYTE = 700_000_000, 70
NEAR = 1e-12  # relative and absolute tolerance between figures, since machines may differ in the last bits
_UNSCORED = {"prompt", "messages"}  # fields that SubmissionSource does not keep; `key` has a hash of the prompt

_NEVER = (
    "that the replies are the model's own: records show what was scored, not who wrote it",
    "what submission.yaml says: submitters, licence, parameters, contamination",
    "counts of tokens, and when and on what the run was made",
)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """Outcome of a check. Without problems, the submission is valid to the extent that `verified` states."""

    problems: tuple[str, ...]
    more: int  # number of further problems, not listed
    verified: tuple[str, ...]
    unverified: tuple[str, ...]


class _Report:
    """The outcome of a check so far. All problems are counted, and the first MOST of them are listed."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self.count = 0
        self.verified: list[str] = []
        self.unverified: list[str] = []

    def add(self, *problems: str, most: int = MOST) -> None:
        """Add problems. At most `most` of these are listed, so that one file cannot use up the list."""
        self.count += len(problems)
        self.problems += problems[: max(0, min(most, MOST - len(self.problems)))]

    def result(self) -> CheckResult:
        self.unverified.extend(_NEVER)
        more = self.count - len(self.problems)
        return CheckResult(tuple(self.problems), more, tuple(self.verified), tuple(self.unverified))


def check_submission(
    folder: str | Path,
    data: str | Path | Sequence[str | Path] | None = None,
    seconds: float | None = None,
    benchmark: Sequence[str | Path] = (),
) -> CheckResult:
    """Verify a submission.

    data: the official data to compare with; by default the bundled sample if the manifest names it, else EVALSUITE_DATA.
    seconds: CPU time after which the check ends; by default SECONDS, or SECONDS_A_MB for each MB of the folder if that is more.
    On Linux memory is limited in the same way (MEMORY, MEMORY_A_BYTE).
    benchmark: the checker's own benchmark files, which the submission's copies must equal. A copy of any other benchmark file is
    used without being verified.
    Raises ConfigError if there is no such folder, or for faulty data or benchmark files of the checker. All faults of the
    submission are problems of the result.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise ConfigError(f"{folder}: no such folder; name that of a submission, which `evalsuite submit make` writes")
    paths, problems = files.structure(folder)
    report = _Report()
    report.add(*problems)
    size = sum((folder / path).lstat().st_size for path in paths)
    memory = max(MEMORY, MEMORY_A_BYTE * size)
    if seconds is None:
        seconds = max(SECONDS, SECONDS_A_MB * size / 1e6)
    try:
        with cpu_limit(seconds), memory_limit(memory):
            _check(folder, paths, data, add_files(benchmark), report)
            return report.result()
    except OutOfTime:
        report.add(f"the check did not end within {seconds:.0f} seconds of CPU time; --seconds N gives it more")
    except MemoryError:
        report.add(f"the check needs more than {memory / 1e6:,.0f} MB of memory")
    except RecursionError:
        report.add("a file of JSON is nested too deeply to be read")
    report.unverified.append("whatever was not looked at until then")
    return report.result()


def _check(
    folder: Path,
    paths: set[str],
    data: str | Path | Sequence[str | Path] | None,
    trusted: Sequence[str],
    report: _Report,
) -> None:
    """Make all checks of a submission. `trusted`: the names of the benchmarks whose files the checker has."""
    foreign = set[str]()
    try:
        for name in files.benchmark_names(paths):
            if name in trusted:
                report.add(*files.benchmark_problems(folder, name))
            else:
                add_file(folder / "benchmarks" / name)
                foreign.add(name)
                report.unverified.append(
                    f"the benchmark file of {name}, its items, shots and prompts: they are the submitter's; give yours with "
                    "--benchmark"
                )
    except EvalsuiteError as error:
        report.add(str(error))
    if SUMS in paths:
        try:
            report.add(*files.hash_problems(folder, paths))
        except EvalsuiteError as error:
            report.add(str(error))
    form_content = None
    if "submission.yaml" in paths:
        form_content, problems = form.read_form(folder / "submission.yaml")
        report.add(*(f"submission.yaml:{problem}" for problem in problems))
    content = _load(folder, "results.json", results_file(), paths, report)
    manifest = _load(folder, "manifest.json", Manifest, paths, report)
    if content is None:
        report.unverified.append("the records: results.json cannot be used")
        return
    results = results_of(folder, content)
    report.add(*files.naming_problems(folder, paths, results), *_unfit_cells(results))
    if form_content:
        report.add(*_contradictions(form_content, results))
    official = _official_data(data, manifest, trusted)
    if manifest:
        report.add(*_manifest_problems(manifest, results, official))
    can_be_scored = _check_records(folder, results, official, foreign, report)
    if results.version != VERSION:
        report.add(
            f"results.json: made with evalsuite {results.version}, this is {VERSION}: check with that version, or "
            "`evalsuite score` the run with this one and make the submission again"
        )
    elif can_be_scored:
        _check_scores(folder, results, report)
    else:
        report.unverified.append("the scores: there are records that cannot be read")
    if not report.count:
        _add_summary(results, official, report)


def _load(
    folder: Path, name: str, model: type[PydanticModel], paths: set[str], report: _Report
) -> PydanticModel | None:
    if name not in paths:
        return None
    content, problems = files.load_json(folder, name, model)
    report.add(*problems)
    return content


def _unfit_cells(results: Results) -> Iterator[str]:
    """Yield a problem for each cell that is a duplicate, unfinished or an estimate."""
    seen = set()
    for n, cell in enumerate(results.cells):
        if cell.place in seen:
            yield f"results.json: cells[{n}]: is a duplicate: {cell.place.name}"
        seen.add(cell.place)
        if cell.missing:
            yield f"results.json: cells[{n}].missing: {cell.missing} requests were not asked: finish the run first"
        if cell.is_estimate:
            yield f"results.json: cells[{n}].estimate: is made from a part of the items: only full runs are compared"
    if not results.cells:
        yield "results.json: holds no cell"


def _contradictions(submission_form: form.SubmissionForm, results: Results) -> Iterator[str]:
    """Yield a problem for each contradiction between submission.yaml and results.json."""
    described, models = submission_form.models, {cell.model for cell in results.cells}
    for name in sorted(models - described.keys()):
        yield f"submission.yaml: models: {name!a} of results.json is not described"
    for name in sorted(described.keys() - models):
        yield f"submission.yaml: models: results.json has no {name!a}"
    trained = {cell.model for cell in results.cells if cell.is_adapter}
    for name in sorted(trained & described.keys()):
        if "train" not in described[name].trained_on:
            yield f"submission.yaml: models.{name}.trained_on: results.json says that it was trained on a training split"


def _manifest_problems(manifest: Manifest, results: Results, official: Official | None) -> Iterator[str]:
    """Yield a problem for each key that is not scrubbed, and each hash of data that differs from results.json.

    The manifests of older versions lack the files of wordings that have one of their own.
    """
    for name in SCRUBBED:
        group, _, key = name.rpartition(".")
        value: object = getattr(manifest.settings if group else manifest, key)
        is_scrubbed = _is_bundled(value) if group else "-" not in str(value) and "/" not in str(value)
        if not is_scrubbed:
            yield f"manifest.json: {name}: holds {SCRUBBED[name].partition(';')[0]}; `evalsuite submit make` takes it out"
    files = [benchmark_of(cell.task).data_name(TASKS[cell.task], cell.set, cell.split) for cell in results.cells]
    stated = by_key((file, cell) for file, cell in zip(files, results.cells, strict=True))
    for n, (file, cell) in enumerate(zip(files, results.cells, strict=True)):
        known = manifest.data.get(f"{file}/{cell.variant}") or manifest.data.get(file)
        if known is None or known.sha256 == cell.facts.data or (official and official.has_own_file(cell)):
            continue
        # Without the data a wording whose cells have one hash is taken to have a file of its own, if another has the manifest's.
        of_wording = {other.facts.data for other in stated[file] if other.variant == cell.variant}
        if len(of_wording) > 1 or all(other.facts.data != known.sha256 for other in stated[file]):
            yield f"results.json: cells[{n}].facts.data: manifest.json has another hash of {file}"


def _is_bundled(value: object) -> bool:
    """Whether a path of a manifest, or each of several, is null or ships with the suite."""
    if isinstance(value, list):
        return all(map(_is_bundled, value))
    return value is None or (isinstance(value, str) and value.startswith("bundled:"))


def _official_data(
    data: str | Path | Sequence[str | Path] | None, manifest: Manifest | None, trusted: Sequence[str]
) -> Official | None:
    """The data to compare with: the given folders, and those of the checker's benchmark files."""
    bundled = "bundled:sample" if manifest and manifest.settings.data == "bundled:sample" else None
    beside = [file.parent for name in trusted if (file := BENCHMARKS[name].file)]
    chosen = (*folders(data or bundled or os.environ.get("EVALSUITE_DATA")), *beside)
    return Official(Corpora([resolve(folder) for folder in chosen], skip_bad=True)) if chosen else None


def _check_records(
    folder: Path, results: Results, official: Official | None, foreign: set[str], report: _Report
) -> bool:
    """Check every record. Those of `foreign` benchmarks, whose files the checker lacks, are not compared with data.

    Returns whether all records can be scored.
    """
    can_be_scored = True
    for n, cell in enumerate(results.cells):
        of_data = official.cell(cell) if official and benchmark_of(cell.task).name not in foreign else None
        if isinstance(of_data, str):
            report.add(f"results.json: cells[{n}].{of_data}")
            of_data = None
        try:
            of_file = (
                cell_lines(folder, cell, of_data.compare, of_data.missing) if of_data else cell_lines(folder, cell)
            )
            for problem in of_file:
                report.add(problem)
        except Broken:
            can_be_scored = False
    for judgings in judged_cells(results):
        try:
            for problem in judged_lines(folder, judgings):
                report.add(problem)
        except Broken:
            can_be_scored = False
    return can_be_scored


def _check_scores(folder: Path, theirs: Results, report: _Report) -> None:
    """Compute all results from the records, and compare every answer and every figure."""

    @contextmanager
    def keep(path: str) -> Iterator[Callable[[Strict], None]]:
        model = JudgedRecord if path.startswith("judged/") else Record
        stored = enumerate(records.rows_of(model, folder, path), 1)
        listed = 0

        def compare(line: Strict) -> None:
            nonlocal listed
            number, record = next(stored, (0, None))
            for at, theirs, ours in differences(_compared(record) if record else {}, _compared(line)):
                text = f"{path}:{number}: {field_path(at) or 'file'}: is {_short(theirs)}, but its reply gives {_short(ours)}"
                report.add(text, most=EACH - listed)
                listed = min(listed + 1, EACH)

        yield compare
        if left := sum(1 for _ in stored):
            report.add(f"{path}: {left} of its records belong to no request of the cell")

    try:
        again = to_json(score_run(SubmissionSource(folder, theirs), theirs.reading, keep, before=Earlier.of(folder)))
    except (MemoryError, RecursionError):
        raise
    except Exception as error:  # hostile records may make any metric fail
        report.add(f"results.json: cannot be computed from the records: {type(error).__name__}: {error}")
        return
    differing = list(differences(to_json(theirs), again))
    text = read_plain(folder, "results.json", JSON_SIZE).decode()
    lines = lines_of(text, [at for at, *_ in differing[:MOST]])
    for at, stated, ours in differing:
        line = f":{lines[at]}" if at in lines else ""
        report.add(
            f"results.json{line}: {field_path(at) or 'file'}: is {_short(stated)}, but the records give {_short(ours)}"
        )


def _compared(record: Strict) -> JsonObject:
    """The fields of a record, without those that SubmissionSource leaves out."""
    return record.model_dump(exclude_defaults=True, exclude=_UNSCORED if isinstance(record, Record) else None)


_NOTHING: Any = object()  # marks a value that one side lacks


def differences(theirs: Any, ours: Any, at: JsonPath = ()) -> Iterator[tuple[JsonPath, Any, Any]]:
    """Yield (path, theirs, ours) wherever two JSON values differ by more than rounding."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        if list(theirs) != list(ours) and theirs.keys() == ours.keys() and at[-1:] == ("metrics",):
            yield at, list(theirs), list(ours)
        for name in {**theirs, **ours}:
            yield from differences(theirs.get(name, _NOTHING), ours.get(name, _NOTHING), (*at, name))
    elif isinstance(theirs, list | tuple) and isinstance(ours, list | tuple):
        for n, (a, b) in enumerate(zip_longest(theirs, ours, fillvalue=_NOTHING)):
            yield from differences(a, b, (*at, n))
    elif isinstance(theirs, float) or isinstance(ours, float):
        numbers = [x for x in (theirs, ours) if isinstance(x, int | float) and not isinstance(x, bool)]
        if len(numbers) < 2 or not math.isclose(*numbers, rel_tol=NEAR, abs_tol=NEAR):
            yield at, theirs, ours
    elif theirs != ours or isinstance(theirs, bool) != isinstance(ours, bool):
        yield at, theirs, ours


def _short(value: Any) -> str:
    text = "nothing" if value is _NOTHING else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "…"


def _add_summary(results: Results, official: Official | None, report: _Report) -> None:
    """Say what was verified, and what was not, of a submission without problems."""
    cells = results.cells
    requests = sum(cell.items for cell in cells)
    report.verified.append("files, hashes and schemas; nothing else is in the folder")
    report.verified.append(
        f"{requests:,} records in {len(cells):,} cells: each key is the hash of its model, settings and prompt; each reply, "
        "parsed and scored again, gives its answer and scores"
    )
    report.verified.append(
        "every figure of results.json, computed again from the records: metrics with intervals and signatures, statuses, "
        "chance, robustness, learning curves, breakdowns, confusions, correlations of metrics"
    )
    if opinions := judged_cells(results):
        report.verified.append(
            f"{sum(cell.items for cell in opinions):,} judgements: each reply of a judge, read again, gives its scores; "
            "every figure and control under judged"
        )
        report.unverified.append(
            "the judges' prompts: rubrics are known by their hash only, and injected instructions by name"
        )
    if any("semsim" in name for cell in cells for name in cell.metrics):
        report.unverified.append("Sem-Sim: it needs its encoder")
    if failed := sum(cell.failed for cell in cells):
        report.unverified.append(f"{failed:,} requests that failed: they are in no score")
    if official and official.compared["items"]:
        done = official.compared
        items, roots = f"{done['items']:,}", " and ".join(map(str, official.corpus.roots))
        if any(cell.facts.limit for cell in cells):
            report.verified.append(
                f"{items} items and their shots are those of {roots}, and none within --limit is left out"
            )
        else:
            report.verified.append(f"{items} items and their shots are those of {roots}, and none of them is left out")
        report.verified.append(f"{done['prompts']:,} prompts, made again from template and item, are the same")
        if names := sorted(official.unknown_templates):
            report.unverified.append(
                f"prompts of {', '.join(names)}: their template is not one that ships with evalsuite"
            )
    else:
        report.unverified.append("items, shots and prompts: give the official data with --data DIR (or EVALSUITE_DATA)")
