"""The paper's rubric for human evaluation: a four-point scale (section 5)."""

from __future__ import annotations

from evalsuite.types import Rubric, Scale

_CRITERIA = (
    ("完全不正确", "Completely incorrect"),
    ("基本不正确", "Almost incorrect"),
    ("基本正确", "Almost correct"),
    ("完全正确", "Completely correct"),
)
RUBRIC = Rubric(
    "glucose",
    "GLUCOSE 的四级量表",
    "GLUCOSE's four points",
    (Scale("correctness", "正确程度", "Correctness", 0, 3, _CRITERIA),),
)
