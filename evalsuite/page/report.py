"""Runs -> the leaderboard page: one HTML file that opens from file://, with shards beside it if it would be too large.

The data of the page are gzip'd JSON in base64, so that no reply of a model is parsed as HTML; the page's script shows texts
as text nodes only.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, get_origin

from evalsuite.analyses import average_ranks, significance
from evalsuite.analyses.blame import damage_named
from evalsuite.analyses.findings.journey import findings
from evalsuite.analyses.judged.sheets import judged_cells
from evalsuite.analyses.saved import from_json, score_named, to_json
from evalsuite.analyses.second_reader import second_cells
from evalsuite.analyses.table import SECTIONS, TABLES, sheets
from evalsuite.benchmarks.probing import CORRUPTIONS
from evalsuite.benchmarks.published import published_figures
from evalsuite.benchmarks.registry import BENCHMARKS, FILE, TASKS, metric_rows
from evalsuite.common.errors import ConfigError
from evalsuite.common.files import remove, replace_file
from evalsuite.common.finite import is_finite, not_finite, without_nan
from evalsuite.common.garbage import rare_collections
from evalsuite.common.grouping import by_key
from evalsuite.common.lock import locked
from evalsuite.common.plainfile import read_json
from evalsuite.common.resources import bundled
from evalsuite.common.sheet import as_json
from evalsuite.page.citations import citations
from evalsuite.page.shards import OUTCOME_NAMES, PageCell, ShownOpinions, pack_columns, pack_json
from evalsuite.perturb import PERTURBATIONS
from evalsuite.results import records
from evalsuite.results.analysis import Results
from evalsuite.results.schema.cell import CellResult
from evalsuite.results.schema.record import OpinionFields, SecondFields
from evalsuite.results.words import set_name, set_title

# Placeholders of index.html, in the order of styles, scripts, data and shards.
_PLACEHOLDERS = ("EVALSUITE_CSS", "EVALSUITE_JS", "EVALSUITE_DATA", "EVALSUITE_SHARDS")
# Texts by which evalsuite recognizes its own pages; the second is in the head of pages that earlier versions wrote.
_MARKS = (b'<meta name="generator" content="evalsuite">', b"trusted-types evalsuite")
_SHARD = "evalsuiteShard("  # the beginning of a shard's file
INSIDE = 4_000_000  # the most bytes of packed shards inside the page; a page without shard files can be sent by mail
# The keys of results.json, beside "cells", that the page's scripts read. The other keys are in a shard, which is loaded only
# when a reader saves results.json.
_KEYS_READ = ("groups", "means", "contamination", "judged")
_BENCHMARK_KEYS = (
    "name",
    "title",
    "sets",
    "sets_zh",
    "sets_en",
    "averaged",
    "levels",
    "groups",
    "published_zh",
    "published_en",
)


def report(runs: Sequence[str | Path], out: str | Path | None = None) -> Path:
    """Write the page of one or more runs to out/index.html (default: page/ in the first run) and return its path.

    Items and replies are inside the page if they are small enough together, else beside it in shards/. A page inside a run's
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
    """Raise ConfigError if out/index.html is a file that evalsuite did not write, so that it is not overwritten."""
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


@rare_collections()
def write_page(runs: Sequence[Path], out: Path) -> Path:
    """Write the page to out/index.html and return its path. If `out` is inside a run, the caller holds that run's lock."""
    loaded = [_load(run) for run in runs]
    path = out / "index.html"
    out.mkdir(parents=True, exist_ok=True)
    shard_files = ShardFiles(out / "shards")
    with damage_named(*(run.results for run in loaded)):
        data = page_data(loaded, shard_files.add)
    page = assemble(data, "leaderboard", shards=shard_files.inside)
    replace_file(path, page)
    shard_files.tidy()
    return path


