"""Scores by properties of the items (length, distance, options, group), and confusions between the ontology's names.

Pure functions of the per-item outcomes; their output stands in results.json under "breakdowns" and "confusions".

The intervals of bins are Wilson's (95 %) at the effective number of items: as many independent rights and wrongs as would
vary as much as the bin's dialogues do (Dean & Pagano 2015). Large bins get what resampling dialogues would give them; but
some hold three items, all of them right, and resampling those would say that the model cannot fail.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Any

from evalsuite.benchmarks.corecode.ontology import slots
from evalsuite.benchmarks.registry import TASKS, benchmark_of
from evalsuite.common.dialogue import asked_event
from evalsuite.parse.chars import key
from evalsuite.perturb import PERTURBATIONS
from evalsuite.results.outcomes import CellOutcomes, Rows, ScoredRun
from evalsuite.types import Cell, Item

Bin = tuple[int | None, int | None]  # lowest and highest, both in it; (26, None) is open, UNKNOWN could not be told
UNKNOWN: Bin = (None, None)
# Narrow where the dialogues are: four in five of the official ones have 16 or 20 turns, the rest are mostly clipped.
TURNS: tuple[Bin, ...] = ((1, 5), (6, 10), (11, 15), (16, 17), (18, 19), (20, 21), (22, 25), (26, None))
DISTANCES: tuple[Bin, ...] = ((0, 0), (1, 1), (2, 2), (3, 4), (5, 9), (10, None))


def section(run: ScoredRun) -> dict[str, Any]:
    return {
        "breakdowns": [cell.breakdown for cell in run.cells if cell.breakdown],
        "confusions": [cell.confusion for cell in run.cells if cell.confusion],
    }


# --- score by length, distance and options


def breakdown(outcomes: CellOutcomes, rows: Rows) -> dict[str, Any] | None:
    """The cell's first metric by turns, turn distance, number of options and group; `outcomes` are those of the rows.

    None if no item was answered. Items that were asked in every rotation count once, right if all are, as in the cell.
    """
    found = list(_items(outcomes, rows))
    if not found:
        return None
    entry = {
        **outcomes.cell.place.as_dict(),
        "metric": TASKS[outcomes.cell.place.task].item_metrics[0],
        "turns": _bins((_bin(len(item.dialogue), TURNS), *rest) for item, *rest in found),
        "distance": _bins((_bin(distance(item), DISTANCES), *rest) for item, *rest in found),
    }
    if outcomes.labels:
        entry["options"] = _bins(((len(item.options),) * 2, *rest) for item, *rest in found)
    if len({item.group for item, *_ in found}) > 1:  # of one there is nothing to tell apart
        entry["groups"] = _groups(outcomes.cell.place.task, found)
    return entry


def _groups(task: str, found: Iterable[tuple[Item, float, int]]) -> list[dict[str, Any]]:
    """By the items' group (relation category, inference type, dimension), in the paper's order; others after, by name."""
    groups: dict[str, list[tuple[float, int]]] = {}
    for item, value, source in found:
        groups.setdefault(item.group, []).append((value, source))
    known = benchmark_of(task).groups
    places = {name: n for n, name in enumerate(known)}
    order = sorted(groups, key=lambda name: (places.get(name, len(known)), name))
    return [{"name": name, **_figures(groups[name])} for name in order]


def _items(outcomes: CellOutcomes, rows: Rows) -> Iterator[tuple[Item, float, int]]:
    """Each item with its value and its dialogue."""
    if not PERTURBATIONS[outcomes.cell.place.perturb].several:
        for (trial, _, _), outcome in zip(rows, outcomes.outcomes, strict=True):
            yield trial.item, outcome.value, outcome.source
        return
    rotations: dict[str, list[tuple[Item, float, int]]] = {}
    for (trial, _, _), outcome in zip(rows, outcomes.outcomes, strict=True):
        rotations.setdefault(outcome.item, []).append((trial.item, outcome.value, outcome.source))
    for same in rotations.values():
        item, _, source = same[0]
        if len(same) == len(item.options):  # of the others a request failed
            yield item, min(value for _, value, _ in same), source


_PHRASES = re.compile(r"短[语語]\s*1\s*[:：](.+?)\s短[语語]\s*2\s*[:：](.+)", re.DOTALL)
_MASK = "[MASK]"


def distance(item: Item) -> int | None:
    """Turns from what the question is about to where the answer stands: 0 within one turn, 1 from a turn to the next.

    The question is about the event in its quotation marks, or the turn with [MASK]; the answer stands where the gold
    text does. Where the question gives two phrases and asks for their relation, it is the distance of the two. Both
    must stand in the dialogue word for word; of several places the nearest count. None where they do not: most events
    are in the annotators' own words, what fills a mask seldom stands elsewhere, and whoever looks for a conflicting phrase
    is asked about the whole dialogue.
    """
    if phrases := _PHRASES.search(item.question):
        about, answers = phrases[1], [phrases[2]]
    else:
        about = _MASK if _MASK in item.question else asked_event(item.question) or ""
        answers = list(item.references)
    here = _places(about, item.dialogue)
    there = [turn for answer in answers for turn in _places(answer, item.dialogue)] if here else []
    return min((abs(a - b) for a in here for b in there), default=None)


def _places(text: str, dialogue: Sequence[str]) -> list[int]:
    wanted = text.strip()
    if not wanted or wanted not in "\n".join(dialogue):  # as most; to look turn by turn takes ten times as long
        return []
    # From the third character on: before it is the speaker, whose name is no place where "A" stands.
    return [n for n, turn in enumerate(dialogue) if turn.find(wanted, 2) >= 0]


def _bin(value: int | None, bins: Sequence[Bin]) -> Bin:
    if value is None:
        return UNKNOWN
    return next(b for b in bins if b[1] is None or value <= b[1])


def _bins(values: Iterable[tuple[Any, ...]]) -> list[dict[str, Any]]:
    """Rows of (bin, value, dialogue) -> the bins that hold any, from the lowest; unknown last."""
    bins: dict[Bin, list[tuple[float, int]]] = {}
    for place, value, source in values:
        bins.setdefault(place, []).append((value, source))
    return [
        {"low": low, "high": high, **_figures(bins[low, high])}
        for low, high in sorted(bins, key=lambda b: (b == UNKNOWN, b[0] or 0))
    ]


def _figures(found: Sequence[tuple[float, int]]) -> dict[str, Any]:
    from evalsuite.metrics.statistics import effective_size, wilson  # loads numpy

    values, sources = zip(*found, strict=True)
    mean = sum(values) / len(found)
    independent = effective_size(values, sources)
    interval = wilson(mean * independent, independent)
    return {
        "n": len(found),
        "dialogues": len({*sources}),
        "value": round(mean, 6),
        "interval": [round(interval.low, 6), round(interval.high, 6)],
    }


# --- what is taken for what


def confusion(cell: Cell, rows: Rows) -> dict[str, Any] | None:
    """How often each name was chosen where another was right; None for tasks whose options are no such names.

    `names` are [Chinese, English], in the ontology's order, others after them; elsewhere a name is its place among them.
    `pairs` are [gold, chosen, replies], `silent` [gold, replies that chose nothing]. What was never chosen may never have
    been offered: `offers` has the options that were offered together, and [gold, replies] of the items that had them.
    Rotations count one by one.
    """
    if cell.place.task not in _KNOWN or not rows:
        return None
    offers: dict[tuple[str, ...], Counter[str]] = {}
    chosen: Counter[tuple[str, str]] = Counter()
    silent: Counter[str] = Counter()
    for trial, answer, _ in rows:
        names = option_names(cell.place.task, trial.item.options)
        gold = names[trial.item.gold or 0]
        offers.setdefault(tuple(sorted(set(names))), Counter())[gold] += 1
        if answer.choice is None:
            silent[gold] += 1
        else:
            chosen[gold, names[answer.choice]] += 1
    english = _KNOWN[cell.place.task]()
    places = {name: n for n, name in enumerate(english)}
    every = sorted({name for names in offers for name in names}, key=lambda x: (places.get(x, len(places)), x))
    at = {name: n for n, name in enumerate(every)}
    return {
        **cell.place.as_dict(),
        "names": [[name, english.get(name, name)] for name in every],
        "pairs": sorted([at[gold], at[name], count] for (gold, name), count in chosen.items()),
        "silent": sorted([at[gold], count] for gold, count in silent.items()),
        "offers": [
            {"options": sorted(at[name] for name in names), "gold": sorted([at[g], n] for g, n in counts.items())}
            for names, counts in sorted(offers.items())
        ],
    }


@lru_cache(maxsize=4096)  # of a task's items most have the same options
def option_names(task: str, options: tuple[str, ...]) -> tuple[str, ...]:
    """The ontology's Chinese names of the options, which may be English or in traditional characters; others as they are.

    空间 is a domain of entities and one of events: the options beside it tell which.

    >>> option_names("domain_identification", ("属性", "比較", "Space", "天气"))
    ('属性', '比较', '空间', '天气')
    >>> option_names("domain_identification", ("属性", "比较", "空间"))
    ('属性', '比较', '空间（实体）')
    """
    known = {key(form): zh for zh, en in _KNOWN[task]().items() for form in (zh, en)}
    found = tuple(known.get(key(option), option.strip()) for option in options)
    if task == "slot_identification":
        return found
    dimensions: dict[str, set[str]] = {}
    for slot in slots():
        dimensions.setdefault(slot.dimension_zh, set()).add(slot.domain_zh)
    fits = [name for name, domains in dimensions.items() if domains.issuperset(found)]
    twice = {zh for zh in found if sum(zh in domains for domains in dimensions.values()) > 1}
    return tuple(f"{zh}（{fits[0]}）" if zh in twice and len(fits) == 1 else zh for zh in found)


@cache
def _domains() -> dict[str, str]:
    """Chinese -> English; a name of two dimensions also with each of them."""
    names: dict[str, str] = {}
    dimensions = {(s.domain_zh, s.domain, s.dimension_zh, s.dimension): None for s in slots()}
    for zh, en, dimension_zh, dimension in dimensions:
        names[zh] = en
        if sum(zh == other for other, *_ in dimensions) > 1:
            names[f"{zh}（{dimension_zh}）"] = f"{en} ({dimension.lower()})"
    return names


@cache
def _slots() -> dict[str, str]:
    return {slot.zh: slot.en for slot in slots()}


_KNOWN = {"domain_identification": _domains, "slot_identification": _slots}  # task -> Chinese -> English
