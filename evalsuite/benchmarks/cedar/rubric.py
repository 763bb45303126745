"""The paper's three criteria of a valid explanation (section 3.2), each met or not, by every rater."""

from __future__ import annotations

from evalsuite.types import Rubric, Scale

_CRITERIA = (
    (
        "relevant",
        "相关",
        "Relevant",
        ("不相关：解释的不是回应所说的事", "Irrelevant: explains something other than what the response is about"),
        ("相关：解释的正是回应所说的事", "Relevant: explains what could cause the response"),
    ),
    (
        "nontrivial",
        "不平凡",
        "Non-trivial",
        ("平凡：把对话里的一轮照抄成原因", "Trivial: copies a turn of the dialogue as the cause"),
        ("不平凡：没有照抄整轮（可以用原文的词）", "Non-trivial: copies no turn; words of the dialogue are fine"),
    ),
    (
        "plausible",
        "合理",
        "Plausible",
        (
            "不合理：不像是回应的起因，或中间要跳好几步",
            "Implausible: no likely cause of the response, or several leaps away from it",
        ),
        ("合理：很可能引起了回应", "Plausible: a likely cause of the response"),
    ),
)
RUBRIC = Rubric(
    "cedar",
    "CEDAR 的三条标准：0 不满足，1 满足；人人都认为三条全满足才算有效",
    "CEDAR's three criteria: 0 no, 1 yes; valid is what meets all three in everyone's opinion",
    tuple(Scale(name, zh, en, 0, 1, (no, yes)) for name, zh, en, no, yes in _CRITERIA),
    unanimous=True,
)
