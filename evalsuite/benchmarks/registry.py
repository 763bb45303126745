"""All benchmarks and their tasks. A new task is a row in benchmarks/<benchmark>/tasks.py, a template folder, and a fixture."""

from __future__ import annotations

from collections.abc import Iterable

from evalsuite.benchmarks.cedar.tasks import CEDAR, TASKS_CEDAR
from evalsuite.benchmarks.cicero.tasks import CICERO, TASKS_CICERO
from evalsuite.benchmarks.cider.tasks import CIDER, TASKS_CIDER
from evalsuite.benchmarks.corecode.tasks import CORECODE, TASKS_CORECODE
from evalsuite.benchmarks.glucose.tasks import GLUCOSE, TASKS_GLUCOSE
from evalsuite.common.errors import ConfigError, unknown
from evalsuite.metrics.rows import METRICS, TEXT_METRICS
from evalsuite.types import Benchmark, Metric, Task

BENCHMARKS: dict[str, Benchmark] = {b.name: b for b in (CORECODE, CICERO, CIDER, GLUCOSE, CEDAR)}
TASKS: dict[str, Task] = {
    task.name: task
    for task in (*TASKS_CORECODE.values(), *TASKS_CICERO.values(), *TASKS_CIDER.values(), *TASKS_GLUCOSE, *TASKS_CEDAR)
}

SPLITS = ("train", "dev", "test")
_SETS = [name for b in BENCHMARKS.values() for name in b.sets]


def task(name: str) -> Task:
    if name not in TASKS:
        raise ConfigError(unknown("task", name, TASKS))
    return TASKS[name]


def tasks_named(names: Iterable[str]) -> list[Task]:
    """The tasks of those names; a benchmark's name stands for all of its tasks.

    >>> [t.name for t in tasks_named(["glucose", "event_cause"])]
    ['glucose_specific_statement', 'glucose_general_rule', 'event_cause']
    """
    found: dict[str, Task] = {}
    for name in names:
        if name in BENCHMARKS:
            found |= {t.name: t for t in TASKS.values() if t.benchmark == name}
        elif name in TASKS:
            found[name] = TASKS[name]
        else:
            raise ConfigError(unknown("task or benchmark", name, [*BENCHMARKS, *TASKS]))
    return list(found.values())


def benchmark_of(task: str) -> Benchmark:
    """Of a task's name."""
    return BENCHMARKS[TASKS[task].benchmark]


def metric(name: str) -> Metric:
    """The row of a name in results.json: "paper.bleu2" is BLEU-2 under the paper's profile. An unknown name is shown as it is.

    >>> metric("paper.cider").top, metric("sacrebleu").heading, metric("accuracy").heading
    (10.0, 'BLEU', 'acc %')
    """
    own = name.removeprefix("rotation.").removeprefix("paper.")
    return _METRICS.get(own) or Metric(own, own)


def set_order(item_set: str) -> tuple[int, str]:
    """By what sets are sorted: as the papers have them, those that no paper has at the end by name."""
    return (_SETS.index(item_set) if item_set in _SETS else len(_SETS), item_set)


def task_order(name: str) -> int:
    """By what tasks are sorted: as TASKS has them."""
    return _ORDER[name]


_ORDER = {name: n for n, name in enumerate(TASKS)}
# By name in results.json.
_METRICS: dict[str, Metric] = {
    **METRICS,
    **{row.stated_as or row.name: row for row in TEXT_METRICS.values()},
    **{row.name: row for t in TASKS.values() for row in t.own_metrics},
}
