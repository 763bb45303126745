"""Runs -> the leaderboard page: one HTML file that opens from file://, with shards beside it if it would be too large.

The data of the page are gzip'd JSON in base64, so that no reply of a model is parsed as HTML; the page's script shows texts
as text nodes only.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from evalsuite.benchmarks.cedar.corruptions import CORRUPTIONS
from evalsuite.benchmarks.corecode.ontology import slots
from evalsuite.benchmarks.published import published_figures
from evalsuite.benchmarks.registry import BENCHMARKS, TASKS, metric_rows
from evalsuite.common.errors import ConfigError
from evalsuite.common.files import remove, replace_file
from evalsuite.common.finite import not_finite, without_nan
from evalsuite.common.lock import locked
from evalsuite.common.plainfile import as_written, read_json
from evalsuite.common.resources import bundled
from evalsuite.common.sheet import Sheet, as_json
from evalsuite.page import shards
from evalsuite.page.citations import citations
from evalsuite.page.findings import findings
from evalsuite.perturb import PERTURBATIONS
from evalsuite.results import ranking, records
from evalsuite.results.saved import Results
from evalsuite.results.sheets import SHEETS, sheets
from evalsuite.types import Place

# Placeholders of index.html, for styles, scripts, data and shards.
_PARTS = ("EVALSUITE_CSS", "EVALSUITE_JS", "EVALSUITE_DATA", "EVALSUITE_SHARDS")
# One of these is in the head of every page of ours; the second one is in those of earlier versions.
_MARKS = (b'<meta name="generator" content="evalsuite">', b"trusted-types evalsuite")
_SHARD = "evalsuiteShard("  # begins a shard's file
INSIDE = 4_000_000  # bytes of packed shards up to which they are inside the page, as one file to send by mail
# Keys of results.json that the page takes unchanged, with their value in older runs that lack them.
_RESULT_KEYS: dict[str, Any] = {
    "format": 1, "evalsuite": "", "reading": {}, "extraction": [], "gaps": [], "robustness": {}, "means": [], "learning": [], "breakdowns": [], "aspects": [], "difficulty": [], "confusions": [],
    "metric_correlations": [], "groups": [], "memory": {}, "contamination": [], "ranked": [], "judged": {}, "second": {},
}  # fmt: skip
# Analyses that the page computes and draws itself, for the cells in view. It draws the sheets of all others.
_OWN = (
    "overview",
    "results",
    "ranks",
    "groups",
    "tokens",
    "robustness",
    "breakdowns",
    "confusions",
    "correlations",
    "curves",
)
_BENCHMARK_KEYS = (
    "name", "title", "sets", "sets_zh", "sets_en", "averaged", "levels", "groups", "published_zh", "published_en",
)  # fmt: skip


def report(runs: Sequence[str | Path], out: str | Path | None = None) -> Path:
    """Write the page of one or more runs to out/index.html (default: page/ in the first run) and return its path.

    Items and replies are inside the page while they are small together, else beside it in shards/. A page inside a run's
    folder takes the folder's lock, since its shards replace those of an earlier report; a page elsewhere only reads the runs.
    Raises ConfigError if a run has no results.json.

    >>> report(["runs/mine", "runs/other"], out="site")  # doctest: +SKIP
    PosixPath('site/index.html')
    """
    folders = [Path(run) for run in runs]
    if not out and (folders[0] / "submission.yaml").exists():
        raise ConfigError(f"{folders[0]}: a submission holds nothing else: give --out DIR for the page")
    for folder in folders:  # fail before the page's folder is made
        records.find_results(folder)
    page = Path(out) if out else folders[0] / "page"
    require_own_page(page)
    home = next((f for f in folders if page.resolve().is_relative_to(f.resolve())), None)
    with locked(home) if home else nullcontext():
        return write_page(folders, page)


def require_own_page(out: Path) -> None:
    """Raise ConfigError if out/index.html is not a page of evalsuite, so that it is not overwritten."""
    path = out / "index.html"
    try:
        with path.open("rb") as file:
            head = file.read(4096)
    except FileNotFoundError:
        return
    except OSError as error:
        raise ConfigError(f"{path}: cannot read: {error.strerror}") from None
    if not any(mark in head for mark in _MARKS):
        raise ConfigError(
            f"{path}: was not written by evalsuite; name another folder for the page, or move this file away"
        )


def write_page(runs: Sequence[Path], out: Path) -> Path:
    """Write the page to out/index.html and return its path. If `out` is inside a run, the caller holds that run's lock."""
    results = [_results(run) for run in runs]
    path = out / "index.html"
    out.mkdir(parents=True, exist_ok=True)
    shard_files = ShardFiles(out / "shards")
    with as_written(*runs):
        data = page_data(runs, results, shard_files.add)
    page = assemble(data, "leaderboard", shards=shard_files.inside)
    replace_file(path, page)
    shard_files.tidy()
    return path


