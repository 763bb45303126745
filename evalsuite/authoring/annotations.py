"""Read annotations files and check them against the rules of the paper's section 3 (rules.yaml)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from evalsuite.benchmarks.corecode.ontology import ontology
from evalsuite.common import jsonl
from evalsuite.common.errors import DataError
from evalsuite.common.yamltext import packaged_yaml
from evalsuite.results.schema.annotation import AnnotatedDialogue, Knowledge

CharacterPosition = tuple[int, int]  # (index of the turn, index of the character in it)


@dataclass(frozen=True, slots=True)
class BrokenRule:
    """A broken rule: `code` is its name in rules.yaml, `field` where it is broken."""

    field: str  # "annotations[0].conflict1"
    code: str
    values: dict[str, Any] = dataclass_field(default_factory=dict)

    @property
    def message(self) -> str:
        english: str = load_rules()["messages"][self.code][0]
        return english.format(**self.values)


@cache
def load_rules() -> dict[str, Any]:
    """The content of rules.yaml."""
    rules: dict[str, Any] = packaged_yaml("authoring/rules.yaml")
    return rules


def read_dialogues(path: Path) -> list[AnnotatedDialogue]:
    """Read a file that breaks no rule. Raises DataError for the first problem."""
    dialogues, wrong = check_dialogues(path)
    if wrong:
        first, more = wrong[0], len(wrong) - 1
        message = f"{first.message} ({more} more: `evalsuite build check {path}` lists them)"
        raise DataError(message if more else first.message, first.file, first.line, first.field)
    return dialogues


def check_dialogues(path: Path) -> tuple[list[AnnotatedDialogue], list[DataError]]:
    """The well-formed dialogues of a file, and all its problems in the file's order."""
    dialogues: list[AnnotatedDialogue] = []
    wrong: list[DataError] = []
    seen: dict[str, int] = {}
    for line, row in jsonl.read_objects(path):
        try:
            dialogue = AnnotatedDialogue.model_validate(row)
        except ValidationError as error:
            wrong += [DataError(_field_message(e), path, line, jsonl.field_path(e["loc"])) for e in error.errors()]
            continue
        broken = list(rule_problems(dialogue))
        if (before := seen.setdefault(dialogue.id, line)) != line:
            broken.insert(0, BrokenRule("id", "twice", {"value": dialogue.id, "line": before}))
        wrong += [DataError(p.message, path, line, p.field) for p in broken]
        dialogues.append(dialogue)
    return dialogues, wrong


def _field_message(error: Any) -> str:
    if error["type"] == "extra_forbidden":
        return f"unknown key; known: {', '.join((*AnnotatedDialogue.model_fields, *Knowledge.model_fields))}"
    return f"{error['msg'][0].lower()}{error['msg'][1:]}"


def rule_problems(dialogue: AnnotatedDialogue) -> Iterator[BrokenRule]:
    """All rules that a dialogue breaks. leaderboard/src/annotate/rules.ts has the same rules; a test compares the two."""
    for n, turn in enumerate(dialogue.dialogue):
        if not turn.strip():
            yield BrokenRule(f"dialogue[{n}]", "turn")
    if dialogue.nothing and dialogue.annotations:
        yield BrokenRule("nothing", "nothing")
    seen: dict[tuple[str, ...], int] = {}
    for n, knowledge in enumerate(dialogue.annotations):
        same = tuple(getattr(knowledge, name) for name in _IDENTITY)
        if (other := seen.setdefault(same, n)) != n and knowledge.value:
            yield BrokenRule(f"annotations[{n}]", "repeated", {"other": other})
        for p in _annotation_problems(knowledge, dialogue):
            yield BrokenRule(f"annotations[{n}].{p.field}", p.code, p.values)


_IDENTITY = ("dimension", "instance", "domain", "slot", "value")  # two annotations with equal ones are the same
_TEXTS = ("instance", "value", "phrase", "conflict1", "conflict2")


