"""Replies -> answers -> scores -> records/*.jsonl and results.json. Needs a run's store, nothing else: no model, no data.

results.json holds no time and no path of the machine: two runs of the same settings write the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from evalsuite.data.corecode import File
from evalsuite.errors import ConfigError
from evalsuite.metrics.exact import char_f1, exact_match
from evalsuite.parse import PARSER_VERSION, parse_option, parse_span
from evalsuite.store import Cell, Store
from evalsuite.tasks import TASKS
from evalsuite.types import Answer, Item, Request, Response, Score, Status

VERSION = metadata.version("evalsuite")


@dataclass(frozen=True, slots=True)
class Results:
    """All cells of a run. `cells` are what results.json holds under that name."""

    out: Path
    cells: tuple[dict[str, Any], ...]
    problems: tuple[str, ...]  # what failed, a line each; empty if all is well

    @property
    def exit_code(self) -> int:
        return 1 if self.problems else 0


def read_answer(item: Item, response: Response) -> Answer:
    """What the reply says, by the item's kind of task."""
    if response.error is not None:
        return Answer(Status.FAILED, rule="no reply")
    if TASKS[item.task].kind == "choice":
        options = dict(zip(item.labels, item.options, strict=True))
        return parse_option(response.text, options, finish=response.finish, dialogue=item.dialogue)
    return parse_span(response.text, dialogue=item.dialogue, question=item.question, finish=response.finish)


def score_answer(item: Item, answer: Answer) -> Score:
    """The item's metrics. A reply that gives no answer is not right (0); a request that failed has no score at all."""
    if answer.status is Status.FAILED:
        return Score()
    if TASKS[item.task].kind == "choice":
        return Score({"accuracy": float(answer.choice is not None and answer.choice == item.gold)})
    said = answer.text or ""
    return Score({"f1": char_f1(said, item.references), "em": exact_match(said, item.references)})


def score_reply(item: Item, response: Response) -> tuple[Answer, Score]:
    answer = read_answer(item, response)
    return answer, score_answer(item, answer)


def write_results(out: Path) -> Results:
    """Score every cell of the store in `out`; write records/ and results.json."""
    path = out / "store.sqlite"
    if not path.is_file():
        raise ConfigError(f"{out}: no run here (no store.sqlite); `evalsuite run --out {out}` makes one")
    folder = out / "records"
    folder.mkdir(exist_ok=True)
    cells = []
    written = set()
    with Store(path) as store:
        for cell in store.cells():
            name = _file_name(cell)
            written.add(name)
            cells.append(_write_cell(store, cell, folder / name))
    for stale in folder.glob("*.jsonl"):
        if stale.name not in written:
            stale.unlink()
    content = {"format": 1, "evalsuite": VERSION, "cells": cells}
    _replace(out / "results.json", json.dumps(content, ensure_ascii=False, indent=1) + "\n")
    return Results(out, tuple(cells), tuple(p for c in cells for p in _problems(c)))


def _write_cell(store: Store, cell: Cell, path: Path) -> dict[str, Any]:
    """Write one cell's records, a line each, and return its entry for results.json."""
    statuses: Counter[str] = Counter()
    totals: dict[str, float] = dict.fromkeys(TASKS[cell.task].metrics, 0.0)
    count = missing = scored = parsed = dropped = skipped_right = 0
    chances: list[float] = []
    lines = []
    errors: Counter[str] = Counter()
    for key, request, response in store.read(cell):
        count += 1
        item = request.item
        if item.options:
            chances.append(1 / len(item.options))
        dropped += request.asked_shots - len(request.shots)
        if response is None:
            missing += 1
            continue
        answer, score = score_reply(item, response)
        statuses[answer.status] += 1
        parsed += answer.status is Status.PARSED
        skipped_right += bool(score.values.get("accuracy"))
        if response.error:
            errors[response.error] += 1
        else:
            scored += 1
            for name in totals:
                totals[name] += score.values[name]
        lines.append(json.dumps(_record(cell, key, request, response, answer, score), ensure_ascii=False))
    _replace(path, "".join(line + "\n" for line in lines))
    signature = _signature(cell)
    entry: dict[str, Any] = {
        **{name: value for name, value in asdict(cell).items() if name != "facts"},
        "items": count,
        "missing": missing,
        "status": {status.value: statuses[status] for status in Status if statuses[status]},
        "metrics": {
            name: {"value": total / scored if scored else None, "n": scored, "signature": f"{name}|{signature}"}
            for name, total in totals.items()
        },
        "shots_dropped": dropped,
        "errors": dict(errors.most_common(5)),
        "records": f"records/{path.name}",
        "facts": cell.facts,
    }
    if chances:
        entry["chance"] = sum(chances) / len(chances)
        entry["accuracy_of_parsed"] = skipped_right / parsed if parsed else None
    return entry