class ShardFiles:
    """The shards of a page: inside it up to INSIDE bytes together, else as files.

    A shard's file is a script, since a page opened from file:// can load nothing else. It is named by the hash of its
    content, so that a page never loads the shard of another report.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.inside: dict[str, str] = {}  # name -> packed
        self._files: set[str] = set()

    def add(self, packed: str) -> str:
        """Add a packed shard and return its name."""
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


def assemble(data: Any, script: str, styles: Sequence[str] = ("page",), shards: Mapping[str, str] | None = None) -> str:
    """One HTML file from index.html, styles and a built script of leaderboard/, the page's data, and shards (name -> packed)."""
    files = bundled("leaderboard")
    page = (files / "index.html").read_text(encoding="utf-8")
    css = "".join((files / "styles" / f"{name}.css").read_text(encoding="utf-8") for name in styles)
    js = (files / "dist" / f"{script}.js").read_text(encoding="utf-8")
    # The content security policy allows our script and style, by their hashes, and the shards that they load; nothing else.
    for mark, text in (("SCRIPT_HASH", js), ("STYLE_HASH", css)):
        page = page.replace(
            f"{{{{{mark}}}}}", f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
        )
    inside = "".join(
        f'<script id="shard-{name}" type="text/plain">{text}</script>\n' for name, text in (shards or {}).items()
    )
    for mark, part in zip(_PLACEHOLDERS, (css, js, pack_json(data), inside), strict=True):
        page = page.replace(f"/*{mark}*/", part)
    return page


def page_data(runs: Sequence[Loaded], add_shard: Callable[[str], str]) -> dict[str, Any]:
    """The data of the page. Its shards go to `add_shard`, which returns the name of a shard."""
    of_runs = [(number, run.results, cell) for number, run in enumerate(runs) for cell in run.results.cells]
    cells = [
        PageCell(n, number, results.out, cell, _opinions(results, cell))
        for n, (number, results, cell) in enumerate(of_runs)
    ]
    with ThreadPoolExecutor(1) as pool:
        # Worker processes read the records of a large run; this process makes the sheets meanwhile.
        sheets_of_runs = pool.submit(lambda: [_sheets(run.results) for run in runs])
        packed = pack_columns(cells)
    columns = [
        {"ids": column.ids, "shards": [(add_shard(shard), first) for shard, first in column.shards]}
        for column in packed
    ]
    models = [scores for column in packed for scores in column.models]
    beside = {
        number: ({} if of_cell.flips is None else {"flips": of_cell.flips})
        | {"column": n, "outcomes": of_cell.outcomes}
        for n, column in enumerate(packed)
        for number, of_cell in column.marks.items()
    }
    marks = [run.not_finite.get(n) for run in runs for n in range(len(run.results.cells))]
    shown = [
        page_cell.cell.written()
        | {"run": page_cell.run}
        | ({"not_finite": mark} if mark else {})
        | beside[page_cell.number]
        for page_cell, mark in zip(cells, marks, strict=True)
    ]
    asked = {TASKS[page_cell.cell.task].benchmark for page_cell in cells}
    sets = by_key((TASKS[page_cell.cell.task].benchmark, page_cell.cell.set) for page_cell in cells)
    comparisons = [
        comparison
        for column in sorted(packed, key=lambda c: significance.place_order(c.place))
        for comparison in column.comparisons
    ]
    used = [name for name in BENCHMARKS if name in asked]
    return {
        "runs": [
            {
                "name": run.results.out.name,
                "manifest": _manifest(run.results.out),
                **_results_keys(run.results, add_shard),
                "sheets": own_sheets,
            }
            for run, own_sheets in zip(runs, sheets_of_runs.result(), strict=True)
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
                "set_names": {
                    name: asdict(set_name(b, name)) | {"title_zh": set_title(b, name).zh}
                    for name in dict.fromkeys((*b.sets, *sets.get(b.name, ())))
                },
                "published_as": None if b.published_as is None else dict(b.published_as),
            }
            for b in BENCHMARKS.values()
        ],
        "metrics": [
            {"name": name, "zh": m.zh, "en": m.en or m.zh}
            | {"top": m.maximum, "percent": m.percent, "share": m.is_share, "unit": m.unit, "lower": m.lower_is_better}
            for name, m in metric_rows().items()
        ],
        "perturbations": [
            {name: getattr(p, name) for name in ("name", "zh", "en", "kinds", "languages")}
            for p in PERTURBATIONS.values()
        ],
        "corruptions": [{name: getattr(c, name) for name in ("name", "zh", "en")} for c in CORRUPTIONS.values()],
        "cells": shown,
        "columns": columns,
        "asked": {
            "items": len({item for column in packed for item in column.items}),
            "replies": sum(column.replies for column in packed),
        },
        "findings": [asdict(finding) for finding in findings([run.results for run in runs], models, comparisons)],
        "groups": [comparison.written() for comparison in comparisons],
        "outcomes": OUTCOME_NAMES,
        "nemenyi": average_ranks.critical_values(len({x.model for x in models})),
        "published": [row for name in used for row in published_figures(BENCHMARKS[name])],
        "references": [
            as_json(sheet) for name in used if (references := BENCHMARKS[name].references) for sheet in references()
        ],
        "citations": citations(BENCHMARKS[name] for name in used),
        "unlike": [name for name in used if _differs(name, runs)],
    }


