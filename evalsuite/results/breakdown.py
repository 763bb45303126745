"""Scores by properties of the items (length, distance, options, right answers, group), and confusion matrices over the ontology's names.

The keys "breakdowns" and "confusions" of results.json, from the outcomes of single items.

Bins have Wilson's 95 % interval at the effective sample size: the number of independent items that would have the variance
of the bin's dialogues (Dean & Pagano 2015). For large bins it is close to a bootstrap over dialogues; in a bin of three right
items a bootstrap would have an interval of width 0.
"""

from __future__ import annotations

import math
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

Bin = tuple[int | None, int | None]  # lowest and highest value, both inclusive; (26, None) has no upper end
UNKNOWN: Bin = (None, None)
# Narrow around 16 and 20 turns: four in five official dialogues have one of these lengths.
TURNS: tuple[Bin, ...] = ((1, 5), (6, 10), (11, 15), (16, 17), (18, 19), (20, 21), (22, 25), (26, None))
RIGHT: tuple[Bin, ...] = ((1, 1), (2, 2), (3, None))  # right answers, as in CICERO's Table 3
DISTANCES: tuple[Bin, ...] = ((0, 0), (1, 1), (2, 2), (3, 4), (5, 9), (10, None))


def section(run: ScoredRun) -> dict[str, Any]:
    """The keys "breakdowns" and "confusions" of results.json."""
    return {
        "breakdowns": [cell.breakdown for cell in run.cells if cell.breakdown],
        "confusions": [cell.confusion for cell in run.cells if cell.confusion],
    }


# --- score by length, distance and options


def breakdown(outcomes: CellOutcomes, rows: Rows) -> dict[str, Any] | None:
    """The cell's first metric by number of turns, turn distance, number of options, number of right answers (in tasks with
    several) and group; None if no item was answered.

    `outcomes` are those of `rows`. An item asked in every rotation counts once, and is right if all rotations are.
    """
    items = list(_items(outcomes, rows))
    if not items:
        return None
    entry = {
        **outcomes.cell.place.as_dict(),
        "metric": TASKS[outcomes.cell.place.task].item_metrics[0],
        "turns": _bins((_bin(len(item.dialogue) or None, TURNS), *rest) for item, *rest in items),
        "distance": _bins((_bin(distance(item), DISTANCES), *rest) for item, *rest in items),
    }
    if outcomes.labels:
        entry["options"] = _bins(((len(item.options),) * 2, *rest) for item, *rest in items)
    if TASKS[outcomes.cell.place.task].kind.several:
        entry["answers"] = _bins((_bin(len(item.golds), RIGHT), *rest) for item, *rest in items)
    if len({item.group for item, *_ in items}) > 1:  # an item may have none
        entry["groups"] = _groups(outcomes.cell.place.task, items)
    return entry


def _groups(task: str, items: Iterable[tuple[Item, float, int]]) -> list[dict[str, Any]]:
    """By group (relation category, inference type, dimension): those of the paper in its order, then others by name."""
    groups: dict[str, list[tuple[float, int]]] = {}
    for item, value, source in items:
        for name in filter(None, item.group.split("|")):  # an item may be of several
            groups.setdefault(name, []).append((value, source))
    known, names = benchmark_of(task).groups, benchmark_of(task).group_names
    places = {name: n for n, name in enumerate(known)}
    order = sorted(groups, key=lambda name: (places.get(name, len(known)), name))
    shown = {name: dict(zip(("zh", "en"), names[name], strict=True)) for name in order if name in names}
    return [{"name": name, **shown.get(name, {}), **figures(groups[name])} for name in order]


def _items(outcomes: CellOutcomes, rows: Rows) -> Iterator[tuple[Item, float, int]]:
    """(item, value, number of its dialogue): the least of its rotations, the mean of its samples. Where a rotation got no
    reply, the item, or its sample, is left out."""
    several = PERTURBATIONS[outcomes.cell.place.perturb].several
    found: dict[str, tuple[Item, int, dict[int, list[float]]]] = {}  # item -> … sample -> values of its rotations
    for (trial, _, _), outcome in zip(rows, outcomes.outcomes, strict=True):
        _, _, samples = found.setdefault(outcome.item, (trial.item, outcome.source, {}))
        samples.setdefault(outcome.sample, []).append(outcome.value)
    for item, source, samples in found.values():
        whole = [min(values) for values in samples.values() if not several or len(values) == len(item.options)]
        if whole:
            yield item, math.fsum(whole) / len(whole), source


_PHRASES = re.compile(r"短[语語]\s*1\s*[:：](.+?)\s短[语語]\s*2\s*[:：](.+)", re.DOTALL)
_MASK = "[MASK]"


