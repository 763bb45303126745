"""Test whether a short answer contains a reference, by CHARM's official rule (OpenCompass, `charm_memory_eval`)."""

from __future__ import annotations

from collections.abc import Sequence

DEFINITION = "charm.1"  # the definition's name in signatures

UNSURE = ("不确定", "无法确定", "无法回答", "不知道", "不认识")
_NOT = "[not]"


def contains(answer: str, references: Sequence[str]) -> float:
    """1 if the answer contains a reference word for word, else 0. The reference "[not]x" requires an answer without x. An answer
    that says that it is unsure gets 0.

    >>> contains("主演是黄渤。", ["黄渤", "徐峥"]), contains("是黄渤", ["[not]黄渤"]), contains("不知道，也许是黄渤", ["黄渤"])
    (1.0, 0.0, 0.0)
    """
    if any(word in answer for word in UNSURE):
        return 0.0
    if len(references) == 1 and references[0].startswith(_NOT):
        named = answer.replace(references[0], "")  # so that the reply "[not]x" of the baseline oracle is right
        return float(bool(answer) and references[0].removeprefix(_NOT) not in named)
    return float(any(reference in answer for reference in references))
