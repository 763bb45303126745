"""Statistics of a benchmark in CORECODE's layout: the paper's Table 1, the distribution of slots, artefact checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from evalsuite.authoring.annotations import read_dialogues
from evalsuite.authoring.artefacts import CHECKS, GuesserScore, run_checks
from evalsuite.authoring.task_files import Annotation, read_annotations
from evalsuite.benchmarks.check import Table1, table1, whole_dialogues
from evalsuite.benchmarks.corecode import BENCHMARK
from evalsuite.benchmarks.corecode.loader import CorecodeCorpus
from evalsuite.benchmarks.corecode.ontology import slots
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common import jsonl
from evalsuite.common.errors import DataError

DIMENSIONS = tuple(dict.fromkeys(s.dimension for s in slots()))


@dataclass(frozen=True, slots=True)
class KnowledgeCounts:
    """The lower half of Table 1, for one set. A field is None if the data do not tell it."""

    annotations: int  # also the number of instances and of triplets
    dimensions: dict[str, int]  # Entity, Event, Social interaction
    conflict_phrases: int | None
    characters: tuple[float, float] | float | None  # mean length of conflict phrase 1 and 2, or of both together


@dataclass(frozen=True, slots=True)
class SlotCount:
    """The count of a slot's annotations in a set; its other names are "" if the ontology lacks the slot."""

    set: str
    dimension: str
    domain: str
    domain_zh: str
    slot: str
    slot_zh: str
    count: int


@dataclass(frozen=True, slots=True)
class Stats:
    """The report of `evalsuite build stats`."""

    source: str  # the files in which the knowledge was counted
    table1: tuple[Table1, ...]
    knowledge: dict[str, KnowledgeCounts]  # by set
    spread: tuple[SlotCount, ...]  # slots that occur, in the ontology's order
    split: str  # the split of the artefact checks
    findings: tuple[GuesserScore, ...]

    @property
    def total(self) -> tuple[Table1, KnowledgeCounts | None] | None:
        """The paper's column Total; None for a single set.

        As in the paper, counts are sums and all else is the mean of the sets' figures, the extremes too: its longest
        dialogues have 1,002 and 953 tokens, and 977.5 in Total.
        """
        if len(self.table1) < 2:
            return None
        known = [self.knowledge.get(t.set) for t in self.table1]
        counted = [k for k in known if k]
        return _total(self.table1), _total_knowledge(counted) if len(counted) == len(known) else None

    def domains(self, item_set: str) -> dict[tuple[str, str], int]:
        """(Chinese, English) name -> annotations. The English name includes the dimension, since two have a domain 空间."""
        counts: Counter[tuple[str, str]] = Counter()
        for s in self.spread:
            if s.set == item_set:
                counts[s.domain_zh or "?", f"{s.domain or '?'} ({s.dimension.lower() or '?'})"] += s.count
        return dict(counts)

    def to_json(self) -> dict[str, Any]:
        return {
            "format": 1,
            **asdict(self),
            "total": dict(zip(("table1", "knowledge"), (t and asdict(t) for t in self.total or ()), strict=False)),
            "checks": {c.name: {"says": c.says, "reads": c.reads} for c in CHECKS.values()},
            "findings": [{**asdict(f), "gain": round(f.gain, 6), "above": f.above} for f in self.findings],
        }


def compute_stats(folder: Path, annotations: Path | None = None, split: str = "test", skip_bad: bool = False) -> Stats:
    """Count and check data in the official layout.

    Knowledge is counted in `annotations` if given, else in the files of slot identification, which have one item per
    annotation, else in those of the event-causal tasks. Raises DataError for missing or malformed files, and for
    annotations of a dialogue that the data do not have.
    """
    corpus = CorecodeCorpus(BENCHMARK, folder, skip_bad=skip_bad)
    tables = tuple(table1(name, whole) for name, whole in whole_dialogues(corpus).items() if whole)
    if annotations:
        _check_dialogues(annotations, corpus, folder)
        source, knowledge, counts = annotations.name, *_count_annotations(read_annotations(annotations))
    else:
        source, knowledge, counts = _count_files(corpus)
    return Stats(source, tables, knowledge, tuple(_slot_counts(counts)), split, run_checks(corpus, split))


