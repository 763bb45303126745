"""What a model knows against what it concludes: the key "memory" of results.json (docs/memory.md).

Items may rest on facts that other items ask for (`Item.rests_on`). A model's accuracy on items all of whose facts it knows says
how it reasons; on the rest, a lacking fact may be why it is wrong. FRMM and MIB, which CHARM's authors compute from the same
outcomes, are in metrics/independence.py.

A fact is known if its item, asked with 0 shots, unperturbed, is right: in more than half of its samples, by the task's first
metric; or, for tasks whose official scoring is a judge, by the verdict of a judge where there is one. Judges read the first
sample. An item that failed, or that the judge gave no verdict on, is neither known nor lacking.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from evalsuite.benchmarks.registry import TASKS
from evalsuite.results.breakdown import figures
from evalsuite.results.judged.summary import Verdicts, verdicts
from evalsuite.results.outcomes import CellOutcomes, ScoredRun, is_baseline, item_values
from evalsuite.types import Place

RIGHT = 0.5  # an item is right if its value, the mean of its samples, is above

Row = dict[str, Any]
Key = tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact that a model was asked for."""

    known: bool
    source: tuple[str, int]  # its dialogue, for intervals


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What a model knows of the facts of one task, and how that was asked and decided: a row of results.json."""

    facts: Mapping[str, Fact]
    how: Row
    whole: bool  # no request failed or is still to be made


@dataclass(frozen=True, slots=True)
class Question:
    """An answered item, and the state of its facts: "known", "rest" (one or more are lacking), "free" (it rests on none) or
    "unclear" (none is lacking, but one was not asked, failed, or got no verdict)."""

    item: str
    value: float
    source: tuple[str, str, int]
    state: str


@dataclass(frozen=True, slots=True)
class Reasoning:
    """One or more cells of one model, asked in one way, whose items rest on facts."""

    cells: tuple[Place, ...]
    questions: tuple[Question, ...]
    facts: Mapping[str, Fact]  # those with a verdict
    how: tuple[Row, ...]
    whole: bool

    @property
    def key(self) -> Key:
        """What models are compared in: benchmark, way of asking, tasks, and how their facts were asked and decided."""
        first = self.cells[0]
        place = first.but("model", "task", "set")
        tasks, sets = (tuple(dict.fromkeys(getattr(cell, name) for cell in self.cells)) for name in ("task", "set"))
        return ("benchmark", TASKS[first.task].benchmark), *place, ("tasks", tasks), ("sets", sets)


def section(run: ScoredRun) -> dict[str, Any]:
    """The key "memory" of results.json; absent if no item rests on a fact that the run asks for, too."""
    content = memory(run.outcomes, run.entries, partial(verdicts, run.source))
    return {"memory": content} if content else {}


def memory(
    cells: Sequence[CellOutcomes],
    entries: Sequence[Row],
    judged: Callable[[Mapping[str, str]], Iterable[Verdicts]] = lambda rubrics: (),
) -> dict[str, list[Row]]:
    """The content of "memory"; empty if there is nothing to say. `entries` are the cells of results.json.

    judged: task -> rubric of its official scoring, to the verdicts of judges by it.
    """
    plain = [cell for cell in cells if cell.cell.place.perturb == "none"]
    resting = [cell for cell in plain if any(o.original and o.original.rests_on for o in cell.outcomes)]
    if not resting:
        return {}
    wholes = {Place.of(entry): not entry["missing"] and not entry["status"].get("failed") for entry in entries}
    known = _knowledge(plain, _facts(resting), wholes, judged)
    found = [made for cell in resting if (made := _reasoning(cell, known, wholes))]
    if not found:
        return {}
    groups: dict[tuple[str, Key], list[Reasoning]] = {}
    for one in found:
        place = one.cells[0]
        groups.setdefault((TASKS[place.task].benchmark, place.but("task", "set")), []).append(one)
    pools = [_pool(group) for group in groups.values()]
    left_out = {Place.of(e).model for e in entries if is_baseline(e["facts"]) or e["facts"].get("trained")}
    return {
        "tasks": [{**one.cells[0].as_dict(), **_row(one)} for one in found],
        "pooled": [{"model": p.cells[0].model, **_named(p.key), **_row(p)} for p in pools if len(p.cells) > 1],
        "independent": list(_independent(pools, left_out)),
    }


def _facts(cells: Iterable[CellOutcomes]) -> set[str]:
    return {fact for cell in cells for o in cell.outcomes if o.original for fact in o.original.rests_on}


# --- what a model knows


def _knowledge(
    every: Iterable[CellOutcomes],
    wanted: set[str],
    wholes: Mapping[Place, bool],
    judged: Callable[[Mapping[str, str]], Iterable[Verdicts]],
) -> dict[str, list[Knowledge]]:
    """Model -> what it knows of the facts `wanted`, task by task."""
    asked: dict[tuple[str, str], dict[str, list[CellOutcomes]]] = {}  # (model, task) -> wording -> cells
    for cell in every:
        place = cell.cell.place
        if (place.shots, place.scoring) == (0, "generate") and any(o.item in wanted for o in cell.outcomes):
            asked.setdefault((place.model, place.task), {}).setdefault(place.variant, []).append(cell)
    rubrics = {task: TASKS[task].judged_by for _, task in asked if TASKS[task].judged_by}
    opinions = list(judged(rubrics)) if rubrics else []
    # Of several judges the one with most verdicts on the task, so that models are compared by the same.
    weights = Counter((v.place.task, v.judge) for v in opinions for _ in v.right)
    known: dict[str, list[Knowledge]] = {}
    for (model, task), by_wording in asked.items():
        cells = by_wording[min(by_wording, key=lambda name: (name != "paper", name))]
        places = [cell.cell.place for cell in cells]
        mine = [v for v in opinions if v.place in places and v.right]
        best = min((v.judge for v in mine), key=lambda judge: (-weights[task, judge], judge), default=None)
        whole = all(wholes.get(place, True) for place in places)
        known.setdefault(model, []).append(_known(cells, [v for v in mine if v.judge == best], whole))
    return known


def _known(cells: Sequence[CellOutcomes], opinions: Sequence[Verdicts], whole: bool) -> Knowledge:
    """What the cells of a task say, by one judge's opinions if there are some, else by the task's metric."""
    right = {v.place: v.right for v in opinions}
    facts: dict[str, Fact] = {}
    for cell in cells:
        rule = {} if opinions else {item: value > RIGHT for item, value in item_values(cell).items()}
        facts |= _facts_of(cell, right.get(cell.cell.place, rule))
    place = cells[0].cell.place
    how = {
        "facts_of": place.task,
        "wording": place.variant,
        "metric": opinions[0].scale if opinions else TASKS[place.task].item_metrics[0],
        "judge": opinions[0].judge if opinions else None,
    }
    return Knowledge(facts, how, whole)


def _facts_of(cell: CellOutcomes, right: Mapping[str, bool]) -> dict[str, Fact]:
    """The facts that a cell's items ask for, from item -> whether it is right."""
    sources = {o.item: (cell.cell.place.name, o.source) for o in cell.outcomes}
    return {item: Fact(known, sources[item]) for item, known in right.items() if item in sources}


