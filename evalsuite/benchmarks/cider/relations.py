"""CIDER's relations: their names in the annotations and in the tasks, their categories and questions.

`cider_main.json` has 56 raw names. The four tasks use 31 relations (paper, section 3.3: 25 and six negated ones) with the
names of the official `relations.txt`. To get these, some raw names were merged or reversed; the paper does not say which. The
table below reproduces every count of its Table 9 and the ten counts of positives in its Table 3.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation: `name` as in tasks; `question` asks for the tail, with X for the head (paper, Table 10; none for negated
    ones)."""

    name: str
    category: str
    raw: tuple[str, ...]  # names in cider_main.json, where one is misspelt
    question: str | None = None
    symmetric: bool = False


# In the order of Table 9, whose names differ from those of the official files: its Before is "happens before".
RELATIONS: dict[str, Relation] = {
    relation.name: relation
    for relation in (
        Relation("capable of", "Attribution", ("CapableOf",), "What is X capable of?"),
        Relation("depends on", "Attribution", ("DependsOn",), "What does X depend on?"),
        Relation("has a", "Attribution", ("HasA",), "What does X have?"),
        Relation("has property", "Attribution", ("HasProperty",), "What property does X have?"),
        Relation("has subevent", "Attribution", ("HasSubevent",), "What subevent does X have?"),
        Relation("is a", "Attribution", ("IsA", "DefinedAs"), "What is X?"),
        Relation("manner of", "Attribution", ("MannerOf",), "What is X a manner of?"),
        Relation("doesn't have property", "Attribution", ("NotHasProperty",)),
        Relation("is not a", "Attribution", ("NotIsA",)),
        Relation("causes", "Causal", ("Causes", "ResultIn"), "What does X cause?"),
        Relation("causes desire", "Causal", ("CausesDesire",), "What desire is caused by X?"),
        Relation("implies", "Causal", ("Implies",), "What is implied by X?"),
        Relation("discourages", "Causal", ("NotCauses", "NotResultIn")),
        Relation("suppresses desire", "Causal", ("NotCausesDesire",)),
        Relation("doesn't imply", "Causal", ("NotImplies",)),
        Relation("antonym", "Comparison", ("Antonym",), "What is an antonym of X?", symmetric=True),
        Relation("distinct from", "Comparison", ("DistinctFrom",), "What is X distinct from?", symmetric=True),
        Relation("similar to", "Comparison", ("SimilarTo",), "What is X similar to?", symmetric=True),
        Relation("synonym", "Comparison", ("Synonym",), "What is a synonym of X?", symmetric=True),
        Relation("has prerequisite", "Conditional", ("HasPrerequisite",), "What prerequisite does X have?"),
        Relation("desires", "Intentional", ("Desires",), "What does X desire?"),
        Relation("motivated by goal", "Intentional", ("MotivatedByGoal",), "Which goal motivates the act/action X?"),
        Relation("obstructed by", "Intentional", ("ObstructedBy",), "What is X obstructed by?"),
        Relation("used for", "Intentional", ("UsedFor",), "What is X used for?"),
        Relation("discouraged by goal", "Intentional", ("NotMotivatedByGoal",)),
        Relation("social rule", "Social", ("SocialRule", "Should"), "What is X the social norm for?"),
        Relation("at location", "Spatial", ("AtLocation", "LocationOfAction"), "Where is X located?"),
        Relation("located near", "Spatial", ("LocatedNear",), "What is X located near?", symmetric=True),
        Relation("happens before", "Temporal", ("Before",), "What happens after X?"),
        Relation("happens in", "Temporal", ("HappensIn",), "When does X happen?"),
        Relation("happens simultaneously", "Temporal", ("Simutaneous",), "What does X cooccur with?", symmetric=True),
    )
}

CATEGORIES = tuple(dict.fromkeys(relation.category for relation in RELATIONS.values()))

_BY_RAW = {raw: relation.name for relation in RELATIONS.values() for raw in relation.raw}


def official_triplet(head: str, raw: str, tail: str) -> tuple[str, str, str] | None:
    """(head, relation, tail) of an annotated triplet in the tasks; None for the category Others, which no task uses
    (appendix D). As in the official files, "A is achieved by B" becomes "B causes A".

    >>> official_triplet("look good", "AchievedBy", "going to the gym")
    ('going to the gym', 'causes', 'look good')
    """
    if raw == "AchievedBy":
        return tail, "causes", head
    return (head, _BY_RAW[raw], tail) if raw in _BY_RAW else None


def question_for(head: str, relation: str) -> str | None:
    """The question for the tail, with the head in single quotes as in the official files; None for negated relations."""
    question = RELATIONS[relation].question
    return question.replace("X", f"'{head}'", 1) if question else None


# Longest pattern first: a head may contain quotes, so that several patterns match.
_QUESTIONS = [
    (re.compile(re.escape(relation.question).replace("X", "'(.*)'", 1), re.DOTALL), relation.name)
    for relation in sorted(RELATIONS.values(), key=lambda r: -len(r.question or ""))
    if relation.question
]


def parse_question(question: str) -> tuple[str, str] | None:
    """(head, relation) of a question that `question_for` makes; None for any other text.

    >>> parse_question("Where is 'the paintings' located?")
    ('the paintings', 'at location')
    """
    for pattern, relation in _QUESTIONS:
        if match := pattern.fullmatch(question.strip()):
            return match[1], relation
    return None
