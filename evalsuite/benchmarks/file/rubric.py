"""The rubric for short texts of benchmark files: right or wrong by the right answers."""

from __future__ import annotations

from evalsuite.types import Rubric, Scale

_CRITERIA = (
    ("错误：与标准答案的意思都不一致，或没有回答。", "Wrong: means what no right answer means, or no answer."),
    ("正确：与其中一个标准答案意思一致。", "Right: means what one of the right answers means."),
)
RUBRIC = Rubric(
    "reference",
    "按标准答案评判对错",
    "Right or wrong by the right answers",
    (Scale("correct", "正确", "Correct", 0, 1, _CRITERIA),),
)
