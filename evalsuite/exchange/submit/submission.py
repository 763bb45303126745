"""A run's folder -> a submission: the same results and records, the manifest scrubbed, a form to fill in, and hashes."""

from __future__ import annotations

import gzip
import hashlib
import json
import platform
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalsuite.common import jsonl
from evalsuite.common.errors import ConfigError
from evalsuite.common.files import draft_of
from evalsuite.exchange.submit import form
from evalsuite.results import records
from evalsuite.results.signature import VERSION

SUMS = "SHA256SUMS"
# Of the manifest: what is taken out, and why.
SCRUBBED = {
    "settings.models": "a path on the submitter's machine",
    "settings.data": "a path on the submitter's machine; the files' hashes stay",
    "settings.out": "a path on the submitter's machine",
    "settings.prompts": "a path on the submitter's machine; the templates' hashes stay in results.json",
    "settings.ray_address": "an address in the submitter's network",
    "platform": "kernel and host build; the system's name stays",
}


@dataclass(frozen=True, slots=True)
class Made:
    """A submission, what is still to be filled in, and what the submitter may not want to publish."""

    out: Path
    unfilled: tuple[str, ...]
    warnings: tuple[str, ...] = field(default=())


def make(run: str | Path, out: str | Path, head: Mapping[str, Any], about: Mapping[str, Any]) -> Made:
    """Write a submission of the run; `head` are fields of submission.yaml, `about` fields of every model there."""
    run, out = Path(run), Path(out)
    results = _results(run)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ConfigError(f"{out}: is there already; name a folder that is not, or remove it")
    draft = draft_of(out)  # whole or not at all
    draft.mkdir(parents=True)
    try:
        _write(run, results, draft, head, about)
        if out.exists():
            out.rmdir()
        draft.rename(out)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return Made(out, tuple(form.read(out / "submission.yaml")[1]), tuple(_personal(out)))


def _write(run: Path, results: dict[str, Any], out: Path, head: Mapping[str, Any], about: Mapping[str, Any]) -> None:
    shutil.copyfile(run / "results.json", out / "results.json")
    manifest, started = _manifest(run)
    (out / "manifest.json").write_text(manifest, encoding="utf-8")
    for place in places(results):
        _pack(run, place, out)
    known = {"date": started[:10]} | {k: v for k, v in head.items() if v}
    text = form.form(known, {name: details | dict(about) for name, details in _models(results).items()})
    (out / "submission.yaml").write_text(text, encoding="utf-8")
    (out / SUMS).write_text("".join(f"{digest}  {name}\n" for name, digest in sums(out)), encoding="utf-8")


def places(results: dict[str, Any]) -> list[str]:
    """Where results.json says that its records are."""
    judged = results.get("judged") or {}
    return [cell["records"] for cell in (*results["cells"], *judged.get("cells", ()))]


def sums(folder: Path) -> Iterator[tuple[str, str]]:
    """(path, SHA-256) of every file that is hashed: all but the form, which people go on writing, and the hashes."""
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and p.name not in (SUMS, "submission.yaml")):
        yield path.relative_to(folder).as_posix(), digest(path)


def digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _results(run: Path) -> dict[str, Any]:
    path = records.find_results(run)
    found = jsonl.parse_object(path.read_bytes(), path)
    if found.get("evalsuite") != VERSION:
        raise ConfigError(
            f"{path}: written by evalsuite {found.get('evalsuite')}, this is {VERSION}: `evalsuite score {run}` first"
        )
    if missing := sum(cell["missing"] for cell in found["cells"]):
        raise ConfigError(f"{run}: {missing} requests were not asked yet: the same `evalsuite run` goes on")
    if not found["cells"]:
        raise ConfigError(f"{run}: holds no cell")
    for place in places(found)[:1]:
        for record in records.read(run, place):
            if "max_new_tokens" not in record:
                raise ConfigError(f"{run}: its records are older than this format: `evalsuite score {run}` first")
            break
    return found


def _pack(run: Path, place: str, out: Path) -> None:
    source = records.find(run, place)
    target = out / f"{place}.gz"
    target.parent.mkdir(exist_ok=True)
    if source.suffix == ".gz":
        shutil.copyfile(source, target)
        return
    # No name and no time: the same records give the same bytes.
    with (
        source.open("rb") as plain,
        target.open("wb") as file,
        gzip.GzipFile("", "wb", 9, file, mtime=0) as packed,
    ):
        shutil.copyfileobj(plain, packed)


def _manifest(run: Path) -> tuple[str, str]:
    """manifest.json without what it tells of the machine, and when the run was started."""
    path = run / "manifest.json"
    if not path.is_file():
        raise ConfigError(f"{run}: no manifest.json: this is no run's folder")
    found = jsonl.parse_object(path.read_bytes(), path)
    settings, told = found["settings"], {}
    for name in ("models", "data", "out", "prompts", "ray_address"):
        value = settings.get(name)
        if value is not None and not str(value).startswith("bundled:"):
            settings[name] = None
            told[f"settings.{name}"] = SCRUBBED[f"settings.{name}"]
    # platform.platform() begins with the system's name: "Linux-6.1…"
    found["platform"] = str(found["platform"]).partition("-")[0]
    found["scrubbed"] = told | {"platform": SCRUBBED["platform"]}
    return json.dumps(found, ensure_ascii=False, indent=1) + "\n", str(found["started"])


def _models(results: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What a run knows of its models."""
    found: dict[str, dict[str, Any]] = {}
    for cell in results["cells"]:
        details = found.setdefault(cell["model"], {"tags": cell["facts"]["tags"]})
        if cell["facts"]["backend"] == "baseline":
            details |= {"hub": None, "revision": None, "parameters": None}
        if trained := cell["facts"].get("trained"):
            details |= {
                "hub": None,
                "revision": None,
                "trained_on": ["train"],
                "statement": f"trained by evalsuite finetune on {trained['size']} items of the training split",
            }
    return found


def _personal(folder: Path) -> Iterator[str]:
    """Files that name the submitter's home folder or machine: errors of engines do. Those of records cannot be scrubbed."""
    names = [name.encode() for name in {str(Path.home()), platform.node()} if len(name) > 5]
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        if any(name in line for line in _lines(path) for name in names):
            yield f"{path.relative_to(folder)} holds the name of your machine or of your home folder"


def _lines(path: Path) -> Iterable[bytes]:
    return (line for _, line in records.lines(path))
