"""GLUCOSE's tasks, one row each. The sets are its dimensions, d1 to d10."""

from __future__ import annotations

from evalsuite.benchmarks.glucose.bleu import METRICS, bleu_part
from evalsuite.benchmarks.glucose.dimensions import SETS
from evalsuite.benchmarks.glucose.slots import pattern
from evalsuite.benchmarks.kinds import TEXT
from evalsuite.benchmarks.languages import EN
from evalsuite.types import Benchmark, Task

GLUCOSE = Benchmark("glucose", "GLUCOSE", EN, SETS, ("train", "test"), "维度", "dimension", "glucose_en", averaged=True)

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
        bleu_part,
        METRICS,
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
        bleu_part,
        METRICS,
    ),
)
