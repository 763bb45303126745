"""Inter-annotator agreement, step by step, and the disagreements.

The paper (section 3) reports the mean of Cohen's kappa over the annotation steps: 80.7 % for its two reviewers, 59.4 % for
its six quality inspectors. It does not define the units that are compared; `STEPS` lists ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import combinations
from pathlib import Path
from statistics import mean

from evalsuite.authoring.annotations import CharacterPosition, check_dialogues, phrase_position
from evalsuite.common.errors import ConfigError, DataError
from evalsuite.metrics.agreement import cohen_kappa
from evalsuite.metrics.exact import char_f1
from evalsuite.results.schema.annotation import AnnotatedDialogue, Knowledge

STEPS = {  # step -> its units, and the values that are compared
    "knowledge": "every dialogue that both annotated: whether it has knowledge",
    "turn": "every turn of these dialogues: whether an annotation refers to it",
    "dimension": "pairs of annotations matched by their texts: entity, event or social interaction",
    "domain": "matched pairs: the domain, with its dimension",
    "slot": "matched pairs: the slot, with its domain and dimension",
    "evidence": "every character of the dialogue of a matched pair: whether it is evidence",
    "phrase": "every character of the dialogue of a matched pair: whether it is in the phrase",
    "instance": "matched pairs: the same text (no kappa for free text)",
    "value": "as instance",
    "conflict1": "matched pairs with the same phrase: the same text (no kappa)",
    "conflict2": "as conflict1",
}


DialogueKey = tuple[str, str]  # (set, id): a dialogue may be annotated for EASY and for HARD


@dataclass(frozen=True, slots=True)
class StepAgreement:
    """Agreement of two annotators at one step."""

    step: str
    who: tuple[str, str]
    n: int  # units compared
    same: float  # share of equal values
    kappa: float | None  # None for free text, or if all values are equal
    f1: float | None = None  # mean character F1, for free text


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A difference between two annotators; `said` holds their values at the step, "" for a missing annotation."""

    dialogue: str
    step: str
    who: tuple[str, str]
    about: str  # the instance in the first annotator's annotation, or in the second's if the first has none
    said: tuple[str, str]


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """The report of `evalsuite build agree`."""

    annotators: dict[str, int]  # name -> dialogues
    steps: tuple[StepAgreement, ...]
    means: tuple[tuple[str, str, float], ...]  # (annotator, annotator, mean kappa over the steps), as in the paper
    disagreements: tuple[Disagreement, ...]
    notes: tuple[str, ...]


def annotator_agreement(files: Sequence[Path]) -> AgreementReport:
    """Compare several annotators' files.

    Raises ConfigError for fewer than two annotators, DataError for an id with different turns.
    """
    by_name, notes = by_annotator(files)
    if len(by_name) < 2:
        raise ConfigError(f"{', '.join(map(str, files))}: one annotator only ({', '.join(by_name)}); give two or more")
    steps: list[StepAgreement] = []
    disagreements: list[Disagreement] = []
    for who in combinations(by_name, 2):
        shared = [(by_name[who[0]][i], by_name[who[1]][i]) for i in by_name[who[0]] if i in by_name[who[1]]]
        for a, b in shared:
            if a.dialogue != b.dialogue:
                raise DataError(
                    f"dialogue {a.id}: {who[0]} and {who[1]} have other turns; give different dialogues different ids",
                    files[0],
                )
        if not shared:
            notes.append(f"{who[0]} and {who[1]} have no dialogue in common")
            continue
        steps += _steps(who, shared)
        disagreements += [each for a, b in shared for each in _disagreements(who, a, b)]
    means = []
    for who in dict.fromkeys(s.who for s in steps):
        kappas = [s.kappa for s in steps if s.who == who and s.kappa is not None]
        if kappas:
            means.append((*who, mean(kappas)))
    return AgreementReport(
        {k: len(v) for k, v in by_name.items()}, tuple(steps), tuple(means), tuple(disagreements), tuple(notes)
    )


