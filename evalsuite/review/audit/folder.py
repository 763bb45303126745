"""Write RUN/audit/NAME/: the sample, the page on which people mark it, and the same rows as CSV and JSONL."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from evalsuite.benchmarks.registry import DEFAULT, TASKS, benchmark_of, whole_name
from evalsuite.common import csvfile
from evalsuite.common.errors import ConfigError, unknown
from evalsuite.common.files import replace_file, safe_name
from evalsuite.common.jsonl import JsonObject
from evalsuite.common.lock import locked
from evalsuite.page.report import assemble
from evalsuite.results import records
from evalsuite.review.audit.outputs import Output, baselines_beside, population, suspicious_ids
from evalsuite.review.audit.rubrics import rubric_named
from evalsuite.review.audit.sample import SAMPLE, Sample, draw_sample, load_sample, save_sample

STYLES = ("page", "audit")


def make_sample(
    run: str | Path,
    n: int = 100,
    seed: int = 0,
    models: Sequence[str] = (),
    tasks: Sequence[str] = (),
    rubric_name: str = "",
    name: str = "",
    suspicious: bool = False,
) -> tuple[Path, Sample]:
    """Draw `n` outputs per model and write RUN/audit/NAME/; returns the page's path and the sample.

    models, tasks: restrict the outputs; without `models` baselines are left out if the run has other models.
    rubric_name: by default the benchmark's rubric.
    suspicious: only replies to items that look suspicious (analyses/difficulty.py).
    Raises ConfigError for unknown names, too small an `n`, no suspicious items where they are asked for, or a folder that holds
    another sample.
    """
    if n < 1:
        raise ConfigError(f"--n {n}: expected 1 or more")
    if name and Path(name).name != name:
        raise ConfigError(f"--name {name!r}: expected a folder's name")
    run = Path(run)
    records.find_results(run)  # fail before anything is written
    with locked(run):
        beside = () if models else baselines_beside(run)
        outputs = _selected([o for o in population(run) if o.model not in beside], run, models, tasks)
        if suspicious:
            outputs = _suspicious(outputs, run)
        rubric_name = rubric_name or _own_rubric(outputs)
        sample_name = name or f"{rubric_name}-{n}-seed{seed}{'-suspicious' if suspicious else ''}"
        sample = replace(
            draw_sample(outputs, sample_name, n, seed, rubric_named(rubric_name).name), suspicious=suspicious
        )
        return _write_sample(sample, run / "audit" / safe_name(sample_name)), sample


def _write_sample(sample: Sample, folder: Path) -> Path:
    """Write the files of a sample into its folder; returns the page's path."""
    if (folder / SAMPLE).is_file() and load_sample(folder / SAMPLE).hash != sample.hash:
        raise ConfigError(f"{folder}: holds another sample, which may have marks already; choose another --name")
    folder.mkdir(parents=True, exist_ok=True)
    save_sample(sample, folder / SAMPLE)
    page = folder / "index.html"
    replace_file(page, assemble(audit_page_data(sample), "audit", STYLES))
    rows = [_marking_row(sample, d.output) for d in sample.drawn]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    hashes = ({name: csvfile.hash_field(row[name]) for name in ("sample", "output")} for row in rows)
    table = csvfile.encoded([rows[0], *((row | of_row).values() for row, of_row in zip(rows, hashes, strict=True))])
    for name, content in (("to-mark.jsonl", lines.encode()), ("to-mark.csv", table)):
        if not (folder / name).exists():  # people may have begun to fill in a file that exists
            replace_file(folder / name, content)
    return page


def _selected(outputs: Sequence[Output], run: Path, models: Sequence[str], tasks: Sequence[str]) -> Sequence[Output]:
    tasks = [whole_name(name) for name in tasks]
    for what, wanted, known in (
        ("model", models, {o.model for o in outputs}),
        ("task", tasks, {o.task for o in outputs} | {TASKS[o.task].benchmark for o in outputs}),
    ):
        for name in wanted:
            if name in TASKS and not TASKS[name].kind.written:
                raise ConfigError(f"{run}: {name}: a probe has no written reply to mark")
            if name not in known:
                raise ConfigError(f"{run}: {unknown(what, name, sorted(known))}")
    named = {t.name for t in TASKS.values() if not tasks or t.name in tasks or t.benchmark in tasks}
    selected = [o for o in outputs if (not models or o.model in models) and o.task in named]
    if not selected:
        raise ConfigError(f"{run}: no model wrote a reply here; there is nothing to mark")
    return selected


def _suspicious(outputs: Sequence[Output], run: Path) -> Sequence[Output]:
    wanted = suspicious_ids(run)
    selected = [o for o in outputs if o.id in wanted]
    if not selected:
        raise ConfigError(
            f"{run}: no reply to an item that looks suspicious. Items are listed in results.json where three models or more, "
            "no baselines, answered a task; results of an earlier version need `evalsuite score`"
        )
    return selected


def _own_rubric(outputs: Sequence[Output]) -> str:
    """The name of the rubric of the benchmark whose short texts are sampled; CORECODE's if none are sampled."""
    rubrics = {benchmark_of(o.task).name: benchmark_of(o.task).audit for o in outputs if o.kind.rated}
    if None in rubrics.values():
        lacking = ", ".join(sorted(name for name, rubric in rubrics.items() if rubric is None))
        raise ConfigError(f"short texts of {lacking}, which has no rubric for people: name one with --rubric")
    names = {rubric.name for rubric in rubrics.values() if rubric}
    if len(names) > 1:
        raise ConfigError(
            f"short texts of several benchmarks, each with a rubric of its own ({', '.join(sorted(names))}): "
            "name one with --rubric, or take one benchmark at a time with --tasks"
        )
    return names.pop() if names else DEFAULT


def audit_page_data(sample: Sample) -> JsonObject:
    """Data of the audit page. It does not name the models, so that annotators mark blind."""
    used = {d.output.task for d in sample.drawn}
    return {
        "sample": sample.hash,
        "name": sample.name,
        "rubric": asdict(rubric_named(sample.rubric)),
        "tasks": [
            {"name": t.name, "zh": t.zh, "en": t.en, "kind": t.kind.name, "marking": t.marking}
            for t in TASKS.values()
            if t.name in used
        ],
        "outputs": [
            {
                **{name: getattr(d.output, name) for name in _SHOWN},
                "golds": d.output.right_options,
                "parser": {"status": d.output.status, "read": d.output.read_options, "text": d.output.text},
            }
            for d in sample.drawn
        ],
    }


_SHOWN = ("id", "task", "set", "dialogue", "question", "labels", "options", "references", "reply")


def _marking_row(sample: Sample, output: Output) -> JsonObject:
    """A row of to-mark.csv: the fields to fill in, then the output.

    The gold answer is left out, except for short texts, whose rubrics compare with the reference.
    """
    scales = [s.name for s in rubric_named(sample.rubric).scales]
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