def _record(cell: Cell, key: str, request: Request, response: Response, answer: Answer, score: Score) -> dict[str, Any]:
    """One line of records/: all that a reviewer needs to check the item."""
    item = asdict(request.item)
    return {
        "item": item.pop("id"),
        "model": cell.model,
        "variant": request.variant,
        "shots": list(request.shots),
        "asked_shots": request.asked_shots,
        "key": key,
        "prompt": request.prompt,
        "messages": [asdict(m) for m in request.messages] if cell.facts.get("chat") else None,
        "reply": response.text if response.error is None else None,
        "finish": response.finish,
        "error": response.error,
        "prompt_tokens": response.prompt_tokens,
        "new_tokens": response.new_tokens,
        "answer": asdict(answer),
        "scores": score.values,
        "gold": request.item.labels[request.item.gold] if request.item.gold is not None else None,
        **{
            name: item[name]
            for name in ("task", "set", "split", "dialogue", "question", "labels", "options", "references")
        },
    }


def _signature(cell: Cell) -> str:
    """What the cell's numbers depend on, in sacreBLEU's style."""
    facts = cell.facts
    parts = {
        "data": facts["data"][:8],
        "prompt": f"{cell.variant}-{facts['template'][:8]}",
        "shots": cell.shots,
        "seed": facts["seed"],
        "limit": facts["limit"],
        "scoring": "generate",
        "parser": f"full-{PARSER_VERSION}",
        "model": facts["fingerprint"],
        "evalsuite": VERSION,
    }
    return "|".join(f"{name}:{value}" for name, value in parts.items() if value is not None)


def _problems(cell: dict[str, Any]) -> list[str]:
    name = f"{cell['model']}/{cell['set']}/{cell['task']}/{cell['variant']}/{cell['shots']}-shot"
    problems = []
    if failed := cell["status"].get(Status.FAILED.value, 0):
        problems.append(f"{name}: {failed} of {cell['items']} requests failed: {'; '.join(cell['errors'])}")
    if cell["missing"]:
        problems.append(f"{name}: {cell['missing']} of {cell['items']} not asked yet: the same run goes on")
    return problems


def write_manifest(out: Path, settings: Any, data: str, files: Sequence[File]) -> None:
    """manifest.json: the settings of the latest start, where the data came from, versions, hashes of the data files."""
    packages = {}
    for name in ("evalsuite", "torch", "transformers", "tokenizers", "peft", "jinja2", "pydantic"):
        try:
            packages[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    content = {
        "started": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "settings": {k: str(v) if isinstance(v, Path) else v for k, v in asdict(settings).items()} | {"data": data},
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": packages,
        "data": {"/".join(f.path.parts[-4:]): {"sha256": f.sha256, "items": len(f.items)} for f in files},
    }
    _replace(out / "manifest.json", json.dumps(content, ensure_ascii=False, indent=1) + "\n")


def _file_name(cell: Cell) -> str:
    """For people; nothing is ever read back from it. A model's name may hold anything, so odd ones get a hash."""
    safe = re.sub(r"[^\w.-]", "_", cell.model, flags=re.ASCII)[:60]
    if safe != cell.model:
        safe += "-" + hashlib.sha256(cell.model.encode()).hexdigest()[:6]
    return f"{safe}.{cell.set}.{cell.split}.{cell.task}.{cell.variant}.{cell.shots}-shot.jsonl"


def _replace(path: Path, text: str) -> None:
    """Write whole or not at all."""
    draft = path.with_name(path.name + ".part")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)
