"""GLUCOSE's tasks, as rows for evalsuite/tasks.py. The set is the dimension, d1 to d10 (`glucose.SETS`)."""

from __future__ import annotations

from evalsuite.tasks import Task

TASKS_GLUCOSE = (
    Task("specific_statement", "GS", "具体陈述", "Specific statement", "text", "test_set_answer_key", "test",
         ("sacrebleu", "sacrebleu_notebook"), 96, "glucose"),
    Task("general_rule", "GR", "一般规则", "General rule", "text", "test_set_answer_key", "test",
         ("sacrebleu", "sacrebleu_notebook"), 128, "glucose"),
)  # fmt: skip
