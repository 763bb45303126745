"""CIDER's tasks, a row each (paper, section 5 and appendix B)."""

from __future__ import annotations

from evalsuite.benchmarks.cider.metric import class_part
from evalsuite.benchmarks.kinds import CHOICE, SPAN
from evalsuite.types import Kind, Task

FOLDS = ("fold1", "fold2", "fold3", "fold4", "fold5")
SPLITS = ("train", "test")

_CLASSES = ("accuracy", "macro_precision", "macro_recall", "macro_f1")


def _row(name: str, short: str, zh: str, en: str, kind: Kind, file: str, folder: str, metrics: tuple[str, ...]) -> Task:
    own_part = class_part if "macro_f1" in metrics else None
    return Task(f"cider_{name}", short, zh, en, kind, file, folder, metrics, 64, "cider", own_part=own_part)


def _selection(name: str, short: str, zh: str, en: str) -> Task:
    return _row(name, short, zh, en, CHOICE, "test_iter35_fold{}.csv", "code/mcq/dataset", ("accuracy",))


def _prediction(name: str, short: str, zh: str, en: str) -> Task:
    folder = "code/relation_prediction/datasets/csk_rp"
    return _row(name, short, zh, en, CHOICE, "fold{}_test_lemma.csv", folder, _CLASSES)


_NLI = _row(
    "dnli",
    "DNLI",
    "对话自然语言推理",
    "Dialogue-level NLI",
    CHOICE,
    "cider_main.json",
    "data",
    ("macro_f1", "weighted_f1", "precision", "recall", "accuracy"),
)
_SPANS = _row(
    "span_extraction",
    "Span",
    "片段抽取",
    "Span extraction",
    SPAN,
    "fold{}_test.json",
    "code/span_extraction/data",
    ("f1", "em", "no_match"),
)

# `files.test_path` puts the number of the fold into `file`.
TASKS_CIDER: dict[str, Task] = {
    task.local: task
    for task in (
        _NLI,
        _SPANS,
        _selection("span_selection", "MCS", "片段选择", "Span selection"),
        _selection("span_selection_question", "MCS-Q", "片段选择（仅问题）", "Span selection, question only"),
        _prediction("relation_prediction", "RP", "关系预测", "Relation prediction"),
        _prediction("relation_prediction_pair", "RP-P", "关系预测（仅片段对）", "Relation prediction, pair only"),
    )
}
