"""By what people (and judges) score a short text. The criteria stand on the audit's page in both languages."""

from __future__ import annotations

from dataclasses import dataclass

from evalsuite.common.errors import ConfigError, unknown


@dataclass(frozen=True, slots=True)
class Scale:
    """Whole numbers from `low`; a criterion (Chinese, English) for each number, or one that holds for all."""

    name: str  # also the field and the column of a mark
    zh: str
    en: str
    low: int
    high: int
    criteria: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Rubric:
    name: str
    zh: str  # where it is from
    en: str
    scales: tuple[Scale, ...]


# The paper's own words, the Chinese and the English.
_CORECODE = (
    ("生成答案的语句不通顺或意思不流畅", "The generated answer's sentences are not coherent or lack fluency"),
    ("尽管生成答案的语句通顺，意思流畅，但不是问题的正确答案，且与对话情境相差较远",
     "A coherent statement and fluent meaning, but not the correct answer, and far from the dialogue context"),
    ("尽管生成答案的语句通顺，意思流畅，符合对话情境，但不是问题的正确答案",
     "A coherent statement and fluent meaning, fit to the dialogue context, but not the correct answer"),
    ("尽管生成答案的语句通顺，意思流畅，符合对话情境，但语义比较宽泛，没有具体地回答问题",
     "A coherent statement and fluent meaning, fit to the dialogue context, but semantically broad: it does not specifically answer the question"),
    ("生成答案的语句通顺，意思流畅，尽管与标准答案的语义不一致，但也是一个正确的答案",
     "A coherent statement and fluent meaning; semantically inconsistent with the ground truth, but also a correct answer"),
    ("生成答案的语句通顺，意思流畅，且与标准答案的语义一致",
     "A coherent statement and fluent meaning, semantically consistent with the ground truth"),
)  # fmt: skip
_GLUCOSE = (
    ("完全不正确", "Completely incorrect"),
    ("基本不正确", "Almost incorrect"),
    ("基本正确", "Almost correct"),
    ("完全正确", "Completely correct"),
)
_CICERO = (
    ("creativity", "创造性", "Creativity", "推断有多少创造性：多数答案需要推测", "How creative the inference is: most need speculation"),
    ("contextuality", "语境契合度", "Contextuality", "是否符合对话情境", "Whether it fits the context"),
    ("fluency", "流畅性", "Fluency", "语法是否正确", "Whether it is grammatically correct"),
)  # fmt: skip

RUBRICS = {
    rubric.name: rubric
    for rubric in (
        Rubric("corecode", "CORECODE 论文图 6", "CORECODE, Figure 6",
               (Scale("score", "得分", "Score", 0, 5, _CORECODE),)),
        Rubric("cicero", "CICERO 的三项量表，1 最差，5 最好", "CICERO's three scales, 1 worst, 5 best",
               tuple(Scale(name, zh, en, 1, 5, ((about, about_en),)) for name, zh, en, about, about_en in _CICERO)),
        Rubric("glucose", "GLUCOSE 的四级量表", "GLUCOSE's four points",
               (Scale("correctness", "正确程度", "Correctness", 0, 3, _GLUCOSE),)),
    )
}  # fmt: skip


def rubric(name: str) -> Rubric:
    if name not in RUBRICS:
        raise ConfigError(unknown("rubric", name, RUBRICS))
    return RUBRICS[name]
