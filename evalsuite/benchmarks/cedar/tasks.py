"""CEDAR's tasks, a row each.

In a probe the model generates nothing; it gives the likelihoods of two (context, target) pairs. The sets are the sources of the
dialogues: the paper's, then ours.
"""

from __future__ import annotations

from evalsuite.benchmarks.cedar.metric import METRICS, probe_part
from evalsuite.benchmarks.kinds import PROBE
from evalsuite.types import Task

SETS = ("DailyDialog", "EmpatheticDialogues", "MuTual", "SocialIQA", "sample", "corecode-easy", "corecode-hard")
SPLITS = ("train", "dev", "test")  # section 5.3 of the paper tunes some models on half of the explanations

_HEADLINES = ("accuracy_logical", "delta_nll_logical", "accuracy_complete", "delta_nll_complete")


def _row(name: str, short: str, zh: str, en: str) -> Task:
    return Task(
        f"cedar_{name}", short, zh, en, PROBE, "", "", _HEADLINES, 1, "cedar", own_part=probe_part, own_metrics=METRICS
    )


TASKS_CEDAR = (
    _row("inference_probing", "IP", "推断探测", "Inference probing"),
    _row("attribution_probing", "AP", "归因探测", "Attribution probing"),
)