def _total(tables: Sequence[Table1]) -> Table1:
    def means(triples: Iterable[Sequence[float]]) -> tuple[float, float, float]:
        most, least, average = (fmean(values) for values in zip(*triples, strict=True))
        return most, least, average

    return Table1(
        "total",
        sum(t.dialogues for t in tables),
        means(t.turns for t in tables),
        means(t.tokens for t in tables),
        fmean(t.tokens_per_turn for t in tables),
    )


def _total_knowledge(counts: Sequence[KnowledgeCounts]) -> KnowledgeCounts:
    phrases = [k.conflict_phrases for k in counts if k.conflict_phrases is not None]
    pairs = [k.characters for k in counts if isinstance(k.characters, tuple)]
    both = [k.characters for k in counts if isinstance(k.characters, float)]
    characters: tuple[float, float] | float | None = None
    if len(pairs) == len(counts):
        characters = (fmean(a for a, _ in pairs), fmean(b for _, b in pairs))
    elif len(both) == len(counts):
        characters = fmean(both)
    return KnowledgeCounts(
        sum(k.annotations for k in counts),
        {d: sum(k.dimensions[d] for k in counts) for d in DIMENSIONS},
        sum(phrases) if len(phrases) == len(counts) else None,
        characters,
    )


def _check_dialogues(annotations: Path, corpus: CorecodeCorpus, folder: Path) -> None:
    """Raise DataError for the first dialogue with annotations that the data do not have."""
    whole = whole_dialogues(corpus)
    dialogues = read_dialogues(annotations)
    for (line, _), d in zip(jsonl.read_objects(annotations), dialogues, strict=True):
        if d.annotations and tuple(d.dialogue) not in whole.get(d.set, ()):
            raise DataError(
                f"{d.id!r} is no dialogue of the {d.set} set of {folder}; give the annotations that these data were made from",
                annotations,
                line,
                "id",
            )


_Counts = dict[str, Counter[str]]  # set -> Chinese slot name -> annotations


def _count_annotations(annotations: Sequence[Annotation]) -> tuple[dict[str, KnowledgeCounts], _Counts]:
    knowledge, counts = {}, {}
    for item_set in dict.fromkeys(a.set for a in annotations):
        of_set = [a for a in annotations if a.set == item_set]
        counts[item_set] = Counter(a.slot.zh for a in of_set)
        lengths = [fmean(len(a.conflicts[n]) for a in of_set) for n in (0, 1)]
        by = _by_dimension(counts[item_set])
        knowledge[item_set] = KnowledgeCounts(len(of_set), by, 2 * len(of_set), (lengths[0], lengths[1]))
    return knowledge, counts


_CAUSAL = {"event_cause": "事件原因", "subsequent_event": "后续事件"}


def _count_files(corpus: CorecodeCorpus) -> tuple[str, dict[str, KnowledgeCounts], _Counts]:
    def items(task: str, item_set: str) -> Iterator[Any]:
        for split in corpus.benchmark.splits:
            if corpus.has(TASKS[task], item_set, split):
                yield from corpus.file(TASKS[task], item_set, split).items

    knowledge: dict[str, KnowledgeCounts] = {}
    counts: _Counts = {}
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
            knowledge[item_set] = KnowledgeCounts(slot_of.total(), _by_dimension(slot_of), len(wrong) or None, mean)
    return " / ".join(sorted(used)), knowledge, counts


_SLOT = {s.zh: s for s in slots()}


def _by_dimension(counts: Counter[str]) -> dict[str, int]:
    by = Counter(_SLOT[zh].dimension for zh in counts.elements() if zh in _SLOT)
    return {name: by[name] for name in DIMENSIONS}


def _slot_counts(counts: _Counts) -> Iterator[SlotCount]:
    order = {zh: n for n, zh in enumerate(_SLOT)}
    for item_set, by_slot in counts.items():
        for zh in sorted(by_slot, key=lambda zh: (order.get(zh, len(order)), zh)):
            slot = _SLOT.get(zh)
            named = (slot.dimension, slot.domain, slot.domain_zh, slot.en) if slot else ("", "", "", "")
            yield SlotCount(item_set, *named, zh, by_slot[zh])
