"""XCOPA's task (Ponti et al. 2020)."""

from __future__ import annotations

from evalsuite.benchmarks.kinds import CHOICE
from evalsuite.types import Task

SETS = ("zh",)
SPLITS = ("dev", "test")
TRAINING = "dev"  # the validation file; XCOPA has no training items of its own
TRANSLATED = "translate-test"  # the wording that asks the English machine translation

# The field `question` -> what is asked, in Chinese and English.
QUESTIONS = {
    "cause": ("这件事的原因是什么？", "What is the cause of this?"),
    "effect": ("这件事的结果是什么？", "What is the effect of this?"),
}

TASKS_XCOPA: dict[str, Task] = {
    task.local: task
    for task in (
        Task(
            "xcopa_cause_effect",
            "XCOPA",
            "因果选择",
            "Cause or effect",
            CHOICE,
            "{split}.zh.jsonl",
            "",
            ("accuracy",),
            64,
            "xcopa",
        ),
    )
}
