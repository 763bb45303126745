"""`evalsuite submit make`: a run's results, records and scrubbed manifest, a form to fill in, and hashes, in one folder."""

from __future__ import annotations

import gzip
import hashlib
import json
import platform
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from evalsuite.analyses import contamination, judge_correction, second_reader
from evalsuite.analyses.saved import load_results, record_files, to_json
from evalsuite.benchmarks.registry import benchmark_of
from evalsuite.common.errors import ConfigError, DataError
from evalsuite.common.files import new_folder, replace_file, replacing, require_new
from evalsuite.common.finite import finite_json
from evalsuite.common.lock import unwritten
from evalsuite.common.plainfile import open_plain, read_json
from evalsuite.evaluation.manifest import keep_benchmark_files
from evalsuite.exchange.submit import form
from evalsuite.results import records
from evalsuite.results.analysis import Results
from evalsuite.results.schema.record import Record
from evalsuite.results.signature import VERSION

SUMS = "SHA256SUMS"
# Keys removed from the manifest, and why; the reasons are published in its key `scrubbed`.
SCRUBBED = {
    "settings.models": "a path on the submitter's machine",
    "settings.items": "a path on the submitter's machine; the file's hash stays in results.json",
    "settings.benchmark": "a path on the submitter's machine; the files lie in benchmarks/",
    "settings.data": "a path on the submitter's machine; the files' hashes stay",
    "settings.out": "a path on the submitter's machine",
    "settings.prompts": "a path on the submitter's machine; the templates' hashes stay in results.json",
    "settings.semsim": "a path on the submitter's machine; the encoder's hash stays in signatures",
    "settings.ray_address": "an address in the submitter's network",
    "platform": "kernel and host build; the system's name stays",
}


@dataclass(frozen=True, slots=True)
class Submission:
    """A written submission, the fields still to fill in, and files the submitter may not want to publish."""

    out: Path
    unfilled: tuple[str, ...]
    warnings: tuple[str, ...]


# Keys of results.json that are not submitted: a leaderboard shows what the parser reads, and can verify neither tests of
# contamination nor people's marks.
_NOT_SUBMITTED = {second_reader.ANALYSIS.key, contamination.ANALYSIS.key, judge_correction.ANALYSIS.key}


def make_submission(run: str | Path, out: str | Path, head: form.FormValues, about: form.FormValues) -> Submission:
    """Write a submission of a run into the folder `out`, completely or not at all.

    `head` has fields of submission.yaml, `about` fields of each model in it, where the results do not state them: of baselines
    and of adapters trained here. Raises ConfigError if `out` is not empty, the
    run is unfinished or being written, or another version of evalsuite scored it.
    """
    run, out = Path(run), Path(out)
    require_new(out)
    with unwritten(run):  # no process may write the run meanwhile, or files of different states would be copied
        results = _results(run)
        with new_folder(out) as draft:
            _write(run, results, draft, head, about)
    return Submission(out, tuple(form.read_form(out / "submission.yaml")[1]), tuple(_personal(out)))


def _write(run: Path, results: Results, out: Path, head: form.FormValues, about: form.FormValues) -> None:
    shared = replace(
        results, contents={key: content for key, content in results.contents.items() if key not in _NOT_SUBMITTED}
    )
    replace_file(out / "results.json", finite_json(to_json(shared), run / "results.json", indent=1) + "\n")
    manifest, started = _manifest(run)
    replace_file(out / "manifest.json", manifest)
    for path in record_files(shared):
        _pack(run, path, out)
    keep_benchmark_files(out, {benchmark_of(cell.task).name for cell in shared.cells})
    head = {"date": started[:10]} | {k: v for k, v in head.items() if v}
    text = form.form_text(head, {name: {**about, **known} for name, known in _models(results).items()})
    replace_file(out / "submission.yaml", text)
    replace_file(out / SUMS, "".join(f"{digest}  {name}\n" for name, digest in sums(out)))


def sums(folder: Path) -> Iterator[tuple[str, str]]:
    """(path, SHA-256) of every file but SHA256SUMS itself and submission.yaml, which people still edit."""
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and p.name not in (SUMS, "submission.yaml")):
        name = path.relative_to(folder).as_posix()
        yield name, digest(folder, name)