def distance(item: Item) -> int | None:
    """The least number of turns between the text that the question is about and the answer; 0 if both are in one turn.

    The question is about the event in its quotation marks or about [MASK]; the answer is a reference text. If the question
    names two phrases and asks for their relation, it is the distance between the two. Both texts are searched verbatim.
    None if one of them is not found, as in most cases: annotators describe events in their own words.
    """
    if phrases := _PHRASES.search(item.question):
        subject, answers = phrases[1], [phrases[2]]
    else:
        subject = _MASK if _MASK in item.question else asked_event(item.question) or ""
        answers = list(item.references)
    starts = _turns_with(subject, item.dialogue)
    ends = [turn for answer in answers for turn in _turns_with(answer, item.dialogue)] if starts else []
    return min((abs(a - b) for a in starts for b in ends), default=None)


def _turns_with(text: str, dialogue: Sequence[str]) -> list[int]:
    """Indices of the turns that contain a text."""
    wanted = text.strip()
    if not wanted or wanted not in "\n".join(dialogue):  # ten times as fast as the search by turns, and seldom true
        return []
    return [n for n, turn in enumerate(dialogue) if turn.find(wanted, 2) >= 0]  # 2: after the speaker mark "A:"


def _bin(value: int | None, bins: Sequence[Bin]) -> Bin:
    if value is None:
        return UNKNOWN
    return next(b for b in bins if b[1] is None or value <= b[1])


def _bins(values: Iterable[tuple[Any, ...]]) -> list[dict[str, Any]]:
    """Rows of (bin, value, dialogue) -> the bins that are not empty, in ascending order, the unknown one last."""
    bins: dict[Bin, list[tuple[float, int]]] = {}
    for ends, value, source in values:
        bins.setdefault(ends, []).append((value, source))
    return [
        {"low": low, "high": high, **figures(bins[low, high])}
        for low, high in sorted(bins, key=lambda b: (b == UNKNOWN, b[0] or 0))
    ]


def figures(rows: Sequence[tuple[float, int]]) -> dict[str, Any]:
    """Rows of (value, dialogue) -> count, mean and interval."""
    from evalsuite.metrics.statistics import effective_size, wilson

    values, sources = zip(*rows, strict=True)
    mean = math.fsum(values) / len(rows)
    independent = effective_size(values, sources)
    interval = wilson(mean * independent, independent)
    return {
        "n": len(rows),
        "dialogues": len({*sources}),
        "value": round(mean, 6),
        "interval": [round(interval.low, 6), round(interval.high, 6)],
    }


# --- confusion matrices


def confusion(cell: Cell, rows: Rows) -> dict[str, Any] | None:
    """How often each name was chosen where another is right; None for tasks whose options are not names of the ontology.

    names: [Chinese, English], in the ontology's order, then others. The rest refers to names by index.
    pairs: [gold, chosen, count of replies].  silent: [gold, count of replies that chose nothing].
    offers: each set of options that some item offered, with [gold, count of replies], since a name can only be chosen where
    it is offered. Every rotation counts as a reply.
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
    index = {name: n for n, name in enumerate(every)}
    return {
        **cell.place.as_dict(),
        "names": [[name, english.get(name, name)] for name in every],
        "pairs": sorted([index[gold], index[name], count] for (gold, name), count in chosen.items()),
        "silent": sorted([index[gold], count] for gold, count in silent.items()),
        "offers": [
            {"options": sorted(index[x] for x in names), "gold": sorted([index[g], n] for g, n in counts.items())}
            for names, counts in sorted(offers.items())
        ],
    }


@lru_cache(maxsize=4096)  # most items of a task have the same options
def option_names(task: str, options: tuple[str, ...]) -> tuple[str, ...]:
    """The ontology's simplified Chinese names of options in English, simplified or traditional Chinese; others unchanged.

    空间 names a domain of entities and one of events; the other options decide which is meant.

    >>> option_names("domain_identification", ("属性", "比較", "Space", "天气"))
    ('属性', '比较', '空间', '天气')
    >>> option_names("domain_identification", ("属性", "比较", "空间"))
    ('属性', '比较', '空间（实体）')
    """
    known = {key(form): zh for zh, en in _KNOWN[task]().items() for form in (zh, en)}
    names = tuple(known.get(key(option), option.strip()) for option in options)
    if task == "slot_identification":
        return names
    dimensions: dict[str, set[str]] = {}
    for slot in slots():
        dimensions.setdefault(slot.dimension_zh, set()).add(slot.domain_zh)
    fits = [name for name, domains in dimensions.items() if domains.issuperset(names)]
    ambiguous = {zh for zh in names if sum(zh in domains for domains in dimensions.values()) > 1}
    return tuple(f"{zh}（{fits[0]}）" if zh in ambiguous and len(fits) == 1 else zh for zh in names)


@cache
def _domains() -> dict[str, str]:
    """Chinese name -> English name; a name of two dimensions also with each dimension in brackets."""
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
