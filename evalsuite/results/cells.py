"""One cell: its replies are read and scored, a record each, and its numbers are what results.json says of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from evalsuite.benchmarks.registry import TASKS
from evalsuite.perturb import PERTURBATIONS
from evalsuite.results.breakdown import breakdown, confusion
from evalsuite.results.correlations import points
from evalsuite.results.outcomes import Points, ScoredCell, outcomes_of
from evalsuite.results.records import file_name, record_of
from evalsuite.results.scoring import Scored, intervals, read_answer, score_answer, score_cell
from evalsuite.results.signature import signature
from evalsuite.results.store import Keep, Source
from evalsuite.types import Answer, Cell, Item, Reading, Response, Score, Status, Trial


def score(source: Source, cell: Cell, reading: Reading, keep: Keep) -> ScoredCell:
    """Read and score the replies of a cell; each becomes a record."""
    path = f"records/{file_name(cell)}"
    with keep(path) as kept:
        return _scored(source, cell, path, reading, kept)


def _scored(
    source: Source, cell: Cell, path: str, reading: Reading, kept: Callable[[dict[str, Any]], None]
) -> ScoredCell:
    answered: list[tuple[Item, Response, Answer]] = []
    scored: list[tuple[Trial, Answer, Score]] = []
    statuses: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    items = right = dropped = 0
    options: list[int] = []
    for key, trial, response in source.read(cell):
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
        kept(record_of(cell, key, trial, response, answer, score))
    numbers, of_items = _metrics(cell, answered, reading)
    entry: dict[str, Any] = {
        **cell.place.as_dict(),
        "items": items,
        "missing": items - sum(statuses.values()),
        "status": {status.value: statuses[status] for status in Status if statuses[status]},
        "metrics": numbers,
        "shots_dropped": dropped,
        "errors": dict(errors.most_common(5)),
        "records": path,
        "facts": cell.facts,
    }
    if options and options[0] and not TASKS[cell.place.task].kind.several:  # of a set there is no chance to speak of
        entry["chance"] = sum(1 / count for count in options) / items
        entry["accuracy_of_parsed"] = right / statuses[Status.PARSED] if statuses[Status.PARSED] else None
    outcomes = outcomes_of(cell, scored)
    return ScoredCell(entry, outcomes, breakdown(outcomes, scored), confusion(cell, scored), of_items)


def _metrics(
    cell: Cell, answered: Sequence[tuple[Item, Response, Answer]], reading: Reading
) -> tuple[dict[str, Any], Points | None]:
    """Name -> value, interval, n and signature; the values are None where no request was answered. And those of items."""
    nothing = {name: {"value": None, "n": 0, "signature": name} for name in TASKS[cell.place.task].metrics}
    if not answered:
        return nothing, None
    items, responses, answers = zip(*answered, strict=True)
    several = PERTURBATIONS[cell.place.perturb].several
    scored: Scored = score_cell(items, responses, reading, answers, several, cell.facts)
    if not scored.items:  # some rotation of every item failed
        return nothing, None
    # The purpose names no model: two models with the same replies get the same interval.
    found = intervals(scored, f"0:bootstrap:{cell.place.task}:{cell.place.set}:{cell.place.split}")
    told = {
        name: {**numbers, "signature": f"{scored.part(name).signatures[name]}|{signature(cell)}"}
        for name, numbers in found.items()
    }
    return told, points(cell, scored)