def _annotation_problems(knowledge: Knowledge, dialogue: AnnotatedDialogue) -> Iterator[BrokenRule]:
    rules = load_rules()
    if knowledge.proposed:
        yield BrokenRule("proposed", "proposed", {"value": knowledge.proposer or "a model"})
    if knowledge.verdict == "returned" and not knowledge.reason:
        yield BrokenRule("reason", "empty")
    yield from _ontology_problems(knowledge)
    texts = [(name, getattr(knowledge, name)) for name in _TEXTS]
    texts += [
        (f"{name}[{i}]", text)
        for name in ("alternatives", "evidence")
        for i, text in enumerate(getattr(knowledge, name))
    ]
    for name, text in texts:
        is_event = knowledge.dimension == "事件" and name.startswith(("instance", "value", "alternatives"))
        if not text:
            yield BrokenRule(name, "empty")
        elif re.search(rules["untidy"], text):
            yield BrokenRule(name, "untidy", {"value": text})
        elif is_event and re.search(rules["speakers"][dialogue.set], text):
            yield BrokenRule(name, "speakers", {"value": text})
    for name, text in texts:
        if not text or not name.startswith(("value", "alternatives")):
            continue
        if text == knowledge.instance:
            yield BrokenRule(name, "same")
        elif knowledge.slot in rules["event_slots"] and any(re.search(p, text) for p in rules["no_events"]):
            yield BrokenRule(name, "event", {"value": text})
    whole = "\n".join(dialogue.dialogue)
    for name, span in (
        *((f"evidence[{i}]", span) for i, span in enumerate(knowledge.evidence)),
        ("phrase", knowledge.phrase),
    ):
        if (
            not span
            or (count := whole.count(span)) == 1
            or (name == "phrase" and phrase_position(knowledge, dialogue.dialogue))
        ):
            continue
        values = {"value": span, "count": count}
        yield BrokenRule(name, "several", values) if count else BrokenRule(name, "missing", {"value": span})
    if knowledge.phrase and knowledge.evidence and not any(knowledge.phrase in span for span in knowledge.evidence):
        yield BrokenRule("phrase", "outside", {"value": knowledge.phrase})
    if knowledge.phrase:
        yield from _conflict_problems(knowledge)


def phrase_position(knowledge: Knowledge, dialogue: Sequence[str]) -> CharacterPosition | None:
    """The position of the phrase's first character; None if it is ambiguous or missing.

    A phrase that occurs several times is located by the one evidence span that contains it.
    """
    around, within = knowledge.phrase, 0
    if "\n".join(dialogue).count(around) != 1:
        spans = [span for span in knowledge.evidence if knowledge.phrase in span]
        if len(spans) != 1 or spans[0].count(knowledge.phrase) != 1 or "\n".join(dialogue).count(spans[0]) != 1:
            return None
        around, within = spans[0], spans[0].index(knowledge.phrase)
    return next(((n, turn.index(around) + within) for n, turn in enumerate(dialogue) if around in turn), None)


def _ontology_problems(knowledge: Knowledge) -> Iterator[BrokenRule]:
    """Yield a problem for the first unknown name of dimension, domain and slot. Names below an unknown one are not checked."""
    branches: Any = {b["dimension"]["zh"]: b["domains"] for b in ontology()}
    parent = ""
    for name in ("dimension", "domain", "slot"):
        value = getattr(knowledge, name)
        if not value:
            yield BrokenRule(name, "empty")
            return
        if value not in branches:
            yield BrokenRule(name, name, {"value": value, "parent": parent, "known": ", ".join(branches)})
            return
        below, parent = branches[value], value
        branches = {d["name"]["zh"]: d["slots"] for d in below} if name == "dimension" else {s["zh"]: () for s in below}


def _conflict_problems(knowledge: Knowledge) -> Iterator[BrokenRule]:
    rules = load_rules()
    phrase = re.findall(rules["unit"], knowledge.phrase)
    changes1, changes2 = (
        edit_distance(phrase, re.findall(rules["unit"], text)) for text in (knowledge.conflict1, knowledge.conflict2)
    )
    most = max(rules["minimal"], int(rules["share"] * len(phrase)))
    if knowledge.conflict1 and knowledge.conflict1 == knowledge.phrase:
        yield BrokenRule("conflict1", "unchanged")
    elif knowledge.conflict1 and changes1 > most:
        yield BrokenRule("conflict1", "minimal", {"value": knowledge.phrase, "count": changes1, "most": most})
    if not knowledge.conflict2:
        return
    if knowledge.conflict2 == knowledge.phrase:
        yield BrokenRule("conflict2", "unchanged2")
    elif knowledge.conflict2 == knowledge.conflict1:
        yield BrokenRule("conflict2", "alike")
    elif knowledge.conflict1 and changes2 < changes1:
        yield BrokenRule("conflict2", "maximal", {"count": changes2, "most": changes1})


def edit_distance(a: Sequence[str], b: Sequence[str]) -> int:
    """Levenshtein distance: the fewest insertions, deletions and substitutions (Levenshtein 1966).

    >>> edit_distance("用热水泡着", "用冷风吹着")
    3
    """
    before = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        now = [i]
        for j, y in enumerate(b, 1):
            now.append(min(before[j] + 1, now[-1] + 1, before[j - 1] + (x != y)))
        before = now
    return before[-1]
