"""Files of runs and pages, as tests read and compare them, and files of JSON lines."""

from __future__ import annotations

import base64
import gzip
import json
import re
import sqlite3
from pathlib import Path
from typing import Any


def results_json(run: Path) -> dict[str, Any]:
    """The content of a run's results.json."""
    content: dict[str, Any] = json.loads((run / "results.json").read_text(encoding="utf-8"))
    return content


def compared_files(run: Path) -> dict[str, bytes]:
    """Path -> content of results.json and the records: equal settings give equal bytes. A page also holds the time of its run."""
    return {str(p.relative_to(run)): p.read_bytes() for p in [run / "results.json", *sorted(run.glob("records/*"))]}


def reply_counts(run: Path) -> tuple[int, int]:
    """The number of stored replies, and the largest number of answers to one request; (0, 0) while there is no store."""
    if not (run / "store.sqlite").is_file():
        return 0, 0
    with sqlite3.connect(run / "store.sqlite") as db:
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'replies'").fetchone():
            return 0, 0
        count, most = db.execute("SELECT count(*), max(asked) FROM replies").fetchone()
        return count, most or 0


def data_in_page(page: Path, **options: Any) -> dict[str, Any]:
    """The data that a page holds, packed by `report.pack_json`; `options` are those of `json.loads`."""
    (packed,) = re.findall(r'id="data" type="text/plain">([^<]+)<', page.read_text(encoding="utf-8"))
    data: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(packed)), **options)
    return data


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def write_jsonl(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path
