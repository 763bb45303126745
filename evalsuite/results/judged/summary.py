"""The store -> judged/*.jsonl and what results.json holds under "judged". Needs neither a judge nor a template."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evalsuite.benchmarks.registry import TASKS, metric_named
from evalsuite.common.dialogue import sources
from evalsuite.common.files import safe_name
from evalsuite.metrics.agreement import correlations, spearman_interval
from evalsuite.results.judged.controls import Opinion, Told, controls, interval, length_bias
from evalsuite.results.judged.replies import VERSION, Verdict, read
from evalsuite.results.judged.scale import Scale, again
from evalsuite.results.outcomes import ScoredRun
from evalsuite.results.records import file_name
from evalsuite.results.scoring import per_item, score_cell
from evalsuite.results.store import Keep, Source
from evalsuite.types import Cell, Item, Place, Reading, Response, Trial

_OURS = ("judge", "rubric", "control")


@dataclass(frozen=True, slots=True)
class Subject:
    """A judged cell: its requests by (item, rotation), and every automatic metric of each that was answered."""

    requests: dict[tuple[str, int], tuple[str, Trial, Response]]
    metrics: dict[str, dict[tuple[str, int], float]]
    sources: dict[tuple[str, int], int]


MODELS = 5  # for a correlation over models: fewer points say nothing


def section(run: ScoredRun) -> dict[str, Any]:
    """Absent where nothing was judged."""
    found = judged(run.source, run.reading, run.entries, run.keep)
    return {"judged": found} if found else {}


def judged(source: Source, reading: Reading, entries: Sequence[dict[str, Any]], keep: Keep) -> dict[str, Any]:
    """All judgings of a run: cells, correlations over models, controls. Empty if there are none.

    `entries` are the run's own cells as results.json has them; the lines of judged/ go to `keep`.
    """
    found: list[Told] = []
    cells: list[dict[str, Any]] = []
    subjects: dict[str, Subject] = {}
    for place, facts, rows in source.judgings():
        cell = Cell(Place.of(place), {})
        if cell.place.name not in subjects:
            subjects[cell.place.name] = _subject(source, cell, reading)
        told, lines = _told(source, place, facts, rows, subjects[cell.place.name])
        if not told.opinions:
            continue
        path = f"judged/{_file_name(place, cell)}"
        with keep(path) as kept:
            for line in lines:
                kept(line)
        found.append(told)
        cells.append(_entry(told, lines, subjects[cell.place.name], path))
    if not found:
        return {}
    return {
        "cells": cells,
        "models": list(_over_models(cells, entries)),
        "systems": list(_over_systems(cells, entries)),
        "controls": controls(_one_source(found, subjects)),
    }


def problems(content: dict[str, Any]) -> Iterator[str]:
    for cell in content.get("cells", ()):
        way = "/".join(str(cell[k]) for k in (*_OURS, "model", "set", "task", "variant", "shots"))
        if count := cell["status"].get("failed", 0):
            yield f"judged {way}: {count} of {cell['items']} requests failed: {'; '.join(cell['errors'])}"
        if count := cell["status"].get("missing", 0):
            yield f"judged {way}: {count} of {cell['items']} not asked yet: the same judging goes on"


def _subject(source: Source, cell: Cell, reading: Reading) -> Subject:
    rows = [
        (key, request, response) for key, request, response in source.read(cell) if response and response.error is None
    ]
    names = [(request.item.id, request.rotation) for _, request, _ in rows]
    items, responses = [r.item for _, r, _ in rows], [reply for _, _, reply in rows]
    of = dict(zip(names, sources([item.dialogue for item in items]), strict=True))
    values = per_item(score_cell(items, responses, reading)) if rows else {}
    metrics = {metric: dict(zip(names, column, strict=True)) for metric, column in values.items()}
    return Subject(dict(zip(names, rows, strict=True)), metrics, of)


def _told(
    source: Source, place: dict[str, Any], facts: dict[str, Any], rows: list[dict[str, Any]], subject: Subject
) -> tuple[Told, list[dict[str, Any]]]:
    """What a judging says, and its lines for judged/. Rows whose candidate is no longer the cell's are left out."""
    scales = [Scale(*values) for values in facts["scales"]]
    lows = tuple(scale.low for scale in scales)
    cell = Place.of(place)
    opinions, lines = [], []
    for row in rows:
        name = row["item"], row["rotation"]
        key, request, reply = subject.requests.get(name, ("", None, None))
        if key != row["key"] or request is None or reply is None:
            continue
        attempts, verdict = _attempts(source, row, scales)
        if not row["keys"]:
            verdict = replace(verdict, status="empty", scores=lows, rule="the candidate is empty")
        f1, length = subject.metrics["f1"][name], len(reply.text.strip())
        opinions.append(
            Opinion((cell, *name), verdict.status, verdict.scores, row["attack"], length, f1, subject.sources[name])
        )
        lines.append(_record(place, facts, row, request.item, reply, attempts, verdict))
    return Told(place, facts, tuple(opinions)), lines


