"""CEDAR's tasks, one row each.

Of a probe nothing is written and nothing is read: a model gives the negative log-likelihood of two (context, target)
pairs. The sets are the sources of the dialogues: the paper's, and those that ours are made of.
"""

from __future__ import annotations

from evalsuite.types import Task

SETS = ("DailyDialog", "EmpatheticDialogues", "MuTual", "SocialIQA", "sample", "corecode-easy", "corecode-hard")
SPLITS = ("train", "dev", "test")  # the paper tunes some models on half of the explanations (section 5.3)

_METRICS = ("accuracy_logical", "delta_nll_logical", "accuracy_complete", "delta_nll_complete")
TASKS_CEDAR = (
    Task("cedar_inference_probing", "IP", "推断探测", "Inference probing", "probe", "", "", _METRICS, 1, "cedar"),
    Task("cedar_attribution_probing", "AP", "归因探测", "Attribution probing", "probe", "", "", _METRICS, 1, "cedar"),
)
