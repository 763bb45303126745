"""GLUCOSE's tasks, one row each. The sets are its dimensions, d1 to d10."""

from __future__ import annotations

from evalsuite.benchmarks.glucose.slots import pattern
from evalsuite.types import Task

_METRICS = ("sacrebleu", "sacrebleu_notebook")
TASKS_GLUCOSE = (
    Task(
        "glucose_specific_statement",
        "GS",
        "具体陈述",
        "Specific statement",
        "text",
        "",
        "",
        _METRICS,
        96,
        "glucose",
        pattern,
    ),
    Task("glucose_general_rule", "GR", "一般规则", "General rule", "text", "", "", _METRICS, 128, "glucose", pattern),
)