# --- what it concludes


def _reasoning(
    cell: CellOutcomes, known: Mapping[str, Sequence[Knowledge]], wholes: Mapping[Place, bool]
) -> Reasoning | None:
    """A cell whose items rest on facts; None if the model was asked for none of these."""
    place, wanted = cell.cell.place, _facts([cell])
    used = [k for k in known.get(place.model, ()) if not wanted.isdisjoint(k.facts)]
    if not used:
        return None
    facts = {name: fact for k in used for name, fact in k.facts.items() if name in wanted}
    items = {o.item: o for o in cell.outcomes}
    rests_on = {name: set(o.original.rests_on) if o.original else set() for name, o in items.items()}
    questions = tuple(
        Question(item, value, (place.task, place.set, items[item].source), _state(rests_on[item], facts))
        for item, value in item_values(cell).items()
    )
    whole = wholes.get(place, True) and all(k.whole for k in used)
    return Reasoning((place,), questions, facts, tuple(k.how for k in used), whole)


def _state(rests_on: set[str], facts: Mapping[str, Fact]) -> str:
    found = [facts[name].known for name in rests_on if name in facts]
    if not rests_on:
        return "free"
    if not all(found):
        return "rest"
    return "known" if len(found) == len(rests_on) else "unclear"


def _pool(parts: Sequence[Reasoning]) -> Reasoning:
    """Several tasks of a model as one. Tasks come in the registry's order."""
    order = list(TASKS)
    parts = sorted(parts, key=lambda part: (order.index(part.cells[0].task), part.cells[0]))
    return Reasoning(
        tuple(cell for part in parts for cell in part.cells),
        tuple(question for part in parts for question in part.questions),
        {name: fact for part in parts for name, fact in part.facts.items()},
        tuple({str(row): row for part in parts for row in part.how}.values()),
        all(part.whole for part in parts),
    )