def by_annotator(files: Sequence[Path]) -> tuple[dict[str, dict[DialogueKey, AnnotatedDialogue]], list[str]]:
    """Annotator -> set and id -> dialogue, and a note on each file with problems.

    An annotator is named by the `annotator` field, else by the file's name. Raises DataError for an annotator with one dialogue
    in two files, of which only one would count.
    """
    by_name: dict[str, dict[DialogueKey, AnnotatedDialogue]] = {}
    file_of: dict[tuple[str, DialogueKey], Path] = {}
    notes = []
    for file in files:
        dialogues, wrong = check_dialogues(file)
        if wrong:
            notes.append(f"{file}: {len(wrong)} problems, compared anyway; `evalsuite build check {file}` lists them")
        for dialogue in dialogues:
            name = dialogue.annotator or next(
                (knowledge.annotator for knowledge in dialogue.annotations if knowledge.annotator), file.stem
            )
            key = dialogue.set, dialogue.id
            if (first := file_of.setdefault((name, key), file)) != file:
                raise DataError(
                    f"dialogue {dialogue.id} of {name} is in {first}, too; compare one file of each annotator", file
                )
            by_name.setdefault(name, {})[key] = dialogue
    return by_name, notes


def match_annotations(a: AnnotatedDialogue, b: AnnotatedDialogue) -> list[tuple[Knowledge, Knowledge]]:
    """Pair the annotations of two people: the one-to-one assignment with the greatest total similarity.

    Similarity uses texts only (character F1 of instance and value, overlap of spans), so that dimension, domain and slot
    may differ. Annotations are paired only if their spans overlap or their instances are equal.
    """
    of_a, of_b = accepted(a), accepted(b)
    if not of_a or not of_b:
        return []
    score = [[_likeness(x, y, a) for y in of_b] for x in of_a]
    rows, columns = import_module("scipy.optimize").linear_sum_assignment(score, maximize=True)
    return [(of_a[i], of_b[j]) for i, j in zip(rows, columns, strict=True) if score[i][j] > 0]


def accepted(dialogue: AnnotatedDialogue) -> list[Knowledge]:
    """The annotations of a person: proposals of a model that nobody has accepted are left out."""
    return [knowledge for knowledge in dialogue.annotations if not knowledge.proposed]


def _likeness(x: Knowledge, y: Knowledge, dialogue: AnnotatedDialogue) -> float:
    evidence_x, evidence_y = _rests_on(x, dialogue), _rests_on(y, dialogue)
    if not evidence_x & evidence_y and x.instance != y.instance:
        return 0.0
    overlap = len(evidence_x & evidence_y) / len(evidence_x | evidence_y) if evidence_x | evidence_y else 0.0
    return char_f1(x.instance, (y.instance,)) + char_f1(x.value, (y.value,)) + overlap


def _characters(spans: Sequence[str], dialogue: AnnotatedDialogue) -> set[CharacterPosition]:
    """The characters of the first occurrence of each span in each turn."""
    positions: set[CharacterPosition] = set()
    for n, turn in enumerate(dialogue.dialogue):
        for span in spans:
            if (start := turn.find(span)) >= 0:
                positions |= {(n, start + i) for i in range(len(span))}
    return positions


def _rests_on(knowledge: Knowledge, dialogue: AnnotatedDialogue) -> set[CharacterPosition]:
    """The characters of an annotation's evidence and phrase."""
    return _characters(knowledge.evidence, dialogue) | _spans(knowledge, "phrase", dialogue)