class ShardFiles:
    """Collects shards: inside the page up to INSIDE bytes together, as files beyond.

    A shard's file is a script, since a page opened from file:// can load nothing else. It is named by the hash of its
    content, so that a page never loads the shard of another report.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.inside: dict[str, str] = {}  # name -> packed
        self._files: set[str] = set()

    def add(self, shard: Any) -> str:
        """Add a shard and return its name."""
        packed = pack_json(shard)
        name = hashlib.sha256(packed.encode()).hexdigest()[:16]
        self.inside[name] = packed
        if self._files or sum(map(len, self.inside.values())) > INSIDE:
            self.folder.mkdir(exist_ok=True)
            for each, text in self.inside.items():
                replace_file(self.folder / f"{each}.js", f'{_SHARD}"{each}","{text}")\n')
                self._files.add(f"{each}.js")
            self.inside.clear()
        return name

    def tidy(self) -> None:
        """Remove the shards of earlier reports, and the folder if nothing else is in it."""
        remove(self.folder, [p.name for p in self.folder.glob("*.js") if p.name not in self._files and _is_shard(p)])
        if self.folder.is_dir() and not any(self.folder.iterdir()):
            self.folder.rmdir()


def _is_shard(path: Path) -> bool:
    begin = f'{_SHARD}"{path.stem}",'.encode()
    with path.open("rb") as file:
        return file.read(len(begin)) == begin


def pack_json(data: Any) -> str:
    """Data as gzip'd JSON in base64."""
    style: dict[str, Any] = {"ensure_ascii": False, "allow_nan": False, "separators": (",", ":")}
    try:
        raw = json.dumps(data, **style)
    except ValueError:
        raw = json.dumps(without_nan(data), **style)
    # mtime=0: the same runs give the same bytes. Lone surrogates pass: the page shows them as replacement characters.
    return base64.b64encode(gzip.compress(raw.encode("utf-8", "surrogatepass"), 6, mtime=0)).decode()


def assemble(data: Any, script: str, styles: Sequence[str] = ("page",), shards: Mapping[str, str] | None = None) -> str:
    """One HTML file from index.html, styles and a built script of leaderboard/, the page's data, and shards (name -> packed)."""
    files = bundled("leaderboard")
    page = (files / "index.html").read_text(encoding="utf-8")
    css = "".join((files / "styles" / f"{name}.css").read_text(encoding="utf-8") for name in styles)
    js = (files / "dist" / f"{script}.js").read_text(encoding="utf-8")
    # The content security policy allows our script and style, by their hashes, and what they load (shards), nothing else.
    for mark, text in (("SCRIPT_HASH", js), ("STYLE_HASH", css)):
        page = page.replace(
            f"{{{{{mark}}}}}", f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
        )
    inside = "".join(
        f'<script id="shard-{name}" type="text/plain">{text}</script>\n' for name, text in (shards or {}).items()
    )
    for mark, part in zip(_PARTS, (css, js, pack_json(data), inside), strict=True):
        page = page.replace(f"/*{mark}*/", part)
    return page


