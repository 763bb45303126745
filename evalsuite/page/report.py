"""Runs -> the leaderboard page: one HTML file that opens from file://, and shards beside it where it would be large.

The page's data are gzip'd JSON in base64: nothing of what a model said stands in the HTML as text, and the page's script
puts it on screen as text nodes only.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import fields
from pathlib import Path
from typing import Any

from evalsuite.benchmarks.cedar.corruptions import CORRUPTIONS
from evalsuite.benchmarks.corecode.ontology import slots
from evalsuite.benchmarks.registry import BENCHMARKS, TASKS, metric_named
from evalsuite.common import csvfile
from evalsuite.common.errors import ConfigError, DataError
from evalsuite.common.files import replace_file
from evalsuite.common.lock import locked
from evalsuite.common.resources import bundled
from evalsuite.common.sheet import Sheet, as_json
from evalsuite.page import shards
from evalsuite.page.citations import citations
from evalsuite.perturb import PERTURBATIONS
from evalsuite.results import ranking, records
from evalsuite.results.journey import Results
from evalsuite.results.sheets import SHEETS, sheets
from evalsuite.types import Benchmark, Place

# Where index.html takes styles, scripts, the data, and shards.
_PARTS = ("EVALSUITE_CSS", "EVALSUITE_JS", "EVALSUITE_DATA", "EVALSUITE_SHARDS")
INSIDE = 4_000_000  # bytes of packed shards that the page itself holds: one file that can be mailed
# What of results.json the page has as it is; runs of before there was any have none.
_TOLD: dict[str, Any] = {
    "format": 1, "evalsuite": "", "reading": {}, "robustness": {}, "means": [], "learning": [], "breakdowns": [], "confusions": [],
    "metric_correlations": [], "judged": {},
}  # fmt: skip
# Analyses that the page draws itself, from the cells in view: it needs no sheets of them. It draws the sheets of all others.
_OWN = ("results", "ranks", "groups", "robustness", "breakdowns", "confusions", "correlations", "curves")
_TOLD_OF_BENCHMARKS = (
    "name", "title", "sets", "sets_zh", "sets_en", "averaged", "groups", "published_zh", "published_en",
)  # fmt: skip
# One after the other, as one script.
_SCRIPTS = (
    "words.js", "page.js", "filters.js", "picture.js", "benchmarks.js", "tablefile.js", "provenance.js", "overview.js", "groups.js", "ranks.js",
    "marks.js", "lines.js", "robustness.js", "slopes.js", "breakdown.js", "confusion.js", "curves.js", "judge.js", "scatter.js",
    "correlations.js", "sheets.js", "shards.js", "list.js", "evidence.js", "item.js", "main.js",
)  # fmt: skip


def report(runs: Sequence[str | Path], out: str | Path | None = None) -> Path:
    """Write the page of one or more runs to out/index.html (default: page/ in the first run) and return its path.

    What items and replies need is inside the page while it is small; else it lies beside it in shards/.

    A page in a run's folder takes the lock of that folder: records must not be replaced while the page is made of them, and
    a report removes the shards of the one before. A page elsewhere only reads the runs and can be made while they go on.
    """
    folders = [Path(run) for run in runs]
    if not out and (folders[0] / "submission.yaml").exists():
        raise ConfigError(f"{folders[0]}: a submission holds nothing else: give --out DIR for the page")
    for folder in folders:  # before there is a folder for the page
        records.find_results(folder)
    page = Path(out) if out else folders[0] / "page"
    home = next((f for f in folders if page.resolve().is_relative_to(f.resolve())), None)
    with locked(home) if home else nullcontext():
        return write_page(folders, page)


def write_page(runs: Sequence[Path], out: Path) -> Path:
    """Write the page to out/index.html and return its path. The caller holds the lock of the run that `out` is in, if any."""
    read = [_results(run) for run in runs]
    path = out / "index.html"
    out.mkdir(parents=True, exist_ok=True)
    shelf = Shelf(out / "shards")
    page = assemble(content(runs, read, shelf.keep), _SCRIPTS, shards=shelf.inside)
    replace_file(path, page)
    shelf.tidy()
    return path


class Shelf:
    """Keeps shards: in the page while they are small together, as files from then on.

    A shard is a script, since a page opened from file:// may load nothing else. Its name is its content's hash: a page
    never takes another report's shard for its own.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.inside: dict[str, str] = {}  # name -> packed
        self._files: set[str] = set()

    def keep(self, shard: Any) -> str:
        packed = pack(shard)
        name = hashlib.sha256(packed.encode()).hexdigest()[:16]
        self.inside[name] = packed
        if self._files or sum(map(len, self.inside.values())) > INSIDE:
            self.folder.mkdir(exist_ok=True)
            for each, text in self.inside.items():
                replace_file(self.folder / f"{each}.js", f'evalsuiteShard("{each}","{text}")\n')
                self._files.add(f"{each}.js")
            self.inside.clear()
        return name

    def tidy(self) -> None:
        """Remove the shards of earlier reports."""
        for path in self.folder.glob("*.js"):
            if path.name not in self._files:
                path.unlink()
        if self.folder.is_dir() and not any(self.folder.iterdir()):
            self.folder.rmdir()


