"""Annotations -> the files of the eight tasks in the official layout, as CORECODE was made (paper, sections 3 and 4).

The bundled sample is built from sample/annotations.jsonl; a test rebuilds it and compares every byte. An annotations file
has one dialogue per line (schema/annotation.schema.json), with the Chinese names of ontology.yaml.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalsuite.authoring.annotations import CharacterPosition, phrase_position, read_dialogues
from evalsuite.benchmarks.corecode import BENCHMARK as CORECODE
from evalsuite.benchmarks.corecode.loader import path_of
from evalsuite.benchmarks.corecode.ontology import Slot, find_slot, slots
from evalsuite.benchmarks.registry import TASKS
from evalsuite.common.dialogue import sources
from evalsuite.common.files import replace_file
from evalsuite.results.schema.annotation import AnnotatedDialogue

SHARES = (0.36, 0.14)  # the shares of dialogues for train and dev; the rest is the test split

# The wording of the official files (tests/fixtures has examples of each).
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
    """One annotation: the `slot` of `instance` is `value`. `phrase` expresses it in the dialogue, at `position`."""

    dialogue_id: str
    set: str
    dialogue: tuple[str, ...]
    slot: Slot
    instance: str
    value: str
    phrase: str
    position: CharacterPosition
    conflicts: tuple[str, str]  # by minimal and by maximal change
    alternatives: tuple[str, ...] = ()  # other values that answer the slot's question as well

    def utterance(self, other: str) -> str:
        """The phrase's turn, with the phrase replaced by `other`."""
        turn, at = self.position
        text = self.dialogue[turn]
        return text[:at] + other + text[at + len(self.phrase) :]

    def replaced(self, other: str) -> list[str]:
        """The dialogue, with the phrase replaced by `other`."""
        turn = self.position[0]
        return [*self.dialogue[:turn], self.utterance(other), *self.dialogue[turn + 1 :]]

    def clipped(self) -> list[str]:
        """The dialogue up to the phrase; it may end within an utterance, as the official clipped dialogues do."""
        turn, at = self.position
        return [*self.dialogue[:turn], self.dialogue[turn][:at]]


# (annotations of a split, its purpose) -> the wrong options of each annotation's knowledge filling
Distractors = Callable[[Sequence[Annotation], str], Sequence[Sequence[str]]]


def annotated_distractors(annotations: Sequence[Annotation], purpose: str) -> list[tuple[str, str]]:
    """The conflict phrases that annotators wrote, as wrong options."""
    return [a.conflicts for a in annotations]


def read_annotations(path: Path) -> list[Annotation]:
    """All annotations of a file. Raises DataError with line and field for a broken rule (annotations.py)."""
    return flatten(read_dialogues(path))


def flatten(dialogues: Iterable[AnnotatedDialogue]) -> list[Annotation]:
    """The annotations of checked dialogues in one list, without those that an inspector returned."""
    flat = []
    for dialogue in dialogues:
        turns = tuple(dialogue.dialogue)
        for knowledge in dialogue.standing:
            slot = find_slot(knowledge.dimension, knowledge.domain, knowledge.slot)
            position = phrase_position(knowledge, turns)
            assert slot is not None and position is not None  # checked when the file was read
            flat.append(
                Annotation(
                    dialogue.id,
                    dialogue.set,
                    turns,
                    slot,
                    knowledge.instance,
                    knowledge.value,
                    knowledge.phrase,
                    position,
                    (knowledge.conflict1, knowledge.conflict2),
                    tuple(knowledge.alternatives),
                )
            )
    return flat


def write_task_files(
    annotations: Iterable[Annotation],
    out: Path,
    seed: int = 0,
    shares: tuple[float, float] = SHARES,
    distractors: Distractors = annotated_distractors,
) -> dict[str, int]:
    """Write out/data/{easy,hard}/…; returns "set/split/task" -> items.

    `shares` of the dialogues go to train and dev, the rest to test.
    """
    counts = {}
    all_of = list(annotations)
    split_of = assign_splits(all_of, seed, shares)
    for item_set in (s for s in CORECODE.sets if any(a.set == s for a in all_of)):
        for split in CORECODE.splits:
            of_split = [a for a in all_of if a.set == item_set and split_of[item_set, a.dialogue_id] == split]
            for name, rows in task_rows(of_split, f"{seed}:{item_set}:{split}", distractors).items():
                path = path_of(out / "data", TASKS[name], item_set, split)
                path.parent.mkdir(parents=True, exist_ok=True)
                lines = [json.dumps({"id": n, **row}, ensure_ascii=False) for n, row in enumerate(rows)]
                replace_file(path, "".join(line + "\n" for line in lines))
                counts[f"{item_set}/{split}/{name}"] = len(lines)
    return counts


