"""Annotations -> the eight tasks' files in the official layout, the way CORECODE was made (paper, sections 3 and 4).

The bundled sample is built by this from sample/annotations.jsonl; a test builds it again and compares every byte.

An annotations file has a dialogue a line (schema/annotation.schema.json), names in Chinese as in ontology.yaml.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalsuite.build.annotations import read as read_dialogues
from evalsuite.data.corecode import path_of
from evalsuite.data.corecode_tasks import CORECODE
from evalsuite.ontology import Slot, find, slots
from evalsuite.tasks import TASKS

# The official wording, as in the official files (shared examples of each stand in tests/fixtures).
_FILLING = "请根据对话内容，从a、b、c选项中选择对话中的[MASK]处应填入的选项。"
_CONFLICT = "请从对话中抽取出在常识上与对话上下文不符的文本。注意不要重述问题或解释原因，直接写出答案即可。"
_GENERATION = "请根据对话内容，直接回答下面问题的答案，不要重述问题或解释原因："
_DOMAIN = "请根据对话内容，从a、b、c等候选领域中选择下面两个短语之间的关系所属的领域。\n短语1: {}  短语2: {}"
_SLOT = "请根据对话内容，从a、b、c等选项中选择下面两个短语之间的关系。\n短语1：{}  短语2：{}"
_BRIEF = "请不要重述问题或解释原因，而是尽可能简短地回答下面的问题："
_CAUSE = _BRIEF + "根据对话内容可以看出，导致事件“{}”的原因是什么？"
_SUBSEQUENT = _BRIEF + "根据对话内容可以看出，事件“{}”导致的后续事件是什么？"
_CLIPPED = _BRIEF + "根据对话上文可以推测出，事件“{}”导致的后续事件是什么？"


@dataclass(frozen=True, slots=True)
class Annotation:
    """One piece of knowledge: `slot` of `instance` is `value`, resting on `phrase`, which stands once in the dialogue."""

    dialogue_id: str
    set: str
    dialogue: tuple[str, ...]
    slot: Slot
    instance: str
    value: str
    phrase: str
    conflicts: tuple[str, str]  # by minimal and by maximal change

    def replaced(self, other: str) -> list[str]:
        """The dialogue with something else in the phrase's place."""
        return [turn.replace(self.phrase, other) for turn in self.dialogue]

    def clipped(self) -> list[str]:
        """The dialogue up to the phrase, which may stop in mid-utterance, as the official clipped ones do."""
        turn = next(n for n, text in enumerate(self.dialogue) if self.phrase in text)
        return [*self.dialogue[:turn], self.dialogue[turn].partition(self.phrase)[0]]


# (annotations of a split, its purpose) -> the wrong options of each annotation's knowledge filling
Distractors = Callable[[Sequence[Annotation], str], Sequence[Sequence[str]]]


def annotated(annotations: Sequence[Annotation], purpose: str) -> list[tuple[str, str]]:
    """The conflict phrases that annotators wrote."""
    return [a.conflicts for a in annotations]


def read(path: Path) -> list[Annotation]:
    """All annotations of a file. Raises DataError with line and field for what breaks a rule (annotations.py)."""
    found = []
    for d in read_dialogues(path):
        for k in d.annotations:
            slot = find(k.dimension, k.domain, k.slot)
            assert slot is not None  # or it would not have been read
            conflicts = (k.conflict1, k.conflict2)
            found.append(Annotation(d.id, d.set, tuple(d.dialogue), slot, k.instance, k.value, k.phrase, conflicts))
    return found


def build(
    annotations: Iterable[Annotation],
    out: Path,
    seed: int = 0,
    shares: tuple[float, float] = (0.36, 0.14),
    distractors: Distractors = annotated,
) -> dict[str, int]:
    """Write out/data/{easy,hard}/…; `shares` of the dialogues go to train and dev, the rest to test. Counts per file."""
    counts = {}
    all_of = list(annotations)
    for item_set in CORECODE.sets:
        mine = [a for a in all_of if a.set == item_set]
        split_of = _splits(sorted({a.dialogue_id for a in mine}), f"{seed}:split:{item_set}", shares)
        for split in CORECODE.splits:
            part = [a for a in mine if split_of[a.dialogue_id] == split]
            for name, rows in tasks(part, f"{seed}:{item_set}:{split}", distractors).items():
                path = path_of(out / "data", TASKS[name], item_set, split)
                path.parent.mkdir(parents=True, exist_ok=True)
                lines = [json.dumps({"id": n, **row}, ensure_ascii=False) for n, row in enumerate(rows)]
                path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
                counts[f"{item_set}/{split}/{name}"] = len(lines)
    return counts


