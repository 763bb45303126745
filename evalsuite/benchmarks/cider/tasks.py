"""CIDER's tasks, a row each (paper, section 5 and appendix B)."""

from __future__ import annotations

from evalsuite.benchmarks.cider.metric import class_part
from evalsuite.benchmarks.kinds import CHOICE, SPAN
from evalsuite.types import Task

FOLDS = ("fold1", "fold2", "fold3", "fold4", "fold5")
SPLITS = ("train", "test")

_NLI = ("macro_f1", "weighted_f1", "precision", "recall", "accuracy")
_SPANS, _CHOICES, _RELATIONS = (
    "code/span_extraction/data",
    "code/mcq/dataset",
    "code/relation_prediction/datasets/csk_rp",
)

# `files.test_path` puts the number of the fold into `file`.
TASKS_CIDER: dict[str, Task] = {
    task.local: task
    for task in (
        Task(
            "cider_dnli",
            "DNLI",
            "对话自然语言推理",
            "Dialogue-level NLI",
            CHOICE,
            "cider_main.json",
            "data",
            _NLI,
            64,
            "cider",
            own_part=class_part,
        ),
        Task(
            "cider_span_extraction",
            "Span",
            "片段抽取",
            "Span extraction",
            SPAN,
            "fold{}_test.json",
            _SPANS,
            ("f1", "em", "no_match"),
            64,
            "cider",
        ),
        Task(
            "cider_span_selection",
            "MCS",
            "片段选择",
            "Span selection",
            CHOICE,
            "test_iter35_fold{}.csv",
            _CHOICES,
            ("accuracy",),
            64,
            "cider",
        ),
        Task(
            "cider_span_selection_question",
            "MCS-Q",
            "片段选择（仅问题）",
            "Span selection, question only",
            CHOICE,
            "test_iter35_fold{}.csv",
            _CHOICES,
            ("accuracy",),
            64,
            "cider",
        ),
        Task(
            "cider_relation_prediction",
            "RP",
            "关系预测",
            "Relation prediction",
            CHOICE,
            "fold{}_test_lemma.csv",
            _RELATIONS,
            ("accuracy", "macro_precision", "macro_recall", "macro_f1"),
            64,
            "cider",
            own_part=class_part,
        ),
        Task(
            "cider_relation_prediction_pair",
            "RP-P",
            "关系预测（仅片段对）",
            "Relation prediction, pair only",
            CHOICE,
            "fold{}_test_lemma.csv",
            _RELATIONS,
            ("accuracy", "macro_precision", "macro_recall", "macro_f1"),
            64,
            "cider",
            own_part=class_part,
        ),
    )
}
