"""GLUCOSE's tasks, a row each. The sets are the dimensions, d1 to d10."""

from __future__ import annotations

from evalsuite.benchmarks.glucose.bleu import METRICS, bleu_part
from evalsuite.benchmarks.glucose.forms import FORMS
from evalsuite.benchmarks.glucose.slots import pattern
from evalsuite.benchmarks.kinds import TEXT
from evalsuite.types import Task

_HEADLINES = tuple(metric.name for metric in METRICS)
TASKS_GLUCOSE = (
    Task(
        "glucose_specific_statement",
        "GS",
        "具体陈述",
        "Specific statement",
        TEXT,
        "",
        "",
        _HEADLINES,
        96,
        "glucose",
        pattern,
        forms=FORMS,
        own_part=bleu_part,
        own_metrics=METRICS,
    ),
    Task(
        "glucose_general_rule",
        "GR",
        "一般规则",
        "General rule",
        TEXT,
        "",
        "",
        _HEADLINES,
        128,
        "glucose",
        pattern,
        own_part=bleu_part,
        own_metrics=METRICS,
    ),
)
