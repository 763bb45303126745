"""Judges' replies in the store -> judged/*.jsonl and the key "judged" of results.json. No judge is asked here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evalsuite.benchmarks.registry import TASKS, metric_named
from evalsuite.common.dialogue import sources
from evalsuite.common.files import safe_name
from evalsuite.metrics.agreement import correlations, spearman_interval
from evalsuite.results.estimates import counted_places
from evalsuite.results.judged.controls import Opinion, Opinions, controls, interval, length_bias
from evalsuite.results.judged.replies import VERSION, Verdict, read_verdict
from evalsuite.results.judged.scale import Scale, again
from evalsuite.results.outcomes import ScoredRun
from evalsuite.results.records import name_parts
from evalsuite.results.scoring import per_item, read_answer, score_cell
from evalsuite.results.store import RecordWriter, Source
from evalsuite.types import Cell, Item, Place, Reading, Response, Trial

_JUDGING = ("judge", "rubric", "control")  # keys of a judging beside its cell's place


@dataclass(frozen=True, slots=True)
class Subject:
    """A judged cell, by (item, rotation): its answered requests, their automatic metrics, their dialogues' numbers."""

    requests: dict[tuple[str, int], tuple[str, Trial, Response]]
    metrics: dict[str, dict[tuple[str, int], float]]
    sources: dict[tuple[str, int], int]


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What one judge calls right of a cell's replies, of each item's first sample: a score above the middle of the first scale."""

    place: Place
    judge: str
    scale: str
    right: Mapping[str, bool]


MODELS = 5  # the fewest points for a correlation over models


def section(run: ScoredRun) -> dict[str, Any]:
    """The key "judged" of results.json; absent if no judge was asked."""
    content = judge_results(run.source, run.reading, run.entries, run.write_records)
    return {"judged": content} if content else {}


def judge_results(
    source: Source, reading: Reading, entries: Sequence[dict[str, Any]], write_records: RecordWriter
) -> dict[str, Any]:
    """All judgings of a run: cells, correlations over models, controls. Empty if there are none.

    `entries` are the cells of results.json.
    """
    judgings: list[Opinions] = []
    cells: list[dict[str, Any]] = []
    subjects: dict[str, Subject] = {}
    facts_of = {Place.of(e): e.get("facts", {}) for e in entries}
    stopped = {Place.of(e) for e in entries if "estimate" in e}
    for place, facts, rows in source.judgings():
        cell = Cell(Place.of(place), {})
        if cell.place.name not in subjects:
            subjects[cell.place.name] = _subject(source, cell, reading, facts_of.get(cell.place, {}))
        judging, lines = _read_judging(source, place, facts, rows, subjects[cell.place.name])
        if not judging.opinions:
            continue
        path = f"judged/{_file_name(place, cell)}"
        with write_records(path) as write_record:
            for line in lines:
                write_record(line)
        judgings.append(judging)
        cells.append(_entry(judging, lines, subjects[cell.place.name], path, cell.place in stopped))
    if not judgings:
        return {}
    return {
        "cells": cells,
        "models": list(_over_models(cells, entries)),
        "systems": list(_over_systems(cells, entries)),
        "controls": controls(_one_source(judgings, subjects)),
    }


def judging_problems(content: dict[str, Any]) -> Iterator[str]:
    """A line for each failure in "judged" of results.json."""
    for cell in content.get("cells", ()):
        way = "/".join(str(cell[k]) for k in (*_JUDGING, "model", "set", "task", "variant", "shots"))
        if count := cell["status"].get("failed", 0):
            yield f"judged {way}: {count} of {cell['items']} requests failed: {'; '.join(cell['errors'])}"
        if count := cell["status"].get("missing", 0):
            yield f"judged {way}: {count} of {cell['items']} not asked yet: the same judging goes on"


def verdicts(source: Source, rubrics: Mapping[str, str]) -> Iterator[Verdicts]:
    """The verdicts of every judge on the tasks in `rubrics` by the task's rubric, controls aside. Replies that the judge gave no
    readable score are left out, and so are verdicts on replies that were replaced."""
    for place, facts, rows in source.judgings():
        where = Place.of(place)
        if place["control"] != "plain" or place["rubric"] != rubrics.get(where.task):
            continue
        scales = _scales(facts)
        keys = {trial.item.id: key for key, trial, _ in source.read(Cell(where, {})) if not trial.request.sample}
        right = {}
        for row in rows:
            if keys.get(row["item"]) != row["key"]:
                continue
            verdict = _attempts(source, row, scales)[1]
            if not row["keys"]:  # the candidate is empty
                right[row["item"]] = False
            elif verdict.scores:
                right[row["item"]] = 2 * verdict.scores[0] > scales[0].low + scales[0].high
        yield Verdicts(where, place["judge"], scales[0].name, right)


def _subject(source: Source, cell: Cell, reading: Reading, facts: Mapping[str, Any]) -> Subject:
    kept = counted_places(source, replace(cell, facts=dict(facts)))
    rows = [
        (key, trial, response)
        for n, (key, trial, response) in enumerate(source.read(cell))
        if response and response.error is None and not trial.request.sample  # judges rate the first sample
        if kept is None or n in kept
    ]
    names = [(trial.item.id, trial.rotation) for _, trial, _ in rows]
    items, responses = [trial.item for _, trial, _ in rows], [reply for _, _, reply in rows]
    source_of = dict(zip(names, sources([item.context for item in items]), strict=True))
    answers = [read_answer(t.item, reply, reading, t.request.answer_after) for _, t, reply in rows]
    values = per_item(score_cell(items, responses, reading, answers)) if rows else {}
    metrics = {metric: dict(zip(names, column, strict=True)) for metric, column in values.items()}
    return Subject(dict(zip(names, rows, strict=True)), metrics, source_of)


def _read_judging(
    source: Source, place: dict[str, Any], facts: dict[str, Any], rows: list[dict[str, Any]], subject: Subject
) -> tuple[Opinions, list[dict[str, Any]]]:
    """The opinions of a judging, and its lines of judged/. Rows are left out if the candidate's reply was replaced."""
    scales = _scales(facts)
    headline = TASKS[place["task"]].item_metrics[0]
    lows = tuple(scale.low for scale in scales)
    cell = Place.of(place)
    opinions, lines = [], []
    for row in rows:
        name = row["item"], row["rotation"]
        key, trial, reply = subject.requests.get(name, ("", None, None))
        if key != row["key"] or trial is None or reply is None:
            continue
        attempts, verdict = _attempts(source, row, scales)
        if not row["keys"]:
            verdict = replace(verdict, status="empty", scores=lows, rule="the candidate is empty")
        metric, length = subject.metrics[headline][name], len(reply.text.strip())
        opinions.append(
            Opinion((cell, *name), verdict.status, verdict.scores, row["attack"], length, metric, subject.sources[name])
        )
        lines.append(_record(place, facts, row, trial.item, reply, attempts, verdict))
    return Opinions(place, facts, tuple(opinions)), lines