def _steps(
    who: tuple[str, str], shared: Sequence[tuple[AnnotatedDialogue, AnnotatedDialogue]]
) -> Iterator[StepAgreement]:
    def step(name: str, pairs: Sequence[tuple[object, object]]) -> Iterator[StepAgreement]:
        if pairs:
            x, y = zip(*pairs, strict=True)
            yield StepAgreement(name, who, len(pairs), mean(float(p == q) for p, q in pairs), cohen_kappa(x, y))

    yield from step("knowledge", [(bool(accepted(a)), bool(accepted(b))) for a, b in shared])
    yield from step("turn", [pair for a, b in shared for pair in zip(_turns(a), _turns(b), strict=True)])
    pairs = [(x, y, a) for a, b in shared for x, y in match_annotations(a, b)]
    for name, category in _CATEGORIES.items():
        yield from step(name, [(category(x), category(y)) for x, y, _ in pairs])
    for name in ("evidence", "phrase"):
        characters: list[tuple[object, object]] = []
        for x, y, dialogue in pairs:
            characters_x, characters_y = (_spans(knowledge, name, dialogue) for knowledge in (x, y))
            every = [(n, i) for n, turn in enumerate(dialogue.dialogue) for i in range(len(turn))]
            characters += [(at in characters_x, at in characters_y) for at in every]
        yield from step(name, characters)
    for name in ("instance", "value", "conflict1", "conflict2"):
        words = [
            (getattr(x, name), getattr(y, name))
            for x, y, _ in pairs
            if not name.startswith("conflict") or x.phrase == y.phrase
        ]
        if words:
            same, f1 = mean(float(p == q) for p, q in words), mean(char_f1(p, (q,)) for p, q in words)
            yield StepAgreement(name, who, len(words), same, None, f1)


def slot_path(knowledge: Knowledge) -> str:
    """The slot with its dimension and domain: "dimension/domain/slot"."""
    return f"{knowledge.dimension}/{knowledge.domain}/{knowledge.slot}"


_CATEGORIES: dict[str, Callable[[Knowledge], str]] = {
    "dimension": lambda k: k.dimension,
    "domain": lambda k: f"{k.dimension}/{k.domain}",
    "slot": slot_path,
}


def _spans(knowledge: Knowledge, name: str, dialogue: AnnotatedDialogue) -> set[CharacterPosition]:
    if name == "evidence" and knowledge.evidence:
        return _characters(knowledge.evidence, dialogue)
    if at := phrase_position(knowledge, dialogue.dialogue):
        return {(at[0], at[1] + i) for i in range(len(knowledge.phrase))}
    return _characters([knowledge.phrase], dialogue)


def _turns(dialogue: AnnotatedDialogue) -> list[bool]:
    """For each turn, whether some annotation refers to it."""
    used = {turn for knowledge in accepted(dialogue) for turn, _ in _rests_on(knowledge, dialogue)}
    return [n in used for n in range(len(dialogue.dialogue))]


def _disagreements(who: tuple[str, str], a: AnnotatedDialogue, b: AnnotatedDialogue) -> Iterator[Disagreement]:
    if bool(accepted(a)) != bool(accepted(b)):
        values = ("some" if accepted(a) else "none", "some" if accepted(b) else "none")
        yield Disagreement(a.id, "knowledge", who, "", values)
        return
    pairs = match_annotations(a, b)
    for x, y in pairs:
        for name in ("dimension", "domain", "slot", "instance", "value", "phrase", "conflict1", "conflict2"):
            value = _CATEGORIES.get(name, lambda knowledge, name=name: str(getattr(knowledge, name)))
            if value(x) != value(y):
                yield Disagreement(a.id, name, who, x.instance, (value(x), value(y)))
                if name in ("dimension", "domain", "phrase"):
                    break  # the fields behind this one depend on it
    for knowledge in accepted(a):
        if all(knowledge is not x for x, _ in pairs):
            yield Disagreement(a.id, "annotation", who, knowledge.instance, (slot_path(knowledge), ""))
    for knowledge in accepted(b):
        if all(knowledge is not y for _, y in pairs):
            yield Disagreement(a.id, "annotation", who, knowledge.instance, ("", slot_path(knowledge)))
