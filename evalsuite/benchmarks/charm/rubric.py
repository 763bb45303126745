"""The rubric for replies to CHARM's memorization questions: right or wrong, as the release's judge decides
(its `task_specific_prompts`).
"""

from __future__ import annotations

from evalsuite.types import Rubric, Scale

_CRITERIA = (
    ("错误：与参考答案不符，或没有回答。", "Wrong: not what the reference says, or no answer."),
    (
        "正确：与参考答案相符；参考答案为列表时，符合其中一项即可；问节气时，日期在参考答案的范围内即可。",
        "Right: what the reference says; any item where it is a list; any date within its span where solar terms are asked for.",
    ),
)

RUBRIC = Rubric(
    "charm",
    "CHARM 的评判说明",
    "CHARM's instructions to its judge",
    (Scale("correct", "正确", "Correct", 0, 1, _CRITERIA),),
)
