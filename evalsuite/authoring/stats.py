"""Statistics of a benchmark in CORECODE's layout: the paper's Table 1, the distribution of slots, artefact checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from evalsuite.authoring.artefacts import CHECKS, Finding, find
from evalsuite.authoring.task_files import Annotation, read
from evalsuite.benchmarks.check import Table1, table1, whole_dialogues
from evalsuite.benchmarks.corecode import BENCHMARK
from evalsuite.benchmarks.corecode.loader import Corpus
from evalsuite.benchmarks.corecode.ontology import slots
from evalsuite.benchmarks.registry import TASKS

DIMENSIONS = tuple(dict.fromkeys(s.dimension for s in slots()))


@dataclass(frozen=True, slots=True)
class Knowledge:
    """The lower half of Table 1, for one set. None: the data at hand do not say."""

    annotations: int  # instances, and triplets: each annotation has one of both
    dimensions: dict[str, int]  # Entity, Event, Social interaction
    conflict_phrases: int | None
    characters: tuple[float, float] | float | None  # mean of conflict phrase 1 and 2, or of both where files mix them


@dataclass(frozen=True, slots=True)
class Spread:
    """How often a slot is annotated. `domain` is "" if the ontology does not have the slot."""

    set: str
    dimension: str
    domain: str
    domain_zh: str
    slot: str
    slot_zh: str
    count: int


@dataclass(frozen=True, slots=True)
class Stats:
    source: str  # what the knowledge was counted in
    table1: tuple[Table1, ...]
    knowledge: dict[str, Knowledge]  # by set
    spread: tuple[Spread, ...]  # in the ontology's order, those that occur
    split: str  # of the artefact checks
    findings: tuple[Finding, ...]

    def domains(self, item_set: str) -> dict[tuple[str, str], int]:
        """(Chinese, English) name -> annotations; 空间 is a domain of entities and one of events."""
        found: Counter[tuple[str, str]] = Counter()
        for s in self.spread:
            if s.set == item_set:
                found[s.domain_zh or "?", f"{s.domain or '?'} ({s.dimension.lower() or '?'})"] += s.count
        return dict(found)

    def to_json(self) -> dict[str, Any]:
        return {
            "format": 1,
            **asdict(self),
            "checks": {c.name: {"says": c.says, "reads": c.reads} for c in CHECKS.values()},
            "findings": [{**asdict(f), "gain": round(f.gain, 6), "above": f.above} for f in self.findings],
        }


def stats(folder: Path, annotations: Path | None = None, split: str = "test", skip_bad: bool = False) -> Stats:
    """Count and check data in the official layout. With the annotations that they were made from, knowledge is counted
    there; else in the files of slot identification, which have an item an annotation, or where there are none, in those of
    the event-causal tasks. Raises DataError for what is not there or broken."""
    corpus = Corpus(BENCHMARK, folder, skip_bad=skip_bad)
    tables = tuple(table1(name, whole) for name, whole in whole_dialogues(corpus).items() if whole)
    if annotations:
        source, knowledge, counts = annotations.name, *_of_annotations(read(annotations))
    else:
        source, knowledge, counts = _of_files(corpus)
    return Stats(source, tables, knowledge, tuple(_spread(counts)), split, find(corpus, split))


Counts = dict[str, Counter[str]]  # set -> Chinese slot name -> annotations


def _of_annotations(found: Sequence[Annotation]) -> tuple[dict[str, Knowledge], Counts]:
    knowledge, counts = {}, {}
    for item_set in dict.fromkeys(a.set for a in found):
        mine = [a for a in found if a.set == item_set]
        counts[item_set] = Counter(a.slot.zh for a in mine)
        lengths = [fmean(len(a.conflicts[n]) for a in mine) for n in (0, 1)]
        by = _dimensions(counts[item_set])
        knowledge[item_set] = Knowledge(len(mine), by, 2 * len(mine), (lengths[0], lengths[1]))
    return knowledge, counts


_CAUSAL = {"event_cause": "事件原因", "subsequent_event": "后续事件"}


def _of_files(corpus: Corpus) -> tuple[str, dict[str, Knowledge], Counts]:
    def items(task: str, item_set: str) -> Iterator[Any]:
        for split in corpus.benchmark.splits:
            if corpus.has(TASKS[task], item_set, split):
                yield from corpus.file(TASKS[task], item_set, split).items

    knowledge: dict[str, Knowledge] = {}
    counts: Counts = {}
    used = set()
    for item_set in corpus.sets:
        slot_of = Counter(i.references[0] for i in items("slot_identification", item_set))
        source = "slot identification"
        if not slot_of:
            slot_of = Counter(zh for task, zh in _CAUSAL.items() for _ in items(task, item_set))
            source = "event cause and subsequent event"
        wrong = [o for i in items("knowledge_filling", item_set) for n, o in enumerate(i.options) if n != i.gold]
        if slot_of:
            used.add(source)
            counts[item_set] = slot_of
            mean = fmean(map(len, wrong)) if wrong else None
            knowledge[item_set] = Knowledge(slot_of.total(), _dimensions(slot_of), len(wrong) or None, mean)
    return " / ".join(sorted(used)), knowledge, counts


_SLOT = {s.zh: s for s in slots()}


def _dimensions(counts: Counter[str]) -> dict[str, int]:
    by = Counter(_SLOT[zh].dimension for zh in counts.elements() if zh in _SLOT)
    return {name: by[name] for name in DIMENSIONS}


def _spread(counts: Counts) -> Iterator[Spread]:
    order = {zh: n for n, zh in enumerate(_SLOT)}
    for item_set, by_slot in counts.items():
        for zh in sorted(by_slot, key=lambda zh: (order.get(zh, len(order)), zh)):
            slot = _SLOT.get(zh)
            named = (slot.dimension, slot.domain, slot.domain_zh, slot.en) if slot else ("", "", "", "")
            yield Spread(item_set, *named, zh, by_slot[zh])
