"""Quality control of annotations as in the paper's section 3: agreement, qualification on gold items, inspection.

In the paper, two reviewers chose 43 of 200 candidates by the dialogues that the candidates annotated for a start, and inspectors
returned what was unsatisfactory "for revision until they are qualified". The paper states no threshold; here it is a setting.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evalsuite.authoring.agree import (
    AgreementReport,
    DialogueKey,
    accepted,
    annotator_agreement,
    by_annotator,
    match_annotations,
    slot_path,
)
from evalsuite.authoring.annotations import read_dialogues
from evalsuite.common.errors import ConfigError, DataError
from evalsuite.results.schema.annotation import REASONS, AnnotatedDialogue

Dialogues = Mapping[DialogueKey, AnnotatedDialogue]


@dataclass(frozen=True, slots=True)
class Inspected:
    """The verdicts on one annotator's annotations."""

    annotator: str
    annotations: int
    accepted: int
    returned: int  # annotations returned and not yet revised
    revised: int
    # Reason -> number of annotations that were last returned for it; some have been revised or accepted since.
    reasons: dict[str, int]

    @property
    def inspected(self) -> int:
        return self.accepted + self.returned + self.revised


@dataclass(frozen=True, slots=True)
class Qualified:
    """An annotator's score on gold dialogues.

    An item is an annotation of the gold file, right if the annotator has one of the same texts (`match_annotations`) with the
    same slot; or a gold dialogue without knowledge, right if the annotator found none.
    """

    annotator: str
    items: int  # items of the gold file; items of dialogues that the annotator left out count as wrong
    right: int
    more: int  # annotations of gold dialogues that match no gold annotation; `share` does not count them
    qualifies: bool

    @property
    def share(self) -> float:
        return self.right / self.items


@dataclass(frozen=True, slots=True)
class QualityReport:
    """The report of `evalsuite build agree`."""

    agreement: AgreementReport | None  # None for one annotator
    inspected: tuple[Inspected, ...]  # annotators with a verdict
    qualified: tuple[Qualified, ...]  # annotators with a gold dialogue
    qualify: float

    def to_json(self) -> dict[str, Any]:
        qualified = [{**asdict(q), "share": round(q.share, 6)} for q in self.qualified]
        verdicts_and_scores = {
            "inspected": [*map(asdict, self.inspected)],
            "qualify": self.qualify,
            "qualified": qualified,
        }
        return (asdict(self.agreement) if self.agreement else {}) | verdicts_and_scores


def annotation_quality(files: Sequence[Path], gold: Path | None = None, qualify: float = 0.9) -> QualityReport:
    """Measure the agreement of annotators, and count inspectors' verdicts. With `gold`, find the annotators who qualify: those
    whose share of right items is `qualify` or more.

    Raises ConfigError for one annotator without verdicts or gold, or a share outside 0 … 1; DataError for a gold file that
    breaks a rule, or an id with different turns.
    """
    if not 0 <= qualify <= 1:
        raise ConfigError(f"--qualify {qualify}: expected a share from 0 to 1")
    by_name, _ = by_annotator(files)
    inspected = tuple(
        verdicts for name, dialogues in by_name.items() if (verdicts := _verdicts(name, dialogues)).inspected
    )
    right: Dialogues = {(dialogue.set, dialogue.id): dialogue for dialogue in read_dialogues(gold)} if gold else {}
    qualified = tuple(
        _qualified(name, dialogues, right, qualify, gold)
        for name, dialogues in by_name.items()
        if gold and dialogues.keys() & right.keys()
    )
    alone = len(by_name) == 1 and bool(inspected or gold)
    return QualityReport(None if alone else annotator_agreement(files), inspected, qualified, qualify)


def _verdicts(name: str, dialogues: Dialogues) -> Inspected:
    annotations = [
        knowledge
        for dialogue in dialogues.values()
        for knowledge in dialogue.annotations
        if not knowledge.inspector or knowledge.annotator != knowledge.inspector
    ]
    verdicts = Counter(knowledge.verdict for knowledge in annotations)
    reasons: Counter[str] = Counter(knowledge.reason for knowledge in annotations)
    counted = {reason: reasons[reason] for reason in REASONS if reasons[reason]}
    return Inspected(name, len(annotations), verdicts["accepted"], verdicts["returned"], verdicts["revised"], counted)


def _qualified(name: str, dialogues: Dialogues, gold: Dialogues, qualify: float, file: Path) -> Qualified:
    items = right = more = 0
    for key, gold_dialogue in gold.items():
        items += max(1, len(gold_dialogue.standing))
        dialogue = dialogues.get(key)
        if dialogue is None:
            continue
        if dialogue.dialogue != gold_dialogue.dialogue:
            raise DataError(
                f"dialogue {gold_dialogue.id}: {name} has other turns; give different dialogues different ids", file
            )
        pairs = match_annotations(gold_dialogue.model_copy(update={"annotations": gold_dialogue.standing}), dialogue)
        found = accepted(dialogue)
        right += sum(slot_path(a) == slot_path(b) for a, b in pairs) if gold_dialogue.standing else not found
        more += len(found) - len(pairs)
    return Qualified(name, items, right, more, right / items >= qualify)