def _attempts(source: Source, row: dict[str, Any], scales: Sequence[Scale]) -> tuple[list[dict[str, Any]], Verdict]:
    """The replies so far, and what comes of them: the first that can be read counts."""
    attempts: list[dict[str, Any]] = []
    verdict = Verdict("missing")
    for key in row["keys"]:
        response = source.response(key)
        if response is None:
            return attempts, Verdict("missing")
        told = {"key": key, "reply": response.text if response.error is None else None, "finish": response.finish,
                "error": response.error, "prompt_tokens": response.prompt_tokens, "new_tokens": response.new_tokens}  # fmt: skip
        attempts.append(told | ({"reasoning": response.reasoning} if response.reasoning is not None else {}))
        if response.error is not None:
            return attempts, Verdict("failed", rule="no reply")
        verdict = read(response.text, scales)
        if verdict.status == "scored":
            break
    return attempts, verdict


def _record(
    place: dict[str, Any], facts: dict[str, Any], row: dict[str, Any], item: Item, reply: Response,
    attempts: list[dict[str, Any]], verdict: Verdict,
) -> dict[str, Any]:  # fmt: skip
    """One line of judged/: all that a reviewer needs to check a score."""
    return {
        **place,
        "item": item.id,
        "rotation": row["rotation"],
        "candidate_key": row["key"],
        "candidate": reply.text,
        "attack": row["attack"] or None,
        "question": item.question,
        "references": list(item.references),
        "template": facts["template"],
        "settings": {k: facts[k] for k in ("fingerprint", "sampling", "max_new_tokens", "attempts")},
        "prompt": row["prompt"],
        "attempts": [
            {"added": again("", facts["reminder"], n).strip(), **told} for n, told in enumerate(attempts, 1)
        ],
        "status": verdict.status,
        "scores": {name: score for (name, *_), score in zip(facts["scales"], verdict.scores, strict=False)},
        "rule": verdict.rule,
        "reasons": verdict.reasons,
        "start": verdict.start,
        "end": verdict.end,
    }  # fmt: skip


def _entry(told: Told, lines: Sequence[dict[str, Any]], subject: Subject, path: str) -> dict[str, Any]:
    statuses = Counter(o.status for o in told.opinions)
    entry: dict[str, Any] = {
        **told.place,
        "items": len(told.opinions),
        "status": {s: statuses[s] for s in ("scored", "empty", "invalid", "failed", "missing") if statuses[s]},
        "asked_again": sum(len(line["attempts"]) > 1 for line in lines),
        "errors": dict(Counter(a["error"] for line in lines for a in line["attempts"] if a["error"]).most_common(5)),
    }
    if told.place["control"] != "attack":  # whose mean says nothing
        entry["scales"] = {name: _numbers(told, n, subject) for n, name in enumerate(told.scales)}
    signature = f"judge:{told.place['judge']}-{told.facts['fingerprint']}|rubric:{told.place['rubric']}-{told.facts['template'][:8]}"
    return entry | {
        "signature": f"{signature}|control:{told.place['control']}|limit:{told.facts['limit']}|replies:{VERSION}",
        "records": path,
        "facts": told.facts,
    }


def _numbers(told: Told, n: int, subject: Subject) -> dict[str, Any]:
    """One scale on one cell: mean with interval, histogram, and how it goes with length and every automatic metric."""
    found = [o for o in told.opinions if o.scores]
    _, low, high, _ = told.facts["scales"][n]
    scores = [o.scores[n] for o in found]
    tally = Counter(scores)
    nothing = {"value": None, "low": None, "high": None}
    numbers: dict[str, Any] = interval([o.source for o in found], scores, told.cell) if found else nothing
    numbers |= {"n": len(found), "histogram": {str(value): tally[value] for value in range(low, high + 1)}}
    if told.place["control"] not in ("plain", "blind"):  # a repeat says nothing new of these
        return numbers
    rho, partial = length_bias(told, n)
    names = [o.candidate[1:] for o in found]
    columns = {m: [column[name] for name in names] for m, column in subject.metrics.items()}
    dialogues = len({o.source for o in found})
    return {
        **numbers,
        "length": {"spearman": rho, "partial": partial},
        "metrics": {m: _beside(scores, column, dialogues) for m, column in columns.items()},
        "joint": {m: joint(scores, column, metric_named(m).top or 1.0) for m, column in columns.items()},
    }


