"""The paper's rubric for human evaluation (Figure 6), verbatim."""

from __future__ import annotations

from evalsuite.types import Rubric, Scale

_CRITERIA = (
    ("生成答案的语句不通顺或意思不流畅", "The generated answer's sentences are not coherent or lack fluency"),
    (
        "尽管生成答案的语句通顺，意思流畅，但不是问题的正确答案，且与对话情境相差较远",
        "A coherent statement and fluent meaning, but not the correct answer, and far from the dialogue context",
    ),
    (
        "尽管生成答案的语句通顺，意思流畅，符合对话情境，但不是问题的正确答案",
        "A coherent statement and fluent meaning, fit to the dialogue context, but not the correct answer",
    ),
    (
        "尽管生成答案的语句通顺，意思流畅，符合对话情境，但语义比较宽泛，没有具体地回答问题",
        "A coherent statement and fluent meaning, fit to the dialogue context, but semantically broad: it does not "
        "specifically answer the question",
    ),
    (
        "生成答案的语句通顺，意思流畅，尽管与标准答案的语义不一致，但也是一个正确的答案",
        "A coherent statement and fluent meaning; semantically inconsistent with the ground truth, but also a correct answer",
    ),
    (
        "生成答案的语句通顺，意思流畅，且与标准答案的语义一致",
        "A coherent statement and fluent meaning, semantically consistent with the ground truth",
    ),
)
RUBRIC = Rubric(
    "corecode", "CORECODE 论文图 6", "CORECODE, Figure 6", (Scale("score", "得分", "Score", 0, 5, _CRITERIA),)
)