def _scales(facts: Mapping[str, Any]) -> list[Scale]:
    """The scales of a judging's rubric."""
    return [replace(Scale(*row), words=facts.get("words", {}).get(row[0], {})) for row in facts["scales"]]


def _attempts(source: Source, row: dict[str, Any], scales: Sequence[Scale]) -> tuple[list[dict[str, Any]], Verdict]:
    """The judge's replies to one candidate, and the verdict: that of the first reply with a valid score."""
    attempts: list[dict[str, Any]] = []
    verdict = Verdict("missing")
    for key in row["keys"]:
        response = source.response(key)
        if response is None:
            return attempts, Verdict("missing")
        attempt = {"key": key, "reply": response.text if response.error is None else None, "finish": response.finish,
                "error": response.error, "prompt_tokens": response.prompt_tokens, "new_tokens": response.new_tokens}  # fmt: skip
        attempts.append(attempt | ({"reasoning": response.reasoning} if response.reasoning is not None else {}))
        if response.error is not None:
            return attempts, Verdict("failed", rule="no reply")
        verdict = read_verdict(response.text, scales)
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
            {"added": again("", facts["reminder"], n).strip(), **attempt} for n, attempt in enumerate(attempts, 1)
        ],
        "status": verdict.status,
        "scores": {name: score for (name, *_), score in zip(facts["scales"], verdict.scores, strict=False)},
        "rule": verdict.rule,
        "reasons": verdict.reasons,
        "start": verdict.start,
        "end": verdict.end,
    }  # fmt: skip


def _entry(
    judging: Opinions, lines: Sequence[dict[str, Any]], subject: Subject, path: str, stopped: bool
) -> dict[str, Any]:
    """stopped: only a part of the cell's items was asked: no interval of a fixed number of items holds."""
    statuses = Counter(o.status for o in judging.opinions)
    entry: dict[str, Any] = {
        **judging.place,
        "items": len(judging.opinions),
        "status": {s: statuses[s] for s in ("scored", "empty", "invalid", "failed", "missing") if statuses[s]},
        "asked_again": sum(len(line["attempts"]) > 1 for line in lines),
        "errors": dict(Counter(a["error"] for line in lines for a in line["attempts"] if a["error"]).most_common(5)),
    }
    if judging.place["control"] != "attack":
        none = {"low": None, "high": None} if stopped else {}
        entry["scales"] = {name: _numbers(judging, n, subject) | none for n, name in enumerate(judging.scales)}
    signature = f"judge:{judging.place['judge']}-{judging.facts['fingerprint']}|rubric:{judging.place['rubric']}-{judging.facts['template'][:8]}"
    return entry | {
        "signature": f"{signature}|control:{judging.place['control']}|limit:{judging.facts['limit']}|replies:{VERSION}",
        "records": path,
        "facts": judging.facts,
    }