def pack(shown: Any) -> str:
    raw = json.dumps(shown, ensure_ascii=False, separators=(",", ":"))
    # mtime=0: the same runs give the same bytes. A lone surrogate stays what it is: the page shows it as a mark.
    return base64.b64encode(gzip.compress(raw.encode("utf-8", "surrogatepass"), 6, mtime=0)).decode()


def assemble(
    shown: Any, scripts: Sequence[str], styles: Sequence[str] = ("page.css",), shards: Mapping[str, str] | None = None
) -> str:
    """One HTML file of files in leaderboard/ and of all that it shows."""
    page, css, parts = (
        "".join((bundled("leaderboard") / n).read_text(encoding="utf-8") for n in names)
        for names in (("index.html",), styles, scripts)
    )
    js = '"use strict";\n(() => {\n' + parts + "})();\n"
    # The policy lets run what we ship, by its hash, and what that loads (shards), and nothing else: no inline handler,
    # no script or style from anywhere.
    for mark, text in (("SCRIPT_HASH", js), ("STYLE_HASH", css)):
        page = page.replace(
            f"{{{{{mark}}}}}", f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
        )
    inside = "".join(
        f'<script id="shard-{name}" type="text/plain">{text}</script>\n' for name, text in (shards or {}).items()
    )
    for mark, part in zip(_PARTS, (css, js, pack(shown), inside), strict=True):
        page = page.replace(f"/*{mark}*/", part)
    return page


def content(folders: Sequence[Path], read: Sequence[dict[str, Any]], keep: Callable[[Any], str]) -> dict[str, Any]:
    """All that the page shows but what stands in shards; `keep` takes these."""
    found = [{k: results.get(k, empty) for k, empty in _TOLD.items()} for results in read]
    for told, results in zip(found, read, strict=True):
        # The keys that there were, in their order, for the page to write the file again.
        keys = dict.fromkeys(k for cell in results["cells"] for k in cell)
        told["written"] = {"results": list(results), "cells": list(keys)}
    cells = [{**cell, "run": number} for number, results in enumerate(read) for cell in results["cells"]]
    rated: list[ranking.Rated] = []

    def rate(cell: dict[str, Any], rows: Sequence[shards.Rating]) -> None:
        if one := ranking.rated(cell, rows, f"{cell['run']}\t{cell['model']}"):  # as the page names its models
            rated.append(one)

    packed = shards.pack(
        cells,
        lambda cell: records.read(folders[cell["run"]], cell["records"]),
        lambda cell: _opinions(folders[cell["run"]], cell, found[cell["run"]]["judged"]),
        keep,
        rate,
    )
    used = {TASKS[cell["task"]].benchmark for cell in cells if cell["task"] in TASKS}
    return {
        "runs": [
            {"name": f.name, "manifest": _manifest(f), **told, "sheets": _sheets(f, results)}
            for f, told, results in zip(folders, found, read, strict=True)
        ],
        "tasks": [
            {name: getattr(t, name) for name in ("name", "short", "zh", "en", "metrics", "benchmark")}
            | {"kind": t.kind.name}
            for t in TASKS.values()
        ],
        "benchmarks": [
            {
                **{name: getattr(b, name) for name in _TOLD_OF_BENCHMARKS},
                "language": b.language.name,
                "published_as": None if b.published_as is None else dict(b.published_as),
            }
            for b in BENCHMARKS.values()
        ],
        "perturbations": [
            {name: getattr(p, name) for name in ("name", "zh", "en", "kinds", "languages")}
            for p in PERTURBATIONS.values()
        ],
        "corruptions": [{name: getattr(c, name) for name in ("name", "zh", "en")} for c in CORRUPTIONS.values()],
        "cells": packed.cells,
        "columns": packed.columns,
        "asked": {"items": len(packed.items), "replies": packed.replies},
        "groups": ranking.groups(rated),
        "nemenyi": ranking.critical_values(len({x.model for x in rated})),
        "published": [row for row in published() if TASKS[row["task"]].benchmark in used],
        "citations": citations(),
        "slots": [{"en": s.en, "zh": s.zh, "domain": s.domain} for s in slots()],
    }