def assign_splits(
    annotations: Iterable[Annotation], seed: int, shares: tuple[float, float]
) -> dict[tuple[str, str], str]:
    """(set, dialogue) -> split. Dialogues of one source, which are equal or nearly so (`sources`), go to the same split, in EASY
    and HARD alike, so that no file has a test dialogue among its training items."""
    dialogues = {(a.set, a.dialogue_id): a.dialogue for a in annotations}
    source = dict(zip(dialogues, sources(list(dialogues.values())), strict=True))
    splits: dict[tuple[str, str], str] = {}
    split_of: dict[int, str] = {}  # number of a source -> its split
    for item_set in CORECODE.sets:
        of_set = sorted(d for d in dialogues if d[0] == item_set)
        random.Random(f"{seed}:split:{item_set}").shuffle(of_set)
        train, dev = (round(len(of_set) * share) for share in shares)
        room = {"train": train, "dev": dev, "test": len(of_set) - train - dev}
        size = Counter(source[d] for d in of_set)
        for known, split in split_of.items():  # sources already assigned by the other set
            room[split] -= size[known]
        for new in dict.fromkeys(source[d] for d in of_set if source[d] not in split_of):
            split_of[new] = next((split for split in room if room[split] > 0), "test")
            room[split_of[new]] -= size[new]
        splits |= {d: split_of[source[d]] for d in of_set}
    return splits


def task_rows(
    annotations: list[Annotation], purpose: str, distractors: Distractors = annotated_distractors
) -> dict[str, list[dict[str, Any]]]:
    """Task name -> rows as in the official files, without ids. `purpose` seeds the position of the right option."""
    indices = _balanced(3, len(annotations), f"{purpose}:places")
    kinds = _balanced(2, len(annotations), f"{purpose}:conflicts")
    wrong = distractors(annotations, purpose)
    causes = [a for a in annotations if a.slot.en == "Event Cause"]
    consequences = [a for a in annotations if a.slot.en == "Subsequent Event"]
    return {
        "knowledge_filling": [
            _filling(a, index, options) for a, index, options in zip(annotations, indices, wrong, strict=True)
        ],
        "knowledge_generation": [
            _row(a.dialogue, _GENERATION + a.slot.question.format(a.instance), a.value, a.alternatives)
            for a in annotations
        ],
        "conflict_detection": [
            _row(a.replaced(a.conflicts[kind]), _CONFLICT, a.conflicts[kind])
            for a, kind in zip(annotations, kinds, strict=True)
        ],
        # Social interaction has one domain only, so there is nothing to identify (section 4).
        "domain_identification": [
            _choice(a.dialogue, _DOMAIN.format(a.instance, a.value), _domains(a.slot.dimension), a.slot.domain_zh)
            for a in annotations
            if a.slot.dimension != "Social interaction"
        ],
        "slot_identification": [
            _choice(a.dialogue, _SLOT.format(a.instance, a.value), _slots(a.slot.dimension), a.slot.zh)
            for a in annotations
        ],
        "event_cause": [_row(a.dialogue, _CAUSE.format(a.instance), a.value, a.alternatives) for a in causes],
        "subsequent_event": [
            _row(a.dialogue, _SUBSEQUENT.format(a.instance), a.value, a.alternatives) for a in consequences
        ],
        "clipped_subsequent_event": [
            _row(a.clipped(), _CLIPPED.format(a.instance), a.value, a.alternatives) for a in consequences
        ],
    }


def _balanced(kinds: int, count: int, purpose: str) -> list[int]:
    """`count` numbers from 0 to kinds-1 in random order. Their frequencies differ by one at most."""
    order = [n % kinds for n in range(count)]
    random.Random(purpose).shuffle(order)
    return order


def _row(dialogue: Iterable[str], question: str, answer: str, alternatives: Sequence[str] = ()) -> dict[str, Any]:
    row = {"dialogue": list(dialogue), "question": question, "answer": answer}
    return {**row, "alternatives": list(alternatives)} if alternatives else row


def _choice(dialogue: Iterable[str], question: str, options: Iterable[str], gold: str) -> dict[str, Any]:
    labelled = {f"({chr(ord('a') + n)})": option for n, option in enumerate(options)}
    label = next(label for label, option in labelled.items() if option == gold)
    return {"dialogue": list(dialogue), "question": question, **labelled, "answer": [label, gold]}


def _filling(a: Annotation, index: int, wrong: Sequence[str]) -> dict[str, Any]:
    """A row of the knowledge-filling task, with the right option at `index`."""
    options = list(wrong)
    options.insert(index, a.phrase)
    return _choice(a.replaced("[MASK]"), _FILLING, options, a.phrase)


def _domains(dimension: str) -> list[str]:
    return list(dict.fromkeys(s.domain_zh for s in slots() if s.dimension == dimension))


def _slots(dimension: str) -> Iterator[str]:
    return (s.zh for s in slots() if s.dimension == dimension)