def _numbers(judging: Opinions, n: int, subject: Subject) -> dict[str, Any]:
    """One scale on one cell: mean with interval, histogram, and correlations with length and every automatic metric."""
    opinions = [o for o in judging.opinions if o.scores]
    _, low, high, _ = judging.facts["scales"][n]
    scores = [o.scores[n] for o in opinions]
    tally = Counter(scores)
    nothing = {"value": None, "low": None, "high": None}
    numbers: dict[str, Any] = interval([o.source for o in opinions], scores, judging.cell) if opinions else nothing
    numbers |= {"n": len(opinions), "histogram": {str(value): tally[value] for value in range(low, high + 1)}}
    if judging.place["control"] not in ("plain", "blind"):
        return numbers
    rho, partial = length_bias(judging, n)
    names = [o.candidate[1:] for o in opinions]
    columns = {m: [column[name] for name in names] for m, column in subject.metrics.items()}
    dialogues = len({o.source for o in opinions})
    return {
        **numbers,
        "length": {"spearman": rho, "partial": partial},
        "metrics": {m: _beside(scores, column, dialogues) for m, column in columns.items()},
        "joint": {m: joint(scores, column, metric_named(m).top or 1.0) for m, column in columns.items()},
    }


def _beside(scores: Sequence[int], column: Sequence[float], dialogues: int) -> dict[str, float | None]:
    rhos = correlations(scores, column)
    low, high = spearman_interval(rhos["spearman"], dialogues)
    return {**rhos, "spearman_low": low, "spearman_high": high}


def joint(scores: Sequence[int], column: Sequence[float], most: float = 1.0) -> dict[str, str]:
    """Joint histogram: score -> counts of items in each tenth of a metric's range, 0 to `most` (inclusive).

    The ten counts are one string, to keep results.json short.

    >>> joint([1, 5, 5, 5], [0.0, 1.0, 0.95, 0.3])
    {'1': '1 0 0 0 0 0 0 0 0 0', '5': '0 0 0 1 0 0 0 0 0 2'}
    """
    tally = Counter((score, min(9, int(10 * value / most))) for score, value in zip(scores, column, strict=True))
    return {str(score): " ".join(str(tally[score, tenth]) for tenth in range(10)) for score in sorted(set(scores))}


_Point = tuple[str, float, dict[str, Any]]  # a judged cell: its model, the judge's mean score, its metrics


def _over_models(cells: Sequence[dict[str, Any]], entries: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Correlation of the judge's means with each metric over models: a row a judge, rubric, scale and place."""
    for group, points in _points(cells, entries, lambda place: place.but("model")):
        if len(points) >= MODELS:
            yield {**group, "models": len(points), "metrics": _together(points)}


def _over_systems(cells: Sequence[dict[str, Any]], entries: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The same over all short texts of a benchmark. A point is a model on a task and set, as in the GLUCOSE paper's section 5
    a system on a dimension and level."""

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
    """The points of each judge, rubric, scale and `key` of the cell's place, under the control "plain". Estimates are left out:
    their items are others than those of whole cells."""
    by_place = {Place.of(e): e["metrics"] for e in entries if "estimate" not in e}
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
    """The correlation of the judge's means with every metric that all points have."""
    means, rows = [mean for _, mean, _ in points], [metrics for _, _, metrics in points]
    shared = [name for name in rows[0] if all(row.get(name, {}).get("value") is not None for row in rows)]
    return {name: correlations(means, [row[name]["value"] for row in rows]) for name in shared}


def _one_source(judgings: Sequence[Opinions], subjects: dict[str, Subject]) -> list[Opinions]:
    """The judgings with dialogues numbered over all cells, since the controls pool them."""
    items = {trial.item.id: trial.item for s in subjects.values() for _, trial, _ in s.requests.values()}
    source_of = dict(zip(items, sources([item.context for item in items.values()]), strict=True))
    return [
        replace(t, opinions=tuple(replace(o, source=source_of[o.candidate[1]]) for o in t.opinions)) for t in judgings
    ]  # fmt: skip


def _file_name(place: dict[str, Any], cell: Cell) -> str:
    control = re.sub(r"\W", "", place["control"])
    return f"{safe_name(place['judge'], place['rubric'], control, *name_parts(cell.place))}.jsonl"