def _results(folder: Path) -> dict[str, Any]:
    results: dict[str, Any] = json.loads(records.find_results(folder).read_text(encoding="utf-8"))
    return results


def _sheets(folder: Path, results: dict[str, Any]) -> list[dict[str, Any]]:
    """The sheets of a run, each with its analysis. Where an old or edited run has not what one needs, that is said."""
    told = {f.name: results[f.name] for f in fields(Results) if f.name in results and f.name != "cells"}
    done = Results(folder, tuple(results["cells"]), (), **told)
    shown = []
    for name in [name for name in SHEETS if name not in _OWN]:
        try:
            mine = list(sheets(done, [name]))
        except ConfigError as error:
            mine = [Sheet(name, name, (), (), (str(error).removeprefix(f"{folder}/"),))]
        shown += [{"analysis": name, **as_json(sheet)} for sheet in mine]
    return shown


def _opinions(folder: Path, cell: dict[str, Any], judged: dict[str, Any]) -> list[dict[str, Any]]:
    """What judges said of the cell's items, with and without the gold answer: item -> [status, scores, reasons]."""
    told = []
    for entry in judged.get("cells", ()):
        if entry["control"] not in ("plain", "blind") or Place.of(entry) != Place.of(cell):
            continue
        rows = {}
        for record in records.read(folder, entry["records"]):
            name = record["item"] + (f"~{record['rotation']}" if record["rotation"] else "")
            rows[name] = [record["status"], record["scores"], record["reasons"]]
        told.append({"judge": entry["judge"], "rubric": entry["rubric"], "control": entry["control"], "rows": rows})
    return told


def published() -> list[dict[str, Any]]:
    """The published figures of all benchmarks (`Benchmark.published`): set, task, model, shots, metric, value, the table
    that they stand in, and `group` for those of some items only.

    The set "avg" is the mean over all sets. Left out are figures of a part of a task's items that is no task of ours.
    """
    return [row for benchmark in BENCHMARKS.values() for row in _published(benchmark)]


def _published(benchmark: Benchmark) -> Iterator[dict[str, Any]]:
    if benchmark.published is None:
        return
    for line, cells in csvfile.read_rows(benchmark.published, ("source", "set", "task", "model", "metric", "value")):
        row = {name: cell or "" for name, cell in cells.items()}
        try:
            task = benchmark.task(row["task"])
            if row.get("subset", "all") not in ("all", task.subset):
                continue
            found = {
                "source": row["source"],
                "set": row["set"],
                "task": task.name,
                "model": f"{row['model']} (not fine-tuned)" if row.get("tuned") == "no" else row["model"],
                "shots": int(row.get("shots") or 0),
                "metric": row["metric"],
                # Published sacreBLEU goes to 100; ours is a share.
                "value": float(row["value"]) / metric_named(row["metric"]).published,
            }
        except (KeyError, ValueError) as error:
            raise DataError(
                f"{error}: expected a task's name without its benchmark's, and numbers", benchmark.published, line
            ) from None
        yield found | ({"group": row["group"]} if row.get("group", "avg") not in ("", "avg") else {})


def _manifest(folder: Path) -> Any:
    path = folder / "manifest.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