def page_data(
    folders: Sequence[Path], runs: Sequence[dict[str, Any]], add_shard: Callable[[Any], str]
) -> dict[str, Any]:
    """The data of the page without its shards, which go to `add_shard`. `runs`: results.json of each folder."""
    shown = [{k: results.get(k, empty) for k, empty in _RESULT_KEYS.items()} for results in runs]
    for part, results in zip(shown, runs, strict=True):
        # Keys in their order, from which the page can export results.json again.
        keys = dict.fromkeys(k for cell in results["cells"] for k in cell)
        part["written"] = {"results": list(results), "cells": list(keys)}
    cells = [{**cell, "run": number} for number, results in enumerate(runs) for cell in results["cells"]]
    rated: list[ranking.Rated] = []

    def rate(cell: dict[str, Any], rows: Sequence[shards.Rating]) -> None:
        if one := ranking.rated(cell, rows, f"{cell['run']}\t{cell['model']}"):  # the page's names of models
            rated.append(one)

    packed = shards.pack_columns(
        cells,
        lambda cell: records.read_records(folders[cell["run"]], cell["records"]),
        lambda cell: _opinions(folders[cell["run"]], cell, shown[cell["run"]]),
        add_shard,
        rate,
    )
    asked = {TASKS[cell["task"]].benchmark for cell in cells if cell["task"] in TASKS}
    groups = ranking.groups(rated)
    used = [name for name in BENCHMARKS if name in asked]
    return {
        "runs": [
            {"name": f.name, "manifest": _manifest(f), **part, "sheets": _sheets(f, results)}
            for f, part, results in zip(folders, shown, runs, strict=True)
        ],
        "tasks": [
            {name: getattr(t, name) for name in ("name", "short", "zh", "en", "metrics", "benchmark")}
            | {"kind": t.kind.name}
            for t in TASKS.values()
        ],
        "benchmarks": [
            {
                **{name: getattr(b, name) for name in _BENCHMARK_KEYS},
                "language": b.language.name,
                "published_as": None if b.published_as is None else dict(b.published_as),
            }
            for b in BENCHMARKS.values()
        ],
        "metrics": [
            {"name": name, "zh": m.zh, "en": m.en or m.zh}
            | {key: getattr(m, key) for key in ("top", "percent", "share", "unit", "lower")}
            for name, m in metric_rows().items()
        ],
        "perturbations": [
            {name: getattr(p, name) for name in ("name", "zh", "en", "kinds", "languages")}
            for p in PERTURBATIONS.values()
        ],
        "corruptions": [{name: getattr(c, name) for name in ("name", "zh", "en")} for c in CORRUPTIONS.values()],
        "cells": packed.cells,
        "columns": packed.columns,
        "asked": {"items": len(packed.items), "replies": packed.replies},
        "findings": [asdict(found) for found in findings(packed.cells, rated, groups, runs)],
        "groups": groups,
        "nemenyi": ranking.critical_values(len({x.model for x in rated})),
        "published": [row for name in used for row in published_figures(BENCHMARKS[name])],
        "references": [as_json(sheet) for name in used if (made := BENCHMARKS[name].references) for sheet in made()],
        "citations": citations(),
        "slots": [{"en": s.en, "zh": s.zh, "domain": s.domain} for s in slots()],
    }


def _results(folder: Path) -> dict[str, Any]:
    """results.json. NaN and infinity, which are no JSON and no results, are null; the cells with one are marked."""
    results = records.read_results(folder)
    if not_finite(results):
        for cell in results["cells"]:
            if where := not_finite(cell):
                cell["not_finite"] = where
    whole: dict[str, Any] = without_nan(results)
    return whole


def _sheets(folder: Path, results: dict[str, Any]) -> list[dict[str, Any]]:
    """The sheets of a run, each with its analysis. If a run lacks what an analysis needs, its sheet has the error as a note."""
    keys = {f.name: results[f.name] for f in fields(Results) if f.name in results and f.name != "cells"}
    done = Results(folder, tuple(results["cells"]), (), **keys)
    rows = []
    for name in [name for name in SHEETS if name not in _OWN]:
        try:
            drawn = list(sheets(done, [name]))
        except ConfigError as error:
            drawn = [Sheet(name, name, (), (), (str(error).removeprefix(f"{folder}/"),))]
        rows += [{"analysis": name, **as_json(sheet)} for sheet in drawn]
    return rows


def _opinions(folder: Path, cell: dict[str, Any], results: dict[str, Any]) -> list[dict[str, Any]]:
    """Judges' opinions on a cell, with and without the gold answer; `rows` is item -> [status, scores, reasons]. Then second
    readers' verdicts: item -> [verdict and relation, {}, reply, prompt]."""
    opinions = []
    for entry in results["judged"].get("cells", ()):
        if entry["control"] not in ("plain", "blind") or Place.of(entry) != Place.of(cell):
            continue
        rows = {}
        for record in records.read_records(folder, entry["records"]):
            rows[records.entry_name(record)] = [record["status"], record["scores"], record["reasons"]]
        opinions.append({"judge": entry["judge"], "rubric": entry["rubric"], "control": entry["control"], "rows": rows})
    for entry in results["second"].get("cells", ()):
        if Place.of(entry) == Place.of(cell):
            rows = {
                records.entry_name(x): [x["relation"] or x["verdict"], {}, x["reply"] or x["error"] or "", x["prompt"]]
                for x in records.read_records(folder, entry["records"])
            }
            opinions.append({"judge": entry["reader"], "rubric": "", "control": "second", "rows": rows})
    return opinions


def _manifest(folder: Path) -> Any:
    name = "manifest.json"
    return read_json(folder, name) if os.path.lexists(folder / name) else {}
