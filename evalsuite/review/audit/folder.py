"""A run -> RUN/audit/NAME/: the sample, the page on which it is marked, and the same for a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from evalsuite.benchmarks.registry import DEFAULT, TASKS, benchmark_of
from evalsuite.common.errors import ConfigError, unknown
from evalsuite.common.files import replace_file
from evalsuite.common.lock import locked
from evalsuite.page.report import assemble
from evalsuite.results import records
from evalsuite.review.audit.outputs import Output, population
from evalsuite.review.audit.rubrics import rubric
from evalsuite.review.audit.sample import SAMPLE, Sample, draw, load, save

_SCRIPTS = ("words.js", "page.js", "audit/words.js", "audit/marks.js", "audit/page.js")
_STYLES = ("page.css", "audit/page.css")


def make(
    run: str | Path,
    n: int = 100,
    seed: int = 0,
    models: Sequence[str] = (),
    tasks: Sequence[str] = (),
    rubric_name: str = "",
    name: str = "",
) -> tuple[Path, Sample]:
    """Draw `n` outputs of each model and write what is needed to mark them; returns the page and the sample.

    Without `rubric_name`, short texts are scored by their benchmark's own.
    """
    if n < 1:
        raise ConfigError(f"--n {n}: expected 1 or more")
    if name and Path(name).name != name:
        raise ConfigError(f"--name {name!r}: expected a folder's name")
    records.find_results(Path(run))  # before anything is written there
    with locked(Path(run)):
        return _make(run, n, seed, models, tasks, rubric_name, name)


def _make(
    run: str | Path, n: int, seed: int, models: Sequence[str], tasks: Sequence[str], rubric_name: str, name: str
) -> tuple[Path, Sample]:
    outputs = _wanted(population(Path(run)), run, models, tasks)
    rubric_name = rubric_name or _own(outputs)
    scales = rubric(rubric_name)
    name = name or f"{rubric_name}-{n}-seed{seed}"
    sample = draw(outputs, name, n, seed, scales.name)
    folder = Path(run) / "audit" / name
    if (folder / SAMPLE).is_file() and load(folder / SAMPLE).hash != sample.hash:
        raise ConfigError(
            f"{folder}: holds another sample, and marks of it may be about; give this one a --name of its own"
        )
    folder.mkdir(parents=True, exist_ok=True)
    save(sample, folder / SAMPLE)
    page = folder / "index.html"
    replace_file(page, assemble(content(sample), _SCRIPTS, _STYLES))
    rows = [_row(sample, d.output) for d in sample.drawn]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    # With the mark by which Excel knows UTF-8.
    for twin, written in (("to-mark.jsonl", lines.encode()), ("to-mark.csv", _table(rows).encode("utf-8-sig"))):
        if not (folder / twin).exists():  # someone may have filled it in
            replace_file(folder / twin, written)
    return page, sample


def _wanted(
    outputs: Sequence[Output], run: str | Path, models: Sequence[str], tasks: Sequence[str]
) -> Sequence[Output]:
    for what, wanted, known in (
        ("model", models, {o.model for o in outputs}),
        ("task", tasks, {o.task for o in outputs} | {TASKS[o.task].benchmark for o in outputs}),
    ):
        for name in wanted:
            if name in TASKS and not TASKS[name].kind.written:
                raise ConfigError(f"{run}: {name}: of a probe nothing is written that could be marked")
            if name not in known:
                raise ConfigError(f"{run}: {unknown(what, name, sorted(known))}")
    named = {t.name for t in TASKS.values() if not tasks or t.name in tasks or t.benchmark in tasks}
    found = [o for o in outputs if (not models or o.model in models) and o.task in named]
    if not found:
        raise ConfigError(f"{run}: no model wrote a reply here; there is nothing to mark")
    return found


def _own(outputs: Sequence[Output]) -> str:
    """The rubric of the benchmark whose short texts these are; CORECODE's if there are none."""
    own = {benchmark_of(o.task).name: benchmark_of(o.task).audit for o in outputs if o.kind.rated}
    if None in own.values():
        lacking = ", ".join(sorted(name for name, rubric in own.items() if rubric is None))
        raise ConfigError(f"short texts of {lacking}, which has no rubric for people: name one with --rubric")
    names = {rubric.name for rubric in own.values() if rubric}
    if len(names) > 1:
        raise ConfigError(
            f"short texts of several benchmarks, each with a rubric of its own ({', '.join(sorted(names))}): "
            "name one with --rubric, or take one benchmark at a time with --tasks"
        )
    return names.pop() if names else DEFAULT


def content(sample: Sample) -> dict[str, Any]:
    """What the page holds. Models are not named: who marks is to know the reply, not whose it is."""
    used = {d.output.task for d in sample.drawn}
    return {
        "sample": sample.hash,
        "name": sample.name,
        "rubric": asdict(rubric(sample.rubric)),
        "tasks": [
            {"name": t.name, "zh": t.zh, "en": t.en, "kind": t.kind.name} for t in TASKS.values() if t.name in used
        ],
        "outputs": [
            {
                **{name: getattr(d.output, name) for name in _SHOWN},
                "golds": d.output.right_options,
                "parser": {"status": d.output.status, "read": _places(d.output), "text": d.output.text},
            }
            for d in sample.drawn
        ],
    }


def _places(output: Output) -> tuple[int, ...]:
    """Of the options that the parser read."""
    return output.choices or (() if output.choice is None else (output.choice,))


_SHOWN = ("id", "task", "set", "dialogue", "question", "labels", "options", "references", "reply")


def _row(sample: Sample, output: Output) -> dict[str, Any]:
    """A line of the twins: the fields to fill in first, then what they are about. No gold, save where the rubric's
    criteria speak of the reference."""
    scales = [s.name for s in rubric(sample.rubric).scales]
    return {
        "sample": sample.hash,
        "output": output.id,
        "annotator": "",
        "said": "",
        "right": "",
        **dict.fromkeys(scales, ""),
        "note": "",
        "task": output.task,
        "set": output.set,
        "dialogue": "\n".join(output.dialogue),
        "question": output.question,
        "options": "\n".join(f"{a} {b}" for a, b in zip(output.labels, output.options, strict=True)),
        "reply": output.reply,
        "reference": " / ".join(output.references) if output.kind.rated else "",
    }


def _table(rows: Sequence[dict[str, Any]]) -> str:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, fieldnames=list(rows[0]))
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _inert(value) for name, value in row.items()})
    return text.getvalue()


def _inert(value: str) -> str:
    """A spreadsheet takes what begins like this for a formula; a model may have written one."""
    return f"'{value}" if value.startswith(("=", "+", "-", "@", "\t", "\r")) else value