def _splits(dialogues: list[str], purpose: str, shares: tuple[float, float]) -> dict[str, str]:
    """Whole dialogues go to a split, so that no two splits share one."""
    random.Random(purpose).shuffle(dialogues)
    train = round(len(dialogues) * shares[0])
    dev = train + round(len(dialogues) * shares[1])
    return {d: "train" if n < train else "dev" if n < dev else "test" for n, d in enumerate(dialogues)}


def tasks(
    annotations: list[Annotation], purpose: str, distractors: Distractors = annotated
) -> dict[str, list[dict[str, Any]]]:
    """Task name -> rows as in the official files, but for their number. `purpose` seeds option order."""
    places = _balanced(3, len(annotations), f"{purpose}:places")
    kinds = _balanced(2, len(annotations), f"{purpose}:conflicts")
    wrong = distractors(annotations, purpose)
    events = [a for a in annotations if a.slot.dimension == "Event"]
    return {
        "knowledge_filling": [
            _filling(a, place, options) for a, place, options in zip(annotations, places, wrong, strict=True)
        ],
        "knowledge_generation": [
            _row(a.dialogue, _GENERATION + a.slot.question.format(a.instance), a.value) for a in annotations
        ],
        "conflict_detection": [
            _row(a.replaced(a.conflicts[kind]), _CONFLICT, a.conflicts[kind])
            for a, kind in zip(annotations, kinds, strict=True)
        ],
        # Social interaction has one domain only, so there is nothing to identify (section 4).
        "domain_identification": [
            _choice(a.dialogue, _DOMAIN.format(a.instance, a.value), _domains(a.slot.dimension), a.slot.domain_zh)
            for a in annotations if a.slot.dimension != "Social interaction"
        ],
        "slot_identification": [
            _choice(a.dialogue, _SLOT.format(a.instance, a.value), _slots(a.slot.dimension), a.slot.zh) for a in annotations
        ],
        "event_cause": [_row(a.dialogue, _CAUSE.format(a.instance), a.value) for a in events if a.slot.en == "Event Cause"],
        "subsequent_event": [
            _row(a.dialogue, _SUBSEQUENT.format(a.instance), a.value) for a in events if a.slot.en == "Subsequent Event"
        ],
        "clipped_subsequent_event": [
            _row(a.clipped(), _CLIPPED.format(a.instance), a.value) for a in events if a.slot.en == "Subsequent Event"
        ],
    }  # fmt: skip


def _balanced(kinds: int, count: int, purpose: str) -> list[int]:
    """0 … kinds-1 in random order, each as often as the others."""
    order = [n % kinds for n in range(count)]
    random.Random(purpose).shuffle(order)
    return order


def _row(dialogue: Iterable[str], question: str, answer: str) -> dict[str, Any]:
    return {"dialogue": list(dialogue), "question": question, "answer": answer}


def _choice(dialogue: Iterable[str], question: str, options: Iterable[str], gold: str) -> dict[str, Any]:
    labelled = {f"({chr(ord('a') + n)})": option for n, option in enumerate(options)}
    label = next(label for label, option in labelled.items() if option == gold)
    return {"dialogue": list(dialogue), "question": question, **labelled, "answer": [label, gold]}


def _filling(a: Annotation, place: int, wrong: Sequence[str]) -> dict[str, Any]:
    """The phrase at `place` among the wrong options."""
    options = list(wrong)
    options.insert(place, a.phrase)
    return _choice(a.replaced("[MASK]"), _FILLING, options, a.phrase)


def _domains(dimension: str) -> list[str]:
    return list(dict.fromkeys(s.domain_zh for s in slots() if s.dimension == dimension))


def _slots(dimension: str) -> Iterator[str]:
    return (s.zh for s in slots() if s.dimension == dimension)