def _row(found: Reasoning) -> Row:
    """The figures of a row of results.json."""
    states = Counter(question.state for question in found.questions)
    return {
        "metric": TASKS[found.cells[0].task].item_metrics[0],
        "knowledge": list(found.how),
        "facts": _figures([(float(fact.known), fact.source) for fact in found.facts.values()]),
        "all": _figures([(q.value, q.source) for q in found.questions]),
        "known": _figures([(q.value, q.source) for q in found.questions if q.state == "known"]),
        "rest": _figures([(q.value, q.source) for q in found.questions if q.state == "rest"]),
        "free": states["free"],
        "unclear": states["unclear"],
    }


def _figures(rows: Sequence[tuple[float, Any]]) -> Row | None:
    return figures(rows) if rows else None


def _named(key: Key) -> Row:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in key}


# --- the authors' measures


def _independent(pools: Iterable[Reasoning], left_out: set[str]) -> Iterator[Row]:
    """FRMM and MIB of the models asked in the same way, for the same tasks and facts; baselines and adapters are left out, and
    models with replies that failed or are still to be made."""
    from evalsuite.metrics.independence import Solved, frmm, mib

    groups: dict[tuple[Key, str], list[Reasoning]] = {}
    for pool in pools:
        if pool.cells[0].model not in left_out:
            groups.setdefault((pool.key, str(pool.how)), []).append(pool)
    for (key, _), group in groups.items():
        unclear = {pool.cells[0].model: sum(q.state == "unclear" for q in pool.questions) for pool in group}
        models = {
            pool.cells[0].model: Solved(
                {q.item: q.value > RIGHT for q in pool.questions},
                {q.item for q in pool.questions if q.state in ("known", "free")},
            )
            for pool in group
            if pool.whole
        }
        if not models:
            continue
        battles = mib(models) if len(models) > 1 else {}
        yield {
            **_named(key),
            "knowledge": list(group[0].how),
            "models": [
                {
                    "model": model,
                    "items": mono.items,
                    "accuracy": _share(mono.accuracy),
                    "rank": mono.rank,
                    "retained": mono.retained,
                    "unclear": unclear[model],
                    "frmm": _share(mono.retained_accuracy),
                    "frmm_rank": mono.retained_rank,
                    "mib": _share(battles[model].mean) if model in battles else None,
                    "mib_rank": battles[model].rank if model in battles else None,
                    "battles": [
                        {"against": other, "items": battle.items, "margin": _share(battle.margin)}
                        for other, battle in (battles[model].against.items() if model in battles else ())
                    ],
                }
                for model, mono in frmm(models).items()
            ],
            "left_out": [pool.cells[0].model for pool in group if not pool.whole],
        }


def _share(percent: float | None) -> float | None:
    """Percent with two decimals -> a share with four."""
    return None if percent is None else round(percent / 100, 4)
