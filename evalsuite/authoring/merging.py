"""Merge several annotators' files into one list of dialogues to build from."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evalsuite.authoring.annotations import read_dialogues
from evalsuite.common.errors import ConfigError, DataError, unknown
from evalsuite.results.schema.annotation import AnnotatedDialogue, Knowledge


@dataclass(frozen=True, slots=True)
class Merged:
    """The merged dialogues, and the numbers of lines and annotations left out."""

    # Each dialogue once, in the files' order, without those that have no annotations.
    dialogues: tuple[AnnotatedDialogue, ...]
    annotators: dict[str, int]  # name -> annotations read; "" if unnamed
    shared: int  # dialogues with several annotators; 0 if one annotator was chosen
    repeated: int  # annotations that repeat another one
    disputed: tuple[tuple[str, str, str], ...]  # (dialogue, instance, value) with conflicting slots
    empty: int  # dialogues left without annotations
    returned: int = 0  # annotations left out, since an inspector returned them and nobody has revised or accepted them


def merge(files: Sequence[Path], annotator: str = "") -> Merged:
    """Merge the annotations of all annotators, or take those of one `annotator`.

    Equal annotations count once. Annotations of the same instance and value with different slots are all left out,
    since disputed gold is no gold. An annotation that an inspector returned is left out, also where another file has an
    uninspected copy of it, but not where another inspector accepted or revised it.

    Raises DataError for a file that breaks a rule or an id with different turns, ConfigError for an unknown annotator.
    """
    by_id: dict[tuple[str, str], list[tuple[str, AnnotatedDialogue, Knowledge | None]]] = defaultdict(list)
    first_of: dict[tuple[str, str], tuple[Path, AnnotatedDialogue]] = {}
    names: Counter[str] = Counter()
    for file in files:
        for dialogue in read_dialogues(file):
            first, before = first_of.setdefault((dialogue.set, dialogue.id), (file, dialogue))
            if before.dialogue != dialogue.dialogue:
                raise DataError(
                    f"dialogue {dialogue.id!r} has other turns in {first}; give different dialogues different ids", file
                )
            annotated = [
                (knowledge.annotator or dialogue.annotator or _default_annotator(file, files), dialogue, knowledge)
                for knowledge in dialogue.annotations
            ]
            names.update(name for name, *_ in annotated)
            by_id[dialogue.set, dialogue.id] += annotated or [
                (dialogue.annotator or _default_annotator(file, files), dialogue, None)
            ]
    if annotator and annotator not in names:
        raise ConfigError(f"--annotator: {unknown('annotator', annotator, [n or '(nobody named)' for n in names])}")
    dialogues = []
    repeated, disputed = 0, []
    returned = {
        (at, *_annotator_and_annotation(name, knowledge))
        for at, rows in by_id.items()
        for name, _, knowledge in rows
        if knowledge and knowledge.verdict == "returned"
    }
    left_out, settled_keys = set(), set()
    for at, rows in by_id.items():
        taken = []
        for name, _, knowledge in rows:
            if knowledge is None or annotator not in ("", name):
                continue
            key = (at, *_annotator_and_annotation(name, knowledge))
            if knowledge.verdict in _SETTLED or key not in returned:
                taken.append((name, knowledge))
                settled_keys.add(key)
            else:
                left_out.add(key)
        slots: dict[tuple[str, str], dict[str, set[tuple[str, ...]]]] = defaultdict(lambda: defaultdict(set))
        for name, knowledge in taken:
            slots[knowledge.instance, knowledge.value][name].add(_slot(knowledge))
        bad = {about for about, by in slots.items() if len(set(map(frozenset, by.values()))) > 1}
        disputed += [(rows[0][1].id, *about) for about in slots if about in bad]
        settled = [knowledge for _, knowledge in taken if (knowledge.instance, knowledge.value) not in bad]
        once: dict[tuple[str, ...], Knowledge] = {}
        for knowledge in settled:
            once.setdefault((*_slot(knowledge), knowledge.instance, knowledge.value), knowledge)
        repeated += len(settled) - len(once)
        if once:
            dialogues.append(rows[0][1].model_copy(update={"annotations": [*once.values()]}))
    if not dialogues:
        raise DataError(
            "no annotations to build from; `evalsuite build annotate` makes a page to annotate on", files[0]
        )
    shared = 0 if annotator else sum(len({name for name, *_ in rows}) > 1 for rows in by_id.values())
    empty = len(by_id) - len(dialogues)
    return Merged(tuple(dialogues), dict(names), shared, repeated, tuple(disputed), empty, len(left_out - settled_keys))


def _default_annotator(file: Path, files: Sequence[Path]) -> str:
    """Name of an unnamed annotator: the file's stem, as in `evalsuite build agree`; "" for a single file."""
    return file.stem if len(files) > 1 else ""


_SETTLED = ("accepted", "revised")


def _annotator_and_annotation(name: str, knowledge: Knowledge) -> tuple[str, ...]:
    return (
        name,
        *_slot(knowledge),
        knowledge.instance,
        knowledge.value,
        knowledge.phrase,
        knowledge.conflict1,
        knowledge.conflict2,
    )


def _slot(knowledge: Knowledge) -> tuple[str, ...]:
    return knowledge.dimension, knowledge.domain, knowledge.slot
