"""GLUCOSE's tasks, a row each. The sets are the dimensions, d1 to d10."""

from __future__ import annotations

from collections.abc import Mapping

from evalsuite.benchmarks.glucose.bleu import METRICS, bleu_part
from evalsuite.benchmarks.glucose.forms import FORMS
from evalsuite.benchmarks.glucose.slots import pattern
from evalsuite.benchmarks.kinds import TEXT
from evalsuite.types import Form, Task


def _row(name: str, short: str, zh: str, en: str, tokens: int, forms: Mapping[str, Form]) -> Task:
    return Task(
        f"glucose_{name}",
        short,
        zh,
        en,
        TEXT,
        "",
        "",
        tuple(metric.name for metric in METRICS),
        tokens,
        "glucose",
        pattern,
        forms=forms,
        own_part=bleu_part,
        own_metrics=METRICS,
    )


TASKS_GLUCOSE = (
    _row("specific_statement", "GS", "具体陈述", "Specific statement", 96, FORMS),
    _row("general_rule", "GR", "一般规则", "General rule", 128, {}),
)