def _differs(benchmark: str, runs: Sequence[Loaded]) -> bool:
    """Whether the runs have different files of a benchmark."""
    files = [run.results.out / "benchmarks" / benchmark / FILE for run in runs]
    return len({path.read_bytes() for path in files if path.is_file()}) > 1


@dataclass(frozen=True, slots=True)
class Loaded:
    """The results of a run, and the positions of NaN or infinity in its file, which JSON does not allow."""

    results: Results
    not_finite: Mapping[int, str]  # index of a cell -> path of its first such value


def _load(folder: Path) -> Loaded:
    """Read results.json, with null for NaN and infinity. Raises DataError for a file without cells, ConfigError if there is no
    file or if it is in another form."""
    content, marks = records.read_results(folder), dict[int, str]()
    if not is_finite(content):
        marks = {n: where for n, cell in enumerate(content["cells"]) if (where := not_finite(cell))}
        content = without_nan(content)
    with score_named(folder):
        return Loaded(from_json(folder, content), marks)


def _results_keys(results: Results, add_shard: Callable[[str], str]) -> dict[str, Any]:
    """The keys of results.json that the page's scripts read, without the cells.

    "others" names the shard with the other keys, and "written" has the names of all keys in order: from both, the page restores
    the file when a reader saves it.
    """
    content = to_json(results)
    cell_keys = dict.fromkeys(key for cell in content["cells"] for key in cell)
    written = {"results": list(content), "cells": list(cell_keys)}
    others = {key: value for key, value in content.items() if key not in (*_KEYS_READ, "cells")}
    empty: dict[str, Any] = {
        row.key: [] if get_origin(row.model) is list else {} for row in SECTIONS if row.key in _KEYS_READ
    }
    read = {key: content[key] for key in _KEYS_READ if key in content}
    return {**empty, **read, "written": written, "others": add_shard(pack_json(others))}


def _sheets(results: Results) -> list[dict[str, Any]]:
    """The sheets of a run, each with the name of its analysis. Analyses that the page draws itself are left out."""
    names = [row.name for row in TABLES.values() if not row.drawn]
    return [{"analysis": name, **as_json(sheet)} for name in names for sheet in sheets(results, [name])]


def _opinions(results: Results, cell: CellResult) -> list[ShownOpinions]:
    """The opinions of judges on a cell, with and without the gold answer, then those of second readers.

    `rows`: entry -> [status, scores, reasons]; of a second reader [relation, or else verdict, {}, reply or error, prompt].
    """
    opinions = list[ShownOpinions]()
    for entry in judged_cells(results):
        if entry.control in ("plain", "blind") and entry.place == cell.place:
            rows = {
                records.entry_name(x): [x["status"], x["scores"], x["reasons"]]
                for x in records.read_lines(OpinionFields, results.out, entry.records)
            }
            opinions.append({"judge": entry.judge, "rubric": entry.rubric, "control": entry.control, "rows": rows})
    for reading in second_cells(results):
        if reading.place == cell.place:
            rows = {
                records.entry_name(x): [x["relation"] or x["verdict"], {}, x["reply"] or x["error"] or "", x["prompt"]]
                for x in records.read_lines(SecondFields, results.out, reading.records)
            }
            opinions.append({"judge": reading.reader, "rubric": "", "control": "second", "rows": rows})
    return opinions


def _manifest(folder: Path) -> Any:
    name = "manifest.json"
    return read_json(folder, name) if os.path.lexists(folder / name) else {}