def _beside(scores: Sequence[int], column: Sequence[float], dialogues: int) -> dict[str, float | None]:
    found = correlations(scores, column)
    low, high = spearman_interval(found["spearman"], dialogues)
    return {**found, "spearman_low": low, "spearman_high": high}


def joint(scores: Sequence[int], column: Sequence[float], most: float = 1.0) -> dict[str, str]:
    """How many items have each score and each tenth of a metric that goes from 0 to `most`; its end is of the last.

    A score's counts are one string: results.json has a line a number, and these are many.

    >>> joint([1, 5, 5, 5], [0.0, 1.0, 0.95, 0.3])
    {'1': '1 0 0 0 0 0 0 0 0 0', '5': '0 0 0 1 0 0 0 0 0 2'}
    """
    tally = Counter((score, min(9, int(10 * value / most))) for score, value in zip(scores, column, strict=True))
    return {str(score): " ".join(str(tally[score, tenth]) for tenth in range(10)) for score in sorted(set(scores))}


_Point = tuple[str, float, dict[str, Any]]  # a judged cell: its model, the judge's mean, the metrics


def _over_models(cells: Sequence[dict[str, Any]], entries: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Over MODELS or more models: does the judge rank them as the metrics do? A row a judge, rubric, scale and place."""
    for group, points in _points(cells, entries, lambda place: place.but("model")):
        if len(points) >= MODELS:
            yield {**group, "models": len(points), "metrics": _together(points)}


def _over_systems(cells: Sequence[dict[str, Any]], entries: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The same over all short texts of a benchmark. A point is a model on a task and set, as in GLUCOSE's section 5, where
    it is a system on a dimension and a level."""

    def benchmark(place: Place) -> tuple[tuple[str, Any], ...]:
        return ("benchmark", TASKS[place.task].benchmark), *place.but("model", "task", "set")

    for group, points in _points(cells, entries, benchmark):
        if len(points) >= MODELS:
            models = len({model for model, _, _ in points})
            yield {**group, "models": models, "points": len(points), "metrics": _together(points)}


def _points(
    cells: Sequence[dict[str, Any]],
    entries: Sequence[dict[str, Any]],
    key: Callable[[Place], tuple[tuple[str, Any], ...]],
) -> Iterator[tuple[dict[str, Any], list[_Point]]]:
    """The cells that each judge scored plainly, by rubric, scale and `key`."""
    by_place = {Place.of(e): e["metrics"] for e in entries}
    groups: dict[tuple[Any, ...], list[_Point]] = {}
    for cell in cells:
        for scale, numbers in cell.get("scales", {}).items() if cell["control"] == "plain" else ():
            metrics = by_place.get(Place.of(cell))
            if metrics and numbers["value"] is not None:
                group = ("judge", cell["judge"]), ("rubric", cell["rubric"]), ("scale", scale), *key(Place.of(cell))
                groups.setdefault(group, []).append((cell["model"], numbers["value"], metrics))
    for group, points in groups.items():
        yield dict(group), points


def _together(points: Sequence[_Point]) -> dict[str, dict[str, float | None]]:
    """The correlation of every metric that all points have with the judge's mean."""
    told = [metrics for _, _, metrics in points]
    shared = [m for m in told[0] if all(metrics.get(m, {}).get("value") is not None for metrics in told)]
    return {m: correlations([value for _, value, _ in points], [x[m]["value"] for x in told]) for m in shared}


def _one_source(told: Sequence[Told], subjects: dict[str, Subject]) -> list[Told]:
    """The same with dialogues numbered over all cells: their items are pooled in the controls."""
    items = {r.item.id: r.item for s in subjects.values() for _, r, _ in s.requests.values()}
    of = dict(zip(items, sources([item.dialogue for item in items.values()]), strict=True))
    return [
        replace(t, opinions=tuple(replace(o, source=of[o.candidate[1]]) for o in t.opinions)) for t in told
    ]  # fmt: skip


def _file_name(place: dict[str, Any], cell: Cell) -> str:
    control = re.sub(r"\W", "", place["control"])
    return f"{safe_name(place['judge'])}.{safe_name(place['rubric'])}.{control}.{file_name(cell)}"
