"""CIDER's class metrics: precision, recall and F1 with the option texts as classes."""

from __future__ import annotations

from evalsuite.benchmarks.cider.dnli import CLASSES
from evalsuite.benchmarks.kinds import choice_method
from evalsuite.types import Answered, Part


def class_part(answered: Answered) -> Part:
    """The task's metrics other than accuracy. Precision and recall, which only dialogue-level NLI has, are of "entailment"."""
    from evalsuite.metrics.classes import Classes

    metrics = answered.task.metrics
    chosen = [None if answer.choice is None else item.options[answer.choice] for item, answer in answered.pairs]
    # By name: a perturbation may have put the options into another order.
    positive = CLASSES[0] if "precision" in metrics else None
    classes = Classes.of_texts(chosen, [item.references[0] for item in answered.items], positive)
    names = {name: name for name in metrics if name != "accuracy"}
    # Without this field they were of the first item's first option, also where a perturbation had moved it.
    of_class = dict.fromkeys(("precision", "recall"), f"|positive:{positive}")
    signatures = {name: f"{name}|def:sklearn{of_class.get(name, '')}|{choice_method(answered)}" for name in names}
    return Part("classes", classes, names, signatures, of_items={})  # a single item has no class metrics
