"""The paper's rubric for human evaluation: three scales."""

from __future__ import annotations

from evalsuite.types import Rubric, Scale

_SCALES = (
    (
        "creativity",
        "创造性",
        "Creativity",
        "推断在多大程度上超出了对话的字面内容，作出有新意的推测",
        "How creative the inference is: most need speculation",
    ),
    ("contextuality", "语境契合度", "Contextuality", "是否符合对话情境", "Whether it fits the context"),
    ("fluency", "流畅性", "Fluency", "语法是否正确", "Whether it is grammatically correct"),
)
RUBRIC = Rubric(
    "cicero",
    "CICERO 的三项量表，1 最差，5 最好",
    "CICERO's three scales, 1 worst, 5 best",
    tuple(Scale(name, zh, en, 1, 5, ((about, about_en),)) for name, zh, en, about, about_en in _SCALES),
)