def digest(folder: Path, path: str) -> str:
    """The SHA-256 of a plain file in `folder`. Raises DataError for another one."""
    with open_plain(folder, path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _results(run: Path) -> Results:
    results = load_results(run)
    if results.version != VERSION:
        raise ConfigError(
            f"{run / 'results.json'}: written by evalsuite {results.version}, this is {VERSION}: `evalsuite score {run}` first"
        )
    if stopped := sum(cell.is_estimate for cell in results.cells):
        raise ConfigError(
            f"{run}: {stopped} cells are estimates from a part of the items; "
            "the same `evalsuite run` without --until or --items asks the rest"
        )
    if missing := sum(cell.missing for cell in results.cells):
        raise ConfigError(f"{run}: {missing} requests were not asked yet: the same `evalsuite run` goes on")
    if not results.cells:
        raise ConfigError(f"{run}: holds no cell; `evalsuite run --out {run}` asks some")
    try:
        next(records.rows_of(Record, run, results.cells[0].records), None)
    except DataError as error:
        raise ConfigError(f"{error}; `evalsuite score {run}` writes its records anew") from None
    return results


def _pack(run: Path, path: str, out: Path) -> None:
    source = records.records_file(run, path)
    target = out / f"{path}.gz"
    target.parent.mkdir(exist_ok=True)
    with open_plain(run, source.relative_to(run).as_posix()) as written, replacing(target) as file:
        if source.suffix == ".gz":
            shutil.copyfileobj(written, file)
            return
        # Without a file name and a time in the gzip header, equal records give equal bytes.
        with gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
            shutil.copyfileobj(written, packed)


def _manifest(run: Path) -> tuple[str, str]:
    """manifest.json without facts of the machine, and the start time of the run."""
    path = run / "manifest.json"
    if not path.exists():
        raise ConfigError(f"{run}: no manifest.json; expected the folder of a run")
    manifest = read_json(run, path.name)
    try:
        settings, system, started = manifest["settings"], str(manifest["platform"]), str(manifest["started"])
        settings.get("models")
    except (LookupError, TypeError, AttributeError):
        raise DataError("no manifest of evalsuite: its settings are missing", path) from None
    scrubbed = {}
    for key, why in SCRUBBED.items():
        name = key.removeprefix("settings.")
        if name != key and (value := settings.get(name)) and not str(value).startswith("bundled:"):
            settings[name] = None
            scrubbed[key] = why
    # platform.platform() begins with the system's name: "Linux-6.1…"
    manifest["platform"] = system.partition("-")[0]
    manifest["scrubbed"] = scrubbed | {"platform": SCRUBBED["platform"]}
    return json.dumps(manifest, ensure_ascii=False, indent=1) + "\n", started


def _models(results: Results) -> dict[str, form.FormValues]:
    """Fields of submission.yaml that results.json knows of each model."""
    models: dict[str, form.FormValues] = {}
    for cell in results.cells:
        details = models.setdefault(cell.model, {"tags": cell.facts.tags})
        if cell.facts.backend == "baseline":
            models[cell.model] = {
                **details,
                "hub": None,
                "revision": None,
                "parameters": None,
                "trained_on": ["train"] if cell.facts.fingerprint.startswith("baseline:majority:") else [],
                "statement": "a baseline of evalsuite, no trained model",
            }
        if trained := cell.facts.trained:
            models[cell.model] = {
                **details,
                "hub": None,
                "revision": None,
                "trained_on": ["train"],
                "statement": f"trained by evalsuite finetune on {trained.size} items of the training split",
            }
    return models


def _personal(folder: Path) -> Iterator[str]:
    """Yield a warning for each file that holds the name of the home folder or machine, as error messages may.

    The names are not removed: scores are computed from the records, which must stay as they are.
    """
    names = [name.encode() for name in {str(Path.home()), platform.node()} if len(name) > 5]
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        if any(name in line for _, line in records.numbered_lines(folder, path) for name in names):
            yield f"{path.relative_to(folder)} holds the name of your machine or of your home folder"
