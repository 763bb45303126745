"""Runs -> the leaderboard page: one HTML file that opens from file:// and holds all it shows.

The page's data are gzip'd JSON in base64: nothing of what a model said stands in the HTML as text, and the page's script
puts it on screen as text nodes only.
"""

from __future__ import annotations

import base64
import csv
import gzip
import hashlib
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from evalsuite.errors import ConfigError
from evalsuite.ontology import slots
from evalsuite.perturb import PERTURBATIONS
from evalsuite.resources import bundled
from evalsuite.tasks import TASKS

_PARTS = ("EVALSUITE_CSS", "EVALSUITE_JS", "EVALSUITE_DATA")  # where index.html takes styles, scripts and the data
# What of results.json the page has as it is; runs of before there was any have none.
_TOLD: dict[str, Any] = {"robustness": {}, "learning": [], "judged": {}}
# One after the other, as one script.
_SCRIPTS = ("words.js", "page.js", "picture.js", "overview.js", "robustness.js", "curves.js", "judge.js", "evidence.js")


def report(runs: Sequence[str | Path], out: str | Path | None = None) -> Path:
    """Write the page of one or more runs to out/index.html (default: page/ in the first run) and return its path."""
    folders = [Path(run) for run in runs]
    path = (Path(out) if out else folders[0] / "page") / "index.html"
    page = assemble(content(folders), _SCRIPTS)  # before there is a folder: it may be that there is no such run
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page, encoding="utf-8")
    return path


def assemble(shown: Any, scripts: Sequence[str], styles: Sequence[str] = ("page.css",)) -> str:
    """One HTML file of files in leaderboard/ and of all that it shows."""
    raw = json.dumps(shown, ensure_ascii=False, separators=(",", ":"))
    # mtime=0: the same runs give the same bytes.
    packed = base64.b64encode(gzip.compress(raw.encode(), 6, mtime=0)).decode()
    page, css, parts = (
        "".join((bundled("leaderboard") / n).read_text(encoding="utf-8") for n in names)
        for names in (("index.html",), styles, scripts)
    )
    js = '"use strict";\n(() => {\n' + parts + "})();\n"
    # The policy lets run what we ship, by its hash, and nothing else: no inline handler, no script from anywhere.
    digest = base64.b64encode(hashlib.sha256(js.encode()).digest()).decode()
    page = page.replace("{{SCRIPT_HASH}}", f"'sha256-{digest}'")
    for mark, part in zip(_PARTS, (css, js, packed), strict=True):
        page = page.replace(f"/*{mark}*/", part)
    return page


def content(folders: Sequence[Path]) -> dict[str, Any]:
    """All that the page shows. Long texts stand once in `strings` and are meant by their index."""
    strings: dict[str, int] = {}
    items: dict[str, int] = {}
    item_rows: list[dict[str, Any]] = []

    def index(text: str) -> int:
        return strings.setdefault(text, len(strings))

    cells, found = [], []
    for number, folder in enumerate(folders):
        path = folder / "results.json"
        if not path.is_file():
            raise ConfigError(f"{folder}: no results.json; `evalsuite score {folder}` writes it")
        results = json.loads(path.read_text(encoding="utf-8"))
        found.append({k: results.get(k, empty) for k, empty in _TOLD.items()})
        for cell in results["cells"]:
            rows = []
            for line in (folder / cell["records"]).read_text(encoding="utf-8").split("\n"):
                if not line:
                    continue
                record = json.loads(line)
                shown = {
                    k: record[k] for k in ("item", "dialogue", "question", "labels", "options", "references", "gold")
                }
                place = json.dumps(shown, ensure_ascii=False)
                if place not in items:
                    items[place] = len(item_rows)
                    item_rows.append(shown)
                answer = record["answer"]
                prompt = record["prompt"]
                if record["messages"] is not None:
                    prompt = "\n\n".join(f"[{m['role']}]\n{m['content']}" for m in record["messages"])
                rows.append(
                    [items[place], index(prompt), index(record["reply"] or ""), answer["status"], answer["choice"],
                     answer["text"], answer["rule"], answer["start"], answer["end"], record["scores"], record["finish"],
                     record["error"], len(record["shots"]), record["asked_shots"],
                     None if record.get("reasoning") is None else index(record["reasoning"]), _likelihoods(record),
                     record.get("rotation", 0)]
                )  # fmt: skip
            cells.append({**cell, "run": number, "rows": rows, **_opinions(folder, cell, found[-1]["judged"], index)})
    return {
        "runs": [{"name": f.name, "manifest": _manifest(f), **told} for f, told in zip(folders, found, strict=True)],
        "tasks": [
            {k: v for k, v in asdict(t).items() if k in ("name", "short", "zh", "en", "kind", "metrics")}
            for t in TASKS.values()
        ],
        "perturbations": [{"name": p.name, "zh": p.zh, "en": p.en, "kinds": p.kinds} for p in PERTURBATIONS.values()],
        "cells": cells,
        "items": item_rows,
        "strings": list(strings),
        "published": published(),
        "slots": [{"en": s.en, "zh": s.zh, "domain": s.domain} for s in slots()],
    }


def _opinions(
    folder: Path, cell: dict[str, Any], judged: dict[str, Any], index: Callable[[str], int]
) -> dict[str, list[dict[str, Any]]]:
    """What judges said of the cell's items, with and without the gold answer: item -> [status, scores, reasons]."""
    keys = ("model", "task", "set", "split", "variant", "shots", "scoring", "perturb")
    told = []
    for entry in judged.get("cells", ()):
        if entry["control"] not in ("plain", "blind") or any(cell.get(k) != entry[k] for k in keys):
            continue
        rows = {}
        for line in (folder / entry["records"]).read_text(encoding="utf-8").split("\n"):
            if not line:
                continue
            record = json.loads(line)
            name = record["item"] + (f"~{record['rotation']}" if record["rotation"] else "")
            rows[name] = [record["status"], record["scores"], index(record["reasons"])]
        told.append({"judge": entry["judge"], "rubric": entry["rubric"], "control": entry["control"], "rows": rows})
    return {"judged": told} if told else {}


def _likelihoods(record: dict[str, Any]) -> list[list[float | None]] | None:
    """[log-probability, tokens, prior] an option; null for what JSON has no number for (a network gone wrong says nan)."""
    found = record.get("likelihoods")  # runs of before there were any have none
    return found and [
        [v if v is None or math.isfinite(v) else None for v in (x["logprob"], x["tokens"], x["prior"])] for x in found
    ]


def published() -> list[dict[str, Any]]:
    """The paper's figures (Tables 2, 3, 6, 7): set, task, model, shots, metric, value, and the table they stand in."""
    with bundled("leaderboard/published/corecode_results.csv").open(encoding="utf-8", newline="") as file:
        return [
            {"source": row["source"], "set": row["split"], "task": row["task"], "model": row["model"],
             "shots": int(row["shots"]), "metric": row["metric"], "value": float(row["value"])}
            for row in csv.DictReader(file)
        ]  # fmt: skip


def _manifest(folder: Path) -> Any:
    path = folder / "manifest.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
