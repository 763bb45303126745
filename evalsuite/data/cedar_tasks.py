"""CEDAR's tasks, as rows for evalsuite/tasks.py.

Their kind is new: of a "probe" nothing is written and nothing is read. A model gives the NLL of two (context, target)
pairs, and the metrics are `metrics.probing`. The set is the dialogue's source ("DailyDialog", "sample", "corecode-easy").
"""

from __future__ import annotations

from evalsuite.tasks import Task

_METRICS = ("accuracy_logical", "delta_nll_logical", "accuracy_complete", "delta_nll_complete")

TASKS_CEDAR = (
    Task("inference_probing", "IP", "推断探测", "Inference probing", "probe", "cedar", "test", _METRICS, 0, "cedar"),
    Task("attribution_probing", "AP", "归因探测", "Attribution probing", "probe", "cedar", "test", _METRICS, 0, "cedar"),
)  # fmt: skip
